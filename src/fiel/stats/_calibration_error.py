"""How far probabilities are from what happens, by bins. Knows no judge, and no number without bins."""

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_bins import Binned, Strategy, binned, check_bins
from fiel.stats._calibration_inputs import Forecasts, as_forecasts


def ece(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    weights: ArrayLike | None = None,
) -> float:
    """Expected calibration error: the mean distance, over bins, of what was said from what happened.

    sum over bins of (weight of the bin) |mean probability - mean outcome|. It is above 0 for a judge who is perfectly
    calibrated too; `ece_null_band` says how far.

    The probability is that of the outcome 1. For a scale of several options there are two honest uses: the confidence
    of the mode against whether the mode was right, or P(at least x) against whether it was at least x.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between (of raters who said yes).
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: "width": bin i holds what lies above i / bins and up to (i + 1) / bins, and the first holds 0 too.
            "mass": bins of equal weight; equal probabilities are never parted.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        From 0 to 1; NaN without items.

    Raises:
        ValueError: on lengths that differ, numbers outside 0 and 1, or bins or a strategy that do not exist.

    Guo, Pleiss, Sun and Weinberger (2017), equation 3; bins of equal mass: Nguyen and O'Connor (2015).

    >>> round(ece([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.6]), 6)
    0.275
    """
    data, found = _binned(outcome, probability, weights, bins, strategy)
    if found is None:
        return float("nan")
    return float(found.weight @ np.abs(found.probability - found.outcome) / data.weights.sum())


def max_calibration_error(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    weights: ArrayLike | None = None,
) -> float:
    """Maximum calibration error: the distance of said and happened in the worst bin that holds anything.

    One item alone in a bin decides it; read it beside the counts of `reliability_curve`, or with "mass".

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: as in `ece`.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        From 0 to 1; NaN without items.

    Raises:
        ValueError: as `ece`.

    Guo, Pleiss, Sun and Weinberger (2017), equation 5.

    >>> round(max_calibration_error([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.6]), 6)
    0.4
    """
    _, found = _binned(outcome, probability, weights, bins, strategy)
    return float("nan") if found is None else float(np.abs(found.probability - found.outcome).max())


def ece_debiased(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    weights: ArrayLike | None = None,
) -> float:
    """The squared calibration error without the part that chance adds: near 0 for a calibrated judge at any n.

    sum over bins of (weight of the bin) [(mean probability - mean outcome)^2 - s^2 / (n_b - 1)], s^2 being the
    variance of the outcomes in the bin: q (1 - q) for 0/1. A bin with one item adds 0.

    **It is a square, and it may be negative**: its mean is right because chance falls on both sides of 0, and the
    root of what was cut at 0 would again be too large for a calibrated judge. For the scale of `ece` take the root of
    a value above 0.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: as in `ece`.
        weights: shape (n,), what each item counts; n_b is then (sum w)^2 / sum w^2 in the bin.

    Returns:
        At most 1; NaN without items.

    Raises:
        ValueError: as `ece`.

    Kumar, Liang and Ma (2019), definition 5.1 (the debiased estimator of the squared L2 error).

    >>> round(ece_debiased([1, 1, 0, 0], [0.9, 0.9, 0.9, 0.9]), 6)
    0.076667
    """
    data, found = _binned(outcome, probability, weights, bins, strategy)
    if found is None:
        return float("nan")
    spread = np.bincount(found.codes, weights=data.weights * (data.outcome - found.outcome[found.codes]) ** 2)
    size = found.weight**2 / np.bincount(found.codes, weights=data.weights**2)
    several = size > 1 + 1e-9
    square = (found.probability - found.outcome)[several] ** 2
    chance = (spread / found.weight)[several] / (size[several] - 1)
    return float(found.weight[several] @ (square - chance) / data.weights.sum())


def _binned(
    outcome: ArrayLike, probability: ArrayLike, weights: ArrayLike | None, bins: int, strategy: Strategy
) -> tuple[Forecasts, Binned | None]:
    """The items and their bins; None in place of the bins where there are no items."""
    data = as_forecasts(outcome, probability, weights)
    check_bins(bins, strategy)
    return data, binned(data, bins, strategy) if len(data.outcome) else None
