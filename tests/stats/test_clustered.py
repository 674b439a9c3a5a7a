"""Tests of fiel.stats._clustered."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.api import OLS

from fiel.stats import cluster_standard_error

VALUES = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 6)), min_size=2, max_size=40)


@settings(deadline=None)
@given(drawn=VALUES)
def test_against_statsmodels(drawn: Any):
    """CR0 is the cluster-robust error of an intercept in statsmodels, and CR1 that times the root of G / (G - 1)."""
    x, clusters = np.array(drawn, dtype=float).T
    count = len(np.unique(clusters))
    if count < 2:
        assert math.isnan(cluster_standard_error(x, clusters))
        return
    fit = OLS(x, np.ones_like(x)).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False})
    plain = cluster_standard_error(x, clusters, correction="CR0")
    assert plain == pytest.approx(float(fit.bse[0]), rel=1e-7, abs=1e-9)
    corrected = cluster_standard_error(x, clusters)
    assert corrected == pytest.approx(plain * math.sqrt(count / (count - 1)))


def test_lone_items_are_the_usual_standard_error():
    """A cluster for each item gives the standard error of independent items, whatever the names."""
    x = np.array([1.0, 4.0, 2.0, 7.0])
    assert cluster_standard_error(x, [0, 1, 2, 3]) == pytest.approx(x.std(ddof=1) / 2)
    assert cluster_standard_error(x, list("abcd")) == cluster_standard_error(x, [9, 7, 5, 3])


def test_copies_within_a_cluster_add_nothing():
    """Repeating every item within its cluster leaves the standard error as it is."""
    x, clusters = np.array([1.0, 4.0, 2.0, 7.0]), np.array([0, 0, 1, 2])
    once, thrice = (cluster_standard_error(np.repeat(x, k), np.repeat(clusters, k)) for k in (1, 3))
    assert thrice == pytest.approx(once)


def test_wrong_input():
    """Another correction, holes, and items without a cluster are refused; nothing at all is NaN."""
    assert math.isnan(cluster_standard_error([], []))
    for given_, message in (
        (([1, 2], [0, 1], "CR2"), "correction must be"),
        (([1, math.nan], [0, 1], "CR1"), "values holds 1 NaN"),
        (([1, 2], [0], "CR1"), "clusters has 1 entries for 2 items"),
    ):
        with pytest.raises(ValueError, match=message):
            cluster_standard_error(given_[0], given_[1], correction=given_[2])
