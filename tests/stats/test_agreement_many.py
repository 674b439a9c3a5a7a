"""Tests of fiel.stats._agreement_many."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from fiel.stats import (
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent_agreement,
    scott_pi,
)

ALL = (fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger)
COMPLETE = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=25)
WITH_GAPS = st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=2, max_size=25)
WEIGHTS = st.sampled_from([None, "linear", "quadratic", "ordinal"])


@settings(deadline=None)
@given(table=COMPLETE)
def test_fleiss_against_statsmodels(table: list[list[int]]):
    """On complete tables Fleiss' kappa is that of statsmodels, and undefined where one code is all there is."""
    ours = fleiss_kappa(table)
    if len(np.unique(table)) == 1:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(statsmodels_fleiss(aggregate_raters(np.array(table))[0]), abs=1e-12)


@settings(deadline=None)
@given(table=WITH_GAPS, weights=WEIGHTS)
def test_by_the_definition(table: list[list[int]], weights: Any):
    """Fleiss, Gwet, Brennan and Prediger, and Conger are those of their definitions, pair by pair."""
    codes, steps = np.array(table), np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    agree = {
        None: (steps == 0).astype(float),
        "linear": 1 - steps / 3,
        "quadratic": 1 - (steps / 3) ** 2,
        "ordinal": 1 - steps * (steps + 1) / 12,
    }[weights]
    shares, pi = [], []
    for row in codes:
        given_ = row[row >= 0]
        pairs = [agree[x, y] for i, x in enumerate(given_) for j, y in enumerate(given_) if i != j]
        if pairs:
            shares.append(np.mean(pairs))
        if len(given_):
            pi.append(np.bincount(given_, minlength=4) / len(given_))
    if not shares:
        assert all(math.isnan(f(table, weights=weights, categories=4)) for f in ALL)
        return
    share, mean = np.mean(shares), np.mean(pi, axis=0)
    votes = [np.bincount(c[c >= 0], minlength=4) / (c >= 0).sum() for c in codes.T if (c >= 0).any()]
    chance = {
        fleiss_kappa: mean @ agree @ mean,
        gwet_ac: agree.sum() / 12 * (mean * (1 - mean)).sum(),
        brennan_prediger: agree.sum() / 16,
        conger_kappa: np.mean([x @ agree @ y for i, x in enumerate(votes) for j, y in enumerate(votes) if i != j]),
    }
    assert percent_agreement(table, weights=weights, categories=4) == pytest.approx(share)
    for statistic, expected in chance.items():
        ours = statistic(table, weights=weights, categories=4)
        if math.isnan(ours):
            assert expected > 1 - 1e-9 or len(np.unique(codes[(codes >= 0).sum(axis=1) > 1].clip(0))) <= 2
        else:
            assert ours == pytest.approx((share - expected) / (1 - expected), abs=1e-9)


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=1, max_size=25), weights=WEIGHTS)
def test_two_raters(table: list[list[int]], weights: Any):
    """Of two raters without gaps, Fleiss is Scott's pi and Conger is Cohen's kappa."""
    a, b = np.array(table).T
    options = {"weights": weights, "categories": 4}
    pi, kappa = scott_pi(a, b, **options), cohen_kappa(a, b, **options)
    assert fleiss_kappa(table, **options) == pytest.approx(pi, abs=1e-12, nan_ok=True)
    assert conger_kappa(table, **options) == pytest.approx(kappa, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(table=WITH_GAPS, order=st.permutations(range(4)), raters=st.permutations(range(4)))
def test_invariances(table: list[list[int]], order: list[int], raters: list[int]):
    """Renaming categories, exchanging raters and copying all items change nothing."""
    codes = np.array(table)
    renamed = np.where(codes < 0, -1, np.array(order)[codes])
    for statistic in ALL:
        value = statistic(table, categories=4)
        others = [statistic(x, categories=4) for x in (renamed, codes[:, raters], np.repeat(codes, 3, axis=0))]
        assert others == pytest.approx([value] * 3, abs=1e-12, nan_ok=True)


def test_the_width_of_integers_does_not_matter():
    """Bytes, wide integers, booleans and lists give the same value."""
    table = np.random.default_rng(3).integers(0, 2, size=(50, 3))
    for statistic in ALL:
        values = {statistic(x) for x in (table, table.astype(np.int8), table.astype(np.uint16), table.tolist())}
        values.add(statistic(table.astype(bool)))
        assert len(values) == 1


@pytest.mark.parametrize("table", [[[-1, 0], [1, -1]], np.empty((0, 3), dtype=int), [[0], [1]]])
def test_no_pairs(table: Any):
    """Without an item that two rated there is nothing to agree on."""
    assert all(math.isnan(statistic(table, categories=2)) for statistic in (*ALL, percent_agreement))


def test_one_label():
    """One label for all is 0/0 where chance comes from the votes, also where others occur in lone ratings."""
    for table in ([[1, 1], [1, 1]], [[1, 1], [1, 1], [0, -1]]):
        assert math.isnan(fleiss_kappa(table))
        assert math.isnan(conger_kappa(table))
        assert gwet_ac(table) == brennan_prediger(table) == 1
    assert math.isnan(gwet_ac([[0, 0]]))
    assert math.isnan(brennan_prediger([[0, 0]], categories=1))


@pytest.mark.parametrize("statistic", ALL)
@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([0, 1], {}, "items x raters"),
        ([[0.5, 1]], {}, "integer codes"),
        ([[0, 1]], {"categories": 1}, "code 1 occurs"),
        ([[0, 1]], {"weights": "cubic"}, "weights must be"),
        ([[0, 1]], {"weights": np.eye(3)}, "declare categories="),
        ([[0, -2]], {}, "code -2"),
    ],
)
def test_wrong_input(statistic: Any, table: Any, options: dict[str, Any], message: str):
    """Wrong input is refused, and the message names the fix."""
    with pytest.raises(ValueError, match=message):
        statistic(table, **options)
