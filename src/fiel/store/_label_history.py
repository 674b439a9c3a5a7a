"""Answers and decisions in and out of the labels' database: added, never changed. Knows no file.

All of it happens inside a transaction that somebody else holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection, Select, Table, and_, bindparam, exists, insert, select, tuple_

from fiel.labelling import Decided, DecisionKept, DecisionWrite, Kept, Outcome, Write
from fiel.records import Adjudication, FielError, Given, Label, decode, encode
from fiel.store import _label_tables as tables
from fiel.store._databases import parts
from fiel.store._label_rows import Known, State, assignment_number, lock, person_key

_Cell: TypeAlias = tuple[int, ...]
_ANSWER_CELL = ("assignment", "criterion")
_DECISION_CELL = ("study", "subject", "criterion")
_COLUMNS = ("version", "write_key", "kept_at", "record")


class _Version(NamedTuple):
    """One version of a cell, its record not yet read."""

    version: int
    key: str
    at: str
    record: str


class _Wanted(NamedTuple):
    """A write: the version that has to stand in the cell, and the record that would be the next one."""

    cell: _Cell
    key: str
    version: int
    record: str
    is_open: bool


def read_givens(
    connection: Connection,
    known: Known,
    *,
    rater: str | None = None,
    subject: str | None = None,
    history: bool = False,
) -> list[Given]:
    """Answers as they stand, by rater and place; or all versions, in the order in which they were kept."""
    own, given, people = tables.assignments.c, tables.answers.c, tables.entrants.c
    query = (
        select(own.place, given.version, given.kept_at, given.record)
        .select_from(tables.answers.join(tables.assignments, own.id == given.assignment))
        .where(own.study == known.number)
    )
    if rater is not None:
        query = query.join(tables.entrants, people.id == own.rater).where(people.name == rater)
    if subject is not None:
        query = query.where(own.subject == known.subjects.get(subject, -1))
    if history:
        query = query.order_by(given.id)
    else:
        query = _standing(query, tables.answers, _ANSWER_CELL).order_by(own.rater, own.place, given.criterion)
    return [
        Given(label=decode(text, Label), place=place, version=version, at=at)
        for place, version, at, text in connection.execute(query)
    ]


def read_decisions(
    connection: Connection, known: Known, *, subject: str | None = None, history: bool = False
) -> list[Decided]:
    """Decisions as they stand, by subject and criterion; or all versions, in the order in which they were kept."""
    own = tables.decisions.c
    query = select(own.version, own.record).where(own.study == known.number)
    if subject is not None:
        query = query.where(own.subject == known.subjects.get(subject, -1))
    if history:
        query = query.order_by(own.id)
    else:
        query = _standing(query, tables.decisions, _DECISION_CELL).order_by(own.subject, own.criterion)
    return [Decided(decode(text, Adjudication), version) for version, text in connection.execute(query)]


def keep(connection: Connection, known: Mapping[str, Known], writes: Sequence[Write], *, at: str) -> list[Kept]:
    """Add answers in their order, and say what became of each.

    Raises:
        FielError: a write is for a place or a criterion that its study does not have.
    """
    states = lock(connection, {study.number for study in known.values()})
    wanted: list[_Wanted] = []
    for write in writes:
        study = known[write.study]
        state = states[study.number]
        place = assignment_number(connection, study, write.label.rater, write.place)
        label = msgspec.structs.replace(write.label, blind=_is_blind(write.label, state))
        cell = (place, _number(study.criteria, label.criterion))
        wanted.append(_Wanted(cell, write.key, write.version, encode(label).decode(), state.is_open))
    settled = _add(connection, tables.answers, _ANSWER_CELL, wanted, is_same=_is_same_label, at=at)
    return [
        Kept(
            outcome,
            stands
            and Given(label=decode(stands.record, Label), place=write.place, version=stands.version, at=stands.at),
        )
        for write, (outcome, stands) in zip(writes, settled, strict=True)
    ]


def decide(
    connection: Connection, known: Mapping[str, Known], writes: Sequence[DecisionWrite], *, at: str
) -> list[DecisionKept]:
    """Add decisions in their order, and say what became of each.

    Raises:
        FielError: a decision is for a subject or a criterion that its study does not have.
    """
    states = lock(connection, {study.number for study in known.values()})
    wanted: list[_Wanted] = []
    for write in writes:
        study = known[write.study]
        state = states[study.number]
        seen = write.decision.judge_seen or person_key(write.by) in state.unblinded
        decision = msgspec.structs.replace(write.decision, at=at, judge_seen=seen)
        cell = (study.number, _number(study.subjects, decision.subject), _number(study.criteria, decision.criterion))
        wanted.append(_Wanted(cell, write.key, write.version, encode(decision).decode(), state.is_open))
    settled = _add(connection, tables.decisions, _DECISION_CELL, wanted, is_same=_is_same_decision, at=at)
    return [DecisionKept(outcome, _to_decided(stands) if stands is not None else None) for outcome, stands in settled]


def _add(
    connection: Connection,
    table: Table,
    cell: tuple[str, ...],
    wanted: Sequence[_Wanted],
    *,
    is_same: Callable[[str, str], bool],
    at: str,
) -> list[tuple[Outcome, _Version | None]]:
    """Add the next version of each cell where the one before stands; what became of each, and what stands there."""
    found = _versions(connection, table, cell, {one.cell for one in wanted})
    settled: list[tuple[Outcome, _Version | None]] = []
    new: list[dict[str, Any]] = []
    for one in wanted:
        versions = found[one.cell]
        last = versions[-1] if versions else None
        before = next((version for version in versions if version.key == one.key), None)
        if before is not None and is_same(before.record, one.record):
            settled.append(("kept", before))
        elif not one.is_open:
            settled.append(("closed", last))
        elif before is not None or one.version != len(versions):
            settled.append(("conflict", last))
        else:
            added = _Version(len(versions) + 1, one.key, at, one.record)
            versions.append(added)
            new.append(dict(zip((*cell, *_COLUMNS), (*one.cell, *added), strict=True)))
            settled.append(("kept", added))
    if new:
        connection.execute(insert(table), new)
    return settled


def _versions(
    connection: Connection, table: Table, cell: tuple[str, ...], wanted: Collection[_Cell]
) -> defaultdict[_Cell, list[_Version]]:
    """All versions of these cells, in their order."""
    found: defaultdict[_Cell, list[_Version]] = defaultdict(list)
    for part in parts(sorted(wanted)):
        for row in connection.execute(_all_versions(table, cell), {"cells": part}):
            found[tuple(row[: len(cell)])].append(_Version(*row[len(cell) :]))
    return found


@lru_cache
def _all_versions(table: Table, cell: tuple[str, ...]) -> Select[Any]:
    """Made once, as of a transaction with one answer half of its time would go into making it anew."""
    columns = [table.c[name] for name in cell]
    cells = tuple_(*columns).in_(bindparam("cells", expanding=True))
    return select(*columns, *(table.c[name] for name in _COLUMNS)).where(cells).order_by(table.c.version)


def _standing(query: Select[Any], table: Table, cell: tuple[str, ...]) -> Select[Any]:
    """The query without the versions that have a later one."""
    later = table.alias()
    same = [later.c[name] == table.c[name] for name in cell]
    return query.where(~exists().where(and_(*same, later.c.version > table.c.version)))


def _to_given(stands: _Version, place: int) -> Given:
    return Given(label=decode(stands.record, Label), place=place, version=stands.version, at=stands.at)


def _to_decided(stands: _Version) -> Decided:
    return Decided(decode(stands.record, Adjudication), stands.version)


def _number(known: Mapping[str, int], name: str) -> int:
    if name not in known:
        raise FielError(f"The study has no {name!r}.")
    return known[name]


def _is_blind(label: Label, state: State) -> bool:
    return not label.judge_seen and person_key(label.rater) not in state.unblinded


def _is_same_label(one: str, other: str) -> bool:
    """Whether two labels are the same but for what the store adds."""
    first, second = (msgspec.structs.replace(decode(text, Label), blind=None) for text in (one, other))
    return first == second


def _is_same_decision(one: str, other: str) -> bool:
    """The same of two decisions."""
    decisions = (decode(text, Adjudication) for text in (one, other))
    first, second = (msgspec.structs.replace(decision, at="", judge_seen=False) for decision in decisions)
    return first == second
