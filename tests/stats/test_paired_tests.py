"""Tests of fiel.stats._paired_tests."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from fiel.stats import mcnemar

OUTCOMES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=80)


@settings(deadline=None)
@given(pairs=OUTCOMES)
def test_against_statsmodels(pairs: list[tuple[int, int]]):
    """The exact p-value is that of statsmodels, and that of the binomial test on the items that differ."""
    a, b = np.array(pairs).T
    table = [[int(((a == i) & (b == j)).sum()) for j in (0, 1)] for i in (0, 1)]
    p = mcnemar(a, b)
    assert p == pytest.approx(their_mcnemar(table, exact=True).pvalue, rel=1e-9)
    differing = table[0][1] + table[1][0]
    if differing:
        assert p == pytest.approx(scipy_stats.binomtest(table[0][1], differing).pvalue, rel=1e-9)
    assert mcnemar(b, a) == p
    assert mcnemar(1 - a, 1 - b) == p


def test_large_counts():
    """A thousand against two thousand differing items keep their digits."""
    a, b = np.repeat([1.0, 0.0], [2000, 1000]), np.repeat([0.0, 1.0], [2000, 1000])
    assert mcnemar(a, b) == pytest.approx(scipy_stats.binomtest(1000, 3000).pvalue, rel=1e-6)


def test_edges():
    """Agreement everywhere is no evidence, and no items are no test."""
    assert mcnemar([1, 0, 1], [1, 0, 1]) == 1.0
    assert mcnemar([1, 0], [0, 1]) == 1.0
    assert math.isnan(mcnemar([], []))
    assert mcnemar([True, False], [False, False]) == 1.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 0.5], [1, 1], "a holds 0.5 at position 1"),
        ([1, 1], [1, -1], "b holds -1.0 at position 1"),
        ([1], [1, 0], "a has 1 entries and b has 2"),
        ([1, math.nan], [1, 0], "a holds 1 NaN"),
    ],
)
def test_wrong_input(a: Any, b: Any, message: str):
    """Ties, missing answers and other lengths are refused with the fix."""
    with pytest.raises(ValueError, match=message):
        mcnemar(a, b)
