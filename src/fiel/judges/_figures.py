"""The numbers that a text holds, in English and Spanish notation. Knows no language: a number may have two readings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

_SPACE = "[ \u00a0\u2009\u202f]"
_TOKEN = re.compile(  # begins with a digit: the search for the next one is quick, and signs are looked for backwards
    r"[0-9](?:[0-9]{0,2}(?P<space>" + _SPACE + r")[0-9]{3}(?:(?P=space)[0-9]{3})*(?![0-9])(?:[.,][0-9]+)?"
    r"|[0-9]*(?:[.,][0-9]+)*)"
    r"(?P<exponent>[eE][-+]?[0-9]{1,3}(?!\w))?"
)


class Figure(NamedTuple):
    """A number in a text: its readings (two where the notation is ambiguous) and its place."""

    readings: tuple[float, ...]
    start: int
    end: int


def figures(text: str) -> Iterator[Figure]:
    """The numbers of `text`, in order.

    The rule for the marks, whatever the language:
    - a comma and a point: the one that stands last and once is the decimal mark, the other one groups thousands;
    - one mark that repeats groups thousands (1.234.567); white space between groups of three does so too;
    - one mark, once, before exactly three digits and after one to three that do not begin with 0, is ambiguous: 1,234
      and 1.234 are each read both as 1234 and as 1.234;
    - any other single mark is the decimal mark (3,5 and 3.5; 0,125; 1234.567);
    - what fits none of these (1.2.3, 12.05.2024) is taken apart at its marks.
    A minus sign (hyphen or U+2212) counts where no word or number stands before it. A digit after a letter (Q3) is no
    number.

    >>> [f.readings for f in figures("-1.234,5 and 1,234")]
    [(-1234.5,), (1234.0, 1.234)]
    """
    for match in _TOKEN.finditer(text):
        start, exponent = match.start(), match["exponent"] or ""
        before = text[start - 1] if start else " "
        if before.isalnum() or before == "_":
            continue
        body = match.group().removesuffix(exponent)
        if match["space"]:
            readings: tuple[str, ...] = (body.replace(match["space"], "").replace(",", "."),)
        elif before == "." and body.isdigit() and _is_free(text, start - 2):
            start, readings = start - 1, (f"0.{body}",)
        else:
            readings = _readings(body)
        if not readings:
            yield from _apart(body, start)
            continue
        start, sign = _signed(text, start)
        values = tuple(sign * float(reading + exponent) for reading in readings)
        if all(math.isfinite(value) for value in values):
            yield Figure(values, start, match.end())


def _signed(text: str, start: int) -> tuple[int, float]:
    """Where the number begins with its sign, which may stand before a currency, and the sign."""
    place = start - 1
    if place >= 0 and text[place] in "$€£":
        place -= 1
    if place >= 0 and text[place] in "-−+" and _is_free(text, place - 1):
        return place, 1.0 if text[place] == "+" else -1.0
    return start, 1.0


def _is_free(text: str, place: int) -> bool:
    """Whether no word, number or closing bracket stands at a place, so that a mark after it belongs to what follows."""
    return place < 0 or not (text[place].isalnum() or text[place] in "_.,)]")


def _readings(body: str) -> tuple[str, ...]:
    """`body` as one or two plain decimal numerals; none where it is not one number."""
    points, commas = body.count("."), body.count(",")
    if not points and not commas:
        return (body,)
    if points and commas:
        decimal = "." if body.rfind(".") > body.rfind(",") else ","
        whole, _, part = body.rpartition(decimal)
        if decimal in whole or not _grouped(re.split("[.,]", whole)):
            return ()
        return (f"{re.sub('[.,]', '', whole)}.{part}",)
    mark = "." if points else ","
    parts = body.split(mark)
    if len(parts) > 2:
        return ("".join(parts),) if _grouped(parts) else ()
    whole, part = parts
    if _grouped(parts):
        return (whole + part, f"{whole}.{part}")
    return (f"{whole or '0'}.{part}",)


def _grouped(parts: list[str]) -> bool:
    first, *rest = parts
    return 1 <= len(first) <= 3 and first[0] != "0" and all(len(part) == 3 for part in rest)


def _apart(body: str, start: int) -> Iterator[Figure]:
    for piece in re.finditer("[0-9]+", body):
        value = float(piece.group())
        if math.isfinite(value):
            yield Figure((value,), start + piece.start(), start + piece.end())
