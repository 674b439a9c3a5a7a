"""Tests of fiel.stats._estimate."""

import math
from typing import Any

import msgspec
import numpy as np
import pytest

from fiel.stats import Estimate, ppi_mean, wilson

GOOD: dict[str, Any] = {"value": 0.71, "low": 0.62, "high": 0.79, "confidence": 0.95, "method": "wilson", "n": 200}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "0.71 [0.62, 0.79] n=200"),
        ({"side": "lower", "high": 1.0}, "0.71 (at least 0.62) n=200"),
        ({"side": "upper", "low": 0.0}, "0.71 (at most 0.79) n=200"),
        ({"side": "lower", "high": None}, "0.71 (at least 0.62) n=200"),
        ({"value": -0.001, "low": -0.2}, "0.00 [−0.20, 0.79] n=200"),
        ({"value": None, "low": None, "high": None, "reason": "no labels"}, "undefined: no labels"),
    ],
)
def test_text(changes: dict[str, Any], text: str):
    """An estimate reads as a person would write it down."""
    assert str(Estimate(**(GOOD | changes))) == text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"low": 0.72}, "do not hold the value"),
        ({"high": 0.7}, "do not hold the value"),
        ({"value": math.nan}, "value is nan"),
        ({"high": math.inf}, "high is inf"),
        ({"details": {"rho": math.nan}}, "rho is nan"),
        ({"value": None, "low": None, "high": None}, "say why in reason"),
        ({"value": None, "reason": "no labels"}, "low and high must be None"),
        ({"reason": "no labels"}, "drop one of the two"),
        ({"low": None}, "low is None"),
        ({"side": "lower", "low": None}, "low is None"),
        ({"side": "upper", "high": None}, "high is None"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"side": "larger"}, "side must be"),
        ({"n": -1}, "independent units"),
    ],
)
def test_impossible_estimates_are_refused(changes: dict[str, Any], message: str):
    """An estimate that contradicts itself cannot be made."""
    with pytest.raises(ValueError, match=message):
        Estimate(**(GOOD | changes))


def test_json():
    """An estimate with all its details travels through JSON and back unchanged."""
    estimate = ppi_mean([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.7], [0.5, 0.6])
    assert msgspec.json.decode(msgspec.json.encode(estimate), type=Estimate) == estimate
    counted = wilson(np.float64(3), np.int64(9))
    assert msgspec.json.decode(msgspec.json.encode(counted), type=Estimate) == counted
