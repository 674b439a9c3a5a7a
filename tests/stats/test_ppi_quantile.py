"""Tests of fiel.stats._ppi_quantile."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import ppi_mean, ppi_quantile


def scores(seed: int, size: int) -> tuple[Any, Any]:
    """Scores from 0 to 1, and a judge that is near them."""
    rng = np.random.default_rng(seed)
    y = rng.beta(2, 3, size)
    return y, np.clip(y + rng.normal(0, 0.08, size), 0, 1)


def test_without_others_it_is_the_sample_quantile():
    """With the labels alone the value is the order statistic."""
    y, f = scores(1, 101)
    for q in (0.1, 0.5, 0.9):
        expected = np.quantile(y, q, method="inverted_cdf")
        assert ppi_quantile(y, f, [], q=q).value == pytest.approx(expected)


def test_the_interval_inverts_that_of_the_share():
    """At each limit the interval of the share below ends at q, one step earlier it does not reach it."""
    y, f = scores(2, 400)
    found = ppi_quantile(y[:80], f[:80], f[80:], q=0.3, method="ess-beta")

    def share(t: float) -> Any:
        return ppi_mean(y[:80] <= t, f[:80] <= t, f[80:] <= t, method="ess-beta")

    assert share(found.low).high >= 0.3 > share(found.low - 1e-9).high
    assert share(found.high).low >= 0.3 > share(found.high - 1e-9).low


def test_near_ppi_py():
    """The median and its interval are near those of ppi_py, which are shorter."""
    y, f = scores(3, 3000)
    with warnings.catch_warnings():  # its import silences every warning
        warnings.simplefilter("ignore")
        from ppi_py import ppi_quantile_ci  # noqa: PLC0415  (an oracle of this test, slow to load)

        low, high = ppi_quantile_ci(y[:500], f[:500], f[500:], 0.5, alpha=0.05)
    found = ppi_quantile(y[:500], f[:500], f[500:])
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=0.02)


def test_scales_and_sides():
    """Scores from 1 to 5 stretch the interval, and one-sided bounds lie inside the interval's limits."""
    y, f = scores(4, 600)
    unit = ppi_quantile(y[:100], f[:100], f[100:])
    wide = ppi_quantile(1 + 4 * y[:100], 1 + 4 * f[:100], 1 + 4 * f[100:], bounds=(1, 5))
    assert wide.low == pytest.approx(1 + 4 * unit.low)
    lower, upper = (ppi_quantile(y[:100], f[:100], f[100:], side=side) for side in ("lower", "upper"))
    assert unit.low <= lower.low <= upper.high <= unit.high
    assert (lower.high, upper.low) == (1, 0)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), q=st.floats(0.01, 0.99), side=st.sampled_from(["both", "lower", "upper"]))
def test_never_outside(data: st.DataObject, q: float, side: Any):
    """Whatever the scores, the limits hold the value and stay on the scale."""
    n, rest = data.draw(st.integers(1, 10)), data.draw(st.integers(0, 10))
    unit = st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0, 1)
    y, f, u = (data.draw(st.lists(unit, min_size=k, max_size=k)) for k in (n, n, rest))
    found = ppi_quantile(y, f, u, q=q, side=side)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_coverage():
    """The interval holds the true median at least as often as promised, within the simulation's error."""
    truth, repeats, covered = scipy_stats.beta(2, 3).median(), 200, 0
    for seed in range(repeats):
        y, f = scores(100 + seed, 440)
        found = ppi_quantile(y[:40], f[:40], f[40:])
        covered += found.low <= truth <= found.high
    assert covered >= scipy_stats.binom.ppf(0.001, repeats, 0.95)


def test_no_labels_and_wrong_input():
    """Without labels there is no value; q is checked."""
    assert ppi_quantile([], [], [0.5]).reason == "no labels"
    for q in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="q must lie"):
            ppi_quantile([0.5], [0.5], [0.5], q=q)
