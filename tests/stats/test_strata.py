"""Tests of fiel.stats._strata."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.stats.proportion import proportion_confint

from fiel.stats._strata import StrataRate, Stratum

CELLS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@st.composite
def rates(draw: st.DrawFn) -> StrataRate:
    """A few strata of any size, edges frequent, and a frame."""
    cells = draw(st.lists(CELLS, min_size=1, max_size=4))
    shares = np.array(draw(st.lists(st.floats(0.01, 1), min_size=len(cells), max_size=len(cells))))
    frame = draw(st.sampled_from([200.0, 5000.0, math.inf]))
    strata = [Stratum(float(k), float(n), w) for (k, n), w in zip(cells, (shares / shares.sum()).tolist(), strict=True)]
    return StrataRate(strata, frame)


def statistic(rate: StrataRate, theta: float) -> float:
    """The squared score statistic at `theta` by general constrained optimisation, where all is inside."""
    k, n, w = (np.array(x) for x in zip(*rate.strata, strict=True))

    def minus(p: Any) -> float:
        return -float((k * np.log(p) + (n - k) * np.log1p(-p)).sum())

    found = optimize.minimize(
        minus,
        np.full(len(k), theta),
        jac=lambda p: -(k / p - (n - k) / (1 - p)),
        bounds=[(1e-9, 1 - 1e-9)] * len(k),
        constraints={"type": "eq", "fun": lambda p: float(w @ p) - theta, "jac": lambda _: w},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    p = found.x
    variance = float((w**2 * p * (1 - p) / n).sum() + (w * (p - theta) ** 2).sum() / rate.frame)
    return (rate.value - theta) ** 2 / variance


@pytest.mark.parametrize(("passed", "n"), [(0, 5), (1, 20), (9, 12), (12, 12), (300, 1000)])
@pytest.mark.parametrize("quantile", [1.0, 1.959963984540054, 3.0])
def test_one_stratum_is_wilson(passed: int, n: int, quantile: float):
    """A single stratum gives Wilson's interval, as statsmodels has it."""
    from scipy.stats import norm  # noqa: PLC0415  (an oracle of this test alone)

    expected = proportion_confint(passed, n, alpha=2 * norm.sf(quantile), method="wilson")
    found = StrataRate([Stratum(passed, n, 1.0)], math.inf).limits(quantile)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "cells", [[(3, 10, 0.4), (25, 30, 0.6)], [(1, 20, 0.1), (10, 20, 0.3), (70, 80, 0.6)], [(5, 9, 0.5), (4, 11, 0.5)]]
)
@pytest.mark.parametrize("frame", [500.0, math.inf])
def test_the_limits_are_where_the_score_test_rejects(cells: Any, frame: float):
    """At each limit the score statistic, with the likeliest rates by a general optimiser, is the squared quantile."""
    rate = StrataRate([Stratum(*cell) for cell in cells], frame)
    for limit in rate.limits(1.96):
        assert statistic(rate, limit) == pytest.approx(1.96**2, rel=1e-4)


@settings(deadline=None, max_examples=200)
@given(rate=rates(), quantile=st.floats(0.5, 4))
def test_never_empty_never_outside(rate: StrataRate, quantile: float):
    """Whatever the counts, the limits hold the value, stay on the scale and leave room."""
    low, high = rate.limits(quantile)
    assert 0 <= low <= rate.value <= high <= 1
    assert high - low > 1e-4


@settings(deadline=None, max_examples=100)
@given(rate=rates())
def test_mirror(rate: StrataRate):
    """Counting failures in the place of passes mirrors the interval."""
    other = StrataRate([Stratum(s.size - s.passed, s.size, s.share) for s in rate.strata], rate.frame)
    low, high = rate.limits(1.96)
    assert other.limits(1.96) == pytest.approx((1 - high, 1 - low), abs=1e-8)


def test_equal_strata_are_narrower_together():
    """Knowing the strata helps where they differ, and a small frame takes some of it back."""
    apart = [Stratum(2, 20, 0.5), Stratum(18, 20, 0.5)]
    low, high = StrataRate(apart, math.inf).limits(1.96)
    plain = StrataRate([Stratum(20, 40, 1.0)], math.inf).limits(1.96)
    small = StrataRate(apart, 100.0).limits(1.96)
    assert high - low < small[1] - small[0] < plain[1] - plain[0]
    assert StrataRate(apart, math.inf).limits(0.0) == (0.5, 0.5)


def test_variances():
    """The variance of the labels is that of stratified sampling plus its floor, the shares' that of a random frame."""
    rate = StrataRate([Stratum(2, 20, 0.5), Stratum(18, 20, 0.5)], 100.0)
    labels, shares = rate.variances()
    assert labels == pytest.approx(2 * 0.25 * 0.09 / 19 + 0.5 / 1600)
    assert shares == pytest.approx(0.16 / 100)
