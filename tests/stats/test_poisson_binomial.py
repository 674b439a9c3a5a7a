"""Tests of fiel.stats._poisson_binomial."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats._poisson_binomial import poisson_binomial


@given(p=st.lists(st.floats(0, 1), max_size=120))
def test_event_by_event(p: list[float]):
    """Adding one event after the other gives the same distribution."""
    chances = np.array([1.0])
    for q in p:
        chances = np.append(chances, 0) * (1 - q) + np.append(0, chances) * q
    assert poisson_binomial(np.array(p)) == pytest.approx(chances, abs=1e-13)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000, 20_000])
@pytest.mark.parametrize("p", [0.0, 0.003, 0.5, 0.97, 1.0])
def test_equal_probabilities_are_binomial(n: int, p: float):
    """With one probability for all it is the binomial of SciPy, many events too."""
    assert poisson_binomial(np.full(n, p)) == pytest.approx(scipy_stats.binom.pmf(np.arange(n + 1), n, p), abs=1e-11)
