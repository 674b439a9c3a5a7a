"""Dots and whiskers on one axis, as Vega-Lite. Knows no page and computes no figure."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from fiel.measures import CriterionValidation, Rate
from fiel.records import one_line
from fiel.reports._numbers import figure, given
from fiel.reports._place import Key
from fiel.reports._svg import HAIR, INK, JUDGE, PEOPLE, QUIET, across, downwards, svg
from fiel.reports._view import Row, grouped, people_absent
from fiel.stats import Estimate

Who: TypeAlias = Literal["people", "judge", "corrected"]

_COLOUR: dict[Who, str] = {"people": PEOPLE, "judge": JUDGE, "corrected": INK}
_SYMBOL: dict[Who, str] = {"people": "circle", "judge": "diamond", "corrected": "square"}
_GRIDS = {0.0: (0, 0.25, 0.5, 0.75, 1), -0.5: (-0.5, 0, 0.5, 1), -1.0: (-1, -0.5, 0, 0.5, 1)}
_TWO = 2  # judges whose rates are shown with all that they were made of
_HEAD, _TOP, _LEADING = 27, 18, 17
_WIDEST = 8  # pixels that a letter takes on average in a wide font of the size of a reason
_LONGEST = 80  # characters of a name: the engine is slow to shorten long ones, and the table has them whole


class Dot(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a chart: what was measured, of whom, and the estimate; `absent` says why there is none.

    `at` is the path of the estimate in the report.
    """

    label: str
    who: Who
    estimate: Estimate | None
    absent: str
    at: tuple[Key, ...] = ()


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of one criterion, with the ceiling that runs through them where there is one."""

    name: str
    dots: tuple[Dot, ...]
    ceiling: float | None = None


class _Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where things stand, in pixels: the axis from `left` to `right`, a line's text `lift` above its whisker.

    The axis begins at `low`, which is 0 where nothing lies below it.

    What is vertical (grid, bar, ceiling) reaches `reach` above and below a whisker and no further, so that it runs
    through no text. A reason why there is no figure begins at `reason`, `drop` below its label.
    """

    width: int
    left: int
    right: int
    line: int
    lift: int
    reach: float
    reason: int
    drop: int
    low: float = 0.0


_WIDE = _Layout(width=720, left=170, right=575, line=23, lift=0, reach=11.5, reason=170, drop=0)
_NARROW = _Layout(width=340, left=6, right=334, line=40, lift=17, reach=6, reason=0, drop=17)


def agreement(rows: Iterable[Row]) -> tuple[Group, ...]:
    """How often the same answer is given: people with people first, each judge under them."""

    def judge(row: Row, part: CriterionValidation, name: str) -> Dot:
        return Dot(label=name, who="judge", estimate=part.agreement, absent="", at=(*row.found_at, "agreement"))

    return _people_first(rows, "ceiling", judge)


def beyond_chance(rows: Iterable[Row]) -> tuple[Group, ...]:
    """The same as a coefficient, that which fits the scale: what is left where chance is taken away."""
    return _people_first(rows, "kappa_ceiling", _fitting)


def _people_first(
    rows: Iterable[Row],
    field: Literal["ceiling", "kappa_ceiling"],
    judge: Callable[[Row, CriterionValidation, str], Dot],
) -> tuple[Group, ...]:
    """One group per criterion: how people agree with each other, by a field of the result, then a dot per judge."""
    groups = []
    for criterion, lines in grouped(row for row in rows if row.found):
        found = [row.found for row in lines if row.found]
        ceiling: Estimate | None = getattr(found[0], field)
        people = Dot(
            label="people with people",
            who="people",
            estimate=ceiling,
            absent=people_absent(found[0]),
            at=(*lines[0].found_at, field),
        )
        judges = [judge(row, part, name) for name, row, part in zip(_names(lines), lines, found, strict=True)]
        groups.append(Group(name=criterion, dots=(people, *judges), ceiling=ceiling.value if ceiling else None))
    return tuple(groups)


def _fitting(row: Row, part: CriterionValidation, name: str) -> Dot:
    """The coefficient of the scale where it has an interval, else the plain kappa."""
    first = part.coefficients[0].estimate if part.coefficients else None
    if first is None:
        return Dot(label=name, who="judge", estimate=part.kappa, absent="", at=(*row.found_at, "kappa"))
    return Dot(label=name, who="judge", estimate=first, absent="", at=(*row.found_at, "coefficients", 0, "estimate"))


def _names(lines: Sequence[Row]) -> list[str]:
    return [row.judge if len(lines) > 1 else "judge with people" for row in lines]


def rates(rows: Iterable[Row]) -> tuple[Group, ...]:
    """What the labels say, what the judge says, and the corrected rate, one group per judge and criterion."""
    shown = [(row, row.rate) for row in rows if row.rate]
    judges = {row.judge for row, _ in shown}
    if len(judges) > _TWO:
        return _side_by_side(shown)
    several = len(judges) > 1
    return tuple(
        Group(
            name=f"{row.criterion}, {row.judge}" if several else row.criterion,
            dots=(
                _dot("labels alone", "people", rate.classical, "no labels", (*row.rate_at, "classical")),
                _dot("judge alone", "judge", rate.raw, "nothing scored", (*row.rate_at, "raw")),
                _dot("corrected", "corrected", rate.estimate, "", (*row.rate_at, "estimate")),
            ),
        )
        for row, rate in shown
    )


def _side_by_side(shown: Iterable[tuple[Row, Rate]]) -> tuple[Group, ...]:
    """What the labels say and each judge's corrected rate, one group per criterion."""
    groups: dict[str, list[tuple[Row, Rate]]] = {}
    for row, rate in shown:
        groups.setdefault(row.criterion, []).append((row, rate))
    return tuple(
        Group(
            name=criterion,
            dots=(
                _dot("labels alone", "people", group[0][1].classical, "no labels", (*group[0][0].rate_at, "classical")),
                *(_dot(row.judge, "corrected", rate.estimate, "", (*row.rate_at, "estimate")) for row, rate in group),
            ),
        )
        for criterion, group in groups.items()
    )


def _dot(label: str, who: Who, estimate: Estimate | None, absent: str, at: tuple[Key, ...]) -> Dot:
    return Dot(label=label, who=who, estimate=estimate, absent=absent, at=at)


def draw(groups: Sequence[Group], *, name: str, bar: float | None = None) -> tuple[str, str]:
    """The chart as two SVG elements, for a wide column and for a phone. Text in them is escaped.

    Args:
        groups: one per criterion, at least one.
        name: what the picture shows, read aloud in its place.
        bar: drawn as a dashed line with its number.
    """
    low = _lowest(groups)
    wide, narrow = (msgspec.structs.replace(layout, low=low) for layout in (_WIDE, _NARROW))
    return _drawn(groups, bar, wide, name), _drawn(groups, bar, narrow, name)


def _lowest(groups: Iterable[Group]) -> float:
    """Where the axis begins: at 0, or under the lowest end of a whisker."""
    known = [dot.estimate for group in groups for dot in group.dots if dot.estimate]
    ends = [end for estimate in known for end in (estimate.value, estimate.low) if end is not None]
    low = min(ends, default=0.0)
    return next((start for start in (0.0, -0.5) if low >= start), -1.0)


def _drawn(groups: Sequence[Group], bar: float | None, at: _Layout, name: str) -> str:
    texts: list[dict[str, Any]] = []
    dots: list[dict[str, Any]] = []
    ceilings: list[dict[str, Any]] = []
    bands: list[tuple[float, float]] = []
    y: float = _TOP if bar is not None else 4
    for group in groups:
        texts.append(_words(group.name, y + 12, "title"))
        y += _HEAD
        own: list[tuple[float, float]] = []
        for dot in group.dots:
            marks = _marks(dot, y + (at.line + at.lift) / 2, at.low)
            own += [(mark["y"] - at.reach, mark["y"] + at.reach) for mark in marks]
            said, height = _line_texts(dot, y, at)
            texts += said
            dots += marks
            y += height
        own = _joined(own)
        bands += own
        if group.ceiling is not None:
            ceilings += _rules(group.ceiling, own)
        y += 7
    grid = [rule for x in _GRIDS[at.low] for rule in _rules(x, bands)]
    layers = [
        _layer(grid, {"type": "rule", "color": HAIR, "strokeWidth": 1}, y, at, "y2"),
        *_bar(bar, bands, y, at),
        _layer(ceilings, {"type": "rule", "color": PEOPLE, "strokeWidth": 1}, y, at, "y2"),
        *_dot_layers(dots, y, at),
        *_text_layers(texts, y, at),
    ]
    return svg(layers, name, width=at.width, height=y)


def _joined(bands: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Bands from top to bottom, those that touch made one."""
    result: list[tuple[float, float]] = []
    for top, bottom in bands:
        if result and result[-1][1] == top:
            result[-1] = (result[-1][0], bottom)
        else:
            result.append((top, bottom))
    return result


def _rules(x: float, bands: Iterable[tuple[float, float]]) -> list[dict[str, Any]]:
    return [{"x": x, "y": top, "y2": bottom} for top, bottom in bands]


def _words(text: str, y: float, role: str) -> dict[str, Any]:
    line = one_line(text[:_LONGEST])
    return {"text": line if len(text) <= _LONGEST else f"{line}…", "y": y, "role": role}


def _line_texts(dot: Dot, y: float, at: _Layout) -> tuple[list[dict[str, Any]], float]:
    """The label of a line with its figure at the other side, or with the reason why it has none; and its height."""
    middle = y + (at.line - at.lift) / 2
    label, text = _words(dot.label, middle, "label"), figure(dot.estimate, dot.absent)
    if dot.estimate is None:
        return [label, _words(text, middle, "value")], at.line - at.lift
    if dot.estimate.value is not None:
        return [label, _words(text, middle, "value")], at.line
    lines = textwrap.wrap(one_line(text), (at.width - at.reason) // _WIDEST)
    said = [_words(line, middle + at.drop + place * _LEADING, "reason") for place, line in enumerate(lines)]
    return [label, *said], at.line - at.lift + at.drop + (len(lines) - 1) * _LEADING


def _marks(dot: Dot, y: float, start: float) -> list[dict[str, Any]]:
    """One dot with its whisker; a one-sided bound reaches to the end of the scale."""
    estimate = dot.estimate
    if estimate is None or estimate.value is None:
        return []
    low = start if estimate.low is None else estimate.low
    high = 1.0 if estimate.high is None else estimate.high
    return [{"x": estimate.value, "low": max(low, start), "high": min(high, 1.0), "y": y, "who": dot.who}]


def _layer(data: list[dict[str, Any]], mark: dict[str, Any], height: float, at: _Layout, *ends: str) -> dict[str, Any]:
    x = {
        "field": "x" if "x2" not in ends else "low",
        **across(at.left, at.right, low=at.low, ticks=_GRIDS[at.low]),
    }
    encoding: dict[str, Any] = {"x": x, "y": {"field": "y", **downwards(height)}}
    if "x2" in ends:
        encoding["x2"] = {"field": "high"}
    if "y2" in ends:
        encoding["y2"] = {"field": "y2"}
    return {"data": {"values": data}, "mark": mark, "encoding": encoding}


def _bar(bar: float | None, bands: Iterable[tuple[float, float]], height: float, at: _Layout) -> list[dict[str, Any]]:
    if bar is None:
        return []
    dashed = {"type": "rule", "color": INK, "strokeWidth": 1, "strokeDash": [4, 3]}
    style = {"type": "text", "align": "center", "baseline": "middle", "fontSize": 12, "color": INK}
    word = _layer([{"x": bar, "y": _TOP / 2, "text": f"bar {given(bar)}"}], style, height, at)
    word["encoding"]["text"] = {"field": "text"}
    return [_layer(_rules(bar, bands), dashed, height, at, "y2"), word]


def _dot_layers(dots: list[dict[str, Any]], height: float, at: _Layout) -> list[dict[str, Any]]:
    layers = []
    for who, colour in _COLOUR.items():
        own = [dot for dot in dots if dot["who"] == who]
        wide = 3 if who == "corrected" else 2
        layers.append(_layer(own, {"type": "rule", "color": colour, "strokeWidth": wide}, height, at, "x2"))
        size = 90 if _SYMBOL[who] == "diamond" else 75
        mark = {"type": "point", "shape": _SYMBOL[who], "filled": True, "color": colour, "size": size, "opacity": 1}
        layers.append(_layer(own, mark, height, at))
    return layers


def _text_layers(texts: list[dict[str, Any]], height: float, at: _Layout) -> list[dict[str, Any]]:
    room, reach = (at.left - 12, at.width - at.left) if at.lift == 0 else (at.width // 2 - 10, at.width // 2)
    styles: dict[str, tuple[int, dict[str, Any]]] = {
        "title": (0, {"align": "left", "fontWeight": 600, "fontSize": 14, "color": INK, "limit": at.width}),
        "label": (0, {"align": "left", "fontSize": 13, "color": QUIET, "limit": room}),
        "value": (at.width, {"align": "right", "fontSize": 13, "color": INK, "limit": reach}),
        "reason": (at.reason, {"align": "left", "fontSize": 13, "color": INK, "limit": at.width - at.reason}),
    }
    return [
        {
            "data": {"values": [text for text in texts if text["role"] == role]},
            "mark": {"type": "text", "baseline": "middle", **style},
            "encoding": {"x": {"value": x}, "y": {"field": "y", **downwards(height)}, "text": {"field": "text"}},
        }
        for role, (x, style) in styles.items()
    ]
