"""Tests of fiel.stats._patterns."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.stats._agreement import cohen_kappa, confusion_matrix, kappa_of
from fiel.stats._agreement_codes import as_small_table
from fiel.stats._patterns import count_cells, tally

ROUTES = [  # raters, categories, items: each takes another way through the pass
    (2, 2, 60),
    (2, 2, 70_001),
    (2, 5, 70_003),
    (2, 45, 900),
    (2, 200, 30_000),
    (3, 4, 500),
    (5, 2, 300_001),
    (8, 1, 900),
    (5, 5, 40_000),
    (20, 3, 400),
    (4, 300, 300),
    (12, 200, 90),
]


def random_table(raters: int, categories: int, items: int, *, missing: float = 0.2) -> np.ndarray:
    """Codes with some missing, the highest one among them."""
    rng = np.random.default_rng(raters + categories)
    table = rng.integers(0, categories, size=(items, raters))
    table[rng.random(table.shape) < missing] = -1
    table[0, 0] = categories - 1
    return table


@pytest.mark.parametrize("order", ["kept", "dropped"])
@pytest.mark.parametrize(("raters", "categories", "items"), ROUTES)
def test_patterns_are_those_of_a_dictionary(raters: int, categories: int, items: int, order: Any):
    """Whichever way a table takes, its patterns and counts are those that a dictionary of rows finds."""
    table = random_table(raters, categories, items)
    rows = table if order == "kept" else np.sort(table, axis=1)
    expected = Counter(map(tuple, rows.tolist()))
    for index in (False, True):
        found = tally(as_small_table(table), categories, order=order, index=index)
        codes = found.codes if order == "kept" else np.sort(found.codes, axis=1)
        assert Counter(dict(zip(map(tuple, codes.tolist()), found.counts.tolist(), strict=True))) == expected
        if index:
            assert (codes[found.of_item] == rows).all()


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("categories", [2, 3, 5, 20])
def test_cells_of_two_raters(categories: int, missing: float):
    """The cells of two raters are those of a two-dimensional histogram, from any width of integers."""
    table = random_table(2, categories, 40_001, missing=missing)
    edges = np.arange(-1, categories + 1) - 0.5
    expected = np.histogram2d(table[:, 0], table[:, 1], bins=[edges, edges])[0]
    for width in (np.int8, np.int16, np.int64):
        columns = [table[:, 0].astype(width), table[:, 1].astype(width)]
        assert (count_cells(columns, categories, complete=not (table < 0).any()) == expected.ravel()).all()


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), max_size=30))
def test_counts_add_up(table: list[list[int]]):
    """Every item has one pattern, and an empty table none."""
    codes = np.array(table, dtype=np.int8).reshape(-1, 3)
    found = tally(codes, 4, order="any", index=True)
    assert found.counts.sum() == len(table)
    assert (np.bincount(found.of_item, minlength=len(found.counts)) == found.counts).all()


def test_codes_beyond_a_byte():
    """Codes too high for a byte keep their width, and the lowest is still checked."""
    assert as_small_table([[0, 127], [-1, 3]]).dtype == np.int8
    assert as_small_table([[0, 128], [-1, 3]]).dtype == np.int64
    with pytest.raises(ValueError, match="code -2"):
        as_small_table(np.array([[0, -2]], dtype=np.int16))


@given(st.integers(3, 8), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_margins_give_the_kappa_of_the_cells(categories, items, seed):
    """Of complete pairs of few categories kappa is the same by comparing codes as by counting cells."""
    a, b = np.random.default_rng(seed).integers(0, categories, (2, items))
    counts = confusion_matrix(a, b, categories=categories)
    expected = kappa_of(counts, 1 - np.eye(categories))
    assert cohen_kappa(a, b, categories=categories) == pytest.approx(expected, abs=1e-12, nan_ok=True)
