"""Tests of fiel.stats._means."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.api import OLS

from fiel.stats import mean_interval

VALUES = st.lists(st.integers(-1000, 1000).map(lambda x: x / 8), min_size=2, max_size=40)


@settings(deadline=None)
@given(values=VALUES, confidence=st.floats(0.5, 0.999))
def test_against_scipy(values: list[float], confidence: float):
    """The interval is SciPy's one-sample t interval."""
    assume(np.ptp(values) > 0)
    theirs = scipy_stats.ttest_1samp(values, 0).confidence_interval(confidence)
    ours = mean_interval(values, confidence=confidence)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-8, abs=1e-8)


def test_clusters_against_statsmodels():
    """The standard error of clusters is CR1 of statsmodels, with its factor for a lone constant taken out."""
    rng = np.random.default_rng(3)
    names, values = rng.integers(0, 9, 60), rng.normal(size=60)
    fit = OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": names, "use_correction": False})
    expected = fit.bse[0] * np.sqrt(9 / 8)
    estimate = mean_interval(values, clusters=names)
    assert estimate.details["standard_error"] == pytest.approx(expected, rel=1e-10)
    assert estimate.high - estimate.value == pytest.approx(scipy_stats.t.ppf(0.975, 8) * expected)
    assert estimate.n == 9


def test_clustered_reference(ppi_reference: Any):
    """The half-width for five clusters is that of another package."""
    inputs, cases = ppi_reference["inputs"], ppi_reference["cases"]
    values = 0.999 * np.array(inputs["y"]) + 0.0005
    estimate = mean_interval(values, clusters=inputs["clusters_labelled"])
    half = cases["clustered_se_CR1_t"]["independent"][0]
    assert estimate.high - estimate.value == pytest.approx(half, abs=1e-12)


@settings(deadline=None)
@given(values=VALUES, factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_affine(values: list[float], factor: float, shift: float):
    """Another unit of measurement gives the same interval in that unit."""
    assume(np.ptp(values) > 0)
    plain = mean_interval(values)
    moved = mean_interval(np.array(values) * factor + shift)
    expected = [factor * x + shift for x in (plain.low, plain.high)]
    assert (moved.low, moved.high) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_lone_clusters_are_independent_items():
    """A cluster for each item changes nothing."""
    values = [0.1, 0.7, 0.4, 0.9]
    plain, lone = mean_interval(values), mean_interval(values, clusters=["a", "b", "c", "d"])
    assert (lone.low, lone.high) == pytest.approx((plain.low, plain.high))


def test_bounds_clip():
    """Limits end where the scale ends."""
    estimate = mean_interval([0.0, 0.1, 0.9], bounds=(0, 1))
    assert (estimate.low, estimate.high) == (0.0, 1.0)


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 2, 3, 3]])
@pytest.mark.parametrize("value", [1.0, 3.3, 5.0])
def test_constant_values_on_a_scale(value: float, clusters: Any):
    """A perfect sample says something, within the scale, and not everything."""
    estimate = mean_interval([value] * 8, bounds=(1, 5), clusters=clusters)
    assert 1 <= estimate.low <= estimate.value <= estimate.high <= 5
    assert estimate.high - estimate.low > 0.1


def test_constant_values_without_a_scale():
    """Values that do not vary have no interval without bounds, and the reason says what to do."""
    assert "pass bounds" in str(mean_interval([0.1, 0.1, 0.1]))


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [([], None, "no values"), ([1.0], None, "one value"), ([1.0, 2.0], ["a", "a"], "one cluster")],
)
def test_too_few(values: list[float], clusters: Any, reason: str):
    """Too few units have no value, and the reason says which."""
    assert reason in str(mean_interval(values, clusters=clusters))


@pytest.mark.parametrize("bounds", [None, (0.0, 9.0)])
def test_one_side(bounds: Any):
    """A one-sided bound is the t bound at that confidence; the other end is that of the scale, if it has one."""
    values = [1.0, 2.0, 3.0, 4.0]
    reach = scipy_stats.t.ppf(0.95, 3) * np.std(values, ddof=1) / 2
    lower, upper = (mean_interval(values, side=side, bounds=bounds) for side in ("lower", "upper"))
    assert (lower.low, upper.high) == pytest.approx((2.5 - reach, 2.5 + reach))
    assert (upper.low, lower.high) == (bounds or (None, None))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [1.0, float("nan")]}, "values holds 1 NaN"),
        ({"values": [[1.0, 2.0]]}, "one dimension"),
        ({"values": [[1.0], [2.0, 3.0]]}, "flat sequence"),
        ({"values": ["yes", "no"]}, "must hold numbers"),
        ({"values": [1.0, None]}, "must hold numbers"),
        ({"values": [1.0, 2.0], "bounds": (0, 1)}, "outside bounds"),
        ({"values": [1.0, 2.0], "bounds": (3, 1)}, "the lower first"),
        ({"values": [1.0, 2.0], "clusters": ["a"]}, "cluster of every item"),
        ({"values": [1.0, 2.0], "clusters": ["a", None]}, "names no cluster at position 1"),
        ({"values": [1.0, 2.0], "clusters": [1.0, float("nan")]}, "names no cluster at position 1"),
        ({"values": [1.0, 2.0], "confidence": 95}, "confidence"),
        ({"values": [1.0, 2.0], "side": "larger"}, "side must be"),
    ],
)
def test_wrong_input(arguments: dict[str, Any], message: str):
    """Wrong input is refused, and the message names it."""
    with pytest.raises(ValueError, match=message):
        mean_interval(**arguments)


@pytest.mark.parametrize("values", [[1, 1, 1, 1 - 1e-15], [0, 0, 0, 1e-15], [1, 1, 1, 1 - 1e-10], [0, 1e-320, 3e-320]])
def test_rounding_on_a_scale_is_no_variation(values: list[float]):
    """Values that differ by rounding say no more than constant ones of the scale."""
    constant = mean_interval([round(x) for x in values], bounds=(0, 1))
    found = mean_interval(values, bounds=(0, 1))
    assert (found.low, found.high) == pytest.approx((constant.low, constant.high), abs=1e-6)
    assert "without spread" in found.method


def test_rounding_without_a_scale_is_no_variation():
    """The last digits of values are no spread."""
    assert mean_interval([1, 1, 1, 1 - 1e-15]).value is None


@pytest.mark.parametrize("factor", [2.0**-660, 2.0**660])
def test_very_small_and_very_large_values(factor: float):
    """Squares beyond double precision do not matter: the interval is that of another unit."""
    plain, scaled = mean_interval([1.0, 2.0, 4.0]), mean_interval([1 * factor, 2 * factor, 4 * factor])
    assert (scaled.low, scaled.value, scaled.high) == tuple(factor * x for x in (plain.low, plain.value, plain.high))


def test_limits_beyond_double_precision():
    """They are refused without bounds, and cut by them."""
    with pytest.raises(ValueError, match="beyond double precision"):
        mean_interval([1e308, -1e308, 1e308])
    with pytest.raises(ValueError, match="bounds must be"):
        mean_interval([1e308, -1e308, 1e308], bounds=(-1e308, 1e308))
    assert mean_interval([8e307, -8e307, 8e307], bounds=(-8.5e307, 8.5e307)).high == 8.5e307
