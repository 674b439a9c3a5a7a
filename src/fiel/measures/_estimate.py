"""The passing rate of one criterion: corrected by labels, or the judge's own. Knows no bar and no sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fiel.measures._answers import passing_mask
from fiel.measures._arguments import check_confidence, check_kind
from fiel.measures._columns import Columns
from fiel.measures._inputs import gather
from fiel.measures._tables import Table, tabulate
from fiel.measures._weighing import Codes, Flags, Floats, unweighted
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Subject
from fiel.stats import Estimate, Side, ppi_mean

RateKind: TypeAlias = Literal["corrected", "raw"]
GoldKind: TypeAlias = Literal["majority", "soft"]

PICKED = "the labelled items were picked at convenience, not drawn: pass as_random=True to read them as a random draw"

_OF_THE_JUDGE = ("judge_", "bias", "lambda", "rho", "variance_judge", "width_ratio")


def estimate(  # noqa: PLR0913  (what was said, what was asked, and how to read it)
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    criterion: Criterion,
    items: Sequence[Subject] = (),
    rate: RateKind = "corrected",
    side: Side = "both",
    confidence: float = 0.95,
    gold: GoldKind = "majority",
    as_random: bool = False,
) -> Estimate:
    """The rate of items that pass `criterion`, with its interval.

    "corrected": prediction-powered inference. What people say of the labelled items (1 where gold passes, 0 where it
    does not, 1/2 where raters tie between the two) corrects the judge's P(passing), which is known of all items that
    were judged; the labelled items must be a random draw of them, with the chances that the design says. Items that
    were judged without a belief, and labelled items that were not judged, take the mean of the judge's beliefs. Where
    no labelled item has a belief, the labels stand alone and `method` says so. A sample that was picked at convenience
    is refused unless `as_random` says that it may be read as a random draw.

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
        gold: "majority", or "soft" for the share of raters who let an item pass; intervals hold for these raters.
        as_random: that a convenience sample may be read as a random one; `notes` then say that you said so.

    Returns:
        An Estimate on the scale 0..1; its value is None, with the reason, without labels or with a convenience sample
        ("corrected"), or without beliefs ("raw"). Details are those of `ppi_mean`, and those of `mean_interval` with
        `n_judged` and `n_eff` for "raw".

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
    check_gold(gold)
    if rate == "raw":
        return raw_rate(table, side=side, confidence=confidence)
    picked = inputs.design.kind == "convenience"
    if picked and not as_random and table.people.labelled.any() and not table.by_check:
        return undefined(PICKED, "corrected", side, confidence, n=int(table.people.labelled.sum()))
    found = corrected_rate(table, gold=gold, side=side, confidence=confidence)
    return told(found) if picked and as_random else found


def check_gold(gold: str) -> None:
    """Raise unless there is such a gold.

    Raises:
        FielError: there is not.
    """
    if gold not in ("majority", "soft"):
        raise FielError(f"There is no gold {gold!r}.", fix='Ask for gold="majority" or gold="soft".')


def told(found: Estimate) -> Estimate:
    """The estimate with the note that a convenience sample is read as a random draw because the caller said so."""
    note = "the labelled items were picked at convenience and are read as a random draw because you said so"
    return replace(found, notes=(*found.notes, note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What the correction works on: n labelled items, N judged ones without a label, never an item in both.

    Args:
        y: shape (n,), what people say; f: shape (n,), the judge on the same items; f_unlabelled: shape (N,).
        clusters, clusters_unlabelled: of the items, or None where each stands alone.
        weights: shape (n,), 1 / P(drawn); None where chances were equal.
        labelled, others: shape (items,), which items they are.
        seen: whether the judge has a belief on any labelled item.
    """

    y: Floats
    f: Floats
    f_unlabelled: Floats
    clusters: Codes | None
    clusters_unlabelled: Codes | None
    weights: Floats | None
    labelled: Flags
    others: Flags
    seen: bool

    def where(self, here: Flags) -> Samples:
        """The part of both samples that stands in `here`, a mask of shape (items,)."""
        some, rest = here[self.labelled], here[self.others]
        return Samples(
            y=self.y[some],
            f=self.f[some],
            f_unlabelled=self.f_unlabelled[rest],
            clusters=None if self.clusters is None else self.clusters[some],
            clusters_unlabelled=None if self.clusters_unlabelled is None else self.clusters_unlabelled[rest],
            weights=None if self.weights is None else self.weights[some],
            labelled=self.labelled & here,
            others=self.others & here,
            seen=self.seen,
        )


def samples(table: Table, *, gold: GoldKind = "majority") -> Samples:
    """The labelled and the unlabelled part of a table, missing beliefs filled with the mean of those there are."""
    labelled, judge = table.people.labelled, table.judge
    others = judge.judged & ~labelled
    probability = table.probability
    if judge.believed.any():
        probability = np.where(judge.believed, probability, probability[judge.believed].mean())
    else:
        others = np.zeros_like(labelled)  # an item without any belief to fill in says nothing
    groups = table.groups if table.clusters(labelled | others) is not None else None
    return Samples(
        y=gold_values(table, gold)[labelled],
        f=probability[labelled],
        f_unlabelled=probability[others],
        clusters=None if groups is None else groups[labelled],
        clusters_unlabelled=None if groups is None else groups[others],
        weights=None if table.weights is None else table.weights[labelled],
        labelled=labelled,
        others=others,
        seen=bool((judge.believed & labelled).any()),
    )


def gold_values(table: Table, gold: GoldKind) -> Floats:
    """What people say of each item from 0 (fails) to 1 (passes), shape (items,)."""
    people = table.people
    if gold == "majority":
        return people.passing
    known = people.soft.sum(axis=1) > 0
    return np.where(known, np.minimum(people.soft @ passing_mask(table.criterion), 1.0), people.passing)


def corrected_rate(table: Table, *, gold: GoldKind = "majority", side: Side, confidence: float) -> Estimate:
    """The corrected rate of a table; undefined without labels."""
    if table.by_check:
        return checked_rate(table, side=side, confidence=confidence)
    return corrected_of(samples(table, gold=gold), side=side, confidence=confidence)


def corrected_of(parts: Samples, *, side: Side, confidence: float) -> Estimate:
    """The corrected mean of two samples; undefined without labels."""
    if not len(parts.y):
        return undefined("no labels: label a random draw of the judged items", "corrected", side, confidence)
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
        weights=None if unweighted(parts.weights, parts.clusters) else parts.weights,
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
        weights=None if unweighted(parts.weights, parts.clusters) else parts.weights,
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
        return undefined("no item has a belief of the judge", "mean", side, confidence)
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


def undefined(reason: str, method: str, side: Side, confidence: float, *, n: int = 0) -> Estimate:
    """An Estimate without a value, for `reason`."""
    return Estimate(
        value=None, low=None, high=None, confidence=confidence, method=method, n=n, side=side, reason=reason
    )
