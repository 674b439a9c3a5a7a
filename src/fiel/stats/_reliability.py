"""The reliability curve: per bin, what was said, what happened, and how far chance reaches. Draws nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_bins import Strategy, binned, check_bins
from fiel.stats._calibration_inputs import as_forecasts
from fiel.stats._checks import Floats, tail
from fiel.stats._poisson_binomial import poisson_binomial
from fiel.stats._proportions import wilson_limits
from fiel.stats._quantiles import normal_quantile

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityCurve:
    """Each field but the last holds one number for each bin in use, in rising order of probability.

    Args:
        start: where the bin starts (of equal width: not included, but for 0); of equal mass: its least probability.
        end: where it ends (included); of equal mass: its greatest probability.
        count: how many items fell into it.
        probability: the mean of what was said.
        outcome: the mean of what happened.
        low, high: Wilson's limits for the rate of outcomes in the bin.
        expected_low, expected_high: between which `outcome` would fall if the judge were perfectly calibrated.
        confidence: of both pairs of limits, for each bin alone.
    """

    start: tuple[float, ...]
    end: tuple[float, ...]
    count: tuple[int, ...]
    probability: tuple[float, ...]
    outcome: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    expected_low: tuple[float, ...]
    expected_high: tuple[float, ...]
    confidence: float

    def __len__(self) -> int:
        """The number of bins in use."""
        return len(self.count)


def reliability_curve(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    confidence: float = 0.95,
) -> ReliabilityCurve:
    """What was said against what happened, bin by bin, with limits of two kinds.

    Wilson's limits hold the rate that a bin's items have; the expected ones hold the mean outcome that a calibrated
    judge would show, each item having its own probability (exact: Poisson-binomial quantiles). Items count as
    independent. For outcomes between 0 and 1 both are wider than need be.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: as in `ece`.
        confidence: of the limits, for each bin alone.

    Returns:
        The curve, without the bins that stay empty; of length 0 without items.

    Raises:
        ValueError: as `ece`, or on a confidence out of range.

    Wilson (1927); Bröcker and Smith (2007) for the expected limits, which they draw at random.

    >>> curve = reliability_curve([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.6], bins=2)
    >>> curve.count, curve.outcome, round(curve.low[1], 3)
    ((1, 3), (0.0, 1.0), 0.439)
    """
    upto = tail(confidence, "both")
    data = as_forecasts(outcome, probability, None)
    check_bins(bins, strategy)
    if not len(data.outcome):
        return ReliabilityCurve(**dict.fromkeys(ReliabilityCurve.__slots__[:-1], ()), confidence=float(confidence))
    found = binned(data, bins, strategy)
    order = np.argsort(found.codes, kind="stable")
    members = np.split(data.probability[order], np.cumsum(np.bincount(found.codes))[:-1])
    quantile = normal_quantile(upto)
    limits = [wilson_limits(min(y, 1.0), n, quantile, "both") for y, n in zip(found.outcome, found.weight, strict=True)]
    expected = [_expected(p, 1 - upto, upto) for p in members]
    if strategy == "width":
        start, end = found.number / bins, (found.number + 1) / bins
    else:
        start, end = (np.array([f(p) for p in members]) for f in (np.min, np.max))
    return ReliabilityCurve(
        start=tuple(start.tolist()),
        end=tuple(end.tolist()),
        count=tuple(int(n) for n in found.weight),
        probability=tuple(found.probability.tolist()),
        outcome=tuple(found.outcome.tolist()),
        low=tuple(float(low) for low, _ in limits),
        high=tuple(float(high) for _, high in limits),
        expected_low=tuple(low for low, _ in expected),
        expected_high=tuple(high for _, high in expected),
        confidence=float(confidence),
    )


def _expected(probability: Floats, below: float, upto: float) -> tuple[float, float]:
    """The quantiles of the share of events that happen."""
    sums = np.cumsum(poisson_binomial(probability))
    low, high = np.searchsorted(sums, [below - _ROUNDING, upto - _ROUNDING], side="left") / len(probability)
    return float(low), min(float(high), 1.0)
