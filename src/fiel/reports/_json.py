"""A report as JSON, and the schema of that JSON. Knows no file but the published schema's shape."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from fiel.records import FielError, encode
from fiel.reports._bundle import Report


def to_json(report: Report) -> bytes:
    """The whole report: fields in the order of their definition, keys of mappings sorted, two spaces of indent.

    Raises:
        FielError: a number is NaN or infinite, or a text holds a lone surrogate: JSON has neither.
    """
    plain = msgspec.to_builtins(report, order="deterministic")
    _check_finite(plain, "report")
    return msgspec.json.format(encode(plain), indent=2) + b"\n"


def json_schema() -> bytes:
    """The JSON Schema of what `to_json` writes; `schemas/report.schema.json` holds it.

    It says the shape alone: what the fields mean stands where they are defined.
    """
    schema = msgspec.json.schema(Report)
    for part in schema["$defs"].values():
        part.pop("description", None)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def _check_finite(value: Any, place: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise FielError(f"A number is {value!r}.", where=place, fix="Leave out what is undefined, or give None.")
    if isinstance(value, dict):
        for name, part in value.items():
            _check_finite(part, f"{place}.{name}")
    elif isinstance(value, (list, tuple)):
        for position, part in enumerate(value):
            _check_finite(part, f"{place}[{position}]")
