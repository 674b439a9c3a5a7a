"""What the tests of the command line share: a way to type a command, and a small project."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fiel.cli import app


@pytest.fixture
def fiel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Type `fiel ...` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    runner = CliRunner()

    def typed(*arguments: str) -> Result:
        return runner.invoke(app, list(arguments))

    return typed


@pytest.fixture
def table() -> Callable[..., None]:
    """Write a CSV."""

    def write(path: Path | str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)

    return write


@pytest.fixture
def project(fiel: Callable[..., Result], table: Callable[..., None], tmp_path: Path) -> Path:
    """A project of 40 items with the shipped rubric, judged by the embedded judge, and a label file."""
    rows = []
    for i in range(40):
        year = 1900 + i
        said = year if i % 4 else year + 3
        rows.append((f"q{i}", "When was it built?", f"The bridge was built in {year}.", f"It was built in {said}."))
    table("answers.csv", ("id", "question", "context", "answer"), rows)
    assert fiel("init", "answers.csv").exit_code == 0
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    labels = []
    for i in range(30):
        right = "yes" if i % 4 else "no"
        for criterion, answer in (
            ("grounded", right),
            ("complete", "yes"),
            ("no_inventions", right),
            ("abstains_well", "yes"),
        ):
            labels.extend((f"q{i}", criterion, rater, answer) for rater in ("ana", "bo"))
    table("labels.csv", ("item", "criterion", "rater", "answer"), labels)
    return tmp_path
