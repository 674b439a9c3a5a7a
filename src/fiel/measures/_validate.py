"""One judge against people, criterion by criterion. Knows no file and asks nobody."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fiel.measures._against import (
    PeopleBeside,
    agreement_of,
    beside_people,
    by_rater,
    coefficients,
    constant_of,
    disagreements,
    kappas_beside,
    preferred,
)
from fiel.measures._alternative import alternative
from fiel.measures._answers import passing_mask
from fiel.measures._arguments import check_confidence, check_kind, check_share
from fiel.measures._calibrate import calibrations
from fiel.measures._columns import Columns
from fiel.measures._designs import design_of
from fiel.measures._fitting import plain_kappa, shares_of
from fiel.measures._gold import gold_scores
from fiel.measures._inputs import Inputs, gather
from fiel.measures._people import asked_of, extreme
from fiel.measures._results import CriterionValidation, Validation
from fiel.measures._scale import scale_figures
from fiel.measures._slices import slice_table
from fiel.measures._tables import Codes, Table, tabulate
from fiel.measures._together import fleiss_people, fleiss_with
from fiel.measures._warnings import warnings_of
from fiel.measures._weighing import coefficient
from fiel.measures._word import CHECKED, FEWEST, Evidence, rule
from fiel.records import CalibrationSet, FielError, Judgement, Label, Rubric, Subject
from fiel.stats import Estimate, confusion_matrix, rate_probability


def validate(  # noqa: PLR0913  (what was said, what was asked, and each threshold that a reader may want to move)
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet,
    *,
    rubric: Rubric | None = None,
    items: Sequence[Subject] = (),
    bar: float = 0.85,
    confidence: float = 0.95,
    fewest: int = FEWEST,
    slices: Sequence[str] = (),
    preferences: Collection[str] = (),
    epsilon: float = 0.2,
    full: bool = True,
) -> Validation:
    """How well one judge agrees with people, and a word for each criterion.

    Gold is the adjudicated answer, else the answer that most raters gave; ties and judgements without a verdict stay
    out of agreement and are counted in the funnel. So do items that a deterministic check decided: a check is no
    opinion of the judge, and what it gets right does not speak for the judge. Where checks decided every item the
    figures are theirs, and the word is *use*. Intervals are two-sided at `confidence`; the word rests on
    one-sided bounds at `confidence`. Items of one group are clusters. Where the design has unequal weights, shares,
    means and coefficients are weighted by it; what is not says so in the warnings.

    Labels that count are first answers, given without a judge's answer in reach, to the criterion. A rater called
    "preference", or "preference:...", is a preference of users: set beside the judge, never gold.

    Args:
        judgements: of one judge under one identity, at most one for each item and criterion; as records or `Columns`.
        labels: of people, or a calibration set, which brings rubric, items, decisions and design.
        rubric: what was asked; needed with plain labels, and instead of the set's own where given.
        items: the frame, with its groups; without it, the items of the set, or all that was judged or labelled.
            Records of other items are left out, and the warnings count them.
        bar: the agreement from which a criterion may move decisions.
        confidence: of the intervals and of the word, from 0.5 to 0.999999.
        fewest: items of the rarer class that *use* asks for.
        slices: fields of the items to look at agreement by.
        preferences: further raters whose labels are preferences.
        epsilon: what the alternative annotator test grants the judge.
        full: False leaves out all but funnel, agreement, kappa, ceiling, difference, confusion and word.

    Raises:
        FielError: no judgements, no rubric, judgements that do not belong together, answers that are no option, or a
            calibration set whose criterion has changed its meaning since people answered.
    """
    check_share("bar", bar)
    check_share("epsilon", epsilon, ends=True)
    check_confidence(confidence)
    check_kind("fewest", fewest, int, "a whole number")
    asked, items = asked_of(labels, rubric, items)
    inputs = gather(judgements, labels, criteria=asked.criteria, items=items, preferences=preferences)
    if inputs.judge is None or inputs.identity is None:
        raise FielError(f"There are no judgements on rubric {asked.id!r}.", fix="Judge the labelled items first.")
    tables = [tabulate(inputs, criterion) for criterion in asked.criteria]
    terms = _Terms(
        bar=bar, confidence=confidence, fewest=fewest, slices=tuple(slices) if full else (), epsilon=epsilon, full=full
    )
    return Validation(
        judge=inputs.judge,
        identity=inputs.identity,
        rubric=asked.id,
        rubric_digest=asked.digest,
        bar=bar,
        confidence=confidence,
        fewest=fewest,
        raters=tuple(sorted({rater for table in tables for rater in table.people.raters})),
        criteria=tuple(_criterion(inputs, table, terms) for table in tables),
        warnings=warnings_of(inputs, tables),
        construct=f"adherence to rubric {asked.id!r}",
        design=design_of(inputs),
        calibration_set=labels.digest if isinstance(labels, CalibrationSet) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """What the caller asked for."""

    bar: float
    confidence: float
    fewest: int
    slices: tuple[str, ...]
    epsilon: float
    full: bool


def _criterion(inputs: Inputs, table: Table, terms: _Terms) -> CriterionValidation:
    criterion, used = table.criterion, table.both
    gold, verdict, part = table.people.gold[used], table.judge.codes[used], table.part(used)
    agreement = agreement_of(table, confidence=terms.confidence)
    form, both = plain_kappa(criterion), np.stack([gold, verdict], axis=1)
    kappa, kappa_bound = (
        coefficient(form.statistic, both, part, confidence=terms.confidence, side=side, **form.options)
        for side in ("both", "lower")
    )
    beside = beside_people(table, confidence=terms.confidence)
    evidence = _evidence(table, terms, agreement, kappa_bound, beside)
    ruling = CHECKED if table.by_check else rule(evidence)
    extras = _full(inputs, table, terms) if terms.full else {}
    return CriterionValidation(
        criterion=criterion.id,
        question=criterion.question,
        options=criterion.options,
        passing=criterion.passes,
        digest=criterion.digest,
        scale=criterion.scale,
        funnel=table.funnel,
        raters=len(table.people.raters),
        agreement=agreement,
        probability=_probability(agreement, terms.bar),
        kappa=kappa,
        ceiling=beside.ceiling,
        difference=beside.difference,
        confusion=_rows(confusion_matrix(gold, verdict, categories=len(criterion.options))),
        constant=constant_of(table.judge.codes[table.answered], criterion),
        word=ruling.word,
        why=ruling.why,
        more=ruling.more,
        disagreements=disagreements(table),
        plain=None if agreement.value is None else _plain(agreement.value, terms.bar),
        at_ceiling=evidence.at_ceiling and not table.by_check,
        weighted=None if table.weights is None else "weights",
        **extras,
    )


def _evidence(
    table: Table, terms: _Terms, agreement: Estimate, kappa_bound: Estimate, beside: PeopleBeside
) -> Evidence:
    used = table.both
    gold, verdict = table.people.gold[used], table.judge.codes[used]
    passing = int(passing_mask(table.criterion)[gold].sum())
    return Evidence(
        agreement=agreement,
        hits=int((gold == verdict).sum()),
        items=len(gold),
        passing=passing,
        failing=len(gold) - passing,
        kappa_bound=kappa_bound,
        difference_bound=beside.difference_bound,
        ceiling=beside.ceiling,
        ceiling_bound=beside.ceiling_bound,
        raters=len(table.people.raters),
        constant=constant_of(verdict, table.criterion),
        bar=terms.bar,
        confidence=terms.confidence,
        fewest=terms.fewest,
        weighted=table.weights is not None,
        tied=int((table.answered & table.people.labelled & (table.people.gold < 0)).sum()),
    )


def _full(inputs: Inputs, table: Table, terms: _Terms) -> dict[str, Any]:
    """What stands beside the word."""
    confidence, criterion, used = terms.confidence, table.criterion, table.both
    prevalence = shares_of(
        table.people.gold[used], None if table.weights is None else table.weights[used], len(criterion.options)
    )
    gap = kappas_beside(table, confidence=confidence)
    ids = [table.subjects[row] for row in np.flatnonzero(used)]
    hits = (table.judge.codes == table.people.gold)[used].astype(np.float64)
    return {
        "prevalence": prevalence,
        "extreme": extreme(prevalence),
        "coefficients": coefficients(table, is_extreme=extreme(prevalence), confidence=confidence),
        "by_rater": by_rater(inputs, table, confidence=confidence),
        "kappa_ceiling": gap.ceiling,
        "kappa_difference": gap.difference,
        "fleiss_people": fleiss_people(table, confidence),
        "fleiss_with_judge": fleiss_with(table, inputs.judge or "", confidence),
        "alt_test": alternative(table, epsilon=terms.epsilon),
        "scores": gold_scores(table, confidence=confidence),
        "errors": scale_figures(table, confidence=confidence),
        "calibrations": calibrations(table, confidence=confidence),
        "preferences": preferred(inputs, table, confidence=confidence),
        "slices": tuple(
            slice_table(
                hits, table.part(used), ids, inputs.subjects, field=field, confidence=confidence, what="agreement"
            )
            for field in terms.slices
        ),
    }


def _plain(value: float, bar: float) -> Any:
    return "reaches the bar" if value >= bar else "below the bar"


def _rows(counts: Codes) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(count) for count in row) for row in counts)


def _probability(agreement: Estimate, bar: float) -> float | None:
    if agreement.value is None:
        return None
    return float(rate_probability(agreement.value, agreement.details["n_eff"], bar))
