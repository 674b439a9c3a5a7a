from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from fiel.measures._fitting import cohen, figure
from fiel.measures._weighing import Part, coefficient, kappa_gap, mean, point, share
from fiel.records import Criterion
from fiel.stats import cohen_kappa, mean_interval, rate_interval

YES = Criterion(id="c", question="Is it?")
EQUAL = Part(clusters=None, weights=None)


def test_equal_weights_are_the_plain_statistics():
    """Without weights a share, a mean and a coefficient are those of the statistics room, clusters included."""
    rng = np.random.default_rng(1)
    hits, clusters = rng.random(40) < 0.8, np.arange(40) // 4
    part = Part(clusters=clusters, weights=None)
    assert share(hits, part, confidence=0.9, empty="") == rate_interval(hits, confidence=0.9, clusters=clusters)
    values = rng.random(40)
    plain = mean_interval(values, clusters=clusters, bounds=(0.0, 1.0))
    assert mean(values, part, bounds=(0.0, 1.0), confidence=0.95, empty="") == plain


def test_weighted_points_are_those_of_the_weighted_table():
    """A share, a kappa and a correlation of weighted items are numpy's and sklearn's with the same weights."""
    rng = np.random.default_rng(2)
    y, f = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    weights = np.where(np.arange(60) < 30, 7.0, 1.0)
    part = Part(clusters=None, weights=weights)
    assert share(y == f, part, confidence=0.95, empty="").value == pytest.approx(np.average(y == f, weights=weights))
    kappa = cohen_kappa_score(y, f, sample_weight=weights)
    found = coefficient(cohen_kappa, np.stack([y, f], axis=1), part, confidence=0.95, categories=2)
    assert found.value == pytest.approx(kappa)
    assert "weighted by the design" in found.method
    assert found.n == 60
    assert point(cohen_kappa, y, f, part) == pytest.approx(kappa)


def test_equal_weights_by_copies_change_nothing():
    """Weights that are all alike give the interval that no weights give, but for one part in a hundred."""
    rng = np.random.default_rng(3)
    table = np.stack([y := rng.integers(0, 2, 80), np.where(rng.random(80) < 0.8, y, 1 - y)], axis=1)
    plain = coefficient(cohen_kappa, table, EQUAL, confidence=0.95, categories=2)
    same = coefficient(cohen_kappa, table, Part(clusters=None, weights=np.full(80, 3.0)), confidence=0.95, categories=2)
    assert (same.value, same.n) == (pytest.approx(plain.value), plain.n)
    assert (same.low, same.high) == (pytest.approx(plain.low, abs=0.01), pytest.approx(plain.high, abs=0.01))


def test_weighted_intervals_hold_the_truth_of_all_items():
    """Half of the labels from each of two unequal strata: share and kappa of the whole are covered in 92 % or more."""
    rng, trials, n, big = np.random.default_rng(22), 250, 60, 0.9
    right = (0.95, 0.8)  # the judge says yes on the big stratum and no on the small one
    truth = big * right[0] + (1 - big) * right[1]
    cells = np.array([[(1 - big) * right[1], big * (1 - right[0])], [(1 - big) * (1 - right[1]), big * right[0]]])
    chance = float(cells.sum(0) @ cells.sum(1))
    kappa = (truth - chance) / (1 - chance)
    verdict = np.repeat([1, 0], n // 2)
    part = Part(clusters=None, weights=np.where(verdict == 1, big, 1 - big))
    covered = np.zeros(2)
    for _ in range(trials):
        hit = rng.random(n) < np.where(verdict == 1, right[0], right[1])
        gold = np.where(hit, verdict, 1 - verdict)
        found = share(hit, part, confidence=0.95, empty="")
        other = coefficient(cohen_kappa, np.stack([gold, verdict], axis=1), part, confidence=0.95, categories=2)
        covered += [found.low <= truth <= found.high, other.low <= kappa <= other.high]
    assert (covered / trials >= 0.95 - 3 * (0.95 * 0.05 / trials) ** 0.5).all()


def test_weighted_accuracy_has_no_bias():
    """The mean of weighted shares over 400 stratified draws is the share of the whole within a hundredth."""
    rng = np.random.default_rng(23)
    verdict = np.repeat([1, 0], 30)
    part = Part(clusters=None, weights=np.where(verdict == 1, 0.8, 0.2))
    found = [
        share(rng.random(60) < np.where(verdict == 1, 0.9, 0.5), part, confidence=0.95, empty="").value
        for _ in range(400)
    ]
    assert np.mean(found) == pytest.approx(0.8 * 0.9 + 0.2 * 0.5, abs=0.01)


@pytest.mark.parametrize("n", [30, 60, 200])
@pytest.mark.parametrize("prevalence", [0.5, 0.9])
def test_the_interval_of_kappa_holds_the_truth(n: int, prevalence: float):
    """In 500 simulations the 95 % interval of kappa holds its true value in at least 90 %."""
    rng = np.random.default_rng([39, n, int(10 * prevalence)])
    right, trials, covered = 0.9, 500, 0
    cells = np.array(
        [
            [(1 - prevalence) * right, (1 - prevalence) * (1 - right)],
            [prevalence * (1 - right), prevalence * right],
        ]
    )
    chance = float(cells.sum(0) @ cells.sum(1))
    kappa = (right - chance) / (1 - chance)
    for _ in range(trials):
        gold = (rng.random(n) < prevalence).astype(np.int64)
        verdict = np.where(rng.random(n) < right, gold, 1 - gold)
        found = figure(cohen(YES), np.stack([gold, verdict], axis=1), EQUAL, confidence=0.95).estimate
        covered += found is None or found.value is None or found.low <= kappa <= found.high
    assert covered / trials >= 0.90


def test_a_weighted_difference_of_kappas_is_weighted():
    """The judge is a perfect copy on the stratum that counts most and noise on the other; weights say which matters."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 80)
    b = np.where(np.arange(80) < 40, a, rng.integers(0, 2, 80))
    judge = np.where(np.arange(80) < 40, rng.integers(0, 2, 80), a)
    table = np.stack([a, b, judge], axis=1)
    options = {"first": [(0, 2)], "second": [(0, 1)], "categories": 2}
    heavy = Part(clusters=None, weights=np.where(np.arange(80) < 40, 1.0, 20.0))
    light = Part(clusters=None, weights=np.where(np.arange(80) < 40, 20.0, 1.0))
    up, down = (kappa_gap(table, part, confidence=0.95, **options).value for part in (heavy, light))
    assert up > 0.5
    assert down < -0.5


def test_no_item_has_no_share():
    """A share of nothing has no value and says why."""
    found = share(np.zeros(0), EQUAL, confidence=0.95, empty="no such item")
    assert (found.value, found.reason, found.n) == (None, "no such item", 0)
