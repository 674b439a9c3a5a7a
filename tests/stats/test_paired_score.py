"""Tests of fiel.stats._paired_score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.stats import wilson
from fiel.stats._paired_score import paired_limits, paired_variance


def test_one_side_never_ahead_is_wilson():
    """Where one of the two is never ahead, the limit away from 0 is Wilson's for the share of the other."""
    low, high = paired_limits(0.05, 0.05, 20, 1.959963984540054)
    assert high == pytest.approx(wilson(1, 20).high, abs=1e-9)
    assert low == pytest.approx(-0.1191814, abs=1e-6)


@pytest.mark.parametrize("theta", [-0.2, 0.0, 0.3])
def test_the_variance_is_that_of_the_likeliest_table(theta: float):
    """The share behind is where the likelihood of the table under a difference is largest, by a search."""
    ahead, behind, n = 0.25, 0.1, 40
    grid = np.linspace(max(0, -theta), (1 - theta) / 2, 400_001)[1:-1]
    rest = 1 - ahead - behind
    likelihood = ahead * np.log(grid + theta) + behind * np.log(grid) + rest * np.log1p(-theta - 2 * grid)
    best = grid[likelihood.argmax()]
    expected = (2 * best + theta * (1 - theta)) / n
    assert paired_variance(ahead - behind, ahead + behind, n, theta) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("n", [10, 20, 100])
def test_nothing_discordant(n: int):
    """Where the two never differ the limits are q^2 / (n + q^2) to either side."""
    assert paired_limits(0.0, 0.0, n, 2.0) == pytest.approx((-4 / (n + 4), 4 / (n + 4)), abs=1e-9)


@settings(deadline=None, max_examples=200)
@given(
    n=st.integers(3, 200),
    value=st.floats(-1, 1),
    extra=st.floats(0, 1),
    quantile=st.floats(0.3, 5),
)
def test_never_empty_never_outside(n: int, value: float, extra: float, quantile: float):
    """The limits hold the value, stay on the scale, leave room, and mirror when the sides change places."""
    discordant = abs(value) + extra * (1 - abs(value))
    low, high = paired_limits(value, discordant, n, quantile)
    assert -1 <= low <= value <= high <= 1
    assert high - low > 1e-4
    assert paired_limits(-value, discordant, n, quantile) == pytest.approx((-high, -low), abs=1e-6)


def test_no_quantile_no_width():
    """At the median both limits are the value."""
    assert paired_limits(0.2, 0.5, 20, 0.0) == (0.2, 0.2)
