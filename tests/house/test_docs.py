"""What the pages show holds: their Python runs, their TOML is read, their tables say what the records say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from fiel.records import Contains, Criterion, Equals, JSONSchema, Length, Number, Regex, Rubric
from fiel.store.config import GateEntry, JudgeEntry, load_config
from fiel.store.rubrics import load_rubric
from fiel.store.schemas import schema

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FILES = ROOT / "docs" / "reference" / "files.md"
ELSEWHERE = {"measures.md"}  # its blocks are run by tests/measures/test_reference.py
REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.md"))
CHECKS = {kind.__struct_config__.tag: kind for kind in (JSONSchema, Regex, Number, Length, Equals, Contains)}
COMMON = ("field", "decides")
KEY_HEADER = "| key | default | means |"
KIND_HEADER = "| kind | key | default | means |"


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def kind_of(data: dict[str, Any]) -> str:
    """Which file of a project a TOML block shows."""
    return "rubric" if "criteria" in data else "fiel"


def rows(page: Path, header: str) -> list[list[str]]:
    """The rows of all tables with this header."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(rf"^{re.escape(header)}\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for table in found for line in table.splitlines()]


def keys(node: Any) -> Iterator[str]:
    """Every key of a TOML document."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from keys(value)
    elif isinstance(node, list):
        for entry in node:
            yield from keys(entry)


@pytest.mark.parametrize("page", [path for path in REFERENCE if path.name not in ELSEWHERE], ids=lambda page: page.name)
def test_python_of_the_pages_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The Python blocks of a page run one after the other, and what they assert is true."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), names)  # noqa: S102  our own page is what is tested


def test_the_readme_shows_a_judgement(capsys: pytest.CaptureFixture[str]):
    """The Python block of the README prints the criterion, the verdict and why."""
    (block,) = blocks(README, "python")
    exec(block, {})  # noqa: S102  our own page is what is tested
    assert capsys.readouterr().out.startswith("grounded yes ")


@pytest.mark.parametrize("page", [README, *REFERENCE], ids=lambda page: page.name)
def test_toml_of_the_pages_is_valid(page: Path):
    """Every TOML block of a page is one of a project's files, by the published schema."""
    for block in blocks(page, "toml"):
        data = tomllib.loads(block)
        jsonschema.validate(data, schema(kind_of(data)))


def test_toml_of_the_reference_is_read(tmp_path: Path):
    """Every TOML block of the reference of files is read by the program as well."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "answer.json").write_text('{"type": "object"}', encoding="utf-8")
    shown = blocks(FILES, "toml")
    assert {kind_of(tomllib.loads(block)) for block in shown} == {"fiel", "rubric"}
    for block in shown:
        data = tomllib.loads(block)
        path = tmp_path / f"{data.get('id', 'fiel')}.toml"
        path.write_text(block, encoding="utf-8")
        read = load_rubric(path) if kind_of(data) == "rubric" else load_config(path)
        assert read


def test_every_kind_of_check_has_an_example_that_is_read(tmp_path: Path):
    """The examples of checks are read by the program, and there is one of every kind."""
    examples = re.findall(r"`(check = \{.*?\})` \|", FILES.read_text(encoding="utf-8"))
    assert {tomllib.loads(example)["check"]["kind"] for example in examples} == set(CHECKS)
    path = tmp_path / "r.toml"
    for example in examples:
        path.write_text(f'id = "r"\n[[criteria]]\nid = "c"\nquestion = "?"\n{example}\n', encoding="utf-8")
        (check,) = load_rubric(path).criteria[0].checks
        assert type(check) in CHECKS.values()


@pytest.mark.parametrize("name", ["fiel", "rubric"])
def test_every_known_key_is_named(name: str):
    """The reference of files names every key and every kind of check that the published schemas know."""
    named = set(re.findall(r"`([^`\n]+)`", FILES.read_text(encoding="utf-8")))
    named |= {key for block in blocks(FILES, "toml") for key in keys(tomllib.loads(block))}
    known = {key for definition in schema(name)["$defs"].values() for key in definition["properties"]}
    assert known - named == set()
    assert set(CHECKS) - named == set()


def tables() -> Iterator[tuple[type[msgspec.Struct], str, str]]:
    """Record, key and default of every row of the tables of keys."""
    by_key = rows(FILES, KEY_HEADER)
    parts = [  # in the order of the page
        (JudgeEntry, JudgeEntry.__struct_fields__),
        (GateEntry, GateEntry.__struct_fields__),
        (Rubric, Rubric.__struct_fields__),
        (Criterion, [*Criterion.__struct_fields__, "check"]),
        (Regex, COMMON),
    ]
    place = 0
    for record, fields in parts:
        part = by_key[place : place + len(fields)]
        assert sorted(row[0].strip("`") for row in part) == sorted(fields), record
        yield from ((record, row[0].strip("`"), row[1]) for row in part)
        place += len(fields)
    assert place == len(by_key)
    by_kind = [[*(cell.strip("`") for cell in row[:2]), row[2]] for row in rows(FILES, KIND_HEADER)]
    of_checks = {(tag, key) for tag, kind in CHECKS.items() for key in kind.__struct_fields__ if key not in COMMON}
    assert {(kind, key) for kind, key, _ in by_kind} == of_checks
    yield from ((CHECKS[kind], key, default) for kind, key, default in by_kind)


def test_the_tables_of_keys_are_whole_and_true():
    """The tables have each key of judges, gates, rubrics, criteria and checks once, with the default of its record."""
    for record, key, written in tables():
        defaults = {field.name: field.default for field in msgspec.structs.fields(record)}
        default = defaults.get(key)
        if default is None or default is msgspec.NODEFAULT:
            assert written == "", (record, key)
        else:
            said = tomllib.loads(f"x = {written.strip('`')}")["x"]
            assert said == (list(default) if isinstance(default, tuple) else default), (record, key)


def test_the_set_up_commands_stand():
    """The two commands that set fiel up, for use and for its tests, are what they were."""
    assert blocks(README, "sh")[:2] == [
        "python -m pip install -c constraints.txt . && fiel demo\n",
        'python -m pip install -c constraints.txt -e ".[test]" && python -m pytest -n auto\n',
    ]
