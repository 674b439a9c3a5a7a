"""Text that came from data, made harmless and visible; and the shapes of outcome words. Knows no medium."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Shape: TypeAlias = Literal["full", "half", "hollow"]

_SHAPES: dict[str, Shape] = {
    "use": "full",
    "pass": "full",
    "not enough labels": "half",
    "undecided": "half",
    "rewrite": "hollow",
    "leave out": "hollow",
    "fail": "hollow",
}
_GLYPHS: dict[Shape, str] = {"full": "●", "half": "◐", "hollow": "○"}

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, the escape of terminal sequences among them; not tab and line feed
    "\u2028\u2029"  # line breaks that are none to a reader
    "\u202a-\u202e\u2066-\u2069"  # overrides and isolates that reorder what stands around them
    "\ud800-\udfff\ufffe\uffff"  # no characters: no file can hold them
    "]"
)
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")
_BREAKS = re.compile(r"[\t\n]+")


def shape(word: str) -> Shape:
    """The shape that goes with an outcome word: filled, half or hollow."""
    return _SHAPES[word]


def marked(word: str) -> str:
    """An outcome word with its shape.

    >>> marked("use"), marked("undecided"), marked("leave out")
    ('● use', '◐ undecided', '○ leave out')
    """
    return f"{_GLYPHS[shape(word)]} {word}"


def visible(text: str) -> str:
    r"""The text with everything that acts on a screen instead of standing on it written out.

    >>> visible("a\x1b[31mb\u202ec")
    'a⟨U+001B⟩[31mb⟨U+202E⟩c'
    """
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""The same on one line.

    >>> one_line("two\n\nlines")
    'two ↵ lines'
    """
    return _BREAKS.sub(lambda match: " ↵ " if "\n" in match[0] else " ", visible(text))


def excerpt(text: str, longest: int = 600) -> str:
    """The beginning of a long text, with how much was left out.

    >>> excerpt("abcdef", 4)
    'abcd … (2 more characters)'
    """
    left = len(text) - longest
    return text if left <= 0 else f"{text[:longest]} … ({left} more character{'s' if left > 1 else ''})"


def parts(sentence: str) -> tuple[tuple[str, bool], ...]:
    """A sentence of fiel's own in pieces, each with whether it is *emphasised*: the names that it speaks of are.

    >>> parts("it says *yes* to all")
    (('it says ', False), ('yes', True), (' to all', False))
    """
    pieces = _EMPHASIS.split(sentence)
    return tuple((piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece)


def listing(names: tuple[str, ...], most: int = 12) -> str:
    """Names in a row, and how many were left out.

    >>> listing(("a", "b", "c"), 2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
