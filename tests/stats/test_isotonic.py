"""Tests of fiel.stats._isotonic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from fiel.stats._isotonic import isotonic_steps

ROW = st.tuples(st.one_of(st.integers(0, 6).map(float), st.floats(0, 6)), st.floats(0, 1), st.floats(0.01, 100))


def fitted(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The step function at its own inputs."""
    steps = isotonic_steps(x, y, weights)
    return steps.values[np.searchsorted(steps.first, x, side="right") - 1]


@given(rows=st.lists(ROW, min_size=1, max_size=80))
def test_against_scikit_learn(rows: list[tuple[float, float, float]]):
    """The fit is that of scikit-learn, with ties and weights."""
    x, y, w = np.array(rows).T
    x = np.round(x, 6)
    theirs = IsotonicRegression().fit(x, y, sample_weight=w).predict(x)
    assert fitted(x, y, w) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("shape", ["noise", "binary", "falling", "rising", "cascade", "sawtooth"])
def test_long_inputs(shape: str):
    """Long inputs go through both ways of pooling and come out as with scikit-learn."""
    n, rng = 3000, np.random.default_rng(5)
    y = {
        "noise": rng.random(n),
        "binary": (rng.random(n) < np.linspace(0.1, 0.9, n)).astype(float),
        "falling": np.linspace(1, 0, n),
        "rising": np.linspace(0, 1, n),
        "cascade": np.append(np.linspace(0.1, 0.9, n - 1), 0.0),
        "sawtooth": np.arange(n) % 17 / 17,
    }[shape]
    x = rng.permutation(n).astype(float)
    y = y[np.argsort(np.argsort(x))]
    assert fitted(x, y, np.ones(n)) == pytest.approx(IsotonicRegression().fit_transform(x, y), abs=1e-11)


@given(rows=st.lists(ROW, min_size=1, max_size=80))
def test_steps_rise_and_keep_the_mean(rows: list[tuple[float, float, float]]):
    """Values never fall, steps do not overlap, and the weighted mean is that of the data."""
    x, y, w = np.array(rows).T
    steps = isotonic_steps(x, y, w)
    assert (np.diff(steps.values) >= 0).all()
    assert (steps.first <= steps.last).all()
    assert (steps.last[:-1] < steps.first[1:]).all()
    assert fitted(x, y, w) @ w == pytest.approx(y @ w, rel=1e-9)


def test_no_items():
    """Nothing has no steps."""
    assert len(isotonic_steps(np.empty(0), np.empty(0), np.empty(0)).values) == 0
