"""Bodies of requests as what the desk takes; whatever else they hold is refused with a reason."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec
from starlette.datastructures import Headers

from fiel.labelling import Decision, Entry, Mark
from fiel.records import FielError, decode

B = TypeVar("B")

_VERSION = re.compile(r'"?(\d{1,9})"?')


class PreconditionError(FielError):
    """The request does not say what it believes to stand there."""


class KindError(FielError):
    """The body is no JSON by its own words."""


class _Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str
    seconds: float
    answer: str | None = None
    skipped: str | None = None
    strength: int | None = None
    flag: bool = False
    note: str | None = None
    evidence: tuple[Mark, ...] = ()


class _Decision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str
    answer: str | None = None
    skipped: str | None = None
    reason: str | None = None
    note: str | None = None


def read_entry(headers: Headers, body: bytes) -> Entry:
    """One answer.

    Raises:
        PreconditionError: no `If-Match`.
        KindError: another content type.
        FielError: not JSON, or not this one.
    """
    version = _version(headers)
    return Entry(version=version, **msgspec.structs.asdict(_read(headers, body, _Label)))


def read_decision(headers: Headers, body: bytes) -> Decision:
    """One decision; raises as `read_entry` does."""
    said = {"version": _version(headers), **msgspec.structs.asdict(_read(headers, body, _Decision))}
    try:
        return msgspec.convert(said, Decision)
    except msgspec.ValidationError as error:
        raise FielError(f"{error}.", where="the body") from error


def _version(headers: Headers) -> int:
    found = _VERSION.fullmatch(headers.get("if-match", ""))
    if found is None:
        raise PreconditionError(
            "The request does not say which version it changes.", fix='Send If-Match: "0" where nothing stands yet.'
        )
    return int(found[1])


def _read(headers: Headers, body: bytes, kind: type[B]) -> B:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise KindError("The body is not sent as JSON.", fix="Send Content-Type: application/json.")
    try:
        read = decode(body, kind, where="the body")
        json.loads(body, object_pairs_hook=_once)
    except RecursionError:
        raise FielError("The JSON is nested too deeply.", where="the body") from None
    return read


def _once(pairs: list[tuple[str, Any]]) -> None:
    """A name that comes twice is two answers to one question."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FielError(f"{twice} is given twice.", where="the body", fix="Send it once.")
