"""The calibration error without bins: residuals smoothed by a kernel that stays within 0 and 1. Knows no bin."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_inputs import as_forecasts
from fiel.stats._checks import Floats

_CELLS = 1 << 16
_EXACT = 1e-12


def smooth_ece(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bandwidth: float | None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The smooth calibration error: the mass of the smoothed residuals, at the bandwidth that equals it.

    The residuals outcome - probability are smoothed along the probability with a Gaussian kernel reflected at 0 and 1
    (so that what stands at the ends keeps its whole mass), and the absolute value is integrated from 0 to 1. A
    bandwidth that is larger gives a smaller error; the value returned is the one where both are equal. There are no
    edges, so that a small change of a probability changes little.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        bandwidth: the kernel's standard deviation, above 0, to have the error at that one instead.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        From 0 to 1; NaN without items.

    Raises:
        ValueError: on lengths that differ, numbers outside 0 and 1, or a bandwidth that is not above 0.

    Błasiok and Nakkiran (2024), "Smooth ECE", definition 3 and equation 4. The reflected kernel is that of heat in a
    rod with closed ends, which a cosine transform makes a product: O(n + m log m) with m = 65,536 cells, which leave
    a relative error of about (2e-5 / value)^2.

    >>> round(smooth_ece([1, 1, 1, 0, 0], [0.8] * 5), 6)
    0.2
    """
    if bandwidth is not None and not 0 < bandwidth < math.inf:
        raise ValueError(f"bandwidth must be a finite number above 0, got {bandwidth!r}")
    y, p, w = as_forecasts(outcome, probability, weights)
    if not len(y):
        return float("nan")
    error = _smoothed_error(p, w * (y - p) / w.sum())
    return min(error(bandwidth) if bandwidth is not None else _where_equal(error), 1.0)


def _smoothed_error(probability: Floats, residual: Floats) -> Callable[[float], float]:
    """The error as a function of the bandwidth."""
    place = probability * _CELLS
    left = np.minimum(place.astype(np.intp), _CELLS - 1)
    share = place - left
    mass = np.bincount(left, weights=residual * (1 - share), minlength=_CELLS + 1)
    mass += np.bincount(left + 1, weights=residual * share, minlength=_CELLS + 1)
    mass[[0, -1]] *= 2  # at the ends an image falls on its original
    cosines = np.fft.rfft(np.concatenate([mass, mass[-2:0:-1]]))
    powers = -0.5 * (math.pi * np.arange(_CELLS + 1)) ** 2

    def error(bandwidth: float) -> float:
        density = np.abs(np.fft.irfft(cosines * np.exp(powers * bandwidth**2))[: _CELLS + 1])
        return float(density.sum() - (density[0] + density[-1]) / 2)

    return error


def _where_equal(error: Callable[[float], float]) -> float:
    """Where the error, which falls as the bandwidth grows, equals the bandwidth: false position, Illinois form."""
    low, high, last = 0.0, 1.0, 0
    above, below = error(low), error(high) - 1.0
    if above <= _EXACT:
        return 0.0
    while high - low > _EXACT:
        middle = (low * below - high * above) / (below - above)
        found = error(middle) - middle
        if abs(found) <= _EXACT:
            return middle
        if found > 0:
            low, above, below = middle, found, below / 2 if last > 0 else below
            last = 1
        else:
            high, below, above = middle, found, above / 2 if last < 0 else above
            last = -1
    return (low + high) / 2
