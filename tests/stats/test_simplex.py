"""Tests of fiel.stats._simplex."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from fiel.stats._simplex import largest


@pytest.mark.parametrize("seed", range(60))
def test_against_scipy(seed: int):
    """The maximum over transport tables with a fixed trace is that of scipy, and NaN where scipy finds none."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    first, second = rng.dirichlet(np.ones(count)), rng.dirichlet(np.ones(count))
    unit = np.eye(count)
    rows = np.array(
        [
            *(np.outer(unit[i], np.ones(count)).ravel() for i in range(count)),
            *(np.outer(np.ones(count), unit[i]).ravel() for i in range(count)),
            unit.ravel(),
        ]
    )
    right, objective = np.concatenate([first, second, [rng.random()]]), rng.random(count * count)
    theirs = linprog(-objective, A_eq=rows, b_eq=right, method="highs")
    ours = largest(objective, rows, right)
    assert ours == pytest.approx(-theirs.fun, abs=1e-9) if theirs.success else math.isnan(ours)


def test_negative_right_side_and_ties():
    """Equations may have a negative right side, and degenerate corners end."""
    rows = np.array([[-1.0, -1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    assert largest(np.array([1.0, 2.0, 0.5]), rows, np.array([-1.0, 0.0, 0.0])) == pytest.approx(2.0)
