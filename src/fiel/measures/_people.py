"""People among themselves, criterion by criterion. Knows no judgement: no figure here can depend on a judge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from types import NoneType

import numpy as np

from fiel.measures._arguments import check_confidence, check_kind
from fiel.measures._designs import design_of
from fiel.measures._fitting import EXTREME, ac, alpha, cohen, conger, figure, fleiss, shares_of
from fiel.measures._inputs import Inputs, gather
from fiel.measures._pairs import pair
from fiel.measures._raters import rater_lines
from fiel.measures._results_figures import Figure, PairFigures
from fiel.measures._results_people import CriterionPeople, People
from fiel.measures._tables import Table, tabulate
from fiel.measures._warnings import warnings_of_people
from fiel.measures._weighing import Codes, Floats, Part, share
from fiel.records import CalibrationSet, Criterion, FielError, Label, Rubric, Subject

MOST_PAIRS = 300  # of raters that are shown: those with most items in common


def people(
    labels: Iterable[Label] | CalibrationSet,
    *,
    rubric: Rubric | None = None,
    items: Sequence[Subject] = (),
    confidence: float = 0.95,
    preferences: Collection[str] = (),
) -> People:
    """How people agree with each other and with themselves.

    Labels count as in `validate`. With a design of unequal chances figures are weighted by it. Up to 300 pairs
    of raters are shown, those with most items in common; the coefficients are of all.

    Args:
        labels: of people, or a calibration set, which brings rubric and items.
        rubric: what was asked; needed with plain labels.
        items: the frame, with its groups; without it, the items of the set, or all that was labelled.
        confidence: of the intervals.
        preferences: raters whose labels are preferences: another construct.

    Raises:
        FielError: no rubric, or answers that are no option.
    """
    rubric, items = asked_of(labels, rubric, items)
    check_confidence(confidence)
    inputs = gather((), labels, criteria=rubric.criteria, items=items, preferences=preferences)
    tables = [tabulate(inputs, criterion) for criterion in rubric.criteria]
    return People(
        rubric=rubric.id,
        rubric_digest=rubric.digest,
        confidence=confidence,
        raters=tuple(sorted({rater for table in tables for rater in table.people.raters})),
        design=design_of(inputs),
        weighted=inputs.uneven,
        criteria=tuple(_criterion(inputs, table, confidence) for table in tables),
        warnings=warnings_of_people(inputs, tables),
    )


def asked_of(
    labels: Iterable[Label] | CalibrationSet, rubric: Rubric | None, items: Sequence[Subject]
) -> tuple[Rubric, Sequence[Subject]]:
    """Rubric and frame, those of a calibration set where none are given.

    Raises:
        FielError: there is no rubric.
    """
    check_kind("rubric", rubric, (Rubric, NoneType), "a Rubric")
    if isinstance(labels, CalibrationSet):
        rubric = rubric or labels.rubric
        items = items or (*labels.items, *labels.pairs)
    if rubric is None:
        raise FielError("There is no rubric.", fix="Pass rubric=..., or a calibration set in place of labels.")
    return rubric, items


def coefficients_of(codes: Codes, part: Part, criterion: Criterion, confidence: float) -> tuple[Figure, ...]:
    """The coefficients of several raters, shape (n, raters), the one that fits the scale first; none without pairs."""
    used = (codes >= 0).sum(axis=1) > 1
    if not used.any():
        return ()
    counted, whole = part.where(used), codes[used]
    raters = np.flatnonzero((whole >= 0).any(axis=0))
    if len(raters) == 2:
        forms = [cohen(criterion), alpha(criterion)]
        whole = whole[:, raters]
    else:
        forms = [conger(criterion), fleiss(criterion), alpha(criterion)]
    if extreme(shares_of(whole, counted.weights, len(criterion.options))):
        forms.append(ac(criterion))
    return tuple(figure(form, whole, counted, confidence=confidence) for form in forms)


def extreme(shares: Sequence[float]) -> bool:
    """Whether one option has nearly all the answers, so that kappa is fragile."""
    return max(shares, default=0.0) >= EXTREME


def _criterion(inputs: Inputs, table: Table, confidence: float) -> CriterionPeople:
    criterion, answers = table.criterion, table.people
    everything = np.ones(len(table.subjects), dtype=bool)
    part = table.part(everything)
    shared = answers.counts > 1
    prevalence = shares_of(answers.codes, part.weights, len(criterion.options)) if answers.raters else ()
    return CriterionPeople(
        criterion=criterion.id,
        question=criterion.question,
        options=criterion.options,
        scale=criterion.scale,
        digest=criterion.digest,
        labelled=int(answers.labelled.sum()),
        shared=int(shared.sum()),
        unresolved=int((answers.labelled & (answers.gold < 0)).sum()),
        adjudicated=int(answers.adjudicated.sum()),
        prevalence=prevalence,
        extreme=extreme(prevalence),
        agreement=share(
            agreeing_pairs(answers.codes[shared], len(criterion.options)),
            part.where(shared),
            confidence=confidence,
            empty="no item has answers of two raters",
        )
        if shared.any()
        else None,
        coefficients=coefficients_of(answers.codes, part, criterion, confidence),
        pairs=_pairs(table, part, confidence),
        raters=rater_lines(inputs, table, part, confidence=confidence),
    )


def agreeing_pairs(codes: Codes, options: int) -> Floats:
    """Per item the share of pairs of raters that agree, shape (n,); every item needs two answers."""
    votes = np.stack([(codes == code).sum(axis=1) for code in range(options)], axis=1)
    raters = votes.sum(axis=1)
    return np.asarray((votes * (votes - 1)).sum(axis=1) / (raters * (raters - 1)), dtype=np.float64)


def _pairs(table: Table, part: Part, confidence: float) -> tuple[PairFigures, ...]:
    codes, names = table.people.codes, table.people.raters
    given = (codes >= 0).astype(np.int32)
    common = given.T @ given
    found = [(i, j) for i, j in combinations(range(len(names)), 2) if common[i, j]]
    if len(found) > MOST_PAIRS:
        found = sorted(sorted(found, key=lambda ij: -common[ij])[:MOST_PAIRS])
    return tuple(
        pair(
            "human-human",
            (names[i], names[j]),
            (codes[:, i], codes[:, j]),
            part,
            criterion=table.criterion,
            confidence=confidence,
        )
        for i, j in found
    )
