from __future__ import annotations

import builtins
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fiel.records import Criterion, FielError, Item, Rubric, Study
from fiel.store import _databases
from fiel.store.judgements import JudgementStore
from fiel.store.labels import LabelStore
from fiel.store.project import Project

PASSWORD = "hunter2-and-more"
NOBODY = "postgresql://me:{password}@127.0.0.1:1/labels"
STUDY = Study(
    name="s",
    rubric=Rubric(id="r", criteria=(Criterion(id="c", question="?"),)),
    subjects=(Item(id="i", group="secret-group", reference="secret-reference"),),
    raters=("ana",),
)


def test_the_files_are_their_owners_alone(tmp_path):
    """Acceptance 34: database, log and index have mode 0600 while open, whatever the mask is."""
    before = os.umask(0)
    try:
        with LabelStore.open(tmp_path / "deep" / "labels.db") as store:
            store.create(STUDY)
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "deep").iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("labels.db", "labels.db-wal", "labels.db-shm"), 0o600)


def test_a_file_that_others_can_read_is_closed_to_them(tmp_path):
    """A database of ours that somebody has opened to all is ours alone again."""
    path = tmp_path / "labels.db"
    LabelStore.open(path).close()
    path.chmod(0o644)
    LabelStore.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("logged", [True, False], ids=["with a log", "without"])
def test_a_file_that_another_store_fills_meanwhile_is_seen_as_of_one_moment(tmp_path, monkeypatch, logged):
    """Not with the version of before and the tables of after."""
    path = tmp_path / "labels.db"
    real, looks = _databases._found, []

    def slow(execute: Any) -> Any:
        def filled_meanwhile(statement: str) -> Any:
            answer = execute(statement)
            if len(looks) == 1 and "user_version" in statement:
                LabelStore.open(path).close()
            return answer

        looks.append(execute)
        return real(filled_meanwhile)

    with closing(sqlite3.connect(path)) as bare:
        bare.executescript("PRAGMA journal_mode = WAL; CREATE TABLE gone (x); DROP TABLE gone")
        if not logged:
            bare.close()
        monkeypatch.setattr(_databases, "_found", slow)
        with LabelStore.open(path) as store:
            assert store.studies() == []


def test_what_raters_do_not_see_is_not_in_the_file(tmp_path):
    """The labels' database cannot tell what it was never told."""
    with LabelStore.open(tmp_path / "labels.db") as store:
        store.create(STUDY)
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret" not in data


def test_the_judgements_database_is_refused_and_left_alone(tmp_path):
    """Labels are never put into the other database, nor the contrary."""
    path = tmp_path / "j.db"
    JudgementStore.open(path).close()
    before, mode = path.read_bytes(), path.stat().st_mode
    with pytest.raises(FielError, match="is not one of fiel labels"):
        LabelStore.open(path)
    assert (path.read_bytes(), path.stat().st_mode) == (before, mode)
    LabelStore.open(tmp_path / "l.db").close()
    with pytest.raises(FielError, match="is not one of fiel judgements"):
        JudgementStore.open(tmp_path / "l.db")


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"x" * 200])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, content):
    """What is no database of ours stays as it is, to the byte."""
    path = tmp_path / "labels.db"
    path.write_bytes(content)
    with pytest.raises(FielError) as caught:
        LabelStore.open(path)
    assert caught.value.where == str(path)
    assert path.read_bytes() == content


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    """A NUL in the path and a folder in its place are errors of the user."""
    for path in (f"{tmp_path}/a\0b", tmp_path, "/dev/null"):
        with pytest.raises(FielError):
            LabelStore.open(path)


def test_a_file_can_be_named_by_its_address(tmp_path):
    """`sqlite:///` and a path is that path."""
    LabelStore.open(f"sqlite:///{tmp_path}/labels.db").close()
    assert (tmp_path / "labels.db").exists()


@pytest.mark.parametrize("address", ["mysql://me:{password}@host/db", "http://host", "sqlite://labels.db"])
def test_another_address_is_refused(address):
    """Other databases are refused, without repeating the address."""
    with pytest.raises(FielError, match="SQLite file or on PostgreSQL") as caught:
        LabelStore.open(address.format(password=PASSWORD))
    assert PASSWORD not in str(caught.value)


def everything_said(error: BaseException | None) -> str:
    """An error with all that it came from."""
    said = ""
    while error is not None:
        said += f"{error!r} {error} {getattr(error, '__notes__', '')}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return said


@pytest.mark.parametrize(
    "address",
    [
        NOBODY,
        "postgres://me:{password}@127.0.0.1:1/labels",
        "postgresql://127.0.0.1:1/labels?password={password}",
        "postgresql://me:{password}@127.0.0.1:port/labels",
        "postgresql://me:{password}@127.0.0.1:1/labels?unknown={password}",
        "postgresql://me:{password}@[::1/labels",
        "postgresql:me:{password}",
    ],
)
def test_a_password_is_never_told(address):
    """A server that is not there, and an address that is none, are errors without the password."""
    pytest.importorskip("psycopg", reason="the extra fiel[postgres] is not installed")
    with pytest.raises(FielError) as caught:
        LabelStore.open(address.format(password=PASSWORD))
    assert PASSWORD not in everything_said(caught.value)


def test_a_server_that_is_not_there_is_named():
    """The error says which server, and where the password comes from."""
    pytest.importorskip("psycopg", reason="the extra fiel[postgres] is not installed")
    with pytest.raises(FielError, match="database does not work") as caught:
        LabelStore.open(NOBODY.format(password=PASSWORD))
    assert caught.value.where == "postgresql://127.0.0.1:1/labels"
    assert "PGPASSWORD" in caught.value.fix


def test_a_missing_driver_names_the_install_line(monkeypatch):
    """Without psycopg the error says what to install."""
    real = builtins.__import__

    def without_driver(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "psycopg":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_driver)
    with pytest.raises(FielError) as caught:
        LabelStore.open(NOBODY.format(password=PASSWORD))
    assert caught.value.fix == "pip install 'fiel[postgres]'"
    assert PASSWORD not in everything_said(caught.value)


def test_a_project_has_its_labels_beside_its_judgements(root):
    """The store of a project lies where fiel.toml says, and is not made where it must exist."""
    project = Project.open(root)
    with pytest.raises(FielError, match="Nothing is labelled yet"):
        project.label_store(must_exist=True)
    assert not (root / ".fiel").exists()
    with project.label_store() as store:
        store.create(STUDY)
    with closing(sqlite3.connect(root / ".fiel" / "labels.db")) as connection:
        assert connection.execute("SELECT name FROM studies").fetchall() == [("s",)]
    with project.label_store(must_exist=True) as store:
        assert [line.name for line in store.studies()] == ["s"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_store_that_cannot_be_written_is_read(tmp_path: Path):
    """Where the folder is read-only, studies can still be looked at, and nothing is left behind."""
    with LabelStore.open(tmp_path / "labels.db") as store:
        store.create(STUDY)
    (tmp_path / "labels.db").chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with LabelStore.open(tmp_path / "labels.db", must_exist=True) as store:
            assert store.study("s").raters == ("ana",)
            assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.db"]
    finally:
        tmp_path.chmod(0o700)
