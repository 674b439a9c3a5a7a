"""Judgements and raw replies in a database of their own: kept, read as they were, counted in SQL. Knows no label."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from sqlalchemy import Engine

from fiel.records import FielError, Judgement, Reply, Request
from fiel.store import _counts as counts
from fiel.store import _exchanges as exchanged
from fiel.store import _judgement_tables as tables
from fiel.store import _seen as seen
from fiel.store._counts import Asked, Served, Tally
from fiel.store._databases import open_database, open_to_read, parts, reading, writing
from fiel.store._exchanges import Exchange
from fiel.store._files import check_path
from fiel.store._judgement_layout import LAYOUT
from fiel.store._judgement_rows import rows, to_judgements
from fiel.store._keeping import Numbers, keep_judgements, keep_replies
from fiel.store._reply_tables import to_parcel
from fiel.store._seen import Spent

if TYPE_CHECKING:
    from fiel.measures import Columns

__all__ = ["Asked", "Exchange", "JudgementStore", "Kept", "Served", "Spent", "Tally"]

_STREAM = 2000  # rows fetched at a time


class Kept(NamedTuple):
    """How many replies and judgements were new."""

    replies: int
    judgements: int


class JudgementStore:
    """A database of judgements and raw replies. Made by `open`; a context manager that closes it.

    A judgement is known by its judge's name and identity, what was served, the criterion and its digest, the subject
    and its digest, replicate, order and variant: what is there already is not added again, and a changed text or
    wording is another row. One thing is replaced: a failed call (status "error"), by whatever comes for its cell.

    A reply is known by the digest of its request. A request may be asked again: all its replies are kept, and the last
    one is used.

    Several processes and threads may use one database, and several threads one store.

    Args:
        path: the SQLite file.
        engine: opened on it.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine
        self._writer = Lock()  # one thread writes at a time, as the database would have it
        self._words = Numbers()

    @classmethod
    def open(cls, url_or_path: str | Path, *, must_exist: bool = False) -> Self:
        """Open the store, creating it and its folders where it is not there; an older layout is brought up to date.

        Args:
            url_or_path: an SQLite file, or `sqlite:///` and its path.
            must_exist: do not create it; where it or its folder cannot be written, open it to be read alone.

        Raises:
            FielError: a server's address (not supported yet), a file that is not a store or is a newer one's (left as
                it is, to the byte), one that is damaged or, with `must_exist`, no file.
        """
        path = _path(url_or_path)
        check_path(path)
        if must_exist and not path.exists():
            raise FielError("Nothing is judged yet.", where=str(path), fix="Run fiel judge.")
        if must_exist and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            return cls(path, open_to_read(path, LAYOUT))
        return cls(path, open_database(path, LAYOUT))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def keep(self, *, replies: Iterable[tuple[Request, Reply]] = (), judgements: Iterable[Judgement] = ()) -> Kept:
        """Keep replies and judgements, all of them or none; they are on the disk when this returns.

        A lone surrogate in a reply is kept as it is; in the model's own words of a judgement (reason, evidence, merged
        spellings) it becomes U+FFFD.

        Raises:
            FielError: any other text holds a lone surrogate, a belief is over other options than the same wording had
                before, or the database does not work.
        """
        parcels = [to_parcel(request, reply) for request, reply in replies]
        batch = [(judgement, tables.to_row(judgement)) for judgement in judgements]
        if not parcels and not batch:
            return Kept(replies=0, judgements=0)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._numbers() as numbers, writing(self._engine, self.path) as connection:
            return Kept(
                replies=keep_replies(connection, parcels, numbers, at=at),
                judgements=keep_judgements(connection, batch, numbers, at=at),
            )

    @contextmanager
    def _numbers(self) -> Iterator[Numbers]:
        """The numbers of known words, for one transaction."""
        committed = False
        with self._writer:
            try:
                yield self._words
                committed = True
            finally:
                self._words.settle(committed=committed)

    def add(self, judgements: Iterable[Judgement], /) -> int:
        """Keep judgements and say how many were new; as `keep`."""
        return self.keep(judgements=judgements).judgements

    def add_replies(self, pairs: Iterable[tuple[Request, Reply]], /) -> int:
        """Keep raw replies and say how many; as `keep`."""
        return self.keep(replies=pairs).replies

    def read(
        self,
        *,
        judge: str | None = None,
        identity: str | None = None,
        criteria: Collection[str] | None = None,
        subjects: Collection[str] | None = None,
        replicate: int | None = None,
    ) -> list[Judgement]:
        """The judgements as they were added, in that order.

        Args:
            judge: only of this name; None for all, as below.
            identity: only of this one.
            criteria: only on criteria with these ids.
            subjects: only on subjects with these ids.
            replicate: only of this number.

        Raises:
            FielError: the database is damaged, as in all that follows.
        """
        query = rows()
        if judge is not None:
            query = query.where(tables.judges.c.name == judge)
        if identity is not None:
            query = query.where(tables.judges.c.identity == identity)
        if criteria is not None:
            query = query.where(tables.criteria.c.name.in_(list(criteria)))
        if replicate is not None:
            query = query.where(tables.judgements.c.replicate == replicate)
        found: list[tuple[int, Judgement]] = []
        with reading(self._engine, self.path) as connection:
            queries = [query]
            if subjects is not None:
                judges = seen.numbers_of(connection, judge, identity)
                some = parts(sorted(set(subjects)))
                queries = [query.where(*seen.on_subjects(connection, part, judges=judges)) for part in some]
            for part in queries:
                streamed = connection.execution_options(yield_per=_STREAM).execute(part)
                found.extend(to_judgements(streamed, where=str(self.path)))
        found.sort(key=lambda pair: pair[0])
        return [judgement for _, judgement in found]

    def columns(
        self,
        judge: str,
        identity: str,
        *,
        criteria: Collection[str] | None = None,
        texts: Mapping[str, str] | None = None,
        replicate: int | None = None,
    ) -> Columns:
        """The judgements of one judge under one identity as arrays, for measures of very many: no record is made.

        Args:
            judge: its name; identity: which of its identities.
            identity: see above.
            criteria: only on criteria with these ids; None for all.
            texts: by subject, the digest of the text that counts; judgements of other texts and subjects are left out.
            replicate: only of this number; None for all.
        """
        from fiel.store._judgement_columns import columns_of_judge  # noqa: PLC0415  arrays are heavy to import

        with reading(self._engine, self.path) as connection:
            return columns_of_judge(
                connection,
                judge=judge,
                identity=identity,
                criteria=criteria,
                texts=texts,
                replicate=replicate,
                where=str(self.path),
            )

    def have(self, identity: str) -> set[Asked]:
        """What a judge of this identity has answered, however it ended and whatever was served.

        Failed calls do not count, so that they are asked again; nor do rows from before texts had digests: nobody knows
        which text they are of.
        """
        with reading(self._engine, self.path) as connection:
            return counts.asked(connection, identity, where=str(self.path))

    def tally(self) -> list[Tally]:
        """How many judgements there are per judge, identity, criterion, status and verdict, counted by the database."""
        with reading(self._engine, self.path) as connection:
            return counts.tallies(connection, where=str(self.path))

    def identities(self, judge: str) -> list[str]:
        """The identities under which a judge of this name has answered, the one that answered last at the end."""
        with reading(self._engine, self.path) as connection:
            return counts.identities_of(connection, judge)

    def served(self, identity: str) -> list[Served]:
        """What servers said that they served to judges of this identity, the one that answered last at the end."""
        with reading(self._engine, self.path) as connection:
            return counts.served_by(connection, identity)

    def orders(self, judge: str, identity: str) -> set[Literal["ab", "ba"] | None]:
        """The orders in which a judge of this name and identity saw what it judged; None for what has no order."""
        with reading(self._engine, self.path) as connection:
            return seen.orders_of(connection, judge, identity)

    def texts(self, judge: str, subjects: Collection[str]) -> dict[str, set[str]]:
        """By subject, the digests of its texts that a judge of this name has judged, under whatever identity.

        What is older than digests of texts has an empty one.
        """
        with reading(self._engine, self.path) as connection:
            return seen.texts_of(connection, judge, subjects)

    def wordings(self, judge: str) -> dict[str, set[str]]:
        """By criterion, the digests of its wordings that a judge of this name has answered, under whatever identity."""
        with reading(self._engine, self.path) as connection:
            return seen.wordings_of(connection, judge)

    def spent(self, judgements: Columns) -> Spent:
        """Calls, tokens and cost behind the judgements of columns that were read here, summed by the database.

        Raises:
            FielError: they were not read from a database.
        """
        if judgements.number is None:
            raise FielError("These judgements were not read from a database.", fix="Read them by `columns`.")
        with reading(self._engine, self.path) as connection:
            return seen.spent_on(connection, judgements.judge, judgements.identity, judgements.number.tolist())

    def find(self, subject: str, *, criterion: str | None = None, judge: str | None = None) -> list[Judgement]:
        """The judgements of one subject, those of the identity that answered last at the end.

        Args:
            subject: its id, or a beginning that no other id of a judged subject has.
            criterion: only on the criterion with this id; None for all, as below.
            judge: only of this name.

        Raises:
            FielError: several ids begin so, and none is that.
        """
        query = rows()
        if criterion is not None:
            query = query.where(tables.criteria.c.name == criterion)
        if judge is not None:
            query = query.where(tables.judges.c.name == judge)
        with reading(self._engine, self.path) as connection:
            name = counts.whole_id(connection, subject, where=str(self.path))
            judges = seen.numbers_of(connection, judge)
            chosen = query.where(*seen.on_subjects(connection, [name], judges=judges))
            return counts.newest_last(connection, chosen, where=str(self.path))

    def reply(self, digest: str) -> Reply | None:
        """The last reply to the request of this digest; None where there is none.

        Raises:
            FielError: it is damaged.
        """
        with reading(self._engine, self.path) as connection:
            return exchanged.last_reply(connection, digest, where=str(self.path))

    def request(self, digest: str) -> Request | None:
        """The request of this digest as it was asked; None where no reply to it is kept.

        Raises:
            FielError: it is damaged: its digest is another one.
        """
        with reading(self._engine, self.path) as connection:
            return exchanged.kept_request(connection, digest, where=str(self.path))

    def reply_digests(self, model: str) -> set[str]:
        """The digests of all requests to the model of this logical name that have a reply."""
        with reading(self._engine, self.path) as connection:
            return exchanged.kept_digests(connection, model)

    def exchanges(self, judgement: Judgement) -> list[Exchange]:
        """What is kept of the request that a judgement was made from, and of its equals under other sample numbers.

        Returns:
            By sample number; the replies to one request in the order in which they were kept, so that the one in use is
            its last. Empty where no model was asked or nothing is kept.

        Raises:
            FielError: one is damaged.
        """
        if judgement.request is None:
            return []
        with reading(self._engine, self.path) as connection:
            return exchanged.exchanges_of(connection, judgement.request, where=str(self.path))


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
