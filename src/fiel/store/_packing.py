"""Values as bytes of a database cell: JSON, compressed where it pays, of whatever a model wrote. Knows no table.

Models emit what JSON in UTF-8 cannot hold, and all of it comes back: a lone surrogate is written as UTF-8 would write a
character of its number (Python's `surrogatepass`), a number that is not finite as NaN, Infinity or -Infinity.

A cell that begins with `x`, as no JSON does, is a zlib stream. Level 1 takes a third of the time of level 6; its result
is about a sixth longer.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any, TypeVar

import msgspec

from fiel.records import FielError

_T = TypeVar("_T")

_WORTH = 4096  # bytes, a page of the database; what is shorter stays as it is
_COMPRESSED = b"x"
_MAY_BE_NAN = re.compile(rb"[\[:,]null")  # msgspec writes NaN and infinity so


def pack(value: Any) -> bytes:
    """A record or plain value as it is kept.

    >>> pack({"text": "yes"})
    b'{"text":"yes"}'
    """
    return squeeze(to_json(value))


def to_json(value: Any) -> bytes:
    """Compact JSON, strict where it can be."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        return _to_wide_json(value)
    return _to_wide_json(value) if b"null" in data and _MAY_BE_NAN.search(data) else data


def squeeze(data: bytes) -> bytes:
    """The same JSON, compressed where that makes it shorter."""
    if len(data) < _WORTH:
        return data
    return min(zlib.compress(data, 1), data, key=len)


def unpack(cell: bytes, kind: type[_T], *, where: str) -> _T:
    """The value of type `kind` that `pack` has made a cell of.

    Raises:
        FielError: the cell is damaged, or holds something else.
    """
    try:
        data = zlib.decompress(cell) if cell.startswith(_COMPRESSED) else cell
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeError):
            return msgspec.convert(json.loads(data.decode("utf-8", "surrogatepass")), kind)
    except (zlib.error, ValueError, msgspec.ValidationError) as error:
        raise FielError(f"A kept {kind.__name__} cannot be read: {error}.", where=where) from error


def _to_wide_json(value: Any) -> bytes:
    plain = msgspec.to_builtins(value)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
