"""The main job on a small project: each verb's words, figures, files and exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

GATE = """
[[gates]]
name = "{name}"
judge = "floor"
criterion = "{criterion}"
at_least = {at_least}
"""


def add_gate(project: Path, **fields: object) -> None:
    """Append a gate to fiel.toml; further keys may be given."""
    known = {key: fields.pop(key) for key in ("name", "criterion", "at_least")}
    more = "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())
    with (project / "fiel.toml").open("a") as file:
        file.write(GATE.format(**known) + more)


def test_init_says_what_it_guessed(fiel, table, tmp_path):
    """Every column's role is told, in Spanish as well, and the rest becomes fields."""
    table("r.csv", ("id", "pregunta", "contexto", "respuesta", "canal"), [("1", "¿Qué?", "c", "r", "web")])
    result = fiel("init", "r.csv", "--language", "es")
    assert result.exit_code == 0, result.output
    for role, column in (("input", "pregunta"), ("context", "contexto"), ("output", "respuesta"), ("id", "id")):
        assert f"{role:<9} from column {column!r}" in result.stderr
    assert "canal" in result.stderr
    item = json.loads((tmp_path / "items" / "r.jsonl").read_text())
    assert item["fields"] == {"canal": "web"}
    criteria = tomllib.loads((tmp_path / "rubrics" / "rag.toml").read_text())["criteria"]
    assert [c["id"] for c in criteria] == ["fundamentada", "completa", "sin_invenciones", "se_abstiene_bien"]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("rubric", ["rag", "summary", "support"])
def test_every_shipped_rubric_works_without_a_warning(fiel, table, rubric, language):
    """A project from each template judges at once, and the look over the rubric finds nothing."""
    table(
        "a.csv", ("question", "context", "answer"), [("Who?", "Ana wrote it.", "Ana did."), ("What?", "A song.", "A")]
    )
    assert fiel("init", "a.csv", "--rubric", rubric, "--language", language).exit_code == 0
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    assert "warning" not in result.stderr


def test_init_reads_parquet_and_jsonl_alike(fiel, tmp_path):
    """The same rows from JSON Lines and from Parquet become the same items."""
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "a.jsonl").write_text('{"question": "q", "answer": "a\\u2028b", "id": 7}\n')
    duckdb.sql("copy (select 'q' question, 'a' || chr(8232) || 'b' answer, 7 id) to 'b.parquet' (format parquet)")
    assert fiel("init", "a.jsonl", "--project", "one").exit_code == 0
    assert fiel("init", "b.parquet", "--project", "two").exit_code == 0
    one, two = (next((tmp_path / name / "items").iterdir()).read_bytes() for name in ("one", "two"))
    assert one == two
    assert json.loads(one)["id"] == "7"


def test_a_second_judge_run_adds_nothing(fiel, project):
    """Judging again changes neither the counts nor the number of rows kept."""
    first = fiel("judge").stdout
    assert fiel("judge").stdout == first
    assert "40 items on 4 criteria" in first


def test_validate_answers_first_and_writes_the_report(fiel, project):
    """The headline comes first on stdout, each criterion has one of the four words, and the report lies on disk."""
    result = fiel("validate", "labels.csv")
    assert result.exit_code == 0, result.output
    headline = result.stdout.strip().splitlines()[0]
    assert "may move decisions" in headline
    report = json.loads((project / "reports" / "report.json").read_text())
    words = {c["word"] for c in report["validations"][0]["criteria"]}
    assert words <= {"use", "rewrite", "leave out", "not enough labels"}
    assert headline in (project / "reports" / "report.html").read_text()
    funnel = report["validations"][0]["criteria"][0]["funnel"]
    assert (funnel["items"], funnel["judged"], funnel["labelled"]) == (40, 40, 30)


@pytest.mark.parametrize("form", ["json", "html", "md"])
@pytest.mark.parametrize("verb", ["validate", "estimate"])
def test_other_formats_go_to_stdout_alone(fiel, project, verb, form):
    """JSON, HTML and Markdown are printed as data and write no file."""
    result = fiel(verb, "labels.csv", "--format", form)
    assert result.exit_code == 0, result.output
    assert not (project / "reports").exists()
    if form == "json":
        assert json.loads(result.stdout)["rates"]
    else:
        assert "grounded" in result.stdout


def test_estimate_of_one_criterion(fiel, project):
    """With --criterion the result holds that one alone; a wrong name is answered with the known ones."""
    got = json.loads(fiel("estimate", "labels.csv", "--criterion", "complete", "--format", "json").stdout)
    assert [rate["criterion"] for rate in got["rates"]] == ["complete"]
    wrong = fiel("estimate", "labels.csv", "--criterion", "compleat")
    assert wrong.exit_code == 2
    assert "complete" in wrong.stderr


def test_labels_of_the_project_file(fiel, project):
    """With `labels` in fiel.toml the verbs need no argument."""
    config = project / "fiel.toml"
    config.write_text(config.read_text().replace("# labels =", 'labels = "labels.csv" #', 1))
    assert fiel("validate").exit_code == 0


@pytest.mark.parametrize(
    ("gates", "code", "word"),
    [
        ([{"at_least": 0.05}], 0, "pass"),
        ([{"at_least": 0.05}, {"at_least": 0.999}], 1, "fail"),
        ([{"at_least": 0.05}, {"at_least": 0.75}], 3, "undecided"),
        ([{"at_least": 0.75, "undecided": "fail"}], 1, "fail"),
        ([{"at_least": 0.75, "undecided": "pass"}], 0, "pass"),
        ([{"at_least": 0.05, "rate": "agreement"}], 0, "pass"),
    ],
)
def test_gate_codes(fiel, project, gates, code, word):
    """Pass is 0, fail 1, undecided 3; one failing gate outweighs an undecided one; `undecided` decides as it says."""
    for number, gate in enumerate(gates):
        add_gate(project, name=f"gate {number}", criterion="grounded", **gate)
    result = fiel("gate", "labels.csv")
    assert result.exit_code == code, result.output
    assert word in result.stdout
    assert "grounded" in result.stdout


def test_a_raw_gate_needs_no_labels(fiel, project):
    """A gate on the judge's own mean works without a label file, and says that it is not corrected."""
    add_gate(project, name="raw", criterion="grounded", at_least=0.05, rate="raw")
    result = fiel("gate", "--format", "json")
    assert result.exit_code == 0, result.output
    assert "raw" in json.loads(result.stdout)["decisions"][0]["estimate"]["method"]


def test_a_failing_gate_names_criterion_items_and_evidence(fiel, project):
    """The JUnit file of a failing gate has one failure that names the criterion, items and what was said of them."""
    add_gate(project, name="ship", criterion="grounded", at_least=0.99)
    assert fiel("gate", "labels.csv", "--junit", "gates.xml").exit_code == 1
    case = ET.parse("gates.xml").getroot().find(".//testcase")  # noqa: S314  our own file
    assert case is not None
    failure = case.find("failure")
    assert failure is not None
    text = f"{failure.get('message')} {failure.text}"
    assert "grounded" in text
    assert "q0" in text


def test_too_many_unscored_items_leave_a_gate_undecided(fiel, table, project):
    """When more items than allowed have no belief of the judge, the gate does not pass."""
    extra = [json.dumps({"id": f"new{i}", "output": "x"}) for i in range(40)]
    (project / "items" / "more.jsonl").write_text("\n".join(extra) + "\n")
    add_gate(project, name="ship", criterion="grounded", at_least=0.05)
    result = fiel("gate", "labels.csv")
    assert result.exit_code == 3, result.output
    assert "0.50" in result.stdout or "50 %" in result.stdout


def test_an_interrupted_run_ends_with_4_and_goes_on(fiel, tmp_path):
    """SIGINT in the middle of judging ends with 4; what was kept is there, and the next run does the rest."""
    lines = [
        json.dumps({"id": str(i), "context": f"It was {i}. " * 200, "output": f"It was {i}."}) for i in range(3000)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    assert fiel("init", "a.jsonl").exit_code == 0
    process = subprocess.Popen([sys.executable, "-m", "fiel", "judge"], stderr=subprocess.PIPE, text=True)
    database = tmp_path / ".fiel" / "judgements.db"
    deadline = time.monotonic() + 30
    while not (database.exists() and database.stat().st_size > 100_000) and time.monotonic() < deadline:
        wal = database.with_name(database.name + "-wal")
        if wal.exists() and wal.stat().st_size > 100_000:
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 4, said
    assert "kept" in said
    result = fiel("judge")
    assert result.exit_code == 0
    assert "3000 items on 4 criteria" in result.stdout


def test_hostile_text_is_shown_as_data(fiel, table, project):
    """Markup, escapes and bidi overrides in items and ids reach terminal and page as text."""
    evil = "</td><script>alert(1)</script>\x1b[31m[bold]\u202e"
    with (project / "items" / "evil.jsonl").open("w") as file:
        file.write(json.dumps({"id": "evil [red]", "context": "c", "output": evil}) + "\n")
    assert fiel("judge").exit_code == 0
    with (project / "labels.csv").open("a") as file:
        for criterion in ("grounded", "complete", "no_inventions", "abstains_well"):
            file.write(f"evil [red],{criterion},ana,yes\n")
    result = fiel("validate", "labels.csv")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    page = (project / "reports" / "report.html").read_text()
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_version_and_help_need_no_project(fiel):
    """`--version` and `--help` work anywhere; an unknown verb is usage."""
    assert fiel("--version").stdout.startswith("fiel 0.")
    assert fiel("--help").exit_code == 0
    assert fiel("jugde").exit_code == 2
