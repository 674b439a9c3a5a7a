"""Tests of fiel.stats._agreement_intervals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.inter_rater import cohens_kappa

from fiel.stats import agreement_interval, cohen_kappa, percent_agreement, rate_interval


def table_of(counts: Any) -> np.ndarray:
    """The items x raters table behind a table of counts."""
    return np.repeat(np.argwhere(np.ones_like(counts)), np.ravel(counts), axis=0)


COUNTS = st.lists(st.lists(st.integers(0, 15), min_size=3, max_size=3), min_size=3, max_size=3)


def test_reference_intervals(agreement_reference: Any, interval_reference: Any):
    """Every smoothed interval of a kappa in the reference comes out."""
    checked = 0
    for key, expected in interval_reference.items():
        name, statistic = key.split(":")
        data = agreement_reference["datasets"][name]
        if data["kind"] != "table" or not statistic.startswith("kappa"):
            continue
        weights = statistic.removeprefix("kappa").removeprefix("_") or None
        table = table_of(data["table"])
        ours = agreement_interval(cohen_kappa, table, categories=len(data["table"]), weights=weights)
        low, high = expected["fisher_t_add1 (recommended)"]
        low, high = min(low, ours.value), max(high, ours.value)
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9), key
        assert ours.details["se_smoothed"] == pytest.approx(expected["smoothed_se"], abs=1e-9), key
        checked += 1
    assert checked > 5


@settings(deadline=None)
@given(counts=COUNTS)
def test_standard_error_against_statsmodels(counts: list[list[int]]):
    """The kappa and standard error of the smoothed table are those of statsmodels for that table."""
    table = table_of(counts)
    ours = agreement_interval(cohen_kappa, table, categories=3)
    if ours.value is None:
        assert len(table) < 2 or len(np.unique(table)) == 1
        return
    theirs = cohens_kappa(np.array(counts) + 1 / 9)
    assert ours.details["kappa_smoothed"] == pytest.approx(theirs.kappa, abs=1e-10)
    assert ours.details["se_smoothed"] == pytest.approx(theirs.std_kappa, abs=1e-8)


@settings(deadline=None)
@given(counts=COUNTS, order=st.permutations(range(3)), confidence=st.floats(0.5, 0.99))
def test_invariances(counts: list[list[int]], order: list[int], confidence: float):
    """Renaming categories, exchanging raters and giving each item a cluster of its own change nothing to speak of."""
    table = table_of(counts)
    plain = agreement_interval(cohen_kappa, table, categories=3, confidence=confidence)
    if plain.value is None:
        return
    renamed = agreement_interval(cohen_kappa, np.array(order)[table], categories=3, confidence=confidence)
    swapped = agreement_interval(cohen_kappa, table[:, ::-1], categories=3, confidence=confidence)
    for other in (renamed, swapped):
        assert (other.low, other.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    lone = agreement_interval(cohen_kappa, table, categories=3, clusters=np.arange(len(table)))
    n = len(table)
    assert plain.details["se_smoothed"] <= lone.details["se_smoothed"]
    assert lone.details["se_smoothed"] <= plain.details["se_smoothed"] * np.sqrt(n / (n - 1)) * (1 + 1e-9)


def test_copied_items_are_one_cluster():
    """Items copied within clusters are no new knowledge; as independent items they would be."""
    table = table_of([[20, 5], [10, 15]])
    names, copied = np.arange(50), np.repeat(table, 4, axis=0)
    plain = agreement_interval(cohen_kappa, table, clusters=names)
    clustered = agreement_interval(cohen_kappa, copied, clusters=np.repeat(names, 4))
    naive = agreement_interval(cohen_kappa, copied)
    assert (clustered.n, clustered.low, clustered.high) == pytest.approx((50, plain.low, plain.high))
    assert naive.high - naive.low < 0.6 * (plain.high - plain.low)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(5), 3)])
def test_perfect_agreement_has_a_width(clusters: Any):
    """Fifteen agreements of fifteen leave room for disagreement, and the interval holds its point."""
    table = table_of([[7, 0, 0], [0, 5, 0], [0, 0, 3]])
    estimate = agreement_interval(cohen_kappa, table, clusters=clusters)
    assert estimate.value == estimate.high == 1
    assert -1 < estimate.low < 0.8


def test_gwet_paradox():
    """The table on which Wald's interval ends at .001 leaves kappa well above 0 possible."""
    estimate = agreement_interval(cohen_kappa, table_of([[118, 5], [2, 0]]))
    assert estimate.value == pytest.approx(-0.0234, abs=1e-4)
    assert estimate.high > 0.1


@pytest.mark.parametrize(
    ("table", "clusters", "reason"),
    [
        (np.empty((0, 2), dtype=int), None, "no item has both"),
        ([[0, -1], [-1, 1]], None, "no item has both"),
        ([[1, 1], [1, 1]], None, "0/0"),
        ([[0, 1]], None, "one item"),
        ([[0, 1], [1, 1]], ["a", "a"], "one cluster"),
    ],
)
def test_undefined(table: Any, clusters: Any, reason: str):
    """Where kappa or its interval is undefined, the reason says why."""
    assert reason in str(agreement_interval(cohen_kappa, table, clusters=clusters))


def test_one_constant_rater():
    """A constant judge has kappa 0 with an interval around it."""
    estimate = agreement_interval(cohen_kappa, [[0, 0]] * 9 + [[1, 0]] * 3)
    assert estimate.value == 0
    assert estimate.low < 0 < estimate.high


def test_one_side():
    """One-sided limits are those of the wider interval, and the other end is that of the scale."""
    table = table_of([[20, 5], [10, 15]])
    both = agreement_interval(cohen_kappa, table, confidence=0.9)
    lower, upper = (agreement_interval(cohen_kappa, table, side=side) for side in ("lower", "upper"))
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high))
    assert (upper.low, lower.high) == (-1, 1)


def test_kappa_below_minus_one():
    """Weights of one's own can push kappa to where the Fisher z has no value, and then there is none."""
    weights = [[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]]
    table = table_of([[0, 0, 1], [0, 60, 0], [1, 0, 0]])
    estimate = agreement_interval(cohen_kappa, table, weights=weights)
    assert estimate.value is None or estimate.low <= estimate.value <= estimate.high


def test_percent_agreement_is_a_rate():
    """The interval of percent agreement is that of how often two raters agree, clusters and all."""
    table = [[0, 0], [1, 1], [2, 0], [-1, 1], [1, 1], [0, 0]]
    for names in (None, ["a", "a", "b", "b", "c", "c"]):
        kept = None if names is None else [names[i] for i in (0, 1, 2, 4, 5)]
        expected = rate_interval([1, 1, 0, 1, 1], clusters=kept)
        assert agreement_interval(percent_agreement, table, clusters=names) == expected
    assert percent_agreement(table) == expected.value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"statistic": np.mean}, "cohen_kappa or percent_agreement"),
        ({"table": [[0, 1, 1]]}, "exactly two"),
        ({"method": "wald"}, "smoothed-z"),
        ({"statistic": percent_agreement, "weights": "linear"}, "belong to cohen_kappa"),
        ({"categories": 1}, "code 1 occurs"),
        ({"clusters": ["a"]}, "cluster of every item"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """What has no interval yet, and tables it cannot read, are refused by name."""
    arguments = {"statistic": cohen_kappa, "table": [[0, 1], [1, 1]]} | changes
    with pytest.raises(ValueError, match=message):
        agreement_interval(**arguments)


@pytest.mark.parametrize(("prevalence", "kappa", "n"), [(0.5, 0.9, 20), (0.9, 0.6, 50), (0.8, 0.4, 20)])
def test_coverage(prevalence: float, kappa: float, n: int):
    """Simulated coverage reaches .90, where bootstrap and Wald intervals fall to .3 in the same cells."""
    chance = prevalence**2 + (1 - prevalence) ** 2
    off = (1 - (kappa * (1 - chance) + chance)) / 2
    cells = np.array([1 - prevalence - off, off, off, prevalence - off])
    rng, repeats, covered, defined = np.random.default_rng(8), 500, 0, 0
    for _ in range(repeats):
        table = table_of(rng.multinomial(n, cells).reshape(2, 2))
        estimate = agreement_interval(cohen_kappa, table, categories=2)
        if estimate.value is not None:
            defined += 1
            covered += estimate.low <= kappa <= estimate.high
    assert covered >= scipy_stats.binom.ppf(0.001, defined, 0.9)
