"""Tests of fiel.stats._planning_rates."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from fiel.stats import clopper_pearson, minimum_detectable_rate, proportion_sample_size, rate_bound, wilson
from fiel.stats._planning_rates import critical_count

INTERVALS = {"wilson": wilson, "clopper-pearson": clopper_pearson}
THEIRS = {"wilson": "wilson", "clopper-pearson": "beta"}


def chance(n: int, rate: float, bar: float, confidence: float, method: str) -> float:
    """P(the gate is sure), summed over every outcome, from the intervals themselves."""
    side = "lower" if rate > bar else "upper"
    sure = []
    for k in range(n + 1):
        found = INTERVALS[method](k, n, confidence=confidence, side=side)
        sure.append(found.low >= bar if side == "lower" else found.high < bar)
    return float(scipy_stats.binom.pmf(np.flatnonzero(sure), n, rate).sum())


@settings(deadline=None, max_examples=30)
@given(rate=st.just(0.0) | st.floats(1e-6, 1), width=st.floats(0.05, 0.9), confidence=st.floats(0.8, 0.99))
@pytest.mark.parametrize("method", INTERVALS)
def test_width_against_statsmodels(method: Any, rate: float, width: float, confidence: float):
    """At the planned size the interval of statsmodels is narrow enough, and at no smaller one."""
    n = proportion_sample_size(rate, width=width, confidence=confidence, method=method)
    sizes = np.arange(1, n + 1)
    low, high = proportion_confint(rate * sizes, sizes, alpha=1 - confidence, method=THEIRS[method])
    assert np.flatnonzero(high - low <= width * (1 + 1e-9))[:1].tolist() in ([n - 1], [n - 2])
    assert high[-1] - low[-1] <= width * (1 + 1e-9)
    if n > 1:
        assert high[-2] - low[-2] > width * (1 - 1e-9)


@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize(
    ("rate", "bar", "power", "confidence"),
    [
        (0.95, 0.85, 0.8, 0.95),
        (0.9, 0.7, 0.9, 0.9),
        (1.0, 0.85, 0.8, 0.95),
        (0.5, 0.7, 0.8, 0.95),
        (0.02, 0.15, 0.8, 0.95),
        (0.0, 0.1, 0.5, 0.8),
        (0.99, 0.9, 0.95, 0.99),
    ],
)
def test_power_by_brute_force(method: Any, rate: float, bar: float, power: float, confidence: float):
    """The planned size is the first at which the exact chance of a sure verdict is as large as wanted."""
    n = proportion_sample_size(rate, bar=bar, power=power, confidence=confidence, method=method)
    assert chance(n, rate, bar, confidence, method) >= power
    assert all(chance(m, rate, bar, confidence, method) < power for m in range(1, n))


def test_mean_width_is_kept():
    """Over samples, the mean width at the planned size is at most the one that was wanted."""
    for rate in (0.5, 0.8, 0.95):
        n = proportion_sample_size(rate, width=0.12)
        widths = [wilson(k, n).high - wilson(k, n).low for k in range(n + 1)]
        assert float(scipy_stats.binom.pmf(np.arange(n + 1), n, rate) @ widths) <= 0.12


def test_worked_values():
    """With all of n right, 0.85 is cleared from 19 on, since 0.85^19 < 0.05 < 0.85^18; at a half, 93 give 0.2."""
    assert proportion_sample_size(1.0, bar=0.85) == 19
    assert rate_bound(1.0, 19) >= 0.85 > rate_bound(1.0, 18)
    assert proportion_sample_size(0.5, width=0.2) == 93


def test_large_sizes():
    """Close to the bar, a size in the millions comes out as the normal approximation has it."""
    n = proportion_sample_size(0.9, bar=0.8995)
    gap = scipy_stats.norm.ppf(0.95) * math.sqrt(0.8995 * 0.1005) + scipy_stats.norm.ppf(0.8) * 0.3
    assert n == pytest.approx((gap / 0.0005) ** 2, rel=0.01)


@settings(deadline=None, max_examples=50)
@given(n=st.integers(1, 400), bar=st.floats(0.05, 0.95), power=st.floats(0.5, 0.95))
@pytest.mark.parametrize("method", INTERVALS)
def test_minimum_detectable_rate(method: Any, n: int, bar: float, power: float):
    """At the rate returned the exact chance to clear the bar is the one wanted, and a little below it is not."""
    rate = minimum_detectable_rate(n, bar=bar, power=power, method=method)
    if math.isnan(rate):
        assert INTERVALS[method](n, n, side="lower").low < bar * (1 + 1e-9)
        return
    assert bar <= rate <= 1
    needed = min(k for k in range(n + 1) if INTERVALS[method](k, n, side="lower").low >= bar * (1 - 1e-12))
    assert scipy_stats.binom.sf(needed - 1, n, rate) >= power - 1e-9
    assert rate < bar + 1e-9 or scipy_stats.binom.sf(needed - 1, n, rate - 1e-6) < power


@settings(deadline=None, max_examples=50)
@given(n=st.integers(0, 300), rate=st.floats(0.01, 0.99), level=st.floats(0.001, 0.5))
def test_critical_count(n: int, rate: float, level: float):
    """The critical count is the first whose upper tail, by scipy, is small enough."""
    found = int(critical_count([n], rate, level)[0])
    tails = scipy_stats.binom.sf(np.arange(-1, n), n, rate)
    fits = np.flatnonzero(tails <= level * (1 + 1e-9))
    assert found in ({int(fits[0]), int(fits[0]) + 1} if fits.size else {n + 1})
    assert found > n or scipy_stats.binom.sf(found - 1, n, rate) <= level * (1 + 1e-9)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"rate": 0.9}, "either width= .* or bar="),
        ({"rate": 0.9, "width": 0.1, "bar": 0.8}, "either width= .* or bar="),
        ({"rate": 1.1, "width": 0.1}, "rate must lie"),
        ({"rate": 0.9, "width": 0.0}, "width must lie"),
        ({"rate": 0.9, "bar": 1.0}, "bar must be a rate between"),
        ({"rate": 0.9, "bar": 0.9}, "stands on the bar"),
        ({"rate": 0.9, "bar": 0.8, "power": 1.0}, "power must lie"),
        ({"rate": 0.9, "bar": 0.8, "confidence": 0.3}, "confidence must lie"),
        ({"rate": 0.9, "bar": 0.8, "method": "wald"}, "method must be"),
        ({"rate": 0.5, "width": 1e-9}, "asks for more than"),
        ({"rate": 0.5, "bar": 0.5 + 1e-9}, "asks for more than"),
    ],
)
def test_wrong_plans(given_: Any, message: str):
    """Wishes that contradict each other, or that nobody can pay, are refused."""
    with pytest.raises(ValueError, match=message):
        proportion_sample_size(given_.pop("rate"), **given_)


def test_wrong_rates():
    """A number of items that is none, and an unknown method, are refused."""
    for n in (0, 2.5, 10**13):
        with pytest.raises(ValueError, match="n must be a whole number"):
            minimum_detectable_rate(n, bar=0.5)
    with pytest.raises(ValueError, match="method must be"):
        minimum_detectable_rate(10, bar=0.5, method="wald")
