"""`fiel freeze`, and what `validate`, `estimate` and `gate` make of a frozen set and of an open study."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fiel.measures import draw
from fiel.store.frozen import read_set
from fiel.store.labels import LabelStore
from fiel.store.project import Project

GATE = """
[[gates]]
name = "grounded"
judge = "floor"
criterion = "grounded"
at_least = 0.99
"""


def right(subject: str, criterion: str) -> str:
    """What is true of the items of the small project: every fourth answer names a wrong year."""
    return "no" if criterion in {"grounded", "no_inventions"} and int(subject[1:]) % 4 == 0 else "yes"


def report(project: Path) -> dict:
    """The figures of the last report, of criterion *grounded* and the whole."""
    return json.loads((project / "reports" / "report.json").read_text(encoding="utf-8"))


def grounded(project: Path) -> dict:
    """The validation of *grounded*."""
    return next(c for c in report(project)["validations"][0]["criteria"] if c["criterion"] == "grounded")


def looks(project: Path, name: str = "first") -> list[dict]:
    """Every use of a frozen set, wherever beside it the list lies."""
    (path,) = (project / "calibration").glob("**/looks.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def drawn(project: Path) -> list[str]:
    """The subjects of the sample, in its order."""
    found: list[str] = json.loads((project / "samples" / "first.json").read_text(encoding="utf-8"))["subjects"]
    return found


def differs(apart: set[str]) -> Callable[[str, str], str]:
    """What is true, but the contrary of it on *grounded* for some subjects."""
    other = {"yes": "no", "no": "yes"}
    return lambda subject, c: other[right(subject, c)] if subject in apart and c == "grounded" else right(subject, c)


@pytest.fixture
def closed(fiel, project, study, answers) -> dict[str, str]:
    """A closed study of 30 items that two raters agree on."""
    tokens = study(30)
    for rater in ("ana", "ben"):
        answers(tokens[rater], right)
    assert fiel("label", "first", "--close").exit_code == 0
    return tokens


def test_a_closed_study_becomes_a_set_that_is_validated(fiel, project, closed):
    """Digest, counts and the next command are told, the files lie in calibration/first, and validate takes the name."""
    result = fiel("freeze")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("first@")
    assert "30 items, 2 raters" in result.stdout
    assert "240 answers, 0 skips" in result.stdout
    assert "Next: fiel validate first" in result.stderr
    folder = project / "calibration" / "first"
    assert {"manifest.json", "items.jsonl", "README.md"} <= {path.name for path in folder.iterdir()}
    assert {path.name for path in (folder / "labels").iterdir()} == {"ana.jsonl", "ben.jsonl"}
    checked = fiel("validate", "first")
    assert checked.exit_code == 0, checked.output
    assert (grounded(project)["funnel"]["labelled"], grounded(project)["raters"]) == (30, 2)


def test_the_weights_of_the_draw_are_in_the_export(fiel, project, closed):
    """The design, its weights among it, is in the set's files as it was in the sample's."""
    assert fiel("freeze").exit_code == 0
    weights = json.loads((project / "samples" / "first.json").read_text(encoding="utf-8"))["design"]["weights"]
    text = "".join(path.read_text(encoding="utf-8") for path in (project / "calibration" / "first").glob("*.json"))
    assert sum(weights.values()) == pytest.approx(40)
    assert json.dumps(dict(sorted(weights.items())), separators=(",", ":")) in text.replace(" ", "").replace("\n", "")


def test_weighted_accuracy_is_that_of_all_items(project):
    """Over 400 seeds, accuracy weighed by the design is off by less than 0.01 from that of all items."""
    opened = Project.open(project)
    items, rubric = opened.items(), opened.rubric("rag")
    with opened.judgements() as store:
        said = [j for j in store.read(judge="floor") if j.replicate == 0]
    hit = {j.subject: j.verdict == right(j.subject, "grounded") for j in said if j.criterion == "grounded"}
    found = []
    for seed in range(400):
        sample = draw(items, rubric, said, name="s", n=16, by="verdict", criterion="grounded", seed=seed).sample
        weights = sample.design.weights or dict.fromkeys(sample.subjects, 40 / 16)
        found.append(sum(hit[subject] * weight for subject, weight in weights.items()) / 40)
    assert abs(sum(found) / len(found) - sum(hit.values()) / 40) < 0.01


def test_splits_are_counted_and_not_dropped(fiel, project, study, answers, decides):
    """Of 30 items with 9 split all 30 stay, 9 unresolved; adjudication gives gold to all and changes those alone."""
    tokens = study(30)
    apart = set(drawn(project)[:9])
    answers(tokens["ana"], right)
    answers(tokens["ben"], differs(apart))
    closing = fiel("label", "--close", "--anyway")
    assert "raters split on 9 answers (grounded 9); 0 decided" in closing.stdout
    frozen = fiel("freeze")
    assert "grounded         30 items labelled, 9 split, 0 of them decided" in frozen.stdout
    assert "9 split answers stay split: none is dropped" in frozen.stderr
    assert fiel("validate", "first").exit_code == 0
    funnel = grounded(project)["funnel"]
    assert (funnel["labelled"], funnel["unresolved"], funnel["both"]) == (30, 9, 21)


def test_adjudication_changes_what_it_decided_and_nothing_else(fiel, project, study, answers, decides):
    """With the nine decided, gold stands on all 30 and the other 21 agree as before."""
    tokens = study(30)
    apart = set(drawn(project)[:9])
    answers(tokens["ana"], right)
    answers(tokens["ben"], differs(apart))
    assert decides(tokens["carla"], lambda _: ("no", "rater slip")) == 9
    frozen = fiel("freeze", "--close")
    assert frozen.exit_code == 0, frozen.output
    assert "9 of them decided" in frozen.stdout
    assert "stay split" not in frozen.stderr
    assert fiel("validate", "first").exit_code == 0
    result = grounded(project)
    assert (result["funnel"]["unresolved"], result["funnel"]["both"]) == (0, 30)
    gold_no = sum(result["confusion"][0])
    untouched = set(drawn(project)) - apart
    assert gold_no == 9 + sum(right(subject, "grounded") == "no" for subject in untouched)


def test_a_rater_with_two_labels_is_named_and_weighs_two(fiel, project, study, answers):
    """Somebody with two answers is told as such, and moves agreement by no more than two items can."""
    tokens = study(30, raters=("ana", "ben", "zoe"))
    for rater in ("ana", "ben"):
        answers(tokens[rater], right)
    few = drawn(project)[:2]
    other = {"yes": "no", "no": "yes"}
    answers(tokens["zoe"], lambda s, c: other[right(s, c)] if s in few and c == "grounded" else None)
    assert fiel("freeze", "--close", "--anyway").exit_code == 0
    result = fiel("validate", "first")
    assert "zoe (2)" in result.stdout + result.stderr
    assert grounded(project)["agreement"]["n"] == 30
    weights = json.loads((project / "samples" / "first.json").read_text(encoding="utf-8"))["design"]["weights"]
    theirs = sum(weights[subject] for subject in few) / sum(weights.values())
    assert grounded(project)["ceiling"]["value"] == pytest.approx(1 - theirs * 2 / 3)


def test_freezing_is_refused_while_answers_come_in_and_when_there_are_none(fiel, project, study, answers):
    """An open study, one without answers, a sample without a study: each is named, nothing is written or closed."""
    unknown = fiel("freeze")
    assert unknown.exit_code == 2
    tokens = study(10)
    still = fiel("freeze")
    assert still.exit_code == 2
    assert "still takes answers" in still.stderr
    empty = fiel("freeze", "--close")
    assert empty.exit_code == 2
    assert "Nobody has answered anything" in empty.stderr
    answers(tokens["ana"], right)  # it was not closed by that
    assert fiel("freeze", "--close", "--anyway").exit_code == 0
    assert not (project / "calibration" / "second").exists()


def test_a_second_freeze_is_refused(fiel, project, closed):
    """The set that is there stays as it is, byte for byte, and its sample gets no further stage."""
    assert fiel("freeze").exit_code == 0
    before = {path: path.read_bytes() for path in (project / "calibration").rglob("*") if path.is_file()}
    for typed in (("freeze",), ("draw", "--top-up", "--n", "2")):
        again = fiel(*typed)
        assert again.exit_code == 2
        assert "'first' is frozen" in again.stderr
    assert {path: path.read_bytes() for path in (project / "calibration").rglob("*") if path.is_file()} == before


def test_an_edited_byte_is_refused_by_the_name_of_the_file(fiel, project, closed):
    """A label that was changed by hand in the set stops every verb that takes it."""
    assert fiel("freeze").exit_code == 0
    path = project / "calibration" / "first" / "labels" / "ana.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"yes"', '"no"', 1), encoding="utf-8")
    for verb in ("validate", "estimate"):
        result = fiel(verb, "first")
        assert result.exit_code == 2
        assert "ana.jsonl" in result.stderr


def test_every_use_is_counted(fiel, project, closed, monkeypatch):
    """validate, estimate and gate each leave a line with who and what was typed; $FIEL_USER names who."""
    with (project / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write(GATE)
    assert fiel("freeze").exit_code == 0
    assert fiel("validate", "first").exit_code == 0
    monkeypatch.setenv("FIEL_USER", "release job")
    assert fiel("estimate", "first").exit_code == 0
    assert fiel("gate", str(Path("calibration") / "first")).exit_code in {1, 3}
    found = looks(project)
    assert [look["command"].split()[1] for look in found] == ["validate", "estimate", "gate"]
    assert [look["by"] for look in found] == [getpass.getuser(), "release job", "release job"]
    assert fiel("validate").exit_code == 0  # the only set there is
    assert len(looks(project)) == 4


def test_labels_of_a_text_that_has_changed_are_left_out(fiel, project, closed):
    """An item whose text changes after the freeze no longer counts, and it is said which."""
    assert fiel("freeze").exit_code == 0
    path = next((project / "items").iterdir())
    lines = path.read_text(encoding="utf-8").splitlines()
    subjects = drawn(project)
    place = next(i for i, line in enumerate(lines) if json.loads(line)["id"] in subjects)
    item = json.loads(lines[place])
    lines[place] = json.dumps(item | {"output": "It was never built."})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert fiel("judge").exit_code == 0
    result = fiel("validate", "first")
    assert result.exit_code == 0, result.output
    assert f"text that has changed since ({item['id']})" in result.stderr
    assert grounded(project)["funnel"]["labelled"] == 29
    frozen = read_set(project / "calibration" / "first").digest  # what is cited is what can be found
    assert report(project)["validations"][0]["calibration_set"] == frozen
    assert report(project)["samples"][0]["digest"] == frozen


def test_an_open_study_keeps_results_shut(fiel, project, study, answers):
    """validate, and show of a drawn item, are refused without --unblind; other items and aggregates are not."""
    with (project / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write(GATE)
    study(30)
    subjects = drawn(project)
    free = next(f"q{i}" for i in range(40) if f"q{i}" not in subjects)
    for typed in (("validate", "labels.csv"), ("show", subjects[0])):
        result = fiel(*typed)
        assert result.exit_code == 2
        assert "--unblind" in result.stderr
        assert result.stdout == ""
    assert not (project / "reports").exists()
    assert fiel("show", free).exit_code == 0
    assert fiel("estimate", "labels.csv").exit_code == 0
    gate = fiel("gate", "labels.csv")
    assert gate.exit_code in {1, 3}
    assert not any(f"q{i}" in gate.stdout for i in range(40))
    shown = fiel("estimate", "labels.csv", "--format", "json")
    assert '"evidence":["' not in shown.stdout.replace(" ", "")
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.unblindings("first") == []


def test_a_look_is_written_down_and_later_labels_are_left_out(fiel, project, study, answers):
    """--unblind leaves who, when and the command; what that person answers later is not blind, is told and left out.

    The other rater's labels stay; those that the person gave before stay too.
    """
    tokens = study(30)
    early = set(drawn(project)[:10])
    answers(tokens["ana"], right)
    answers(tokens["ben"], lambda s, c: right(s, c) if s in early else None)
    looked = fiel("validate", "labels.csv", "--unblind", "--as", "ben")
    assert looked.exit_code == 0, looked.output
    assert "unblinded" in looked.stderr
    answers(tokens["ben"], lambda s, c: None if s in early else right(s, c))
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        (entry,) = book.unblindings("first")
    assert (entry.by, entry.command) == ("ben", "fiel validate labels.csv")
    assert entry.at.startswith("20")
    frozen = fiel("freeze", "--close")
    assert frozen.exit_code == 0, frozen.output
    assert "80 of 240 labels were given after their rater had seen results" in frozen.stderr
    result = fiel("validate", "first")
    assert "80 of 240 labels of first are left out" in result.stderr
    assert "80 of 240 labels of first are left out" in (project / "reports" / "report.html").read_text(encoding="utf-8")
    ceiling = grounded(project)["ceiling"]
    assert ceiling["n"] == 10


def test_who_looks_is_the_user_unless_it_is_said(fiel, project, study, monkeypatch):
    """Without --as it is $FIEL_USER, and without that the user of the machine."""
    study(10)
    assert fiel("validate", "labels.csv", "--unblind").exit_code == 0
    monkeypatch.setenv("FIEL_USER", "deputy")
    subjects = drawn(project)
    assert fiel("show", subjects[0], "--unblind").exit_code == 0
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        found = book.unblindings("first")
    assert [entry.by for entry in found] == [getpass.getuser(), "deputy"]
    assert found[1].command == f"fiel show {subjects[0]}"


def test_reading_too_fast_is_said_and_nobody_is_left_out(fiel, project, study, answers):
    """A rater who answers in less time than reading takes is named with counts; the labels stay."""
    tokens = study(30)
    answers(tokens["ana"], right)
    answers(tokens["ben"], right, seconds=0.01)
    result = fiel("freeze", "--close")
    assert "ben answered 30 of 30 items in less time than it takes to read them" in result.stderr
    assert "ana answered" not in result.stderr
    assert "240 answers" in result.stdout


def test_names_that_mean_nothing_are_answered(fiel, project, closed):
    """A name that is neither a file nor a set is told apart from both, with the sets that there are."""
    assert fiel("freeze").exit_code == 0
    result = fiel("validate", "frist")
    assert result.exit_code == 2
    assert "first" in result.stderr


def test_a_top_up_has_to_be_labelled_before_the_sample_is_frozen(fiel, project, study, answers):
    """The chances in the design are those of the whole: a set of its first stage alone is refused."""
    tokens = study(12)
    for rater in ("ana", "ben"):
        answers(tokens[rater], right)
    assert fiel("draw", "--top-up", "--n", "8").exit_code == 0
    early = fiel("freeze", "--close")
    assert early.exit_code == 2
    assert "8 items of 'first' were drawn in a top-up" in early.stderr


def test_a_set_whose_uses_are_damaged_is_used_with_a_warning(fiel, project, closed):
    """Half a line at the end of looks.jsonl, as a crash leaves it, is named; validate runs and counts its own use."""
    assert fiel("freeze").exit_code == 0
    (project / "calibration" / "first" / "looks.jsonl").write_bytes(b'{"at": "2026-')
    result = fiel("validate", "first")
    assert result.exit_code == 0, result.output
    assert "looks.jsonl, line 1, cannot be read" in result.stderr
    lines = (project / "calibration" / "first" / "looks.jsonl").read_bytes().split(b"\n")
    assert json.loads(lines[1])["command"] == "fiel validate first"


def test_a_sample_is_not_called_as_another_but_for_capitals(fiel, project, closed):
    """`First` beside `first` is refused when it is drawn, and a set that took its place before it closes anything."""
    drawn_again = fiel("draw", "First")
    assert drawn_again.exit_code == 2
    assert "differs in capitals alone" in drawn_again.stderr
    (project / "calibration" / "FIRST").mkdir(parents=True)
    result = fiel("freeze", "first")
    assert result.exit_code == 2
    assert "'first' differs in capitals alone from 'FIRST'" in result.stderr


def test_nothing_is_closed_for_a_set_that_cannot_be_written(fiel, project, study, answers):
    """Where the folder of the sets cannot be one, freeze --close says which and why, and the study takes answers."""
    tokens = study(5)
    for rater in ("ana", "ben"):
        answers(tokens[rater], right)
    (project / "calibration").write_text("x", encoding="utf-8")
    result = fiel("freeze", "first", "--close")
    assert result.exit_code == 2
    assert "calibration" in result.stderr
    assert "A part of its path is a file" in result.stderr
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.is_open("first")
