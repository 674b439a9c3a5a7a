"""Tests of fiel.stats._correlation."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import cohen_kappa, kendall, lin_ccc, pearson, spearman

ALL = (pearson, spearman, kendall, lin_ccc)
NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@st.composite
def pairs(draw: st.DrawFn, values: st.SearchStrategy[Any] = NUMBERS) -> tuple[Any, Any]:
    """Two vectors of one length, with ties now and then."""
    n = draw(st.integers(2, 60))
    few = draw(st.booleans())
    source = st.integers(-3, 3).map(float) if few else values
    return tuple(np.array(draw(st.lists(source, min_size=n, max_size=n))) for _ in range(2))


def varies(*vectors: Any) -> bool:
    """Whether each vector has two values that differ."""
    return all(np.ptp(x) > 0 for x in vectors)


@settings(deadline=None)
@given(pair=pairs())
def test_against_scipy(pair: Any):
    """Pearson's, Spearman's and Kendall's are those of scipy, ties among them."""
    y, f = pair
    if not varies(y, f):
        return
    for ours, theirs in (
        (pearson, scipy_stats.pearsonr),
        (spearman, scipy_stats.spearmanr),
        (kendall, scipy_stats.kendalltau),
    ):
        assert ours(y, f) == pytest.approx(theirs(y, f).statistic, abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 63, 64, 65, 1000, 30_000])
def test_kendall_counts_by_sorting(n: int):
    """Around and far beyond the sizes of its blocks, tau-b stays that of scipy."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, max(n // 3, 2), n)
    f = y + rng.integers(0, n, n)
    assert kendall(y, f) == pytest.approx(scipy_stats.kendalltau(y, f).statistic, abs=1e-12)


def test_kendall_by_counting_pairs():
    """Tau-b of five items, counted by hand: 7 pairs agree, 1 disagrees, one is tied in each."""
    assert kendall([1, 2, 2, 3, 4], [1, 3, 2, 2, 5]) == pytest.approx((7 - 1) / 9)


@settings(deadline=None)
@given(data=st.data(), categories=st.integers(2, 6))
def test_concordance_is_quadratic_kappa(data: st.DataObject, categories: int):
    """On codes, Lin's coefficient is Cohen's kappa with quadratic weights, to the last digits."""
    codes = st.lists(st.tuples(*[st.integers(0, categories - 1)] * 2), min_size=1, max_size=50)
    a, b = np.array(data.draw(codes)).T
    kappa, ccc = cohen_kappa(a, b, weights="quadratic", categories=categories), lin_ccc(a, b)
    assert ccc == pytest.approx(kappa, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(pair=pairs(), slope=st.floats(0.01, 100), level=st.floats(-100, 100))
def test_invariances(pair: Any, slope: float, level: float):
    """Sides may change places and items their order; a scale may be shifted and stretched, for Lin's on both sides."""
    y, f = pair
    order = np.random.default_rng(0).permutation(len(y))
    for statistic in ALL:
        value = statistic(y, f)
        assert statistic(f, y) == pytest.approx(value, abs=1e-9, nan_ok=True)
        assert statistic(y[order], f[order]) == pytest.approx(value, abs=1e-9, nan_ok=True)
        assert -1 <= value <= 1 or math.isnan(value)
    stretched = slope * y + level
    if varies(y, stretched) and len(np.unique(stretched)) == len(np.unique(y)):
        scale = max(np.abs(y).max() * slope, abs(level)) / np.ptp(stretched)  # rounding grows by this
        for statistic in (pearson, spearman, kendall):
            assert statistic(stretched, f) == pytest.approx(statistic(y, f), abs=1e-9 + 1e-12 * scale, nan_ok=True)
        both = lin_ccc(stretched, slope * f + level)
        assert both == pytest.approx(lin_ccc(y, f), abs=1e-9 + 1e-12 * scale, nan_ok=True)


def test_concordance_falls_with_level_and_spread():
    """A shifted or stretched judge keeps Pearson's correlation of 1 and loses concordance."""
    y = np.arange(10.0)
    assert lin_ccc(y, y) == 1.0
    for f in (y + 3, 2 * y, 2 * y - 4.5):
        assert pearson(y, f) == pytest.approx(1)
        assert lin_ccc(y, f) < 0.9


@pytest.mark.parametrize("statistic", ALL)
def test_undefined(statistic: Any):
    """Without items, or with two constants, there is no correlation."""
    for y, f in (([], []), ([1], [1]), ([2, 2, 2], [2, 2, 2])):
        assert math.isnan(statistic(y, f))


def test_one_side_constant():
    """Beside a constant, correlation is undefined, and concordance 0, as kappa is."""
    for statistic in (pearson, spearman, kendall):
        assert math.isnan(statistic([1, 2, 3], [2, 2, 2]))
        assert math.isnan(statistic([0.1 + 0.2, 0.3], [1, 1]))
    assert lin_ccc([1, 2, 3], [2, 2, 2]) == 0.0
    assert lin_ccc([1, 1], [2, 2]) == 0.0


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_extreme_units(unit: float):
    """Neither tiny nor huge units change a correlation."""
    y, f = np.array([1.0, 2.0, 3.0, 4.5]), np.array([1.0, 3.0, 2.0, 4.0])
    for statistic in ALL:
        assert statistic(unit * y, unit * f) == pytest.approx(statistic(y, f))


@pytest.mark.parametrize("statistic", ALL)
def test_wrong_input(statistic: Any):
    """Lengths that differ, holes and words are refused, by the name of the argument."""
    with pytest.raises(ValueError, match="y has 2 entries and f has 3"):
        statistic([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="f holds 1 NaN"):
        statistic([1, 2], [1, math.nan])
    with pytest.raises(ValueError, match="y must hold numbers"):
        statistic(["a", "b"], [1, 2])
