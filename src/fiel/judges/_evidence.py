"""Where a quoted fragment stands in a text. Knows no judgement, and takes no other word or number for a quoted one."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import regex

from fiel.judges._spelling import INVISIBLE

Span: TypeAlias = tuple[int, int]

_LEAST = 3  # letters and digits of a fragment or a piece; a shorter one is found to the letter or not at all
_MOST = 1000  # occurrences that are looked at
_PIECES = 10
_CHUNK = 256  # characters that are folded together

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_NUMERALS = regex.compile(r"(\p{No}+)")  # ², ½, ①: their compatibility forms are other numbers
_SPACE = re.compile(r"\s+")
_QUOTES = re.compile("(?: ?[\"'`“”„‟‘’‚‛«»‹›′‵「」『』])+ ?")
_DASHES = re.compile("[-‐‒–—―−⁃]{1,}")
_MERGED = ((_SPACE, " "), (_QUOTES, '"'), (_DASHES, "-"))  # in this order
_GAP = re.compile(r" ?(?:\[ ?\.{3,} ?\]|\( ?\.{3,} ?\)|\.{3,}) ?")
_SAFE = re.compile(  # letters and digits that nothing before them merges with: where a text may be cut
    "[0-9A-Za-zÀ-ÖØ-öø-ɏΑ-Ρα-ωА-яא-ת\u0620-\u064aऄ-ह\u0e01-\u0e30ぁ-ゖァ-ヺ一-鿿가-힣ﬀ-ﬆ\U0001f300-\U0001faff]"
)


class _Places(NamedTuple):
    """For each character of a folded chunk, where in the text what it stands for starts and ends."""

    starts: list[int]
    ends: list[int]


class _Folded:
    """A text without what does not change its words, and the way back to it.

    Folded are compatibility forms (but no ² or ½), invisible characters, runs of white space, quotes with the white
    space beside them, and dashes. The text is folded in chunks; the way back is worked out where it is asked for.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._cuts = list(_cuts(text))
        parts = [fold_text(text[start:end]) for start, end in self._cuts]
        self._begins = [0]
        for part in parts:
            self._begins.append(self._begins[-1] + len(part))
        self._known: dict[int, _Places] = {}
        self.text = "".join(parts)

    def span(self, start: int, end: int) -> Span | None:
        """The place in the text of what stands there, or None where that would cut a character apart."""
        first, at = self._places(start)
        last, to = self._places(end - 1)
        if at and first.starts[at - 1] == first.starts[at]:
            return None
        if to + 1 < len(last.starts) and last.starts[to + 1] == last.starts[to]:
            return None
        return first.starts[at], last.ends[to]

    def _places(self, index: int) -> tuple[_Places, int]:
        """The places of the chunk in which `index` stands, and which of them it is."""
        chunk = bisect_right(self._begins, index) - 1
        if chunk not in self._known:
            self._known[chunk] = _trace(self._text, *self._cuts[chunk])
        return self._known[chunk], index - self._begins[chunk]


def find_fragment(fragment: str, text: str) -> Span | None:
    r"""Where `fragment` stands in `text`, in characters, or None.

    To the letter first. Then with other white space, quotes, dashes, ellipses and Unicode forms; without quotes or an
    ellipsis around it. Then in pieces, where an inner "..." or "[...]" joins what stands in that order: from the first
    to the last. Then in another case, where that stands in the text once. No word or number may differ. Of several
    occurrences the first one that begins and ends with whole words is taken, else the first.

    Less than three letters or digits are found to the letter only; an empty fragment is found nowhere. At most 1000
    occurrences are looked at. The time grows in step with the length of the text.

    >>> text = "La tienda abre a las 9 – “de lunes a viernes”."
    >>> find_fragment('"abre a las 9 - \'de lunes a viernes\'"', text)
    (10, 44)
    >>> find_fragment("La tienda ... de lunes", text), find_fragment("abre a las 8", text)
    ((0, 34), None)
    """
    if not fragment.strip():
        return None
    exact = _best(text, fragment, lambda start, end: (start, end) if _whole(text, end) else None)
    if exact is not None:
        return exact
    core = _bare(fold_text(fragment))
    if _letters(core) < _LEAST:
        return None
    folded = _Folded(text)
    found = _best(folded.text, core, folded.span)
    return found or _in_pieces(core, folded) or _in_other_case(core, folded)


def fold_text(text: str) -> str:
    """A text, or a part of one that ends before a letter or digit, without what does not change its words."""
    text = _decomposed(text)
    for pattern, plain in _MERGED:
        text = pattern.sub(plain, text)
    return text


def _decomposed(text: str) -> str:
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    parts = _NUMERALS.split(text) if _NUMERALS.search(text) else [text]
    parts[::2] = [unicodedata.normalize("NFKD", part) for part in parts[::2]]
    return "".join(parts)


def _best(text: str, wanted: str, place: Callable[[int, int], Span | None], begin: int = 0) -> Span | None:
    """The first occurrence that is whole words, else the first one that has a place."""
    first = None
    for start in _occurrences(text, wanted, begin):
        end = start + len(wanted)
        span = place(start, end)
        if span is None:
            continue
        if not _continues(text, start) and not _continues(text, end):
            return span
        first = first or span
    return first


def _occurrences(text: str, wanted: str, begin: int = 0) -> Iterator[int]:
    at = begin - 1
    for _ in range(_MOST):
        at = text.find(wanted, at + 1)
        if at < 0:
            return
        yield at


def _continues(text: str, at: int) -> bool:
    """Whether a word goes on across `at`."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _whole(text: str, end: int) -> bool:
    """Whether no accent follows that belongs to the last character before `end`."""
    return end >= len(text) or unicodedata.combining(text[end]) == 0


def _in_pieces(core: str, folded: _Folded) -> Span | None:
    """From the first to the last of the pieces that an ellipsis joins."""
    pieces = [_bare(piece) for piece in _GAP.split(core, _PIECES)]
    if len(pieces) < 2 or any(_letters(piece) < _LEAST for piece in pieces):
        return None
    spans: list[Span] = []
    begin = 0
    for piece in pieces:
        at = next((at for at in _occurrences(folded.text, piece, begin) if folded.span(at, at + len(piece))), None)
        if at is None:
            return None
        begin = at + len(piece)
        spans.append(folded.span(at, begin) or (0, 0))
    return spans[0][0], spans[-1][1]


def _in_other_case(core: str, folded: _Folded) -> Span | None:
    text = _lower(folded.text)
    wanted = _lower(core)
    spans = []
    for at in _occurrences(text, wanted):
        span = folded.span(at, at + len(wanted))
        if span is not None:
            spans.append(span)
        if len(spans) > 1:
            return None
    return spans[0] if spans else None


def _lower(folded: str) -> str:
    """In lower case, character by character: decomposed text keeps its length, and sigma has one form."""
    return folded.lower().replace("ς", "σ")


def _bare(folded: str) -> str:
    """Without the quotes, white space and ellipses around it."""
    for _ in range(_PIECES):
        before = folded
        folded = folded.strip(' "')
        for dots in ("[...]", "(...)", "..."):
            folded = folded.removeprefix(dots).removesuffix(dots)
        if folded == before:
            break
    return folded


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text[: 100 * _LEAST])


def _cuts(text: str) -> Iterator[Span]:
    """The chunks of a text, each but the first beginning with a letter or digit that stands by itself."""
    start = 0
    while start < len(text) or start == 0:
        cut = _SAFE.search(text, start + _CHUNK)
        end = cut.start() if cut else len(text)
        yield start, end
        start = max(end, 1)


def _trace(text: str, start: int, end: int) -> _Places:
    """Where each character of a folded chunk comes from: what is folded together shares one place."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for first, last in _clusters(text, start, end):
        plain = text[first] if last - first == 1 and text[first].isascii() else _decomposed(text[first:last])
        parts.append(plain)
        starts += [first] * len(plain)
        ends += [last] * len(plain)
    folded = "".join(parts)
    for pattern, one in _MERGED:
        runs = [match.span() for match in pattern.finditer(folded)]
        starts = _merge(starts, runs, 0)
        ends = _merge(ends, runs, -1)
        folded = pattern.sub(one, folded)
    return _Places(starts, ends)


def _merge(places: list[int], runs: list[Span], kept: int) -> list[int]:
    """The places when of each run only one is kept: its first (0) or its last (-1)."""
    merged: list[int] = []
    at = 0
    for start, end in runs:
        merged += places[at:start]
        merged.append(places[start:end][kept])
        at = end
    return merged + places[at:]


def _clusters(text: str, start: int, end: int) -> Iterator[Span]:
    """Each visible character with the accents that follow it."""
    first = last = -1
    for index in range(start, end):
        char = text[index]
        if not char.isascii():
            if _INVISIBLE.match(char):
                continue
            if first >= 0 and unicodedata.combining(unicodedata.normalize("NFKD", char)[0]):
                last = index + 1
                continue
        if first >= 0:
            yield first, last
        first, last = index, index + 1
    if first >= 0:
        yield first, last
