"""Pictures of reports for the docs; without arguments of the demo's report, into docs/pictures.

    python scripts/report_pictures.py [--into FOLDER] [REPORT.html ...]

Those in the docs show the demo, with its simulated raters: data of others is not kept in this repository. Reports of
imported sets can be named instead. Needs playwright (`fiel[test]`) and Chromium.
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


def main() -> None:
    """Take every picture of every report that is named, or of the demo."""
    parser = argparse.ArgumentParser(description="Take pictures of reports for the docs.")
    parser.add_argument("reports", nargs="*", type=Path, help="HTML reports; the demo's where none is named")
    parser.add_argument("--into", type=Path, default=PICTURES, help="the folder of the pictures")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        named = {path.resolve().parents[1].name: path for path in given.reports}
        if not named:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "demo"
            demo = [sys.executable, "-m", "fiel", "demo", str(folder)]
            subprocess.run(demo, check=True, capture_output=True)  # noqa: S603  our own program
            named = {"demo": folder / "reports" / "report.html"}
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, path in named.items():
            for shot in SHOTS:
                take(browser, path, shot, given.into / f"{name}-{shot.name}.png")
        browser.close()


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
