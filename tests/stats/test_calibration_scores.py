"""Tests of fiel.stats._calibration_scores."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from fiel.stats import brier, brier_decomposition, corp_decomposition, log_loss

CLASSES = st.integers(0, 1)
SHARES = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda k: k / 10))


@st.composite
def forecasts(draw: st.DrawFn, outcomes: Any = CLASSES) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcomes, probabilities and weights."""
    n = draw(st.integers(1, 50))
    columns = (outcomes, SHARES, st.floats(0.1, 10))
    y, p, w = (np.array(draw(st.lists(column, min_size=n, max_size=n))) for column in columns)
    return y, p, w


@settings(max_examples=50)
@given(data=forecasts())
def test_brier_against_scikit_learn(data: Any):
    """The Brier score is that of scikit-learn, with weights and without."""
    y, p, w = data
    assert brier(y, p) == pytest.approx(brier_score_loss(y, p, pos_label=1), abs=1e-13)
    assert brier(y, p, weights=w) == pytest.approx(brier_score_loss(y, p, pos_label=1, sample_weight=w), abs=1e-13)


@settings(max_examples=50)
@given(data=forecasts())
def test_log_loss_against_scikit_learn(data: Any):
    """Away from 0 and 1 the logarithmic loss is that of scikit-learn."""
    y, p, w = data
    p = np.clip(p, 1e-9, 1 - 1e-9)
    theirs = sklearn_log_loss(y, p, labels=[0, 1], sample_weight=w)
    assert log_loss(y, p, weights=w) == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@settings(max_examples=50)
@given(data=forecasts(SHARES), bins=st.integers(1, 20), strategy=st.sampled_from(["width", "mass"]))
def test_five_terms_add_up(data: Any, bins: int, strategy: Any):
    """The five terms are the Brier score, whatever the bins, the weights, and shares as outcomes."""
    y, p, w = data
    parts = brier_decomposition(y, p, bins=bins, strategy=strategy, weights=w)
    between = parts.reliability - parts.resolution + parts.uncertainty
    assert between + parts.within_bin_variance - parts.within_bin_covariance == pytest.approx(parts.brier, abs=1e-12)
    assert parts.brier == brier(y, p, weights=w)


@settings(max_examples=50)
@given(data=forecasts())
def test_uncertainty_is_that_of_the_base_rate(data: Any):
    """For 0/1 the uncertainty is base rate (1 - base rate), in both decompositions."""
    y, p, _ = data
    expected = pytest.approx(y.mean() * (1 - y.mean()), abs=1e-12)
    assert brier_decomposition(y, p).uncertainty == expected
    assert corp_decomposition(y, p).uncertainty == expected


@settings(max_examples=60)
@given(data=forecasts(SHARES))
def test_corp_against_isotonic_regression_of_scikit_learn(data: Any):
    """Miscalibration and discrimination are those of scikit-learn's isotonic regression, and none is below 0."""
    y, p, w = data
    p = np.round(p, 6)  # scikit-learn takes what is nearer than its rounding for equal
    recalibrated = IsotonicRegression().fit(p, y, sample_weight=w).predict(p)
    best = np.average((recalibrated - y) ** 2, weights=w)
    parts = corp_decomposition(y, p, weights=w)
    base = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    expected = (brier(y, p, weights=w) - best, base - best)
    assert (parts.miscalibration, parts.discrimination) == pytest.approx(expected, abs=1e-12)
    assert min(parts.miscalibration, parts.discrimination) >= 0
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(parts.brier, abs=1e-12)


@settings(max_examples=50)
@given(data=forecasts(), power=st.floats(0.3, 3))
def test_discrimination_knows_the_order_alone(data: Any, power: float):
    """A rising map of distinct probabilities moves miscalibration and leaves discrimination."""
    y, p, _ = data
    p = np.round(p, 3)
    once, again = corp_decomposition(y, p), corp_decomposition(y, p**power)
    assert again.discrimination == pytest.approx(once.discrimination, abs=1e-12)


def test_what_was_called_impossible():
    """Log loss is infinite for p = 1 and y = 0, or the reverse, and 0 where the judge was sure and right."""
    assert log_loss([0, 1], [1.0, 0.5]) == math.inf
    assert log_loss([1, 1], [0.0, 0.5]) == math.inf
    assert log_loss([0.5], [1.0]) == math.inf
    assert math.copysign(1, log_loss([1, 0], [1.0, 0.0])) == 1.0
    assert log_loss([1, 0], [1.0, 0.0]) == 0.0


def test_no_items():
    """No items give NaN, term by term."""
    assert math.isnan(brier([], []))
    assert math.isnan(log_loss([], []))
    for parts in (brier_decomposition([], []), corp_decomposition([], [])):
        assert all(math.isnan(getattr(parts, name)) for name in parts.__slots__)


@pytest.mark.parametrize("outcome", [0, 1])
def test_one_class(outcome: int):
    """With one class there is no uncertainty, and nothing to discriminate."""
    murphy, corp = (f([outcome] * 3, [0.2, 0.5, 0.9]) for f in (brier_decomposition, corp_decomposition))
    assert (murphy.uncertainty, murphy.resolution, corp.uncertainty, corp.discrimination) == (0, 0, 0, 0)
    assert corp.miscalibration == corp.brier


def test_one_probability():
    """One probability for all is one bin: what is wrong with it is its distance from the base rate."""
    murphy, corp = (f([1, 1, 0, 0], [0.8] * 4) for f in (brier_decomposition, corp_decomposition))
    assert (murphy.reliability, corp.miscalibration) == pytest.approx((0.09, 0.09))
    assert (murphy.resolution, corp.discrimination) == pytest.approx((0, 0), abs=1e-15)
    assert murphy.within_bin_variance == pytest.approx(0, abs=1e-15)
