"""Tests of fiel.stats._planning_differences."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import mcnemar, minimum_detectable_difference, newcombe_difference
from fiel.stats._paired_tests import exact_mcnemar


def paired_chance(n: int, discordance: float, difference: float, level: float) -> float:
    """P(McNemar's exact test finds the difference), summed over every pair of counts."""
    ours = (1 + difference / discordance) / 2
    found = 0.0
    for differing in range(1, n + 1):
        wins = [k for k in range(differing // 2 + 1, differing + 1) if exact_mcnemar(k, differing - k) <= level]
        share = scipy_stats.binom.pmf(wins, differing, ours).sum() if wins else 0.0
        found += scipy_stats.binom.pmf(differing, n, discordance) * share
    return float(found)


def unpaired_chance(n: int, m: int, rate: float, rise: float) -> float:
    """P(Newcombe's interval lies above 0), summed over every pair of counts."""
    found = 0.0
    for k in range(n + 1):
        shown = [j for j in range(m + 1) if newcombe_difference(j, m, k, n).low > 0]
        found += scipy_stats.binom.pmf(k, n, rate) * scipy_stats.binom.pmf(shown, m, rate + rise).sum()
    return float(found)


@pytest.mark.parametrize(("n", "discordance"), [(40, 0.4), (60, 0.2), (80, 0.9), (25, 1.0)])
def test_paired_by_brute_force(n: int, discordance: float):
    """On the same items, the difference returned is found with the chance wanted, and one a little smaller is not."""
    difference = minimum_detectable_difference(n, discordance=discordance)
    assert paired_chance(n, discordance, difference, 0.05) == pytest.approx(0.8, abs=1e-9)
    assert paired_chance(n, discordance, difference - 1e-5, 0.05) < 0.8


@pytest.mark.parametrize(("n", "m", "rate"), [(30, 30, 0.5), (40, 30, 0.6), (25, 50, 0.0), (30, 20, 0.1)])
def test_unpaired_by_brute_force(n: int, m: int, rate: float):
    """On other items, the same, with every interval computed."""
    rise = minimum_detectable_difference(n, rate=rate, n_other=m)
    assert unpaired_chance(n, m, rate, rise) == pytest.approx(0.8, abs=1e-9)
    assert unpaired_chance(n, m, rate, rise - 1e-5) < 0.8


def test_paired_by_simulation():
    """Drawn pairs, tested one sample at a time, reject as often as planned."""
    rng, n, discordance, draws = np.random.default_rng(9), 150, 0.25, 2000
    difference = minimum_detectable_difference(n, discordance=discordance)
    up, down = (discordance + difference) / 2, (discordance - difference) / 2
    found = 0
    for _ in range(draws):
        kind = rng.random(n)
        a, b = (kind < up) | (kind > 0.6), ((kind >= up) & (kind < up + down)) | (kind > 0.6)
        found += mcnemar(a, b) <= 0.05 and a.sum() > b.sum()
    assert found / draws == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / draws))


def test_power_of_the_recheck_table():
    """A fall of 15 points on 200 items is found in .999 at 20 % discordance and .91 at 40 %."""
    for discordance, power, more in ((0.2, 0.999, 0.9995), (0.4, 0.91, 0.915)):
        assert minimum_detectable_difference(200, discordance=discordance, power=power) <= 0.15
        assert minimum_detectable_difference(200, discordance=discordance, power=more) > 0.15


@settings(deadline=None, max_examples=30)
@given(n=st.integers(10, 3000), share=st.floats(0.05, 0.9))
def test_more_items_show_less(n: int, share: float):
    """Twice the items show a smaller difference, of pairs and of two samples; more confidence or power a larger."""
    for kind in ({"discordance": share}, {"rate": share}):
        few = minimum_detectable_difference(n, **kind)
        if math.isnan(few):
            continue
        assert 0 < minimum_detectable_difference(2 * n, **kind) < few
        for harder in ({"power": 0.9}, {"confidence": 0.99}):
            more = minimum_detectable_difference(n, **kind, **harder)
            assert math.isnan(more) or more > few


def test_out_of_reach():
    """Too few items that differ, or too little room above a rate, show nothing with that chance."""
    assert math.isnan(minimum_detectable_difference(20, discordance=0.1))
    assert math.isnan(minimum_detectable_difference(50, rate=0.95))
    assert math.isnan(minimum_detectable_difference(1, rate=0.0))


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"n": 10}, "either discordance= .* or rate="),
        ({"n": 10, "rate": 0.5, "discordance": 0.5}, "either discordance= .* or rate="),
        ({"n": 10, "discordance": 0.5, "n_other": 5}, "n_other belongs to rate="),
        ({"n": 10, "discordance": 0.0}, "discordance must lie"),
        ({"n": 10, "rate": 1.0}, "rate must lie"),
        ({"n": 0, "rate": 0.5}, "n must be a whole number"),
        ({"n": 10, "rate": 0.5, "n_other": 1.5}, "n_other must be a whole number"),
        ({"n": 10, "rate": 0.5, "power": 0.1}, "power must lie"),
    ],
)
def test_wrong_plans(given_: Any, message: str):
    """Wishes that contradict each other, and shares that are none, are refused."""
    with pytest.raises(ValueError, match=message):
        minimum_detectable_difference(given_.pop("n"), **given_)
