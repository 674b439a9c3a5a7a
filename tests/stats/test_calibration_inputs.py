"""Tests of fiel.stats._calibration_inputs: what every function of calibration refuses, and how."""

from typing import Any

import numpy as np
import pytest

from fiel.stats import (
    brier,
    brier_decomposition,
    corp_decomposition,
    ece,
    ece_debiased,
    ece_null_band,
    fit_isotonic,
    fit_platt,
    fit_temperature,
    log_loss,
    max_calibration_error,
    reliability_curve,
    smooth_ece,
)

BINNED = [ece, max_calibration_error, ece_debiased, brier_decomposition, reliability_curve, ece_null_band]
WEIGHTED = [brier, log_loss, corp_decomposition, smooth_ece, fit_platt, fit_temperature, fit_isotonic, *BINNED[:4]]
ALL = [*WEIGHTED, *BINNED[4:]]


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        ([0, 1], [0.5], "outcome has 2 entries and probability has 1"),
        ([0, 2], [0.5, 0.5], r"outcome holds 2.0 at position 1; give numbers from 0 to 1"),
        ([0, -1], [0.5, 0.5], "outcome holds -1.0"),
        ([0, 1], [0.5, 1.5], "probability holds 1.5 at position 1"),
        ([0, 1], [0.5, float("nan")], "probability holds 1 NaN"),
        ([[0, 1]], [0.5, 0.5], "outcome must have one dimension"),
        (["yes", "no"], [0.5, 0.5], "outcome must hold numbers"),
        ([0, 1], [None, 0.5], "probability must hold numbers"),
    ],
)
def test_outcomes_and_probabilities(function: Any, y: Any, p: Any, message: str):
    """Wrong input is refused, by the argument's name and with the fix."""
    with pytest.raises(ValueError, match=message):
        function(y, p)


@pytest.mark.parametrize("function", WEIGHTED)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "weights has 1 entries for 2"),
        ([1, -1], "weights must be numbers from"),
        ([0, 0], "not all of them 0"),
    ],
)
def test_weights(function: Any, weights: Any, message: str):
    """Weights that no items have are refused."""
    with pytest.raises(ValueError, match=message):
        function([0, 1], [0.5, 0.5], weights=weights)


@pytest.mark.parametrize("function", BINNED)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 0}, "bins must be a whole number of at least 1, got 0"),
        ({"bins": 2.0}, "bins must be a whole number"),
        ({"bins": None}, "bins must be a whole number"),
        ({"bins": 10**9}, "bins must be at most 1,000,000"),
        ({"strategy": "quantile"}, 'strategy must be "width" or "mass"'),
    ],
)
def test_bins(function: Any, options: Any, message: str):
    """Bins that do not exist are refused, without items too."""
    for y, p in (([], []), ([0, 1], [0.5, 0.5])):
        with pytest.raises(ValueError, match=message):
            function(y, p, **options)


@pytest.mark.parametrize("function", [f for f in WEIGHTED if not f.__name__.startswith("fit")])
def test_weight_zero_is_absence(function: Any):
    """An item of weight 0 is as if it were not there."""
    found = function([0, 1, 1], [0.2, 0.7, 0.1], weights=[1.0, 2.0, 0.0])
    assert found == function([0, 1], [0.2, 0.7], weights=[1.0, 2.0])


@pytest.mark.parametrize("function", ALL)
def test_inputs_are_left_alone(function: Any):
    """Arrays of any numeric kind are read and not changed."""
    y, p = np.array([True, False, True]), np.array([0.9, 0.2, 0.4], dtype=np.float32)
    function(y, p)
    assert y.tolist() == [True, False, True]
    assert p.tolist() == np.array([0.9, 0.2, 0.4], dtype=np.float32).tolist()
