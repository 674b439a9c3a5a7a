"""`fiel validate --worklist`: the file that somebody fills in."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fiel.store.frozen import read_set
from fiel.store.project import Project

JSON = ("--format", "json")  # draws no picture, which takes longest
RUBRIC = """
id = "other"
language = "en"

[[criteria]]
id = "polite"
question = "Is the ANSWER polite?"
options = ["no", "yes"]
"""
JUDGE = '\n[[judges]]\nname = "{name}"\nkind = "baseline"\nrubric = "{rubric}"\n'


def rows(path: Path | str) -> list[dict[str, str]]:
    """The rows of a CSV, as a spreadsheet has them."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def add_judge(project: Path, name: str, rubric: str) -> None:
    """One more judge of fiel.toml."""
    with (project / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write(JUDGE.format(name=name, rubric=rubric))


def test_the_list_has_what_it_takes_to_decide(fiel, project, frozen):
    """Surest wrong first, then ties, then agreements; answers, texts, looks and the set in it, the rest empty."""
    result = fiel("validate", "first", "--worklist", "todo.csv", *JSON)
    assert result.exit_code == 0, result.output
    found = rows("todo.csv")
    wrong = [row for row in found if row["drawn"] == "disagreement"]
    assert [(row["item"], row["criterion"]) for row in wrong] == [(item, "grounded") for item in ("q1", "q2", "q3")]
    assert found[: len(wrong)] == wrong
    first = wrong[0]
    item = next(item for item in Project.open(project).items() if item.id == first["item"])
    assert (first["item question"], first["item context"], first["item answer"]) == (
        item.input,
        item.context,
        item.output,
    )
    assert (first["options"], first["gold"], first["rater ana"], first["rater ben"]) == ("no | yes", "no", "no", "no")
    assert (first["judge floor"], first["looks_like"]) == ("yes", "judge error")
    assert 0.5 < float(first["judge floor: probability"]) < 1
    assert "content words" in first["judge floor: reason"]
    assert next(row["looks_like"] for row in wrong if row["item"] == "q3") == "rubric gap"
    assert {row["set"] for row in found} == {read_set(project / "calibration" / "first").digest}
    assert list(first)[-4:] == ["decision", "by", "reason", "note"]
    assert {row[name] for row in found for name in ("decision", "by", "reason", "note")} == {""}


def test_it_says_how_much_there_is_and_what_comes_next(fiel, frozen):
    """Counts on stderr are those of the file, a tenth of the agreements of each criterion, rounded up."""
    result = fiel("validate", "first", "--worklist", "to do.csv", *JSON)
    found = rows("to do.csv")
    agreements = [row for row in found if row["drawn"] == "agreement"]
    assert f"3 to decide, the surest wrong verdicts first, and {len(agreements)} of 157 agreements" in result.stderr
    assert len(agreements) == 4 * 4
    assert "fiel freeze first --decisions 'to do.csv'" in result.stderr


def test_the_share_and_the_seed_decide_which_agreements(fiel, frozen):
    """The same seed gives the same bytes, another one other agreements, and a share of 0 none."""
    for name, more in (("a", ()), ("b", ("--seed", "0")), ("c", ("--seed", "1")), ("d", ("--agreements", "0"))):
        assert fiel("validate", "first", "--worklist", f"{name}.csv", *more, *JSON).exit_code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    one, other = ([(row["item"], row["criterion"]) for row in rows(f"{name}.csv")] for name in "ac")
    assert (one[:3], len(one)) == (other[:3], len(other))
    assert set(one) != set(other)
    assert len(rows("d.csv")) == 3


def test_json_lines_have_it_nested(fiel, frozen):
    """One object a line, with answers by rater, each judge whole, and the texts; what is to be filled in is null."""
    assert fiel("validate", "first", "--worklist", "todo.jsonl", "--format", "json").exit_code == 0
    first = json.loads(Path("todo.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["answers"] == {"ana": "no", "ben": "no"}
    assert (first["judges"][0]["judge"], first["judges"][0]["answer"]) == ("floor", "yes")
    assert {"question", "context", "answer"} <= set(first["texts"])
    assert [first[name] for name in ("decision", "by", "reason", "note")] == [None] * 4


def test_a_file_that_is_there_is_not_lost(fiel, frozen):
    """A filled-in list is written over with --replace alone; an unknown ending is refused by its name."""
    todo = Path("todo.csv")
    todo.write_text("decided already", encoding="utf-8")
    refused = fiel("validate", "first", "--worklist", "todo.csv", *JSON)
    assert refused.exit_code == 2
    assert "--replace" in refused.stderr
    assert todo.read_text(encoding="utf-8") == "decided already"
    assert fiel("validate", "first", "--worklist", "todo.csv", "--replace", *JSON).exit_code == 0
    assert len(rows(todo)) > 3
    for name in ("todo.xlsx", "todo"):
        other = fiel("validate", "first", "--worklist", name, *JSON)
        assert other.exit_code == 2
        assert ".csv" in other.stderr
        assert not Path(name).exists()


def test_nobody_reads_it_while_people_label(fiel, study):
    """An open study refuses the list, which would show the judge; --unblind writes it."""
    study(10)
    refused = fiel("validate", "labels.csv", "--worklist", "todo.csv", *JSON)
    assert refused.exit_code == 2
    assert not Path("todo.csv").exists()
    assert fiel("validate", "labels.csv", "--worklist", "todo.csv", "--unblind", "--as", "eva", *JSON).exit_code == 0
    assert Path("todo.csv").exists()


def test_judges_of_one_rubric_share_a_list(fiel, table):
    """A cell stands once with both judges in it, the one that differs with what it says, whatever the other says."""
    table("items.csv", ("item_id", "output"), [(f"i{n}", "An answer.") for n in range(12)])
    table("human.csv", ("item_id", "rater", "answer"), [(f"i{n}", "ana", "yes" if n % 2 else "no") for n in range(12)])
    said = [(f"i{n}", "alpha", "yes" if n % 2 else "no") for n in range(12)]
    said += [(f"i{n}", "beta", "yes" if n % 2 or n == 4 else "no") for n in range(12)]
    table("judge.csv", ("item_id", "judge", "answer"), said)
    assert fiel("import", ".", "--name", "both", "--project", "p").exit_code == 0
    result = fiel("validate", "--project", "p", "--worklist", "todo.csv", *JSON)
    assert result.exit_code == 0, result.output
    first, *rest = rows("todo.csv")
    assert (first["item"], first["judge alpha"], first["judge beta"], first["gold"]) == ("i4", "no", "yes", "no")
    assert {row["drawn"] for row in rest} == {"agreement"}


def test_judges_of_two_rubrics_need_two_lists(fiel, project):
    """Several rubrics fit no one file: the error asks for a judge, and with one there is a list."""
    (project / "rubrics" / "other.toml").write_text(RUBRIC, encoding="utf-8")
    add_judge(project, "manners", "other")
    assert fiel("judge").exit_code == 0
    with (project / "labels.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"q{i},polite,ana,yes\n" for i in range(20))
    refused = fiel("validate", "labels.csv", "--worklist", "todo.csv", *JSON)
    assert refused.exit_code == 2
    assert "2 rubrics (other, rag)" in refused.stderr
    assert "--judge floor" in refused.stderr
    assert not Path("todo.csv").exists()
    assert fiel("validate", "labels.csv", "--worklist", "todo.csv", "--judge", "manners", *JSON).exit_code == 0
    assert {row["criterion"] for row in rows("todo.csv")} == {"polite"}


def test_a_list_of_plain_labels_is_for_a_set_frozen_of_them(fiel, project, frozen):
    """Its column of the set is empty, the verb says so, and freeze says what makes a set that takes it."""
    result = fiel("validate", "labels.csv", "--worklist", "todo.csv", "--agreements", "1", *JSON)
    assert "plain labels" in result.stderr
    assert {row["set"] for row in rows("todo.csv")} == {""}
    refused = fiel("freeze", "first", "--decisions", "todo.csv", "--by", "kim")
    assert refused.exit_code == 2
    assert "'first' was not frozen of plain labels" in refused.stderr
    assert "todo.csv, row 2, column 'set'" in refused.stderr
    other = fiel("freeze", "labels.csv", "--decisions", "todo.csv", "--by", "kim")
    assert other.exit_code == 2
    assert "labels.csv is a file of labels" in other.stderr


def test_the_set_is_named_as_it_was_frozen(fiel, project, frozen):
    """Where a text has changed since, its labels do not count, and the list still carries the digest of the set."""
    items = project / "items" / "answers.jsonl"
    items.write_text(items.read_text(encoding="utf-8").replace("The bridge was built in 1905", "Built in 1905"))
    assert fiel("judge").exit_code == 0
    result = fiel("validate", "first", "--worklist", "todo.csv", "--agreements", "1", *JSON)
    assert result.exit_code == 0, result.output
    assert {row["set"] for row in rows("todo.csv")} == {read_set(project / "calibration" / "first").digest}
    assert "q5" not in {row["item"] for row in rows("todo.csv")}


@pytest.mark.parametrize("typed", [("--agreements", "1.5"), ("--agreements", "-0.1"), ("--seed", "-1")])
def test_what_is_no_share_and_no_seed_is_refused(fiel, project, typed):
    """Numbers out of their range are usage errors, and nothing is written."""
    assert fiel("validate", "labels.csv", "--worklist", "todo.csv", *typed, *JSON).exit_code == 2
    assert not Path("todo.csv").exists()
