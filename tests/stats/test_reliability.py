"""Tests of fiel.stats._reliability."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.calibration import calibration_curve

from fiel.stats import ece, max_calibration_error, reliability_curve, wilson

SHARES = st.one_of(st.floats(0, 1), st.integers(0, 8).map(lambda k: k / 8))
ROWS = st.lists(st.tuples(st.integers(0, 1), SHARES), min_size=1, max_size=50)


@given(rows=ROWS)
def test_against_scikit_learn(rows: Any):
    """Said and happened are those of scikit-learn's calibration curve, where its edges are exact."""
    y, p = np.array([y for y, _ in rows]), np.array([p for _, p in rows])
    curve = reliability_curve(y, p, bins=8)
    happened, said = calibration_curve(y, p, n_bins=8)
    assert curve.outcome == pytest.approx(happened, abs=1e-12)
    assert curve.probability == pytest.approx(said, abs=1e-12)


@given(rows=ROWS, bins=st.integers(1, 20), strategy=st.sampled_from(["width", "mass"]))
def test_it_is_what_the_errors_are_made_of(rows: Any, bins: int, strategy: Any):
    """The counts add up, the bins hold their means, and the errors follow from the curve."""
    y, p = [y for y, _ in rows], [p for _, p in rows]
    curve = reliability_curve(y, p, bins=bins, strategy=strategy)
    gaps, count = np.abs(np.subtract(curve.probability, curve.outcome)), np.array(curve.count)
    assert count.sum() == len(y)
    assert len(curve) == len(curve.count) == len(curve.expected_high)
    assert gaps @ count / len(y) == pytest.approx(ece(y, p, bins=bins, strategy=strategy), abs=1e-12)
    assert gaps.max() == pytest.approx(max_calibration_error(y, p, bins=bins, strategy=strategy), abs=1e-12)
    for start, mean, end in zip(curve.start, curve.probability, curve.end, strict=True):
        assert start - 1e-12 <= mean <= end + 1e-12


@given(rows=ROWS)
def test_limits_hold_their_rate(rows: Any):
    """Wilson's limits hold the rate of each bin, have a width, and are those of wilson."""
    curve = reliability_curve([y for y, _ in rows], [p for _, p in rows], bins=5, confidence=0.9)
    for low, rate, high, n in zip(curve.low, curve.outcome, curve.high, curve.count, strict=True):
        assert 0 <= low <= rate <= high <= 1
        assert low < high
        exact = wilson(round(rate * n), n, confidence=0.9)
        assert (low, high) == pytest.approx((exact.low, exact.high), abs=1e-12)


@settings(max_examples=50)
@given(n=st.integers(1, 400), p=st.floats(0.01, 0.99), confidence=st.floats(0.6, 0.99))
def test_expected_limits_are_binomial_for_one_probability(n: int, p: float, confidence: float):
    """Where a bin has one probability, the expected limits are the binomial quantiles of SciPy."""
    curve = reliability_curve([0] * n, [p] * n, confidence=confidence)
    found = np.rint(np.array([curve.expected_low[0], curve.expected_high[0]]) * n).astype(int)
    below, upto = (1 - confidence) / 2, (1 + confidence) / 2
    assert (scipy_stats.binom.cdf(found, n, p) > np.array([below, upto]) - 1e-9).all()
    assert (scipy_stats.binom.cdf(found - 1, n, p) < np.array([below, upto]) + 1e-9).all()


def test_expected_limits_hold_a_calibrated_judge():
    """The mean outcome of a calibrated judge falls outside its expected limits at most as often as promised."""
    rng, repeats, bins = np.random.default_rng(3), 300, 5
    p = rng.random(100)
    outside = total = 0
    for _ in range(repeats):
        curve = reliability_curve((rng.random(100) < p).astype(int), p, bins=bins)
        low, rate, high = (np.array(column) for column in (curve.expected_low, curve.outcome, curve.expected_high))
        outside, total = outside + ((rate < low) | (rate > high)).sum(), total + bins
    assert outside <= scipy_stats.binom.ppf(0.999, total, 0.05)
    assert outside > 0


def test_a_result_that_can_be_kept():
    """The curve is frozen, comparable, and survives pickling."""
    curve = reliability_curve([1, 0, 1], [0.9, 0.2, 0.4])
    assert pickle.loads(pickle.dumps(curve)) == curve  # noqa: S301  (our own bytes)
    assert curve == reliability_curve([1, 0, 1], [0.9, 0.2, 0.4])
    with pytest.raises(AttributeError):
        curve.count = ()


def test_degenerate():
    """No items are a curve of length 0; probabilities of 0 and 1 leave a calibrated judge no room."""
    assert len(reliability_curve([], [])) == 0
    curve = reliability_curve([0, 1, 1], [0.0, 1.0, 1.0])
    assert (curve.expected_low, curve.expected_high) == ((0.0, 1.0), (0.0, 1.0))
    assert curve.low[1] < 1 == curve.high[1]
