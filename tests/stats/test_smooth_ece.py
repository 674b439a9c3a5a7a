"""Tests of fiel.stats._smooth_ece."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.stats import smooth_ece

SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
ROWS = st.lists(st.tuples(st.integers(0, 1), SHARES), min_size=1, max_size=30)


def by_images(y: np.ndarray, p: np.ndarray, bandwidth: float) -> float:
    """The error at a bandwidth by a sum over mirror images, integrated on a grid."""
    t = np.linspace(0, 1, 4001)
    density = np.zeros_like(t)
    for shift in range(-8, 10, 2):
        for image in (shift + p, shift - p):
            kernel = np.exp(-0.5 * ((t[:, None] - image) / bandwidth) ** 2) / (bandwidth * math.sqrt(2 * math.pi))
            density += kernel @ (y - p) / len(y)
    return float((np.abs(density).sum() - np.abs(density[[0, -1]]).sum() / 2) * t[1])


@settings(max_examples=20)
@given(rows=ROWS, bandwidth=st.floats(0.02, 1.0))
def test_against_mirror_images(rows: Any, bandwidth: float):
    """At a bandwidth the error is that of the kernel and its mirror images, points at 0 and 1 included."""
    y, p = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert smooth_ece(y, p, bandwidth=bandwidth) == pytest.approx(by_images(y, p, bandwidth), abs=2e-5)


@settings(max_examples=20)
@given(rows=ROWS)
def test_it_is_the_bandwidth_that_equals_its_error(rows: Any):
    """At the returned bandwidth the error is that bandwidth."""
    y, p = ([row[k] for row in rows] for k in (0, 1))
    value = smooth_ece(y, p)
    assert 0 <= value <= 1
    if value > 1e-9:
        assert smooth_ece(y, p, bandwidth=value) == pytest.approx(value, abs=1e-9)


@settings(max_examples=15)
@given(rows=ROWS)
def test_turning_the_question_round(rows: Any):
    """The error of P(no) against no is that of P(yes) against yes."""
    y, p = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert smooth_ece(1 - y, 1 - p) == pytest.approx(smooth_ece(y, p), abs=1e-8)


def test_weights_are_copies():
    """An item of weight 3 counts as three."""
    y, p = np.array([1, 0, 1]), np.array([0.3, 0.6, 0.9])
    copies = np.array([3, 1, 0])
    assert smooth_ece(y, p, weights=copies) == pytest.approx(smooth_ece(np.repeat(y, copies), np.repeat(p, copies)))


def test_many_calibrated_items():
    """100,000 items of a calibrated judge show next to nothing."""
    rng = np.random.default_rng(1)
    p = rng.random(100_000)
    assert smooth_ece((rng.random(100_000) < p).astype(int), p) < 0.01


def test_a_small_change_changes_little():
    """Moving probabilities by a hair over an edge of bins moves the smooth error by a hair."""
    y, p = [1, 0, 1, 0], np.array([0.6, 0.6, 0.2, 0.4])
    assert smooth_ece(y, p + 1e-6) == pytest.approx(smooth_ece(y, p), abs=1e-5)


def test_degenerate():
    """No items give NaN; certainty that is right gives 0, that is wrong 1; one probability its plain error."""
    assert math.isnan(smooth_ece([], []))
    assert smooth_ece([1, 0], [1, 0]) == 0.0
    assert smooth_ece([1, 1], [0.0, 0.0]) == pytest.approx(1.0)
    assert smooth_ece([0.25], [0.25]) == 0.0


@pytest.mark.parametrize("bandwidth", [0, -1.0, math.nan, math.inf])
def test_impossible_bandwidths(bandwidth: float):
    """A bandwidth that is not above 0 is refused."""
    with pytest.raises(ValueError, match="bandwidth must be a finite number above 0"):
        smooth_ece([1], [0.5], bandwidth=bandwidth)
