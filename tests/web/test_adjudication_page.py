"""The adjudication page in a real browser: blind until decided, decided by keys, taken back by one."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from fiel.records import Criterion, Rubric

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install fiel[test]")

RUBRIC = Rubric(
    id="r", criteria=(Criterion(id="grade", question="How good?", options=("bad", "fair", "good"), scale="ordinal"),)
)


def ready(page: Any) -> None:
    """Until a cell is shown."""
    page.locator(".rater").first.wait_for()


def saved(page: Any) -> None:
    """Until everything has arrived."""
    page.locator('.state[data-kind="saved"]').wait_for()


def cell(page: Any) -> int:
    """The cell that is shown."""
    return int(page.locator(".item").get_attribute("data-cell"))


@pytest.fixture
def split(site, items):
    """Three raters over six items: five split, one agrees; `ann` adjudicates and is a rater too."""
    study = site(subjects=items(6), rubric=RUBRIC, raters=("ann", "bertha", "carlos"), adjudicator="ann")
    for rater in study.study.raters:
        token = study.tokens[rater]
        places = study.request("GET", "/api/places?start=0&count=50", token=token).json["places"]
        for place in places:
            number = int(place["parts"][0]["text"].split()[-1].rstrip("?"))
            answer = "good" if number == 5 else {"ann": "bad", "bertha": "bad", "carlos": "good"}[rater]
            entry = {"key": uuid4().hex, "seconds": 0.5 if rater == "carlos" else 9, "answer": answer}
            if rater == "carlos" and number == 0:
                entry |= {"note": "clear to me", "evidence": [{"part": "output", "start": 0, "end": 5}]}
            assert study.put(f"/api/labels/{place['place']}/0", token, entry).status == 200
    return study


def test_names_are_nowhere_before_the_decision(split, opens):
    """Test 46: neither the page nor the API names a rater before the decision; letters differ from cell to cell."""
    study = split
    token = study.adjudicator
    queue = study.request("GET", "/api/queue", token=token)
    numbers = [entry["n"] for entry in queue.json["queue"]]
    assert len(numbers) == 5
    cells = [study.request("GET", f"/api/cells/{n}", token=token) for n in numbers]
    for answer in (queue, *cells):
        assert not any(name in answer.body for name in (b"bertha", b"carlos", b"secret-"))
    of_carlos = {next(card["letter"] for card in one.json["cards"] if card["answer"] == "good") for one in cells}
    assert len(of_carlos) > 1
    assert {card["fast"] for card in cells[0].json["cards"]} == {True, False}
    page = opens(study.bench)
    ready(page)
    assert "bertha" not in page.content()
    assert "carlos" not in page.content()
    assert page.locator(".rater-head > span:first-child").all_text_contents() == ["Rater A", "Rater B", "Rater C"]
    assert page.locator(".names").count() == 0


def test_a_decision_by_keys_reveals_names_and_can_be_taken_back(split, opens):
    """Test 46: digits and letters decide, Ctrl+Enter saves and goes on, names are told then, `U` takes it back."""
    study = split
    page = opens(study.bench)
    ready(page)
    first = cell(page)
    assert "You were one of the raters" in page.locator(".card .warn").text_content()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    assert "Choose a reason" in page.locator(".notice").text_content()
    page.keyboard.press("l")
    page.keyboard.press("Control+Enter")
    saved(page)
    ready(page)
    assert cell(page) != first
    assert page.locator(".queue .lead").text_content() == "1 of 5 decided"
    (decided,) = study.store.decisions("demo")
    made = decided.decision
    assert (made.answer, made.by, made.reason, made.own) == ("bad", "ann", "rater slip", True)
    assert made.before == ("bad", "bad", "good")
    assert made.at
    page.keyboard.press("ArrowLeft")
    page.locator(".names").wait_for()
    assert "carlos" in page.locator(".names").text_content()
    page.keyboard.press("u")
    saved(page)
    assert cell(page) == first
    page.locator(".names").wait_for(state="detached")
    assert study.store.decisions("demo")[0].decision.reason is None
    page.keyboard.press("r")
    saved(page)
    assert study.store.decisions("demo")[0].decision.reason == "rater slip"
    assert [one.version for one in study.store.decision_history("demo")] == [1, 2, 3]


def test_nobodys_answer_needs_a_note_and_a_true_split_no_answer(split, opens):
    """Test 46: an answer that no rater gave wants a note; a true split keeps all answers and comes without one."""
    study = split
    page = opens(study.bench)
    ready(page)
    page.keyboard.press("2")
    page.keyboard.press("g")
    page.keyboard.press("Control+Enter")
    assert "nobody's answer" in page.locator(".notice").text_content()
    page.keyboard.type("the rubric has no word for it")
    page.keyboard.press("Control+Enter")
    saved(page)
    ready(page)
    page.keyboard.press("3")
    page.keyboard.press("t")
    assert page.locator('.options [aria-checked="true"]').count() == 0
    page.keyboard.press("Control+Enter")
    saved(page)
    made = {one.decision.reason: one.decision for one in study.store.decisions("demo")}
    assert (made["rubric gap"].answer, made["rubric gap"].why) == ("fair", "the rubric has no word for it")
    assert made["true split"].answer is None
    assert made["true split"].shares == pytest.approx({"bad": 2 / 3, "good": 1 / 3})


def test_the_queue_is_worked_off_with_filters_and_two_windows(split, opens):
    """All cells are decided one after another; a stale window is asked before it overwrites a decision."""
    study = split
    address = study.bench
    page = opens(address)
    ready(page)
    stale = opens(address, context=page.context)
    ready(stale)
    assert stale.locator("mark[data-letters]").count() + page.locator(".cells button").count() >= 5
    page.bring_to_front()
    page.locator(".chip", has_text="flagged").click()
    assert page.locator(".cells button").count() == 0
    page.locator(".chip", has_text="all").click()
    for _ in range(5):
        ready(page)
        page.keyboard.press("1")
        page.keyboard.press("a")
        page.keyboard.press("Control+Enter")
    page.locator(".finish h1").wait_for()
    saved(page)
    assert page.locator(".finish h1").text_content() == "All of these are decided."
    assert len(study.store.decisions("demo")) == 5
    stale.bring_to_front()
    stale.keyboard.press("3")
    stale.keyboard.press("l")
    stale.keyboard.press("Control+Enter")
    stale.locator("dialog").wait_for()
    stale.keyboard.press("o")
    saved(stale)
    assert {one.decision.answer for one in study.store.decisions("demo")} == {"bad"}
