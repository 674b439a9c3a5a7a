"""Tests of fiel.stats._icc."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from fiel.stats import icc, icc_interval

FORMS = [(model, unit) for model in ("oneway", "random", "fixed") for unit in ("single", "average")]


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """Whole ratings of some items by some raters."""
    n, k = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    cells = draw(st.lists(st.integers(0, 9), min_size=n * k, max_size=n * k))
    return np.array(cells).reshape(n, k)


def by_anova(table: Any) -> dict[tuple[str, str], float]:
    """The six forms from the mean squares of statsmodels."""
    n, k = table.shape
    rows, columns = np.indices(table.shape)
    data = pd.DataFrame({"x": table.ravel().astype(float), "item": rows.ravel(), "rater": columns.ravel()})
    both = anova_lm(ols("x ~ C(item) + C(rater)", data).fit())["mean_sq"]
    within = anova_lm(ols("x ~ C(item)", data).fit())["mean_sq"]["Residual"]
    items, raters, error = both["C(item)"], both["C(rater)"], both["Residual"]
    return {
        ("oneway", "single"): (items - within) / (items + (k - 1) * within),
        ("oneway", "average"): (items - within) / items,
        ("random", "single"): (items - error) / (items + (k - 1) * error + k * (raters - error) / n),
        ("random", "average"): (items - error) / (items + (raters - error) / n),
        ("fixed", "single"): (items - error) / (items + (k - 1) * error),
        ("fixed", "average"): (items - error) / items,
    }


def test_against_the_analysis_of_variance():
    """All six forms follow from the mean squares of statsmodels."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 5, (9, 1)) + rng.integers(0, 4, (9, 4)) + np.array([0, 1, 0, 3])
    for (model, unit), value in by_anova(table).items():
        assert icc(table, model=model, unit=unit) == pytest.approx(value, abs=1e-10)


@settings(deadline=None)
@given(table=tables(), slope=st.integers(1, 5), level=st.integers(0, 20))
def test_invariances(table: Any, slope: int, level: int):
    """Raters and items may change places, and ratings may be shifted and stretched."""
    rng = np.random.default_rng(0)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    for model, unit in FORMS:
        value = icc(table, model=model, unit=unit)
        assert icc(shuffled, model=model, unit=unit) == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)
        stretched = icc(slope * table + level, model=model, unit=unit)
        assert stretched == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)
        assert value <= 1 or math.isnan(value)


def test_a_divisor_that_is_only_rounding_is_none():
    """Where the divisor cancels to rounding, the mean of random raters has no reliability."""
    table = np.array([[4, 3], [9, 2], [4, 4], [7, 4], [0, 9], [4, 2]])
    for slope in range(1, 6):
        assert math.isnan(icc(slope * table, model="random", unit="average"))
    assert "no value" in str(icc_interval(table, model="random", unit="average").reason)


@settings(deadline=None)
@given(table=tables(), confidence=st.floats(0.5, 0.999), side=st.sampled_from(["both", "lower", "upper"]))
def test_intervals_hold_their_value(table: Any, confidence: float, side: Any):
    """An interval holds the value and has a width, or there is none and a reason; the value is that of `icc`."""
    for model, unit in FORMS:
        estimate = icc_interval(table, model=model, unit=unit, confidence=confidence, side=side)
        if estimate.value is None:
            assert estimate.reason
            continue
        assert estimate.value == icc(table, model=model, unit=unit)
        low, high = estimate.low, estimate.high
        assert high is not None
        assert high <= 1
        if unit == "single":
            assert low is not None
            assert -1 / (table.shape[1] - 1) <= low < high


def test_the_average_is_stepped_up():
    """Limits of the mean of k ratings are those of single ones after Spearman and Brown."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    for model in ("oneway", "random", "fixed"):
        single, average = (icc_interval(table, model=model, unit=unit) for unit in ("single", "average"))
        for one, many in zip(*((x.low, x.value, x.high) for x in (single, average)), strict=True):
            assert many == pytest.approx(4 * one / (1 + 3 * one))


def test_coverage():
    """Intervals of the one-way and the random model cover the true value in 95 of 100 samples, normal ratings given."""
    rng, draws, rho, level = np.random.default_rng(7), 600, 0.6, 0.1
    margin = 4 * math.sqrt(0.05 * 0.95 / draws)
    hits = {"oneway": 0, "random": 0}
    for _ in range(draws):
        items, errors = math.sqrt(rho) * rng.normal(size=(30, 1)), rng.normal(size=(30, 4))
        for model, table in (
            ("oneway", items + math.sqrt(1 - rho) * errors),
            ("random", items + math.sqrt(level) * rng.normal(size=(1, 4)) + math.sqrt(1 - rho - level) * errors),
        ):
            estimate = icc_interval(table, model=model)
            hits[model] += estimate.low <= rho <= estimate.high
    assert all(abs(hit / draws - 0.95) <= margin for hit in hits.values())


def test_one_sided():
    """One bound at 95 % is that of an interval at 90 %, and the other end is that of the scale, or open."""
    table = np.random.default_rng(1).integers(0, 5, (12, 3)) + np.arange(12)[:, None]
    both = icc_interval(table, confidence=0.9)
    lower, upper = (icc_interval(table, side=side) for side in ("lower", "upper"))
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high))
    assert (lower.high, upper.low) == (1.0, -0.5)
    assert icc_interval(table, unit="average", side="upper").low is None


def test_codes_values_and_missing():
    """Codes stand for values, an item with a missing one is left out, and floats are the ratings themselves."""
    codes = np.array([[0, 1, 1], [2, 2, 1], [3, 3, 3], [0, -1, 2]])
    values = np.array([1.0, 2.0, 5.0, 10.0])
    ratings = values[codes[:3]]
    for model, unit in FORMS:
        assert icc(codes, model=model, unit=unit, values=values) == icc(ratings, model=model, unit=unit)
        assert icc(codes, model=model, unit=unit) == icc(codes[:3].astype(float), model=model, unit=unit)
    assert icc_interval(codes).n == 3


def test_undefined():
    """No spread, one item, or raters that agree beyond any error have no interval, and the reason says which."""
    for table, reason in (
        ([[1, 1], [1, 1]], "no rating differs"),
        ([[1, 2]], "fewer than two items"),
        ([[1, -1], [2, 2]], "fewer than two items"),
    ):
        assert math.isnan(icc(table))
        assert reason in icc_interval(table).reason
    levels = [[1, 2], [1, 2], [1, 2]]
    assert icc(levels) == 0.0
    assert math.isnan(icc(levels, model="fixed"))
    assert all("no value" in icc_interval(levels, model=model).reason for model in ("random", "fixed"))
    assert icc(levels, model="oneway") == -1.0
    assert "the same mean" in icc_interval(levels, model="oneway").reason
    perfect = [[1, 1], [2, 2], [3, 3]]
    assert icc(perfect) == icc(perfect, model="fixed", unit="average") == 1.0
    assert "never differ" in icc_interval(perfect).reason
    assert icc([[1.0, 2.0], [2.0, 3.0], [5.0, 6.0]], model="fixed") == 1.0


@pytest.mark.parametrize(
    ("table", "given", "message"),
    [
        ([[1], [2]], {}, "two raters or more"),
        ([[1.0, math.nan], [1.0, 2.0]], {}, "NaN"),
        ([[0, 5], [1, 2]], {"values": [1, 2, 3]}, "code 5 occurs"),
        ([[0.5, 1.0], [1.0, 2.0]], {"values": [1, 2]}, "values belong to integer codes"),
        ([[1, 2], [3]], {}, "rows of one length"),
        ([["a", "b"]], {}, "integer codes"),
        ([1, 2], {}, "items x raters"),
        ([[1, 2], [3, 4]], {"model": "two"}, "model must be"),
        ([[1, 2], [3, 4]], {"unit": "mean"}, "unit must be"),
    ],
)
def test_wrong_input(table: Any, given: Any, message: str):
    """Tables that hold no ratings, and forms that are none, are refused with the fix."""
    for function in (icc, icc_interval):
        with pytest.raises(ValueError, match=message):
            function(table, **given)
