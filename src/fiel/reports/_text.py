"""Text that came from data, made harmless and visible; and the shapes of outcome words. Knows no medium."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")


def shape(word: str) -> Shape:
    """The shape that goes with an outcome word: filled, half or hollow."""
    return _SHAPES[word]


def marked(word: str, shown: str | None = None) -> str:
    """An outcome word, or what is shown in its place, with the word's shape.

    >>> marked("use"), marked("undecided"), marked("leave out")
    ('● use', '◐ undecided', '○ leave out')
    """
    return f"{_GLYPHS[shape(word)]} {shown or word}"


def excerpt(text: str, longest: int = 600) -> str:
    """The beginning of a long text, with how much was left out.

    >>> excerpt("abcdef", 4)
    'abcd … (2 more characters)'
    """
    left = len(text) - longest
    return text if left <= 0 else f"{text[:longest]} … ({left:,} more character{'s' if left > 1 else ''})"


def quoted(text: str, marks: Iterable[tuple[int, int]], longest: int = 600, around: int = 80) -> list[tuple[str, bool]]:
    """The beginning of a text in pieces, each with whether it is marked; of a long one also what surrounds the marks.

    What is left out is counted in the piece that stands for it.

    >>> "|".join(piece for piece, _ in quoted("one two three four", [(8, 13)], longest=3, around=1))
    'one| … (4 characters) … | |three| | … (4 more characters)'
    """
    spans = _joined((max(start, 0), min(end, len(text))) for start, end in marks if start < end)
    windows = _joined(
        [(0, min(longest, len(text))), *((max(a - around, 0), min(b + around, len(text))) for a, b in spans)]
    )
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in windows:
        if start > at:
            pieces.append((f" … ({start - at:,} characters) … ", False))
        at = start
        for a, b in spans:
            if start <= a < end:
                pieces += [(text[at:a], False), (text[a:b], True)]
                at = b
        pieces.append((text[at:end], False))
        at = end
    left = len(text) - at
    if left:
        pieces.append((f" … ({left:,} more character{'s' if left > 1 else ''})", False))
    return [(piece, strong) for piece, strong in pieces if piece]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that meet made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


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
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
