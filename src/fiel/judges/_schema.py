"""JSON read strictly and held against a JSON Schema, offline and in bounded time. Knows no item."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec
import regex
from jsonschema import validators
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from fiel.records import FielError, encode

_SECONDS = 0.5  # for each match of one pattern of a schema


class Undecidable(Exception):  # noqa: N818  not an error of the program: the text or schema is beyond a safe check
    """Neither valid nor invalid can be said, and why."""


def read_json(text: str) -> Any:
    """The value of `text`, which must be JSON to the letter.

    Raises:
        ValueError: not JSON, NaN or Infinity, a number beyond double precision, a key that stands twice in an object.
        Undecidable: nested too deeply, or an integer too long, to be read.
    """
    try:
        return json.loads(
            text, parse_constant=_constant, parse_float=_number, parse_int=_integer, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Undecidable("the JSON is nested too deeply to be read") from None


def violation(value: Any, schema: dict[str, Any]) -> str | None:
    """The path and message of what is most wrong with `value`, or None when `schema` admits it.

    The draft is the one that `$schema` names, else 2020-12. No reference outside the schema is followed. The patterns
    of the schema are matched with a time limit.

    Raises:
        FielError: the schema is invalid, refers elsewhere, or pairs two keywords that cannot be timed.
        Undecidable: a pattern took too long, or the schema refers to itself without end.
    """
    validator = _validator(encode(schema))
    try:
        error = best_match(validator.iter_errors(value))
    except Unresolvable as problem:
        raise FielError(
            f"The schema refers to {problem.ref!r}, which is not in it.",
            fix="Copy the referenced schema under $defs; nothing is fetched from the network.",
        ) from None
    except RecursionError:
        raise Undecidable("the schema or the JSON is nested without end") from None
    return None if error is None else f"{error.json_path}: {error.message}"


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Validator:
    plain = msgspec.json.decode(schema)
    base = validators.validator_for(plain, default=validators.Draft202012Validator)
    try:
        base.check_schema(plain, format_checker=base.FORMAT_CHECKER)
    except SchemaError as error:
        raise FielError(f"The schema is invalid: {error.json_path}: {error.message}.") from None
    if b'"patternProperties"' in schema and b'"unevaluatedProperties"' in schema:
        raise FielError(
            "The schema has patternProperties and unevaluatedProperties, whose patterns cannot be given a time limit.",
            fix="Use additionalProperties in place of unevaluatedProperties.",
        )
    timed = {"pattern": _pattern, "patternProperties": _pattern_properties, "additionalProperties": _additional}
    kind = validators.extend(base, timed)
    return kind(plain, registry=EMPTY_REGISTRY)


def _pattern(validator: Any, pattern: str, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not _matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for pattern, inner in patterns.items():
            for name, part in value.items():
                if _matches(pattern, name):
                    yield from validator.descend(part, inner, path=name, schema_path=pattern)


def _additional(validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    patterns = schema.get("patternProperties", {})
    for name, part in value.items():
        if name in schema.get("properties", {}) or any(_matches(pattern, name) for pattern in patterns):
            continue
        if inner is False:
            yield ValidationError(f"the property {name!r} is not allowed")
        else:
            yield from validator.descend(part, inner, path=name)


def _matches(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, timeout=_SECONDS) is not None
    except TimeoutError:
        raise Undecidable(f"the schema's pattern {pattern!r} took more than {_SECONDS:g} s") from None
    except regex.error as error:
        raise FielError(f"The schema's pattern {pattern!r} is not a regular expression: {error}.") from None


def _constant(name: str) -> Any:
    raise ValueError(f"not JSON: {name} is not a JSON number")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is beyond double precision")
    return value


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Undecidable(f"the JSON holds an integer of {len(text)} digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"the key {name!r} stands twice in one object")
        made[name] = value
    return made
