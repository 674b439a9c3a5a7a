"""Slow disks, and answers of the server that come late, twice, in another order, cut off or never."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from fiel.records import Criterion, Rubric

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install fiel[test]")

NEVER = """
IDBObjectStore.prototype.%s = () => ({});
"""
NEVER_OPENS = """
indexedDB.open = () => ({});
"""
HASTE = """
const real = setTimeout;
window.setTimeout = (act, pause) => real(act, pause === 2000 ? 50 : pause);
"""
LOG_CELLS = """
window.seen = [];
addEventListener("keydown", (event) => {
  const text = document.querySelector(".part-input .text");
  if (event.key === "Enter" && getComputedStyle(text).visibility === "visible")
    window.seen.push(`secret-${/\\d+/.exec(text.textContent)[0]}`);
}, { capture: true });
"""
GRADES = Rubric(
    id="r", criteria=(Criterion(id="grade", question="How good?", options=("bad", "fair", "good"), scale="ordinal"),)
)


class Held:
    """Requests that wait in a browser's network until they are let go; each may reach the server before."""

    def __init__(self, page: Any, pattern: str, *, method: str = "PUT", first: bool = False) -> None:
        self.routes: list[tuple[Any, Any]] = []
        self.open = False
        self.page = page

        def hold(route: Any) -> None:
            if self.open or route.request.method != method:
                route.continue_()
            else:
                self.routes.append((route, route.fetch() if first else None))

        page.route(pattern, hold)

    def wait(self, count: int = 1) -> None:
        """Until so many wait."""
        until(self.page, lambda: len(self.routes) >= count)

    def let_go(self, *, last_first: bool = False, **answer: Any) -> None:
        """Let them go, and all that come later; with an answer that was made up where one is given."""
        self.open = True
        for route, response in self.routes[:: -1 if last_first else 1]:
            if answer:
                route.fulfill(**answer)
            elif response is not None:
                route.fulfill(response=response)
            else:
                route.continue_()
        self.routes.clear()


def until(page: Any, true: Callable[[], bool]) -> None:
    """Wait for something that is not on the page."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def refusal(status: int = 422) -> dict[str, Any]:
    """An answer of the server that takes nothing."""
    return {"status": status, "content_type": "application/json", "body": json.dumps({"error": "not so", "fix": None})}


def ready(page: Any) -> None:
    """Until an item or a cell is shown."""
    page.locator(".option").first.wait_for()


def saved(page: Any) -> None:
    """Until everything has arrived."""
    page.locator('.state[data-kind="saved"]').wait_for()


def visit(opens: Any, address: str, script: str) -> Any:
    """The page there, in a browser changed by a script."""
    page = opens("about:blank")
    page.add_init_script(script)
    page.goto(address)
    return page


def history(study: Any) -> list[tuple[int, int, str | None, bool]]:
    """All versions of all answers of `ann`: place, version, answer and flag."""
    kept = study.store.history("demo", rater="ann")
    return sorted((one.place, one.version, one.label.answer, one.label.flag) for one in kept)


# The disk.


def test_a_disk_that_stands_still_holds_no_answer_up(site, opens):
    """What the browser's database never does keeps no answer from the server, and no later one of the same item."""
    study = site()
    page = visit(opens, study.link("ann"), NEVER % "put")
    ready(page)
    page.keyboard.press("f")
    page.keyboard.press("1")
    page.keyboard.press("2")
    saved(page)
    assert history(study) == [(0, 1, None, True), (0, 2, "no", True), (1, 1, "yes", False)]


def test_a_database_that_does_not_open_keeps_nobody_waiting(site, opens):
    """A page whose database does not open begins without it after a while."""
    study = site()
    page = opens("about:blank")
    page.add_init_script(NEVER_OPENS)
    page.clock.install()
    page.goto(study.link("ann"))
    for _ in range(100):
        page.clock.fast_forward(1000)
        if page.locator(".option").count():
            break
    page.keyboard.press("1")
    saved(page)
    assert history(study) == [(0, 1, "no", False)]


def test_an_old_answer_that_is_sent_twice_hides_no_later_one(site, opens):
    """What is left in the browser though it was kept long ago is not taken for what stands."""
    study = site()
    page = visit(opens, study.link("ann"), NEVER % "delete")
    ready(page)
    page.keyboard.press("1")
    saved(page)
    page.close()
    later = {"key": "k", "seconds": 1, "answer": "yes"}
    assert study.put("/api/labels/0/0", study.tokens["ann"], later, version=1).status == 200
    page = opens(study.link("ann") + "#1", context=page.context)
    page.locator('[aria-checked="true"]', has_text="yes").wait_for()
    saved(page)
    page.keyboard.press("1")
    saved(page)
    assert page.locator("dialog").count() == 0
    assert history(study) == [(0, 1, "no", False), (0, 2, "yes", False), (0, 3, "no", False)]


def test_what_is_done_in_the_last_moment_is_kept(site, opens):
    """An answer, and a note that is still being written, outlive a page that is closed at once."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("n")
    page.keyboard.type("half a tho")
    page.reload()
    ready(page)
    until(page, lambda: bool(study.standing("ann")))
    study.stop()
    page.evaluate(
        """() => {
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", code: "Digit1", bubbles: true }));
          location = "about:blank";
        }"""
    )
    page.wait_for_url("about:blank")
    study.start()
    page.goto(study.link("ann"))
    ready(page)
    until(page, lambda: len(history(study)) == 2)
    assert [one.label.note for one in study.standing("ann").values()] == ["half a tho"]
    assert history(study)[-1] == (0, 2, "no", False)


# The network.


def test_an_answer_that_does_not_come_from_the_server_saves_nothing(site, opens):
    """A page of somebody between, or an answer that is cut off, is neither an acknowledgement nor an item."""
    study = site()
    page = opens("about:blank")
    page.add_init_script(HASTE)
    login = {"status": 200, "content_type": "text/html", "body": "<h1>Log in to this network</h1>"}
    for address in ("**/api/places?*", "**/api/labels/**"):
        page.route(address, lambda route: route.fulfill(**login), times=1)
    page.goto(study.link("ann"))
    ready(page)
    page.keyboard.press("1")
    page.locator('.state[data-kind="offline"]').wait_for()
    saved(page)
    assert history(study) == [(0, 1, "no", False)]


def test_an_answer_that_always_fails_holds_no_other_up(site, opens):
    """Where the server fails on one answer again and again, later ones of other items arrive."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    page.route("**/api/labels/0/0", lambda route: route.fulfill(**refusal(503)))
    page.keyboard.type("12", delay=300)
    page.keyboard.press("1")
    until(page, lambda: len(history(study)) == 2)
    page.unroute_all(behavior="ignoreErrors")
    saved(page)
    assert [place for place, *_ in history(study)] == [0, 1, 2]


def test_a_failure_after_a_refusal_does_not_end_the_sending(site, opens):
    """Of two answers under way one meets a closed door and the other a failing server: both are sent again."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    first, second = Held(page, "**/api/labels/0/0"), Held(page, "**/api/labels/1/0")
    page.keyboard.type("12")
    first.wait()
    second.wait()
    first.let_go(**refusal(401))
    page.locator('.state[data-kind="refused"]').wait_for()
    second.let_go(**refusal(503))
    saved(page)
    assert history(study) == [(0, 1, "no", False), (1, 1, "yes", False)]


def test_what_is_changed_and_undone_under_way_stands_in_its_order(site, opens):
    """Changes and undoing before the first acknowledgement come are kept one upon the other."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    held = Held(page, "**/api/labels/**", first=True)
    page.keyboard.press("1")
    held.wait()
    for key in "u2uuf":
        page.keyboard.press(key)
    held.let_go()
    saved(page)
    assert page.locator("dialog").count() == 0
    assert [one[1:] for one in history(study)] == [
        (1, "no", False),
        (2, None, False),
        (3, "yes", False),
        (4, None, False),
        (5, None, True),
    ]


def test_a_conflict_settles_all_that_waits(site, opens):
    """Of several changes that wait on another answer, all stand upon it in their order, or none."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    held = Held(page, "**/api/labels/**")
    page.keyboard.type("f2f2")
    held.wait(2)
    for place in range(2):
        other = {"key": f"k{place}", "seconds": 1, "answer": "no"}
        assert study.put(f"/api/labels/{place}/0", study.tokens["ann"], other).status == 200
    held.let_go()
    page.locator("dialog", has_text="item 1").wait_for()
    page.keyboard.press("m")
    page.locator("dialog", has_text="item 2").wait_for()
    page.keyboard.press("o")
    saved(page)
    assert history(study) == [(0, 1, "no", False), (0, 2, None, True), (0, 3, "yes", True), (1, 1, "no", False)]


def test_items_that_come_late_take_no_answer_before(site, opens, items):
    """Keys and addresses that run ahead of what was read wait for it, and answer nothing unseen."""
    study = site(subjects=items(60))
    page = opens("about:blank")
    held = Held(page, "**/api/places?start=50*", method="GET")
    page.goto(study.link("ann"))
    ready(page)
    page.evaluate("location.hash = '#60'")
    page.locator("main.loading").wait_for(state="attached")
    page.keyboard.type("12s")
    held.wait()
    held.let_go()
    page.locator('.item[data-place="59"]').wait_for()
    page.keyboard.press("2")
    saved(page)
    assert history(study) == [(59, 1, "yes", False)]


# What the server refuses.


def test_what_is_answered_while_a_refused_item_is_read_again_stands(site, opens):
    """A refused answer is taken back however often reading fails; what was read before a new one is old."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    refused = Held(page, "**/api/labels/0/0")
    page.keyboard.press("1")
    refused.wait()
    page.keyboard.press("ArrowLeft")
    reading = Held(page, "**/api/places?start=0&count=1", method="GET", first=True)
    refused.let_go(**refusal())
    reading.wait()
    page.keyboard.press("2")
    until(page, lambda: len(history(study)) == 1)
    page.keyboard.press("ArrowLeft")
    reading.let_go()
    page.wait_for_timeout(100)
    assert page.locator('[aria-checked="true"] .label > span').text_content() == "yes"
    page.keyboard.press("f")
    saved(page)
    assert page.locator("dialog").count() == 0
    assert history(study) == [(0, 1, "yes", False), (0, 2, "yes", True)]


def test_a_refused_answer_counts_as_none_once_the_server_is_there_again(site, opens):
    """Where reading a refused item fails at first, it is read until it is there, and cannot be done again by `R`."""
    study = site()
    page = visit(opens, study.link("ann"), HASTE)
    ready(page)
    page.route("**/api/places?*", lambda route: route.abort(), times=1)
    page.route("**/api/labels/**", lambda route: route.fulfill(**refusal()), times=1)
    page.keyboard.press("1")
    page.locator(".count", has_text="0 of 8").wait_for()
    page.keyboard.press("u")
    page.keyboard.press("r")
    assert page.locator(".count").text_content() == "0 of 8"
    assert history(study) == []


def test_a_refusal_leaves_a_note_that_is_being_written(site, opens):
    """What is refused meanwhile takes neither the note nor the keyboard: its letters stay letters."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    held = Held(page, "**/api/labels/**")
    page.keyboard.press("f")
    page.keyboard.press("n")
    page.keyboard.type("sf")
    page.keyboard.press("ArrowLeft")
    held.wait()
    held.let_go(**refusal())
    page.locator('button[aria-pressed="false"]', has_text="Flag").wait_for()
    page.keyboard.type("u1")
    page.keyboard.press("Escape")
    saved(page)
    (given,) = study.standing("ann").values()
    assert (given.label.note, given.label.flag, given.label.answer) == ("su1f", False, None)


def test_a_conflict_waits_for_a_note_to_be_written(site, opens):
    """The question that nobody called for chooses nothing by the letters of a note."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    other = {"key": "k", "seconds": 1, "answer": "no"}
    assert study.put("/api/labels/0/0", study.tokens["ann"], other).status == 200
    held = Held(page, "**/api/labels/**")
    page.keyboard.press("2")
    held.wait()
    page.keyboard.press("n")
    held.let_go()
    page.locator('.state[data-kind="conflict"]').wait_for()
    page.keyboard.type("so many", delay=60)
    assert page.locator("dialog").count() == 0
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for()
    page.keyboard.press("m")
    saved(page)
    notes = [(place, given.label.note, given.label.answer) for (_, place, _), given in study.standing("ann").items()]
    assert notes == [(0, None, "yes"), (1, "so many", None)]


def test_a_study_closed_meanwhile_takes_no_skip_and_no_undo(site, opens):
    """What is chosen in a dialog, or undone, after the study was closed changes nothing on the page."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("1")
    saved(page)
    held = Held(page, "**/api/labels/**")
    page.keyboard.press("f")
    held.wait()
    page.keyboard.press("s")
    study.store.close_study("demo")
    held.let_go()
    page.locator('.state[data-kind="closed"]').wait_for()
    page.keyboard.press("1")
    page.keyboard.press("u")
    page.keyboard.press("u")
    assert page.locator(".item").get_attribute("data-place") == "1"
    assert page.locator(".count").text_content() == "1 of 8"


def test_a_link_that_opens_nothing_any_more_takes_no_keys(site, opens, items):
    """Where the page says so, what was shown before is answered no more."""
    study = site(subjects=items(60))
    page = opens("about:blank")
    held = Held(page, "**/api/places?start=50*", method="GET")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.goto(study.link("ann"))
    ready(page)
    held.wait()
    held.let_go(**refusal(401))
    page.locator("main.alone").wait_for()
    page.keyboard.type("12")
    page.wait_for_timeout(100)
    assert "PUT" not in asked


# The adjudicator.


@pytest.fixture
def split(site, items):
    """Two raters over four items, each split."""
    study = site(subjects=items(4), rubric=GRADES, adjudicator="zoe")
    for rater, answer in (("ann", "bad"), ("bob", "good")):
        for place in range(4):
            entry = {"key": f"{rater}{place}", "seconds": 9, "answer": answer}
            assert study.put(f"/api/labels/{place}/0", study.tokens[rater], entry).status == 200
    return study


def decide(page: Any, keys: str) -> None:
    """Press keys, and save."""
    for key in keys:
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")


def decisions(study: Any) -> list[tuple[str, str | None, str | None]]:
    """All versions of all decisions: the item, the answer and the reason."""
    return [(d.decision.subject, d.decision.answer, d.decision.reason) for d in study.store.decision_history("demo")]


def test_keys_decide_the_cell_on_the_screen(split, opens):
    """While the next cell is on its way, though it was read in advance by then, nothing is decided unseen."""
    page = opens("about:blank")
    page.add_init_script(LOG_CELLS)
    held = Held(page, "**/api/cells/1", method="GET", first=True)
    page.goto(split.bench + "#1")
    ready(page)
    held.wait()
    decide(page, "1l")
    page.wait_for_timeout(200)  # for another reading, beside the one in advance
    advance, response = held.routes.pop(0)
    advance.fulfill(response=response)
    page.wait_for_timeout(200)
    decide(page, "3a")
    held.let_go()
    saved(page)
    assert {subject for subject, *_ in decisions(split)} <= set(page.evaluate("window.seen"))


def test_a_cell_that_does_not_come_is_asked_for_again(split, opens):
    """After a failing network the next cell is shown by itself."""
    page = visit(opens, split.bench, HASTE)
    ready(page)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("ArrowRight")
    page.locator('.item[data-cell="1"]:visible').wait_for()
    page.wait_for_load_state("networkidle")
    page.route("**/api/cells/3", lambda route: route.abort(), times=1)
    page.locator('.cells [data-n="3"]').click()
    page.locator('.item[data-cell="3"]:visible').wait_for()


def test_reading_a_decided_cell_again_takes_no_key_and_no_note(split, opens):
    """While and after the names are read for the cell on the screen, keys decide it and a note goes on."""
    page = opens(split.bench)
    ready(page)
    decide(page, "1l")
    page.locator('.item[data-cell="1"]:visible').wait_for()
    saved(page)
    page.wait_for_load_state("networkidle")
    held = Held(page, "**/api/cells/0", method="GET", first=True)
    page.keyboard.press("u")
    page.locator('.item[data-cell="0"]:visible').wait_for()
    held.wait()
    page.keyboard.press("3")
    assert page.locator('[aria-checked="true"]').text_content().endswith("good")
    page.keyboard.press("n")
    page.keyboard.type("abc")
    held.let_go()
    page.locator(".names").wait_for(state="detached")
    page.keyboard.type("lat")
    assert page.locator("#decision-note").input_value() == "abclat"
    assert page.locator('[aria-checked="true"]').text_content().endswith("good")
    assert page.locator('.reasons [aria-pressed="true"]').count() == 0


def test_cells_that_come_in_another_order_leave_the_latest(split, opens):
    """What was read before a later decision arrived does not stand against it."""
    page = opens(split.bench)
    ready(page)
    page.wait_for_load_state("networkidle")
    held = Held(page, "**/api/cells/0", method="GET", first=True)
    decide(page, "1l")
    saved(page)
    page.keyboard.press("ArrowLeft")
    held.wait()
    page.keyboard.press("u")
    until(page, lambda: len(decisions(split)) == 2)
    held.wait(2)
    held.let_go(last_first=True)
    page.locator('.item[data-cell="0"]:visible').wait_for()
    page.wait_for_timeout(200)
    decide(page, "3l")
    saved(page)
    assert page.locator("dialog").count() == 0
    assert [answer for _, answer, _ in decisions(split)] == ["bad", None, "good"]


def test_a_refused_decision_leaves_the_adjudicator_where_he_is(split, opens):
    """What is refused is told, and is open again; the cell on the screen and its note stay."""
    page = opens(split.bench)
    ready(page)
    held = Held(page, "**/api/cells/0")
    decide(page, "1l")
    held.wait()
    page.locator('.item[data-cell="1"]:visible').wait_for()
    page.keyboard.press("n")
    page.keyboard.type("abc")
    held.let_go(**refusal())
    page.locator('.cells [data-n="0"][data-state="open"]').wait_for()
    page.wait_for_timeout(100)
    page.keyboard.type("lat")
    assert page.locator("#decision-note").input_value() == "abclat"
    assert page.locator(".item").get_attribute("data-cell") == "1"
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    assert decisions(split) == []


def test_a_refusal_before_the_page_is_there_is_told(split, opens):
    """What an earlier page left, and the server refuses, is told once the queue is there."""
    page = opens(split.bench)
    ready(page)
    page.route("**/api/cells/0", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    decide(page, "1l")
    page.locator('.state[data-kind="offline"]').wait_for()
    page.unroute_all(behavior="ignoreErrors")
    page.route("**/api/cells/0", lambda r: r.fulfill(**refusal()) if r.request.method == "PUT" else r.continue_())
    held = Held(page, "**/api/queue", method="GET")
    page.reload()
    held.wait()
    page.wait_for_timeout(200)
    held.let_go()
    page.locator(".notice", has_text="Cell 1: not so").wait_for()


def test_two_conflicts_are_two_questions(split, opens):
    """Where two decisions meet others at once, a key settles the one that is told."""
    page = opens(split.bench)
    ready(page)
    held = Held(page, "**/api/cells/*")
    for n, keys in enumerate(("1l", "3l")):
        page.locator(f'.item[data-cell="{n}"]:visible').wait_for()
        decide(page, keys)
    held.wait(2)
    for n, answer in enumerate(("good", "bad")):
        other = {"key": f"k{n}", "answer": answer, "reason": "rubric gap"}
        assert split.put(f"/api/cells/{n}", split.adjudicator, other).status == 200
    held.let_go()
    page.locator("dialog").first.wait_for()
    page.wait_for_timeout(200)
    dropped = page.locator("dialog").last.locator("dd").first.text_content()
    page.keyboard.press("o")
    page.locator('.state[data-kind="conflict"]').wait_for()
    page.locator("dialog").wait_for()
    page.keyboard.press("m")
    saved(page)
    (kept,) = {"bad", "good"} - {dropped.split(" ")[0]}
    assert [answer for _, answer, reason in decisions(split) if reason == "rater slip"] == [kept]
