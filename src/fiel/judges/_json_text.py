"""JSON in a reply, read leniently, with the place of every value in the text. Knows no criterion.

A tolerance acts only where the text is not JSON, is named, and never looks into a string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["string", "number", "literal", "object", "array"]

_DEEPEST = 30
_SPACE = re.compile(r"[\s\ufeff]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_CHUNK = re.compile(r'[^"\\]*')
_CONTROL = re.compile(r"[\x00-\x1f]")
_MEMBER = re.compile(  # with a plain value, and what follows it: most of most replies
    r'[\s\ufeff]*"([^"\\\x00-\x1f]*)"\s*:\s*'
    r'(?:"([^"\\\x00-\x1f]*)"|(-?[0-9]+(?:\.[0-9]+)?)|(true|false|null))\s*([,}])',
    re.ASCII,
)
_MEMBER_KINDS: tuple[Kind, ...] = ("string", "number", "literal")
_KEY = re.compile(r'[\s\ufeff]*"([^"\\\x00-\x1f]*)"\s*:\s*')
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
_WORD = re.compile(r"(?:true|false|null|True|False|None|-?Infinity|NaN)\b", re.ASCII)
_STUB = re.compile(r"(?:-(?:I[a-z]*)?|[tTfFnNI][a-zA-Z]{0,7})\Z")  # the beginning of one, where the text ends
_MORE = re.compile(r"(?:\.|[eE][-+]?)\Z")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_OPENING = re.compile(r'\{(?=\s*(?:"|\}|//|\Z))')
_REMNANT = re.compile(r'"\s*:')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON = {"True": "true", "False": "false", "None": "null"}


class Value(NamedTuple):
    """A value and its place: of a string what stands between its quotes.

    `content` is the text of a string, the literal of a number or word, the members (name, value) of an object in
    order, repeated names included, or the values of an array. What a cut left open is not `whole`.
    """

    kind: Kind
    content: Any
    start: int
    end: int
    whole: bool = True


@dataclass(slots=True)
class Found:
    """The JSON objects that stand side by side in a text.

    Args:
        objects: in order; the last one may not be whole.
        mended: the tolerances that were needed.
        outside: the text that is in none of them.
        broken: why reading stopped within an object, if it did; then nothing of the text is to be trusted.
        cut: whether the text ends within an object.
        loose: where a number ends that touches the end of a text without its closing brace.
    """

    objects: list[Value] = field(default_factory=list)
    mended: dict[str, None] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    broken: str | None = None
    cut: bool = False
    loose: int | None = None


class _BrokenError(Exception):
    """Not JSON, with every tolerance, at a place."""


class _CutError(Exception):
    """The text ends within a value."""


def find_objects(text: str, begin: int = 0) -> Found:
    r"""Every JSON object of `text` from `begin` on that stands in no other one and in no string.

    A brace opens an object where a quote, a closing brace or a comment follows it. Where such an object is broken,
    reading stops: what looks like JSON further on may be part of a string. The same holds for text after an object
    that looks like more of one: a name in quotes with a colon, a quote without its other half.

    >>> found = find_objects('Here: {"a": {"b": "s\u00ed"},}')
    >>> name, value = found.objects[0].content[0]
    >>> name, value.content, list(found.mended)
    ('a', [('b', Value(kind='string', content='sí', start=19, end=21, whole=True))], ['trailing comma'])
    """
    found, end = Found(), _end(text)
    while opening := _OPENING.search(text, begin, end):
        _leave(found, text[begin : opening.start()])
        scanner = _Scanner(text, end, found)
        try:
            value = scanner.read(opening.start())
        except _BrokenError as error:
            found.broken = str(error)
            return found
        found.objects.append(value)
        begin = value.end
        if not value.whole:
            found.cut = True
            return found
    _leave(found, text[begin:])
    return found


def _member(match: re.Match[str]) -> tuple[str, Value]:
    group = 2 if match[2] is not None else 3 if match[3] is not None else 4
    return match[1], Value(_MEMBER_KINDS[group - 2], match[group], *match.span(group))


def _end(text: str) -> int:
    """Where the text ends without white space and a closing fence."""
    end = len(text.rstrip())
    return end - 3 if text.endswith("```", 0, end) else end


def _leave(found: Found, outside: str) -> None:
    if found.objects and (_REMNANT.search(outside) or outside.count('"') % 2):
        found.broken = found.broken or "text after its JSON looks like more of it"
    if outside.strip("\ufeff \t\r\n"):
        found.outside.append(outside)


@dataclass(slots=True)
class _Open:
    """A container that is being read, and the name whose value comes next."""

    kind: Kind
    start: int
    content: list[Any] = field(default_factory=list)
    name: str = ""

    def add(self, value: Value) -> None:
        self.content.append((self.name, value) if self.kind == "object" else value)


class _Scanner:
    """Reads one object. `text` from `end` on is not looked at."""

    def __init__(self, text: str, end: int, found: Found) -> None:
        self.text = text
        self.end = end
        self.found = found
        self.open: list[_Open] = []

    def read(self, start: int) -> Value:
        try:
            return self._object(start)
        except _CutError:
            return self._partial()

    def _partial(self) -> Value:
        """What was read when the text ended: the containers still open, each the last part of the one before."""
        while True:
            last = self.open.pop()
            value = Value(last.kind, last.content, last.start, self.end, whole=False)
            if not self.open:
                return value
            self.open[-1].add(value)

    def _enter(self, kind: Kind, start: int) -> _Open:
        if len(self.open) >= _DEEPEST:
            raise _BrokenError(f"its JSON is nested more than {_DEEPEST} deep")
        self.open.append(_Open(kind, start))
        return self.open[-1]

    def _close(self, end: int) -> Value:
        closed = self.open.pop()
        return Value(closed.kind, closed.content, closed.start, end)

    def _object(self, start: int) -> Value:
        here, at = self._enter("object", start), start + 1
        while True:
            if plain := _MEMBER.match(self.text, at, self.end):
                here.content.append(_member(plain))
                at = plain.end()
                if plain[5] == "}":
                    return self._close(at)
                continue
            if quick := _KEY.match(self.text, at, self.end):
                here.name, at = quick[1], quick.end()
            else:
                at = self._space(at)
                if self._char(at) == "}":
                    self._note_comma(here)
                    return self._close(at + 1)
                here.name, at = self._name(at)
            value, at = self._value(at)
            here.add(value)
            at = self._space(at)
            if at >= self.end and len(self.open) == 1:
                self._note_brace(value)
                return self._close(self.end)
            char = self._char(at)
            if char == "}":
                return self._close(at + 1)
            if char != ",":
                raise self._broken(at, "a comma or a closing brace")
            at += 1

    def _array(self, start: int) -> Value:
        here, at = self._enter("array", start), start + 1
        while True:
            at = self._space(at)
            if self._char(at) == "]":
                self._note_comma(here)
                return self._close(at + 1)
            value, at = self._value(at)
            here.add(value)
            at = self._space(at)
            char = self._char(at)
            if char == "]":
                return self._close(at + 1)
            if char != ",":
                raise self._broken(at, "a comma or a closing bracket")
            at += 1

    def _note_comma(self, container: _Open) -> None:
        if container.content:
            self.found.mended["trailing comma"] = None

    def _note_brace(self, last: Value) -> None:
        self.found.mended["closing brace"] = None
        if last.kind == "number" and last.end == self.end:
            self.found.loose = last.end

    def _name(self, at: int) -> tuple[str, int]:
        if self._char(at) != '"':
            raise self._broken(at, "a name in quotes")
        value, at = self._string(at)
        at = self._space(at)
        if self._char(at) != ":":
            raise self._broken(at, "a colon")
        return value.content, at + 1

    def _value(self, at: int) -> tuple[Value, int]:
        at = self._space(at)
        char = self._char(at)
        if char == '"':
            return self._string(at)
        if char == "{":
            value = self._object(at)
            return value, value.end
        if char == "[":
            value = self._array(at)
            return value, value.end
        if number := _NUMBER.match(self.text, at, self.end):
            return self._number(number)
        if word := _WORD.match(self.text, at, self.end):
            if word[0] in _PYTHON:
                self.found.mended["Python literal"] = None
            return Value("literal", _PYTHON.get(word[0], word[0]), at, word.end()), word.end()
        if _STUB.match(self.text, at, self.end):
            raise _CutError
        raise self._broken(at, "a value")

    def _number(self, number: re.Match[str]) -> tuple[Value, int]:
        if _MORE.match(self.text, number.end(), self.end):
            raise _CutError
        return Value("number", number[0], number.start(), number.end()), number.end()

    def _string(self, start: int) -> tuple[Value, int]:
        """The string whose opening quote stands at `start`."""
        begin = start + 1
        at = _PLAIN.match(self.text, begin, self.end).end()  # type: ignore[union-attr]  # matches the empty text too
        if at < self.end and self.text[at] == '"':
            return Value("string", self.text[begin:at], begin, at), at + 1
        parts: list[str] = []
        at = begin
        while True:
            chunk = _CHUNK.match(self.text, at, self.end)[0]  # type: ignore[index]  # matches the empty text too
            if _CONTROL.search(chunk):
                self.found.mended["unescaped newline"] = None
            parts.append(chunk)
            at += len(chunk)
            if self._char(at) == '"':
                return Value("string", "".join(parts), begin, at), at + 1
            part, at = self._escape(at + 1)
            parts.append(part)

    def _escape(self, at: int) -> tuple[str, int]:
        """What the escape means whose backslash stands before `at`; kept as it stands where it means nothing."""
        char = self._char(at)
        if char in _ESCAPES:
            return _ESCAPES[char], at + 1
        if char == "u" and (digits := _HEX.match(self.text, at + 1, self.end)):
            return self._unicode(int(digits[0], 16), at + 5)
        if char == "u" and at + 5 > self.end:
            raise _CutError
        self.found.mended["bad escape"] = None
        return ("'" if char == "'" else "\\" + char), at + 1

    def _unicode(self, code: int, at: int) -> tuple[str, int]:
        """One character; of a surrogate without its other half, U+FFFD."""
        if not 0xD800 <= code < 0xE000:
            return chr(code), at
        if code < 0xDC00 and self.text.startswith("\\u", at) and (low := _HEX.match(self.text, at + 2, self.end)):
            second = int(low[0], 16)
            if 0xDC00 <= second < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00)), at + 6
        return "\ufffd", at

    def _space(self, at: int) -> int:
        """Past white space and comments."""
        while True:
            at = _SPACE.match(self.text, at, self.end).end()  # type: ignore[union-attr]  # matches the empty text too
            if not self.text.startswith("//", at, self.end):
                return at
            end = self.text.find("\n", at, self.end)
            end = self.end if end < 0 else end
            if _REMNANT.search(self.text, at, end):
                raise _BrokenError(f"a comment at character {at} of its JSON holds more of it")
            self.found.mended["comment"] = None
            at = end

    def _char(self, at: int) -> str:
        if at >= self.end:
            raise _CutError
        return self.text[at]

    def _broken(self, at: int, expected: str) -> _BrokenError:
        if at >= self.end:
            raise _CutError
        return _BrokenError(
            f"its JSON is broken at character {at}: {expected} should stand before {self.text[at : at + 12]!r}"
        )
