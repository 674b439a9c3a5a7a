"""Names and values that would act on a terminal, or fill it: every verb shows them as data, and short."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

JSON = ("--format", "json")
ACTS = "\x1b[31m\x9b2J\x07\u202e"  # turns red, clears the screen, rings, reverses
LONG = "L" * 500
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
IDS = [f"{ACTS}q{n}{LONG}" if n % 2 else f"q{n}\tx\u202e" for n in range(24)]
RATERS = (f"ana{ACTS}{LONG}", "bo\nfiel: all is well")
FIELD = f"field{ACTS}{LONG}"
JUDGE = f"judge{ACTS}{LONG}"
CRITERION = "c" + "L" * 190


def toml(text: str) -> str:
    """A TOML string."""
    return json.dumps(text).replace("\\b", "\\u0008")


@pytest.fixture
def hostile(fiel: Callable[..., Any], table: Callable[..., None], tmp_path: Path) -> Path:
    """A project in which every name and value that data can give is hostile; judged, labelled, and frozen once."""
    rows = [
        (
            name,
            "When?",
            f"Built in {1900 + n}.{ACTS}",
            f"Built in {1900 + n + 3 * (n % 4 == 0)}.{ACTS}",
            f"v{ACTS}{LONG}",
        )
        for n, name in enumerate(IDS)
    ]
    table("answers.csv", ("id", "question", "context", "answer", FIELD), rows)
    shown(fiel("init", "answers.csv"))
    config = tmp_path / "fiel.toml"
    gates = [
        f"\n[[gates]]\nname = {toml(f'{name}{ACTS}{LONG}')}\njudge = {toml(JUDGE)}\n"
        f"criterion = {toml(criterion)}\nat_least = 0.8\n"
        for name, criterion in (("one", "grounded"), ("two", CRITERION))
    ]
    config.write_text(config.read_text().replace('"floor"', toml(JUDGE)) + "".join(gates), encoding="utf-8")
    rubric = tmp_path / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text().replace('"complete"', toml(CRITERION), 1), encoding="utf-8")
    shown(fiel("judge"))
    labels(table, "labels.csv")
    shown(fiel("freeze", "plain", "--labels", "labels.csv"))
    return tmp_path


def labels(table: Callable[..., None], path: str, *more: tuple[str, ...]) -> None:
    """Two raters on twenty items, and further rows."""
    rows = [
        (name, criterion, rater, "no" if criterion == "grounded" and n % 4 == 0 else "yes")
        for n, name in enumerate(IDS[:20])
        for criterion in ("grounded", CRITERION)
        for rater in RATERS
    ]
    table(path, ("item", "criterion", "rater", "answer"), [*rows, *more])


def shown(result: Any, *, code: int = 0) -> str:
    """What a verb printed, in which nothing acts, no data makes a line, and the talk holds no long value."""
    assert result.exit_code == code, result.output
    assert not RAW.search(result.output), RAW.search(result.output)
    lines = result.output.splitlines()
    assert not [line for line in lines if line.startswith("fiel: all is well")]
    assert not [line for line in result.stderr.splitlines() if "L" * 90 in line]
    return str(result.output)


def test_what_a_verb_shows_is_data(fiel, hostile):
    """Every verb on names that would act: what it says goes through, and the names are written out."""
    shown(fiel("judge", "--dry-run"))
    for item in (IDS[0], IDS[1]):
        assert "L" * 90 not in shown(fiel("show", item)).split("request")[0]
    shown(fiel("estimate", "labels.csv"))
    for typed in (("validate",), ("validate", "--slice", FIELD), ("plan", "-c", CRITERION)):
        assert "⟨U+" in shown(fiel(typed[0], "labels.csv", *typed[1:]))
    assert "⟨U+001B⟩" in shown(fiel("gate", "labels.csv"), code=3)
    assert "L" * 90 not in shown(fiel("draw", "--n", "10", "--by", FIELD)).split("warning")[0]


def filled(rows: Iterable[dict[str, str]], **cells: str) -> str:
    """A work list with one row filled in."""
    found = [dict(row) for row in rows]
    found[1].update(cells)
    with Path("done.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, found[0].keys())
        writer.writeheader()
        writer.writerows(found)
    return "done.csv"


def test_what_a_work_list_holds_is_data(fiel, hostile):
    """Cells that are wrong are quoted short, with nothing in them acting; a row that is right makes a version."""
    assert fiel("validate", "plain", "--worklist", "todo.csv", "--agreements", "1", *JSON).exit_code == 0
    with Path("todo.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not any(RAW.search(column) for column in rows[0])
    odd = f"odd{ACTS}{LONG}"
    for cells in (
        {"decision": odd, "by": "kim"},
        {"decision": "yes", "by": "kim", "reason": odd},
        {"item": odd},
        {"criterion": odd},
        {"set": odd},
    ):
        assert "row 3" in shown(fiel("freeze", "plain", "--decisions", filled(rows, **cells)), code=2)
    shown(fiel("freeze", "plain", "--decisions", filled(rows, decision="yes", by=odd, note=odd)))


@pytest.mark.parametrize(
    "typed",
    [
        ("validate", "labels.csv", "--slice", f"zz{LONG}"),
        ("validate", "labels.csv", "--preference", f"zz{LONG}"),
        ("estimate", "labels.csv", "-c", f"zz{LONG}"),
        ("estimate", "labels.csv", "--systems", "x", f"v{LONG}", "--by", FIELD),
        ("judge", "--judge", f"zz{LONG}"),
        ("show", f"zz{LONG}"),
        ("draw", "other", "--by", f"zz{LONG}"),
        ("label", f"zz{LONG}"),
        ("freeze", f"zz{LONG}", "--decisions", "todo.csv"),
        ("init", "answers.csv", "--rubric", f"zz{LONG}", "-p", "q"),
        ("validate", f"zz{LONG[:200]}"),
    ],
)
def test_a_wrong_name_is_quoted_short(fiel, hostile, typed):
    """And so are those that there are: an error stays three lines that can be read."""
    assert len(shown(fiel(*typed), code=2).splitlines()) <= 3


@pytest.mark.parametrize(
    "row",
    [
        (IDS[1], "grounded", "eva", f"perhaps{ACTS}{LONG}"),
        (IDS[1], f"zz{ACTS}{LONG}", "eva", "yes"),
        (f"zz{ACTS}{LONG}", "grounded", "eva", "yes"),
        (IDS[1], "grounded", RATERS[0], "yes"),
    ],
)
def test_a_wrong_label_is_quoted_short(fiel, hostile, table, row):
    """What a label file holds by mistake is told as data."""
    labels(table, "bad.csv", row)
    shown(fiel("validate", "bad.csv"), code=2)


def test_imported_tables_are_data(fiel, table, tmp_path):
    """Criteria, judges, raters and answers of other tools, and what is said of the cells that are none."""
    (tmp_path / "t").mkdir()
    odd = f"odd{ACTS}{LONG}"
    table("t/items.csv", ("item_id", "output", f"f{ACTS}"), [(name, f"x{ACTS}", odd) for name in IDS])
    people = [(name, "grounded", RATERS[0], "yes" if n % 2 else "no") for n, name in enumerate(IDS)]
    table("t/human.csv", ("item_id", "criterion", "rater", "answer"), [*people, (IDS[0], "grounded", "x", odd)])
    said = [(name, "grounded", JUDGE, "yes" if n % 2 else odd) for n, name in enumerate(IDS)]
    table("t/judge.csv", ("item_id", "criterion", "judge", "answer"), said)
    told = shown(fiel("import", "t", "--name", "both", "--options", "no,yes", "-p", "p"))
    assert "off the scale" in told
    shown(fiel("validate", "-p", "p"))
    table("t/human.csv", ("item_id", "criterion", "rater", "answer"), [people[0], (*people[0][:3], "yes")])
    shown(fiel("import", "t", "--name", "other", "--options", "no,yes", "-p", "r"), code=2)


def test_a_judge_is_named_in_commands_as_a_shell_reads_it(fiel, project):
    """A name with a semicolon is quoted in what is to be typed: copied, it runs nothing else."""
    config = project / "fiel.toml"
    config.write_text(config.read_text().replace('"floor"', '"new; echo gone"'), encoding="utf-8")
    result = fiel("validate", "labels.csv")
    assert "fiel judge --judge 'new; echo gone'" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
def test_a_terminal_gets_no_control_character_in_any_format(hostile):
    """JSON leaves some of them as they are: in a pipe to the byte, on a terminal written out."""
    import pty  # noqa: PLC0415  not on every system

    typed = [sys.executable, "-c", "from fiel.cli import app; app()", "estimate", "labels.csv", "-c", "grounded", *JSON]
    piped = subprocess.run(typed, cwd=hostile, check=True, capture_output=True)
    assert "\x9b" in piped.stdout.decode()
    above, below = pty.openpty()
    with subprocess.Popen(typed, cwd=hostile, stdout=below, stderr=subprocess.DEVNULL) as process:
        os.close(below)
        seen = b""
        while True:
            try:
                read = os.read(above, 65536)
            except OSError:  # so Linux says that nobody writes any more
                break
            if not read:
                break
            seen += read
        assert process.wait() == 0
    os.close(above)
    assert not RAW.search(seen.decode().replace("\r\n", "\n"))
    assert json.loads(seen)["rates"]
