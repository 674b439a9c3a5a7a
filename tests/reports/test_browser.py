"""Test 45: the file opens from disk with the network off, in a real browser, and reads, folds, prints and speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fiel.reports import Report, to_html

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 23, 26)"
PAGES = 6  # of A4 for four criteria


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all tests."""
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install fiel[test]")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  where it is not installed the tests are skipped

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Opened:
    """A report in a tab without a network, with all that the browser had to say about it."""

    def __init__(self, browser: Any, file: Path, **view: Any) -> None:
        self.context = browser.new_context(offline=True, **view)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())


@pytest.fixture(scope="module")
def files(
    pages: dict[str, str], short: Report, hostile_page: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The reports as files."""
    folder = tmp_path_factory.mktemp("reports")
    texts = {**pages, "hostile": hostile_page, "short": to_html(short)}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.fixture
def opens(browser: Any, files: dict[str, Path]) -> Iterator[Any]:
    """Open a report by name."""
    made: list[Opened] = []

    def opened(name: str, **view: Any) -> Opened:
        made.append(Opened(browser, files[name], **view))
        return made[-1]

    yield opened
    for one in made:
        one.context.close()


@pytest.mark.parametrize("name", ["report", "spanish", "full", "hostile"])
def test_nothing_is_asked_and_nothing_is_complained_of(opens, name):
    """From disk with the network off: one file is read, no script runs, and the console stays empty."""
    one = opens(name)
    assert [url.partition(":")[0] for url in one.asked] == ["file"]
    assert one.said == []
    assert one.page.title() != "ran"


@pytest.mark.parametrize("width", [390, 820, 1280])
@pytest.mark.parametrize("name", ["full", "hostile"])
def test_no_page_scrolls_sideways(opens, name, width):
    """On a phone, a tablet and a screen the page is as wide as its window, folds opened; wide tables scroll alone."""
    page = opens(name, viewport={"width": width, "height": 800}).page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_chart_has_a_table_that_opens_from_the_keyboard(opens):
    """Each picture is followed by "show as table"; Enter opens it, and the table is seen."""
    page = opens("full").page
    folds = page.locator("details:has(> summary:text-is('show as table'))")
    pictures = page.locator("figure:not(.small), .diagrams")
    assert folds.count() == pictures.count() > 3
    for place in (0, folds.count() - 1):
        fold = folds.nth(place)
        assert not fold.locator("table").first.is_visible()
        fold.locator("summary").focus()
        page.keyboard.press("Enter")
        assert fold.locator("table").first.is_visible()


@pytest.mark.parametrize(("scheme", "paper"), [("light", LIGHT), ("dark", DARK)])
def test_the_page_follows_light_and_dark(opens, scheme, paper):
    """The ground is white or nearly black, and no letter or line of a picture has the colour of the ground."""
    page = opens("full", color_scheme=scheme).page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    drawn = page.evaluate(
        "[...document.querySelectorAll('figure svg text, figure svg path[fill]')]"
        ".filter((mark) => !['none', 'transparent'].includes(mark.getAttribute('fill')))"
        ".filter((mark) => mark.getClientRects().length).map((mark) => getComputedStyle(mark).fill)"
    )
    assert len(set(drawn)) >= 4
    assert paper not in drawn


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_nothing_serious_for_axe(opens, scheme, width):
    """axe-core finds nothing serious or critical, all folds opened, in both modes, on a phone and on a screen."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = opens("short", color_scheme=scheme, viewport={"width": width, "height": 900}).page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    found = axe.Axe().run(page).response["violations"]
    grave = [each for each in found if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], each["nodes"][0]["html"][:120]) for each in grave] == []


@pytest.mark.parametrize("name", ["report", "single"])
def test_four_criteria_print_on_six_pages(opens, name, tmp_path):
    """Printed to PDF, four criteria take at most six sheets of A4, with everything in it that a report can hold."""
    opens(name).page.pdf(path=str(tmp_path / "report.pdf"), prefer_css_page_size=True)
    printed = (tmp_path / "report.pdf").read_bytes()
    sheets = re.findall(rb"/Type\s*/Page\b(?!s)", printed)
    assert 1 <= len(sheets) <= PAGES
    assert re.search(rb"/MediaBox\s*\[\s*0 0 59[45][.\d]* 84[12]", printed)


def test_paper_has_no_fold_and_no_chart_without_colour(opens):
    """On paper what only opens on a screen is left out, and the pictures keep their light colours in dark mode."""
    page = opens("full", color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.locator("summary:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == LIGHT
    assert page.locator("figure:visible").count() > 1
