"""One judge against people, criterion by criterion. Knows no file and asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from fiel.measures._inputs import check_confidence, check_kind, check_share, gather
from fiel.measures._results import CriterionValidation, Validation
from fiel.measures._tables import Codes, Flags, Floats, Table, passing_mask, tabulate
from fiel.measures._warnings import warnings_of
from fiel.measures._word import CHECKED, Evidence, Ruling, rule
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Rubric, Subject
from fiel.stats import (
    Estimate,
    agreement_interval,
    cohen_kappa,
    confusion_matrix,
    mean_interval,
    rate_interval,
    rate_probability,
)


def validate(
    judgements: Iterable[Judgement],
    labels: Iterable[Label] | CalibrationSet,
    *,
    rubric: Rubric | None = None,
    items: Sequence[Subject] = (),
    bar: float = 0.85,
    confidence: float = 0.95,
) -> Validation:
    """How well one judge agrees with people, and a word for each criterion.

    Gold is the adjudicated answer, else the answer that most raters gave; ties and judgements without a verdict stay
    out of agreement and are counted in the funnel. So do items that a deterministic check decided: a check is no
    opinion of the judge, and what it gets right does not speak for the judge. Where checks decided every item the
    figures are theirs, and the word is *use*. Intervals are two-sided at `confidence`; the word rests on
    one-sided bounds at `confidence`. Items of one group are clusters.

    Args:
        judgements: of one judge under one identity, at most one for each item and criterion.
        labels: of people, or a calibration set, which brings rubric, items and decisions.
        rubric: what was asked; needed with plain labels, and instead of the set's own where given.
        items: the frame, with its groups; without it, the items of the set, or all that was judged or labelled.
            Records of other items are left out, and the warnings count them.
        bar: the agreement from which a criterion may move decisions.
        confidence: of the intervals and of the word, from 0.5 to 0.999999.

    Raises:
        FielError: no judgements, no rubric, judgements that do not belong together, answers that are no option.
    """
    check_share("bar", bar)
    check_kind("rubric", rubric, (Rubric, NoneType), "a Rubric")
    check_confidence(confidence)
    if isinstance(labels, CalibrationSet):
        rubric = rubric or labels.rubric
        items = items or (*labels.items, *labels.pairs)
    if rubric is None:
        raise FielError("There is no rubric.", fix="Pass rubric=..., or a calibration set in place of labels.")
    inputs = gather(judgements, labels, criteria=rubric.criteria, items=items)
    if inputs.judge is None or inputs.identity is None:
        raise FielError(f"There are no judgements on rubric {rubric.id!r}.", fix="Judge the labelled items first.")
    tables = [tabulate(inputs, criterion) for criterion in rubric.criteria]
    return Validation(
        judge=inputs.judge,
        identity=inputs.identity,
        rubric=rubric.id,
        rubric_digest=rubric.digest,
        bar=bar,
        confidence=confidence,
        raters=tuple(sorted({rater for table in tables for rater in table.people.raters})),
        criteria=tuple(_criterion(table, bar=bar, confidence=confidence) for table in tables),
        warnings=warnings_of(inputs, tables),
    )


def _criterion(table: Table, *, bar: float, confidence: float) -> CriterionValidation:
    criterion, used = table.criterion, table.both
    options = len(criterion.options)
    gold, verdict = table.people.gold[used], table.judge.codes[used]
    clusters = table.clusters(used)
    agreement = _agreement(gold == verdict, clusters, confidence)
    kappa, kappa_bound = (
        agreement_interval(
            cohen_kappa,
            np.stack([gold, verdict], axis=1),
            confidence=confidence,
            side=side,
            categories=options,
            clusters=clusters,
        )
        for side in ("both", "lower")
    )
    ceiling, difference, difference_bound = _beside_people(table, confidence)
    passing = int(passing_mask(criterion)[gold].sum())
    ruling = (
        CHECKED
        if table.by_check
        else rule(
            Evidence(
                agreement=agreement,
                hits=int((gold == verdict).sum()),
                items=len(gold),
                passing=passing,
                failing=len(gold) - passing,
                kappa_bound=kappa_bound,
                difference_bound=difference_bound,
                ceiling=ceiling,
                raters=len(table.people.raters),
                constant=_constant(verdict, criterion),
                bar=bar,
                confidence=confidence,
            )
        )
    )
    return _assembled(
        table,
        ruling,
        agreement=agreement,
        probability=_probability(agreement, bar),
        kappa=kappa,
        ceiling=ceiling,
        difference=difference,
        confusion=_rows(confusion_matrix(gold, verdict, categories=options)),
    )


def _assembled(table: Table, ruling: Ruling, **figures: Any) -> CriterionValidation:
    """The figures and the word, beside what was asked and of how many."""
    criterion, verdicts = table.criterion, table.judge.codes[table.answered]
    return CriterionValidation(
        criterion=criterion.id,
        question=criterion.question,
        options=criterion.options,
        passing=criterion.passes,
        digest=criterion.digest,
        funnel=table.funnel,
        raters=len(table.people.raters),
        constant=_constant(verdicts, criterion),
        word=ruling.word,
        why=ruling.why,
        more=ruling.more,
        disagreements=_disagreements(table),
        **figures,
    )


def _rows(counts: Codes) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(count) for count in row) for row in counts)


def _agreement(hits: Flags, clusters: Codes | None, confidence: float) -> Estimate:
    if len(hits):
        return rate_interval(hits, confidence=confidence, clusters=clusters)
    return Estimate(
        value=None,
        low=None,
        high=None,
        confidence=confidence,
        method="clopper-pearson",
        n=0,
        reason="no item has both a verdict and an answer of people",
    )


def _probability(agreement: Estimate, bar: float) -> float | None:
    if agreement.value is None:
        return None
    return float(rate_probability(agreement.value, agreement.details["n_eff"], bar))


def _beside_people(table: Table, confidence: float) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """The ceiling, the paired difference from it, and the difference's one-sided upper bound.

    On items that the judge answered, and two raters or more. Per item: the share of pairs of raters that agree, and
    the share of raters with whom the judge agrees. All None where there is no such item.
    """
    answers, verdict = table.people.codes, table.judge.codes
    used = table.answered & ((answers >= 0).sum(axis=1) > 1)
    if not used.any():
        return None, None, None
    people, judge = _shares(answers[used], verdict[used], len(table.criterion.options))
    clusters = table.clusters(used)
    ceiling = rate_interval(people, confidence=confidence, clusters=clusters)
    difference, bound = (
        mean_interval(judge - people, confidence=confidence, side=side, clusters=clusters, bounds=(-1.0, 1.0))
        for side in ("both", "upper")
    )
    return ceiling, difference, bound


def _shares(answers: Codes, verdict: Codes, options: int) -> tuple[Floats, Floats]:
    """Per item, the share of pairs of raters that agree and the share of raters with whom `verdict` agrees."""
    votes = np.stack([(answers == code).sum(axis=1) for code in range(options)], axis=1)
    raters = votes.sum(axis=1)
    people = (votes * (votes - 1)).sum(axis=1) / (raters * (raters - 1))
    judge = votes[np.arange(len(votes)), verdict] / raters
    return people, judge


def _constant(verdicts: Codes, criterion: Criterion) -> str | None:
    """The one option among two verdicts or more, if there is only one."""
    if len(verdicts) < 2 or (verdicts != verdicts[0]).any():
        return None
    return criterion.options[int(verdicts[0])]


def _disagreements(table: Table) -> tuple[str, ...]:
    """Ids of items where verdict and gold differ, by falling probability of the verdict, then by id."""
    rows = np.flatnonzero(table.both & (table.judge.codes != table.people.gold))
    surety = table.judge.beliefs[rows, table.judge.codes[rows]]
    return tuple(table.subjects[row] for row in rows[np.argsort(-surety, kind="stable")])
