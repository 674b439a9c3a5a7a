"""Tests of fiel.stats._multiplicity."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from fiel.stats import benjamini_hochberg, benjamini_yekutieli, holm

METHODS = {"holm": holm, "fdr_bh": benjamini_hochberg, "fdr_by": benjamini_yekutieli}
P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 1.0])), min_size=1, max_size=30)


@settings(deadline=None, max_examples=25)
@given(p=P_VALUES)
@pytest.mark.parametrize("name", METHODS)
def test_against_statsmodels(name: str, p: list[float]):
    """Adjusted p-values are those of statsmodels, in the order given."""
    assert METHODS[name](p) == pytest.approx(multipletests(p, method=name)[1], rel=1e-12, abs=1e-300)


@settings(deadline=None)
@given(p=P_VALUES)
@pytest.mark.parametrize("adjust", METHODS.values())
def test_order_and_bounds(adjust: Any, p: list[float]):
    """A permutation moves with its p-values; none falls below its own p-value or rises above 1; order is kept."""
    adjusted, order = adjust(p), np.random.default_rng(0).permutation(len(p))
    assert adjust(np.array(p)[order]) == pytest.approx(adjusted[order], rel=1e-12)
    assert ((adjusted >= np.array(p) * (1 - 1e-12)) & (adjusted <= 1)).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_holm_keeps_the_familywise_level():
    """With every hypothesis true and dependent, Holm finds any in 5 of 100 families at most, and bare p-values more."""
    rng, families = np.random.default_rng(4), 4000
    shared = rng.random((families, 1))
    p = np.where(rng.random((families, 6)) < 0.3, shared, rng.random((families, 6)))
    found = np.array([holm(row).min() <= 0.05 for row in p]).mean()
    assert found <= 0.05 + 3 * (0.05 * 0.95 / families) ** 0.5
    assert (p.min(axis=1) <= 0.05).mean() > 0.15


@pytest.mark.parametrize("adjust", METHODS.values())
def test_edges(adjust: Any):
    """No p-values give none, one is its own, and what is none is refused by its place."""
    assert adjust([]).shape == (0,)
    assert adjust([0.03]).tolist() == [0.03]
    with pytest.raises(ValueError, match=r"p holds 1\.5 at position 1"):
        adjust([0.1, 1.5])
    with pytest.raises(ValueError, match="NaN"):
        adjust([0.1, float("nan")])
