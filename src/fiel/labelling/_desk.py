"""The desk that pages go to: who has come in, what is shown, what is taken. Knows no judge, no database and no page."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from fiel.labelling import _adjudication as adjudication
from fiel.labelling._adjudication import Coordinates
from fiel.labelling._book import Book, Decided, DecisionWrite, Write
from fiel.labelling._entries import to_label, to_standing
from fiel.labelling._pace import is_suggested, seconds_by_rater
from fiel.labelling._parts import parts
from fiel.labelling._plans import Found, Plan, cell_of, to_place
from fiel.labelling._terms import (
    Cell,
    ClosedError,
    Conflict,
    Decision,
    DecisionConflict,
    Entrant,
    Entry,
    MissingError,
    Opening,
    Place,
    Progress,
    QueueEntry,
    Role,
    Standing,
)
from fiel.records import Assignment, Given, Label, Pair


class Desk:
    """Takes answers for the studies of a book, and hands out what raters and adjudicators see of them.

    It may be used by several threads at once. Everything raises FielError for what cannot be taken, MissingError for
    what is not there, ClosedError for what this entrant may not do.

    Args:
        book: where studies and answers are kept.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._plans: dict[str, Plan] = {}
        self._queues: dict[tuple[str, str], list[Assignment]] = {}  # a study's queues never change

    def entrant(self, token: str) -> Entrant | None:
        """Who has the link with this token; None where nobody has."""
        digest = hash_token(token)
        found = self._book.entrant(digest)
        if found is None or not hmac.compare_digest(found[0], digest):
            return None
        return found[1]

    def opening(self, who: Entrant) -> Opening:
        """What the page needs before the first place."""
        plan = self._plan(who.study)
        queue = self._queue(who) if who.role == "rater" else []
        return Opening(
            study=who.study,
            name=who.name,
            role=who.role,
            language=plan.study.rubric.language,
            guidance=plan.study.rubric.guidance,
            questions=plan.questions,
            places=len(queue),
            total=sum(assignment.repeat == 0 for assignment in queue),
            open=self._book.is_open(who.study),
        )

    def places(self, who: Entrant, start: int, count: int) -> list[Place]:
        """Places of the rater's queue, with what stands there; fewer where the queue ends."""
        self._only(who, "rater")
        plan = self._plan(who.study)
        wanted = self._queue(who)[max(0, start) : max(0, start, start + count)]
        standing: dict[int, dict[str, Standing]] = {}
        for given in self._book.givens(who.study, rater=who.name):
            is_pair = isinstance(plan.subjects[given.label.subject], Pair)
            standing.setdefault(given.place, {})[given.label.criterion] = to_standing(given, is_pair=is_pair)
        return [to_place(assignment, plan.subjects[assignment.subject], standing) for assignment in wanted]

    def progress(self, who: Entrant) -> Progress:
        """How far the rater is; hidden repeats do not count."""
        self._only(who, "rater")
        asked = len(self._plan(who.study).questions)
        cells: dict[int, list[Given]] = {}
        for given in self._book.givens(who.study, rater=who.name):
            if given.label.repeat == 0:
                cells.setdefault(given.place, []).append(given)
        ended = [
            [given.label.skipped is not None for given in found]
            for found in cells.values()
            if sum(given.label.answer is not None or given.label.skipped is not None for given in found) == asked
        ]
        return Progress(
            answered=sum(not any(skips) for skips in ended),
            skipped=sum(any(skips) for skips in ended),
            flagged=sum(any(given.label.flag for given in found) for found in cells.values()),
            total=sum(assignment.repeat == 0 for assignment in self._queue(who)),
        )

    def check(self, who: Entrant, place: int, criterion: str, entry: Entry) -> Write:
        """The write that an entry asks for. Whether the study is open is seen when it is kept.

        Raises:
            FielError: the entry is none that can be taken, with the field in `where`.
            MissingError: no such place of this rater, or no such criterion.
            ClosedError: the entrant is no rater.
        """
        self._only(who, "rater")
        plan = self._plan(who.study)
        queue = self._queue(who)
        if not 0 <= place < len(queue):
            raise MissingError(f"There is no place {place}.", fix=f"There are {len(queue)}, from 0.")
        asked = plan.criterion(criterion)
        assignment = queue[place]
        subject = plan.subjects[assignment.subject]
        label = to_label(entry, assignment, subject, asked, suggested=is_suggested(subject, criterion))
        return Write(study=who.study, place=place, label=label, key=entry.key, version=entry.version)

    def keep(self, writes: Sequence[Write]) -> list[Given | Conflict | ClosedError]:
        """Keep writes in one transaction that is on the disk when this returns; what became of each, in their order.

        A write whose key was kept before is answered with what was kept then. A `ClosedError` is returned, not raised:
        the others of the transaction are kept.
        """
        made: list[Given | Conflict | ClosedError] = []
        for write, kept in zip(writes, self._book.keep(writes), strict=True):
            if kept.outcome == "closed":
                made.append(_closed(write.study))
            elif kept.outcome == "kept" and kept.given is not None:
                made.append(kept.given)
            else:
                is_pair = write.label.shown is not None
                stands = to_standing(kept.given, is_pair=is_pair) if kept.given is not None else None
                made.append(Conflict(standing=stands))
        return made

    def queue(self, who: Entrant) -> list[QueueEntry]:
        """The cells on which raters differ, which somebody flagged or skipped, or which are decided: widest first.

        A cell that the adjudicator has still to answer as a rater is left out until he has.
        """
        self._only(who, "adjudicator")
        plan = self._plan(who.study)
        found = adjudication.by_cell(self._book.givens(who.study))
        decided = {cell_of(one): one for one in self._book.decisions(who.study)}
        waiting = self._waiting(who, found)
        made: list[QueueEntry] = []
        for number, cell in enumerate(plan.cells):
            labels = found.get(cell, [])
            if cell in waiting or not (labels or cell in decided):
                continue
            is_pair = isinstance(plan.subjects[cell.subject], Pair)
            asked = plan.criterion(cell.criterion)
            entry = adjudication.queue_entry(number, labels, asked, decided.get(cell), is_pair=is_pair)
            if entry is not None:
                made.append(entry)
        return sorted(made, key=lambda entry: (-entry.spread, entry.n))

    def cell(self, who: Entrant, n: int) -> Cell:
        """One cell of the queue: the answers under shuffled letters, the names only after the decision.

        Raises:
            MissingError: it is not in the queue.
        """
        found = self._open_cell(who, n)
        plan, subject = self._plan(who.study), found.subject
        decision = found.decided
        shown = adjudication.side_for_adjudicator(plan.study, subject)
        revealed = decision is not None and decision.decision.reason is not None
        return Cell(
            n=n,
            kind="pair" if isinstance(subject, Pair) else "item",
            parts=parts(subject, shown),
            question=next(question for question in plan.questions if question.id == found.criterion.id),
            cards=adjudication.cards(
                found.labels, seconds_by_rater(found.givens), plan.study, subject, revealed=revealed
            ),
            own=found.own,
            decision=adjudication.to_verdict(decision, shown) if decision is not None else None,
            changed=adjudication.has_changed(decision, found.labels),
            open=self._book.is_open(who.study),
        )

    def check_decision(self, who: Entrant, n: int, decision: Decision) -> DecisionWrite:
        """The write that a decision asks for.

        Raises:
            FielError: it is none that can be taken, with the field in `where`.
            MissingError: the cell is not in the queue.
            ClosedError: the entrant does not adjudicate.
        """
        found = self._open_cell(who, n)
        shown = adjudication.side_for_adjudicator(self._plan(who.study).study, found.subject)
        made = adjudication.to_adjudication(
            decision, found.labels, found.criterion, found.subject, by=who.name, own=found.own, shown=shown
        )
        return DecisionWrite(study=who.study, by=who.name, decision=made, key=decision.key, version=decision.version)

    def decide(self, writes: Sequence[DecisionWrite]) -> list[Decided | DecisionConflict | ClosedError]:
        """Keep decisions, as `keep` does answers."""
        made: list[Decided | DecisionConflict | ClosedError] = []
        for write, kept in zip(writes, self._book.decide(writes), strict=True):
            if kept.outcome == "closed":
                made.append(_closed(write.study))
            elif kept.outcome == "kept" and kept.decided is not None:
                made.append(kept.decided)
            else:
                plan = self._plan(write.study)
                shown = adjudication.side_for_adjudicator(plan.study, plan.subjects[write.decision.subject])
                stands = adjudication.to_verdict(kept.decided, shown) if kept.decided is not None else None
                made.append(DecisionConflict(standing=stands))
        return made

    def _plan(self, study: str) -> Plan:
        if study not in self._plans:
            self._plans[study] = Plan(self._book.study(study))
        return self._plans[study]

    def _queue(self, who: Entrant) -> list[Assignment]:
        key = who.study, who.name
        if key not in self._queues:
            self._queues[key] = self._book.assignments(*key)
        return self._queues[key]

    def _only(self, who: Entrant, role: Role) -> None:
        if who.role != role:
            raise ClosedError(f"This link is for another page: it belongs to a {who.role}.", fix="Use the other link.")

    def _open_cell(self, who: Entrant, n: int) -> Found:
        self._only(who, "adjudicator")
        plan = self._plan(who.study)
        missing = MissingError(f"There is no cell {n} in the queue.", fix="Read the queue again.")
        if not 0 <= n < len(plan.cells):
            raise missing
        cell = plan.cells[n]
        givens = self._book.givens(who.study, subject=cell.subject)
        found = adjudication.by_cell(givens)
        labels = found.get(cell, [])
        decided = next(
            (one for one in self._book.decisions(who.study, subject=cell.subject) if cell_of(one) == cell), None
        )
        subject, criterion = plan.subjects[cell.subject], plan.criterion(cell.criterion)
        entry = adjudication.queue_entry(n, labels, criterion, decided, is_pair=isinstance(subject, Pair))
        if cell in self._waiting(who, found) or entry is None:
            raise missing
        return Found(subject, criterion, givens, labels, decided, own=cell.subject in self._own(who))

    def _own(self, who: Entrant) -> set[str]:
        """The subjects of which the adjudicator is also a rater."""
        if who.name not in self._plan(who.study).study.raters:
            return set()
        return {assignment.subject for assignment in self._queue(who)}

    def _waiting(self, who: Entrant, found: Mapping[Coordinates, Sequence[Label]]) -> set[Coordinates]:
        """The cells that the adjudicator has still to answer as a rater."""
        plan = self._plan(who.study)
        cells = {Coordinates(subject, question.id) for subject in self._own(who) for question in plan.questions}
        return {
            cell
            for cell in cells
            if not any(
                label.rater == who.name and (label.answer is not None or label.skipped is not None)
                for label in found.get(cell, ())
            )
        }


def hash_token(token: str) -> str:
    """What is kept of a token: its SHA-256, in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _closed(study: str) -> ClosedError:
    return ClosedError(f"The study {study!r} is closed: it takes no more answers.", fix="Ask its owner.")
