"""Where people's words become numbers: answers, gold and its soft form over one frame of items. Knows no judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fiel.measures._weighing import Codes, Flags, Floats
from fiel.records import Adjudication, Criterion, FielError, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What people said of n items on a criterion with k options.

    Args:
        raters: who answered at least once, sorted.
        codes: shape (n, raters), answers as places in `options`, -1 missing.
        labelled: shape (n,), with at least one answer or decision; not where it was decided that nothing is right.
        gold: shape (n,), the decision, else the answer most given; -1 where that is a tie, or nobody answered.
        passing: shape (n,), what a rate counts: 1 where gold passes, 0 where it does not, 1/2 where a tie leaves it
            open; 0 where nobody answered.
        soft: shape (n, k), of each option the share of the raters who gave it, or of the decision; zeros where nobody
            answered.
        adjudicated: shape (n,), gold is a decision.
        skipped: cells without an answer; dropped: items of which it was decided that nothing is right.
    """

    raters: tuple[str, ...]
    codes: Codes
    labelled: Flags
    gold: Codes
    passing: Floats
    soft: Floats
    adjudicated: Flags
    skipped: int
    dropped: int = 0

    @property
    def counts(self) -> Codes:
        """How many raters answered each item, shape (n,)."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=np.int64)

    @property
    def rule(self) -> str:
        """What gold is here, in words."""
        if not self.raters:
            return "adjudicated"
        if len(self.raters) == 1:
            voted = "the answer of one rater"
        else:
            voted = f"the majority of up to {self.counts.max(initial=0)} raters"
        return f"adjudicated, else {voted}" if self.adjudicated.any() else voted


def answers_of(
    labels: Sequence[Label], decisions: Mapping[str, Adjudication], place: Mapping[str, int], criterion: Criterion
) -> Answers:
    """The answers of one criterion.

    Raises:
        FielError: an answer is no option, or a rater answered one item twice in different ways.
    """
    codes, raters, skipped = codes_of(labels, place, criterion)
    labelled: Flags = np.asarray((codes >= 0).any(axis=1), dtype=bool)
    votes = votes_of(codes, len(criterion.options))
    gold, passing = _majority(votes, criterion)
    soft = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    adjudicated, dropped = np.zeros(len(place), dtype=bool), 0
    passes = passing_mask(criterion)
    for subject, decision in decisions.items():
        row = place[subject]
        if decision.answer is not None:
            gold[row] = code_of(decision.answer, criterion, (subject, decision.by))
            passing[row], soft[row] = float(passes[gold[row]]), 0.0
            soft[row, gold[row]] = 1.0
            labelled[row] = adjudicated[row] = True
        elif decision.skipped is not None or decision.reason not in {None, "true split"}:
            gold[row], passing[row], soft[row], labelled[row] = -1, 0.0, 0.0, False
            dropped += 1
        elif labelled[row]:
            gold[row], passing[row] = -1, 0.5
    return Answers(
        raters=raters,
        codes=codes,
        labelled=labelled,
        gold=gold,
        passing=passing,
        soft=soft,
        adjudicated=adjudicated,
        skipped=skipped,
        dropped=dropped,
    )


def codes_of(
    labels: Sequence[Label], place: Mapping[str, int], criterion: Criterion
) -> tuple[Codes, tuple[str, ...], int]:
    """Answers as codes, shape (n, raters) with -1 missing; who answered; and how many cells were skipped.

    Raises:
        FielError: an answer is no option, or a rater answered one item twice in different ways.
    """
    cells = _given(labels, criterion)
    code = {option: i for i, option in enumerate(criterion.options)}
    answered = [(cell, answer) for cell, answer in cells.items() if answer is not None]
    raters = tuple(sorted({cell[1] for cell, _ in answered}))
    column = {rater: i for i, rater in enumerate(raters)}
    codes = np.full((len(place), len(raters)), -1, dtype=np.int64)
    for cell, answer in answered:
        found = code.get(answer)
        codes[place[cell[0]], column[cell[1]]] = code_of(answer, criterion, cell) if found is None else found
    return codes, raters, len(cells) - len(answered)


def votes_of(codes: Codes, options: int) -> Codes:
    """How many raters gave each option, shape (n, options)."""
    return np.stack([(codes == code).sum(axis=1) for code in range(options)], axis=1)


def passing_mask(criterion: Criterion) -> Flags:
    """Which options pass, shape (k,)."""
    return np.array([option in criterion.passes for option in criterion.options], dtype=bool)


def code_of(answer: str, criterion: Criterion, cell: tuple[str, str]) -> int:
    """The place of an answer in the options; `cell` is the item and who gave it.

    Raises:
        FielError: it is none of them.
    """
    if answer not in criterion.options:
        raise FielError(
            f"{cell[1]!r} answered {answer!r} to item {cell[0]!r}, which is no option.",
            where=f"labels of criterion {criterion.id!r}",
            fix=f"The options are {list(criterion.options)}.",
        )
    return criterion.options.index(answer)


def _given(labels: Sequence[Label], criterion: Criterion) -> dict[tuple[str, str], str | None]:
    """The answer of each rater to each item, None where all that there is was skipped."""
    cells: dict[tuple[str, str], str | None] = {}
    for label in labels:
        cell, answer = (label.subject, label.rater), label.answer
        before = cells.get(cell)
        if answer is not None and before is not None and before != answer:
            both = " and ".join(sorted((before, answer)))
            raise FielError(
                f"Rater {label.rater!r} answered {label.subject!r} twice: {both}.",
                where=f"labels of criterion {criterion.id!r}",
                fix="Keep the answer that stands.",
            )
        cells[cell] = before if answer is None else answer
    return cells


def _majority(votes: Codes, criterion: Criterion) -> tuple[Codes, Floats]:
    """Per item the code most given, -1 for a tie or nothing, and whether it passes, 1/2 where a tie leaves it open."""
    most = votes.max(axis=1, keepdims=True)
    leading = (votes == most) & (most > 0)
    gold = np.where(leading.sum(axis=1) == 1, votes.argmax(axis=1), -1)
    passes = passing_mask(criterion)
    can_pass, can_fail = leading[:, passes].any(axis=1), leading[:, ~passes].any(axis=1)
    return gold.astype(np.int64), np.where(can_pass & can_fail, 0.5, can_pass.astype(np.float64))
