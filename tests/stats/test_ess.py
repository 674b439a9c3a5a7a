"""Tests of fiel.stats._ess."""

from typing import Any

import numpy as np
import pytest

from fiel.stats import rate_interval
from fiel.stats._ess import Clusters, Sample, correct, tuned_weight


def draw(rng: np.random.Generator, n: int, others: int, *, binary: bool) -> tuple[Any, Any, Any]:
    """Labels, a judge on the same items, and the judge on others."""
    y = rng.random(n + others) < 0.8
    judge = np.clip(0.3 + 0.5 * y + rng.normal(0, 0.25, n + others), 0, 1)
    f = (judge > 0.5).astype(float) if binary else judge
    return y[:n].astype(float), f[:n], f[n:]


def theta(y: Any, f: Any, u: Any, spread: float) -> float:
    """The corrected mean as its definition reads, with the variance of the judge held."""
    weight = 0.0
    if len(u) and spread > 0:
        weight = np.clip(np.cov(y, f, ddof=0)[0, 1] / ((1 + len(y) / len(u)) * spread), 0, 1)
    return weight * (u.mean() if len(u) else 0) + (y - weight * f).mean()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(("n", "others"), [(3, 1), (5, 7), (30, 200)])
def test_item_jackknife_by_brute_force(n: int, others: int, *, binary: bool):
    """The closed form of the jackknife is the one that leaves out one label after the other."""
    y, f, u = draw(np.random.default_rng(n), n, others, binary=binary)
    spread = np.concatenate([f, u]).var(ddof=1)
    left = np.array([theta(np.delete(y, i), np.delete(f, i), u, spread) for i in range(n)])
    jackknife = (n - 1) / n * ((left - left.mean()) ** 2).sum()
    found = correct(Sample(y=y, f=f, u=u), added=True)
    assert found.variance_labels == pytest.approx(jackknife + 0.5 / n**2, abs=1e-14)
    assert found.value == pytest.approx(np.clip(theta(y, f, u, spread), 0, 1), abs=1e-14)


def test_cluster_jackknife_by_brute_force():
    """The closed form over clusters is the one that leaves out one cluster of both samples after the other."""
    rng = np.random.default_rng(1)
    y, f, u = draw(rng, 25, 60, binary=False)
    ours, others = rng.integers(0, 8, 25), rng.integers(5, 20, 60)
    y = np.clip(0.3 * y + 0.1 * ours - 0.05, 0, 1)  # the items of a cluster are alike
    names = np.union1d(ours, others)
    spread = np.concatenate([f, u]).var(ddof=1)
    left = np.array([theta(y[ours != g], f[ours != g], u[others != g], spread) for g in names])
    squares = (left - left.mean()) ** 2 * (len(names) - 1) / len(names)
    labelled = np.isin(names, ours)
    codes = (np.searchsorted(names, x) for x in (ours, others))
    found = correct(Sample(y=y, f=f, u=u, clusters=Clusters(*codes, len(names))), added=False)
    assert found.variance_labels == pytest.approx(squares[labelled].sum(), abs=1e-14)
    assert found.variance_judge == pytest.approx(squares[~labelled].sum(), abs=1e-14)


def test_clusters_that_balance_out_are_no_better_than_independent_items():
    """Where the items of each cluster happen to cancel, the variance stays that of independent items."""
    rng = np.random.default_rng(2)
    y, f, u = np.tile([0.0, 1.0], 15), rng.random(30), rng.random(50)
    codes = Clusters(np.repeat(np.arange(15), 2), np.arange(15, 65), 65)
    clustered = correct(Sample(y=y, f=f, u=u, clusters=codes), added=False)
    assert clustered.variance_labels == pytest.approx(correct(Sample(y=y, f=f, u=u), added=False).variance_labels)
    assert rate_interval(y, clusters=np.repeat(np.arange(15), 2)).details["n_eff"] == 30


def test_a_useless_judge_gets_no_weight():
    """A judge that is constant, or wrong more often than right, is not used."""
    y, u = np.array([1.0, 0, 1, 1]), np.array([0.5, 0.7, 0.1])
    assert tuned_weight(Sample(y=y, f=np.full(4, 0.1), u=np.full(3, 0.1))) == 0
    assert tuned_weight(Sample(y=y, f=1 - y, u=u)) == 0
    assert tuned_weight(Sample(y=y, f=y, u=np.empty(0))) == 0


def test_never_worth_less_than_the_labels():
    """However noisy its jackknife, an estimate is worth at least its labels, and at least its even clusters."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        y, f, u = draw(rng, 12, 40, binary=False)
        assert correct(Sample(y=y, f=f, u=u), added=True).n_eff >= 12
        clusters = Clusters(np.repeat(np.arange(4), 3), np.repeat(np.arange(4, 14), 4), 14)
        assert correct(Sample(y=y, f=f, u=u, clusters=clusters), added=False).n_eff >= 4
