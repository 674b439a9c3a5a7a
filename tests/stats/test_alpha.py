"""Tests of fiel.stats._alpha."""

import math
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fiel.stats import cohen_kappa, krippendorff_alpha, lin_ccc, scott_pi

SCALES = ("nominal", "ordinal", "interval", "ratio")
TABLES = st.lists(st.lists(st.integers(-1, 4), min_size=3, max_size=3), min_size=2, max_size=20)
VALUES = np.array([0.5, 1, 2, 10, 12.5])


def theirs(table: Any, scale: Any, values: Any = VALUES) -> float:
    """The alpha of the package krippendorff."""
    codes = np.array(table)
    numbers = np.where(codes < 0, np.nan, np.append(values, np.nan)[codes]).T
    return float(krippendorff.alpha(numbers, level_of_measurement=scale, value_domain=list(values)))


def defined(table: Any) -> bool:
    """Whether items with two ratings hold two codes or more."""
    codes = np.array(table)
    paired = codes[(codes >= 0).sum(axis=1) > 1]
    return len(np.unique(paired[paired >= 0])) > 1


@pytest.mark.parametrize("scale", SCALES)
@settings(deadline=None)
@given(table=TABLES)
def test_against_krippendorff(scale: Any, table: list[list[int]]):
    """Alpha is that of the package krippendorff on every scale, with values of one's own and ratings missing."""
    ours = krippendorff_alpha(table, scale=scale, values=VALUES)
    if not defined(table):
        assert math.isnan(ours)
        return
    assert ours == pytest.approx(theirs(table, scale), abs=1e-10)


@pytest.mark.parametrize("scale", SCALES)
def test_many_values(scale: Any):
    """With more values than are worth a matrix, alpha is still that of the definition."""
    rng = np.random.default_rng(4)
    values = np.sort(rng.uniform(1, 9, size=150))
    table = np.clip(rng.integers(0, 150, size=(60, 1)) + rng.integers(-9, 10, size=(60, 4)), 0, 149)
    table[rng.random(table.shape) < 0.3] = -1
    assert krippendorff_alpha(table, scale=scale, values=values) == pytest.approx(theirs(table, scale, values))


def test_continuous_values():
    """As many values as ratings: the sums of squares give what all pairs give, far from zero too."""
    rng = np.random.default_rng(5)
    truth = rng.normal(1e6, 1, size=400)
    ratings = truth[:, None] + rng.normal(0, 0.5, size=(400, 2))
    values, codes = np.unique(ratings, return_inverse=True)
    apart = np.subtract.outer(values, values) ** 2
    within = ((ratings[:, 0] - ratings[:, 1]) ** 2).mean()
    expected = 1 - within / (apart.sum() / (800 * 799))
    ours = krippendorff_alpha(codes.reshape(400, 2), scale="interval", values=values)
    assert ours == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=30))
def test_two_raters(table: list[list[int]]):
    """Nominal alpha of two raters is 1 - (1 - 1 / 2n) (1 - pi)."""
    a, b = np.array(table).T
    expected = 1 - (1 - 1 / (2 * len(table))) * (1 - scott_pi(a, b))
    assert krippendorff_alpha(table) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=30))
def test_quadratic_kappa_is_lin(table: list[list[int]]):
    """Kappa with quadratic weights is Lin's coefficient of the codes."""
    a, b = np.array(table).T
    assume(len(np.unique(table)) > 1)
    kappa = cohen_kappa(a, b, weights="quadratic", categories=5)
    assert lin_ccc(a.astype(float), b.astype(float)) == pytest.approx(kappa, abs=1e-12)


@settings(deadline=None)
@given(table=TABLES, order=st.permutations(range(5)), factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_invariances(table: list[list[int]], order: list[int], factor: float, shift: float):
    """Codes may be renamed with their values, raters exchanged, values scaled, on an interval scale shifted."""
    codes, back = np.array(table), np.argsort(order)
    renamed = np.where(codes < 0, -1, np.array(order)[codes])
    for scale in SCALES:
        alpha = krippendorff_alpha(table, scale=scale, values=VALUES)
        others = [
            krippendorff_alpha(renamed, scale=scale, values=VALUES[back]),
            krippendorff_alpha(codes[:, ::-1], scale=scale, values=VALUES),
            krippendorff_alpha(table, scale=scale, values=VALUES * factor),
        ]
        if scale != "ratio":
            others.append(krippendorff_alpha(table, scale=scale, values=VALUES * factor + shift))
        assert others == pytest.approx([alpha] * len(others), abs=1e-9, nan_ok=True)


def test_a_matrix_is_a_scale():
    """A matrix of squared differences gives what the scale of that name gives."""
    table = [[0, 1, 2], [1, 1, -1], [2, 2, 2], [0, 0, 2]]
    squares = np.subtract.outer(VALUES[:3], VALUES[:3]) ** 2
    expected = krippendorff_alpha(table, scale="interval", values=VALUES[:3])
    assert krippendorff_alpha(table, scale=squares) == pytest.approx(expected)


def test_unused_categories_do_not_matter():
    """Declared categories that nobody used change no alpha."""
    table = [[0, 1, 1], [1, 1, -1], [2, 2, 2], [0, 0, 2]]
    for scale in ("nominal", "ordinal", "interval"):
        values = {round(krippendorff_alpha(table, scale=scale, categories=k), 12) for k in (3, 7, 100)}
        assert len(values) == 1


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ([[0, 0]] * 5, math.nan),
        ([[1, 1, 1]] * 5, math.nan),
        ([[0, 0], [1, 1]], 1.0),
        ([[0], [1]], math.nan),
        ([[0, -1], [1, -1]], math.nan),
        ([[0, -1], [-1, 1]], math.nan),
        ([[0, 1]], 0.0),
        ([[0, 0]], math.nan),
        (np.empty((0, 2), dtype=int), math.nan),
        ([[0, 0], [0, 0], [1, -1]], math.nan),
        ([[0, 0], [0, 0], [0, 1]], 0.0),
    ],
)
def test_degenerate(table: Any, value: float):
    """Degenerate tables have the answer of the definition: 0/0 is NaN, never 1."""
    assert krippendorff_alpha(table) == pytest.approx(value, nan_ok=True)
    assert krippendorff_alpha(table, categories=100) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "cardinal"}, "scale must be one of"),
        ({"values": [1.0]}, "declare the whole scale"),
        ({"values": [1.0, 2.0], "categories": 3}, "values has 2 entries"),
        ({"scale": "ratio", "values": [-1.0, 2.0]}, "must not be negative"),
        ({"scale": "ordinal", "values": [2.0, 2.0]}, "must differ"),
        ({"scale": "interval", "values": [1.0, math.inf]}, "values holds"),
        ({"scale": [[0, 1], [2, 0]]}, "symmetric"),
        ({"scale": np.ones((3, 3))}, "declare categories="),
    ],
)
def test_wrong_input(options: dict[str, Any], message: str):
    """Wrong scales and values are refused by name."""
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha([[0, 1], [1, 1]], **options)
