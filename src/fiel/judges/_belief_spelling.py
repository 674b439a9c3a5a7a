"""Which answers a written beginning may still become. Knows no token and no probability."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_CLOSING = {'"': '"', "'": "'", "“": "”"}
_BROKEN = "\ufffd"  # what is shown for a part of a character's bytes

# What ends a value without quotes. Not a slash: "8/10" is another value than "8"; not a mark inside a number: "8.5".
_END = re.compile(r"\s(?!\s*/)|[.,:](?!\d)|[}\])\"'”;!?*`<|…。，、；：！？）」]")
_DECIMAL = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.([0-9]+))?")
_ESCAPE = re.compile(  # complete ones: a pair of surrogates, a character, a short one
    r'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?![dD][89abAB])[0-9a-fA-F]{4}|["\\/bfnrt])'
)
_CONTROL = re.compile(r"[\x00-\x1f]")


class Reading(NamedTuple):
    """What a beginning may mean.

    Args:
        answers: places in the list of keys; none is off the scale, several is not resolved.
        spelling: the beginning as it is written, without what ends it.
        as_asked: whether it is so written in the key itself.
    """

    answers: tuple[int, ...]
    spelling: str = ""
    as_asked: bool = True


OFF_SCALE = Reading(())


def closing_quote(before: str) -> str:
    """The quote that closes a value after the text `before`; empty for a value without quotes.

    >>> closing_quote('{"grounded": "'), closing_quote('{"score": ')
    ('"', '')
    """
    return _CLOSING.get(before[-20:].rstrip()[-1:], "")


def is_ended(after: str, quote: str) -> bool:
    """Whether a value ends where the text `after` follows it.

    >>> is_ended('",', '"'), is_ended("}", ""), is_ended("/10", ""), is_ended(', but"', '"')
    (True, True, False, False)
    """
    rest = after.lstrip()
    if not rest:
        return True
    return rest.startswith(quote) if quote else _END.match(after) is not None


@lru_cache(maxsize=2048)
def read_value(keys: tuple[str, ...], quote: str, value: str) -> Reading:
    """The answer that the whole of `value` is."""
    inner = _unquoted(value, "").inner if quote else value
    answers = _speller(keys).equal(inner)
    return Reading(answers, value, value == keys[answers[0]]) if answers else OFF_SCALE


@lru_cache(maxsize=8192)
def read_beginning(keys: tuple[str, ...], quote: str, lead: str, text: str) -> Reading:
    """The answers that `text` begins or completes.

    Args:
        keys: how the answers are spelt.
        quote: what closes the value on the path that was taken; empty where it has no quotes.
        lead: what stood there on that path before the value's first character, such as ` "`. Of it white space may
            be missing or more, and the opening quote may be missing or another.
        text: what may stand there instead, lead included. A text that stops within the lead leaves every answer open;
            one that contradicts it (another name of a field) is off the scale.

    >>> read_beginning(("no", "not sure", "yes"), '"', "", "no").answers
    (0, 1)
    >>> read_beginning(("no", "not sure", "yes"), '"', "", 'no",').answers
    (0,)
    >>> read_beginning(("1", "10"), "", " ", "10.0}"), read_beginning(("1", "10"), "", " ", " 100").answers
    (Reading(answers=(1,), spelling='10.0', as_asked=False), ())
    """
    found = _after_lead(text, lead, quote)
    if found is None:
        return OFF_SCALE
    own, rest = found
    reading = _read(_speller(keys), own, rest)
    if own and not quote and reading.answers:
        return reading._replace(spelling=f"{text.lstrip()[0]}{reading.spelling}{own}", as_asked=False)
    return reading


def _after_lead(text: str, lead: str, quote: str) -> tuple[str, str] | None:
    """The closing quote and the text of the value; None where `text` contradicts the lead."""
    if text.startswith(lead):
        rest = text[len(lead) :]
        return (quote, rest) if quote else _opened(rest)
    marks = "".join(lead.split())
    opens = bool(quote) and _CLOSING.get(marks[-1:]) == quote
    rest = text
    for mark in marks[:-1] if opens else marks:
        rest = rest.lstrip()
        if not rest:
            return "", ""
        if rest[0] != mark:
            return None
        rest = rest[1:]
    return (quote, rest) if quote and not opens else _opened(rest)


def _opened(text: str) -> tuple[str, str]:
    """The closing quote that `text` itself asks for, and what follows the opening one."""
    rest = text.lstrip()
    closing = _CLOSING.get(rest[:1], "")
    return (closing, rest[1:]) if closing else ("", text)


def _read(speller: _Speller, quote: str, text: str) -> Reading:
    if not text.strip():  # a line break inside quotes is a broken reply, not the beginning of an answer
        return OFF_SCALE if quote and _CONTROL.search(text) else Reading(tuple(range(len(speller.keys))))
    if quote:
        part = _unquoted(text, quote)
        answers = speller.equal(part.inner) if part.closed else speller.begun(part.inner, part.tail)
        return speller.reading(answers, part.raw, whole=part.closed)
    if answers := speller.begun(text):
        return speller.reading(answers, text, whole=False)
    for end in reversed([match.start() for match in _END.finditer(text)]):
        if answers := speller.equal(text[:end]):
            return speller.reading(answers, text[:end], whole=True)
    return OFF_SCALE


class _Part(NamedTuple):
    """The inside of quotes: as it is meant, as it is written, whether it is closed, and the part of an escape."""

    inner: str
    raw: str
    closed: bool
    tail: str


def _unquoted(text: str, quote: str) -> _Part:
    """`text` up to the closing quote, its JSON escapes resolved; an empty `quote` never closes."""
    if "\\" not in text:
        end = text.find(quote) if quote else -1
        return _Part(text, text, False, "") if end < 0 else _Part(text[:end], text[:end], True, "")
    inner: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == quote:
            return _Part("".join(inner), text[:at], True, "")
        if text[at] != "\\":
            inner.append(text[at])
            at += 1
            continue
        escape = _ESCAPE.match(text, at)
        if escape is None:
            return _Part("".join(inner), text, False, text[at:])
        inner.append(json.loads(f'"{escape.group()}"'))
        at = escape.end()
    return _Part("".join(inner), text, False, "")


@dataclass(frozen=True, slots=True)
class _Speller:
    """The keys and the forms under which they are compared.

    Args:
        keys: as asked.
        forms: two of each: compatibility forms composed and case folded; case folded alone, for a text that is cut
            between a letter and its accent. Both are the key itself where two keys differ in nothing else.
        decimals: the shortest spelling of those that are numbers.
        firsts: the characters with which a form or a number begins.
        loose: whether forms and numbers are compared, or the keys to the letter.
        strips: whether white space around a text is left out.
    """

    keys: tuple[str, ...]
    forms: tuple[tuple[str, str], ...]
    decimals: tuple[str | None, ...]
    firsts: frozenset[str]
    loose: bool
    strips: bool

    def equal(self, text: str) -> tuple[int, ...]:
        """The key that the whole of `text` spells."""
        both = self._fold(text.strip() if self.strips else text)
        if self._is_foreign(both):
            return ()
        number = _decimal(both[0]) if self.loose else None
        return tuple(
            place
            for place, (forms, decimal) in enumerate(zip(self.forms, self.decimals, strict=True))
            if forms[0] == both[0] or forms[1] == both[1] or (number is not None and number == decimal)
        )

    def begun(self, text: str, tail: str = "") -> tuple[int, ...]:
        """The keys that `text`, followed by `tail` (a part of an escape), begins.

        A single letter begins a longer key only as it is written there: "N" may become "None" as well as "No".
        """
        start = text.lstrip() if self.strips else text
        if tail:
            return tuple(place for place, key in enumerate(self.keys) if _escapes(key, start, tail))
        if _BROKEN in start:
            start = self._fold(start[: start.index(_BROKEN)])[0]
            return tuple(
                place
                for place, (form, _) in enumerate(self.forms)
                if form.startswith(start) and not form[len(start) : len(start) + 1].isascii()
            )
        composed, folded = both = self._fold(start)
        if self._is_foreign(both):
            return ()
        found = [
            place
            for place, (forms, decimal) in enumerate(zip(self.forms, self.decimals, strict=True))
            if forms[0].startswith(composed)
            or forms[1].startswith(folded)
            or (decimal is not None and _begins_number(composed, decimal))
        ]
        if len(start) == 1:
            found = [p for p in found if len(self.forms[p][0]) == 1 or self.keys[p].lstrip().startswith(start)]
        if start[-1:].isspace():  # white space may end the value here
            found = sorted({*found, *self.equal(start)})
        return tuple(found)

    def reading(self, answers: tuple[int, ...], spelling: str, *, whole: bool) -> Reading:
        """What was found, and whether it is written as asked."""
        if not answers:
            return OFF_SCALE
        key = self.keys[answers[0]]
        return Reading(answers, spelling, spelling == key if whole else key.startswith(spelling))

    def _is_foreign(self, both: tuple[str, str]) -> bool:
        """Whether no key begins as a text does: most alternatives end here."""
        return both[0][:1] not in self.firsts and both[1][:1] not in self.firsts

    def _fold(self, text: str) -> tuple[str, str]:
        return _fold(text) if self.loose else (text, text)


@lru_cache(maxsize=512)
def _speller(keys: tuple[str, ...]) -> _Speller:
    strips = len({key.strip() for key in keys}) == len(keys)
    bare = [key.strip() if strips else key for key in keys]
    folded = [_fold(key) for key in bare]
    decimals = [_decimal(composed) for composed, _ in folded]
    names = [decimal or composed for decimal, (composed, _) in zip(decimals, folded, strict=True)]
    loose = strips and len(set(names)) == len(keys)
    forms = folded if loose else [(key, key) for key in bare]
    return _Speller(
        keys=keys,
        forms=tuple(forms),
        decimals=tuple(decimals) if loose else (None,) * len(keys),
        firsts=frozenset(form[:1] for both in [*forms, *zip(names, names, strict=True)] for form in both),
        loose=loose,
        strips=strips,
    )


def _fold(text: str) -> tuple[str, str]:
    if text.isascii():
        lower = text.lower()
        return lower, lower
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()), text.casefold()


def _decimal(text: str) -> str | None:
    """The shortest spelling of a plain number, None for anything else: "8.0" is "8", "08" is no number here."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return None
    fraction = (match[2] or "").rstrip("0")
    return f"{match[1]}.{fraction}" if fraction else match[1]


def _begins_number(text: str, decimal: str) -> bool:
    """Whether `text` begins `decimal` or is it with noughts that add nothing: "8", "8.", "8.0" of "8"."""
    if not text.startswith(decimal):
        return decimal.startswith(text)
    rest = text[len(decimal) :]
    if "." not in decimal:
        if rest[:1] not in ("", "."):
            return False
        rest = rest[1:]
    return not rest.strip("0")


def _escapes(key: str, start: str, tail: str) -> bool:
    r"""Whether `tail`, such as `\u00`, is a part of the escape of the character that follows `start` in the key."""
    if len(key) <= len(start) or key[: len(start)].casefold() != start.casefold():
        return False
    units = key[len(start)].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)).startswith(tail.lower())
