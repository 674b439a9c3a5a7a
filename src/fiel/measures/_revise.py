"""Decisions on a work list become a new version of the calibration set; the frozen one never changes. Asks nobody."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args

import msgspec

from fiel.measures._arguments import check_kind
from fiel.measures._columns import Columns
from fiel.measures._label_kinds import is_preference
from fiel.measures._results import CriterionValidation
from fiel.measures._results_work import RevisedCriterion, Revision, WorkItem
from fiel.measures._validate import validate
from fiel.records import Adjudication, CalibrationSet, FielError, Judgement, Reason, Subject

NOTE = (
    "Agreement after decisions by somebody who saw the judge leans towards the judge: read it beside the figure "
    "before, and beside how many of the agreements drawn at random were upheld."
)


def decisions_of(rows: Iterable[WorkItem | Mapping[str, Any]], *, at: str, by: str | None = None) -> list[Adjudication]:
    """The decisions that were filled into a work list: rows without a decision and without a reason are left out.

    A reason without a decision says why no answer is right ("item broken"), or that the cell stays split.

    Args:
        rows: the items of a work list as they came back, records or plain mappings with the same names.
        at: when they were made (ISO 8601).
        by: who decided, where a row does not say.

    Raises:
        FielError: a decision that is no option, nobody who decided, or another reason than the fixed ones; the row is
            named.
    """
    return [
        _decision(row, place, at=at, by=by)
        for place, row in enumerate(rows, start=1)
        if _of(row, "decision") or _of(row, "reason")
    ]


def revise(
    frozen: CalibrationSet,
    decisions: Iterable[Adjudication],
    *,
    name: str | None = None,
    preferences: Collection[str] = (),
) -> CalibrationSet:
    """The next version of a calibration set: the same labels, with these decisions, and `parent` its digest.

    A decision takes the place of an earlier one on its cell; `before` is filled in with what raters had answered. The
    decisions are marked `judge_seen`.

    Args:
        frozen: the set; it stays as it is.
        decisions: new ones.
        name: of the new version; that of the set where it is None.
        preferences: raters whose labels are preferences, as in `validate`: what they say is no answer to the criterion.

    Raises:
        FielError: nothing is decided, a decision is on no item or criterion of the set, is no option, or stands twice.
    """
    check_kind("frozen", frozen, CalibrationSet, "a CalibrationSet")
    new: dict[tuple[str, str], Adjudication] = {}
    known = {item.id for item in frozen.items} | {pair.id for pair in frozen.pairs}
    answers = _answers(frozen, preferences)
    for decision in decisions:
        cell = (decision.subject, decision.criterion)
        criterion = frozen.rubric[decision.criterion]
        where = f"decision on {decision.subject!r}, {decision.criterion!r}"
        if decision.subject not in known:
            raise FielError("The set has no such item.", where=where, fix="Decide on items of this set.")
        if decision.answer is not None and decision.answer not in criterion.options:
            raise FielError(
                f"{decision.answer!r} is no option.", where=where, fix=f"The options are {list(criterion.options)}."
            )
        if cell in new:
            raise FielError("There are two decisions.", where=where, fix="Keep the one that stands.")
        new[cell] = msgspec.structs.replace(decision, judge_seen=True, before=answers.get(cell, ()))
    if not new:
        raise FielError("Nothing is decided: every decision is empty.", fix="Fill in the column `decision`.")
    kept = [old for old in frozen.adjudications if (old.subject, old.criterion) not in new]
    order = sorted([*kept, *new.values()], key=lambda one: (one.subject, one.criterion))
    return msgspec.structs.replace(frozen, name=name or frozen.name, adjudications=tuple(order), parent=frozen.digest)


def before_and_after(
    judgements: Iterable[Judgement] | Columns,
    before: CalibrationSet,
    after: CalibrationSet,
    *,
    items: Sequence[Subject] = (),
    bar: float = 0.85,
    confidence: float = 0.95,
    agreements: Iterable[tuple[str, str]] = (),
    preferences: Collection[str] = (),
) -> Revision:
    """One judge against a calibration set and against its next version.

    Args:
        judgements: of one judge.
        before: the set; after: the version that `revise` made of it.
        after: see above.
        items: the frame; without it, the items of the set.
        bar: as in `validate`.
        confidence: as in `validate`.
        agreements: the cells (item, criterion) that were drawn as agreements.
        preferences: as in `validate`.

    Raises:
        FielError: `after` is no version of `before`, or as `validate`.
    """
    if after.parent != before.digest:
        raise FielError("The second set is no version of the first: its parent is another one.")
    kept = judgements if isinstance(judgements, Columns) else list(judgements)
    first, second = (
        validate(kept, x, items=items, bar=bar, confidence=confidence, preferences=preferences, full=False)
        for x in (before, after)
    )
    old = {(x.subject, x.criterion): x for x in before.adjudications}
    new = [x for x in after.adjudications if old.get((x.subject, x.criterion)) != x]
    drawn, given = set(agreements), _answers(before, preferences)
    return Revision(
        judge=first.judge,
        identity=first.identity,
        parent=before.digest,
        digest=after.digest,
        criteria=tuple(
            _revised(a, b, [x for x in new if x.criterion == a.criterion], _gold(before, a.criterion, given), drawn)
            for a, b in zip(first.criteria, second.criteria, strict=True)
        ),
        note=NOTE,
    )


def _revised(
    before: CriterionValidation,
    after: CriterionValidation,
    decided: Sequence[Adjudication],
    gold: Mapping[str, str | None],
    drawn: set[tuple[str, str]],
) -> RevisedCriterion:
    looked = [x for x in decided if (x.subject, x.criterion) in drawn]
    return RevisedCriterion(
        criterion=before.criterion,
        decided=len(decided),
        changed=sum(x.answer != gold.get(x.subject) for x in decided),
        judge_seen=sum(x.judge_seen for x in decided),
        confirmed=sum(x.answer == gold.get(x.subject) for x in looked),
        agreements=len(looked),
        before=before.agreement,
        after=after.agreement,
        word_before=before.word,
        word_after=after.word,
    )


def _gold(
    frozen: CalibrationSet, criterion: str, answers: Mapping[tuple[str, str], Sequence[str]]
) -> dict[str, str | None]:
    """The answer that counted for each item: the decision, else the one that most raters gave, None for a tie."""
    found: dict[str, str | None] = {}
    for (subject, name), given in answers.items():
        if name == criterion:
            most = max(given.count(answer) for answer in given)
            leading = {answer for answer in given if given.count(answer) == most}
            found[subject] = leading.pop() if len(leading) == 1 else None
    for decision in frozen.adjudications:
        if decision.criterion == criterion:
            found[decision.subject] = decision.answer
    return found


def _answers(frozen: CalibrationSet, preferences: Collection[str] = ()) -> dict[tuple[str, str], tuple[str, ...]]:
    """What raters had answered in each cell (item, criterion), in the order of their names; preferences are none."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for label in frozen.counting:
        if label.answer is not None and not is_preference(label.rater, preferences):
            cells.setdefault((label.subject, label.criterion), {})[label.rater] = label.answer
    return {cell: tuple(given[rater] for rater in sorted(given)) for cell, given in cells.items()}


def _decision(row: WorkItem | Mapping[str, Any], place: int, *, at: str, by: str | None) -> Adjudication:
    where = f"work list, row {place}"
    item, criterion, answer = str(_of(row, "item")), str(_of(row, "criterion")), _of(row, "decision") or None
    options = _of(row, "options")
    if answer is not None and options and answer not in options:
        raise FielError(f"{answer!r} is no option.", where=where, fix=f"The options are {list(options)}.")
    who = _of(row, "by") or by
    if not who:
        raise FielError("Nobody is named who decided.", where=where, fix="Fill in the column `by`.")
    reason: Reason | None = _of(row, "reason") or None
    if reason is not None and reason not in get_args(Reason):
        raise FielError(
            f"There is no reason {reason!r}.", where=where, fix=f"Write one of: {', '.join(get_args(Reason))}."
        )
    return Adjudication(
        subject=item,
        criterion=criterion,
        answer=answer,
        by=str(who),
        at=at,
        why=_of(row, "note") or None,
        judge_seen=True,
        reason=reason,
    )


def _of(row: WorkItem | Mapping[str, Any], name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name)
