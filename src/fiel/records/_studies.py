"""What a study of labelling is made of: who labels what, in which order, and what is told of it. Knows no judge."""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

from fiel.records._criteria import Rubric
from fiel.records._errors import FielError
from fiel.records._items import Item, Pair
from fiel.records._labels import Design, Label
from fiel.records._lines import Record

Part: TypeAlias = Literal["input", "context", "reference", "output", "a", "b"]

_LONGEST_NAME = 200
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, breaks of lines and paragraphs


class Sample(Record, frozen=True, kw_only=True):
    """What was drawn to be labelled. It stays outside the labels' database: its design may tell of the judge.

    Args:
        name: of the sample, and of the study and the calibration set that come from it.
        rubric: the id of the rubric, and the digest that it had.
        subjects: the ids, in an order that tells nothing.
        design: how they were drawn.
    """

    name: str
    rubric: str
    rubric_digest: str
    subjects: tuple[str, ...]
    design: Design


class Assignment(Record, frozen=True, kw_only=True):
    """One place in a rater's queue.

    Args:
        rater: who is asked.
        place: from 0; it is all that a page knows of the subject's identity.
        subject: what is shown.
        repeat: 0, or which hidden repeat this is.
        shown: of a pair, which answer stands first.
    """

    rater: str
    place: int
    subject: str
    repeat: int = 0
    shown: Literal["ab", "ba"] | None = None


class Study(Record, frozen=True, kw_only=True):
    """Everything that labelling needs, so that its database can stand alone.

    Args:
        name: of the study.
        rubric: what is asked, as it is now.
        subjects: what is shown, with nothing in it that raters do not see.
        raters: their names, as the owner gave them.
        adjudicator: who decides what they split on; None where nobody is named yet.
        per_item: how many raters answer each item; None for all of them.
        repeats: the share of hidden repeats, on top of a rater's items.
        show: which parts of an item raters see, and which of its fields.
        seed: of orders, sides and overlap.
    """

    name: str
    rubric: Rubric
    subjects: tuple[Item | Pair, ...]
    raters: tuple[str, ...]
    adjudicator: str | None = None
    per_item: int | None = None
    repeats: float = 0.05
    show: tuple[str, ...] = ("input", "context", "output", "a", "b")
    seed: int = 0

    def __post_init__(self) -> None:
        for name in (*self.raters, *([] if self.adjudicator is None else [self.adjudicator])):
            _check_name(name)
        alike = [unicodedata.normalize("NFKC", name).casefold() for name in self.raters]
        if len(set(alike)) < len(alike) or not alike:
            raise FielError(
                f"A study needs raters with names of their own; it has {list(self.raters)}.",
                fix="Give each a name that differs from the others by more than its capitals.",
            )
        ids = [subject.id for subject in self.subjects]
        if len(set(ids)) < len(ids) or not ids:
            raise FielError(
                "A study needs items, each with an id of its own.",
                where=f"study {self.name!r}",
                fix=f"{max(ids, key=ids.count)!r} stands twice." if ids else "Draw a sample first.",
            )
        if self.per_item is not None and not 1 <= self.per_item <= len(self.raters):
            raise FielError(
                f"{self.per_item} raters for each item, of {len(self.raters)}.",
                fix="Give a number from 1 to the number of raters.",
            )
        if not 0 <= self.repeats <= 1:
            raise FielError(f"The share of repeats is {self.repeats}; it lies between 0 and 1.")


def _check_name(name: str) -> None:
    unseen = any(unicodedata.category(char) in _UNSEEN for char in name)
    if not name or name != name.strip() or len(name) > _LONGEST_NAME or unseen:
        raise FielError(
            f"A person's name is empty, too long, or cannot be shown in a line: {name[:60]!r}.",
            where="raters",
            fix=f"Use at most {_LONGEST_NAME} characters, no line breaks, and no spaces at the ends.",
        )


class Given(Record, frozen=True, kw_only=True):
    """A label as it stands in a study.

    Args:
        label: what was answered; its `rater` is who, its `repeat` which time.
        place: in the rater's queue.
        version: 1 for the first answer in this cell, and one more for every change.
        at: when it was kept (ISO 8601, UTC).
    """

    label: Label
    place: int
    version: int
    at: str


class Unblinding(Record, frozen=True, kw_only=True):
    """Somebody looked at results while the study was open: who, when (ISO 8601, UTC), and with which command."""

    by: str
    at: str
    command: str
