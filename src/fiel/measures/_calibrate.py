"""What a judge's probabilities are worth against gold, before and after a map. Knows no bar and no word."""

from __future__ import annotations

import math

import numpy as np

from fiel.measures._answers import passing_mask
from fiel.measures._columns import SOURCES
from fiel.measures._results_calibration import (
    BrierTerms,
    Calibration,
    CalibrationFigures,
    ReliabilityBin,
    Target,
)
from fiel.measures._tables import Table
from fiel.measures._weighing import Codes, Flags, Floats, Part, mean
from fiel.measures._words import counted, share
from fiel.records import Source
from fiel.stats import (
    CrossFit,
    Estimate,
    brier_decomposition,
    crossfit,
    ece,
    ece_debiased,
    ece_null_band,
    fit_platt,
    log_loss,
    reliability_curve,
    smooth_ece,
)

BINS, FOLDS, FEWEST_FOR_MAP = 10, 5, 20
NAMES: dict[Source, str] = {
    "logprobs": "token probabilities",
    "samples": "vote share",
    "mixture": "mixture of judges",
    "stated": "stated confidence",
    "classifier": "classifier",
    "baseline": "baseline",
    "point": "verdict alone",
    "decision": "decision",
    "check": "check",
}
_WITHOUT = ("point", "decision")  # a belief all on one option, because nothing else was asked for
NOT_GIVEN = "no confidence given"


def calibrations(table: Table, *, confidence: float) -> tuple[Calibration, ...]:
    """One for each kind of belief and target; kinds in the order of `Source`, P(passing) before the verdict's own.

    Items without a gold answer, and what checks decide, stay out. Items count alike, whatever their weights: what a
    probability is worth is asked of the items that have it. Clusters count in the interval of the Brier score and are
    never parted by the map; curve and null band take items as independent.
    """
    known = table.judge.believed & ~table.judge.checked & (table.people.gold >= 0)
    found: list[Calibration] = []
    for code in np.unique(table.judge.sources[table.judge.believed & ~table.judge.checked]).tolist():
        source, used = SOURCES[code], known & (table.judge.sources == code)
        targets: tuple[Target, ...] = ("passing",) if len(table.criterion.options) == 2 else ("passing", "mode")
        found += [_calibration(table, source, target, used, confidence) for target in targets]
    return tuple(found)


def _calibration(table: Table, source: Source, target: Target, used: Flags, confidence: float) -> Calibration:
    if source in _WITHOUT:
        return _nothing(source, target, int(used.sum()), NOT_GIVEN)
    if target == "mode":
        used = used & (table.judge.codes >= 0)
    gold = table.people.gold[used]
    if not len(gold):
        return _nothing(source, target, 0, "no item with a belief has a gold answer")
    if target == "passing":
        outcome, probability = passing_mask(table.criterion)[gold], table.probability[used]
    else:
        codes = table.judge.codes[used]
        outcome, probability = codes == gold, np.minimum(table.judge.beliefs[used, codes], 1.0)
    part = Part(clusters=table.clusters(used), weights=None)
    before = _figures(outcome.astype(np.float64), probability, part, confidence)
    fitted = _mapped(outcome, probability, part.clusters)
    after = None if fitted is None else _figures(outcome.astype(np.float64), fitted.values, part, confidence)
    maps = [] if fitted is None else [(one.intercept, one.slope) for one in fitted.maps]  # type: ignore[attr-defined]  # crossfit names the base of all maps; these are Platt's
    return Calibration(
        source=source,
        name=NAMES[source],
        target=target,
        n=len(gold),
        clusters=None if part.clusters is None else len(np.unique(part.clusters)),
        before=before,
        after=after,
        intercept=float(np.mean([a for a, _ in maps])) if maps else None,
        slope=float(np.mean([b for _, b in maps])) if maps else None,
        sentence=_sentence(NAMES[source], target, len(gold), before, after),
    )


def _mapped(outcome: Flags, probability: Floats, clusters: Codes | None) -> CrossFit | None:
    """Platt's map across folds; None where there are too few units or only one outcome."""
    units = len(outcome) if clusters is None else len(np.unique(clusters))
    if units < FEWEST_FOR_MAP or outcome.all() or not outcome.any():
        return None
    return crossfit(fit_platt, outcome, probability, folds=FOLDS, clusters=clusters)


def error_beside_null(
    outcome: Floats, probability: Floats, *, confidence: float
) -> tuple[float, Estimate | None, bool | None]:
    """The calibration error, that of a calibrated judge with its band, and whether the error is within or below it."""
    error = ece(outcome, probability, bins=BINS)
    band = ece_null_band(outcome, probability, bins=BINS, confidence=confidence)
    if band.value is None or band.high is None:
        return error, None, None
    return error, band, error <= band.high


def _figures(outcome: Floats, probability: Floats, part: Part, confidence: float) -> CalibrationFigures:
    curve = reliability_curve(outcome, probability, bins=BINS, confidence=confidence)
    error, null, within = error_beside_null(outcome, probability, confidence=confidence)
    terms = brier_decomposition(outcome, probability, bins=BINS)
    loss = log_loss(outcome, probability)
    names = [name for name in ReliabilityBin.__struct_fields__ if hasattr(curve, name)]
    columns = zip(*(getattr(curve, name) for name in names), strict=True)
    return CalibrationFigures(
        bins=tuple(ReliabilityBin(**dict(zip(names, values, strict=True))) for values in columns),
        ece=error,
        null=null,
        within_null=within,
        ece_debiased=ece_debiased(outcome, probability, bins=BINS),
        smooth_ece=smooth_ece(outcome, probability),
        brier=mean((probability - outcome) ** 2, part, bounds=(0.0, 1.0), confidence=confidence, empty=""),
        terms=BrierTerms(**{name: getattr(terms, name) for name in BrierTerms.__struct_fields__}),
        log_loss=loss if math.isfinite(loss) else None,
    )


def _nothing(source: Source, target: Target, n: int, reason: str) -> Calibration:
    return Calibration(
        source=source,
        name=NAMES[source],
        target=target,
        n=n,
        clusters=None,
        before=None,
        after=None,
        intercept=None,
        slope=None,
        sentence=f"{reason[0].upper()}{reason[1:]}.",
        reason=reason,
    )


def _sentence(name: str, target: Target, n: int, before: CalibrationFigures, after: CalibrationFigures | None) -> str:
    what = {"passing": "P(passing)", "mode": "P(verdict)"}[target]
    start = f"{what} by {name}, {counted(n, 'item')}: calibration error {share(before.ece)}"
    if before.null is None or before.null.high is None:
        return f"{start}; every probability is 0 or 1, and a calibrated judge of that kind is never wrong."
    usual = f"a calibrated judge shows up to {share(before.null.high, apart_from=(before.ece,))} on so many"
    if before.within_null:
        return f"{start}, and {usual}: no fault is seen."
    mended = f"; after a map fitted across folds {share(after.ece)}" if after is not None else ""
    return f"{start}, where {usual}{mended}."
