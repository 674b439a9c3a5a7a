"""What goes into a project's report: people, disagreements with their texts, judge cards, the sample, the blind log."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiel.store.project import Project


def written(project: Path) -> dict[str, Any]:
    """The report's figures, as the last command left them."""
    return json.loads((project / "reports" / "report.json").read_text(encoding="utf-8"))


@pytest.fixture
def report(fiel, project: Path) -> dict[str, Any]:
    """The report of a plain label file."""
    assert fiel("validate", "labels.csv").exit_code == 0
    return written(project)


def test_a_report_brings_people_and_their_sample(report):
    """Both raters with each other, and of how many labels on how many items it is."""
    people = report["people"][0]
    assert people["raters"] == ["ana", "bo"]
    assert people["criteria"][0]["agreement"]["value"] == 1.0
    sample = report["samples"][0]
    assert (sample["name"], sample["items"], sample["labels"]) == ("label files", 30, 240)
    assert sample["rubric"] == report["validations"][0]["rubric_digest"]


def test_disagreements_come_with_their_texts(fiel, project):
    """Each case is one of the listed disagreements, with question, context and answer of the item, surest first."""
    labels = (project / "labels.csv").read_text(encoding="utf-8")
    (project / "labels.csv").write_text(re.sub(r"(?m)^(q[1-3],grounded,\w+),yes", r"\1,no", labels), encoding="utf-8")
    assert fiel("validate", "labels.csv").exit_code == 0
    report = written(project)
    items = {item.id: item for item in Project.open(project).items()}
    assert {case["work"]["item"] for case in report["cases"]} == {"q1", "q2", "q3"}
    listed = report["validations"][0]["criteria"][0]["disagreements"]
    assert [case["work"]["item"] for case in report["cases"]] == listed
    for case in report["cases"]:
        item, work = items[case["work"]["item"]], case["work"]
        assert (case["question"], case["context"], case["answer"]) == (item.input, item.context, item.output)
        assert (work["criterion"], work["gold"], work["answers"]) == ("grounded", "no", {"ana": "no", "bo": "no"})
        assert (work["judges"][0]["judge"], work["judges"][0]["answer"]) == ("floor", "yes")


def test_a_judge_without_a_model_has_a_card(report):
    """Its identity is that of the figures, it says when it last judged, and which command judges again."""
    (card,) = report["judges"]
    assert card["identity"] == report["validations"][0]["identity"]
    assert (card["kind"], card["judgements"], card["model"]) == ("no model", 160, None)
    assert card["command"] == "fiel judge --judge floor"
    assert re.match(r"\d{4}-\d\d-\d\dT", card["served"][0]["last"])


def test_who_looked_stands_in_the_blind_log(fiel, project, study):
    """A look while people label is in the report that it made, with who, when and the command."""
    study()
    assert fiel("validate", "labels.csv", "--unblind", "--as", "eva").exit_code == 0
    (seen,) = written(project)["samples"][0]["seen"]
    assert (seen["by"], seen["command"]) == ("eva", "fiel validate labels.csv")
    assert seen["what"] == "results, while study first was open"
    page = (project / "reports" / "report.html").read_text(encoding="utf-8")
    assert "results, while study first was open" in page


def test_a_judge_that_was_asked_twice_is_held_against_itself(fiel, project):
    """Second answers, kept under another number, are compared with the first and change none of the other figures."""
    assert fiel("validate", "labels.csv").exit_code == 0
    before = written(project)
    config = project / "fiel.toml"
    config.write_text(config.read_text().replace('kind = "baseline"', 'kind = "baseline"\nsamples = 2'))
    opened = Project.open(project)
    with opened.judgements() as store:
        first = store.read(judge="floor")
        store.add([msgspec.structs.replace(judgement, replicate=1) for judgement in first[:80]])
    assert fiel("validate", "labels.csv").exit_code == 0
    after = written(project)
    (rerun,) = after["reruns"]
    assert {pair["agreement"]["value"] for pair in rerun["criteria"].values()} == {1.0}
    assert sum(pair["n"] for pair in rerun["criteria"].values()) <= 80
    assert before["reruns"] == []
    assert after["validations"] == before["validations"]


def test_the_card_of_a_language_model_is_enough_to_ask_again(fiel, tmp_path):
    """The demo's second judge: model, settings, whole prompt, one request as it was sent, what it took, who served."""
    assert fiel("demo").exit_code == 0
    report = written(tmp_path / "fiel-demo")
    card = next(card for card in report["judges"] if card["judge"] == "tiny")
    assert card["kind"] == "language model"
    assert card["settings"]["max_tokens"] == 300
    assert card["settings"]["temperature"] == 0.0
    assert "{answer}" in card["prompt"]
    assert card["asked"][-1]["role"] == "user"
    item = next(item for item in Project.open(tmp_path / "fiel-demo").items() if item.id == card["asked_of"])
    assert item.output in card["asked"][-1]["content"]
    assert card["calls"] == 120
    assert card["input"] > card["output"] > 0
    assert card["served"][0]["judgements"] == 480
    assert [(pair["judge_a"], pair["judge_b"]) for pair in report["between"]] == [("floor", "tiny")]
