"""Tests of fiel.stats._calibration_error."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from fiel.stats import ece, ece_debiased, max_calibration_error

STRATEGIES = ["width", "mass"]
ERRORS = [ece, max_calibration_error, ece_debiased]


@st.composite
def forecasts(draw: st.DrawFn, *, tied: bool = False, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes and probabilities; `tied` takes the latter from a coarse grid that holds 0, 1 and many edges."""
    n = draw(st.integers(least, 60))
    share = st.integers(0, 20).map(lambda k: k / 20) if tied else st.floats(0, 1)
    p = draw(st.lists(share, min_size=n, max_size=n))
    return np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))), np.array(p)


@given(data=st.one_of(forecasts(), forecasts(tied=True)), power=st.integers(0, 5))
def test_against_scikit_learn(data: Any, power: int):
    """Bin by bin, said and happened are those of scikit-learn where its edges are exact (bins a power of two)."""
    (y, p), bins = data, 2**power
    happened, said = calibration_curve(y, p, n_bins=bins, strategy="uniform")
    places = np.searchsorted(np.arange(1, bins) / bins, p)
    weight = np.bincount(places, minlength=bins)
    gaps = np.abs(happened - said)
    assert ece(y, p, bins=bins) == pytest.approx(gaps @ weight[weight > 0] / len(y), abs=1e-12)
    assert max_calibration_error(y, p, bins=bins) == pytest.approx(gaps.max(), abs=1e-12)


@given(data=forecasts(least=4), bins=st.integers(1, 12))
def test_debiased_by_its_definition(data: Any, bins: int):
    """The debiased square is the sum over bins of the definition, written as a loop."""
    y, p = data
    total = 0.0
    for k in range(bins):
        here = (p > k / bins) & (p <= (k + 1) / bins) | ((k == 0) & (p == 0))
        m = here.sum()
        if m > 1:
            q = y[here].mean()
            total += m / len(y) * ((p[here].mean() - q) ** 2 - q * (1 - q) / (m - 1))
    assert ece_debiased(y, p, bins=bins) == pytest.approx(total, abs=1e-12)


def test_debiased_is_right_on_the_average():
    """For a calibrated judge its mean is 0, where that of the squared error is not."""
    rng, n, repeats = np.random.default_rng(5), 100, 1000
    p = np.repeat(np.arange(1, 10) / 10, n // 9 + 1)[:n]
    found = [ece_debiased((rng.random(n) < p).astype(int), p, bins=10) for _ in range(repeats)]
    assert abs(np.mean(found)) < 4 * np.std(found) / repeats**0.5
    chance = (p * (1 - p) / np.bincount(np.rint(10 * p).astype(int))[np.rint(10 * p).astype(int)]).mean()
    assert chance > 10 * abs(np.mean(found))
    assert min(found) < 0


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("error", ERRORS)
@settings(max_examples=30)
@given(data=forecasts(tied=True), order=st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(error: Any, strategy: Any, data: Any, order: Any):
    """Shuffled items have the same error."""
    y, p = data
    shuffled = list(range(len(y)))
    order.shuffle(shuffled)
    once, again = (error(a, b, bins=7, strategy=strategy) for a, b in ((y, p), (y[shuffled], p[shuffled])))
    assert again == pytest.approx(once, abs=1e-12)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("error", [ece, max_calibration_error])
@settings(max_examples=40)
@given(data=forecasts(tied=True), copies=st.lists(st.integers(0, 4), min_size=60, max_size=60))
def test_a_weight_is_so_many_copies(error: Any, strategy: Any, data: Any, copies: list[int]):
    """An item of weight k counts as k items."""
    y, p = data
    weights = np.array(copies[: len(y)])
    if weights.any():
        many = error(np.repeat(y, weights), np.repeat(p, weights), bins=6, strategy=strategy)
        assert error(y, p, bins=6, strategy=strategy, weights=weights) == pytest.approx(many, abs=1e-12)


@given(data=forecasts())
def test_debiased_with_equal_weights(data: Any):
    """Equal weights change nothing, whatever they are."""
    y, p = data
    assert ece_debiased(y, p, weights=np.full(len(y), 7.3)) == pytest.approx(ece_debiased(y, p), abs=1e-12)


@given(data=forecasts(tied=True), bins=st.integers(1, 30))
def test_mass_does_not_part_ties(data: Any, bins: int):
    """As many bins of mass as there are items, or more, are one bin for each probability that occurs."""
    y, p = data
    alone = sum(abs(y[p == value].mean() - value) * (p == value).sum() for value in np.unique(p)) / len(p)
    assert ece(y, p, bins=len(p) + bins, strategy="mass") == pytest.approx(alone, abs=1e-12)


def test_mass_of_a_hundred():
    """Twenty bins of a hundred different probabilities hold five each."""
    p = np.random.default_rng(0).permutation(np.arange(100) / 100)
    y = np.random.default_rng(1).integers(0, 2, 100)
    order = np.argsort(p)
    means = np.abs((y - p)[order].reshape(20, 5).mean(axis=1))
    assert ece(y, p, bins=20, strategy="mass") == pytest.approx(means.mean())


@given(bins=st.integers(1, 1000), data=st.data())
def test_an_edge_belongs_to_the_bin_below(bins: int, data: Any):
    """I / n falls into bin i, and the next float above it into the next: two items there are not averaged."""
    edge = data.draw(st.integers(1, bins)) / bins
    above = np.nextafter(edge, 2.0)
    if above <= 1:
        apart = ece([1, 0], [edge, above], bins=bins)
        assert apart == pytest.approx((1 - edge + above) / 2)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_degenerate(strategy: Any):
    """No items give NaN; one class, one probability, and probabilities of 0 and 1 have their plain value."""
    for error in ERRORS:
        assert np.isnan(error([], [], strategy=strategy))
    assert ece([1, 1], [0.25, 0.25], strategy=strategy) == 0.75
    assert ece([1, 0, 1], [1, 0, 0], strategy=strategy) == pytest.approx(1 / 3)
    assert ece_debiased([1], [0.5], strategy=strategy) == 0.0
    assert ece_debiased([1, 1], [0.5, 0.5], strategy=strategy) == 0.25


def test_shares_as_outcomes():
    """Outcomes may be shares of raters: they count by their mean."""
    assert ece([0.5, 1.0], [0.7, 0.7]) == pytest.approx(0.05)
