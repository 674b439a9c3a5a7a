from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from fiel.cli._studies import studies
from fiel.measures import ORDERS
from fiel.store.project import Project

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
SETS = sorted(path.name for path in REAL.glob("*") if path.is_dir()) or ["none"]
OPTIONS: dict[str, tuple[str, ...]] = {
    "cje_arena": ("--levels", "0,0.25,0.5,0.75,1"),
    "llmrubric_synth": ("--repeat", "key_round", "--probs-from", "logprobs"),
}
OFF = {"alttest_wax": 15}  # verdicts that are no level of the published scale


@pytest.fixture
def data(tmp_path: Path, table: Callable[..., None]) -> Path:
    """Tables of 20 items, two raters and two judges: one follows the first rater, one always says 5."""
    folder = tmp_path / "data"
    folder.mkdir()
    table(
        folder / "items.csv",
        ("item_id", "group", "system", "output"),
        [(f"q{n}", f"d{n // 2}", "m", f"Text {n}.") for n in range(20)],
    )
    people = [
        (f"q{n}", rater, "tone", 1 + (n + (rater == "bo" and n == 3)) % 5) for n in range(20) for rater in ("ana", "bo")
    ]
    table(folder / "human.csv", ("item_id", "annotator_id", "criterion", "value"), people)
    said = [(f"q{n}", "follows", "tone", float(1 + n % 5)) for n in range(20)] + [
        (f"q{n}", "kind", "tone", 5) for n in range(20)
    ]
    table(folder / "judge.csv", ("item_id", "judge", "criterion", "value"), said)
    return folder


def test_import_and_validate(fiel: Callable[..., Result], data: Path, tmp_path: Path):
    """One command makes a project on which validate, estimate and judge work without another step."""
    result = fiel("import", str(data), "-p", "project")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "tone: ordinal, 1, 2, 3, 4, 5 (from what people answered); a rate counts 5" in result.stderr
    figures = fiel("validate", "--format", "json", "-p", "project")
    assert figures.exit_code == 0, figures.output
    said = {one["judge"]: one["criteria"][0]["agreement"]["value"] for one in json.loads(figures.stdout)["validations"]}
    assert said["follows"] > 0.9
    assert said["kind"] < 0.3
    assert fiel("estimate", "-p", "project").exit_code == 0
    run = fiel("judge", "-p", "project")
    assert (run.exit_code, run.stdout) == (0, "")
    assert "follows was imported and is not run" in run.stderr
    assert not (tmp_path / "fiel.toml").exists()


def test_mend_the_rubric_and_import_again(fiel: Callable[..., Result], data: Path, tmp_path: Path):
    """A changed rubric is another judge: validate says to import again, and after that it works."""
    assert fiel("import", str(data)).exit_code == 0
    again = fiel("import", str(data))
    assert "All of it was there already." in again.stderr
    rubric = tmp_path / "rubrics" / "data.toml"
    rubric.write_text(
        rubric.read_text(encoding="utf-8").replace('question = "tone"', 'question = "How kind is it?"'),
        encoding="utf-8",
    )
    stale = fiel("validate")
    assert stale.exit_code == 2
    assert "run the same fiel import again" in stale.stderr
    mended = fiel("import", str(data))
    assert mended.exit_code == 0, mended.output
    assert "new: 0 items, 0 answers, 40 judgements" in mended.stderr
    assert fiel("validate").exit_code == 0


def test_files_and_options(fiel: Callable[..., Result], data: Path, tmp_path: Path):
    """Files may be named one by one, with the options of the scale, and a value that means "not applicable"."""
    result = fiel(
        *(
            "import",
            "--items",
            str(data / "items.csv"),
            "--human",
            str(data / "human.csv"),
            "--judge",
            str(data / "judge.csv"),
        ),
        *("--options", "1,2,3,4", "--scale", "ordinal", "--not-applicable", "5", "--name", "four"),
    )
    assert result.exit_code == 0, result.output
    with (tmp_path / "labels" / "four.csv").open(encoding="utf-8", newline="") as file:
        answers = {row["item"]: row["answer"] for row in csv.DictReader(file)}
    assert (answers["q0"], answers["q4"]) == ("1", "not applicable")
    project = Project.open(tmp_path)
    with project.judgements() as store:
        assert {judgement.status for judgement in store.read(judge="kind")} == {"inapplicable"}


def test_a_rubric_of_ones_own(fiel: Callable[..., Result], data: Path, tmp_path: Path):
    """A rubric that is named comes along under its own name, and the values are read by it."""
    mine = data / "mine.toml"
    mine.write_text(
        'id = "mine"\n[[criteria]]\nid = "tone"\nquestion = "Kind?"\noptions = ["1", "2", "3", "4"]\n',
        encoding="utf-8",
    )
    result = fiel("import", str(data), "--rubric", str(mine))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "rubrics" / "mine.toml").read_bytes() == mine.read_bytes()
    assert "answers of people off the scale, kept out: 9; tone '5' 9 times (human.csv, line 9)" in result.stderr
    assert "verdicts of judges off the scale, counted as unparsed: 24" in result.stderr


def test_both_orders_of_a_pair(fiel: Callable[..., Result], table: Callable[..., None], tmp_path: Path):
    """Of a pair judged in both orders validate takes one, says so, and works."""
    table("items.csv", ("id", "output", "output_b"), [(f"p{n}", "x", "y") for n in range(12)])
    table("human.csv", ("id", "value"), [(f"p{n}", "AB"[n % 2]) for n in range(12)])
    said = [(f"p{n}", order, "AB"[(n + (order == "ba")) % 2]) for n in range(12) for order in ("ab", "ba")]
    table("judge.csv", ("id", "order", "value"), said)
    assert fiel("import", ".").exit_code == 0
    result = fiel("validate", "--format", "json")
    assert result.exit_code == 0, result.output
    assert "judged pairs in both orders" in result.stderr
    project = Project.open(tmp_path)
    (study,) = studies(project)
    assert study.judgements.order is not None
    assert {ORDERS[place] for place in study.judgements.order} == {"ab"}
    assert len(study.judgements) == 12


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Nothing is named"),
        (("data", "--items", "data/items.csv"), "exclude each other"),
        (("data", "--options", "1"), "--options is '1'"),
        (("data", "--levels", "low,high"), "levels are numbers"),
        (("data", "--options", "1,2", "--levels", "1,2"), "exclude each other"),
        (("data", "--levels", "1,2"), "no answers are measured numbers"),
        (("nowhere",), "no such folder"),
        (("data", "--repeat", "round"), "no column 'round'"),
    ],
)
def test_what_cannot_be_is_refused_and_writes_nothing(
    fiel: Callable[..., Result], data: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
):
    """A command that contradicts itself or the tables ends with 2, says what to do, and leaves no file."""
    result = fiel("import", *arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_measured_numbers(fiel: Callable[..., Result], data: Path, tmp_path: Path, table: Callable[..., None]):
    """Measured numbers are refused with the option that rounds them, and rounded only when it is given."""
    table(data / "human.csv", ("id", "value"), [(f"q{n}", n / 19) for n in range(20)])
    table(data / "judge.csv", ("id", "value"), [(f"q{n}", n / 19) for n in range(20)])
    refused = fiel("import", "data")
    assert refused.exit_code == 2
    assert "--levels 0,0.25,0.5,0.75,1" in refused.stderr
    assert not (tmp_path / "fiel.toml").exists()
    rounded = fiel("import", "data", "--levels", "0,0.5,1")
    assert rounded.exit_code == 0, rounded.output
    assert "each number rounded to the nearest" in rounded.stderr
    assert fiel("validate").exit_code == 0


def whole(name: str, table: str, what: str) -> Any:
    """One number of a published table, counted by the database."""
    duckdb = pytest.importorskip("duckdb", reason="Parquet is read with DuckDB: pip install 'fiel[parquet]'")
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(REAL / name / f"{table}.parquet"))
        return relation.aggregate(what).fetchall()[0][0]


@pytest.mark.skipif(not REAL.is_dir(), reason="the published data sets are not beside this repository")
@pytest.mark.parametrize("name", SETS)
def test_every_published_set(fiel: Callable[..., Result], tmp_path: Path, name: str):
    """Every item, answer and verdict arrives, and those that are no option as unparsed."""
    items, human, said = (whole(name, table, "count(*)") for table in ("items", "human", "judge"))
    silent = whole(name, "judge", "count(*) filter (value is null)") if said else 0
    result = fiel("import", str(REAL / name), *OPTIONS.get(name, ()))
    assert result.exit_code == 0, result.output
    assert f"new: {items} items, {human} answers, {said} judgements" in result.stderr
    project = Project.open(tmp_path)
    assert len(project.items()) == items
    assert len(project.config.judges) == (whole(name, "judge", "count(distinct judge)") if said else 0)
    rubric = project.rubric(name)
    assert len(project.labels(rubric)) == human if human else project.config.project.labels is None
    if said:
        with project.judgements() as store:
            unparsed = sum(tally.count for tally in store.tally() if tally.status != "ok")
        assert unparsed == silent + OFF.get(name, 0)


@pytest.mark.skipif(not REAL.is_dir(), reason="the published data sets are not beside this repository")
@pytest.mark.parametrize(
    ("name", "words"), [("cje_arena", "measured numbers from 0 to 1"), ("llmrubric_synth", "say --repeat key_round")]
)
def test_two_published_sets_ask_for_a_word(fiel: Callable[..., Result], tmp_path: Path, name: str, words: str):
    """Measured numbers, and raters who answered twice, are refused with the option that says how to take them."""
    result = fiel("import", str(REAL / name))
    assert result.exit_code == 2
    assert words in result.stderr
    assert not list(tmp_path.iterdir())
