from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiel.records import Distribution, FielError, Judgement, Message, Reply, Request
from fiel.store.judgements import Asked, JudgementStore, Served

QUESTION = Request(model="fast", messages=(Message(role="user", content="Is it so?"),))

VERSION_1 = """
CREATE TABLE meta ("key" TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY ("key"));
CREATE TABLE subjects (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name));
CREATE TABLE criteria (id INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, options TEXT, PRIMARY KEY (id),
    UNIQUE (name, digest));
CREATE TABLE judges (id INTEGER NOT NULL, name TEXT NOT NULL, identity TEXT NOT NULL, PRIMARY KEY (id),
    UNIQUE (name, identity));
CREATE TABLE judgements (
    id INTEGER NOT NULL, judge INTEGER NOT NULL, criterion INTEGER NOT NULL, subject INTEGER NOT NULL,
    replicate INTEGER NOT NULL, shown_order SMALLINT NOT NULL, variant TEXT NOT NULL, status SMALLINT NOT NULL,
    verdict SMALLINT, source SMALLINT, probs TEXT, losses TEXT, evidence TEXT, reason TEXT, usage TEXT, cost FLOAT,
    latency FLOAT, request TEXT, PRIMARY KEY (id), FOREIGN KEY(judge) REFERENCES judges (id),
    FOREIGN KEY(criterion) REFERENCES criteria (id), FOREIGN KEY(subject) REFERENCES subjects (id));
CREATE UNIQUE INDEX judgement_key ON judgements (judge, criterion, subject, replicate, shown_order, variant);
CREATE INDEX judgement_tally ON judgements (judge, criterion, status, verdict);
INSERT INTO meta VALUES ('application', 'fiel judgements');
INSERT INTO subjects VALUES (1, 'a1'), (2, 'a2');
INSERT INTO criteria VALUES (1, 'grounded', 'wording-1', '["no","yes"]');
INSERT INTO judges VALUES (1, 'house', 'id-1');
INSERT INTO judgements VALUES
    (1, 1, 1, 1, 0, 0, 'null', 0, 1, 0, '[0.25,0.75]', '{"captured":0.9}', NULL, 'why', '{"input":3}', 0.5, 0.1, 'r'),
    (2, 1, 1, 2, 0, 2, '"v"', 4, NULL, NULL, NULL, NULL, NULL, 'timeout', NULL, NULL, NULL, NULL);
PRAGMA user_version = 1;
"""


VERSION_2 = (
    (
        VERSION_1[: VERSION_1.index("INSERT INTO judgements")]
        .replace("request TEXT, PRIMARY KEY", "request TEXT, subject_digest TEXT DEFAULT '' NOT NULL, PRIMARY KEY")
        .replace("(judge, criterion, subject, replicate,", "(judge, criterion, subject, subject_digest, replicate,")
    )
    + """
INSERT INTO judgements VALUES
    (1, 1, 1, 1, 0, 0, 'null', 0, 1, 0, '[0.25,0.75]', NULL, NULL, NULL, NULL, NULL, NULL, 'r', 'text-1'),
    (2, 1, 1, 1, 0, 0, 'null', 4, NULL, NULL, NULL, NULL, NULL, 'timeout', NULL, NULL, NULL, NULL, 'text-2');
PRAGMA user_version = 2;
"""
)


def raw(path: Path, script: str) -> Path:
    """A database made by hand."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def layout(path: Path) -> dict[str, Any]:
    """What the tables and indexes of a file are, whatever words made them."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")]
        return {
            name: [
                connection.execute(f"PRAGMA table_info('{name}')").fetchall(),
                connection.execute(f"PRAGMA index_xinfo('{name}')").fetchall(),
                sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list('{name}')")),
                sorted(row[1:] for row in connection.execute(f"PRAGMA index_list('{name}')")),
            ]
            for name in names
        } | {"version": connection.execute("PRAGMA user_version").fetchone()}


def test_version_1_is_brought_up_to_date(tmp_path: Path):
    """Rows of the first layout are read as they were, without the digest of a text, and count as not judged."""
    with JudgementStore.open(raw(tmp_path / "j.db", VERSION_1), must_exist=True) as store:
        old = store.read()
        assert old[0] == Judgement(
            subject="a1",
            subject_digest="",
            criterion="grounded",
            criterion_digest="wording-1",
            judge="house",
            identity="id-1",
            status="ok",
            belief=Distribution(options=("no", "yes"), probs=(0.25, 0.75), source="logprobs", captured=0.9),
            reason="why",
            usage=old[0].usage,
            cost=0.5,
            latency=0.1,
            request="r",
        )
        assert (old[1].status, old[1].order, old[1].variant, old[1].reason) == ("error", "ba", "v", "timeout")
        assert store.have("id-1") == set()
        new = Judgement(
            subject="a1",
            subject_digest="text-1",
            criterion="grounded",
            criterion_digest="wording-1",
            judge="house",
            identity="id-1",
            served="m@1",
            status="unparsed",
            written="yes",
        )
        assert store.add([new]) == 1
        assert store.have("id-1") == {Asked.by(new)}
        assert store.read() == [*old, new]


def test_version_2_is_brought_up_to_date(tmp_path: Path):
    """Rows of the second layout are read as they were; they count as judged, and a failed call gives way."""
    with JudgementStore.open(raw(tmp_path / "j.db", VERSION_2), must_exist=True) as store:
        answered, failed = store.read()
        assert (answered.subject_digest, answered.verdict, answered.served, answered.written) == (
            "text-1",
            "yes",
            None,
            None,
        )
        assert store.have("id-1") == {Asked.by(answered)}
        assert store.served("id-1") == [Served(served=None, count=2, last=None)]
        retried = msgspec.structs.replace(failed, status="refused", served="m@1")
        assert store.keep(replies=[(QUESTION, Reply(text="I will not."))], judgements=[retried, answered]) == (1, 1)
        assert store.read() == [answered, retried]
        assert store.reply(QUESTION.digest) == Reply(text="I will not.")


@pytest.mark.parametrize("script", [VERSION_1, VERSION_2], ids=["1", "2"])
def test_an_old_file_becomes_like_a_new_one(tmp_path: Path, script: str):
    """After the migrations a file has the tables, columns, keys, indexes and version of a new one."""
    JudgementStore.open(raw(tmp_path / "old.db", script)).close()
    JudgementStore.open(tmp_path / "new.db").close()
    assert layout(tmp_path / "old.db") == layout(tmp_path / "new.db")
    assert layout(tmp_path / "new.db")["version"] == (3,)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path):
    """A migration that cannot end leaves the first layout with its rows."""
    path = raw(tmp_path / "j.db", VERSION_1.replace("UNIQUE INDEX judgement_key", "UNIQUE INDEX another_name"))
    before = layout(path)
    with pytest.raises(FielError, match="judgement_key"):
        JudgementStore.open(path)
    assert layout(path) == before


def test_opening_twice_changes_nothing(tmp_path: Path):
    """A file of today's layout is opened without a write to it."""
    JudgementStore.open(tmp_path / "j.db").close()
    before = (tmp_path / "j.db").read_bytes()
    JudgementStore.open(tmp_path / "j.db").close()
    assert (tmp_path / "j.db").read_bytes() == before


NEWER = VERSION_1.replace("user_version = 1", "user_version = 7")
FOREIGN = "CREATE TABLE photos (id INTEGER PRIMARY KEY); PRAGMA user_version = 1;"
COUSIN = VERSION_1.replace("fiel judgements", "fiel labels")


@pytest.mark.parametrize("log", ["DELETE", "WAL"])
@pytest.mark.parametrize(
    ("script", "what", "fix"),
    [
        (NEWER, "written by a newer fiel (schema 7, this one knows 3)", "Upgrade fiel"),
        (FOREIGN, "not one of fiel judgements", "[store]"),
        (COUSIN, "not one of fiel judgements", "[store]"),
        ("CREATE TABLE meta (a TEXT); PRAGMA user_version = 2;", "not one of fiel judgements", "[store]"),
        ("CREATE TABLE photos (id INTEGER PRIMARY KEY);", "not one of fiel judgements", "[store]"),
    ],
    ids=["newer", "foreign", "labels", "other meta", "no version"],
)
def test_what_is_not_ours_is_left_alone(tmp_path: Path, log: str, script: str, what: str, fix: str):
    """A newer database and one of another application are refused and stay as they are, with nothing beside them."""
    path = raw(tmp_path / "j.db", f"PRAGMA journal_mode = {log}; {script}")
    before = path.read_bytes()
    with pytest.raises(FielError) as caught:
        JudgementStore.open(path)
    assert what in caught.value.what
    assert fix in (caught.value.fix or "")
    assert caught.value.where == str(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["j.db"]


def test_a_newer_file_in_use_is_recognised(tmp_path: Path):
    """A newer database whose version still stands in its log alone is refused, its file untouched."""
    path = tmp_path / "j.db"
    with closing(sqlite3.connect(path)) as other:
        other.executescript(f"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; {NEWER}")
        before = path.read_bytes()
        with pytest.raises(FielError, match="newer fiel"):
            JudgementStore.open(path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0 but then nothing of the kind"])
def test_not_a_database(tmp_path: Path, content: bytes):
    """A file that is no SQLite database is refused and stays as it is."""
    (tmp_path / "j.db").write_bytes(content)
    with pytest.raises(FielError) as caught:
        JudgementStore.open(tmp_path / "j.db")
    assert caught.value.where == str(tmp_path / "j.db")
    assert (tmp_path / "j.db").read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["j.db"]


def test_an_empty_file_is_a_new_store(tmp_path: Path):
    """A file of no bytes is what SQLite takes for a new database, and so do we."""
    (tmp_path / "j.db").touch()
    with JudgementStore.open(tmp_path / "j.db") as store:
        assert store.read() == []


def test_folder_and_file_in_the_way(tmp_path: Path):
    """A folder where the file should be, or a file where a folder should be, is said."""
    with pytest.raises(FielError, match="folder"):
        JudgementStore.open(tmp_path)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FielError, match="cannot be opened"):
        JudgementStore.open(tmp_path / "file" / "j.db")


def test_names_that_look_like_addresses(tmp_path: Path):
    """A path with question marks, percent signs and blanks is a path."""
    path = tmp_path / "a b?mode=ro%41#x.db"
    JudgementStore.open(path).close()
    JudgementStore.open(path, must_exist=True).close()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_damaged_table_of_contents_is_an_error(tmp_path):
    """A name in it that is no text any more is a damaged database, said as such, and it is left as it is."""
    path = tmp_path / "judgements.db"
    JudgementStore.open(path).close()
    data = path.read_bytes().replace(b"CREATE TABLE subjects", b"CREATE TABLE \xff\xfejects", 1)
    data = data.replace(b"tablesubjectssubjects", b"table\xff\xfejects\xff\xfejects", 1)
    path.write_bytes(data)
    with pytest.raises(FielError, match="damaged"):
        JudgementStore.open(path, must_exist=True)
    assert path.read_bytes() == data
