"""What stands on a page at a place of the report: its text by a named rule, and the address beside it. No page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fiel.records import visible
from fiel.reports import _numbers as numbers
from fiel.reports import _text as text
from fiel.reports._place import Place, pointer, raw

if TYPE_CHECKING:  # jinja2 takes a while to load: only who writes HTML pays for it
    from markupsafe import Markup

_SETTINGS: Mapping[bool | None, str] = {None: "not set", True: "yes", False: "no"}
RULES: Mapping[str, Callable[[Any], str]] = {
    "share": numbers.share,
    "signed": numbers.signed,
    "small": numbers.small,
    "given": numbers.given,
    "count": numbers.count,
    "probability": numbers.probability,
    "percent": numbers.percent,
    "seconds": numbers.seconds,
    "cost": numbers.cost,
    "limits": numbers.limits,
    "length": lambda held: numbers.count(len(held)),
    "total": lambda held: numbers.count(sum(held.values())),
    "text": str,
    "list": lambda names: text.listing(tuple(names)),
    "setting": lambda value: (
        _SETTINGS.get(value, str(value)) if value is None or isinstance(value, bool) else str(value)
    ),
}
"""How each kind of figure is written; the published names of the rules stand in `data-rule`."""

_BEYOND = "beyond-"
_LONG = 16  # letters of a word that a narrow column has no room for
_JOINTS = re.compile(r"(?<=\w[_/@-])(?=\w)")


def show(place: Place, rule: str) -> Markup:
    """The text of a place by a rule, in an element that says which place and which rule.

    Args:
        place: what is shown.
        rule: one of `RULES`, or "beyond-N": how many of a list come after the first N.
    """
    part = raw(place)
    if rule.startswith(_BEYOND):
        written = numbers.count(len(part) - int(rule.removeprefix(_BEYOND)))
    else:
        written = RULES[rule](part)
    return _element(place, rule, _escaped(visible(written)))


def text_of(place: Place) -> Markup:
    """A text to the letter, breaking at the joints of long words."""
    return _element(place, "text", breaking(raw(place)))


def said(place: Place) -> Markup:
    """A sentence of fiel's own, the names in it emphasised."""
    return _element(place, "sentence", emphasised(raw(place)))


def emphasised(sentence: str) -> Markup:
    """A sentence that stands nowhere in the JSON, in the same way."""
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    pieces = (
        Markup("<em>{}</em>").format(breaking(piece)) if strong else breaking(piece.replace(" %", "\u00a0%"))
        for piece, strong in text.parts(sentence)
    )
    return Markup().join(pieces)


def breaking(words: Any) -> Markup:
    """A text as it is, in which long words may break after an underscore, a hyphen and the like, not anywhere."""
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    pieces = re.split(r"(\s+)", visible(str(raw(words))))
    return Markup().join(
        Markup("<wbr>").join(_JOINTS.split(piece)) if len(piece) > _LONG else piece for piece in pieces
    )


def quoted(words: str, marks: Iterable[tuple[int, int]] = ()) -> Markup:
    """The beginning of a text from data, what is quoted of it marked."""
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    pieces = text.quoted(words, marks)
    return Markup().join(
        Markup("<mark>{}</mark>").format(visible(piece)) if strong else _escaped(visible(piece))
        for piece, strong in pieces
    )


def _escaped(words: str) -> Markup:
    from markupsafe import escape  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    return escape(words)


def _element(place: Place, rule: str, inside: Markup) -> Markup:
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2, loaded when HTML is written

    return Markup('<span data-json="{}" data-rule="{}">{}</span>').format(pointer(place), rule, inside)
