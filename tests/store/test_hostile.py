"""Files and databases that somebody has made to break the program, or broke by hand."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fiel.records import Distribution, FielError, Judgement
from fiel.store._databases import open_to_read
from fiel.store._json import decode_json
from fiel.store._judgement_layout import LAYOUT
from fiel.store._secrets import carries_secret, without_credentials
from fiel.store.config import load_config
from fiel.store.judgements import JudgementStore
from fiel.store.label_files import read_labels
from fiel.store.project import Project
from fiel.store.rubrics import load_rubric
from fiel.store.tables import read_items, read_table

DEEP = "[" * 100_000


def judgement(subject: str = "a1") -> Judgement:
    """A judgement that says yes."""
    return Judgement(
        subject=subject,
        subject_digest="text-1",
        criterion="grounded",
        criterion_digest="wording-1",
        judge="house",
        identity="id-1",
        status="ok",
        belief=Distribution(options=("no", "yes"), probs=(0.25, 0.75), source="logprobs", captured=0.9),
        usage=None,
    )


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A database with one judgement, whose log is gone."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        store.add([judgement()])
    return tmp_path / "j.db"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet", "a.nothing"])
def test_a_pipe_is_no_table(tmp_path: Path, name: str):
    """A pipe is refused, whatever its name ends in, and nobody waits for what comes out of it."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(FielError, match="not a regular file but a pipe") as caught:
        read_table(tmp_path / name)
    assert caught.value.where == str(tmp_path / name)


def test_a_socket_and_a_device_are_no_items(tmp_path: Path):
    """A socket and a device are refused by what they are."""
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(str(tmp_path / "a.jsonl"))
        with pytest.raises(FielError, match="a socket"):
            read_items([tmp_path / "a.jsonl"])
    with pytest.raises(FielError, match="a device"):
        read_items([os.devnull])


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("fiel.toml", Project.open),
        ("rubrics/rag.toml", lambda root: Project.open(root).rubric("rag")),
        ("schemas/answer.json", lambda root: Project.open(root).rubric("rag")),
        ("items/one.jsonl", lambda root: Project.open(root).items()),
        ("labels/ana.csv", lambda root: Project.open(root).labels(Project.open(root).rubric("rag"))),
        (".fiel/judgements.db", lambda root: Project.open(root).judgements()),
        (".fiel/judgements.db", lambda root: Project.open(root).judgements(must_exist=True)),
    ],
)
def test_a_pipe_in_the_place_of_any_file(root: Path, name: str, read: Callable[[Path], object]):
    """Whatever file of a project is a pipe, it is refused by its name."""
    path = root / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(FielError, match="a pipe") as caught:
        read(root)
    assert str(path) in (caught.value.where or "")


@pytest.mark.parametrize("value", [DEEP, "[" * 150 + "]" * 150, '{"a":' * 150 + "1" + "}" * 150])
def test_json_without_a_bottom(root: Path, value: str):
    """Nesting that no program bears is refused with file and line, in tables, labels, items and schemas."""
    line = f'{{"id":1,"answer":{value}}}'
    (root / "a.jsonl").write_text(f'{{"id":0}}\n{line}', encoding="utf-8")
    with pytest.raises(FielError, match="nested too deeply") as caught:
        read_table(root / "a.jsonl")
    assert caught.value.where == f"{root / 'a.jsonl'}, line 2"
    with pytest.raises(FielError, match="nested too deeply"):
        read_labels(root / "a.jsonl", Project.open(root).rubric("rag"), items={"a1"})
    (root / "a.json").write_text(f"[{line}]", encoding="utf-8")
    with pytest.raises(FielError, match="nested too deeply"):
        read_table(root / "a.json")
    (root / "schemas" / "answer.json").write_text(line, encoding="utf-8")
    with pytest.raises(FielError, match="nested too deeply"):
        Project.open(root).rubric("rag")


def test_brackets_in_a_text_are_no_nesting(tmp_path: Path):
    """A text may hold as many brackets as it likes, and lists may be nested as people nest them."""
    (tmp_path / "a.jsonl").write_text(f'{{"id":1,"answer":"{DEEP}","more":[[[["x"]]]]}}', encoding="utf-8")
    assert read_table(tmp_path / "a.jsonl").rows[0]["answer"] == DEEP


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (f"a = {'[' * 5000}", "nested too deeply"),
        (f"a = {'[' * 150}{']' * 150}", "nested too deeply"),
        (f"{'.'.join(['a'] * 5000)} = 1", "nested too deeply"),
        (f"[{'.'.join(['a'] * 5000)}]", "nested too deeply"),
        (f"a = {'{a=' * 5000}1{'}' * 5000}", "nested too deeply"),
        (f"a = {'1' * 5000}", "more than 64 bits"),
        (f"a = [1, {2**63}]", "more than 64 bits"),
    ],
)
def test_toml_without_a_bottom(root: Path, statement: str, what: str):
    """Nesting and whole numbers that no program bears are refused with their line, in fiel.toml and in rubrics."""
    for path, read in ((root / "fiel.toml", load_config), (root / "rubrics" / "rag.toml", load_rubric)):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n{statement}\n", encoding="utf-8")
        with pytest.raises(FielError, match=what) as caught:
            read(path)
        assert caught.value.where == f"{path}, line {text.count(chr(10)) + 2}"


@pytest.mark.parametrize("key", ["judgements", "labels"])
def test_nul_in_a_path_of_the_configuration(root: Path, key: str):
    """A NUL in fiel.toml is refused with its line."""
    with (root / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[store]\n{key} = "a\\u0000b"\n')
    with pytest.raises(FielError, match="NUL") as caught:
        load_config(root / "fiel.toml")
    assert (caught.value.where or "").endswith(f"store.{key}")
    assert "line 32" in (caught.value.where or "")


def test_nul_in_any_path(tmp_path: Path):
    """A NUL in a path that a program gives is refused where the path is used."""
    for use in (Project.open, read_table, load_rubric, JudgementStore.open):
        with pytest.raises(FielError, match="NUL"):
            use(f"{tmp_path}/a\0b.csv")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE judgements SET status = 77", "no word has the number 77"),
        ("UPDATE judgements SET shown_order = 9", "no word has the number 9"),
        ("UPDATE judgements SET source = 99", "no word has the number 99"),
        ("UPDATE judgements SET source = NULL", "no word has the number None"),
        ("UPDATE judgements SET variant = 'not JSON'", "malformed"),
        ("UPDATE judgements SET variant = '7'", "Expected"),
        ("UPDATE judgements SET probs = '[0.5'", "truncated"),
        ("UPDATE judgements SET probs = '[0.5,0.9]'", "sum to 1"),
        ("UPDATE judgements SET probs = '[1]'", "2 options and 1"),
        ("UPDATE judgements SET losses = '[]'", "Expected"),
        ("UPDATE judgements SET evidence = '{}'", "Expected"),
        ("UPDATE judgements SET usage = 'x'", "malformed"),
        ("UPDATE judgements SET status = 1", "status 'abstained' with a belief"),
        ("UPDATE judgements SET reason = x'ff'", "reason is of type bytes"),
        ("UPDATE judgements SET replicate = 'one'", "replicate is of type str"),
        ("UPDATE criteria SET options = 'x'", "malformed"),
        ("UPDATE criteria SET options = NULL", "0 options"),
    ],
)
def test_an_edited_row_is_damage(kept: Path, change: str, what: str):
    """A row that says what nothing can have said is damage, told with its number, however it is asked for."""
    with closing(sqlite3.connect(kept)) as connection:
        connection.execute(change)
        connection.commit()
    with JudgementStore.open(kept, must_exist=True) as store:
        for read in (store.read, lambda: store.find("a1")):
            with pytest.raises(FielError, match=r"damaged: judgement 1 cannot be read") as caught:
                read()
            assert what in caught.value.what
            assert caught.value.where == str(kept)


@pytest.mark.parametrize(
    ("change", "ask"),
    [
        ("UPDATE judgements SET variant = 'x'", lambda store: store.have("id-1")),
        ("UPDATE judgements SET shown_order = 9", lambda store: store.have("id-1")),
        ("UPDATE judgements SET status = 77", lambda store: store.tally()),
        ("UPDATE judgements SET verdict = 5", lambda store: store.tally()),
        ("UPDATE criteria SET options = 'x'", lambda store: store.tally()),
        ("DROP TABLE words", lambda store: store.read()),
        ("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'words'", lambda store: store.read()),
    ],
)
def test_an_edited_database_is_damage(kept: Path, change: str, ask: Callable[[JudgementStore], object]):
    """What is counted or missing is damage too, and no other program is suspected."""
    with closing(sqlite3.connect(kept)) as connection:
        connection.executescript(change)
        connection.commit()
    with (
        pytest.raises(FielError, match="database is damaged") as caught,
        JudgementStore.open(kept, must_exist=True) as store,
    ):
        ask(store)
    assert "another program" not in str(caught.value)


@pytest.mark.parametrize("version", [0, -1])
def test_a_layout_that_never_was(kept: Path, version: int):
    """Tables under a version below the first are damage, and stay as they are."""
    with closing(sqlite3.connect(kept)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = kept.read_bytes()
    with pytest.raises(FielError, match=f"damaged.*number {version}"):
        JudgementStore.open(kept)
    assert kept.read_bytes() == before


def test_opened_to_read_alone(kept: Path):
    """A store that is opened to be read alone says what is in it, takes nothing in, and leaves no file behind."""
    with JudgementStore(kept, open_to_read(kept, LAYOUT)) as store:
        assert store.read() == [judgement()]
        with pytest.raises(FielError, match="readonly") as caught:
            store.add([judgement("a2")])
        assert "be written" in (caught.value.fix or "")
        assert [entry.name for entry in kept.parent.iterdir()] == ["j.db"]


def test_the_log_is_not_passed_over(kept: Path):
    """What stands in the log alone is read too, where the file is opened to be read alone."""
    with JudgementStore.open(kept) as writer:
        writer.add([judgement("a2")])
        with JudgementStore(kept, open_to_read(kept, LAYOUT)) as store:
            assert [found.subject for found in store.read()] == ["a1", "a2"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_cannot_be_written(kept: Path):
    """Where folder and file cannot be written, judgements are read at once, and a writer is told why it cannot."""
    kept.chmod(0o444)
    kept.parent.chmod(0o555)
    try:
        with JudgementStore.open(kept, must_exist=True) as store:
            assert store.read() == [judgement()]
        with pytest.raises(FielError, match="does not work") as caught:
            JudgementStore.open(kept)
        assert "be written" in (caught.value.fix or "")
    finally:
        kept.parent.chmod(0o755)


def test_an_older_layout_is_not_read_alone(kept: Path):
    """A file that would first have to be brought up to date says so where it cannot be written."""
    with closing(sqlite3.connect(kept)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(FielError, match=r"older layout \(2, now 3\)"):
        open_to_read(kept, LAYOUT)


@pytest.mark.parametrize("line", ['{"id":1,"id":2}', '{"id":"1","fields":{"a":1,"a":1}}'])
def test_a_key_that_stands_twice(tmp_path: Path, line: str):
    """A key twice in one object is refused by its name, in tables and in items, at any depth."""
    key = "id" if "fields" not in line else "a"
    (tmp_path / "a.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(FielError, match=f"'{key}' stands twice") as caught:
        read_table(tmp_path / "a.jsonl")
    assert caught.value.where == f"{tmp_path / 'a.jsonl'}, line 1"
    (tmp_path / "a.jsonl").write_text(line.replace(":1", ':"x"').replace(":2", ':"y"'), encoding="utf-8")
    with pytest.raises(FielError, match=f"'{key}' stands twice"):
        read_items([tmp_path / "a.jsonl"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json(tmp_path: Path, number: str):
    """NaN and infinity are refused by name, with what to write in their place."""
    (tmp_path / "a.jsonl").write_text(f'{{"id":1}}\n{{"id":2,"score":{number}}}\n', encoding="utf-8")
    with pytest.raises(FielError, match=f"{number} is not JSON") as caught:
        read_table(tmp_path / "a.jsonl")
    assert caught.value.where == f"{tmp_path / 'a.jsonl'}, line 2"
    assert "null" in (caught.value.fix or "")


def test_what_is_no_json_keeps_its_words():
    """What is malformed otherwise is told as before, also where NaN stands in a text."""
    with pytest.raises(FielError, match="malformed"):
        decode_json(b'{"a": "NaN", b}', dict, where="x")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_utf16_is_called_by_its_name(tmp_path: Path, encoding: str, name: str):
    """UTF-16 is recognised in every kind of table, with a mark and without."""
    (tmp_path / name).write_text('[{"id":1}]', encoding=encoding)
    with pytest.raises(FielError, match="UTF-16"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("key", ["items", "labels"])
@pytest.mark.parametrize("address", ["https://u:verysecret@x/*.csv", "https://u:verysecret@[x/*.csv"])
def test_credentials_in_patterns_are_not_shown(root: Path, key: str, address: str):
    """A password in a pattern is refused when the file is read, and not repeated."""
    path = root / "fiel.toml"
    text = path.read_text(encoding="utf-8").replace('labels = "labels/*.csv"\n', f'{key} = "{address}"\n')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FielError, match="password") as caught:
        load_config(path)
    assert "verysecret" not in str(caught.value)
    assert (caught.value.where or "").endswith(f"line 3, project.{key}")


def test_credentials_in_other_places_are_not_shown(root: Path):
    """Nor is one repeated from a schema, from the name of a model, or from a path that was given."""
    address = "https://u:verysecret@x/a.csv"
    assert carries_secret(address)
    assert "verysecret" not in without_credentials(address)
    with pytest.raises(FielError) as caught:
        read_table(address)
    assert "verysecret" not in str(caught.value)
    rubric = root / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("schemas/answer.json", address), encoding="utf-8")
    with pytest.raises(FielError) as caught:
        load_rubric(rubric)
    assert "verysecret" not in str(caught.value)
    config = root / "fiel.toml"
    text = config.read_text(encoding="utf-8")
    for old, new in (('model = "fast"', f'model = "{address}"'), ("[models.tiny]", f'[models."{address}"]')):
        config.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(FielError) as caught:
            load_config(config)
        assert "verysecret" not in str(caught.value)


def test_remarks_are_no_raters(tmp_path: Path, root: Path):
    """A header of item, criterion, seconds and note names no rater."""
    (tmp_path / "a.csv").write_text("item,criterion,seconds,note\na1,grounded,3,yes\n", encoding="utf-8")
    with pytest.raises(FielError, match="rater"):
        read_labels(tmp_path / "a.csv", Project.open(root).rubric("rag"), items={"a1"})
