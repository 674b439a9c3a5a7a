"""Rows into the judgements' database, inside a transaction that somebody else holds. Knows no file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, and_, bindparam, delete, select, update

from fiel.records import FielError, Judgement, encode
from fiel.store import _judgement_tables as tables
from fiel.store._databases import parts
from fiel.store._packing import squeeze
from fiel.store._reply_tables import Parcel

_Words: TypeAlias = tuple[str, ...]
_Row: TypeAlias = dict[str, Any]

_ERROR = tables.STATUSES["error"]

# In words of SQL: of a transaction with few rows, half the time would go into making these statements anew.
_ADD_TEXT = "INSERT INTO texts (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
_ADD_REPLY = "INSERT INTO replies (digest, model, sample, request, reply, kept_at) VALUES (?, ?, ?, ?, ?, ?)"
_COLUMNS = tuple(column.name for column in tables.judgements.columns if column.name != "id")
_ADD_JUDGEMENT = (
    f"INSERT INTO judgements ({', '.join(_COLUMNS)}) "  # noqa: S608  names of our own, as below
    f"VALUES ({', '.join('?' * len(_COLUMNS))}) ON CONFLICT DO NOTHING"
)
_ANY_ERROR = "SELECT 1 FROM judgements WHERE judge = ? AND criterion = ? AND status = ? LIMIT 1"
_SAME_CELL = and_(*(tables.judgements.c[name] == bindparam(name) for name in tables.CELL))
_FORGET_ERROR = delete(tables.judgements).where(_SAME_CELL, tables.judgements.c.status == _ERROR)
_ANSWER = select(tables.judgements.c.id).where(_SAME_CELL, tables.judgements.c.status != _ERROR).limit(1)


class Numbers:
    """The numbers of words in the small lookup tables, remembered from one transaction to the next.

    What a transaction has learnt counts for the next one only after `settle`: it may be undone.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[_Words, int]] = {}
        self._learnt: dict[str, dict[_Words, int]] = {}

    def of(self, connection: Connection, table: Table, keys: Collection[_Words]) -> Mapping[_Words, int]:
        """The numbers of `keys` in a table, which learns the new ones."""
        known = self._known.get(table.name, {})
        new = [key for key in keys if key not in known]
        if not new:
            return known
        learnt = _ids(connection, table, new)
        self._learnt.setdefault(table.name, {}).update(learnt)
        return known | learnt

    def settle(self, *, committed: bool) -> None:
        """The transaction is over: keep what it has learnt, or forget it."""
        if committed:
            for name, learnt in self._learnt.items():
                self._known[name] = self._known.get(name, {}) | learnt
        self._learnt = {}


def keep_replies(connection: Connection, parcels: Sequence[Parcel], numbers: Numbers, *, at: str) -> int:
    """Add exchanges, each text once, and count them."""
    if not parcels:
        return 0
    models = numbers.of(connection, tables.words, {(parcel.model,) for parcel in parcels})
    contents = {digest: data for parcel in parcels for digest, data in parcel.texts.items()}
    if contents:
        connection.exec_driver_sql(_ADD_TEXT, [(digest, squeeze(data)) for digest, data in contents.items()])
    rows = [(parcel.digest, models[(parcel.model,)], *parcel.cells, at) for parcel in parcels]
    connection.exec_driver_sql(_ADD_REPLY, rows)
    return len(rows)


def keep_judgements(
    connection: Connection, batch: Sequence[tuple[Judgement, _Row]], numbers: Numbers, *, at: str
) -> int:
    """Add judgements with their rows where there is none of the same key, and count those that were added.

    A failed call stands only as long as there is nothing else for its cell: any other judgement of the cell, or a later
    failure, takes its place. Nothing else is replaced.

    Raises:
        FielError: a belief is over other options than the same wording had before.
    """
    if not batch:
        return 0
    judge_ids = numbers.of(connection, tables.judges, {(j.judge, j.identity) for j, _ in batch})
    criterion_ids = numbers.of(connection, tables.criteria, {(j.criterion, j.criterion_digest) for j, _ in batch})
    subject_ids = _ids(connection, tables.subjects, {(j.subject,) for j, _ in batch})
    said = {(word,) for j, _ in batch for word in (j.served, j.written) if word is not None}
    word_ids = numbers.of(connection, tables.words, said)
    _keep_options(connection, [judgement for judgement, _ in batch], criterion_ids)
    for judgement, row in batch:
        row["judge"] = judge_ids[judgement.judge, judgement.identity]
        row["criterion"] = criterion_ids[judgement.criterion, judgement.criterion_digest]
        row["subject"] = subject_ids[(judgement.subject,)]
        row["served"] = word_ids[(judgement.served,)] if judgement.served is not None else tables.NOT_SAID
        row["written"] = word_ids[(judgement.written,)] if judgement.written is not None else None
        row["kept_at"] = at
    rows = _without_errors([row for _, row in batch])
    failing = _failing(connection, {(row["judge"], row["criterion"]) for row in rows})
    cells = [_cell(row) for row in rows if (row["judge"], row["criterion"]) in failing]
    if cells:
        connection.execute(_FORGET_ERROR, cells)
    new = [row for row in rows if row["status"] != _ERROR or not _is_answered(connection, row)]
    return _insert_new(connection, new) if new else 0


def _without_errors(rows: Sequence[_Row]) -> list[_Row]:
    """The rows without the failures whose cell has an answer among them, or a later failure."""
    if all(row["status"] != _ERROR for row in rows):
        return [*rows]
    last: dict[tuple[Any, ...], _Row] = {}
    for row in rows:
        cell = tuple(_cell(row).values())
        before = last.get(cell)
        if row["status"] != _ERROR or before is None or before["status"] == _ERROR:
            last[cell] = row
    return [row for row in rows if row["status"] != _ERROR or row is last[tuple(_cell(row).values())]]


def _failing(connection: Connection, pairs: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of (judge, criterion) for which a failed call stands at all; there are few of either."""
    return {pair for pair in pairs if connection.exec_driver_sql(_ANY_ERROR, (*pair, _ERROR)).first() is not None}


def _cell(row: _Row) -> _Row:
    return {name: row[name] for name in tables.CELL}


def _is_answered(connection: Connection, row: _Row) -> bool:
    return connection.execute(_ANSWER, _cell(row)).first() is not None


def _ids(connection: Connection, table: Table, keys: Collection[_Words]) -> dict[_Words, int]:
    """The numbers of words in a lookup table, which learns the new ones."""
    names = [column.name for column in table.columns if column.name not in ("id", "options")]
    columns, marks = ", ".join(names), f"({', '.join('?' * len(names))})"
    ids: dict[_Words, int] = {}
    for part in parts(sorted(keys)):
        add = f"INSERT INTO {table.name} ({columns}) VALUES {marks} ON CONFLICT DO NOTHING"  # noqa: S608
        connection.exec_driver_sql(add, [*part])
        values = ", ".join([marks] * len(part))
        find = f"SELECT id, {columns} FROM {table.name} WHERE ({columns}) IN (VALUES {values})"  # noqa: S608
        rows = connection.exec_driver_sql(find, tuple(word for key in part for word in key))
        ids.update((tuple(words), number) for number, *words in rows)
    return ids


def _insert_new(connection: Connection, rows: Sequence[_Row]) -> int:
    """Insert the judgements that break no uniqueness, and count them."""
    cells = [tuple(map(row.__getitem__, _COLUMNS)) for row in rows]
    added = connection.exec_driver_sql(_ADD_JUDGEMENT, cells, execution_options={"preserve_rowcount": True})
    return added.rowcount


def _keep_options(connection: Connection, batch: Sequence[Judgement], ids: Mapping[_Words, int]) -> None:
    """Learn the options of each criterion from its first belief; later ones must have the same."""
    said: dict[int, tuple[_Words, Judgement]] = {}
    for judgement in batch:
        if judgement.belief is not None:
            number = ids[judgement.criterion, judgement.criterion_digest]
            known = said.setdefault(number, (judgement.belief.options, judgement))
            _check_options(judgement, known[0])
    for number, (options, judgement) in said.items():
        kept = connection.execute(select(tables.criteria.c.options).where(tables.criteria.c.id == number)).scalar_one()
        if kept is None:
            written = encode(options).decode()
            connection.execute(update(tables.criteria).where(tables.criteria.c.id == number).values(options=written))
        else:
            _check_options(judgement, tables.to_options(kept))


def _check_options(judgement: Judgement, known: _Words) -> None:
    if judgement.belief is not None and judgement.belief.options != known:
        raise FielError(
            f"A belief over {list(judgement.belief.options)}, where the same wording was answered over {list(known)}.",
            where=f"judge {judgement.judge!r}, criterion {judgement.criterion!r}, subject {judgement.subject!r}",
            fix="Give the belief the options of the criterion, in their order.",
        )
