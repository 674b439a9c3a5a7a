"""Tests of fiel.stats._calibration_band."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import ece, ece_null_band


def all_errors(p: list[float], bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Every error that may be shown, and its chance, by going through all outcomes."""
    outcomes = list(itertools.product((0, 1), repeat=len(p)))
    errors = np.array([ece(y, p, bins=bins) for y in outcomes])
    return errors, np.array([np.prod(np.where(y, p, np.subtract(1, p))) for y in outcomes])


@settings(max_examples=25)
@given(p=st.lists(st.floats(0.05, 0.95), min_size=1, max_size=7), bins=st.integers(1, 4), data=st.data())
def test_against_all_outcomes(p: list[float], bins: int, data: Any):
    """Mean, limits and p-value are those of all outcomes gone through, within what is said about the grid."""
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(p), max_size=len(p)))
    errors, chances = all_errors(p, bins)
    band = ece_null_band(y, p, bins=bins, confidence=0.9)
    assert band.value == pytest.approx(errors @ chances, abs=1e-12)
    assert chances[errors < band.low - 1e-12].sum() <= 0.05 + 1e-9
    assert chances[errors > band.high + 1e-12].sum() <= 0.05 + 1e-9
    shown = ece(y, p, bins=bins)
    least, most = (chances[errors >= shown - slack].sum() for slack in (1e-12, 1e-4))
    assert least - 1e-9 <= band.details["p_value"] <= most + 1e-9


@pytest.mark.parametrize("strategy", ["width", "mass"])
@pytest.mark.parametrize("n", [30, 400])
def test_the_band_holds_what_it_says(n: int, strategy: Any):
    """A calibrated judge passes the upper limit in 5 %, and its p-values below 0.05 are as many."""
    rng, repeats = np.random.default_rng(n), 3000
    p = rng.beta(4, 1.5, n)
    shown = np.array([ece((rng.random(n) < p).astype(int), p, bins=10, strategy=strategy) for _ in range(repeats)])
    upper = ece_null_band(np.zeros(n, int), p, bins=10, strategy=strategy, side="upper")
    both = ece_null_band(np.zeros(n, int), p, bins=10, strategy=strategy)
    few, many = scipy_stats.binom.ppf([0.0005, 0.9995], repeats, 0.05)
    assert few <= (shown > upper.high).sum() <= many
    assert few <= ((shown < both.low) | (shown > both.high)).sum() <= many
    assert both.value == pytest.approx(shown.mean(), abs=4 * shown.std() / repeats**0.5)


def test_an_overconfident_judge_is_found():
    """A judge who says 0.95 and is right in 0.8 of 200 lies far above the band."""
    band = ece_null_band([1] * 160 + [0] * 40, [0.95] * 200)
    assert band.details["ece"] == pytest.approx(0.15)
    assert band.details["ece"] > 2 * band.high
    assert band.details["p_value"] < 1e-6


def test_more_items_show_less():
    """The error of a calibrated judge falls about as the root of the number of items."""
    few, many = (ece_null_band([0] * n, np.linspace(0.01, 0.99, n)).value for n in (200, 20_000))
    assert many == pytest.approx(few / 10, rel=0.1)


def test_sides():
    """One-sided limits are those of a wider two-sided band, and the other end that of the scale."""
    y, p = [0, 1] * 20, np.linspace(0.1, 0.9, 40)
    both = ece_null_band(y, p, confidence=0.9)
    lower, upper = (ece_null_band(y, p, confidence=0.95, side=side) for side in ("lower", "upper"))
    assert (lower.low, upper.high) == (both.low, both.high)
    assert (lower.high, upper.low) == (1.0, 0.0)


def test_nothing_is_left_to_chance():
    """No items, and probabilities of 0 and 1 alone, have no band, and say why."""
    assert ece_null_band([], []).reason == "no items"
    certain = ece_null_band([1, 0, 1], [1.0, 0.0, 0.0])
    assert certain.value is None
    assert "nothing to chance" in certain.reason
    assert certain.details["p_value"] == 0.0
    assert ece_null_band([1, 0], [1.0, 0.0]).details["p_value"] == 1.0
    assert ece_null_band([1, 0], [1.0, 5e-324]).value is None


def test_more_bins_than_cells_need():
    """Thousands of bins with an item each still have a band."""
    p = (np.arange(300) + 0.5) / 300
    band = ece_null_band((p > 0.5).astype(int), p, bins=100_000)
    assert band.low < band.value < band.high
    assert band.value == pytest.approx((2 * p * (1 - p)).mean())


def test_shares_are_refused():
    """An outcome between 0 and 1 has no known chance."""
    with pytest.raises(ValueError, match="outcome must be 0 or 1"):
        ece_null_band([0.5], [0.5])
