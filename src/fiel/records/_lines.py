r"""Records as bytes: one JSON object, one line, one digest. Knows no file.

Lines end in `\n` and nothing else ends one: models write U+0085 and U+2028 inside their texts.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from fiel.records._errors import FielError

R = TypeVar("R")

_SCALARS = frozenset({str, int, float, bool, type(None)})
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"  # a high one alone, a low one alone
)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of every record: frozen, named fields, defaults left out of the bytes.

    Leaving defaults out keeps a digest as it was when a later version adds a field.
    """


def encode(record: Any) -> bytes:
    """One record as compact JSON, fields in the order of their definition.

    Raises:
        FielError: a text holds a lone surrogate, which no UTF-8 file can hold, or a number is not finite.
    """
    try:
        data = msgspec.json.encode(record)
    except UnicodeEncodeError as error:
        near = error.object[max(0, error.start - 20) : error.start]
        raise FielError(
            f"A text holds a lone surrogate (U+{ord(error.object[error.start]):04X}), which is not a character.",
            where=f"{_name(record)}, after {near!r}",
            fix="Read the source with its right encoding, or replace the surrogate before giving it to fiel.",
        ) from error
    if b"null" in data and not _is_finite(_plain(record)):  # JSON makes null of NaN and of infinity
        raise FielError(
            "A number is NaN or infinite, which no JSON file can hold.",
            where=_name(record),
            fix="Use None where a number is missing.",
        )
    return data


def decode(data: bytes | str, kind: type[R], *, where: str | None = None) -> R:
    """The record of type `kind` that `data` holds.

    Raises:
        FielError: not JSON, not UTF-8, an unknown or missing field, a value that the record refuses.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except UnicodeEncodeError as error:
        raise FielError(
            "The text holds a lone surrogate, which is not a character.",
            where=where,
            fix="Read the source with its right encoding.",
        ) from error
    except UnicodeDecodeError as error:
        raise FielError(f"Not UTF-8: {error.reason}.", where=where, fix="Save the file as UTF-8.") from error
    except msgspec.DecodeError as error:
        if _LONE_SURROGATE.search(data if isinstance(data, bytes) else data.encode("utf-8", "replace")):
            raise FielError(
                "A text holds the escape of a lone surrogate, which is not a character.",
                where=where,
                fix="Write the file again from the source, with its right encoding.",
            ) from error
        cause = error.__cause__
        if isinstance(cause, FielError):  # the record's own check: its words, with the place added
            raise FielError(cause.what, where=_place(cause.where, where), fix=cause.fix) from error
        raise FielError(f"{str(error).rstrip('.')}.", where=where, fix=_fix(error, kind)) from error


def encode_lines(records: Iterable[Any]) -> bytes:
    r"""Records as JSON Lines, each ended by `\n`."""
    return b"".join(encode(record) + b"\n" for record in records)


def split_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    r"""The lines of `data` that hold something, with their numbers from 1, split on `\n` alone.

    >>> list(split_lines(b"one\x0bstill one\n\ntwo"))
    [(1, b'one\x0bstill one'), (3, b'two')]
    """
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def decode_lines(data: bytes, kind: type[R], *, where: str = "input") -> list[R]:
    """The records that JSON Lines hold; an error names its line."""
    return [decode(line, kind, where=f"{where}, line {number}") for number, line in split_lines(data)]


def digest(value: Any) -> str:
    """A SHA-256 over the canonical bytes of a record or of plain values, in hex.

    Keys are sorted, defaults of records left out, whether or not a file spells them out; the same content has the same
    digest on every machine.
    """
    return hashlib.sha256(encode_sorted(_plain(value))).hexdigest()


def digest_of_encoded(value: Any) -> str:
    """`digest` in a quarter of its time, for a record whose defaults are None, small whole numbers or empty containers.

    Those msgspec leaves out by itself; it knows other defaults by their identity, and a decoded one is another object.
    """
    return hashlib.sha256(encode_sorted(value)).hexdigest()


def encode_sorted(plain: Any) -> bytes:
    """Values as JSON with sorted keys."""
    try:
        return msgspec.json.encode(plain, order="sorted")
    except UnicodeEncodeError:
        return encode(plain)  # the same bytes cannot be made: this raises, with the place


def _plain(value: Any) -> Any:
    """Plain values, defaults left out by value; msgspec goes by identity, and a decoded tuple is another one."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        made: dict[str, Any] = {config.tag_field: config.tag} if config.tag_field else {}
        for name, default in _defaults(type(value)):
            held = getattr(value, name)
            if held != default:
                made[name] = _plain(held)
        return made
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value


@lru_cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (field.name, field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory())
        for field in msgspec.structs.fields(kind)
    )


def _is_finite(plain: Any) -> bool:
    if isinstance(plain, float):
        return math.isfinite(plain)
    parts = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    return all(_is_finite(part) for part in parts)


def _name(record: Any) -> str:
    identity = getattr(record, "id", None)
    kind = type(record).__name__
    return f"{kind} {identity}" if isinstance(identity, str) and identity.isascii() else kind


def _place(inner: str | None, outer: str | None) -> str | None:
    return ", ".join(part for part in (outer, inner) if part) or None


def _fix(error: Exception, kind: Any) -> str | None:
    fields = getattr(kind, "__struct_encode_fields__", None)
    if "unknown field" in str(error) and fields:
        return f"Known fields: {', '.join(fields)}."
    return None
