"""Where words become numbers: verdicts, beliefs and answers as arrays over one frame of items. Knows no statistic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiel.measures._inputs import Inputs
from fiel.measures._results import Funnel
from fiel.records import Adjudication, Criterion, FielError, Judgement, Label

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_REASONS = ("abstained", "refused", "unparsed", "error", "tie between options")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a judge said of n items on a criterion with k options.

    Args:
        judged: shape (n,), it was asked, or a check decided.
        beliefs: shape (n, k), probabilities; zeros where there is no belief, which `believed`, shape (n,), tells.
        codes: shape (n,), the verdict as a place in `options`, -1 without one.
        checked: shape (n,), with a verdict of a deterministic check.
        unscored: items judged without a verdict, by reason.
        inapplicable: items to which the criterion does not apply; they are not among the judged.
    """

    judged: Flags
    beliefs: Floats
    believed: Flags
    codes: Codes
    checked: Flags
    unscored: dict[str, int]
    inapplicable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What people said of n items on a criterion with k options.

    Args:
        raters: who answered at least once, sorted.
        codes: shape (n, raters), answers as places in `options`, -1 missing.
        labelled: shape (n,), with at least one answer or decision.
        gold: shape (n,), the decision, else the answer most given; -1 where that is a tie, or nobody answered.
        passing: shape (n,), what a rate counts: 1 where gold passes, 0 where it does not, 1/2 where a tie leaves it
            open; 0 where nobody answered.
        adjudicated: shape (n,), gold is a decision.
        skipped: cells without an answer.
    """

    raters: tuple[str, ...]
    codes: Codes
    labelled: Flags
    gold: Codes
    passing: Floats
    adjudicated: Flags
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One criterion on n items, sorted by id.

    Args:
        criterion: what was asked; subjects: ids of the n items.
        groups: shape (n,), the cluster of each item; a lone item is a cluster of its own.
        judge: the verdicts; people: the answers.
    """

    criterion: Criterion
    subjects: tuple[str, ...]
    groups: Codes
    judge: Verdicts
    people: Answers

    @property
    def probability(self) -> Floats:
        """P(passing) of the judge's belief, shape (n,); 0 where there is no belief."""
        return np.minimum(self.judge.beliefs @ passing_mask(self.criterion), 1.0)

    @property
    def answered(self) -> Flags:
        """With a verdict of the judge itself, shape (n,); with any, where checks decided every item."""
        scored: Flags = self.judge.codes >= 0
        return scored if self.by_check else scored & ~self.judge.checked

    @property
    def both(self) -> Flags:
        """Answered by the judge, and with a gold answer, shape (n,)."""
        return self.answered & (self.people.gold >= 0)

    @property
    def funnel(self) -> Funnel:
        """The denominators."""
        judge, people = self.judge, self.people
        return Funnel(
            items=len(self.subjects),
            judged=int(judge.judged.sum()),
            scored=int((judge.codes >= 0).sum()),
            checked=int(judge.checked.sum()),
            unscored=judge.unscored,
            inapplicable=judge.inapplicable,
            labelled=int(people.labelled.sum()),
            skipped=people.skipped,
            unresolved=int((people.labelled & (people.gold < 0)).sum()),
            both=int(self.both.sum()),
        )

    @property
    def by_check(self) -> bool:
        """Whether deterministic checks decided every item: no judge was asked, and there is no bias to correct."""
        return bool(self.judge.judged.any() and (self.judge.checked == self.judge.judged).all())

    def clusters(self, used: Flags) -> Codes | None:
        """The clusters of the items in `used`, or None where each is alone in its own."""
        groups = self.groups[used]
        return groups if len(np.unique(groups)) < len(groups) else None


def tabulate(inputs: Inputs, criterion: Criterion) -> Table:
    """The table of one criterion.

    Raises:
        FielError: a belief or an answer is not over the options of the criterion, or a rater answered one item twice
            in different ways.
    """
    name = criterion.id
    return Table(
        criterion=criterion,
        subjects=inputs.frame,
        groups=_groups(inputs.groups),
        judge=_verdicts(inputs.judgements.get(name, {}), inputs.place, criterion),
        people=_answers(inputs.labels.get(name, ()), inputs.adjudications.get(name, {}), inputs.place, criterion),
    )


def passing_mask(criterion: Criterion) -> Flags:
    """Which options pass, shape (k,)."""
    return np.array([option in criterion.passes for option in criterion.options], dtype=bool)


def unit_values(criterion: Criterion) -> Floats:
    """The options from 0 (lowest) to 1 (highest), shape (k,): by their numbers, else by their places."""
    values = np.array(criterion.values or range(len(criterion.options)), dtype=np.float64)
    return np.asarray((values - values.min()) / np.ptp(values), dtype=np.float64)


def _groups(groups: Sequence[str | None]) -> Codes:
    seen: dict[str | int, int] = {}
    keys = (i if group is None else group for i, group in enumerate(groups))
    return np.fromiter((seen.setdefault(key, len(seen)) for key in keys), dtype=np.int64, count=len(groups))


def _verdicts(judgements: Mapping[str, Judgement], place: Mapping[str, int], criterion: Criterion) -> Verdicts:
    n, options = len(place), criterion.options
    code = {option: i for i, option in enumerate(options)}
    judged, believed, checked = (np.zeros(n, dtype=bool) for _ in range(3))
    codes = np.full(n, -1, dtype=np.int64)
    beliefs = np.zeros((n, len(options)))
    rows: list[int] = []
    probs: list[tuple[float, ...]] = []
    reasons: Counter[str] = Counter()
    for subject, judgement in judgements.items():
        row, belief = place[subject], judgement.belief
        if judgement.status == "inapplicable":
            reasons["inapplicable"] += 1
            continue
        judged[row] = True
        if belief is None:
            reasons[judgement.status] += 1
            continue
        if belief.options != options:
            raise FielError(
                f"The belief of {judgement.judge!r} on {subject!r} is over {list(belief.options)}.",
                where=f"criterion {criterion.id!r}",
                fix=f"The options are {list(options)}: judge again.",
            )
        rows.append(row)
        probs.append(belief.probs)
        verdict = judgement.verdict
        if verdict is None:
            reasons["tie between options"] += 1
            continue
        codes[row] = code[verdict]
        checked[row] = belief.source == "check"
    if rows:
        believed[rows] = True
        beliefs[rows] = np.clip(np.array(probs), 0.0, 1.0)
    unscored = {reason: reasons[reason] for reason in _REASONS if reasons[reason]}
    return Verdicts(
        judged=judged,
        beliefs=beliefs,
        believed=believed,
        codes=codes,
        checked=checked,
        unscored=unscored,
        inapplicable=reasons["inapplicable"],
    )


def _answers(
    labels: Sequence[Label], decisions: Mapping[str, Adjudication], place: Mapping[str, int], criterion: Criterion
) -> Answers:
    cells = _given(labels, criterion)
    answers = {cell: _code(answer, criterion, cell) for cell, answer in cells.items() if answer is not None}
    raters = tuple(sorted({rater for _, rater in answers}))
    column = {rater: i for i, rater in enumerate(raters)}
    codes = np.full((len(place), len(raters)), -1, dtype=np.int64)
    for (subject, rater), answer in answers.items():
        codes[place[subject], column[rater]] = answer
    labelled: Flags = np.asarray((codes >= 0).any(axis=1), dtype=bool)
    gold, passing = _majority(codes, criterion)
    adjudicated = np.zeros(len(place), dtype=bool)
    passes = passing_mask(criterion)
    for subject, decision in decisions.items():
        row = place[subject]
        if decision.answer is not None:
            gold[row] = _code(decision.answer, criterion, (subject, decision.by))
            passing[row] = float(passes[gold[row]])
            labelled[row] = adjudicated[row] = True
        elif labelled[row]:
            gold[row], passing[row] = -1, 0.5
    return Answers(
        raters=raters,
        codes=codes,
        labelled=labelled,
        gold=gold,
        passing=passing,
        adjudicated=adjudicated,
        skipped=len(cells) - len(answers),
    )


def _given(labels: Sequence[Label], criterion: Criterion) -> dict[tuple[str, str], str | None]:
    """The answer of each rater to each item, None where all that there is was skipped."""
    cells: dict[tuple[str, str], str | None] = {}
    for label in labels:
        cell = (label.subject, label.rater)
        before = cells.get(cell)
        if label.answer is not None and before is not None and before != label.answer:
            both = " and ".join(sorted((before, label.answer)))
            raise FielError(
                f"Rater {label.rater!r} answered {label.subject!r} twice: {both}.",
                where=f"labels of criterion {criterion.id!r}",
                fix="Keep the answer that stands.",
            )
        cells[cell] = before if label.answer is None else label.answer
    return cells


def _code(answer: str, criterion: Criterion, cell: tuple[str, str]) -> int:
    if answer not in criterion.options:
        raise FielError(
            f"{cell[1]!r} answered {answer!r} to item {cell[0]!r}, which is no option.",
            where=f"labels of criterion {criterion.id!r}",
            fix=f"The options are {list(criterion.options)}.",
        )
    return criterion.options.index(answer)


def _majority(codes: Codes, criterion: Criterion) -> tuple[Codes, Floats]:
    """Per item the code most given, -1 for a tie or nothing, and whether it passes, 1/2 where a tie leaves it open."""
    votes = np.stack([(codes == code).sum(axis=1) for code in range(len(criterion.options))], axis=1)
    most = votes.max(axis=1, keepdims=True)
    leading = (votes == most) & (most > 0)
    gold = np.where(leading.sum(axis=1) == 1, votes.argmax(axis=1), -1)
    passes = passing_mask(criterion)
    can_pass, can_fail = leading[:, passes].any(axis=1), leading[:, ~passes].any(axis=1)
    return gold.astype(np.int64), np.where(can_pass & can_fail, 0.5, can_pass.astype(np.float64))
