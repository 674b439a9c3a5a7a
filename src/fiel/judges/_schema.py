"""JSON read strictly and held against a JSON Schema, offline and in bounded time. Knows no item."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import msgspec
from jsonschema import validators
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from fiel.judges._patterns import compiled
from fiel.judges._references import reachable
from fiel.records import FielError, encode

_SECONDS = 0.5  # for each match of one pattern of a schema
_ALL_SECONDS = 2.0  # for one text: a schema may take more steps than the text has characters
_MOST = 2000  # entries of one array or object under unevaluatedItems or unevaluatedProperties, which are quadratic

_deadline: ContextVar[float] = ContextVar("_deadline", default=math.inf)  # of the text at hand, in this context alone


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


def check_schema(schema: dict[str, Any]) -> None:
    """Refuse a schema that cannot be used, before any text is held against it.

    Raises:
        FielError: the schema is invalid, has a pattern that is none, refers to what is not in it, is nested too deeply,
            or pairs two keywords that cannot be timed.
    """
    _prepared(schema)


def violation(value: Any, schema: dict[str, Any]) -> str | None:
    """The path and message of what is most wrong with `value`, or None when `schema` admits it.

    The draft is the one that `$schema` names, else 2020-12. No reference outside the schema is followed. The patterns
    of the schema are matched with a time limit, and so is the whole schema.

    Raises:
        FielError: as in `check_schema`.
        Undecidable: a pattern or the whole took too long, or the schema refers to itself without end.
    """
    validator = _prepared(schema)
    token = _deadline.set(time.monotonic() + _ALL_SECONDS)
    try:
        error = best_match(validator.iter_errors(value))
    except Unresolvable as problem:
        raise FielError(
            f"The schema refers to {problem.ref!r}, which is not in it.",
            fix="Copy the referenced schema under $defs; nothing is fetched from the network.",
        ) from None
    except RecursionError:
        raise Undecidable("the schema or the JSON is nested without end") from None
    except ArithmeticError:
        raise Undecidable("the JSON holds a number too large to be held against the schema") from None
    finally:
        _deadline.reset(token)
    return None if error is None else f"{error.json_path}: {error.message}"


def _prepared(schema: dict[str, Any]) -> Validator:
    try:
        return _validator(encode(schema))
    except RecursionError:
        raise FielError(
            "The schema is nested too deeply to be used.", fix="Move its inner parts under $defs."
        ) from None


@lru_cache(maxsize=64)
def _validator(schema: bytes) -> Validator:
    plain = msgspec.json.decode(schema)
    if not isinstance(plain.get("$schema", ""), str):
        raise FielError("The schema is invalid: $.$schema is not text.", fix="Name a draft, or leave it out.")
    base = validators.validator_for(plain, default=validators.Draft202012Validator)
    try:
        base.check_schema(plain, format_checker=None)  # patterns are compiled below, by the library that matches them
    except SchemaError as error:
        raise FielError(f"The schema is invalid: {error.json_path}: {error.message}.") from None
    if b'"patternProperties"' in schema and b'"unevaluatedProperties"' in schema:
        raise FielError(
            "The schema has patternProperties and unevaluatedProperties, whose patterns cannot be given a time limit.",
            fix="Use additionalProperties in place of unevaluatedProperties.",
        )
    for part in reachable(plain, base.META_SCHEMA["$schema"]):
        for pattern in (*_texts(part.get("pattern")), *_texts(part.get("patternProperties"))):
            compiled(pattern)
    own: dict[str, Callable[..., Any]] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional,
        "uniqueItems": _unique_items,
    }
    few = {name: _few(base.VALIDATORS[name]) for name in _QUADRATIC if name in base.VALIDATORS}
    timed = {name: _timed(keyword) for name, keyword in {**base.VALIDATORS, **own, **few}.items()}
    kind = validators.extend(base, timed, type_checker=base.TYPE_CHECKER.redefine("boolean", _is_boolean))
    return kind(plain, registry=EMPTY_REGISTRY)


_QUADRATIC = ("unevaluatedItems", "unevaluatedProperties")


def _texts(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        yield from found


def _left() -> float:
    """The seconds that are left for the text at hand.

    Raises:
        Undecidable: none are.
    """
    left = _deadline.get() - time.monotonic()
    if left <= 0:
        raise Undecidable(f"the schema took more than {_ALL_SECONDS:g} s on this JSON")
    return left


def _timed(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def run(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        _left()
        return keyword(validator, value, instance, schema)

    return run


def _few(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def run(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if isinstance(instance, (list, dict)) and len(instance) > _MOST:
            raise Undecidable(f"{len(instance)} entries are too many for {' or '.join(_QUADRATIC)}")
        return keyword(validator, value, instance, schema)

    return run


def _is_boolean(_: Any, value: Any) -> bool:
    """Whether a value or schema is true or false: asked at steps that no keyword counts, so the time is kept here."""
    _left()
    return isinstance(value, bool)


def _unique_items(validator: Any, wanted: bool, value: Any, _: Any) -> Iterator[ValidationError]:  # noqa: FBT001  a keyword
    if not wanted or not validator.is_type(value, "array"):
        return
    seen: dict[str, int] = {}
    for place, item in enumerate(value):
        before = seen.setdefault(_canonical(item), place)
        if before != place:
            yield ValidationError(f"the items {before} and {place} are equal")
            return


def _canonical(value: Any) -> str:
    """One text for all that JSON Schema calls equal: 1 and 1.0, objects in any order; true is not 1."""
    return json.dumps(_exact(value), sort_keys=True)


def _exact(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_exact(part) for part in value]
    if isinstance(value, dict):
        return {name: _exact(part) for name, part in value.items()}
    return value


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
    seconds = min(_SECONDS, _left())
    try:
        return compiled(pattern).search(text, timeout=seconds) is not None
    except TimeoutError:
        raise Undecidable(f"the schema's pattern {pattern!r} took more than {seconds:.2g} s") from None


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
