"""Opening an SQLite file that is ours: checked before it is touched, created or brought up to date. Knows no table."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, insert
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import QueuePool

from fiel.records import FielError
from fiel.store._files import check_file

_T = TypeVar("_T")

_MAGIC = b"SQLite format 3\0"
_PATIENCE = 30.0  # seconds that a writer waits for another one
_PART = 500  # values in one statement
_WRITES = "fiel_writes"
_WITH_LOCKS = "mode=ro"
_WITHOUT_LOCKS = "immutable=1"
_TAKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_LET_WRITE = "Let the file and its folder be written, or copy them where they can be."
_FIXES = {
    **dict.fromkeys(_TAKEN, "Is another program holding it?"),
    **dict.fromkeys((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR), "Is the disk full?"),
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM), _LET_WRITE),
    sqlite3.SQLITE_TOOBIG: "Is a text longer than a billion bytes?",
}
"""SQLite's complaint to what can be done; what has no place here says that the file is not what it was."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """What a database of ours holds.

    Args:
        application: stands in its table `meta`, which `tables` must have, with the columns key and value.
        tables: as a new file gets them.
        migrations: each takes a file from the version of its place (from 1) to the next one.
    """

    application: str
    tables: MetaData
    migrations: tuple[Callable[[Connection], None], ...] = ()

    @property
    def version(self) -> int:
        """The version that this program writes."""
        return len(self.migrations) + 1


class _Found(NamedTuple):
    """What a file says of itself."""

    version: int
    application: str | None
    empty: bool


class _Trace(NamedTuple):
    inode: int
    size: int
    modified: int


def open_database(path: Path, layout: Layout) -> Engine:
    """An engine on the file, created or brought up to date where need be; parent folders too.

    Every connection has a write-ahead log, writes through to the disk at each commit, waits for other writers, and
    keeps foreign keys.

    Raises:
        FielError: the file is no SQLite database, is another application's, or was written by a newer fiel: it is then
            as it was before, to the byte; or it cannot be opened.
    """
    if os.path.lexists(path):
        check_file(path, wanted="a database file")
        if path.stat().st_size:
            _check(_look(path), layout, path)
    engine = _engine(path)
    try:
        with said(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _bring_up_to_date(engine, layout, path)
    except BaseException:
        engine.dispose()
        raise
    return engine


def open_to_read(path: Path, layout: Layout) -> Engine:
    """An engine on a file that cannot be written, or lies where nothing can: it reads, and leaves nothing behind.

    Raises:
        FielError: as `open_database`; or the file has an older layout, or its last writes still stand in a log that
            cannot be read without writing.
    """
    check_file(path, wanted="a database file")
    found = _look(path)
    _check(found, layout, path)
    if found != _Found(version=layout.version, application=layout.application, empty=False):
        raise FielError(
            f"The database has an older layout ({found.version}, now {layout.version}), and cannot be written.",
            where=str(path),
            fix=_LET_WRITE,
        )
    mode = next((mode for mode in _modes(path) if _opens(path, mode)), _WITH_LOCKS)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, check_same_thread=False)

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=QueuePool)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {int(_PATIENCE * 1000)}")

    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def writing(engine: Engine, path: Path) -> Iterator[Connection]:
    """A transaction that alone may write, from its beginning; committed, to the disk, at the end of the block.

    Raises:
        FielError: the database is locked for long, full, read-only or damaged; or a text holds a lone surrogate.
    """
    with said(path), engine.connect() as connection, connection.execution_options(**{_WRITES: True}).begin():
        yield connection


@contextmanager
def reading(engine: Engine, path: Path) -> Iterator[Connection]:
    """A transaction that sees one state of the database.

    Raises:
        FielError: the database is damaged or cannot be read.
    """
    with said(path), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def said(path: Path) -> Iterator[None]:
    """Say the database's own complaints in our words."""
    try:
        yield
    except IntegrityError:
        raise  # our own fault
    except DBAPIError as error:
        raise _in_our_words(error.orig, path) from error
    except UnicodeDecodeError as error:
        raise _in_our_words(error, path) from error
    except UnicodeEncodeError as error:
        sign = ord(error.object[error.start])
        raise FielError(
            f"A text holds a lone surrogate (U+{sign:04X}), which is not a character; nothing of this step was kept.",
            where=str(path),
        ) from error
    except OSError as error:
        raise FielError(f"The database cannot be opened: {error.strerror}.", where=str(path)) from error


def parts(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Pieces of a sequence, each of as many values as one statement may name."""
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]


def _look(path: Path) -> _Found:
    """What the file is, found out without changing it or leaving a file beside it."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except OSError as error:
        raise FielError(f"The database cannot be read: {error.strerror}.", where=str(path)) from error
    if head != _MAGIC:
        raise FielError("This file is no SQLite database.", where=str(path), fix="Name another file under [store].")
    until = time.monotonic() + _PATIENCE
    while True:
        before = _traces(path)
        seen, locked = _glance(path)
        if locked or before == _traces(path) or time.monotonic() > until:  # else somebody wrote meanwhile
            break
        time.sleep(0.02)
    if isinstance(seen, Exception):
        raise _in_our_words(seen, path) from seen
    return seen


def _glance(path: Path) -> tuple[_Found | Exception, bool]:
    """What the file is at one moment, and whether writers were kept out while it was read."""
    failure: Exception = sqlite3.Error()
    for mode in _modes(path):
        try:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)) as connection:
                connection.isolation_level = None
                connection.execute("BEGIN")
                return _found(connection.execute), mode == _WITH_LOCKS
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            failure = error
    return failure, False


def _modes(path: Path) -> tuple[str, ...]:
    """How SQLite may look at a file without writing; with a log beside it, the log has the last word."""
    logs = [trace.size for trace in _traces(path)[1:] if trace]
    if not logs:
        return (_WITHOUT_LOCKS, _WITH_LOCKS)
    return (_WITH_LOCKS,) if any(logs) else (_WITH_LOCKS, _WITHOUT_LOCKS)


def _traces(path: Path) -> list[_Trace | None]:
    """What changes in a file, or beside it, when somebody writes."""

    def trace(at: Path) -> _Trace | None:
        try:
            seen = at.stat()
        except OSError:
            return None
        return _Trace(inode=seen.st_ino, size=seen.st_size, modified=seen.st_mtime_ns)

    return [trace(path.with_name(path.name + ending)) for ending in ("", "-wal", "-journal")]


def _opens(path: Path, mode: str) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        return False
    return True


def _in_our_words(error: BaseException | None, path: Path) -> FielError:
    """What SQLite complains of, with what can be done about it."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the rest tells kinds of one kind apart
    if code in _FIXES:
        what, fix = "The database does not work", f"{_FIXES[code]} Nothing of this step was kept."
    else:
        what, fix = "The database is damaged", "Restore it from a copy, or move it away and start anew."
    return FielError(f"{what}: {error}.", where=str(path), fix=fix)


def _found(execute: Callable[[str], Any]) -> _Found:
    version = execute("PRAGMA user_version").fetchone()[0]
    names = {row[0] for row in execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
    columns = {row[1] for row in execute("PRAGMA table_info(meta)").fetchall()}
    application = None
    if {"key", "value"} <= columns:
        row = execute("SELECT value FROM meta WHERE \"key\" = 'application'").fetchone()
        application = row[0] if row else None
    return _Found(version=version, application=application, empty=not names and version == 0)


def _check(found: _Found, layout: Layout, path: Path) -> None:
    if found.empty:
        return
    if found.application != layout.application:
        raise FielError(
            f"This database is not one of {layout.application}; it was left as it is.",
            where=str(path),
            fix="Name another file under [store].",
        )
    if found.version > layout.version:
        raise FielError(
            f"The database was written by a newer fiel (schema {found.version}, this one knows {layout.version}).",
            where=str(path),
            fix="Upgrade fiel.",
        )
    if found.version < 1:
        raise FielError(
            f"The database is damaged: it has tables, and says that its layout is number {found.version}.",
            where=str(path),
            fix="Restore it from a copy, or move it away and start anew.",
        )


def _engine(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite+pysqlite", database=str(path)))

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where `begin` below says so
        connection.execute(f"PRAGMA busy_timeout = {int(_PATIENCE * 1000)}")
        _set_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _set_log(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on; two processes that do so at once do not wait for each other by themselves."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _TAKEN or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _bring_up_to_date(engine: Engine, layout: Layout, path: Path) -> None:
    with engine.connect() as connection:
        found = _found(connection.exec_driver_sql)
    if found == _Found(version=layout.version, application=layout.application, empty=False):
        return
    with writing(engine, path) as connection:
        found = _found(connection.exec_driver_sql)  # again: another process may have been here
        _check(found, layout, path)
        if found.empty:
            layout.tables.create_all(connection)
            connection.execute(insert(layout.tables.tables["meta"]).values(key="application", value=layout.application))
        else:
            for migrate in layout.migrations[found.version - 1 :]:
                migrate(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {layout.version}")
