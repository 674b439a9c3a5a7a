"""The labels' database, an SQLite file or a PostgreSQL server, as one thing to read and write. Knows no table's use.

No error of here holds a password.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Protocol, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, make_url, select, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.schema import CreateSchema

from fiel.records import FielError
from fiel.store._databases import Layout, open_database, open_to_read, reading, writing
from fiel.store._files import check_path
from fiel.store._label_tables import LAYOUT, meta

_SCHEMA = "fiel_labels"
_LOCK = 0x6669656C  # "fiel": whoever makes the tables holds it
_SERVERS = ("postgresql:", "postgresql+", "postgres:")
_DRIVER = "postgresql+psycopg"


class Database(Protocol):
    """Something that holds our tables. Threads may share it."""

    where: str

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction; committed, to the disk, at the end of the block."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that reads."""

    def close(self) -> None:
        """Let go of it."""


def open_label_database(url_or_path: str | Path, *, must_exist: bool = False) -> Database:
    """Open the database, creating its tables, and an SQLite file with its folders, where they are not there.

    Args:
        url_or_path: an SQLite file, `sqlite:///` and its path, or `postgresql://` and a server.
        must_exist: make nothing.

    Raises:
        FielError: it cannot be opened, is another application's or a newer fiel's, or, with `must_exist`, is not there.
    """
    written = str(url_or_path)
    if written.startswith(_SERVERS):
        return _Server.open(written, must_exist=must_exist)
    if "://" in written and not written.startswith("sqlite:///"):
        raise FielError(
            "Labels are kept in an SQLite file or on PostgreSQL; this address is of something else.",
            where="store.labels",
            fix='Name a file, labels = ".fiel/labels.db", or a server, labels = "postgresql://HOST/DATABASE".',
        )
    return _File.open(Path(written.removeprefix("sqlite:///")), must_exist=must_exist)


class _File:
    """An SQLite file that nobody else on the machine can read."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.where = str(path)
        self._path = path
        self._engine = engine
        self._writer = Lock()  # one thread writes at a time, as the database would have it

    @classmethod
    def open(cls, path: Path, *, must_exist: bool) -> Self:
        check_path(path)
        if must_exist and not path.exists():
            raise _nothing_yet(str(path))
        if must_exist and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            return cls(path, open_to_read(path, LAYOUT))
        if not os.path.lexists(path):
            _create_private(path)
        engine = open_database(path, LAYOUT)
        for ending in ("", "-wal", "-shm"):
            file = path.with_name(path.name + ending)
            with suppress(OSError):  # somebody else's file: it opened, and its mode is that owner's affair
                if file.stat().st_mode & 0o077:
                    file.chmod(0o600)
        return cls(path, engine)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._writer, writing(self._engine, self._path) as connection:
            yield connection

    def reading(self) -> AbstractContextManager[Connection]:
        return reading(self._engine, self._path)

    def close(self) -> None:
        self._engine.dispose()


class _Server:
    """A PostgreSQL database, with our tables in a schema of their own."""

    def __init__(self, where: str, engine: Engine) -> None:
        self.where = where
        self._engine = engine

    @classmethod
    def open(cls, address: str, *, must_exist: bool) -> Self:
        try:
            url = make_url(address).set(drivername=_DRIVER)
        except (ArgumentError, ValueError):
            raise FielError(
                "This is no address of a PostgreSQL database.",
                where="store.labels",
                fix='Such as "postgresql://HOST:5432/DATABASE"; the password is read from PGPASSWORD or ~/.pgpass.',
            ) from None
        where = _place(url)
        try:
            engine = create_engine(url, pool_pre_ping=True, pool_size=10, hide_parameters=True)
        except ModuleNotFoundError as error:
            raise FielError(
                "Labels on PostgreSQL need the package psycopg.", where=where, fix="pip install 'fiel[postgres]'"
            ) from error
        except (ArgumentError, TypeError, ValueError):
            raise FielError("The address has an option that is none.", where=where) from None
        event.listen(engine, "connect", _be_durable)
        made = cls(where, engine.execution_options(schema_translate_map={None: _SCHEMA}))
        try:
            with made.writing() as connection:
                _prepare(connection, LAYOUT, where, must_exist=must_exist)
        except BaseException:
            engine.dispose()
            raise
        return made

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with _said(self.where), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _said(self.where), self._engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        self._engine.dispose()


def _be_durable(connection: DBAPIConnection, _record: object) -> None:
    """Have a commit mean that it is on the disk, whatever the server is told to do for others."""
    cursor = connection.cursor()
    cursor.execute("SET synchronous_commit = on")
    cursor.close()
    connection.commit()


def _prepare(connection: Connection, layout: Layout, where: str, *, must_exist: bool) -> None:
    """Make the tables where there are none; check whose they are where there are."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if not inspect(connection).has_table("meta", schema=_SCHEMA):
        if must_exist:
            raise _nothing_yet(where)
        connection.execute(CreateSchema(_SCHEMA, if_not_exists=True))
        layout.tables.create_all(connection)
        rows = {"application": layout.application, "version": str(layout.version)}
        connection.execute(insert(meta), [{"key": key, "value": value} for key, value in rows.items()])
        return
    found = {row.key: row.value for row in connection.execute(select(meta))}
    if found.get("application") != layout.application:
        raise FielError(
            f"The schema {_SCHEMA} of this database is not one of {layout.application}.",
            where=where,
            fix="Name another database.",
        )
    version = int(found["version"])
    if version > layout.version:
        raise FielError(
            f"The database was written by a newer fiel (schema {version}, this one knows {layout.version}).",
            where=where,
            fix="Upgrade fiel.",
        )
    for migrate in layout.migrations[version - 1 :]:
        migrate(connection)
    connection.execute(meta.update().where(meta.c.key == "version").values(value=str(layout.version)))


@contextmanager
def _said(where: str) -> Iterator[None]:
    """Say the server's complaints in our words, and never with what it was asked: there may be a password in that."""
    try:
        yield
    except IntegrityError:
        raise  # our own fault
    except DBAPIError as error:
        what = next(iter(str(error.orig).splitlines()), "no reason given")
        raise FielError(
            f"The database does not work: {what.rstrip('.')}.",
            where=where,
            fix="Is the server running, and may you use it? The password is read from PGPASSWORD or ~/.pgpass.",
        ) from None
    except SQLAlchemyError as error:
        raise FielError(f"The database does not answer: {type(error).__name__}.", where=where) from None


def _place(url: URL) -> str:
    """The address without who comes and with what."""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{url.host or ''}{port}/{url.database or ''}"


def _create_private(path: Path) -> None:
    """An empty file that its owner alone can read: SQLite gives the files beside it the same rights."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise FielError(f"The database cannot be opened: {error.strerror}.", where=str(path)) from error


def _nothing_yet(where: str) -> FielError:
    return FielError("Nothing is labelled yet.", where=where, fix="Run fiel draw, then fiel label.")
