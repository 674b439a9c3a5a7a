"""What was asked in one call and what was read in the reply. Knows no model and no belief."""

from __future__ import annotations

import string
from typing import Literal, TypeAlias

import msgspec

from fiel.records import Criterion

Keys: TypeAlias = Literal["auto", "letters", "text"]

NOT_APPLICABLE = "not applicable"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One criterion as it was put to the model.

    Args:
        criterion: the criterion.
        keys: how each possible answer is spelt in the reply, in the order of `answers`.
    """

    criterion: Criterion
    keys: tuple[str, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers: the options, and "not applicable" last where the criterion has it."""
        extra = (NOT_APPLICABLE,) if self.criterion.applies_when else ()
        return (*self.criterion.options, *extra)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply says on one criterion.

    Args:
        answer: one of `Asked.answers`; None where there is none, and then `problem` says why.
        start, end: where the value stands in the text of the reply, in characters, without its quotes.
        reason: the judge's words.
        fragment: what it quoted as evidence.
        problem: missing, off the scale, conflicting, not readable: in a sentence.
    """

    answer: str | None = None
    start: int | None = None
    end: int | None = None
    reason: str | None = None
    fragment: str | None = None
    problem: str | None = None


def ask(criterion: Criterion, keys: Keys = "auto") -> Asked:
    """The criterion with the spelling of its answers: letters where one answer begins another, else the words.

    >>> from fiel.records import Criterion
    >>> ask(Criterion(id="c", question="?", options=("no", "not sure", "yes"))).keys
    ('A', 'B', 'C')
    >>> ask(Criterion(id="c", question="?")).keys
    ('no', 'yes')
    """
    words = Asked(criterion=criterion, keys=()).answers
    folded = [word.casefold() for word in words]
    shared = any(a != b and b.startswith(a) for a in folded for b in folded)
    letters = keys == "letters" or (keys == "auto" and shared)
    if letters and len(words) > len(string.ascii_uppercase):
        letters = False
    return Asked(criterion=criterion, keys=tuple(string.ascii_uppercase[: len(words)]) if letters else words)
