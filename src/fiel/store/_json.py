"""JSON from files, refused where it is ambiguous, bottomless or no JSON. Knows no particular file."""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from fiel.records import FielError, decode

R = TypeVar("R")

DEEPEST = 100
"""Lists and tables inside each other in a file; what is deeper is an attack or a mistake, and ends the program."""


class _TwiceError(ValueError):
    """An object has one key twice."""


class _NoNumberError(ValueError):
    """A number is NaN or infinite."""


def decode_json(data: bytes, kind: type[R], *, where: str) -> R:
    """The record or plain value of type `kind` that `data` holds.

    Raises:
        FielError: as `records.decode`; or a key stands twice in one object, a number is NaN or infinite, or the nesting
            is deeper than 100.
    """
    try:
        value = decode(data, kind, where=where)
        _scan(data)
    except RecursionError:
        raise _too_deep(where) from None
    except _TwiceError as error:
        raise FielError(
            f"The key {str(error)!r} stands twice in one object.", where=where, fix="Keep one of them."
        ) from None
    except FielError as error:
        _explain(data, where)
        raise error from error.__cause__
    if data.count(b"[") + data.count(b"{") > DEEPEST and is_too_deep(value):
        raise _too_deep(where)
    return value


def is_too_deep(value: Any) -> bool:
    """Whether lists and tables stand inside each other more than 100 deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [part for whole in level for part in _parts(whole) if isinstance(part, (dict, list))]
        if not level:
            return False
    return True


def _parts(whole: Any) -> Any:
    return whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()


def _scan(data: bytes) -> None:
    """Read valid JSON once more for what msgspec passes over."""
    _scan_text(data.decode("utf-8", "replace").removeprefix("\ufeff"))


def _explain(data: bytes, where: str) -> None:
    """Raise where a number that is none, or the depth, is why something is no JSON."""
    try:
        json.loads(data.decode("utf-8", "replace"), parse_int=str, parse_constant=_refuse)
    except _NoNumberError as error:
        raise FielError(
            f"{error} is not JSON, which has no such number.",
            where=where,
            fix="Write null, or leave the key out, where a number is missing.",
        ) from None
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError:
        return


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for index, name in enumerate(names) if name in names[:index]))
    return made


def _refuse(constant: str) -> NoReturn:
    raise _NoNumberError(constant)


def _too_deep(where: str) -> FielError:
    return FielError(
        f"Lists and objects are nested too deeply, more than {DEEPEST} inside each other.",
        where=where,
        fix="Write what is inside as text.",
    )


_scan_text = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str, parse_constant=_refuse).decode
