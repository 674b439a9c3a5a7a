"""What a program can decide about a text, so that no judge is asked. Data alone: `judges` carries them out."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

from fiel.records._errors import FielError
from fiel.records._lines import Record

Field: TypeAlias = Literal["output", "input", "context", "reference"]
Decides: TypeAlias = Literal["both", "fail", "pass"]

_LONGEST = 3600.0  # seconds of one match


class _Check(Record, tag_field="kind", frozen=True, kw_only=True):
    """What every check has.

    Args:
        field: the text of the item that is looked at.
        decides: `both` outcomes (no judge is asked), or only a `fail` or only a `pass` (the judge is asked otherwise).
    """

    field: Field = "output"
    decides: Decides = "both"


class JSONSchema(_Check, tag="json_schema", frozen=True, kw_only=True):
    """The text is JSON that `schema` admits; a path in its place is read when the rubric is loaded."""

    schema: dict[str, Any] | str


class Regex(_Check, tag="regex", frozen=True, kw_only=True):
    """The text holds (`search`), is (`full`) or lacks (`absent`) what the pattern describes; at most `seconds`."""

    pattern: str
    match: Literal["search", "full", "absent"] = "search"
    ignore_case: bool = False
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= _LONGEST:
            raise FielError(
                f"A regex check has seconds = {self.seconds}; it needs a limit above 0 and of at most {_LONGEST:g}."
            )


class Number(_Check, tag="number", frozen=True, kw_only=True):
    """A number of the text is `value` (or the number of the reference) within a tolerance."""

    value: float | None = None
    which: Literal["first", "last", "only", "any"] = "any"
    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise FielError(f"A number check has value = {self.value}, which no answer can equal.")
        for name in ("absolute", "relative"):
            tolerance: float = getattr(self, name)
            if not 0 <= tolerance < math.inf:
                raise FielError(
                    f"A number check has a negative tolerance or none: {name} = {tolerance}.",
                    fix="Give absolute and relative as 0 or more.",
                )


class Length(_Check, tag="length", frozen=True, kw_only=True):
    """The text has at least `minimum` and at most `maximum` characters, words or lines."""

    minimum: int | None = None
    maximum: int | None = None
    unit: Literal["characters", "words", "lines"] = "characters"

    def __post_init__(self) -> None:
        if self.minimum is None and self.maximum is None:
            raise FielError("A length check has neither minimum nor maximum.", fix="Give at least one of them.")
        lowest, highest = self.minimum or 0, math.inf if self.maximum is None else self.maximum
        if lowest < 0 or highest < lowest:
            raise FielError(
                f"No text has the length that a check asks for: minimum = {self.minimum}, maximum = {self.maximum}.",
                fix="Give numbers of 0 or more, the minimum not above the maximum.",
            )


class Equals(_Check, tag="equals", frozen=True, kw_only=True):
    """The text is `value` (or the reference), white space at the ends aside, and case if told."""

    value: str | None = None
    ignore_case: bool = False


class Contains(_Check, tag="contains", frozen=True, kw_only=True):
    """The text holds all of `all`, at least one of `any`, and none of `none`."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    ignore_case: bool = False

    def __post_init__(self) -> None:
        if not (self.all or self.any or self.none):
            raise FielError("A contains check names no text.", fix="Give at least one of all, any, none.")


Check: TypeAlias = JSONSchema | Regex | Number | Length | Equals | Contains
