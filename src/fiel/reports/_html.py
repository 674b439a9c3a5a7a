"""A report as one HTML file that opens from disk with the network off. Knows no file and computes nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from fiel.records import visible
from fiel.reports import _charts as charts
from fiel.reports import _numbers as numbers
from fiel.reports import _text as text
from fiel.reports import _view as view
from fiel.reports._bundle import Report

if TYPE_CHECKING:  # jinja2 takes a while to load: only who writes HTML pays for it
    from jinja2 import Environment
    from markupsafe import Markup


_LONG = 16  # letters of a word that a narrow column has no room for
_JOINTS = re.compile(r"(?<=\w[_/@-])(?=\w)")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A chart twice, for a wide column and for a phone, with the groups that its table repeats."""

    wide: Markup
    narrow: Markup
    groups: tuple[charts.Group, ...]


def to_html(report: Report) -> str:
    """The whole report as one page: no script, no address outside the file, every text from data escaped.

    The page answers first, draws agreement and rates as dots with their intervals, and then goes criterion by
    criterion. It follows the reader's light or dark mode, folds for a phone, and prints.
    """
    rows = view.rows(report)
    bars = {row.bar for row in rows if row.bar is not None}
    bar = min(bars) if len(bars) == 1 else None
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            rows=rows,
            several=len({row.judge for row in rows}) > 1,
            criteria=view.grouped(rows),
            checked=any(row.found for row in rows),
            rated=any(row.rate for row in rows),
            titles=view.titles(report),
            judges=view.judges_of(report),
            headlines=view.headlines(report),
            warnings=view.warnings(report),
            identities=view.identities(report),
            studies=view.studies(report),
            agreement=_figure(charts.agreement(rows), "Agreement by criterion", bar=bar),
            rates=_figure(charts.rates(rows), "Passing rate by criterion"),
        )
    )


def _figure(groups: tuple[charts.Group, ...], name: str, *, bar: float | None = None) -> Figure | None:
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    if not any(dot.estimate is not None and dot.estimate.value is not None for group in groups for dot in group.dots):
        return None  # a picture of nothing
    described = (
        f"{name}, as dots with their intervals on an axis from 0 to 1. The same numbers stand in the table below."
    )
    wide, narrow = charts.draw(groups, name=described, bar=bar)
    return Figure(
        wide=Markup(wide),  # noqa: S704  vl-convert escapes every text that it draws; a hostile one is tested
        narrow=Markup(narrow),  # noqa: S704  the same
        groups=groups,
    )


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  loaded when HTML is written

    environment = Environment(
        loader=PackageLoader("fiel.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "count": numbers.count,
        "share": numbers.share,
        "given": numbers.given,
        "signed": numbers.signed,
        "probability": numbers.probability,
        "limits": numbers.limits,
        "figure": numbers.figure,
        "shape": text.shape,
        "parts": text.parts,
        "excerpt": text.excerpt,
        "listing": text.listing,
        "steps": view.steps,
        "gates": view.gates,
        "name_of": view.name_of,
        "breaking": _breaking,
        "people_absent": view.people_absent,
        "verdict_of": view.verdict_of,
    }
    return environment


def _visible(value: Any) -> Any:
    """Every text that the page prints, with its control characters written out; markup of our own as it is."""
    return visible(value) if type(value) is str else value


def _breaking(said: str) -> Markup:
    """A text as it is, in which long words may break after an underscore, a hyphen and the like, not anywhere."""
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    words = re.split(r"(\s+)", visible(said))
    return Markup().join(Markup("<wbr>").join(_JOINTS.split(word)) if len(word) > _LONG else word for word in words)
