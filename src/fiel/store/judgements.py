"""Judgements in a database of their own: added once, read as they were, counted in SQL. Knows no label."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeAlias, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, Table, func, select, tuple_, update
from sqlalchemy.dialects.sqlite import insert

from fiel.records import FielError, Judgement, Status, encode
from fiel.store import _judgement_tables as tables
from fiel.store._databases import open_database, reading, writing

_T = TypeVar("_T")
_Words: TypeAlias = tuple[str, ...]

_PART = 500  # values in one statement
_STREAM = 2000  # rows fetched at a time


class Asked(NamedTuple):
    """What makes two judgements of one judge the same; equal to a plain tuple of the same six."""

    subject: str
    subject_digest: str
    criterion_digest: str
    replicate: int
    order: Literal["ab", "ba"] | None
    variant: str | None

    @classmethod
    def by(cls, judgement: Judgement) -> Asked:
        """The question that a judgement answers."""
        return cls(
            subject=judgement.subject,
            subject_digest=judgement.subject_digest,
            criterion_digest=judgement.criterion_digest,
            replicate=judgement.replicate,
            order=judgement.order,
            variant=judgement.variant,
        )


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many judgements ended in one way.

    Args:
        verdict: the option; None where there is no belief, or where two options share the first place.
    """

    judge: str
    identity: str
    criterion: str
    criterion_digest: str
    status: Status
    verdict: str | None
    count: int


class JudgementStore:
    """A database of judgements. Made by `open`; a context manager that closes it.

    A judgement is known by its judge's name and identity, the criterion and its digest, the subject and its digest,
    replicate, order and variant: what is there already is not added again, and a changed text or wording is another
    row.

    Args:
        path: the SQLite file.
        engine: opened on it.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine

    @classmethod
    def open(cls, url_or_path: str | Path, *, must_exist: bool = False) -> Self:
        """Open the store, creating it and its folders where it is not there; an older layout is brought up to date.

        Args:
            url_or_path: an SQLite file, or `sqlite:///` and its path.
            must_exist: do not create it.

        Raises:
            FielError: a server's address (not supported yet), a file that is not a store or is a newer one's (left as
                it is, to the byte), or, with `must_exist`, no file.
        """
        path = _path(url_or_path)
        if must_exist and not path.exists():
            raise FielError("Nothing is judged yet.", where=str(path), fix="Run fiel judge.")
        return cls(path, open_database(path, tables.LAYOUT))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def add(self, judgements: Iterable[Judgement], /) -> int:
        """Keep judgements, all of them or none, and say how many were new; they are on the disk when this returns.

        Raises:
            FielError: a text holds a lone surrogate, a belief is over other options than the same wording had before,
                or the database does not work.
        """
        batch = [(judgement, tables.to_row(judgement)) for judgement in judgements]
        if not batch:
            return 0
        with writing(self._engine, self.path) as connection:
            judge_ids = _ids(connection, tables.judges, {(j.judge, j.identity) for j, _ in batch})
            criterion_ids = _ids(connection, tables.criteria, {(j.criterion, j.criterion_digest) for j, _ in batch})
            subject_ids = _ids(connection, tables.subjects, {(j.subject,) for j, _ in batch})
            _keep_options(connection, [judgement for judgement, _ in batch], criterion_ids)
            for judgement, row in batch:
                row["judge"] = judge_ids[judgement.judge, judgement.identity]
                row["criterion"] = criterion_ids[judgement.criterion, judgement.criterion_digest]
                row["subject"] = subject_ids[(judgement.subject,)]
            return _insert_new(connection, tables.judgements, [row for _, row in batch])

    def read(
        self,
        *,
        judge: str | None = None,
        identity: str | None = None,
        criteria: Collection[str] | None = None,
        subjects: Collection[str] | None = None,
    ) -> list[Judgement]:
        """The judgements as they were added, in that order.

        Args:
            judge: only of this name; None for all, as below.
            identity: only of this one.
            criteria: only on criteria with these ids.
            subjects: only on subjects with these ids.
        """
        query = tables.rows()
        if judge is not None:
            query = query.where(tables.judges.c.name == judge)
        if identity is not None:
            query = query.where(tables.judges.c.identity == identity)
        if criteria is not None:
            query = query.where(tables.criteria.c.name.in_(list(criteria)))
        queries = [query]
        if subjects is not None:
            queries = [query.where(tables.subjects.c.name.in_(part)) for part in _parts(sorted(set(subjects)))]
        found: list[tuple[int, Judgement]] = []
        with reading(self._engine, self.path) as connection:
            for part in queries:
                rows = connection.execution_options(yield_per=_STREAM).execute(part)
                found.extend((row.id, tables.from_row(row)) for row in rows)
        found.sort(key=lambda pair: pair[0])
        return [judgement for _, judgement in found]

    def have(self, identity: str) -> set[Asked]:
        """What a judge of this identity has answered, however it ended.

        Rows from before texts had digests do not count: nobody knows which text they are of.
        """
        columns = (
            tables.judgements.c.subject_digest,
            tables.judgements.c.replicate,
            tables.judgements.c.shown_order,
            tables.judgements.c.variant,
        )
        query = (
            select(tables.subjects.c.name, tables.criteria.c.digest, *columns)
            .select_from(tables.JOINED)
            .where(tables.judges.c.identity == identity, tables.judgements.c.subject_digest != "")
        )
        with reading(self._engine, self.path) as connection:
            return {
                Asked(
                    subject=name,
                    subject_digest=subject_digest,
                    criterion_digest=digest,
                    replicate=replicate,
                    order=tables.to_word(tables.ORDERS, order),
                    variant=tables.to_variant(variant),
                )
                for name, digest, subject_digest, replicate, order, variant in connection.execute(query)
            }

    def tally(self) -> list[Tally]:
        """How many judgements there are per judge, identity, criterion, status and verdict, counted by the database."""
        rows = tables.judgements.c
        codes = (rows.judge, rows.criterion, rows.status, rows.verdict)
        counts = select(*codes, func.count().label("count")).group_by(*codes).subquery()
        query = (
            select(
                tables.judges.c.name.label("judge_name"),
                tables.judges.c.identity,
                tables.criteria.c.name.label("criterion_name"),
                tables.criteria.c.digest,
                tables.criteria.c.options,
                counts.c.status,
                counts.c.verdict,
                counts.c.count.label("how_many"),
            )
            .select_from(counts)
            .join(tables.judges, tables.judges.c.id == counts.c.judge)
            .join(tables.criteria, tables.criteria.c.id == counts.c.criterion)
            .order_by(counts.c.judge, counts.c.criterion, counts.c.status, counts.c.verdict)
        )
        with reading(self._engine, self.path) as connection:
            return [
                Tally(
                    judge=row.judge_name,
                    identity=row.identity,
                    criterion=row.criterion_name,
                    criterion_digest=row.digest,
                    status=tables.to_word(tables.STATUSES, row.status),
                    verdict=tables.to_options(row.options)[row.verdict] if row.verdict is not None else None,
                    count=row.how_many,
                )
                for row in connection.execute(query)
            ]

    def identities(self, judge: str) -> list[str]:
        """The identities under which a judge of this name has answered, the one that answered last at the end."""
        query = (
            select(tables.judges.c.identity)
            .join(tables.judgements, tables.judgements.c.judge == tables.judges.c.id)
            .where(tables.judges.c.name == judge)
            .group_by(tables.judges.c.id, tables.judges.c.identity)
            .order_by(func.max(tables.judgements.c.id))
        )
        with reading(self._engine, self.path) as connection:
            return list(connection.execute(query).scalars())


def _path(url_or_path: str | Path) -> Path:
    """The file; an address is never repeated, since it may hold a password."""
    text = str(url_or_path)
    if text.startswith("sqlite:///"):
        return Path(text.removeprefix("sqlite:///"))
    if text.startswith(("postgresql:", "postgresql+", "postgres:")):
        raise FielError(
            "PostgreSQL is not supported in this version; it comes later, with fiel[postgres].",
            where="store.judgements",
            fix='Name a file: judgements = ".fiel/judgements.db".',
        )
    if "://" in text or text.endswith(".parquet"):
        raise FielError(
            "Judgements are kept in an SQLite file in this version.",
            where="store.judgements",
            fix='Name a file: judgements = ".fiel/judgements.db".',
        )
    return Path(text)


def _ids(connection: Connection, table: Table, keys: Collection[_Words]) -> dict[_Words, int]:
    """The numbers of words in a lookup table, which learns the new ones."""
    ordered = sorted(keys)
    columns = [column for column in table.columns if column.name not in ("id", "options")]
    _insert_new(connection, table, [dict(zip((c.name for c in columns), key, strict=True)) for key in ordered])
    ids: dict[_Words, int] = {}
    for part in _parts(ordered):
        rows = connection.execute(select(table.c.id, *columns).where(tuple_(*columns).in_(part)))
        ids.update((tuple(words), number) for number, *words in rows)
    return ids


def _insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert the rows that break no uniqueness, and count them."""
    statement = insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    return connection.execute(statement, list(rows)).rowcount


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


def _parts(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]
