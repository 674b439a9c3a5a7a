"""Passing rates of a rubric: corrected, beside the judge alone and the labels alone. Knows no bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fiel.measures._arguments import check_confidence, check_kind
from fiel.measures._assumptions import assumptions_of, shift_of, standings
from fiel.measures._columns import Columns
from fiel.measures._estimate import (
    PICKED,
    GoldKind,
    Samples,
    check_gold,
    corrected_rate,
    labels_alone,
    raw_rate,
    samples,
    told,
    undefined,
)
from fiel.measures._inputs import Inputs, gather
from fiel.measures._rate_slices import rate_slices
from fiel.measures._rate_words import sentence_of, warnings_of_rate
from fiel.measures._results_rates import Rate
from fiel.measures._tables import Table, tabulate
from fiel.measures._terms import terms_of
from fiel.records import CalibrationSet, Judgement, Label, Rubric, Subject
from fiel.stats import Estimate


def rates(
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    rubric: Rubric,
    items: Sequence[Subject] = (),
    confidence: float = 0.95,
    gold: GoldKind = "majority",
    as_random: bool = False,
    slices: Sequence[str] = (),
) -> tuple[Rate, ...]:
    """The passing rate of every criterion of `rubric`, as `estimate` has it, with what it rests on.

    Args:
        judgements: of one judge under one identity, at most one for each item and criterion; records or `Columns`.
        labels: of people, or a calibration set, which brings decisions, groups and the design of the draw.
        rubric: what was asked.
        items: the frame, with its groups; without it, all that was judged or labelled.
        confidence: of the intervals.
        gold: "majority", or "soft" for the share of raters who let an item pass.
        as_random: that a convenience sample may be read as a random draw; every rate then says that you said so.
        slices: fields of the items to give the rate by.

    Raises:
        FielError: judgements that do not belong together, answers that are no option, or no such field.
    """
    check_confidence(confidence)
    check_kind("rubric", rubric, Rubric, "a Rubric")
    check_gold(gold)
    inputs = gather(judgements, labels, criteria=rubric.criteria, items=items)
    return tuple(
        _rate(inputs, tabulate(inputs, criterion), confidence, gold=gold, as_random=as_random, slices=slices)
        for criterion in rubric.criteria
    )


def _rate(
    inputs: Inputs, table: Table, confidence: float, *, gold: GoldKind, as_random: bool, slices: Sequence[str]
) -> Rate:
    parts = samples(table, gold=gold)
    estimate, was_told = corrected_or_refused(inputs, table, gold=gold, as_random=as_random, confidence=confidence)
    refused = estimate.reason == PICKED
    believed = bool(table.judge.believed.any())
    raw = raw_rate(table, side="both", confidence=confidence) if believed else None
    classical = labels_alone(parts, side="both", confidence=confidence) if len(parts.y) and not refused else None
    shift = None if table.by_check else shift_of(table, parts)
    return Rate(
        criterion=table.criterion.id,
        passing=table.criterion.passes,
        judge=inputs.judge or "",
        identity=inputs.identity or "",
        estimate=estimate,
        raw=raw,
        classical=classical,
        bias=_bias(parts),
        funnel=table.funnel,
        sentence=sentence_of(table, parts, estimate, raw),
        assumptions=assumptions_of(inputs, table, parts),
        warnings=warnings_of_rate(inputs, table, parts, estimate, shift=shift, was_told=was_told),
        checks=standings(inputs, table, parts, shift=shift, was_told=was_told),
        terms=None if table.by_check else terms_of(estimate, parts),
        gold=gold,
        slices=()
        if refused
        else tuple(rate_slices(inputs, table, parts, estimate, field=field, confidence=confidence) for field in slices),
        weighted=None if table.weights is None else "weights",
        told=was_told,
        imputed=imputed_of(table, parts),
    )


def corrected_or_refused(
    inputs: Inputs, table: Table, *, gold: GoldKind, as_random: bool, confidence: float
) -> tuple[Estimate, bool]:
    """The corrected rate, or the refusal of a convenience sample; and whether the caller allowed one."""
    picked = inputs.design.kind == "convenience" and bool(table.people.labelled.any()) and not table.by_check
    if picked and not as_random:
        n = int(table.people.labelled.sum())
        return undefined(PICKED, "corrected", "both", confidence, n=n), False
    found = corrected_rate(table, gold=gold, side="both", confidence=confidence)
    return (told(found), True) if picked else (found, False)


def imputed_of(table: Table, parts: Samples) -> int:
    """How many items took the judge's mean in place of a belief of their own."""
    if not parts.seen:
        return 0
    used = parts.labelled | parts.others
    return int((used & ~table.judge.believed).sum())


def _bias(parts: Samples) -> float | None:
    return float(np.average(parts.f - parts.y, weights=parts.weights)) if parts.seen else None
