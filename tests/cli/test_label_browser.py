"""The whole of a study as people do it: drawn, labelled by two raters in a browser, adjudicated, frozen, validated."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fiel.cli import _demo
from fiel.records import Item
from fiel.store.labels import LabelStore
from fiel.store.project import Project

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LINK = re.compile(r"^(\w+), (?:rater|adjudicator): (http\S+)$")
STATE = """() => ({
  ended: Boolean(document.querySelector("main.ended, main.finished")),
  at: document.querySelector("section.item")?.dataset.place ?? document.querySelector("section.item")?.dataset.cell,
  ready: !document.querySelector("main.loading"),
  criterion: document.querySelector(".card.focused .criterion")?.textContent,
  text: [...document.querySelectorAll("section.item .text")].map((part) => part.textContent),
})"""


class Seen(NamedTuple):
    """What a person sees: where, which question, and of which item."""

    ended: bool
    at: str | None
    criterion: str
    item: Item | None


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium."""
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install fiel[test]")
    path = CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium")
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  an optional package

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def gold(fiel: Callable[..., Any], tmp_path: Path) -> dict[str, dict[str, str]]:
    """The demo as a project, judged, and the truth by item and criterion."""
    _demo.make(tmp_path)
    assert fiel("judge", "-q").exit_code == 0
    rows = csv.DictReader((tmp_path / "gold.csv").read_text(encoding="utf-8").splitlines())
    return {row["item"]: row for row in rows}


@pytest.fixture
def links(fiel: Callable[..., Any], gold: Any, tmp_path: Path) -> Iterator[dict[str, str]]:
    """60 items drawn, served; Ctrl-C at the end leaves with 0."""
    assert fiel("draw").exit_code == 0
    people = ("--rater", "ana", "--rater", "ben", "--adjudicator", "carla")
    process = subprocess.Popen(
        [sys.executable, "-m", "fiel", "label", *people, "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        found = dict(match.groups() for _ in range(3) if (match := LINK.match(process.stdout.readline())))
        assert set(found) == {"ana", "ben", "carla"}
        yield found
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.communicate()


class Person:
    """Somebody at a page: sees, and presses keys."""

    def __init__(self, browser: Any, address: str, items: list[Item]) -> None:
        self.items = items
        self.errors: list[str] = []
        self.page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        self.page.set_default_timeout(60_000)  # a shared disk may stand still for a while
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("section.item .text, main.ended")

    def see(self) -> Seen:
        """The place, the question and the item on the screen; the item is known by its texts alone."""
        found = self.page.evaluate(STATE)
        if not found["ready"]:
            self.page.wait_for_selector("main:not(.loading)")
            return self.see()
        if found["ended"]:
            return Seen(ended=True, at=None, criterion="", item=None)
        texts = set(found["text"])
        item = next(i for i in self.items if {i.input, i.context, i.output} <= texts)
        return Seen(ended=False, at=found["at"], criterion=found["criterion"], item=item)

    def leave(self) -> None:
        """Wait until all is saved, and go."""
        self.page.wait_for_selector('.state[data-kind="saved"]')
        assert self.errors == []
        self.page.context.close()


def label(person: Person, answer: Callable[[str, str], str]) -> dict[tuple[str, str, str], str]:
    """Answer whatever is asked, by keys: what was pressed, by place, criterion and item."""
    pressed: dict[tuple[str, str, str], str] = {}
    while not (seen := person.see()).ended:
        assert seen.item is not None
        assert seen.at is not None
        said = answer(seen.item.id, seen.criterion)
        pressed[seen.at, seen.criterion, seen.item.id] = said
        person.page.keyboard.press("1" if said == "no" else "2")
    person.leave()
    return pressed


def adjudicate(person: Person, answer: Callable[[str, str], str]) -> int:
    """Decide whatever is in the queue, each as a rater's slip: how many."""
    count = 0
    while not (seen := person.see()).ended:
        assert seen.item is not None
        person.page.keyboard.press("1" if answer(seen.item.id, seen.criterion) == "no" else "2")
        person.page.keyboard.press("l")
        person.page.keyboard.press("Control+Enter")
        person.page.wait_for_function(
            "at => document.querySelector('main.finished') || document.querySelector('.item').dataset.cell !== at",
            arg=seen.at,
        )
        count += 1
    person.leave()
    return count


def test_sixty_items_from_the_draw_to_the_verdict(fiel, gold, links, browser, tmp_path):
    """Two raters label 60 drawn items, a third decides what they split on, and the frozen set holds just that.

    Each key is kept for the item that was on the screen; the decisions are gold; validate agrees with the truth that
    was planted in the demo.
    """
    items = Project.open(tmp_path).items()
    drawn = set(json.loads((tmp_path / "samples" / "first.json").read_text(encoding="utf-8"))["subjects"])
    other = {"no": "yes", "yes": "no"}
    slips = {(subject, "complete") for subject in sorted(drawn)[::7]}

    def truth(subject: str, criterion: str) -> str:
        return gold[subject][criterion]

    def slipping(subject: str, criterion: str) -> str:
        right = truth(subject, criterion)
        return other[right] if (subject, criterion) in slips else right

    for rater, answer in (("ana", truth), ("ben", slipping)):
        pressed = label(Person(browser, links[rater], items), answer)
        assert {item for _, _, item in pressed} == drawn
        assert len(pressed) == 4 * 63  # three hidden repeats
        with LabelStore.open(tmp_path / ".fiel" / "labels.db") as book:
            kept = {
                (str(given.place), given.label.criterion, given.label.subject): given.label.answer
                for given in book.givens("first", rater=rater)
            }
        assert kept == pressed
    assert adjudicate(Person(browser, links["carla"], items), truth) == len(slips) == 9
    refused = fiel("validate", "labels.csv")
    assert refused.exit_code == 2
    closed = fiel("label", "--close")
    assert f"raters split on {len(slips)} answers (complete {len(slips)}); {len(slips)} decided" in closed.stdout
    frozen = fiel("freeze")
    assert frozen.exit_code == 0, frozen.output
    assert "60 items, 2 raters" in frozen.stdout
    assert "less time than it takes to read them" in frozen.stderr  # nobody reads as fast as a program types
    result = fiel("validate", "first")
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "reports" / "report.json").read_text(encoding="utf-8"))
    with Project.open(tmp_path).judgements(must_exist=True) as store:
        said = {(j.subject, j.criterion) for j in store.read(judge="floor") if j.verdict is not None}
    for criterion in report["validations"][0]["criteria"]:
        funnel = criterion["funnel"]
        assert (funnel["labelled"], funnel["unresolved"]) == (60, 0)
        name = criterion["criterion"]
        planted = [gold[subject][name] for subject in drawn if (subject, name) in said]
        assert [sum(row) for row in criterion["confusion"]] == [planted.count("no"), planted.count("yes")]
