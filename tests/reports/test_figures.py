"""Each figure of a page against report.json: where it says that it stands, by the rule it says, nothing left out."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import pytest

from fiel.reports import to_json

VOID = {"meta", "wbr", "link", "br", "hr", "img", "input"}
OUTSIDE = {"code", "bdi", "time", "style", "svg", "title", "mark", "h1"}  # names, dates, pictures, the headline
OUTSIDE_CLASSES = {"terms", "data", "kicker", "lead"}
NUMBER = re.compile(r"(?<![A-Za-z])[−-]?\d[\d,.]*")


class Figure:
    """An element that names its place, with the text in it."""

    def __init__(self, address: str, rule: str) -> None:
        self.address, self.rule, self.text = address, rule, ""


class Page(HTMLParser):
    """The figures of a page, the texts of its pictures, and every number that names no place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, set[str], Figure | None]] = []
        self.figures: list[Figure] = []
        self.loose: list[str] = []
        self.drawn: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            return
        known = dict(attrs)
        figure = Figure(known["data-json"], known["data-rule"]) if "data-json" in known else None
        if figure:
            self.figures.append(figure)
        self.open.append((tag, set((known.get("class") or "").split()), figure))

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        inner = next((figure for _, _, figure in reversed(self.open) if figure), None)
        tags = {tag for tag, _, _ in self.open}
        if inner:
            inner.text += data
        elif "svg" in tags:
            self.drawn.append(data)
        elif not tags & OUTSIDE and not any(classes & OUTSIDE_CLASSES for _, classes, _ in self.open):
            self.loose += NUMBER.findall(data)


def read(page: str) -> Page:
    """The page, read to its end."""
    found = Page()
    found.feed(page)
    found.close()
    return found


def at(plain: Any, address: str) -> Any:
    """What stands at a pointer (RFC 6901) in a JSON document."""
    assert address.startswith("#/")
    for part in address.removeprefix("#/").split("/"):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        plain = plain[int(key)] if isinstance(plain, list) else plain[key]
    return plain


def decimals(number: float, places: int = 2) -> str:
    """A number with a real minus sign, and none on what rounds to zero."""
    text = f"{number:.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def with_sign(number: float) -> str:
    """A difference: its sign is always shown."""
    text = decimals(number)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def cautious(number: float) -> str:
    """A probability that is not rounded to certainty."""
    return ">0.99" if 0.99 < number < 1 else "<0.01" if 0 < number < 0.01 else decimals(number)


def limits(estimate: dict[str, Any]) -> str:
    """Both limits, or the one that there is."""
    if estimate["side"] == "both":
        return f"[{decimals(estimate['low'])}, {decimals(estimate['high'])}]"
    if estimate["side"] == "lower":
        return f"(at least {decimals(estimate['low'])})"
    return f"(at most {decimals(estimate['high'])})"


def setting(value: Any) -> str:
    """A setting, in words where it is yes, no or nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)


def listed(names: list[str]) -> str:
    """The first twelve of a list, and how many more there are."""
    return ", ".join(names[:12]) + (f" and {len(names) - 12:,} more" if len(names) > 12 else "")


WRITTEN = {
    "share": decimals,
    "small": lambda number: decimals(number, 3),
    "signed": with_sign,
    "given": lambda number: decimals(number) if round(number, 2) == number else f"{number:g}",
    "count": lambda number: f"{number:,}",
    "length": lambda held: f"{len(held):,}",
    "total": lambda held: f"{sum(held.values()):,}",
    "percent": lambda number: f"{100 * number:g} %",
    "seconds": lambda number: f"{number:,.0f} s" if number >= 9.95 else f"{number:.1f} s",
    "cost": lambda number: f"{number:,.2f}" if number >= 0.1 else str(float(f"{number:.2g}")),
    "probability": cautious,
    "limits": limits,
    "text": str,
    "sentence": lambda text: text.replace("*", ""),
    "setting": setting,
    "list": listed,
}


def expected(plain: Any, figure: Figure) -> str:
    """What has to stand on the page, written anew from the JSON."""
    value = at(plain, figure.address)
    if figure.rule.startswith("beyond-"):
        return f"{len(value) - int(figure.rule.removeprefix('beyond-')):,}"
    return WRITTEN[figure.rule](value)


def plainly(text: str) -> str:
    """On one line, with common spaces."""
    return " ".join(text.replace("\xa0", " ").split())


@pytest.mark.parametrize("which", ["report", "spanish", "full"])
def test_every_figure_is_the_one_in_the_json(which, pages, request):
    """Each element that names a place holds what the JSON has there, written by the rule that it names."""
    plain, page = json.loads(to_json(request.getfixturevalue(which))), read(pages[which])
    assert len(page.figures) > 60
    for figure in page.figures:
        assert plainly(figure.text) == plainly(expected(plain, figure)), figure.address


@pytest.mark.parametrize("which", ["report", "spanish", "full"])
def test_no_number_stands_on_the_page_without_its_place(which, pages):
    """Outside names, dates, pictures, headline and glossary, every number of the page names its place in the JSON."""
    assert read(pages[which]).loose == []


def test_pictures_show_numbers_of_the_page_alone(full_page):
    """Each number that a picture writes out is the text of a figure on the page, a mark of an axis, or the bar."""
    page = read(full_page)
    told = {plainly(figure.text) for figure in page.figures}
    axis = {"0", "0.25", "0.5", "0.75", "1", "bar 0.85"}
    written = {plainly(text) for text in page.drawn if re.search(r"\d", text)}
    figures = {text for text in written - axis if not re.fullmatch(r"[\d,]+", text)}
    counts = written - axis - figures
    assert counts
    assert figures
    assert counts <= told
    for text in figures:
        value, _, limits_ = text.partition(" ")
        assert {value, limits_} <= told, text


def test_all_parts_of_a_report_are_on_the_page(full, full_page):
    """Of every list of results something is shown: no part of the JSON is left to be read there alone."""
    found = {"/".join(re.sub(r"/\d+", "/#", figure.address).split("/")[:6]) for figure in read(full_page).figures}
    parts = [
        *("agreement", "probability", "ceiling", "difference", "coefficients", "kappa_ceiling", "fleiss_people"),
        *("scores", "errors", "calibrations", "slices", "confusion", "alt_test", "by_rater", "fleiss_with_judge"),
    ]
    for part in parts:
        assert any(address.startswith(f"#/validations/#/criteria/#/{part}") for address in found), part
    for part in ("people/#/criteria", "between/#/criteria", "reruns/#/criteria", "judges/#", "samples/#", "cases/#"):
        assert any(address.startswith(f"#/{part}") for address in found), part
    for part in ("estimate", "raw", "classical", "bias", "terms", "checks", "slices", "sentence"):
        assert any(address.startswith(f"#/rates/#/{part}") for address in found), part
    assert len(full.validations) == 2


def test_a_wrong_number_is_found(full, full_page):
    """The comparison can fail: a page whose first share is another digit does not agree with its JSON."""
    plain, page = json.loads(to_json(full)), read(full_page)
    share = next(figure for figure in page.figures if figure.rule == "share")
    share.text = "0.01" if share.text != "0.01" else "0.02"
    assert share.text != expected(plain, share)
