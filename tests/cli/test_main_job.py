"""The main job on a small project: each verb's words, figures, files and exit code."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fiel.records import FielError
from fiel.store.project import Project

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
    assert len((tmp_path / "fiel.toml").read_text().splitlines()) <= 12
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


def interrupted(folder: Path) -> tuple[int, str]:
    """The exit code of `fiel judge` that gets SIGINT once something is kept, and what it said."""
    shutil.rmtree(folder / ".fiel", ignore_errors=True)
    process = subprocess.Popen([sys.executable, "-m", "fiel", "judge"], cwd=folder, stderr=subprocess.PIPE, text=True)
    log = folder / ".fiel" / "judgements.db-wal"
    deadline = time.monotonic() + 60
    while process.poll() is None and not (log.exists() and log.stat().st_size > 30_000):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def test_an_interrupted_run_ends_with_4_and_goes_on(fiel, tmp_path):
    """SIGINT in the middle of judging ends with 4; what was kept is there, and the next run does the rest."""
    lines = [
        json.dumps({"id": str(i), "context": f"It was {i}. " * 120, "output": f"It was {i}."}) for i in range(2500)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    assert fiel("init", "a.jsonl").exit_code == 0
    code, said = interrupted(tmp_path)
    for _ in range(3):  # on a busy machine a run may be over before the signal reaches it, and says nothing then
        if code == 0:
            code, said = interrupted(tmp_path)
    assert code == 4, said
    assert "kept" in said
    result = fiel("judge")
    assert result.exit_code == 0
    assert "2500 items on 4 criteria" in result.stdout


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


def test_labels_of_an_older_text_or_wording_are_warned_about(fiel, project):
    """After a labelled answer or a question changed and was judged again, validate warns that labels may be older."""
    path = project / "items" / "answers.jsonl"
    path.write_text(path.read_text().replace("It was built in 1901.", "It was built in the year 1901.", 1))
    stale = fiel("validate", "labels.csv")
    assert "has not judged 1 of 40 items as they stand now" in stale.stderr
    assert "partial" in (project / "reports" / "report.html").read_text()
    assert fiel("judge").exit_code == 0
    result = fiel("validate", "labels.csv")
    assert result.exit_code == 0
    assert "1 labelled items have another text than when first judged (q1)" in result.stderr
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text().replace("every factual claim", "each factual claim", 1))
    fiel("judge")
    assert "wording of grounded has changed" in fiel("validate", "labels.csv").stderr


def test_when_every_answer_changed_the_message_says_so(fiel, project):
    """A judge that judged other texts is not said to have changed itself."""
    path = project / "items" / "answers.jsonl"
    path.write_text(path.read_text().replace("It was built", "It was finished"))
    result = fiel("validate", "labels.csv")
    assert result.exit_code == 2
    assert "every answer has changed" in result.stderr


def test_a_broken_schema_is_found_before_the_first_item(fiel, project):
    """An invalid JSON Schema of a check stops judging with the criterion's name, whatever the answers are."""
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(
        rubric.read_text()
        + '\n[[criteria]]\nid = "valid"\nquestion = "Is it valid?"\n'
        + 'check = { kind = "json_schema", schema = "answer.json" }\n'
    )
    (project / "answer.json").write_text('{"type": "objet"}')
    result = fiel("judge")
    assert result.exit_code == 2
    assert "valid" in result.stderr
    assert "schema is invalid" in result.stderr


def test_init_says_where_the_ids_come_from(fiel, table, tmp_path):
    """Without an id column init says that ids are row numbers, and how to name a column."""
    table("a.csv", ("question", "answer"), [("q", "a"), ("q", "b")])
    result = fiel("init", "a.csv")
    assert "  id        row numbers; --id COLUMN if there is one\n" in result.stderr
    assert [json.loads(line)["id"] for line in (tmp_path / "items" / "a.jsonl").read_text().splitlines()] == ["1", "2"]


def test_init_reads_a_help_desk_export(fiel, table, tmp_path):
    """Columns as a Spanish help desk names them find their roles."""
    table("t.csv", ("ticket nº", "mensaje", "Texto fuente (KB)", "respuesta"), [("T-1", "¿Qué?", "Esto.", "Eso.")])
    assert fiel("init", "t.csv").exit_code == 0
    item = json.loads((tmp_path / "items" / "t.jsonl").read_text())
    assert item == {"id": "T-1", "input": "¿Qué?", "context": "Esto.", "output": "Eso."}


def test_init_does_not_choose_between_two_answers(fiel, table, tmp_path):
    """Two columns that could be the answers end init with the question which; once told, it goes on."""
    table("ab.csv", ("question", "answer_a", "answer_b"), [("q", "a", "b")])
    result = fiel("init", "ab.csv")
    assert result.exit_code == 2
    assert "output: answer_a or answer_b? say --output COLUMN" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["ab.csv"]
    assert fiel("init", "ab.csv", "--output", "answer_b").exit_code == 0
    assert json.loads((tmp_path / "items" / "ab.jsonl").read_text())["output"] == "b"


def test_init_asks_about_roles_that_are_unclear(fiel, table, tmp_path):
    """Two columns that could be the context or the id are asked about; neither is taken, and the items are written."""
    table("a.csv", ("ticket nº", "case id", "chunks", "document", "answer"), [("1", "2", "c", "d", "a")])
    result = fiel("init", "a.csv")
    assert result.exit_code == 0
    assert "  context   chunks or document? say --context COLUMN\n" in result.stderr
    assert "  id        row numbers for now; ticket nº or case id? say --id COLUMN\n" in result.stderr
    item = json.loads((tmp_path / "items" / "a.jsonl").read_text())
    assert (item["id"], item["fields"]["chunks"], item["fields"]["document"]) == ("1", "c", "d")
    assert "delete items/a.jsonl, then fiel init a.csv --add" in result.stderr
    (tmp_path / "items" / "a.jsonl").unlink()
    assert fiel("init", "a.csv", "--add", "--context", "chunks").exit_code == 0


def test_init_refuses_a_guessed_id_that_stands_twice(fiel, table, tmp_path):
    """A guessed id with one value in two rows is refused with both; told that it is a group, init goes on."""
    table("t.csv", ("ticket nº", "answer"), [("7", "a"), ("8", "b"), ("7", "c")])
    result = fiel("init", "t.csv")
    assert result.exit_code == 2
    assert "'7' stands in it twice.\n  in t.csv, line 4, and t.csv, line 2\n" in result.stderr
    assert "--group 'ticket nº'" in result.stderr
    assert fiel("init", "t.csv", "--group", "ticket nº").exit_code == 0
    groups = [json.loads(line)["group"] for line in (tmp_path / "items" / "t.jsonl").read_text().splitlines()]
    assert groups == ["7", "8", "7"]


@pytest.mark.parametrize(
    ("length", "columns", "said"),
    [
        (
            301,
            ("answer", "knowhow base"),
            "'knowhow base' looks like a text; if it is the context: --context 'knowhow base'",
        ),
        (301, ("answer", "context", "body"), "'body' looks like a text; if it is the input: --input body"),
        (301, ("answer", "context", "question", "reference", "body"), "'body' looks like a text; no judge reads it"),
        (300, ("answer", "body"), None),
    ],
)
def test_init_points_at_a_column_of_long_texts(fiel, table, length, columns, said):
    """A column without a role and with a median over 300 characters is told with the first role that nothing plays."""
    table("a.csv", columns, [("a",) * (len(columns) - 1) + ("x" * n,) for n in (length, length, 5)])
    result = fiel("init", "a.csv")
    assert result.exit_code == 0
    assert said in result.stderr if said else "looks like a text" not in result.stderr


SPANISH = "La tienda abre los lunes y los martes, pero el domingo está cerrada."
ENGLISH = "The shop is open on Mondays, and the museum is closed with it."


@pytest.mark.parametrize(
    ("answers", "language", "said"),
    [
        ((SPANISH,), "en", "The answers look Spanish: fiel init --language es has the rubric in Spanish.\n"),
        ((SPANISH, "Yes."), "en", "The answers look Spanish"),
        ((ENGLISH,), "es", "The answers look English: fiel init --language en has the rubric in English.\n"),
        ((SPANISH,), "es", None),
        ((ENGLISH,), "en", None),
        ((SPANISH, ENGLISH), "en", None),
        (("A loja abre às nove e não fecha para o almoço, mas está cheia.",), "en", None),
        (("42",), "en", None),
    ],
)
def test_init_tells_the_other_language(fiel, table, answers, language, said):
    """Answers that are clearly in the other language are told with the option; mixed and unknown ones are not."""
    table("a.csv", ("answer",), [(answer,) for answer in answers])
    result = fiel("init", "a.csv", "--language", language)
    assert result.exit_code == 0
    assert said in result.stderr if said else "answers look" not in result.stderr


def test_init_adds_the_items_of_a_further_table(fiel, table, project):
    """`--add` writes one file of items and nothing else, from a folder within as well, and all items are judged."""
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    table("more.csv", ("id", "question", "context", "answer"), [("n1", "When?", "In 1931.", "In 1931.")])
    before[project / "more.csv"] = (project / "more.csv").read_bytes()
    result = fiel("init", "more.csv", "--add", "--project", "items")
    assert result.exit_code == 0, result.output
    assert "wrote items/more.jsonl; the project has 41 items now" in result.stderr
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    written = after.pop(project / "items" / "more.jsonl")
    assert json.loads(written)["id"] == "n1"
    assert after == before
    assert "41 items on 4 criteria" in fiel("judge").stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ("more.csv",),
            ("2 of the 3 ids exist already; the first is 'q1'", "more.csv, line 3, and ", "answers.jsonl, line 2"),
        ),
        (("numbers.csv",), ("1 of the 1 ids", "row numbers", "--id COLUMN")),
        (("answers.csv", "--id", "question"), ("Two items have the id", "--id COLUMN")),
        (("other/answers.csv",), ("items/answers.jsonl exists already; nothing was written", "another name")),
        (("ab.csv",), ("output: answer_a or answer_b? say --output COLUMN",)),
        ((), ("--add needs a file",)),
        (("new.csv", "--language", "es"), ("writes no rubric",)),
        (("new.csv", "--project", "/"), ("no fiel.toml here or above",)),
        (
            ("new.csv", "--project", "elsewhere"),
            ("'data/a.jsonl'", "new.jsonl would not be one of them", "project.items"),
        ),
    ],
)
def test_init_adds_nothing_over_what_is_there(fiel, table, project, command, said):
    """`--add` is refused where an id or the file exists, where there is no project, and where nobody would read it."""
    table("more.csv", ("id", "answer"), [("n1", "a"), ("q1", "a"), ("q2", "a")])
    table("new.csv", ("id", "answer"), [("n1", "a")])
    table("ab.csv", ("id", "answer_a", "answer_b"), [("n1", "a", "b")])
    table("numbers.csv", ("answer",), [("a",)])
    (project / "items" / "one.jsonl").write_text('{"id": "1"}\n')
    (project / "other").mkdir()
    table("other/answers.csv", ("id", "answer"), [("n1", "a")])
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "fiel.toml").write_text('[project]\nname = "x"\nitems = "data/a.jsonl"\n')
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    result = fiel("init", *command, "--add")
    assert result.exit_code == 2, result.output
    for words in said:
        assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 3
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("pattern", ["items/**/*.jsonl", "*.jsonl", "data/sets/more*.jsonl"])
def test_init_adds_where_the_project_looks(fiel, table, tmp_path, pattern):
    """The file goes where the pattern of the project finds it, and the first items of a project can be added too."""
    (tmp_path / "fiel.toml").write_text(f'[project]\nname = "x"\nitems = "{pattern}"\n')
    table("more.csv", ("id", "answer"), [("n1", "a")])
    result = fiel("init", "more.csv", "--add")
    assert result.exit_code == 0, result.output
    assert [item.id for item in Project.open(tmp_path).items()] == ["n1"]


def test_init_in_a_project_says_how_to_add(fiel, table, project):
    """Init in the folder of a project is refused with the way to add items to it."""
    result = fiel("init", "answers.csv")
    assert result.exit_code == 2
    assert "fiel init answers.csv --add" in result.stderr


@pytest.mark.parametrize(
    ("pattern", "said"), [("items/*.jsonl", "No file matches"), ("items/*", "matches a table: items are JSON Lines")]
)
@pytest.mark.parametrize("name", ["raw.csv", "raw.parquet"])
def test_a_table_among_the_items_is_told(fiel, tmp_path, pattern, said, name):
    """A table that lies in the folder of the items is named, with the command that makes items of it."""
    (tmp_path / "fiel.toml").write_text(f'[project]\nname = "x"\nitems = "{pattern}"\n')
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / name).write_text("question,answer\nq,a\n")
    with pytest.raises(FielError) as caught:
        Project.open(tmp_path).items()
    assert said in caught.value.what
    assert f"fiel init {name} --add" in (caught.value.fix or "")
