"""From a Vega-Lite specification to a picture that takes its colours from the page, offline. Knows no figure."""

from __future__ import annotations

import html
import re
from typing import Any

INK, QUIET, HAIR, PEOPLE, JUDGE, BAND = "#16191d", "#565b62", "#d5d8dc", "#0072b2", "#d55e00", "#e3e6e9"
"""The colours of light mode; the style sheet maps each to its variable, so that dark mode has its own."""


_PARTS = re.compile(
    r"""(?<=[\w"]) (?:role|aria-[a-z]+)="[^"<>]*"(?=[^<>]*>)"""
)  # of elements: the picture has one name


def svg(layers: list[dict[str, Any]], name: str, *, width: float, height: float) -> str:
    """The rendered picture, sized by its column, with a name in place of its parts."""
    import vl_convert  # noqa: PLC0415  it brings a whole JavaScript engine: only who draws pays for it

    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": width,
        "height": height,
        "padding": {"left": 0, "right": 0, "top": 0, "bottom": 3},
        "autosize": {"type": "pad", "contains": "content"},
        "background": None,
        "config": {"view": {"stroke": None}, "aria": False, "font": "system-ui, sans-serif"},
        "layer": layers,
    }
    drawn: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    start = re.match(r"<svg[^>]*? viewBox=\"([-\d. ]+)\"[^>]*>", drawn)
    if start is None:
        raise RuntimeError("vl-convert wrote an SVG that does not begin with its size")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{start[1]}" role="img" aria-label="{html.escape(name)}">'
    )
    return opening + _PARTS.sub("", drawn[start.end() :])


def across(left: float, right: float, *, low: float = 0.0, ticks: tuple[float, ...]) -> dict[str, Any]:
    """The horizontal scale from `low` to 1 between two pixels, with its numbers under it."""
    return {
        "type": "quantitative",
        "scale": {"domain": [low, 1], "range": [left, right], "nice": False, "zero": False},
        "title": None,
        "axis": {
            "values": list(ticks),
            "format": ".2~f",
            "domain": False,
            "ticks": False,
            "labelColor": QUIET,
            "labelFontSize": 12,
            "labelPadding": 6,
            "labelFlush": False,
            "grid": False,
        },
    }


def downwards(height: float) -> dict[str, Any]:
    """The vertical scale in pixels from the top."""
    scale = {"domain": [0, height], "range": [0, height], "nice": False, "zero": False}
    return {"type": "quantitative", "scale": scale, "axis": None}
