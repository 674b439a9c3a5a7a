"""What a judge said against what happened, as Vega-Lite: one picture per set of probabilities. Computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fiel.measures import ReliabilityBin
from fiel.reports._numbers import count
from fiel.reports._svg import BAND, HAIR, INK, JUDGE, QUIET, across, downwards, svg

_GRID = (0, 0.5, 1)
_WIDTH, _LEFT, _RIGHT = 236, 24, 230
_TOP, _FLOOR, _HEIGHT = 24, 186, 232  # of the square of shares, and of the bars of counts under it
_TALLEST = 24  # pixels of the fullest bin
_DIGIT = 6.4  # pixels of a digit of a count


def reliability(bins: Sequence[ReliabilityBin], *, name: str, said: str, happened: str) -> str:
    """The diagram as an SVG element: a dot per bin with its whisker, the null band in grey, bars of counts below.

    Args:
        bins: those that hold an item, at least one.
        name: what the picture shows, read aloud in its place.
        said: what the horizontal axis is.
        happened: what the vertical one is.
    """
    most = max(part.count for part in bins)
    grid = [{"x": 0, "x2": 1, "y": _up(share)} for share in _GRID]
    null = [
        {"x": part.start, "x2": part.end, "y": _up(part.expected_high), "y2": _up(part.expected_low)} for part in bins
    ]
    whiskers = [{"x": part.probability, "y": _up(part.high), "y2": _up(part.low)} for part in bins]
    dots = [{"x": part.probability, "y": _up(part.outcome)} for part in bins]
    bars = [
        {"x": part.start, "x2": part.end, "y": _HEIGHT - _TALLEST * part.count / most, "y2": _HEIGHT} for part in bins
    ]
    layers = [
        _layer(null, {"type": "rect", "color": BAND, "opacity": 1}),
        _layer(grid, {"type": "rule", "color": HAIR, "strokeWidth": 1}),
        _layer([{"x": 0, "x2": 1, "y": _up(0), "y2": _up(1)}], {"type": "rule", "color": INK, "strokeWidth": 1}),
        _layer(whiskers, {"type": "rule", "color": JUDGE, "strokeWidth": 2}),
        _layer(dots, {"type": "point", "shape": "diamond", "filled": True, "color": JUDGE, "size": 60, "opacity": 1}),
        _layer(bars, {"type": "rect", "color": QUIET, "opacity": 1}),
        _words(_counts(bins, most), "center"),
        _words([{"px": _LEFT - 6, "y": _up(share), "text": f"{share:g}"} for share in _GRID], "right"),
        _words([{"px": 0, "y": 8, "text": happened}], "left"),
        _words([{"px": _RIGHT, "y": _HEIGHT + 32, "text": said}], "right"),
    ]
    return svg(layers, name, width=_WIDTH, height=_HEIGHT)


def _up(share: float) -> float:
    """The pixel of a share, counted from the top."""
    return _FLOOR - (_FLOOR - _TOP) * share


def _counts(bins: Iterable[ReliabilityBin], most: int) -> list[dict[str, Any]]:
    """The count over each bar that is wide enough for it; the table has them all."""
    found = []
    for part in bins:
        text = count(part.count)
        left, right = (_LEFT + (_RIGHT - _LEFT) * end for end in (part.start, part.end))
        if _DIGIT * len(text) <= right - left:
            y = _HEIGHT - _TALLEST * part.count / most - 7
            found.append({"px": (left + right) / 2, "y": y, "text": text})
    return found


def _layer(data: list[dict[str, Any]], mark: dict[str, Any]) -> dict[str, Any]:
    encoding: dict[str, Any] = {
        "x": {"field": "x", **across(_LEFT, _RIGHT, ticks=_GRID)},
        "y": {"field": "y", **downwards(_HEIGHT)},
    }
    for end in ("x2", "y2"):
        if data and end in data[0]:
            encoding[end] = {"field": end}
    return {"data": {"values": data}, "mark": mark, "encoding": encoding}


def _words(data: list[dict[str, Any]], align: str) -> dict[str, Any]:
    """Texts at pixels, which the common scale is told as places on its axis."""
    placed = [{**text, "x": (text["px"] - _LEFT) / (_RIGHT - _LEFT)} for text in data]
    style = {"type": "text", "align": align, "baseline": "middle", "fontSize": 12, "color": QUIET}
    layer = _layer(placed, style)
    layer["encoding"]["text"] = {"field": "text"}
    return layer
