"""Scores of probabilities and what they are made of. Knows no judge, and no sampling error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_bins import Strategy, binned, check_bins
from fiel.stats._calibration_inputs import as_forecasts
from fiel.stats._checks import Floats
from fiel.stats._isotonic import isotonic_steps


@dataclass(frozen=True, kw_only=True, slots=True)
class BrierDecomposition:
    """brier = reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance.

    Args:
        brier: the score itself.
        reliability: mean squared distance of said and happened, over bins; 0 is best.
        resolution: how far the bins' outcomes lie from each other; more is better.
        uncertainty: the variance of the outcomes, base rate (1 - base rate) for 0/1; no judge's merit or fault.
        within_bin_variance: of the probabilities in their bins.
        within_bin_covariance: twice that of probabilities and outcomes in their bins: what the bins hide.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bin_variance: float
    within_bin_covariance: float


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpDecomposition:
    """brier = miscalibration - discrimination + uncertainty.

    Args:
        brier: the score itself.
        miscalibration: what the best rising map would save (MCB); 0 is best.
        discrimination: what the recalibrated probabilities save against the base rate (DSC); more is better.
        uncertainty: the score of the base rate (UNC); no judge's merit or fault.
    """

    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def brier(outcome: ArrayLike, probability: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """The mean squared distance of probability and outcome; 0 is best, 1/4 is "one half" always said.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        From 0 to 1; NaN without items.

    Raises:
        ValueError: on lengths that differ or numbers outside 0 and 1.

    Brier (1950), for one of two outcomes.

    >>> round(brier([1, 0], [0.8, 0.4]), 6)
    0.1
    """
    y, p, w = as_forecasts(outcome, probability, weights)
    return _mean((p - y) ** 2, w)


def log_loss(outcome: ArrayLike, probability: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """The mean of -log(probability given to what happened), in nats.

    **Infinite where something happened that was called impossible.** Nothing is clipped: a clip's size would be the
    score. Clip before the call, and say so, if a finite number is wanted; or use `brier`.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        From 0 to infinity; NaN without items.

    Raises:
        ValueError: on lengths that differ or numbers outside 0 and 1.

    Good (1952).

    >>> round(log_loss([1, 0], [0.5, 0.5]), 6), log_loss([0], [1.0])
    (0.693147, inf)
    """
    y, p, w = as_forecasts(outcome, probability, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(y > 0, -y * np.log(p), 0.0) + np.where(y < 1, -(1 - y) * np.log1p(-p), 0.0)
    return _mean(loss, w) + 0.0


def brier_decomposition(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    weights: ArrayLike | None = None,
) -> BrierDecomposition:
    """The Brier score in five terms, which add up to it whatever the bins.

    Murphy's three terms add up only where every bin holds one probability; the two terms within bins are the rest.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: as in `ece`.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        The terms and the score; all NaN without items.

    Raises:
        ValueError: as `ece`.

    Murphy (1973); Stephenson, Coelho and Jolliffe (2008), equation 5.

    >>> parts = brier_decomposition([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.7], bins=2)
    >>> round(parts.reliability, 6), round(parts.resolution, 6), round(parts.within_bin_variance, 6)
    (0.063333, 0.1875, 0.011667)
    """
    data = as_forecasts(outcome, probability, weights)
    check_bins(bins, strategy)
    y, p, w = data
    if not len(y):
        return BrierDecomposition(**dict.fromkeys(BrierDecomposition.__slots__, float("nan")))
    found = binned(data, bins, strategy)
    total, base = float(w.sum()), _mean(y, w)
    within_p, within_y = p - found.probability[found.codes], y - found.outcome[found.codes]
    return BrierDecomposition(
        brier=_mean((p - y) ** 2, w),
        reliability=float(found.weight @ (found.probability - found.outcome) ** 2) / total,
        resolution=float(found.weight @ (found.outcome - base) ** 2) / total,
        uncertainty=_mean((y - base) ** 2, w),
        within_bin_variance=_mean(within_p**2, w),
        within_bin_covariance=2 * _mean(within_p * within_y, w),
    )


def corp_decomposition(
    outcome: ArrayLike, probability: ArrayLike, *, weights: ArrayLike | None = None
) -> CorpDecomposition:
    """The Brier score in miscalibration, discrimination and uncertainty, without bins.

    In place of bins stands the rising function of the probabilities that is nearest to the outcomes. On few items it
    follows chance as well, and miscalibration is then above 0 for a calibrated judge too.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        weights: shape (n,), what each item counts; 1 by default.

    Returns:
        The terms, none below 0, and the score; all NaN without items.

    Raises:
        ValueError: on lengths that differ or numbers outside 0 and 1.

    Dimitriadis, Gneiting and Jordan (2021), equations 5 and 6, for the Brier score.

    >>> parts = corp_decomposition([1, 0, 1, 1], [0.8, 0.2, 0.6, 0.6])
    >>> round(parts.miscalibration, 6), round(parts.discrimination, 6), round(parts.uncertainty, 6)
    (0.1, 0.1875, 0.1875)
    """
    y, p, w = as_forecasts(outcome, probability, weights)
    if not len(y):
        return CorpDecomposition(**dict.fromkeys(CorpDecomposition.__slots__, float("nan")))
    steps = isotonic_steps(p, y, w)
    recalibrated = steps.values[np.searchsorted(steps.first, p, side="right") - 1]
    score, best, base = (_mean((q - y) ** 2, w) for q in (p, recalibrated, np.full(len(y), _mean(y, w))))
    return CorpDecomposition(
        brier=score, miscalibration=max(score - best, 0.0), discrimination=max(base - best, 0.0), uncertainty=base
    )


def _mean(values: Floats, weights: Floats) -> float:
    return float(weights @ values / weights.sum()) if len(values) else float("nan")
