"""What pages and the Desk say to each other. Knows no judge, no store and no page.

A pair is told here as it is shown: its answers are called `first` and `second`, never `a` and `b`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from fiel.records import FielError, Reason

Role: TypeAlias = Literal["rater", "adjudicator"]

NOT_APPLICABLE = "not applicable"
"""The reason of a skip that is an answer: the criterion has `applies_when`, and it does not apply."""


class MissingError(FielError):
    """There is no such place, criterion, cell or study for the one who asks."""


class ClosedError(FielError):
    """The study takes no more answers, or not from the one who gives one."""


class Entrant(NamedTuple):
    """Who has come in with a link."""

    study: str
    name: str
    role: Role


class Told(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of what goes to a page or comes from one; every field stands in its JSON."""


class Mark(Told, frozen=True, kw_only=True):
    """A marked stretch of the part of this name, in code points."""

    part: str
    start: int
    end: int


class Entry(Told, frozen=True, kw_only=True):
    """What a page sends for one question at one place.

    Args:
        answer: one of the options to the letter; of a pair `first`, `second` or `tie`.
        skipped: why there is no answer; `NOT_APPLICABLE` where the criterion has that. Neither clears the cell.
        strength: of a pair that is no tie, 2 clearly, 1 slightly.
        flag, note: for the owner of the study.
        evidence: what was marked.
        seconds: active time on the page.
        key: the page's own name of this write, so that a retry is no second one.
        version: what the page believes to stand there; 0 for nothing.
    """

    key: str
    version: int
    seconds: float
    answer: str | None = None
    skipped: str | None = None
    strength: int | None = None
    flag: bool = False
    note: str | None = None
    evidence: tuple[Mark, ...] = ()


class Standing(Told, frozen=True, kw_only=True):
    """What stands in a cell, in the page's own terms; with neither answer nor skip it was cleared."""

    version: int
    answer: str | None = None
    skipped: str | None = None
    strength: int | None = None
    flag: bool = False
    note: str | None = None
    evidence: tuple[Mark, ...] = ()
    seconds: float | None = None


class Part(Told, frozen=True, kw_only=True):
    """One text of what is shown; `markable`: evidence may be marked in it."""

    name: str
    text: str
    markable: bool


class Place(Told, frozen=True, kw_only=True):
    """One place in a rater's queue.

    Args:
        place: from 0.
        kind: an item, or a pair whose answers are the parts `first` and `second`.
        parts: in the order in which they are shown.
        given: what stands there, by the id of the criterion.
        counted: whether progress counts it; a hidden repeat is not counted.
    """

    place: int
    kind: Literal["item", "pair"]
    parts: tuple[Part, ...]
    given: dict[str, Standing]
    counted: bool


class Question(Told, frozen=True, kw_only=True):
    """A criterion as pages show it; `applies_when` set means that "not applicable" may be answered."""

    number: int
    id: str
    question: str
    options: tuple[str, ...]
    scale: str
    guidance: str | None
    exclude: tuple[str, ...]
    applies_when: str | None
    evidence_in: str


class Opening(Told, frozen=True, kw_only=True):
    """What a page needs before the first place.

    Args:
        study, name, role: where one is, and as whom.
        language: of questions and options.
        guidance: of the rubric.
        questions: in their order.
        places: how many there are in the queue; 0 for an adjudicator.
        total: how many of them progress counts.
        open: whether answers are taken.
    """

    study: str
    name: str
    role: Role
    language: str
    guidance: str | None
    questions: tuple[Question, ...]
    places: int
    total: int
    open: bool


class Progress(Told, frozen=True, kw_only=True):
    """Of the counted places: all questions answered, all of them ended but some skipped, flagged, and all."""

    answered: int
    skipped: int
    flagged: int
    total: int


class Conflict(Told, frozen=True, kw_only=True):
    """A write that was not kept, because something else stands there: `standing`, or nothing."""

    standing: Standing | None


class QueueEntry(Told, frozen=True, kw_only=True):
    """A cell that waits for a decision, or has one.

    Args:
        n: its number, which encodes nothing.
        kinds: why it is here.
        spread: how far the answers lie apart, from 0 to 1.
        decided: a decision stands.
        changed: an answer has changed since.
    """

    n: int
    kinds: tuple[Literal["split", "flagged", "skipped"], ...]
    spread: float
    decided: bool
    changed: bool


class Card(Told, frozen=True, kw_only=True):
    """One rater's answer; the letter is drawn anew for every cell, the name is told only after the decision."""

    letter: str
    answer: str | None
    skipped: str | None
    strength: int | None
    flag: bool
    note: str | None
    evidence: tuple[Mark, ...]
    seconds: float | None
    fast: bool
    name: str | None


class Decision(Told, frozen=True, kw_only=True):
    """What the adjudication page sends.

    Args:
        answer: one of the options; of a pair `first`, `second` or `tie`; None where there is none.
        skipped: `NOT_APPLICABLE`, in place of an answer.
        reason: why; "true split" and "item broken" have no answer. None takes the decision back.
        note: in words; needed where the answer is nobody's.
        key, version: as in `Entry`.
    """

    key: str
    version: int
    answer: str | None = None
    skipped: str | None = None
    reason: Reason | None = None
    note: str | None = None


class Verdict(Told, frozen=True, kw_only=True):
    """A decision as it stands; without a reason it was taken back."""

    version: int
    answer: str | None = None
    skipped: str | None = None
    reason: Reason | None = None
    note: str | None = None


class DecisionConflict(Told, frozen=True, kw_only=True):
    """A decision that was not kept, because something else stands there."""

    standing: Verdict | None


class Cell(Told, frozen=True, kw_only=True):
    """One cell of the queue with all that was answered.

    Args:
        n: its number.
        kind, parts: as in `Place`.
        question: what was asked.
        cards: in the order of their letters.
        own: the adjudicator is one of its raters.
        decision: what stands; None where nothing was ever decided.
        changed: an answer has changed since.
        open: whether decisions are taken.
    """

    n: int
    kind: Literal["item", "pair"]
    parts: tuple[Part, ...]
    question: Question
    cards: tuple[Card, ...]
    own: bool
    decision: Verdict | None
    changed: bool
    open: bool
