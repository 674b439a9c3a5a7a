"""`fiel demo`: a whole project in a new folder, each command printed as a user would type it.

The answers were written for it with their faults planted, so gold is known; the two raters are simulated and say so.
"""

from __future__ import annotations

import contextlib
import csv
import io
import random
import tomllib
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import typer

from fiel.cli._exits import Code, tell
from fiel.records import FielError

LABELLED = 60
SLIPS = {"simulated-1": 0.02, "simulated-2": 0.04}  # how often each simulated rater differs from gold, per answer
SEED = 20261130

MORE = """
[models.tiny]                        # a small base model, whose replies were recorded once
kind = "replay"
model = "gemma3-270m@sha256:a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
recording = "replies.jsonl"

[[judges]]
name = "tiny"
model = "tiny"
rubric = "rag"
reason = "none"
reason_length = 60
unsupported = "keep"                 # so small a model cannot quote; its verdicts are kept all the same
top_logprobs = 5
max_tokens = 300

[[gates]]
name = "answers are complete often enough"
judge = "floor"
criterion = "complete"
at_least = 0.50

[[gates]]
name = "grounded enough to ship"
judge = "floor"
criterion = "grounded"
at_least = 0.90
"""


class Row(NamedTuple):
    """One answer of the demo, and what is known of it by construction."""

    id: str
    language: str
    topic: str
    scene: str
    question: str
    context: str
    answer: str
    fault: str
    gold: dict[str, str]


def run(folder: Path) -> None:
    """Make the project and run the main job on it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FielError(
            f"{folder} exists already and is not empty; nothing was written.",
            fix="Name another folder: fiel demo OTHER.",
        )
    rows = _files(folder)
    truth = {name: sum(row.gold[name] == "yes" for row in rows) / len(rows) for name in rows[0].gold}
    tell(f"A demo in {folder}: {len(rows)} answers in English and Spanish, with faults planted on purpose.")
    tell(f"{LABELLED} of them are labelled by two SIMULATED raters, who slip now and then as people do.")
    tell("", f"$ cd {folder}")
    with contextlib.chdir(folder):
        _type("init", "answers.csv")
        _add()
        tell("", "(a second judge, replayed from recorded replies, and two gates were added to fiel.toml)")
        for command in ("judge", "validate", "estimate", "gate"):
            _type(command, *(() if command == "judge" else ("labels.csv",)))
    rates = ", ".join(f"{name} {rate:.2f}" for name, rate in truth.items())
    tell("", f"The faults were planted, so here the truth is known: {rates}.")
    tell(f"Report: {folder / 'reports' / 'report.html'}")


def make(folder: Path) -> None:
    """The project as it stands before anything is judged."""
    _files(folder)
    with contextlib.chdir(folder):
        _type("init", "answers.csv")
        _add()


def _files(folder: Path) -> list[Row]:
    """Answers, labels, gold and recorded replies."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(_rows())
    (folder / "answers.csv").write_text(_answers(rows), encoding="utf-8")
    (folder / "labels.csv").write_text(_labels(rows), encoding="utf-8")
    (folder / "gold.csv").write_text(_gold(rows), encoding="utf-8")
    recorded = resources.files("fiel.cli") / "demo" / "replies.jsonl"
    (folder / "replies.jsonl").write_bytes(recorded.read_bytes() if recorded.is_file() else b"")
    return rows


def _add() -> None:
    with Path("fiel.toml").open("a", encoding="utf-8") as config:
        config.write(MORE)


def _type(verb: str, *arguments: str) -> None:
    """Show a command and run it, as if it had been typed."""
    from fiel.cli._app import app  # here: the app loads this verb

    tell("", "$ " + " ".join(("fiel", verb, *arguments)))
    code = app([verb, *arguments], standalone_mode=False)
    if code:
        tell(f"(exit code {code})")
    if code not in {None, Code.DONE, Code.FAIL, Code.UNDECIDED}:
        raise typer.Exit(code)


def _rows() -> Iterator[Row]:
    shelf = resources.files("fiel.cli") / "demo"
    for language in ("en", "es"):
        scenes = tomllib.loads((shelf / f"scenes_{language}.toml").read_text(encoding="utf-8"))["scenes"]
        for scene in scenes:
            for number, answer in enumerate(scene["answers"], start=1):
                yield Row(
                    id=f"{scene['id']}-{number}",
                    language=language,
                    topic=scene["topic"],
                    scene=scene["id"],
                    question=scene["question"].strip(),
                    context=scene["context"].strip(),
                    answer=answer["text"].strip(),
                    fault=answer["kind"],
                    gold=answer["gold"],
                )


def _answers(rows: list[Row]) -> str:
    header = ("id", "question", "context", "answer", "group", "language", "topic")
    return _csv(header, [(r.id, r.question, r.context, r.answer, r.scene, r.language, r.topic) for r in rows])


def _labels(rows: list[Row]) -> str:
    """Two simulated raters on a random sample of the answers, seeded."""
    rng = random.Random(SEED)  # noqa: S311  a simulation, not a secret
    sample = sorted(rng.sample(rows, LABELLED), key=lambda row: row.id)
    lines = []
    for row in sample:
        for criterion, gold in row.gold.items():
            for rater, slip in SLIPS.items():
                other = "no" if gold == "yes" else "yes"
                lines.append((row.id, criterion, rater, other if rng.random() < slip else gold))
    return _csv(("item", "criterion", "rater", "answer"), lines)


def _gold(rows: list[Row]) -> str:
    names = tuple(rows[0].gold)
    return _csv(("item", "fault", *names), [(r.id, r.fault, *(r.gold[name] for name in names)) for r in rows])


def _csv(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
