"""What the tests of the command line share: a way to type a command, and a small project."""

from __future__ import annotations

import csv
import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fiel.cli import app
from fiel.labelling import Decision, Desk, Entry
from fiel.records import Reason, Study
from fiel.store.labels import LabelStore
from fiel.store.project import Project


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


@pytest.fixture
def study(fiel: Callable[..., Result], project: Path) -> Callable[..., dict[str, str]]:
    """Draw a sample and make its study, as `fiel label` does; the tokens by name."""

    def make(n: int = 30, name: str = "first", **given: object) -> dict[str, str]:
        assert fiel("draw", name, "--n", str(n)).exit_code == 0
        drawn = json.loads((project / "samples" / f"{name}.json").read_text(encoding="utf-8"))
        items = {item.id: item for item in Project.open(project).items()}
        plain = {"raters": ("ana", "ben"), "adjudicator": "carla", "repeats": 0.0}
        made = Study(
            name=name,
            rubric=Project.open(project).rubric("rag"),
            subjects=tuple(items[subject] for subject in drawn["subjects"]),
            **(plain | given),
        )
        with book(project) as store:
            return {link.name: link.token for link in store.create(made)}

    return make


@pytest.fixture
def answers(project: Path) -> Callable[..., None]:
    """Label as the page does, whole queue: `choose(subject, criterion)` gives the answer, or None to leave it open."""

    def label(token: str, choose: Callable[[str, str], str | None], *, seconds: float = 30.0) -> None:
        with book(project) as store:
            desk = Desk(store)
            who = desk.entrant(token)
            assert who is not None
            opening = desk.opening(who)
            shown = {assignment.place: assignment.subject for assignment in store.assignments(who.study, who.name)}
            writes = []
            for place in desk.places(who, 0, opening.places):
                for question in opening.questions:
                    given = choose(shown[place.place], question.id)
                    before = place.given.get(question.id)
                    if given is not None:
                        entry = Entry(
                            key=str(uuid.uuid4()),
                            version=before.version if before else 0,
                            seconds=seconds,
                            answer=given,
                        )
                        writes.append(desk.check(who, place.place, question.id, entry))
            desk.keep(writes)

    return label


@pytest.fixture
def decides(project: Path) -> Callable[..., int]:
    """Adjudicate as the page does: `choose(answers)` gives answer and reason of each cell of the queue, or None."""

    def decide(token: str, choose: Callable[[set[str | None]], tuple[str | None, Reason] | None]) -> int:
        with book(project) as store:
            desk = Desk(store)
            who = desk.entrant(token)
            assert who is not None
            writes = []
            for entry in desk.queue(who):
                found = choose({card.answer for card in desk.cell(who, entry.n).cards})
                if found is not None:
                    decision = Decision(key=str(uuid.uuid4()), version=0, answer=found[0], reason=found[1])
                    writes.append(desk.check_decision(who, entry.n, decision))
            desk.decide(writes)
            return len(writes)

    return decide


def book(project: Path) -> LabelStore:
    """The labels' database."""
    return LabelStore.open(project / ".fiel" / "labels.db")


@pytest.fixture
def frozen(fiel: Callable[..., Result], study: Callable[..., dict[str, str]], answers: Callable[..., None]) -> str:
    """A calibration set of all 40 items: both raters against the judge on q1 and q2 of *grounded*, split on q3."""
    tokens = study(40)

    def says(rater: str) -> Callable[[str, str], str]:
        odd = {"q1", "q2"} | ({"q3"} if rater == "ana" else set())
        wrong = {(item, "grounded") for item in odd}

        def answer(subject: str, criterion: str) -> str:
            bad = criterion in {"grounded", "no_inventions"} and int(subject[1:]) % 4 == 0
            return "no" if bad or (subject, criterion) in wrong else "yes"

        return answer

    for rater in ("ana", "ben"):
        answers(tokens[rater], says(rater))
    result = fiel("freeze", "first", "--close", "--anyway")
    assert result.exit_code == 0, result.output
    return "first"
