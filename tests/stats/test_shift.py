"""Tests of fiel.stats._shift."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import shift_check


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), n=st.integers(20, 200), move=st.floats(0, 0.6))
def test_against_scipy(seed: int, n: int, move: float):
    """The distance is scipy's, its p-value near scipy's asymptotic one, and that of the means Welch's."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(move, 1, n), rng.normal(0, 1, 500)
    found, ks = shift_check(a, b), scipy_stats.ks_2samp(a, b, method="asymp")
    assert found.distance == pytest.approx(ks.statistic, abs=1e-12)
    assert found.p_distance == pytest.approx(ks.pvalue, abs=0.05)
    welch = (a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / n + b.var(ddof=1) / 500)
    assert found.p_mean == pytest.approx(2 * scipy_stats.norm.sf(abs(welch)), abs=1e-12)


def test_random_draws_are_seldom_called_different():
    """At confidence .95 a random draw is called different in at most about one of twenty cases, verdicts included."""
    rng, called = np.random.default_rng(1), [0, 0]
    for _ in range(400):
        values = rng.random(600)
        for place, x in enumerate((values, (values > 0.2).astype(float))):
            called[place] += shift_check(x[:60], x[60:], confidence=0.95).different
    assert max(called) <= scipy_stats.binom.ppf(0.999, 400, 0.06)


def test_another_spread_is_seen():
    """Two samples with one mean and different spreads differ by their distance."""
    rng = np.random.default_rng(2)
    found = shift_check(rng.normal(0, 3, 200), rng.normal(0, 1, 2000))
    assert found.different
    assert str(found).startswith("the labelled items do not look like the rest")


def test_clusters_count_less():
    """Copies inside clusters are no new evidence: the p-values stay near those of the single items."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.5, 1, 30), rng.normal(0, 1, 200)
    plain = shift_check(a, b)
    names = {"clusters": np.repeat(np.arange(30), 10), "clusters_unlabelled": np.repeat(np.arange(200), 10)}
    copied, naive = shift_check(a.repeat(10), b.repeat(10), **names), shift_check(a.repeat(10), b.repeat(10))
    assert copied.p_mean == pytest.approx(plain.p_mean, abs=0.01)
    assert naive.p_mean < plain.p_mean / 100


def test_nothing_to_compare_and_nothing_that_varies():
    """One item says nothing; constants are equal or not."""
    assert shift_check([0.5], [0.1, 0.2]).different is None
    assert "nothing to compare" in str(shift_check([], [0.1]))
    assert shift_check([1.0] * 9, [1.0] * 9).p_value == 1
    assert shift_check([1.0] * 9, [0.0] * 30).different


@pytest.mark.parametrize("changes", [{"clusters": [1, 2, 3]}, {"clusters_unlabelled": [1, 2, 3]}])
def test_wrong_input(changes: dict[str, Any]):
    """Clusters of one sample only are refused."""
    with pytest.raises(ValueError, match="is missing"):
        shift_check([1, 2, 3], [1, 2, 3], **changes)
