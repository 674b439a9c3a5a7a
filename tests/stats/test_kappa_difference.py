"""Tests of fiel.stats._kappa_difference."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from fiel.stats import agreement_interval, cohen_kappa, kappa_difference
from fiel.stats._agreement_sums import Kappa
from fiel.stats._kappa_difference import Sum


def ratings(items: int, accuracies: Any, seed: int, prevalence: float = 0.6) -> np.ndarray:
    """Verdicts of raters who see the truth with these accuracies."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((items, 1)) < prevalence).astype(int)
    return np.where(rng.random((items, len(accuracies))) < accuracies, truth, 1 - truth)


TABLE = ratings(80, (0.9, 0.8, 0.8), 1)


def test_values_are_kappas():
    """The value is the difference of the kappas of the columns, means where there are several pairs."""
    kappas = {pair: cohen_kappa(TABLE[:, pair[0]], TABLE[:, pair[1]]) for pair in ((0, 1), (0, 2), (1, 2))}
    one = kappa_difference(TABLE, first=(0, 1), second=(1, 2))
    assert one.value == pytest.approx(kappas[0, 1] - kappas[1, 2])
    mean = kappa_difference(TABLE, first=[(0, 1), (0, 2)], second=[(1, 2)])
    assert mean.value == pytest.approx((kappas[0, 1] + kappas[0, 2]) / 2 - kappas[1, 2])
    assert mean.details["value_first"] == pytest.approx((kappas[0, 1] + kappas[0, 2]) / 2)


def test_parts_have_the_errors_of_their_own_intervals():
    """The standard error of either side is the one that agreement_interval gives for it alone."""
    found = kappa_difference(TABLE, first=(0, 1), second=(1, 2), method="delta").details
    for name, pair in (("se_first", [0, 1]), ("se_second", [1, 2])):
        alone = agreement_interval(cohen_kappa, TABLE[:, pair], method="delta").details["standard_error"]
        assert found[name] == pytest.approx(alone, abs=1e-12)
    assert found["standard_error"] < found["standard_error_unpaired"]


def test_smoothing_adds_one_item_to_each_pair():
    """The smoothed error of either side is that of the smoothed interval of the pair alone."""
    found = kappa_difference(TABLE, first=(0, 1), second=(1, 2)).details
    alone = agreement_interval(cohen_kappa, TABLE[:, :2]).details["se_smoothed"]
    assert found["se_first"] == pytest.approx(alone, rel=1e-3)


def test_columns_without_a_part_do_not_matter():
    """Other raters in the table, and items that neither pair rated, change nothing."""
    more = np.column_stack([np.full(80, -1), TABLE, np.zeros(80, dtype=int)])
    more = np.vstack([more, [[-1, 1, -1, -1, 0]] * 7])
    plain = kappa_difference(TABLE, first=(0, 1), second=(0, 2), categories=2)
    wider = kappa_difference(more, first=(1, 2), second=(1, 3), categories=2)
    assert (plain.n, plain.low, plain.high) == pytest.approx((wider.n, wider.low, wider.high))


def test_copied_items_are_one_cluster():
    """Items copied within clusters are no new knowledge."""
    names = np.arange(80)
    plain = kappa_difference(TABLE, first=(0, 1), second=(1, 2), clusters=names)
    copied = kappa_difference(np.repeat(TABLE, 3, axis=0), first=(0, 1), second=(1, 2), clusters=np.repeat(names, 3))
    assert (copied.n, copied.low, copied.high) == pytest.approx((80, plain.low, plain.high))


@pytest.mark.parametrize("clusters", [None, np.arange(20) // 2])
def test_a_perfect_sample_has_a_width(clusters: Any):
    """Raters who agree on everything may still differ outside the sample."""
    table = [[0, 0, 0], [1, 1, 1]] * 10
    estimate = kappa_difference(table, first=(0, 1), second=(1, 2), clusters=clusters)
    assert estimate.low < -0.05 < 0 == estimate.value < 0.05 < estimate.high
    rng = np.random.default_rng(1)
    for method in ("delta", "jackknife", "bootstrap", "bootstrap-bca"):
        found = kappa_difference(table, first=(0, 1), second=(1, 2), clusters=clusters, method=method, rng=rng)
        assert found.value is None


def test_one_side():
    """One bound is that of the wider interval, and the other end is that of the scale."""
    both = kappa_difference(TABLE, first=(0, 1), second=(1, 2), confidence=0.9)
    lower, upper = (kappa_difference(TABLE, first=(0, 1), second=(1, 2), side=side) for side in ("lower", "upper"))
    assert (lower.low, lower.high, upper.low, upper.high) == pytest.approx((both.low, 2, -2, both.high))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[0, 1, -1], [1, 1, -1]], "no item with both"),
        ([[1, 0, 1], [1, 1, 1]], "0/0"),
        ([[0, 1, 1]], "one item"),
        (np.empty((0, 3), dtype=int), "no item with both"),
    ],
)
def test_undefined(table: Any, reason: str):
    """Where a kappa is undefined, so is the difference, and the reason says why."""
    assert reason in str(kappa_difference(table, first=(0, 1), second=(0, 2)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first": (0, 3)}, "first must name two columns"),
        ({"second": (1, 1)}, "second must name two columns"),
        ({"second": ()}, "second must be a pair"),
        ({"first": "ab"}, "first must be a pair"),
        ({"first": (2, 1)}, "same pairs"),
        ({"method": "wald"}, "method must be"),
        ({"method": "bootstrap"}, "rng is None"),
        ({"weights": "cubic"}, "weights must be"),
        ({"clusters": ["a"]}, "cluster of every item"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused by name."""
    arguments = {"table": TABLE, "first": (0, 1), "second": (1, 2)} | changes
    with pytest.raises(ValueError, match=message):
        kappa_difference(**arguments)


@pytest.mark.parametrize("accuracies", [(0.99, 0.99, 0.99), (0.9, 0.8, 0.8), (0.7, 0.95, 0.95)])
def test_coverage(accuracies: tuple[float, ...]):
    """Simulated coverage reaches .90 at 20 items, for raters who hardly err too."""
    rows = np.array([[i >> 2, i >> 1 & 1, i & 1] for i in range(8)])
    cells = sum(
        share * np.prod(np.where(rows == truth, accuracies, 1 - np.array(accuracies)), axis=1)
        for truth, share in ((0, 0.4), (1, 0.6))
    )
    distance = 1 - np.eye(2)
    difference = Sum((Kappa(distance, 0, 1), Kappa(distance, 1, 2)), (1.0, -1.0))
    true = float(difference.value(cells @ difference.features(rows)))
    covered = defined = 0
    for seed in range(400):
        found = kappa_difference(ratings(20, accuracies, seed), first=(0, 1), second=(1, 2), categories=2)
        if found.value is not None:
            defined += 1
            covered += found.low <= true <= found.high
    assert covered >= scipy_stats.binom.ppf(0.001, defined, 0.9)
