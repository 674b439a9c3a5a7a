"""What `fiel validate` costs with its report: 250,000 items under four criteria, five raters on 20,000 of them.

The peer is a script of SQL that reads the same items, labels and judgements from where they are, and counts the same.
"""

from __future__ import annotations

import csv
import hashlib
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from _common import Row, arguments, show
from fiel.cli import app
from fiel.cli._bundle import report_of
from fiel.cli._studies import Study
from fiel.measures import rates, validate
from fiel.measures._inputs import gather
from fiel.measures._tables import Table, tabulate
from fiel.records import Distribution, Item, Judgement, Rubric, Usage, encode_lines
from fiel.reports import to_html, to_json
from fiel.runner import judge_from
from fiel.stats import confusion_matrix
from fiel.store.project import Project

Counts = dict[str, dict[str, Any]]

SEED = 20261201
RATERS = 5
BATCH = 25_000  # items whose judgements are kept in one transaction
CONFIG = """
[project]
name = "many"
items = "items/*.jsonl"
labels = "labels/*.csv"

[models.fast]
base_url = "http://127.0.0.1:9/v1"
model = "small-judge-2026"

[[judges]]
name = "house"
model = "fast"
rubric = "rag"
"""
RUBRIC = """
id = "rag"
language = "en"

[[criteria]]
id = "grounded"
question = "Does the CONTEXT support every factual claim of the ANSWER?"
options = ["no", "yes"]

[[criteria]]
id = "complete"
question = "Does the ANSWER answer all that the QUESTION asks?"
options = ["no", "yes"]

[[criteria]]
id = "polite"
question = "Is the ANSWER polite?"
options = ["no", "yes"]

[[criteria]]
id = "useful"
question = "How useful is the ANSWER to whoever asked?"
options = ["not", "partly", "very"]
scale = "ordinal"
"""


class Size(NamedTuple):
    """How many items are judged, and how many of them people labelled."""

    items: int
    labelled: int


FULL = Size(items=250_000, labelled=20_000)
QUICK = Size(items=25_000, labelled=2_000)


def build(folder: Path, size: Size) -> None:
    """A project as a user has it, after judging and labelling."""
    for name, text in (("fiel.toml", CONFIG), ("rubrics/rag.toml", RUBRIC)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    project = Project.open(folder)
    rubric = project.rubric("rag")
    items = [item(number) for number in range(size.items)]
    for name in ("items", "labels"):
        (folder / name).mkdir()
    (folder / "items" / "answers.jsonl").write_bytes(encode_lines(items))
    rng = np.random.default_rng(SEED)
    truth = {c.id: rng.choice(len(c.options), size=size.items, p=_shares(len(c.options))) for c in rubric.criteria}
    with (folder / "labels" / "people.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("item", "criterion", "rater", "answer"))
        for criterion in rubric.criteria:
            said = _said(truth[criterion.id][: size.labelled, None], len(criterion.options), 0.92, RATERS, rng)
            for row, codes in enumerate(said.tolist()):
                writer.writerows(
                    (items[row].id, criterion.id, f"rater-{n}", criterion.options[code]) for n, code in enumerate(codes)
                )
    identity = judge_from(project.config.judges[0], project).identity(rubric)
    with project.judgements() as store:
        for start in range(0, size.items, BATCH):
            part = items[start : start + BATCH]
            store.add(judgements(part, rubric, {name: codes[start:] for name, codes in truth.items()}, identity, rng))


def item(number: int) -> Item:
    """An answer of ordinary length."""
    return Item(
        id=f"item-{number}",
        input=f"Question {number}: when was bridge {number % 977} built, and by whom?",
        context=f"The bridge {number % 977} was built in {1800 + number % 200}. " * 6,
        output=f"It was built in {1800 + number % 200}, as the context says, by the town. " * 3,
        fields={"route": ("billing", "history", "other")[number % 3]},
    )


def judgements(
    items: list[Item], rubric: Rubric, truth: dict[str, Any], identity: str, rng: np.random.Generator
) -> Iterator[Judgement]:
    """What a judge says that is right nine times of ten, and refuses once in two hundred."""
    beliefs, refused = {}, rng.random((len(items), len(rubric.criteria))) < 0.005
    for criterion in rubric.criteria:
        options = len(criterion.options)
        codes = _said(truth[criterion.id][: len(items), None], options, 0.9, 1, rng)[:, 0]
        masses = rng.dirichlet(np.ones(options), size=len(items)) * 0.3
        masses[np.arange(len(items)), codes] += 0.7
        beliefs[criterion.id] = masses.tolist()
    for row, judged in enumerate(items):
        request = hashlib.sha256(judged.id.encode()).hexdigest()
        for column, criterion in enumerate(rubric.criteria):
            lost = bool(refused[row, column])
            probs = tuple(beliefs[criterion.id][row])
            yield Judgement(
                subject=judged.id,
                subject_digest=judged.digest,
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge="house",
                identity=identity,
                served="small-judge-2026@fp_1",
                status="refused" if lost else "ok",
                belief=None if lost else Distribution(options=criterion.options, probs=probs, source="logprobs"),
                reason="The context gives another year than the answer does.",
                usage=Usage(input=420, output=60),
                cost=0.0002,
                latency=0.8,
                request=request,
            )


def _shares(options: int) -> list[float]:
    return [0.2, 0.8] if options == 2 else [0.15, 0.25, 0.6]


def _said(truth: Any, options: int, right: float, voices: int, rng: np.random.Generator) -> Any:
    """Codes of so many voices, shape (n, voices), each right that often."""
    wrong = (truth + rng.integers(1, options, size=(len(truth), voices))) % options
    return np.where(rng.random((len(truth), voices)) < right, truth, wrong)


class Clock:
    """CPU seconds of one step after the other."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self._at = time.process_time()

    def done(self, step: str) -> None:
        """The step that began where the last one ended."""
        now = time.process_time()
        self.steps[step] = self.steps.get(step, 0.0) + now - self._at
        self._at = now


def ours(folder: Path, *, further: bool) -> dict[str, Any]:
    """The steps of the command, one after the other, with what is counted; `further` goes on to the report."""
    clock = Clock()
    project = Project.open(folder)
    entry = project.config.judges[0]
    rubric = project.rubric(entry.rubric)
    identity = judge_from(entry, project).identity(rubric)
    clock.done("settings")
    items = project.items()
    texts = {one.id: one.digest for one in items}
    clock.done("items")
    labels = project.labels(rubric, items=texts)
    clock.done("labels")
    with project.judgements(must_exist=True) as store:
        said = store.columns(entry.name, identity, texts=texts, replicate=0)
    clock.done("judgements")
    inputs = gather(said, labels, criteria=rubric.criteria, items=items)
    counts = {criterion.id: _counts(tabulate(inputs, criterion)) for criterion in rubric.criteria}
    clock.done("counting")
    if further:
        found = [validate(said, labels, rubric=rubric, items=items)]
        figures = [rates(said, labels, rubric=rubric, items=items)]
        clock.done("intervals")
        study = Study(entry, identity, rubric, items, labels, said, (), None, None, project, None)
        report = report_of(project, [study], found, figures, command="fiel validate")
        clock.done("people, cases, cards")
        to_html(report), to_json(report)
        clock.done("rendering")
    return {"steps": clock.steps, "counts": counts}


def _counts(table: Table) -> dict[str, Any]:
    """The denominators, agreement and the confusion matrix of a criterion."""
    funnel, both = table.funnel, table.both
    options = table.criterion.options
    matrix = confusion_matrix(table.people.gold[both], table.judge.codes[both], categories=len(options))
    return {
        "items": funnel.items,
        "judged": funnel.judged,
        "scored": funnel.scored,
        "refused": funnel.unscored.get("refused", 0),
        "labelled": funnel.labelled,
        "two": funnel.two,
        "unresolved": funnel.unresolved,
        "both": funnel.both,
        "agree": funnel.agree,
        "confusion": {
            f"{options[row]}, {options[column]}": int(matrix[row, column]) for row, column in np.argwhere(matrix > 0)
        },
    }


def theirs(folder: Path) -> dict[str, Any]:
    """The same counts by SQL: items and labels from their files into tables, judgements where they are."""
    clock = Clock()
    with closing(sqlite3.connect(folder / ".fiel" / "judgements.db")) as connection:
        connection.executescript(TABLES)
        with (folder / "items" / "answers.jsonl").open(encoding="utf-8") as lines:
            connection.executemany("INSERT INTO items VALUES (?, ?)", map(_text, lines))
        clock.done("items")
        with (folder / "labels" / "people.csv").open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            next(rows)
            connection.executemany("INSERT INTO labels VALUES (?, ?, ?, ?)", rows)
        clock.done("labels")
        connection.executescript(NUMBERED)
        counts: Counts = {}
        for name, *numbers in connection.execute(JUDGED):
            counts[name] = dict(zip(("items", "judged", "scored", "refused"), numbers, strict=True))
        for name, *numbers in connection.execute(LABELLED):
            counts[name] |= dict(zip(("labelled", "two", "unresolved", "both", "agree"), numbers, strict=True))
        for name, gold, verdict, count in connection.execute(CONFUSION):
            counts[name].setdefault("confusion", {})[f"{gold}, {verdict}"] = count
        clock.done("counting")
    return {"steps": clock.steps, "counts": counts}


def _text(line: str) -> tuple[str, str]:
    """The id of an item, and the digest of what a judge read of it."""
    one = json.loads(line)
    read = [one.get(name) for name in ("id", "input", "context", "output", "reference")]
    return one["id"], hashlib.sha256(json.dumps(read, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


TABLES = """
CREATE TEMP TABLE items (name TEXT, digest TEXT);
CREATE TEMP TABLE labels (item TEXT, criterion TEXT, rater TEXT, answer TEXT);
"""
NUMBERED = """
CREATE TEMP TABLE asked AS
    SELECT DISTINCT judgements.judge, judgements.criterion, criteria.name, criteria.options
    FROM judgements JOIN judges ON judges.id = judgements.judge JOIN criteria ON criteria.id = judgements.criterion
    WHERE judges.name = 'house';
CREATE TEMP TABLE texts (subject INTEGER PRIMARY KEY, digest TEXT);
INSERT INTO texts SELECT subjects.id, digest FROM items JOIN subjects ON subjects.name = items.name;
CREATE TEMP TABLE gold AS
    SELECT criterion, item, CASE WHEN count(*) = 1 THEN min(answer) END AS answer, max(voters) AS voters
    FROM (
        SELECT criterion, item, answer, given, max(given) OVER cell AS most, sum(given) OVER cell AS voters
        FROM (
            SELECT criterion, item, answer, count(*) AS given FROM labels GROUP BY criterion, item, answer
        ) WINDOW cell AS (PARTITION BY criterion, item)
    ) WHERE given = most GROUP BY criterion, item;
CREATE TEMP TABLE both AS
    SELECT gold.criterion, answer, voters, json_extract(options, '$[' || verdict || ']') AS verdict
    FROM gold JOIN asked ON asked.name = gold.criterion JOIN subjects ON subjects.name = gold.item
    JOIN texts ON texts.subject = subjects.id
    LEFT JOIN judgements ON judgements.judge = asked.judge AND judgements.criterion = asked.criterion
        AND judgements.subject = texts.subject AND judgements.subject_digest = texts.digest AND replicate = 0;
"""
JUDGED = """
SELECT asked.name, (SELECT count(*) FROM items), judged, scored, refused FROM asked JOIN (
    SELECT criterion, count(*) AS judged, count(verdict) AS scored, sum(status = 2) AS refused
    FROM judgements JOIN texts ON texts.subject = judgements.subject AND texts.digest = judgements.subject_digest
    WHERE +judge IN (SELECT judge FROM asked) AND replicate = 0 GROUP BY criterion
) AS counted ON counted.criterion = asked.criterion
"""
LABELLED = """
SELECT criterion, count(*), sum(voters > 1), sum(answer IS NULL), sum(answer IS NOT NULL AND verdict IS NOT NULL),
    sum(answer = verdict)
FROM both GROUP BY criterion
"""
CONFUSION = """
SELECT criterion, answer, verdict, count(*) FROM both
WHERE answer IS NOT NULL AND verdict IS NOT NULL GROUP BY criterion, answer, verdict
"""


def whole(folder: Path) -> dict[str, Any]:
    """The command as a user types it."""
    start = time.perf_counter()
    app(["validate", "--project", str(folder)], standalone_mode=False)
    return {"wall": time.perf_counter() - start, "cpu": time.process_time()}


SIDES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "reading": partial(ours, further=False),
    "steps": partial(ours, further=True),
    "sql": theirs,
    "whole": whole,
}


def told(name: str, folder: Path) -> dict[str, Any]:
    """What one side says of itself, run in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--side", f"{name}:{folder}"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def beside_sql(folder: Path, what: str, pairs: int) -> Row:
    """Reading and counting, and the peer, in turn."""
    found = [(told("reading", folder), told("sql", folder)) for _ in range(pairs)]
    if any(one["counts"] != other["counts"] for one, other in found):
        sys.exit("The two sides count differently.")
    seconds = [(sum(one["steps"].values()), sum(other["steps"].values())) for one, other in found]
    mine, peer = (statistics.median(side) for side in zip(*seconds, strict=True))
    ratio = statistics.median(one / other for one, other in seconds)
    return Row(f"CPU seconds to read and count {what}", mine, peer, ratio, "<= 2 times SQL", ratio <= 2)


def split(folder: Path) -> list[Row]:
    """Where the time goes. Each measure counts for itself, so that `intervals` holds counting once more for each."""
    found = told("steps", folder)
    return [Row(f"  of it: {step}", took, None, None, "said", ok=True) for step, took in found["steps"].items()]


def in_all(folder: Path, what: str) -> list[Row]:
    """The command, from the first import to the last byte of the report."""
    found = told("whole", folder)
    size = (folder / "reports" / "report.html").stat().st_size / 1e6
    return [
        Row(f"seconds of fiel validate on {what}", found["wall"], None, None, "said", ok=True),
        Row("  of it CPU", found["cpu"], None, None, "said", ok=True),
        Row("  peak memory, MB", found["memory"], None, None, "said", ok=True),
        Row("  size of the page, MB", size, None, None, "said", ok=True),
    ]


def main() -> None:
    """Measure, or be one side of a measurement."""
    options = arguments(__doc__ or "", side="be one side: reading, steps, sql or whole, a colon, and the project")
    if options.side:
        name, _, place = options.side.partition(":")
        found = SIDES[name](Path(place))
        found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps(found))
        return
    size = QUICK if options.quick else FULL
    what = f"{4 * size.items:,} judgements and {4 * RATERS * size.labelled:,} labels"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder, size)
        rows = [beside_sql(folder, what, 2 if options.quick else 3), *split(folder), *in_all(folder, what)]
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
