"""What is said of a judge's probabilities, as records. Computes nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fiel.measures._results_figures import Result
from fiel.records import Source
from fiel.stats import Estimate

Target: TypeAlias = Literal["passing", "mode"]


class ReliabilityBin(Result, frozen=True, kw_only=True):
    """What was said against what happened, in one bin of probability.

    Args:
        start, end: of the bin; count: how many items fell into it.
        probability: the mean of what was said; outcome: the share that happened.
        low, high: Wilson's limits of that share.
        expected_low, expected_high: the null band: between which the share falls for a calibrated judge.
    """

    start: float
    end: float
    count: int
    probability: float
    outcome: float
    low: float
    high: float
    expected_low: float
    expected_high: float


class BrierTerms(Result, frozen=True, kw_only=True):
    """brier = reliability - resolution + uncertainty + within_bin_variance - within_bin_covariance."""

    reliability: float
    resolution: float
    uncertainty: float
    within_bin_variance: float
    within_bin_covariance: float


class CalibrationFigures(Result, frozen=True, kw_only=True):
    """How calibrated one set of probabilities is.

    Args:
        bins: the reliability curve, the bins that hold an item, in rising order.
        ece: the expected calibration error, above 0 for a calibrated judge too; null: what a calibrated judge would
            show that says the same, with the band that holds `confidence` of it; None where nothing is left to chance.
        within_null: whether `ece` lies in that band or below it; None where there is no band.
        ece_debiased: the squared error without what chance adds; it may be negative.
        smooth_ece: without bins.
        brier: the Brier score with its interval; terms: what it is made of.
        log_loss: in nats; None where something happened that was called impossible.
    """

    bins: tuple[ReliabilityBin, ...]
    ece: float
    null: Estimate | None
    within_null: bool | None
    ece_debiased: float
    smooth_ece: float
    brier: Estimate
    terms: BrierTerms
    log_loss: float | None


class Calibration(Result, frozen=True, kw_only=True):
    """One kind of belief of one judge on one criterion, against gold.

    Args:
        source: where the probabilities come from ("logprobs", "samples", ...); name: in words ("vote share").
        target: "passing": P(passing) against whether gold passes. "mode": the probability of the verdict against
            whether the verdict is right; only where there are more than two options.
        n: how many items; clusters: how many independent units, None where each item is one.
        before: as given; None where there is nothing to look at, and `reason` says why ("no confidence given").
        after: after Platt's map, fitted across folds so that no item is mapped by its own label; None with fewer than
            20 items or one outcome only.
        intercept, slope: of the map, on logits, the mean over folds; 0 and 1 change nothing.
        sentence: what it says.
    """

    source: Source
    name: str
    target: Target
    n: int
    clusters: int | None
    before: CalibrationFigures | None
    after: CalibrationFigures | None
    intercept: float | None
    slope: float | None
    sentence: str
    reason: str | None = None
