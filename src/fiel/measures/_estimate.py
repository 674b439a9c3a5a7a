"""The passing rate of one criterion: corrected by labels, or the judge's own. Knows no bar and no sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fiel.measures._inputs import check_confidence, check_kind, gather
from fiel.measures._tables import Codes, Floats, Table, tabulate
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Subject
from fiel.stats import Estimate, Side, ppi_mean

RateKind: TypeAlias = Literal["corrected", "raw"]

_OF_THE_JUDGE = ("judge_", "bias", "lambda", "rho", "variance_judge", "width_ratio")


def estimate(
    judgements: Iterable[Judgement],
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    criterion: Criterion,
    items: Sequence[Subject] = (),
    rate: RateKind = "corrected",
    side: Side = "both",
    confidence: float = 0.95,
) -> Estimate:
    """The rate of items that pass `criterion`, with its interval.

    "corrected": prediction-powered inference. What people say of the labelled items (1 where gold passes, 0 where it
    does not, 1/2 where raters tie between the two) corrects the judge's P(passing), which is known of all items that
    were judged; the labelled items must be a random draw of them. Items that were judged without a belief, and labelled
    items that were not judged, take the mean of the judge's beliefs. Where no labelled item has a belief, the labels
    stand alone and `method` says so.

    "raw": the mean of the judge's P(passing). Its interval is for the sampling of items; the judge's bias is in it,
    uncorrected, and `method` says so.

    Items of one group are clusters.

    Args:
        judgements: of one judge under one identity, at most one for each item; of other criteria, left out.
        labels: of people, or a calibration set, which brings decisions and groups.
        criterion: what was asked.
        items: the frame, with its groups; without it, all that was judged or labelled.
        rate: see above.
        side: "both", or "lower" / "upper" for one bound.
        confidence: the coverage promised, from 0.5 to 0.999999.

    Returns:
        An Estimate on the scale 0..1; its value is None, with the reason, without labels ("corrected"), without
        beliefs ("raw"), or when the labels were drawn with unequal chances, which this version cannot weigh. Details
        are those of `ppi_mean`, and those of `mean_interval` with `n_judged` and `n_eff` for "raw".

    Raises:
        FielError: judgements that do not belong together, or answers that are no option.
    """
    check_confidence(confidence)
    check_kind("criterion", criterion, Criterion, "a Criterion")
    if rate not in ("corrected", "raw"):
        raise FielError(f"There is no rate {rate!r}.", fix='Ask for rate="corrected" or rate="raw".')
    if side not in ("both", "lower", "upper"):
        raise FielError(f"There is no side {side!r}.", fix='Ask for side="both", "lower" or "upper".')
    inputs = gather(judgements, labels, criteria=(criterion,), items=items)
    table = tabulate(inputs, criterion)
    if rate == "raw":
        return raw_rate(table, side=side, confidence=confidence)
    return corrected_rate(table, uneven=inputs.uneven, side=side, confidence=confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What the correction works on: n labelled items, N judged ones without a label, never an item in both.

    Args:
        y: shape (n,), what people say; f: shape (n,), the judge on the same items; f_unlabelled: shape (N,).
        clusters, clusters_unlabelled: of the items, or None where each stands alone.
        seen: whether the judge has a belief on any labelled item.
    """

    y: Floats
    f: Floats
    f_unlabelled: Floats
    clusters: Codes | None
    clusters_unlabelled: Codes | None
    seen: bool


def samples(table: Table) -> Samples:
    """The labelled and the unlabelled part of a table, missing beliefs filled with the mean of those there are."""
    labelled, judge = table.people.labelled, table.judge
    others = judge.judged & ~labelled
    probability = table.probability
    if judge.believed.any():
        probability = np.where(judge.believed, probability, probability[judge.believed].mean())
    else:
        others = np.zeros_like(labelled)  # an item without any belief to fill in says nothing
    in_groups = table.clusters(labelled | others) is not None
    return Samples(
        y=table.people.passing[labelled],
        f=probability[labelled],
        f_unlabelled=probability[others],
        clusters=table.groups[labelled] if in_groups else None,
        clusters_unlabelled=table.groups[others] if in_groups else None,
        seen=bool((judge.believed & labelled).any()),
    )


def corrected_rate(table: Table, *, uneven: bool, side: Side, confidence: float) -> Estimate:
    """The corrected rate of a table; undefined without labels, or with labels drawn with unequal chances."""
    if table.by_check:
        return checked_rate(table, side=side, confidence=confidence)
    parts = samples(table)
    if not len(parts.y):
        return _undefined("no labels: label a random draw of the judged items", "corrected", side, confidence)
    if uneven:
        reason = "the labelled items were drawn with unequal chances, which this version cannot weigh"
        return _undefined(reason, "corrected", side, confidence, n=len(parts.y))
    if not parts.seen:
        alone = labels_alone(parts, side=side, confidence=confidence)
        return replace(alone, method=f"{alone.method}: no labelled item has a belief of the judge")
    return ppi_mean(
        parts.y,
        parts.f,
        parts.f_unlabelled,
        confidence=confidence,
        side=side,
        clusters=parts.clusters,
        clusters_unlabelled=parts.clusters_unlabelled,
    )


def labels_alone(parts: Samples, *, side: Side, confidence: float) -> Estimate:
    """The rate from the labels, as if there were no judge: Wilson, or with clusters its like with t."""
    nothing = np.zeros(0)
    found = ppi_mean(
        parts.y,
        np.zeros_like(parts.y),
        nothing,
        confidence=confidence,
        side=side,
        method="classical",
        clusters=parts.clusters,
    )
    details = {name: number for name, number in found.details.items() if not name.startswith(_OF_THE_JUDGE)}
    return replace(found, method=f"{found.method}, labels alone", details=details)


def raw_rate(table: Table, *, side: Side, confidence: float) -> Estimate:
    """The mean of the judge's P(passing) over what it has a belief on, its bias in it."""
    found = _own_mean(table, side=side, confidence=confidence)
    return replace(found, method=f"{found.method}; raw, the judge's bias is not corrected")


def checked_rate(table: Table, *, side: Side, confidence: float) -> Estimate:
    """The share that a deterministic check lets pass, with an interval for the draw of the items alone."""
    found = _own_mean(table, side=side, confidence=confidence)
    return replace(found, method=f"{found.method}; decided by a check")


def _own_mean(table: Table, *, side: Side, confidence: float) -> Estimate:
    believed = table.judge.believed
    if not believed.any():
        return _undefined("no item has a belief of the judge", "mean", side, confidence)
    values, clusters = table.probability[believed], table.clusters(believed)
    found = ppi_mean(
        values,
        np.zeros_like(values),  # nobody stands beside the judge here: its own mean, with limits that hold near 0 and 1
        np.zeros(0),
        confidence=confidence,
        side=side,
        clusters=clusters,
        method="ess-wilson",
    )
    details = {"n_judged": float(len(values))}
    if "n_eff" in found.details:
        details["n_eff"] = found.details["n_eff"]
    return replace(found, method=found.method.replace(", labels alone", ""), details=details)


def _undefined(reason: str, method: str, side: Side, confidence: float, *, n: int = 0) -> Estimate:
    return Estimate(
        value=None, low=None, high=None, confidence=confidence, method=method, n=n, side=side, reason=reason
    )
