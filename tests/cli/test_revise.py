"""`fiel freeze --decisions`: what was filled into a work list becomes the next version of the set."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fiel.store.frozen import read_set


def fill(source: str, target: str, *, delimiter: str = ",", agreements: bool = False, **cells: dict[str, str]) -> None:
    """Fill in rows of *grounded* by their item, and perhaps uphold all agreements."""
    with Path(source).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["drawn"] == "agreement":
            row["decision"] = row["gold"] if agreements else ""
        elif row["criterion"] == "grounded":
            row.update(cells.get(row["item"], {}))
    with Path(target).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(reversed(rows))


def files(project: Path, name: str) -> dict[str, bytes]:
    """The bytes of a set, its list of uses aside."""
    folder = project / "calibration" / name
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != "looks.jsonl"}


@pytest.fixture
def listed(fiel, frozen) -> str:
    """A work list of the set, not filled in."""
    assert fiel("validate", "first", "--worklist", "todo.csv", *JSON).exit_code == 0
    return "todo.csv"


JSON = ("--format", "json")  # draws no picture, which takes longest
YES = {"decision": "Yes ", "by": "kim"}


def test_decisions_make_the_next_version(fiel, project, listed):
    """Sorted otherwise and saved with semicolons: parent, decisions and marks are in it, the old set is as it was."""
    before = files(project, "first")
    fill(listed, "done.csv", delimiter=";", q1=YES, q3={"decision": "no", "by": "kim", "reason": "Rater slip"})
    result = fiel("freeze", "first", "--decisions", "done.csv")
    assert result.exit_code == 0, result.output
    assert files(project, "first") == before
    old, new = (read_set(project / "calibration" / name) for name in ("first", "first-2"))
    assert (new.parent, new.labels, new.design) == (old.digest, old.labels, old.design)
    one, three = new.adjudications
    assert (one.subject, one.answer, one.by, one.judge_seen, one.before) == ("q1", "yes", "kim", True, ("no", "no"))
    assert (three.subject, three.answer, three.reason) == ("q3", "no", "rater slip")
    assert "Next: fiel validate first-2" in result.stderr
    assert fiel("validate", "first-2", *JSON).exit_code == 0


def test_the_figures_before_and_after_are_told(fiel, project, listed):
    """How many changed gold, how many agreements were upheld, agreement on both versions, and what it leans to."""
    fill(listed, "done.csv", q1=YES, q2=YES | {"decision": "no"}, agreements=True)
    result = fiel("freeze", "first", "--decisions", "done.csv", "--by", "kim")
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[1] == "18 decisions, 1 of them changed gold; 16 of 16 agreements drawn at random were upheld."
    assert "grounded 6 1 4 of 4" in lines
    assert "leans towards the judge" in result.stdout
    figures = []
    for name in ("first", "first-2"):
        report = json.loads(fiel("validate", name, *JSON).stdout)
        part = next(x for x in report["validations"][0]["criteria"] if x["criterion"] == "grounded")
        figures.append("{value:.2f} [{low:.2f}, {high:.2f}] n={n}".format(**part["agreement"]))
    assert figures[0] != figures[1]
    assert next(line for line in lines if line.startswith("grounded 0.")).startswith(f"grounded {' '.join(figures)}")


def test_versions_are_numbered_and_never_overwritten(fiel, project, listed):
    """NAME-2, then NAME-3, also from the second on; --as names another, and one that is there is refused."""
    fill(listed, "done.csv", q1=YES)
    for name, given in (("first-2", ()), ("agreed", ("--as", "agreed"))):
        assert fiel("freeze", "first", "--decisions", "done.csv", *given).exit_code == 0
        assert (project / "calibration" / name / "manifest.json").is_file()
    once_more = fiel("freeze", "first", "--decisions", "done.csv")
    assert once_more.exit_code == 2
    assert "holds these decisions already" in once_more.stderr
    fill(listed, "other.csv", q3=YES)
    assert fiel("freeze", "first", "--decisions", "other.csv").exit_code == 0
    assert (project / "calibration" / "first-3" / "manifest.json").is_file()
    before = files(project, "agreed")
    again = fiel("freeze", "first", "--decisions", "done.csv", "--as", "agreed")
    assert again.exit_code == 2
    assert "--as NAME" in again.stderr
    assert files(project, "agreed") == before
    assert fiel("validate", "first-2", "--worklist", "second.csv", *JSON).exit_code == 0
    fill("second.csv", "done.csv", q2=YES)
    assert fiel("freeze", "first-2", "--decisions", "done.csv").exit_code == 0
    assert [x.subject for x in read_set(project / "calibration" / "first-4").adjudications] == ["q1", "q2"]


@pytest.mark.parametrize("name", ["../x", "a/b", "first/zz", "first/../y", "", ".", "CON", "a b"])
def test_a_version_stays_in_its_folder(fiel, project, listed, name):
    """A name that leads elsewhere, into another set or nowhere is refused, and nothing is written."""
    fill(listed, "done.csv", q1=YES)
    before = sorted(project.rglob("*"))
    result = fiel("freeze", "first", "--decisions", "done.csv", "--as", name)
    assert result.exit_code == 2
    assert "cannot be the name of a calibration set" in result.stderr
    assert sorted(project.rglob("*")) == before


def test_a_list_of_another_version_is_refused(fiel, project, listed):
    """The digest in the file decides, whatever the set is called."""
    fill(listed, "done.csv", q1=YES)
    assert fiel("freeze", "first", "--decisions", "done.csv").exit_code == 0
    result = fiel("freeze", "first-2", "--decisions", "done.csv")
    assert result.exit_code == 2
    old = read_set(project / "calibration" / "first")
    assert f"was made from set {old.digest[:12]}" in result.stderr
    assert "column 'set'" in result.stderr
    assert not (project / "calibration" / "first-3").exists()


@pytest.mark.parametrize(
    ("cells", "column", "said"),
    [
        ({"decision": "yess", "by": "kim"}, "decision", "did you mean 'yes'?"),
        ({"decision": "yes", "by": "kim", "reason": "a whim"}, "reason", "rubric gap, item ambiguous"),
        ({"decision": "yes"}, "by", "--by NAME"),
        ({"decision": "yes", "by": "kim", "reason": "true split"}, "reason", "no answer beside it"),
        ({"reason": "rubric gap", "by": "kim"}, "decision", "needs a decision"),
        ({"reason": "true split", "by": "kim"}, "reason", "no split"),
        ({"item": "q99"}, "item", "no item 'q99'"),
        ({"criterion": "gronded"}, "criterion", "grounded"),
    ],
)
def test_what_cannot_be_is_named_with_file_row_and_column(fiel, project, listed, cells, column, said):
    """A wrong option, reason, item or criterion, and nobody who decided: told where, and nothing is written."""
    fill(listed, "done.csv", q1=cells)
    with Path("done.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    row = next(n for n, x in enumerate(found, start=2) if all(x[name] == cell for name, cell in cells.items()))
    result = fiel("freeze", "first", "--decisions", "done.csv")
    assert result.exit_code == 2
    assert f"done.csv, row {row}, column '{column}'" in result.stderr
    assert said in result.stderr
    assert not (project / "calibration" / "first-2").exists()


def test_an_empty_list_decides_nothing(fiel, project, listed):
    """Nothing filled in, or what is no work list at all, makes no version."""
    nothing = fiel("freeze", "first", "--decisions", listed)
    assert nothing.exit_code == 2
    assert "Nothing is decided" in nothing.stderr
    other = fiel("freeze", "first", "--decisions", "labels.csv")
    assert other.exit_code == 2
    assert "no column 'set'" in other.stderr
    assert not (project / "calibration" / "first-2").exists()


def test_json_lines_are_read_as_well(fiel, project, frozen):
    """A list for programs comes back the same way; an error names its line."""
    assert fiel("validate", "first", "--worklist", "todo.jsonl", *JSON).exit_code == 0
    lines = [json.loads(line) for line in Path("todo.jsonl").read_text(encoding="utf-8").splitlines()]
    lines[1]["decision"] = "yes"
    Path("done.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    nobody = fiel("freeze", "--decisions", "done.jsonl")
    assert "done.jsonl, line 2, column 'by'" in nobody.stderr
    assert fiel("freeze", "--decisions", "done.jsonl", "--by", "kim").exit_code == 0
    (decided,) = read_set(project / "calibration" / "first-2").adjudications
    assert (decided.subject, decided.answer) == (lines[1]["item"], "yes")


def test_a_note_alone_is_no_decision(fiel, listed):
    """It is said that the row was left as it was."""
    fill(listed, "done.csv", q1=YES, q2={"note": "ask Ana"})
    result = fiel("freeze", "first", "--decisions", "done.csv")
    assert "with a note and without a decision, left as they were: 1" in result.stderr


def test_no_figure_is_shown_while_people_label(fiel, project, listed, study):
    """The version is made, and what the judge agrees with is not told."""
    fill(listed, "done.csv", q1=YES)
    study(5, name="second")
    result = fiel("freeze", "first", "--decisions", "done.csv")
    assert result.exit_code == 0, result.output
    assert "1 decision, 1 of them changed gold" in result.stdout
    assert "agreement before" not in result.stdout
    assert "People are labelling second" in result.stderr


def test_a_judge_that_changed_since_has_no_figures(fiel, project, listed):
    """The version does not hang on the judge."""
    fill(listed, "done.csv", q1=YES)
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("Does the CONTEXT", "Does the whole CONTEXT", 1))
    result = fiel("freeze", "first", "--decisions", "done.csv")
    assert result.exit_code == 0, result.output
    assert "agreement before" not in result.stdout
    assert (project / "calibration" / "first-2").is_dir()


def test_options_that_belong_to_decisions(fiel, project, listed):
    """--as and --by without --decisions, and --close with it, are usage errors."""
    for typed in (("--as", "other"), ("--by", "kim"), ("--close", "--decisions", listed)):
        result = fiel("freeze", "first", *typed)
        assert result.exit_code == 2
        assert "--decisions" in result.stderr
