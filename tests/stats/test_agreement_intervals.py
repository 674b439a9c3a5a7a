"""Tests of fiel.stats._agreement_intervals."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.inter_rater import cohens_kappa

from fiel.stats import (
    agreement_interval,
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    rate_interval,
    scott_pi,
)
from fiel.stats._agreement_forms import form_of
from fiel.stats._agreement_units import possible_rows, units_of


def table_of(counts: Any) -> np.ndarray:
    """The items x raters table behind a table of counts."""
    return np.repeat(np.argwhere(np.ones_like(counts)), np.ravel(counts), axis=0)


COUNTS = st.lists(st.lists(st.integers(0, 15), min_size=3, max_size=3), min_size=3, max_size=3)


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
    assert ours.details["value_smoothed"] == pytest.approx(theirs.kappa, abs=1e-10)
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
        ({"statistic": np.mean}, "must be a coefficient of agreement"),
        ({"table": [[0, 1, 1]]}, "exactly two"),
        ({"method": "wald"}, "smoothed-z"),
        ({"method": "bootstrap"}, "rng is None"),
        ({"method": "bootstrap", "rng": np.random.default_rng(1), "replicates": 10}, "at least 50"),
        ({"method": "donner-eliasziw", "categories": 3}, "not for 3 categories"),
        ({"method": "donner-eliasziw", "clusters": [0, 1]}, "not for clusters"),
        ({"method": "donner-eliasziw", "statistic": gwet_ac}, "cohen_kappa, scott_pi or fleiss_kappa"),
        ({"scale": "interval"}, "belong to krippendorff_alpha"),
        ({"values": [1, 2]}, "belong to krippendorff_alpha"),
        ({"statistic": krippendorff_alpha, "weights": "linear"}, "has scale="),
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


ALL = (cohen_kappa, scott_pi, conger_kappa, fleiss_kappa, gwet_ac, brennan_prediger, krippendorff_alpha)
MANY = ALL[2:]


@pytest.mark.parametrize("statistic", MANY)
@settings(deadline=None, max_examples=40)
@given(
    table=st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=2, max_size=25),
    method=st.sampled_from(["smoothed-z", "jackknife", "delta", "bootstrap"]),
    clustered=st.booleans(),
    side=st.sampled_from(["both", "lower", "upper"]),
)
def test_any_table(*, statistic: Any, table: list[list[int]], method: Any, clustered: bool, side: Any):
    """Whatever the table, an interval holds its value, lies on the scale, and has a width, or a reason is given."""
    names = np.arange(len(table)) // 2 if clustered else None
    rng = np.random.default_rng(1)
    options = {"categories": 3, "clusters": names, "side": side, "rng": rng, "replicates": 60}
    estimate = agreement_interval(statistic, table, method=method, **options)
    value = statistic(table, categories=3)
    if estimate.value is None:
        assert estimate.reason
        assert np.isnan(value) or estimate.n < 2 or method != "smoothed-z"
        return
    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert min(-1, value) <= estimate.low < estimate.high <= 1


@pytest.mark.parametrize("statistic", MANY)
def test_standard_errors_by_finite_differences(statistic: Any):
    """The influence of an item is what the coefficient moves when that item weighs a little more."""
    table = np.random.default_rng(7).integers(0, 3, size=(12, 3))
    table[np.random.default_rng(8).random(table.shape) < 0.2] = -1
    estimate = agreement_interval(statistic, table, method="delta", categories=3)
    units = units_of(*form_and_codes(statistic, table), None)
    coefficient, step = units.form.coefficient, 1e-6
    base = float(coefficient.value(units.sums))
    moved = (coefficient.value(units.sums + step * units.features) - base) / step
    moved -= units.counts @ moved / units.n
    error = np.sqrt(units.counts @ moved**2)
    if statistic is not krippendorff_alpha:
        error *= np.sqrt(12 / 11)
    assert estimate.details["standard_error"] == pytest.approx(error, rel=1e-4)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("categories", [4, 70])
def test_gradients_of_alpha(scale: Any, categories: int):
    """The gradient of alpha is that of finite differences on every scale, for few and for many categories."""
    rng = np.random.default_rng(9)
    table = rng.integers(0, categories, size=(15, 3))
    form, codes = form_of(krippendorff_alpha, table, scale=scale, categories=categories)
    sums = units_of(form, codes, None).sums
    gradient = form.coefficient.gradient(sums)
    for place in rng.integers(0, len(sums), size=12):
        nudge = np.zeros(len(sums))
        nudge[place] = max(1e-6, abs(sums[place]) * 1e-6)
        slope = float(form.coefficient.value(sums + nudge) - form.coefficient.value(sums - nudge)) / (2 * nudge[place])
        assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize("method", ["jackknife", "delta", "bootstrap"])
def test_perfect_samples_have_no_resampled_interval(statistic: Any, method: Any):
    """Where a sample shows no doubt, resampling has no interval and says so; the smoothed one has a width."""
    table = table_of([[7, 0, 0], [0, 5, 0], [0, 0, 3]])
    rng = np.random.default_rng(1)
    estimate = agreement_interval(statistic, table, method=method, categories=3, rng=rng)
    assert "smoothed-z" in str(estimate)
    smoothed = agreement_interval(statistic, table, categories=3)
    assert smoothed.low < 0.8 < smoothed.high == 1


def test_unequal_clusters_are_worth_less():
    """Clusters of unequal sizes have fewer degrees of freedom than clusters of equal ones."""
    table = table_of([[20, 5], [10, 15]])
    order = np.random.default_rng(2).permutation(50)
    equal = agreement_interval(cohen_kappa, table[order], clusters=np.arange(50) // 5)
    sizes = np.repeat(np.arange(10), [1, 1, 1, 1, 1, 1, 1, 1, 20, 22])
    assert agreement_interval(cohen_kappa, table[order], clusters=sizes).n == equal.n == 10
    t = [scipy_stats.t.ppf(0.975, df) for df in (9, 50**2 / (8 + 20**2 + 22**2) - 1)]
    units = units_of(*form_and_codes(cohen_kappa, table[order]), sizes)
    assert units.freedom == pytest.approx(50**2 / (8 + 20**2 + 22**2) - 1)
    assert t[1] > t[0]


def test_too_many_patterns_to_list():
    """An even selection of the possible patterns stands for all of them where they are too many."""
    table = np.random.default_rng(3).integers(0, 12, size=(40, 1)) + np.zeros((40, 6), dtype=int)
    table[:, :3] = np.random.default_rng(4).integers(0, 12, size=(40, 3))
    units = units_of(*form_and_codes(fleiss_kappa, table, categories=12), None)
    rows = possible_rows(units)
    assert len(rows) < 18_564
    every = np.array(list(combinations_with_replacement(range(-1, 12), 6)))
    coefficient = units.form.coefficient
    some, all_ = (coefficient.features(x) for x in (rows, every))
    assert some.mean(axis=0) == pytest.approx(all_.mean(axis=0), abs=0.01)
    gradient = coefficient.gradient(units.sums)
    assert ((some @ gradient) ** 2).mean() == pytest.approx(((all_ @ gradient) ** 2).mean(), rel=0.05)


@pytest.mark.parametrize("statistic", [fleiss_kappa, krippendorff_alpha, gwet_ac, cohen_kappa, conger_kappa])
def test_large_scales(statistic: Any):
    """A scale of 0 to 100 has an interval for every coefficient."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 101, size=(60, 1))
    table = np.clip(truth + rng.integers(-3, 4, size=(60, 2)), 0, 100)
    option = {"scale": "interval"} if statistic is krippendorff_alpha else {"weights": "quadratic"}
    estimate = agreement_interval(statistic, table, categories=101, **option)
    assert 0.7 < estimate.low < estimate.value < estimate.high < 1


def form_and_codes(statistic: Any, table: Any, categories: int = 3) -> Any:
    """What `units_of` needs of a table."""
    return form_of(statistic, np.asarray(table), categories=categories)


CELLS = [
    ("kappa, prevalence .5, kappa .9", cohen_kappa, 20, 0.5, 0.9),
    ("kappa, prevalence .9, kappa .6", cohen_kappa, 50, 0.9, 0.6),
    ("kappa, prevalence .8, kappa .4", cohen_kappa, 20, 0.8, 0.4),
    ("AC1, prevalence .8, kappa .8", gwet_ac, 20, 0.8, 0.8),
    ("pi, prevalence .8, kappa .6", scott_pi, 50, 0.8, 0.6),
]


@pytest.mark.parametrize(("name", "statistic", "n", "prevalence", "kappa"), CELLS)
@pytest.mark.parametrize("clustered", [False, True])
def test_coverage(*, name: str, statistic: Any, n: int, prevalence: float, kappa: float, clustered: bool):
    """Simulated coverage reaches .90, where bootstrap and Wald intervals fall to .3 in the same cells.

    Clusters of five copy one item with probability .55 each, which makes items of one cluster correlate by .3.
    """
    chance = prevalence**2 + (1 - prevalence) ** 2
    off = (1 - (kappa * (1 - chance) + chance)) / 2
    cells = np.array([1 - prevalence - off, off, off, prevalence - off])
    true = statistic_of(statistic, cells)
    rng, repeats, covered, defined = np.random.default_rng(8), 300, 0, 0
    names = np.repeat(np.arange(n), 5) if clustered else None
    for _ in range(repeats):
        drawn = rng.choice(4, size=n if names is None else 5 * n, p=cells)
        if names is not None:
            drawn = np.where(rng.random(5 * n) < 0.55, drawn[names * 5], drawn)
        table = np.stack(np.divmod(drawn, 2), axis=1)
        estimate = agreement_interval(statistic, table, categories=2, clusters=names)
        if estimate.value is not None:
            defined += 1
            covered += estimate.low <= true <= estimate.high
    assert covered >= scipy_stats.binom.ppf(0.001, defined, 0.9), name


def statistic_of(statistic: Any, cells: Any) -> float:
    """A coefficient of the population behind the four cells."""
    form, _ = form_of(statistic, np.zeros((0, 2), dtype=np.int8), categories=2)
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return float(form.coefficient.value(cells @ form.coefficient.features(rows)))
