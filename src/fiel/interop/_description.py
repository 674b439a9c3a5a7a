"""What `dataset.json` says of the tables beside it: criteria with their scales. Knows no row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from fiel.interop._answers import number, spelled
from fiel.records import FielError
from fiel.store.tables import as_text, read_object

KINDS = ("binary", "nominal", "ordinal", "interval", "pairwise", "continuous")


class Described(NamedTuple):
    """One criterion as the file describes it; None and () where it says nothing."""

    kind: str | None = None
    levels: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    question: str | None = None
    not_applicable: tuple[str, ...] = ()


class Description(NamedTuple):
    """The whole file."""

    name: str | None = None
    language: str = "en"
    criteria: Mapping[str, Described] = MappingProxyType({})
    not_applicable: tuple[str, ...] = ()


def read_description(path: Path) -> Description:
    """Read a dataset.json: `name`, `language`, `not_applicable`, and `criteria` by id.

    A criterion has a `type` (binary, nominal, ordinal, interval, pairwise, continuous), `levels` worst first, and may
    have `positive` (what a rate counts), `range` (lowest and highest of a continuous one), `question` and
    `not_applicable`. Other keys are passed over.

    Raises:
        FielError: no JSON object, or one of these is of the wrong kind; with file and key.
    """
    data = read_object(path)
    criteria = data.get("criteria", {})
    if isinstance(criteria, list):
        criteria = {str(entry.get("id")): entry for entry in criteria if isinstance(entry, dict) and "id" in entry}
    if not isinstance(criteria, dict):
        raise FielError("criteria is no table.", where=str(path), fix='Write {"quality": {"type": "ordinal", ...}}.')
    return Description(
        name=_text(data, "name", str(path)),
        language=_text(data, "language", str(path)) or "en",
        criteria={key: _criterion(entry, f"{path}, criteria.{key}") for key, entry in criteria.items()},
        not_applicable=_list(data, "not_applicable", str(path)),
    )


def _criterion(entry: Any, where: str) -> Described:
    if not isinstance(entry, dict):
        raise FielError("A criterion is described by an object.", where=where, fix='Such as {"type": "binary"}.')
    kind = _text(entry, "type", where)
    if kind is not None and kind not in KINDS:
        raise FielError(f"There is no type {kind!r}.", where=where, fix=f"It is one of: {', '.join(KINDS)}.")
    levels = _list(entry, "levels", where)
    if len(levels) == 1 or len(set(levels)) < len(levels):
        raise FielError(f"levels is {list(levels)}.", where=where, fix="Give two or more, each once, worst first.")
    return Described(
        kind=kind,
        levels=levels,
        passing=_list(entry, "positive", where),
        span=_span(entry, where),
        question=_text(entry, "question", where),
        not_applicable=_list(entry, "not_applicable", where),
    )


def _text(data: dict[str, Any], key: str, where: str) -> str | None:
    value = data.get(key)
    if value is not None and not (isinstance(value, str) and value.strip()):
        raise FielError(f"{key} must be a text.", where=where, fix="Put it in quotes, or take it out.")
    return value


def _list(data: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """One value or several, as spellings."""
    value = data.get(key)
    several = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(entry, (str, int, float)) and spelled(entry) for entry in several):
        raise FielError(f"{key} must hold texts or numbers.", where=where, fix="Write one value, or a list of them.")
    return tuple(spelled(entry) or "" for entry in several)


def _span(data: dict[str, Any], where: str) -> tuple[float, float] | None:
    if data.get("range") is None:
        return None
    ends = [number(as_text(end) or "") for end in data["range"]] if isinstance(data["range"], list) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None or not ends[0] < ends[1]:
        raise FielError("range must be the lowest and the highest value.", where=where, fix="Such as [0, 1].")
    return ends[0], ends[1]
