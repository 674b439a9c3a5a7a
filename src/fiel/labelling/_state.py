"""How far a study is: who has still to answer, what has still to be decided. Tells no answer; knows no judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from fiel.labelling import _adjudication as adjudication
from fiel.labelling._adjudication import Coordinates
from fiel.labelling._book import Decided
from fiel.labelling._terms import QueueEntry
from fiel.records import Assignment, Given, Pair, Study


class RaterState(msgspec.Struct, frozen=True, kw_only=True):
    """How far one rater is. Questions are items times criteria; hidden repeats do not count.

    Args:
        rater: who.
        asked: questions; of them `answered`, `skipped`, and still `open`.
        flagged: flags.
        last: when something of theirs was last kept (ISO 8601, UTC), repeats too; None where nothing was.
    """

    rater: str
    asked: int
    answered: int
    skipped: int
    open: int
    flagged: int
    last: str | None


class State(msgspec.Struct, frozen=True, kw_only=True):
    """How far a study is.

    Args:
        raters: in the order of the study.
        splits: criterion to how many cells raters gave different answers in; only where there are some.
        decided: of those, how many are decided.
        outdated: of the decided, how many have other answers now than those that were decided on.
        others: cells without a split that somebody flagged or skipped, or that were decided all the same, and
            `others_decided` of them.
    """

    raters: tuple[RaterState, ...]
    splits: dict[str, int]
    decided: int
    outdated: int
    others: int
    others_decided: int

    @property
    def undecided(self) -> int:
        """How many splits nobody has decided."""
        return sum(self.splits.values()) - self.decided


def state(
    study: Study, assignments: Iterable[Assignment], givens: Sequence[Given], decisions: Iterable[Decided] = ()
) -> State:
    """How far a study is, in counts that tell no rater's answer.

    Args:
        study: with its subjects as they were shown.
        assignments: the queues.
        givens: what stands.
        decisions: those that stand; one without a reason was taken back.
    """
    items = Counter(assignment.rater for assignment in assignments if assignment.repeat == 0)
    by_rater: defaultdict[str, list[Given]] = defaultdict(list)
    for given in givens:
        by_rater[given.label.rater].append(given)
    questions = len(study.rubric.criteria)
    entries = _entries(study, givens, decisions)
    split = [(cell, entry) for cell, entry in entries if "split" in entry.kinds]
    others = [entry for _, entry in entries if "split" not in entry.kinds]
    counts = Counter(cell.criterion for cell, _ in split)
    return State(
        raters=tuple(_rater(rater, items[rater] * questions, by_rater[rater]) for rater in study.raters),
        splits={criterion.id: counts[criterion.id] for criterion in study.rubric.criteria if counts[criterion.id]},
        decided=sum(entry.decided for _, entry in split),
        outdated=sum(entry.changed for _, entry in entries),
        others=len(others),
        others_decided=sum(entry.decided for entry in others),
    )


def _rater(rater: str, asked: int, givens: Sequence[Given]) -> RaterState:
    first = [given.label for given in givens if given.label.repeat == 0]
    answered = sum(label.answer is not None for label in first)
    skipped = sum(label.skipped is not None for label in first)
    return RaterState(
        rater=rater,
        asked=asked,
        answered=answered,
        skipped=skipped,
        open=asked - answered - skipped,
        flagged=sum(label.flag for label in first),
        last=max((given.at for given in givens), default=None),
    )


def _entries(
    study: Study, givens: Sequence[Given], decisions: Iterable[Decided]
) -> list[tuple[Coordinates, QueueEntry]]:
    """The cells that an adjudicator has in the queue, those too that are still to be answered as a rater."""
    pairs = {subject.id for subject in study.subjects if isinstance(subject, Pair)}
    criteria = {criterion.id: criterion for criterion in study.rubric.criteria}
    found = adjudication.by_cell(givens)
    decided = {Coordinates(one.decision.subject, one.decision.criterion): one for one in decisions}
    made = []
    for cell in dict.fromkeys([*found, *decided]):
        entry = adjudication.queue_entry(
            0, found.get(cell, []), criteria[cell.criterion], decided.get(cell), is_pair=cell.subject in pairs
        )
        if entry is not None:
            made.append((cell, entry))
    return made
