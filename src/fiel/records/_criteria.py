"""What is asked of an answer. A changed word is a changed digest."""

from __future__ import annotations

import unicodedata
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

from fiel.records._checks import Check
from fiel.records._errors import FielError
from fiel.records._lines import Record, digest

Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]

_LONGEST_ID = 200
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, breaks of lines and paragraphs


class Criterion(Record, dict=True, frozen=True, kw_only=True):
    """One question about an answer, with its closed list of answers.

    Args:
        id: the name under which results are shown.
        question: what is asked.
        options: the possible answers, worst first.
        passing: what a rate counts; the last option when not given.
        scale: nominal, ordinal or interval; `interval` wants options that are numbers.
        guidance: how to decide; definitions of the options.
        evidence_in: the text in which a failure must quote a fragment.
        applies_when: when the question makes sense at all; adds "not applicable", with its own denominator.
        exclude: what must not count (length, style, tone).
        checks: what a program decides before any judge is asked.
    """

    id: str
    question: str
    options: tuple[str, ...] = ("no", "yes")
    passing: tuple[str, ...] = ()
    scale: Scale = "nominal"
    guidance: str | None = None
    evidence_in: Literal["answer", "context", "question", "none"] = "none"
    applies_when: str | None = None
    exclude: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()

    def __post_init__(self) -> None:
        where = f"criterion {self.id!r}"
        if not self.id.strip():
            raise FielError("A criterion has an empty id.", fix="Name what it asks in a word or two.")
        if len(self.id) > _LONGEST_ID or any(unicodedata.category(char) in _UNSEEN for char in self.id):
            raise FielError(
                f"A criterion has an id of {len(self.id)} characters that cannot be shown in a line: {self.id[:60]!r}.",
                fix=f"Use at most {_LONGEST_ID} characters, without line breaks or control characters.",
            )
        if not self.question.strip():
            raise FielError("The question is empty.", where=where)
        if len(set(self.options)) < 2 or len(set(self.options)) != len(self.options):
            raise FielError(
                f"It needs at least two distinct options, worst first; it has {list(self.options)}.", where=where
            )
        if not all(option.strip() for option in self.options):
            raise FielError(
                f"An option is empty: {list(self.options)}.",
                where=where,
                fix="Write it out; an empty answer is a skipped question.",
            )
        values = self.values
        if values is not None and len(set(values)) < len(values):
            raise FielError(f"Two options are the same number: {list(self.options)}.", where=where)
        if len(set(self.passing)) < len(self.passing):
            raise FielError(f"passing names an option twice: {list(self.passing)}.", where=where)
        unknown = [option for option in self.passing if option not in self.options]
        if unknown or set(self.passing) == set(self.options):
            raise FielError(
                f"passing must name some of the options and not all of them; it is {list(self.passing)}.",
                where=where,
                fix=f"The options are {list(self.options)}.",
            )
        if self.scale == "interval" and values is None:
            raise FielError("An interval scale needs options that are numbers.", where=where)

    @property
    def passes(self) -> tuple[str, ...]:
        """The options that a rate counts."""
        return self.passing or self.options[-1:]

    @property
    def values(self) -> tuple[float, ...] | None:
        """The numbers that the options stand for, or None where they are words."""
        return numbers(self.options)

    @cached_property
    def digest(self) -> str:
        """Of its whole wording."""
        return digest(self)


class Rubric(Record, dict=True, frozen=True, kw_only=True):
    """Criteria that are judged together, and the guidance that they share."""

    id: str
    language: str = "en"
    criteria: tuple[Criterion, ...]
    guidance: str | None = None

    def __post_init__(self) -> None:
        if not self.criteria:
            raise FielError("It has no criteria.", where=f"rubric {self.id!r}", fix="Add a [[criteria]] table.")
        ids = [criterion.id for criterion in self.criteria]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise FielError(f"Two criteria have the id {twice[0]!r}.", where=f"rubric {self.id!r}")

    def __getitem__(self, name: str) -> Criterion:
        for criterion in self.criteria:
            if criterion.id == name:
                return criterion
        known = ", ".join(criterion.id for criterion in self.criteria)
        raise FielError(f"Rubric {self.id!r} has no criterion {name!r}.", fix=f"It has: {known}.")

    @cached_property
    def digest(self) -> str:
        """Of every word in it."""
        return digest(self)


@lru_cache(maxsize=1024)
def numbers(options: tuple[str, ...]) -> tuple[float, ...] | None:
    """The options as finite numbers, or None when one of them is none.

    >>> numbers(("1", "2.5")), numbers(("no", "yes"))
    ((1.0, 2.5), None)
    """
    try:
        values = tuple(float(option) for option in options)
    except ValueError:
        return None
    return values if all(abs(value) < float("inf") for value in values) else None
