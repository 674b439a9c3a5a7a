"""Tests of fiel.stats._calibration_crossfit."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.stats import PlattMap, brier, crossfit, fit_isotonic, fit_platt, fit_temperature

RNG = np.random.default_rng(11)
P = RNG.random(40)
Y = (RNG.random(40) < P).astype(int)


@pytest.mark.parametrize("fit", [fit_platt, fit_temperature, fit_isotonic, partial(fit_platt, pseudo=1.0)])
def test_fold_by_fold(fit: Any):
    """Each value is that of a map fitted on the items of the other folds, and the folds are all in use."""
    found = crossfit(fit, Y, P, folds=4)
    assert np.bincount(found.folds).tolist() == [10] * 4
    for fold, recalibrate in enumerate(found.maps):
        here = found.folds == fold
        assert recalibrate == fit(Y[~here], P[~here])
        assert found.values[here].tolist() == recalibrate(P[here]).tolist()
    assert found([0.3]) == pytest.approx(np.mean([m([0.3]) for m in found.maps], axis=0))


@settings(max_examples=30)
@given(names=st.lists(st.integers(0, 8), min_size=4, max_size=40), folds=st.integers(2, 10), seed=st.integers(0, 99))
def test_clusters_stay_whole(names: list[int], folds: int, seed: int):
    """No cluster is in two folds, and there are as many folds as asked for, or as clusters."""
    n, count = len(names), len(set(names))
    if count < 2:
        with pytest.raises(ValueError, match="holds 1 cluster; cross-fitting needs at least two"):
            crossfit(fit_platt, Y[:n], P[:n], clusters=names)
        return
    found = crossfit(fit_platt, Y[:n], P[:n], folds=folds, clusters=names, rng=np.random.default_rng(seed))
    assert len({(name, fold) for name, fold in zip(names, found.folds, strict=True)}) == count
    assert len(found.maps) == len(set(found.folds)) == min(folds, count)


def test_an_items_own_label_does_not_count():
    """Changing a label changes the values of other folds alone."""
    changed = Y.copy()
    changed[7] = 1 - changed[7]
    one, other = (crossfit(fit_platt, y, P) for y in (Y, changed))
    same = one.folds == one.folds[7]
    assert (one.values[same] == other.values[same]).all()
    assert (one.values[~same] != other.values[~same]).all()


def test_it_does_not_flatter():
    """Of a judge without any knowledge, isotonic values fit their own labels and cross-fitted ones do not."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 300), rng.random(300)
    assert brier(y, fit_isotonic(y, p)(p)) < 0.25 <= brier(y, crossfit(fit_isotonic, y, p).values)


def test_random_folds_are_seeded():
    """The same generator gives the same folds, and another one others."""
    one, same, other = (crossfit(fit_platt, Y, P, rng=np.random.default_rng(k)).folds.tolist() for k in (1, 1, 2))
    assert one == same != other


def test_weights_reach_the_fit():
    """Weights count in the fits, and items of weight 0 get their value all the same."""
    weights = np.where(np.arange(40) < 20, 1.0, 0.0)
    found = crossfit(fit_platt, Y, P, folds=2, weights=weights)
    assert found.maps[0] == fit_platt(Y[1:20:2], P[1:20:2])
    assert len(found.values) == 40


def test_any_function_can_be_fitted():
    """`fit` may be one's own."""
    found = crossfit(lambda y, p: PlattMap(float(np.mean(y) - np.mean(p)), 1.0), Y, P)
    assert found.values.shape == (40,)


@pytest.mark.parametrize(("n", "folds"), [(0, 5), (1, 5), (5, 1), (5, 2.5), (5, True)])
def test_impossible_divisions(n: int, folds: Any):
    """Fewer than two items, and fewer than two folds, cannot be divided."""
    with pytest.raises(ValueError, match=r"cross-fitting needs at least two|folds must be a whole number"):
        crossfit(fit_platt, Y[:n], P[:n], folds=folds)
