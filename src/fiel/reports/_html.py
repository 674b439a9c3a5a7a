"""A report as one HTML file that opens from disk with the network off. Knows no file and computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from fiel.measures import Calibration, CalibrationFigures, ReliabilityBin
from fiel.records import visible
from fiel.reports import _charts as charts
from fiel.reports import _lists as lists
from fiel.reports import _pages as pages
from fiel.reports import _shown as shown
from fiel.reports import _text as text
from fiel.reports import _view as view
from fiel.reports._bundle import Report
from fiel.reports._place import Place, down, entries, raw
from fiel.reports._reliability import reliability

if TYPE_CHECKING:  # jinja2 takes a while to load: only who writes HTML pays for it
    from jinja2 import Environment
    from markupsafe import Markup

_MEASURES = (
    ("distance on the average (ECE)", "ece", "small"),
    ("the same, smooth", "smooth_ece", "small"),
    ("the same squared, without what chance adds", "ece_debiased", "small"),
    ("log loss, in nats", "log_loss", "small"),
    ("Brier: unreliability", "terms.reliability", "small"),
    ("Brier: resolution", "terms.resolution", "small"),
    ("Brier: uncertainty", "terms.uncertainty", "small"),
)
_DRAWN = {
    "unknown": "nobody says how",
    "random": "at random",
    "stratified": "at random within strata",
    "census": "all of them",
    "convenience": "as they came to hand",
}


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A chart twice, for a wide column and for a phone, with all groups, of which a long one draws the first."""

    wide: Markup
    narrow: Markup
    groups: tuple[charts.Group, ...]
    cut: bool


class Diagram(msgspec.Struct, frozen=True, kw_only=True):
    """One set of probabilities with its pictures; None where there is none."""

    criterion: str
    judge: str
    calibration: Place
    name: str
    before: Markup | None
    after: Markup | None


def to_html(report: Report) -> str:
    """The whole report as one page: no script, no address outside the file, every text from data escaped.

    The page answers first, draws what has an interval as dots on one axis, and then goes criterion by criterion. It
    follows the reader's light or dark mode, folds for a phone, and prints. Every figure names its place in the JSON
    (`data-json`) and the rule by which it is written (`data-rule`). Long tables end and say so: a page does not grow
    with the number of judgements.
    """
    rows, root = view.rows(report), Place(report)
    parts = pages.parts_of(root, rows)
    lines = [line for part in parts for line in part.lines]
    told, raters = lists.told_by(lines), lists.labellers(root)
    sounding = [one for one in told if one.calibration.before]
    names = pages.judges_in(rows)
    bars = {row.bar for row in rows if row.bar is not None}
    return (
        _environment()
        .get_template("report.html")
        .render(
            root=root,
            at=lambda path: down(root, *path),
            parts=parts,
            lines=lines,
            rows=pages.ROWS,
            across=pages.ACROSS,
            names=names,
            several=len(names) > 1,
            depth=pages.depth_of(rows),
            checked=any(row.found for row in rows),
            rated=any(row.rate for row in rows),
            spoken=_language(report.language),
            titles=view.titles(report),
            judges=view.judges_of(report),
            headlines=view.headlines(report),
            warnings=lists.warnings_of(root),
            identities=() if report.judges else view.identities(report),
            studies=lists.studies_of(root),
            funnel=pages.funnel_of(lines),
            agreement=_figure(charts.agreement(rows), "Agreement", bar=min(bars) if len(bars) == 1 else None),
            chance=_figure(charts.beyond_chance(rows), "Agreement beyond chance"),
            rates=_figure(charts.rates(rows), "Passing rate"),
            diagrams=_diagrams(sounding),
            more_diagrams=len(sounding) > lists.DIAGRAMS,
            silent=lists.silent_in(told),
            rests=lists.rests_on(lines),
            assumed=_assumed(lines),
            again=lists.asked_again(root),
            raters=raters,
            timed=any(raw(one.rater.seconds) is not None for one in raters.shown),
            repeated=any(raw(one.rater.self_consistency) is not None for one in raters.shown),
            measures=_MEASURES,
            drawn=_DRAWN,
        )
    )


def _assumed(lines: Iterable[pages.Line]) -> tuple[Place, ...]:
    """What rates assume, each sentence once, where nobody says how it stands."""
    told = [sentence for line in lines if line.rate is not None for sentence in line.rate.assumptions]
    return tuple({raw(sentence): sentence for sentence in told}.values())


def _figure(groups: tuple[charts.Group, ...], name: str, *, bar: float | None = None) -> Figure | None:
    if not any(dot.estimate is not None and dot.estimate.value is not None for group in groups for dot in group.dots):
        return None  # a picture of nothing
    drawn = lists.beginning_of(groups)
    described = f"{name} by criterion, as dots with their intervals on one axis. The table below has the same numbers."
    wide, narrow = charts.draw(drawn, name=described, bar=bar)
    return Figure(wide=_picture(wide), narrow=_picture(narrow), groups=groups, cut=len(drawn) < len(groups))


def _diagrams(told: Sequence[lists.Told]) -> list[Diagram]:
    """The first reliability curves, as given and after the map."""
    found = []
    for one in told[: lists.DIAGRAMS]:
        known: Calibration = raw(one.calibration)
        name = f"{one.criterion}, {one.judge}, {known.name}: what was said against what happened"
        found.append(
            Diagram(
                criterion=one.criterion,
                judge=one.judge,
                calibration=one.calibration,
                name=visible(name),
                before=_curve(known.before, known, f"{name}, as given"),
                after=_curve(known.after, known, f"{name}, after a map"),
            )
        )
    return found


def _curve(figures: CalibrationFigures | None, known: Calibration, name: str) -> Markup | None:
    bins: Sequence[ReliabilityBin] = figures.bins if figures else ()
    if not bins:
        return None
    passing = known.target == "passing"
    said = "probability of passing that it gave" if passing else "probability of its answer that it gave"
    happened = "share that people let pass" if passing else "share of right answers"
    return _picture(reliability(bins, name=visible(f"{name}. The table below has it."), said=said, happened=happened))


def _picture(svg: str) -> Markup:
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    return Markup(svg)  # noqa: S704  vl-convert escapes every text that it draws; a hostile one is tested


def _language(name: str | None) -> Markup | str:
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    return Markup(' lang="{}"').format(visible(name)) if name else ""


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  loaded when HTML is written

    environment = Environment(
        loader=PackageLoader("fiel.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finished,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "raw": raw,
        "entries": entries,
        "missing": lambda place: raw(place) is None,
        "plain": lambda place: visible(str(raw(place))),
        "show": shown.show,
        "text": shown.text_of,
        "said": shown.said,
        "emphasised": shown.emphasised,
        "breaking": shown.breaking,
        "short": lambda place: shown.quoted(raw(place)),
        "excerpt": _excerpt,
        "measure": _measure,
        "shape": text.shape,
        "gates": view.gates,
        "name_of": view.name_of,
        "verdict_of": view.verdict_of,
        "people_absent": view.people_absent,
        "unscored_name": view.unscored_name,
        "meaning": pages.meaning,
        "stands_out": lambda table: any(part.differs for part in raw(table).slices),
    }
    return environment


def _finished(value: Any) -> Any:
    """Every text that the page prints, with its control characters written out; markup of our own as it is."""
    if isinstance(value, Place) or type(value) in {int, float}:
        raise TypeError(f"{value!r} is shown without a rule")
    return visible(value) if type(value) is str else value


def _excerpt(case: Place, field: str) -> Markup:
    """A text of a case, with what judges quote of it marked."""
    marks: Iterable[tuple[int, int]] = (
        (fragment.start, fragment.end)
        for judge in raw(case.work.judges)
        for fragment in judge.evidence
        if fragment.field == field and fragment.found
    )
    return shown.quoted(raw(down(case, field)), marks)


def _measure(side: Place, name: str, rule: str) -> Markup | str:
    """A figure of calibration, or a dash where there is none."""
    place = down(side, *name.split("."))
    return "–" if raw(place) is None else shown.show(place, rule)
