"""Tests of fiel.stats._planning_ppi."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import ppi_mean, ppi_sample_size, proportion_sample_size, rate_bound


def draw(rng: Any, n: int, accuracy: float, rate: float) -> tuple[Any, Any]:
    """Labels, and the probabilities of a judge that is right in this share of both classes."""
    shift = scipy_stats.norm.ppf(accuracy)
    y = (rng.random(n) < rate).astype(float)
    return y, 1 / (1 + np.exp(-2 * shift * (rng.normal(size=n) + np.where(y == 1, shift, -shift))))


def correlation(accuracy: float, rate: float) -> float:
    """That of labels and judge, from a large draw."""
    return float(np.corrcoef(draw(np.random.default_rng(10), 10**6, accuracy, rate))[0, 1])


CELLS = [(0.8, 0.5), (0.8, 0.9), (0.9, 0.5), (0.9, 0.9), (0.95, 0.9)]


@pytest.mark.parametrize(("accuracy", "rate"), CELLS)
def test_width_by_simulation(accuracy: float, rate: float):
    """At the planned number of labels the mean width of `ppi_mean` is the one that was wanted, within a tenth."""
    rng, others, wanted = np.random.default_rng(11), 4000, 0.12
    n = ppi_sample_size(rate, rho=correlation(accuracy, rate), n_unlabelled=others, width=wanted)
    widths = []
    for _ in range(150):
        y, f = draw(rng, n + others, accuracy, rate)
        found = ppi_mean(y[:n], f[:n], f[n:], method="ess-beta")
        widths.append(found.high - found.low)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.1)


@pytest.mark.parametrize(("accuracy", "rate"), CELLS)
def test_power_by_simulation(accuracy: float, rate: float):
    """At the planned number of labels the lower bound of `ppi_mean` reaches the bar about as often as was wanted."""
    rng, others, bar, draws = np.random.default_rng(12), 4000, rate - 0.1, 300
    n = ppi_sample_size(rate, rho=correlation(accuracy, rate), n_unlabelled=others, bar=bar)
    passed = 0
    for _ in range(draws):
        y, f = draw(rng, n + others, accuracy, rate)
        passed += ppi_mean(y[:n], f[:n], f[n:], method="ess-beta", side="lower").low >= bar
    assert passed / draws == pytest.approx(0.8, abs=0.08 + 3 * math.sqrt(0.16 / draws))


@pytest.mark.parametrize(("accuracy", "rate"), [(0.8, 0.9), (0.9, 0.9), (0.95, 0.95)])
def test_recalibrated_by_simulation(accuracy: float, rate: float):
    """From 100 labels on, the plan for a recalibrated judge gives the width that was wanted, within a twentieth."""
    rng, others = np.random.default_rng(13), 4000
    y, f = draw(np.random.default_rng(10), 10**6, accuracy, rate)
    odds = f / (1 - f) * rate / (1 - rate)
    recalibrated = float(np.corrcoef(y, odds / (1 + odds))[0, 1])
    wanted = ppi_width(rate, recalibrated, 200, others)
    kind = {"rho": correlation(accuracy, rate), "n_unlabelled": others, "width": wanted}
    n = ppi_sample_size(rate, rho_recalibrated=recalibrated, **kind)
    assert 195 <= n <= 200 < ppi_sample_size(rate, **kind)
    widths = []
    for _ in range(150):
        y, f = draw(rng, n + others, accuracy, rate)
        found = ppi_mean(y[:n], f[:n], f[n:], method="ess-beta")
        widths.append(found.high - found.low)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.05)


def ppi_width(rate: float, rho: float, n: int, others: int) -> float:
    """The width of the beta interval at the effective size of the published variance and the method's floor."""
    variance = rate * (1 - rate) / n * (1 - rho**2 * others / (n + others)) + 0.5 / n**2
    size = rate * (1 - rate) / variance
    return float(np.ptp(scipy_stats.beta.ppf([0.025, 0.975], size * rate + 0.5, size * (1 - rate) + 0.5)))


@settings(deadline=None)
@given(rate=st.floats(0.02, 0.98), rho=st.floats(0, 1), others=st.integers(0, 10**6), width=st.floats(0.03, 0.5))
def test_a_better_judge_needs_fewer_labels(rate: float, rho: float, others: int, width: float):
    """More correlation or more judged items never ask for more labels, and no judge for more than labels alone."""
    alone = ppi_sample_size(rate, rho=0, n_unlabelled=others, width=width)
    n = ppi_sample_size(rate, rho=rho, n_unlabelled=others, width=width)
    assert 3 <= n <= alone
    assert ppi_sample_size(rate, rho=rho, n_unlabelled=2 * others, width=width) <= n
    assert ppi_sample_size(rate, rho=-rho, n_unlabelled=others, width=width) == alone
    assert ppi_sample_size(rate, rho=rho, n_unlabelled=0, width=width) == alone
    assert ppi_sample_size(1 - rate, rho=rho, n_unlabelled=others, width=width) == pytest.approx(n, abs=1)


@pytest.mark.parametrize(("rate", "bar"), [(0.95, 0.85), (0.7, 0.8), (0.5, 0.4), (0.05, 0.15)])
def test_without_a_judge_it_is_the_plan_of_a_proportion(rate: float, bar: float):
    """With a judge that adds nothing, the labels are about as many as the exact plan of a proportion asks for."""
    exact = proportion_sample_size(rate, bar=bar)
    assert ppi_sample_size(rate, rho=0, n_unlabelled=1000, bar=bar) == pytest.approx(exact, rel=0.15)


def test_mirrors_and_narrow_labels():
    """Failing a bar from below mirrors clearing it from above, and labels that vary less than yes/no need fewer."""
    above = ppi_sample_size(0.95, rho=0.6, n_unlabelled=5000, bar=0.85)
    assert ppi_sample_size(0.05, rho=0.6, n_unlabelled=5000, bar=0.15) == pytest.approx(above, abs=1)
    wide, narrow = (ppi_sample_size(0.6, rho=0.5, n_unlabelled=5000, width=0.1, sd=sd) for sd in (None, 0.2))
    assert narrow < wide / 2


def test_at_the_end_of_the_scale():
    """A rate of one is cleared as soon as all successes clear it, and keeps a width."""
    n = ppi_sample_size(1.0, rho=0.9, n_unlabelled=1000, bar=0.85)
    assert rate_bound(1.0, n) >= 0.85 > rate_bound(1.0, n - 1)
    assert ppi_sample_size(1.0, rho=0.9, n_unlabelled=1000, width=0.1) > 20


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "either width= .* or bar="),
        ({"width": 0.1, "bar": 0.8}, "either width= .* or bar="),
        ({"rate": -0.1, "width": 0.1}, "rate must lie"),
        ({"rho": 1.2, "width": 0.1}, "rho must be a correlation"),
        ({"rho": math.nan, "width": 0.1}, "rho must be a correlation"),
        ({"rho_recalibrated": 2.0, "width": 0.1}, "rho_recalibrated must be a correlation"),
        ({"n_unlabelled": -1, "width": 0.1}, "n_unlabelled must be"),
        ({"width": 1.0}, "width must lie"),
        ({"bar": 0.0}, "bar must be a rate"),
        ({"bar": 0.9}, "stands on the bar"),
        ({"sd": 0.4, "width": 0.1}, "sd must lie above 0 and up to 0.3"),
        ({"bar": 0.8, "power": 0.3}, "power must lie"),
        ({"width": 0.1, "confidence": 2}, "confidence must lie"),
    ],
)
def test_wrong_plans(given_: Any, message: str):
    """Expectations that cannot be, and wishes that contradict each other, are refused."""
    arguments = {"rate": 0.9, "rho": 0.5, "n_unlabelled": 1000, **given_}
    with pytest.raises(ValueError, match=message):
        ppi_sample_size(arguments.pop("rate"), **arguments)
