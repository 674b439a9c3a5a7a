"""Pictures of reports for the docs; without arguments of the demo's report, into docs/pictures.

    python scripts/report_pictures.py [--into FOLDER] [REPORT.html | TABLES ...]

TABLES is a folder of tidy tables as `fiel import` takes it. Of such a set only figures are pictured, none of its texts:
data of others is not kept in this repository. Needs playwright (`fiel[test]`) and Chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


class Shot(NamedTuple):
    """What a picture shows: a window, a mode, and the section that it begins at; None for the first screen."""

    name: str
    width: int
    height: int
    scheme: str
    section: str | None = None


SHOTS = (
    Shot("first-screen", 1280, 900, "light"),
    Shot("agreement", 1280, 900, "light", "agreement"),
    Shot("calibration", 1280, 900, "dark", "calibration"),
    Shot("phone", 390, 844, "dark"),
)


FIGURES = (SHOTS[0], SHOTS[1])


def main() -> None:
    """Take every picture of every report that is named, or of the demo."""
    parser = argparse.ArgumentParser(description="Take pictures of reports for the docs.")
    parser.add_argument("reports", nargs="*", type=Path, help="HTML reports or folders of tables")
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder of the pictures")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        named = [(*found(path.resolve(), made), path.is_dir()) for path in given.reports]
        if not named:
            run("demo", str(made / "demo"))
            named = [("demo", made / "demo" / "reports" / "report.html", False)]
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, report, foreign in named:
            for shot in FIGURES if foreign else SHOTS:
                take(browser, report, shot, given.into / f"{name}-{shot.name}.png")
        browser.close()


def found(path: Path, made: Path) -> tuple[str, Path]:
    """The name of a report and its file; of tables the one that is made of them in the folder `made`."""
    if path.is_file():
        return path.parents[1].name, path
    project = made / path.name
    run("import", str(path), "-p", str(project))
    run("validate", "-p", str(project))
    return path.name, project / "reports" / "report.html"


def run(*words: str) -> None:
    """Run fiel."""
    subprocess.run([sys.executable, "-m", "fiel", *words], check=True, capture_output=True)  # noqa: S603  our own program


def take(browser: Any, report: Path, shot: Shot, into: Path) -> None:
    """One picture of one report; none where the report has no such section."""
    page = browser.new_page(viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme)
    page.goto(report.resolve().as_uri())
    place = page.locator(f"section[aria-labelledby={shot.section}]") if shot.section else None
    if place is None or place.count():
        if place is not None:
            place.evaluate("(section) => section.scrollIntoView()")
        page.screenshot(path=str(into))
        print(into)
    page.close()


if __name__ == "__main__":
    main()
