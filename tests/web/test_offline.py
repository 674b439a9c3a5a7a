"""The labelling page without a server, beside another tab, and while nobody looks: nothing is lost or overwritten."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install fiel[test]")

SLOW_DELETE = """
const real = IDBObjectStore.prototype.delete;
IDBObjectStore.prototype.delete = function (key) {
  const request = real.call(this, key);
  const slow = {};
  request.onsuccess = () => setTimeout(() => slow.onsuccess?.(), 3000);
  return slow;
};
"""
HIDE = """() => {
  Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOW = """() => {
  delete document.visibilityState;
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def ready(page: Any) -> None:
    """Until the first item is shown."""
    page.locator(".option").first.wait_for()


def saved(page: Any) -> None:
    """Until everything has arrived."""
    page.locator('.state[data-kind="saved"]').wait_for()


def state(page: Any, kind: str) -> str:
    """The words of the state, once it is this one."""
    found = page.locator(f'.state[data-kind="{kind}"]')
    found.wait_for()
    return found.text_content()


def test_answers_wait_for_a_server_that_is_gone(site, opens):
    """Test 9: five answers given while the server is down wait, arrive by themselves once it is back, and once each."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    page.keyboard.press("2")
    saved(page)
    study.stop()
    page.keyboard.type("12121", delay=10)
    assert state(page, "offline") == "Offline - 5 waiting"
    assert page.locator(".count").text_content() == "6 of 8"
    study.start()
    saved(page)
    given = {place: one.label.answer for (_, place, _), one in study.standing("ann").items()}
    assert given == {0: "yes", 1: "no", 2: "yes", 3: "no", 4: "yes", 5: "no"}
    assert len(study.store.history("demo", rater="ann")) == 6


def test_answers_survive_a_page_that_is_closed_before_they_arrive(site, opens):
    """Test 9: what waits lies in the browser's own database: a page opened later sends it, changes in their order."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    study.stop()
    page.keyboard.press("1")
    page.keyboard.press("u")
    page.keyboard.press("2")
    page.keyboard.press("1")
    assert state(page, "offline") == "Offline - 4 waiting"
    context = page.context
    page.close()
    study.start()
    later = opens(study.link("ann"), context=context)
    ready(later)
    assert later.locator(".count").text_content() == "2 of 8"
    saved(later)
    given = [(one.place, one.version, one.label.answer) for one in study.store.history("demo", rater="ann")]
    assert sorted(given) == [(0, 1, "no"), (0, 2, None), (0, 3, "yes"), (1, 1, "no")]


def test_an_answer_whose_acknowledgement_was_lost_is_kept_once(site, opens):
    """Test 9: a write that was kept but whose answer never arrived is sent again and makes no second version."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    dropped = []

    def drop_once(route: Any) -> None:
        if dropped:
            route.continue_()
            return
        dropped.append(route.fetch().status)
        route.abort("connectionreset")

    page.route("**/api/labels/**", drop_once)
    page.keyboard.press("1")
    state(page, "offline")
    saved(page)
    assert dropped == [200]
    assert [one.version for one in study.store.history("demo", rater="ann")] == [1]


@pytest.mark.parametrize(("key", "stands", "version"), [("m", "yes", 2), ("o", "no", 1)])
def test_a_stale_tab_asks_before_anything_is_overwritten(site, opens, key, stands, version):
    """Test 10: of two tabs the later one is told of the other answer and asked; what is chosen stands."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    stale = opens(study.link("ann"), context=page.context)
    ready(stale)
    page.bring_to_front()
    page.keyboard.press("1")
    saved(page)
    stale.bring_to_front()
    stale.keyboard.press("2")
    assert state(stale, "conflict") == "Needs a choice"
    assert stale.locator("dialog dd").all_text_contents() == ["yes", "no"]
    assert study.standing("ann")["ann", 0, "grounded"].label.answer == "no"
    stale.keyboard.press("2")  # somebody typing fast chooses nothing by that
    stale.keyboard.press("Escape")
    assert stale.locator("dialog").is_visible()
    stale.keyboard.press(key)
    saved(stale)
    given = study.standing("ann")["ann", 0, "grounded"]
    assert (given.label.answer, given.version) == (stands, version)
    stale.keyboard.press("ArrowLeft")
    assert stale.locator('[aria-checked="true"] .label > span').text_content() == stands


def test_the_same_answer_in_two_tabs_needs_no_question(site, opens):
    """Test 10: where both tabs say the same, nobody is asked and nothing is written twice."""
    study = site()
    page = opens(study.link("ann"))
    ready(page)
    stale = opens(study.link("ann"), context=page.context)
    ready(stale)
    for tab in (page, stale):
        tab.bring_to_front()
        tab.keyboard.press("1")
        saved(tab)
    assert stale.locator("dialog").count() == 0
    assert [one.version for one in study.store.history("demo", rater="ann")] == [1]


def test_a_slow_disk_makes_no_conflict_of_a_rater_with_himself(site, opens):
    """What was kept leaves the browser's database late: what is done to the same item meanwhile stands on it."""
    study = site()
    page = opens("about:blank")
    page.add_init_script(SLOW_DELETE)
    page.goto(study.link("ann"))
    ready(page)
    for version, key in enumerate("f12u", start=1):
        page.keyboard.press(key)
        deadline = time.monotonic() + 30
        while len(study.store.history("demo", rater="ann")) < version and time.monotonic() < deadline:
            page.wait_for_timeout(20)
        page.wait_for_timeout(100)  # the acknowledgement is there, and the database still busy
        if key == "1":
            page.keyboard.press("ArrowLeft")
    saved(page)
    assert page.locator("dialog").count() == 0
    history = [(one.version, one.label.answer, one.label.flag) for one in study.store.history("demo", rater="ann")]
    assert history == [(1, None, True), (2, "no", True), (3, "yes", True), (4, "no", True)]


def test_time_counts_while_the_page_is_seen_and_somebody_is_there(site, opens):
    """Test 13: 3 s visible and 5 s hidden are 3 s; five minutes without a sign of life are one."""
    study = site()
    page = opens("about:blank")
    page.clock.install(time=0)
    page.goto(study.link("ann"))
    ready(page)
    page.clock.pause_at(3600)  # from here on time goes by as it is told to
    page.keyboard.press("1")  # the clock of the second item starts here
    page.clock.run_for(3000)
    page.evaluate(HIDE)
    page.clock.run_for(5000)
    page.evaluate(SHOW)
    page.keyboard.press("2")
    page.clock.run_for(300_000)
    page.keyboard.press("1")
    saved(page)
    seconds = {place: one.label.seconds for (_, place, _), one in study.standing("ann").items()}
    assert seconds[1] == pytest.approx(3, abs=0.3)
    assert seconds[2] == pytest.approx(60, abs=0.3)
