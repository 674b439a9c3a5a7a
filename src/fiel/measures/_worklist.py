"""Disagreements as a work list, surest wrong verdicts first, with a random share of agreements. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fiel.measures._arguments import check_kind, check_share
from fiel.measures._columns import STATUSES, Columns
from fiel.measures._inputs import Inputs, gather
from fiel.measures._people import asked_of
from fiel.measures._results_work import GoldFrom, JudgeSaid, Looks, WorkItem, Worklist
from fiel.measures._tables import Codes, Flags, Floats, Table, tabulate
from fiel.measures._words import share
from fiel.records import CalibrationSet, FielError, Judgement, Label, Rubric, Subject

NOTE = (
    "Whoever decides here has seen what the judges said, and looks above all at disagreements: decisions count as made "
    "with the judge in sight, and agreement after them is too high by what they lean towards it. The agreements in the "
    "list were drawn at random, so that one can see how often a second look overturns one."
)


def worklist(
    judges: Sequence[Iterable[Judgement] | Columns],
    labels: Iterable[Label] | CalibrationSet,
    *,
    rubric: Rubric | None = None,
    items: Sequence[Subject] = (),
    share_of_agreements: float = 0.1,
    seed: int = 0,
) -> Worklist:
    """The items on which a judge and gold differ, or raters tie, to be looked at again.

    Disagreements come by falling probability of the surest wrong verdict, ties of raters after them; then a random
    share of the agreements (rounded up), in an order that tells nothing.

    Args:
        judges: for each judge its judgements, as in `validate`.
        labels: of people, or a calibration set.
        rubric: what was asked; needed with plain labels.
        items: the frame.
        share_of_agreements: from 0 to 1.
        seed: of their draw.

    Raises:
        FielError: as `validate`, or there is no judge.
    """
    check_share("share_of_agreements", share_of_agreements, ends=True)
    check_kind("seed", seed, int, "a whole number")
    rubric, items = asked_of(labels, rubric, items)
    if not judges:
        raise FielError("There is no judge to disagree with.", fix="Pass the judgements of one or more.")
    kept = labels if isinstance(labels, CalibrationSet) else list(labels)
    sides = [gather(x, kept, criteria=rubric.criteria, items=items) for x in judges]
    frame = sorted({name for inputs in sides for name in inputs.frame})
    sides = [inputs.on(frame) for inputs in sides]
    rng = np.random.default_rng(seed)
    wrong: list[WorkItem] = []
    right: list[WorkItem] = []
    pool = 0
    for criterion in rubric.criteria:
        cell = _Cells([tabulate(inputs, criterion) for inputs in sides], sides)
        wrong += [cell.line(row, drawn="disagreement") for row in cell.disputed.tolist()]
        agreed = cell.agreed
        pool += len(agreed)
        chosen = rng.permutation(agreed)[: int(np.ceil(share_of_agreements * len(agreed)))]
        right += [cell.line(int(row), drawn="agreement") for row in chosen]
    wrong.sort(key=lambda line: (line.surety is None, -(line.surety or 0.0), line.item, line.criterion))
    return Worklist(
        rubric=rubric.id,
        rubric_digest=rubric.digest,
        parent=labels.digest if isinstance(labels, CalibrationSet) else None,
        disagreements=len(wrong),
        agreements=pool,
        share=share_of_agreements,
        seed=seed,
        items=(*wrong, *(right[i] for i in rng.permutation(len(right)))),
        note=NOTE,
    )


@dataclass(frozen=True)
class _Cells:
    """One criterion as several judges see it, on one frame."""

    tables: Sequence[Table]
    sides: Sequence[Inputs]

    @property
    def _wrong(self) -> Flags:
        """Which judge differs from gold where, shape (judges, n)."""
        return np.stack([table.both & (table.judge.codes != table.people.gold) for table in self.tables])

    @property
    def _tied(self) -> Flags:
        people = self.tables[0].people
        return people.labelled & (people.gold < 0)

    @property
    def disputed(self) -> Codes:
        """Places of items on which a judge differs from gold, or raters tie."""
        return np.flatnonzero(self._wrong.any(axis=0) | self._tied)

    @property
    def agreed(self) -> Codes:
        """Places of items on which every judge that answered agrees with gold."""
        both = np.stack([table.both for table in self.tables])
        return np.flatnonzero(both.any(axis=0) & ~self._wrong.any(axis=0))

    def line(self, row: int, *, drawn: str) -> WorkItem:
        """One item of the list."""
        table = self.tables[0]
        criterion, people = table.criterion, table.people
        gold = int(people.gold[row])
        answers = {
            rater: criterion.options[code]
            for rater, code in zip(people.raters, people.codes[row].tolist(), strict=True)
            if code >= 0
        }
        judges = sorted(
            (self._said(place, row) for place in range(len(self.tables))),
            key=lambda said: (
                said.answer in (None, criterion.options[gold] if gold >= 0 else None),
                -(said.probability or 0.0),
                said.judge,
            ),
        )
        looks, why = self._looks(row, drawn, answers)
        suretys = self._suretys(row)
        return WorkItem(
            item=table.subjects[row],
            criterion=criterion.id,
            question=criterion.question,
            options=criterion.options,
            drawn="agreement" if drawn == "agreement" else "disagreement",
            looks_like=looks,
            gold=criterion.options[gold] if gold >= 0 else None,
            gold_from=_gold_from(table, row),
            answers=answers,
            judges=tuple(judges),
            surety=float(suretys.max()) if len(suretys) else None,
            why=why,
        )

    def _suretys(self, row: int) -> Floats:
        """The probability of each verdict that differs from gold."""
        return np.array(
            [
                table.judge.beliefs[row, table.judge.codes[row]]
                for table, wrong in zip(self.tables, self._wrong[:, row], strict=True)
                if wrong
            ]
        )

    def _said(self, place: int, row: int) -> JudgeSaid:
        table, inputs = self.tables[place], self.sides[place]
        code, ended = int(table.judge.codes[row]), int(table.judge.statuses[row])
        judgement = inputs.judgements.get(table.criterion.id, {}).get(table.subjects[row])
        return JudgeSaid(
            judge=inputs.judge or "",
            answer=table.criterion.options[code] if code >= 0 else None,
            status=STATUSES[ended] if ended >= 0 else "not asked",
            probability=float(table.judge.beliefs[row, code]) if code >= 0 else None,
            reason=judgement.reason if judgement is not None else None,
            evidence=judgement.evidence if judgement is not None else (),
        )

    def _looks(self, row: int, drawn: str, answers: Mapping[str, str]) -> tuple[Looks, str]:
        """What an item looks like before anybody decides, and why."""
        if drawn == "agreement":
            return "agreement", "Judge and people agree; drawn at random."
        options = self.tables[0].criterion.options
        said = {options[int(table.judge.codes[row])] for table in self.tables if table.answered[row]}
        given = list(answers.values())
        alone = [rater for rater, answer in answers.items() if given.count(answer) == 1]
        others = {answer for rater, answer in answers.items() if rater not in alone}
        if len(given) >= 3 and len(alone) == 1 and len(others) == 1 and said <= others:
            return "person's error", f"{alone[0]} stands alone against the others and the judge."
        if len(set(given)) > 1:
            return "rubric gap", f"Raters split: {_tally(given)}."
        if len(given) >= 2:
            sure = self._suretys(row)
            end = f", with probability {share(float(sure.max()))}" if len(sure) else ""
            return "judge error", f"All {len(given)} raters say {given[0]}; the judge differs{end}."
        return "cannot tell", "One person stands against the judge." if given else "Only the decision stands here."


def _tally(given: Sequence[str]) -> str:
    return ", ".join(f"{answer} ×{given.count(answer)}" for answer in dict.fromkeys(given))


def _gold_from(table: Table, row: int) -> GoldFrom:
    if table.people.adjudicated[row]:
        return "decision"
    if table.people.gold[row] < 0:
        return "tie"
    return "one rater" if int(table.people.counts[row]) == 1 else "majority"
