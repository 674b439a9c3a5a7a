"""Tests of fiel.stats._bootstrap."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from fiel.stats import (
    agreement_interval,
    bootstrap,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
)

TABLE = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 5, 10, 15], axis=0)


def ratings(items: int = 60, raters: int = 3, categories: int = 3) -> np.ndarray:
    """Ratings that agree more often than not, some missing."""
    rng = np.random.default_rng(items)
    truth = rng.integers(0, categories, size=(items, 1))
    table = np.where(rng.random((items, raters)) < 0.6, truth, rng.integers(0, categories, size=(items, raters)))
    table[rng.random(table.shape) < 0.1] = -1
    return table


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("statistic", [fleiss_kappa, conger_kappa, gwet_ac, krippendorff_alpha, percent_agreement])
@pytest.mark.parametrize("clustered", [False, True])
def test_patterns_resample_as_items_do(*, statistic: Any, method: Any, clustered: bool):
    """Resampling patterns gives the distribution that resampling the items themselves gives."""
    table, names = ratings(), np.arange(60) // 3 if clustered else None
    options = {"categories": 3, "clusters": names, "method": method, "confidence": 0.8}

    def own(items: Any, **more: Any) -> float:
        return float(statistic(items, **more))

    quick = bootstrap(statistic, table, rng=np.random.default_rng(1), replicates=20_000, **options)
    slow = bootstrap(own, table, rng=np.random.default_rng(2), replicates=700, **options)
    noise = 5 * slow.details["standard_error"] / math.sqrt(700)
    assert (quick.low, quick.high) == pytest.approx((slow.low, slow.high), abs=noise)
    assert quick.value == pytest.approx(slow.value, abs=1e-12)
    if method == "bca":
        assert quick.details["acceleration"] == pytest.approx(slow.details["acceleration"], abs=1e-9)


@pytest.mark.parametrize("copies", [1, 30])
def test_indices_and_multinomial_draws_agree(copies: int):
    """Few items draw indices and many draw counts: both have the standard error of the delta method."""
    table = np.repeat(ratings(200), copies, axis=0)
    found = bootstrap(krippendorff_alpha, table, rng=np.random.default_rng(3), replicates=4000)
    delta = agreement_interval(krippendorff_alpha, table, method="delta")
    assert found.details["standard_error"] == pytest.approx(delta.details["standard_error"], rel=0.06)


def test_any_function_against_scipy():
    """A function of one's own gets the percentile and BCa limits that SciPy gives it."""
    values = np.random.default_rng(4).exponential(size=80)
    for method in ("percentile", "bca"):
        ours = bootstrap(np.mean, values, rng=np.random.default_rng(5), method=method, replicates=8000)
        theirs = scipy_stats.bootstrap(
            (values,), np.mean, method=method, n_resamples=8000, rng=np.random.default_rng(6), vectorized=True
        ).confidence_interval
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    assert ours.n == 80


def test_seeds():
    """The same seed gives the same interval, another one another."""
    first, again, other = (
        bootstrap(cohen_kappa, TABLE, rng=np.random.default_rng(seed), replicates=500) for seed in (1, 1, 2)
    )
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)


def test_agreement_interval_takes_the_percentiles():
    """The method "bootstrap" of agreement_interval is the percentile bootstrap."""
    here = bootstrap(cohen_kappa, TABLE, rng=np.random.default_rng(1), replicates=500)
    there = agreement_interval(cohen_kappa, TABLE, method="bootstrap", rng=np.random.default_rng(1), replicates=500)
    assert (here.value, here.low, here.high) == (there.value, there.low, there.high)


def test_one_side():
    """One bound is that of the wider interval; the other end is that of the scale, or open."""
    both = bootstrap(cohen_kappa, TABLE, rng=np.random.default_rng(1), confidence=0.9)
    lower, upper = (
        bootstrap(cohen_kappa, TABLE, rng=np.random.default_rng(1), side=side) for side in ("lower", "upper")
    )
    assert (lower.low, lower.high, upper.low, upper.high) == (both.low, 1, -1, both.high)
    own = bootstrap(np.mean, np.arange(9.0), rng=np.random.default_rng(1), side="lower", replicates=60)
    assert own.high is None


def test_undefined_samples_are_left_out_and_counted():
    """Samples in which the coefficient is 0/0 do not count, and their number is told."""
    found = bootstrap(krippendorff_alpha, [[0, 0]] * 9 + [[1, 0]], rng=np.random.default_rng(1), replicates=2000)
    assert found.details["undefined"] == pytest.approx(2000 * 0.9**10, abs=130)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize(
    ("table", "clusters", "reason"),
    [
        ([[0, 0], [1, 1]] * 5, None, "no doubt"),
        ([[0, 0]] * 5, None, "0/0"),
        ([[0, 1]], None, "one item"),
        ([[0, 1], [1, 1]], [3, 3], "one cluster"),
        ([[0, -1], [-1, 1]], None, "no item has both"),
    ],
)
def test_undefined(table: Any, clusters: Any, reason: str):
    """Where there is no interval, the reason says why."""
    assert reason in str(bootstrap(cohen_kappa, table, rng=np.random.default_rng(1), clusters=clusters))


def test_undefined_functions():
    """A function without a value, or a single item, has a reason too."""
    assert "no value" in str(bootstrap(lambda _: math.nan, [1.0, 2.0], rng=np.random.default_rng(1)))
    assert "one item" in str(bootstrap(np.mean, [1.0], rng=np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "basic"}, "percentile"),
        ({"replicates": 5}, "at least 50"),
        ({"statistic": np.mean, "table": []}, "holds no items"),
        ({"clusters": [1]}, "cluster of every item"),
        ({"weights": "cubic"}, "weights must be"),
        ({"side": "left"}, "side must be"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused by name."""
    arguments = {"statistic": cohen_kappa, "table": TABLE, "rng": np.random.default_rng(1)} | changes
    with pytest.raises(ValueError, match=message):
        bootstrap(**arguments)
