"""Outcomes, probabilities and weights as clean arrays. Knows no statistic."""

from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, as_vector, check_same_length


class Forecasts(NamedTuple):
    """What was forecast and what came of it, each of shape (n,); `weights` are ones where none were given."""

    outcome: Floats
    probability: Floats
    weights: Floats


def as_forecasts(
    outcome: ArrayLike, probability: ArrayLike, weights: ArrayLike | None, *, keep: bool = False
) -> Forecasts:
    """The three as arrays, items of weight 0 left out unless `keep`; ValueError names the argument and the fix."""
    y, p = as_shares("outcome", outcome), as_shares("probability", probability)
    check_same_length("outcome", y, "probability", p)
    if weights is None:
        return Forecasts(y, p, np.ones(len(y)))
    w = as_weights(weights, len(y))
    kept = w >= 0 if keep else w > 0
    return Forecasts(y[kept], p[kept], w[kept])


def as_shares(name: str, values: ArrayLike) -> Floats:
    """`values` as a one-dimensional array of numbers from 0 to 1; ValueError names the argument and the fix."""
    array = as_vector(name, values)
    wrong = np.flatnonzero((array < 0) | (array > 1))
    if wrong.size:
        raise ValueError(f"{name} holds {float(array[wrong[0]])!r} at position {wrong[0]}; give numbers from 0 to 1")
    return array + 0.0  # no -0


def as_weights(weights: ArrayLike, length: int) -> Floats:
    """`weights` as `length` numbers from 0, not all 0; ValueError names the argument and the fix."""
    array = as_vector("weights", weights)
    if len(array) != length:
        raise ValueError(f"weights has {len(array)} entries for {length} items; give one for each item")
    if length and (array.min() < 0 or array.max() == 0):
        raise ValueError("weights must be numbers from 0, not all of them 0; leave out items that do not count")
    return array


def check_whole(name: str, number: int, *, least: int) -> int:
    """`number` as an int; ValueError unless it is a whole number of at least `least`."""
    if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {number!r}")
    return int(number)


def check_clip(clip: float) -> float:
    """`clip` as a float; ValueError unless it lies above 0 and below 0.5."""
    if not 1e-15 <= clip < 0.5:
        raise ValueError(f"clip must be a number from 1e-15 to below 0.5, got {clip!r}")
    return float(clip)
