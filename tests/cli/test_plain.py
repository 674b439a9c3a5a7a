"""`fiel freeze --labels`: plain label files become a set, and decisions on their work list its next version."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from fiel.store.frozen import read_set

JSON = ("--format", "json")  # draws no picture, which takes longest


def decide(path: str, item: str, answer: str) -> None:
    """Fill in the row of *grounded* of one item."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows if (row["item"], row["criterion"]) == (item, "grounded"))
    row |= {"decision": answer, "by": "kim"}
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def said_commands(talk: str) -> list[list[str]]:
    """The two commands that were named, as a shell reads them."""
    found = re.search(r"(fiel freeze .*?), then (fiel freeze .*)", talk)
    assert found is not None, talk
    return [shlex.split(command)[1:] for command in found.groups()]


def test_from_label_files_to_decisions_by_the_commands_that_are_named(fiel, project):
    """What `validate --worklist` says to type works: a set of the labels, and a version with the decision on top."""
    Path("my labels.csv").write_bytes(Path("labels.csv").read_bytes())
    listed = fiel("validate", "my labels.csv", "--worklist", "to do.csv", "--agreements", "1", *JSON)
    assert listed.exit_code == 0, listed.output
    first, second = said_commands(listed.stderr)
    decide("to do.csv", "q1", "no")
    frozen = fiel(*first)
    assert frozen.exit_code == 0, frozen.output
    revised = fiel(*second)
    assert revised.exit_code == 0, revised.output
    name = first[1]
    old, new = (read_set(project / "calibration" / which) for which in (name, f"{name}-2"))
    assert (old.design.kind, len(old.items), len(old.labels), old.adjudications) == ("unknown", 30, 240, ())
    assert (new.parent, new.labels) == (old.digest, old.labels)
    (decision,) = new.adjudications
    assert (decision.subject, decision.answer, decision.before, decision.judge_seen) == (
        "q1",
        "no",
        ("yes", "yes"),
        True,
    )
    assert "1 decision, 1 of them changed gold" in revised.stdout
    assert fiel("validate", f"{name}-2", *JSON).exit_code == 0


def test_a_set_of_plain_labels_has_the_figures_of_its_files(fiel, project):
    """The same agreement, words and rates, frozen or not."""
    assert fiel("freeze", "plain", "--labels", "labels.csv").exit_code == 0
    one, other = (json.loads(fiel("validate", which, *JSON).stdout) for which in ("labels.csv", "plain"))
    for part, same in zip(one["validations"][0]["criteria"], other["validations"][0]["criteria"], strict=True):
        assert (part["agreement"], part["word"]) == (same["agreement"], same["word"])
    assert [rate["estimate"] for rate in one["rates"]] == [rate["estimate"] for rate in other["rates"]]


def test_label_files_of_the_project_are_frozen_together(fiel, project):
    """`--labels fiel.toml` means the files that it names; what refuses --decisions says so, in commands that work."""
    (project / "labels").mkdir()
    text = Path("labels.csv").read_text(encoding="utf-8").splitlines()
    for name, who in (("a", "ana"), ("b", "bo")):
        rows = [text[0], *(line for line in text[1:] if line.split(",")[2] == who)]
        (project / "labels" / f"{name}.csv").write_text("\n".join(rows), encoding="utf-8")
    config = project / "fiel.toml"
    config.write_text(config.read_text().replace('# labels = "labels/*.csv"', 'labels = "labels/*.csv"  #'))
    assert fiel("validate", "--worklist", "todo.csv", "--agreements", "1", *JSON).exit_code == 0
    decide("todo.csv", "q1", "no")
    refused = fiel("freeze", "--decisions", "todo.csv")
    assert refused.exit_code == 2
    first, second = said_commands(refused.stderr)
    assert first[-2:] == ["--labels", "fiel.toml"]
    for command in (first, second):
        result = fiel(*command)
        assert result.exit_code == 0, result.output
    assert {label.rater for label in read_set(project / "calibration" / first[1]).labels} == {"ana", "bo"}


def test_a_preference_splits_nothing(fiel, project):
    """Where only a user preference differs, no answer is told as split."""
    with Path("labels.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"q{n},grounded,{who},no\n" for n in (1, 2) for who in ("preference:thumbs", "eva")[: 3 - n])
    told = fiel("freeze", "plain", "--labels", "labels.csv").output
    assert "1 split answers stay split" in told
    assert "grounded         30 items labelled, 1 split" in told


def test_what_stands_against_it_is_said_and_nothing_is_written(fiel, project, study):
    """A name that is taken by a set or a sample, unknown files, options that do not go together."""
    study(5, name="drawn")
    assert fiel("freeze", "plain", "--labels", "labels.csv").exit_code == 0
    before = sorted((project / "calibration").rglob("*"))
    for typed, said in (
        (("plain", "--labels", "labels.csv"), "frozen already"),
        (("drawn", "--labels", "labels.csv"), "a sample that was drawn"),
        (("other", "--labels", "lables.csv"), "labels.csv"),
        (("../x", "--labels", "labels.csv"), "cannot be the name"),
        (("other", "--labels", "labels.csv", "--decisions", "todo.csv"), "exclude each other"),
        (("other", "--labels", "labels.csv", "--close"), "exclude each other"),
        (("drawn", "--judge", "floor"), "--labels"),
        (("other", "--labels", "labels.csv", "--judge", "flor"), "did you mean 'floor'?"),
        (("other", "--labels", "labels.csv", "--preference", "ana"), "--decisions"),
    ):
        result = fiel("freeze", *typed)
        assert result.exit_code == 2, result.output
        assert said in result.stderr
    assert sorted((project / "calibration").rglob("*")) == before


@pytest.mark.parametrize("judge", ["floor", "manners"])
def test_of_two_rubrics_one_judge_is_named(fiel, project, judge):
    """Labels on both are no one set; with a judge those of its rubric are frozen."""
    rubric = (
        'id = "other"\nlanguage = "en"\n\n[[criteria]]\nid = "polite"\nquestion = "Is it?"\noptions = ["no", "yes"]\n'
    )
    (project / "rubrics" / "other.toml").write_text(rubric, encoding="utf-8")
    with (project / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[judges]]\nname = "manners"\nkind = "baseline"\nrubric = "other"\n')
    with Path("labels.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"q{i},polite,ana,yes\n" for i in range(20))
    refused = fiel("freeze", "--labels", "labels.csv")
    assert refused.exit_code == 2
    assert "2 rubrics (other, rag)" in refused.stderr
    assert "--judge manners" in refused.stderr
    assert fiel("freeze", "--labels", "labels.csv", "--judge", judge).exit_code == 0
    made = read_set(project / "calibration" / "labels")
    assert ({label.criterion for label in made.labels} == {"polite"}) == (judge == "manners")
