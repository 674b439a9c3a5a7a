"""`fiel draw`: what is drawn, said and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

MORE = """
[[judges]]
name = "second"
kind = "baseline"
rubric = "rag"
"""


def sample(project: Path, name: str = "first") -> dict:
    """The sample file."""
    return json.loads((project / "samples" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_default_is_stratified_over_belief(fiel, project):
    """The strata, the seed, the file and the next command are told, and the file holds the design that was told."""
    result = fiel("draw", "--n", "20")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "first: 20 of 40 items drawn, by belief (judge floor); seed 0"
    design = sample(project)["design"]
    assert (design["kind"], design["by"], design["frame"], design["planned"]) == ("stratified", "belief", 40, 20)
    told = [line.split() for line in lines[1 : 1 + len(design["strata"])]]
    assert told == [[*s["name"].split(), str(s["drawn"]), "of", str(s["size"])] for s in design["strata"]]
    assert sum(design["weights"].values()) == pytest.approx(40)
    assert len(set(sample(project)["subjects"])) == 20
    assert "Sample: " in result.stderr
    assert "fiel label first --rater" in result.stderr


def test_the_same_seed_draws_the_same_into_another_name(fiel, project):
    """Two names with one seed hold the same items; another seed holds others."""
    for name, seed in (("a", "4"), ("b", "4"), ("c", "5")):
        assert fiel("draw", name, "--n", "10", "--seed", seed).exit_code == 0
    assert sample(project, "a")["subjects"] == sample(project, "b")["subjects"]
    assert set(sample(project, "a")["subjects"]) != set(sample(project, "c")["subjects"])


def test_a_sample_is_not_overwritten(fiel, project):
    """A second draw under a name is refused and changes nothing."""
    assert fiel("draw", "--n", "10").exit_code == 0
    before = (project / "samples" / "first.json").read_bytes()
    result = fiel("draw", "--n", "12")
    assert result.exit_code == 2
    assert "--top-up" in result.stderr
    assert (project / "samples" / "first.json").read_bytes() == before


def test_without_judgements_it_draws_at_random_and_says_so(fiel, table, tmp_path):
    """Before anything is judged the items are drawn at random; asked for by belief, it says what to do."""
    table("answers.csv", ("id", "question", "answer"), [(f"q{i}", "Who?", f"Person {i}.") for i in range(30)])
    assert fiel("init", "answers.csv").exit_code == 0
    result = fiel("draw", "--n", "10")
    assert result.exit_code == 0, result.output
    assert "drawn at random" in result.stderr
    design = sample(tmp_path)["design"]
    assert (design["kind"], design["frame"]) == ("random", 30)
    assert "weights" not in design
    asked = fiel("draw", "other", "--by", "belief")
    assert asked.exit_code == 2
    assert "needs judgements" in asked.stderr


def test_without_a_judge_the_one_rubric_is_asked(fiel, project):
    """A project that has no judge yet can be labelled first."""
    text = (project / "fiel.toml").read_text(encoding="utf-8")
    (project / "fiel.toml").write_text(text.split("[[judges]]")[0], encoding="utf-8")
    result = fiel("draw", "--n", "10")
    assert result.exit_code == 0, result.output
    assert sample(project)["rubric"] == "rag"


def test_a_census_and_rare_classes_are_said(fiel, project):
    """More than there is becomes a census, with the criteria on which one class is too rare to tell."""
    result = fiel("draw", "--n", "400")
    assert result.exit_code == 0, result.output
    assert "a census" in result.stderr
    assert sample(project)["design"]["kind"] == "census"
    assert "by the judge's verdict, of " in result.stderr


def test_by_field_and_by_nothing_that_is_there(fiel, table, tmp_path):
    """A field of the items makes strata; an unknown one is answered with the nearest."""
    rows = [(f"q{i}", "Who?", f"Person {i}.", "abc"[i % 3]) for i in range(300)]
    table("answers.csv", ("id", "question", "answer", "route"), rows)
    assert fiel("init", "answers.csv").exit_code == 0
    result = fiel("draw", "--n", "10", "--by", "route", "--allocation", "proportional")
    assert result.exit_code == 0, result.output
    assert sorted(s["drawn"] for s in sample(tmp_path)["design"]["strata"]) == [3, 3, 4]
    wrong = fiel("draw", "x", "--by", "rout")
    assert wrong.exit_code == 2
    assert "did you mean 'route'" in wrong.stderr


def test_a_top_up_is_declared(fiel, project):
    """More items are drawn into the same strata by what the sample was drawn by, and the stage is written down."""
    assert fiel("draw", "--n", "10", "--by", "verdict", "--criterion", "grounded", "--reason", "a pilot").exit_code == 0
    first = sample(project)
    result = fiel("draw", "--top-up", "--n", "6", "--reason", "too wide")
    assert result.exit_code == 0, result.output
    assert "first: 6 of 40 items drawn, 16 in all, by verdict of grounded (judge floor)" in result.stdout
    now = sample(project)
    assert now["subjects"][:10] == first["subjects"]
    assert now["design"]["stages"] == [6]
    assert now["design"]["planned"] == 10
    assert now["design"]["reason"] == "a pilot; top-up of 6: too wide"
    assert sum(now["design"]["weights"].values()) == pytest.approx(40)
    assert fiel("draw", "--top-up", "--seed", "3").exit_code == 2


def test_a_top_up_of_changed_beliefs_is_refused(fiel, project):
    """Where an item has changed since the draw, nothing is added and the file stays as it was."""
    assert fiel("draw", "--n", "10").exit_code == 0
    before = (project / "samples" / "first.json").read_bytes()
    path = next((project / "items").iterdir())
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8")
    result = fiel("draw", "--top-up", "--n", "6")
    assert result.exit_code == 2
    assert "have changed since it was drawn" in result.stderr
    assert (project / "samples" / "first.json").read_bytes() == before


def test_the_first_judge_that_has_judged_is_taken_unless_another_is_named(fiel, project):
    """With two judges, one of which has judged, its beliefs are used; naming the other draws at random."""
    with (project / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write(MORE)
    assert "(judge floor)" in fiel("draw", "one", "--n", "10").stdout
    assert "at random" in fiel("draw", "two", "--n", "10", "--judge", "second").stdout
    wrong = fiel("draw", "three", "--judge", "secnd")
    assert wrong.exit_code == 2
    assert "did you mean 'second'" in wrong.stderr


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "con", "x" * 80, ""])
def test_a_name_stays_in_its_folder(fiel, project, name):
    """A name that is no plain name of a file is refused before anything is written."""
    before = set(project.parent.rglob("*"))
    result = fiel("draw", name, "--n", "10")
    assert result.exit_code == 2
    assert "cannot be the name of a sample" in result.stderr
    assert [path for path in set(project.parent.rglob("*")) - before if path.is_file()] == []
