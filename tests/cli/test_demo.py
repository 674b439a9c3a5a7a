"""The demo: a whole project, offline, that says what is simulated and can be checked against its planted faults."""

from __future__ import annotations

import csv
import json
import socket
from pathlib import Path

import pytest

from fiel.store.judgements import JudgementStore


@pytest.fixture
def demo(fiel, monkeypatch: pytest.MonkeyPatch):
    """The demo, run with the network off."""

    def refuse(*_: object) -> None:
        raise OSError("the network is off")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return fiel("demo")


def test_the_demo_does_the_main_job(demo, tmp_path):
    """It ends with 0 and the path of a report that exists, and shows every command that it ran."""
    assert demo.exit_code == 0, demo.output
    report = Path(demo.stdout.strip().splitlines()[-1].removeprefix("Report: "))
    assert (tmp_path / report).is_file()
    for command in ("init answers.csv", "judge", "validate labels.csv", "estimate labels.csv", "gate labels.csv"):
        assert f"$ fiel {command}" in demo.stdout
    assert "Traceback" not in demo.output


def test_the_second_judge_is_replayed_and_real(demo, tmp_path):
    """Every recorded reply fits the question that is asked now, and gives a belief from a model's log-probabilities."""
    report = json.loads((tmp_path / "fiel-demo" / "reports" / "report.json").read_text())
    assert [v["judge"] for v in report["validations"]] == ["floor", "tiny"]
    assert "tiny: 120 calls" in demo.stderr
    with JudgementStore.open(tmp_path / "fiel-demo" / ".fiel" / "judgements.db") as store:
        kept = store.read(judge="tiny")
    assert len(kept) == 480
    assert {j.belief.source for j in kept if j.belief is not None} == {"logprobs"}
    assert {j.status for j in kept} == {"ok"}
    assert all(0 < j.belief.captured < 1 for j in kept if j.belief is not None)


def test_a_cost_that_nobody_knows_is_not_nothing(demo, tmp_path):
    """The second judge's model has no price: its card has calls and tokens, and no cost, not even of 0."""
    report = json.loads((tmp_path / "fiel-demo" / "reports" / "report.json").read_text())
    card = next(card for card in report["judges"] if card["judge"] == "tiny")
    assert (card["calls"], card["input"] > 0) == (120, True)
    assert (card.get("cost"), card.get("priced", 0)) == (None, 0)


def test_the_simulated_raters_are_called_simulated(demo, tmp_path):
    """Terminal, JSON and page each say that the raters are no people."""
    assert "SIMULATED" in demo.stdout
    report = json.loads((tmp_path / "fiel-demo" / "reports" / "report.json").read_text())
    assert "simulated" in report["simulated"]
    assert report["validations"][0]["raters"] == ["simulated-1", "simulated-2"]
    assert "simulated" in (tmp_path / "fiel-demo" / "reports" / "report.html").read_text()


def test_the_page_asks_nothing_of_the_network(demo, tmp_path):
    """The report holds no address of a script, style, picture or font elsewhere."""
    page = (tmp_path / "fiel-demo" / "reports" / "report.html").read_text()
    for mark in ('src="http', "src='http", "@import", "url(http", 'rel="stylesheet"', "<script src"):
        assert mark not in page


def test_items_and_gold_are_as_promised(demo, tmp_path):
    """120 items, half in each language, each with gold by construction, every fault and every class present."""
    folder = tmp_path / "fiel-demo"
    items = [json.loads(line) for line in (folder / "items" / "answers.jsonl").read_text().splitlines()]
    assert len(items) == 120
    assert sum(item["fields"]["language"] == "es" for item in items) == 60
    gold = list(csv.DictReader((folder / "gold.csv").read_text().splitlines()))
    assert {row["item"] for row in gold} == {item["id"] for item in items}
    assert {row["fault"] for row in gold} == {
        "good",
        "good_abstention",
        "invented_number",
        "missing_part",
        "wrong_abstention",
        "contradiction",
        "fluent_wrong",
    }
    for criterion in ("grounded", "complete", "no_inventions", "abstains_well"):
        assert sum(row[criterion] == "no" for row in gold) >= 15


def test_the_faults_cannot_be_read_from_the_items(demo, tmp_path):
    """Nothing that a judge is given says which fault was planted."""
    text = (tmp_path / "fiel-demo" / "items" / "answers.jsonl").read_text()
    for word in ("invented", "fault", "gold", "contradiction", "abstention"):
        assert f'"{word}' not in text


def test_the_corrected_intervals_hold_the_planted_truth(demo, tmp_path):
    """On the seeded demo at least three of the four corrected 95 % intervals hold the rate that was planted."""
    report = json.loads((tmp_path / "fiel-demo" / "reports" / "report.json").read_text())
    gold = list(csv.DictReader((tmp_path / "fiel-demo" / "gold.csv").read_text().splitlines()))
    held = 0
    for rate in [rate for rate in report["rates"] if rate["judge"] == "floor"]:
        truth = sum(row[rate["criterion"]] == "yes" for row in gold) / len(gold)
        held += rate["estimate"]["low"] <= truth <= rate["estimate"]["high"]
    assert held >= 3
