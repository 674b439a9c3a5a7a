"""A person's answers, how the sample was drawn, and the frozen set that holds both. Knows no judge."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, TypeAlias

from fiel.records._criteria import Rubric
from fiel.records._errors import FielError
from fiel.records._items import Item, Pair
from fiel.records._lines import Record, digest

DesignKind: TypeAlias = Literal["unknown", "random", "stratified", "census", "convenience"]


class Span(Record, frozen=True, kw_only=True):
    """A marked stretch of a text, in character offsets."""

    field: Literal["answer", "context", "question"]
    start: int
    end: int


class Label(Record, frozen=True, kw_only=True):
    """What one rater answered to one criterion of one subject.

    Args:
        subject: the id of the item or pair.
        criterion: its id; criterion_digest: of the wording that was answered, None where the file does not say.
        rater: a pseudonym.
        answer: one of the options; None when skipped, and then `skipped` says why.
        strength: for pairs: 2 clearly, 1 slightly.
        flag, note: for the owner of the study.
        evidence: what the rater marked.
        seconds: active time on the page.
        blind: whether the judge's answer was out of reach; None where the file does not say.
        judge_seen: whether the rater had seen it.
        repeat: 0, or which hidden repeat of the same question it is.
        shown: the order in which a pair was shown.
    """

    subject: str
    criterion: str
    rater: str
    answer: str | None = None
    criterion_digest: str | None = None
    skipped: str | None = None
    strength: int | None = None
    flag: bool = False
    note: str | None = None
    evidence: tuple[Span, ...] = ()
    seconds: float | None = None
    blind: bool | None = None
    judge_seen: bool = False
    repeat: int = 0
    shown: Literal["ab", "ba"] | None = None

    def __post_init__(self) -> None:
        if self.answer is not None and self.skipped is not None:
            raise FielError(f"A label of {self.rater!r} on {self.subject!r} has both an answer and a reason to skip.")


class Stratum(Record, frozen=True, kw_only=True):
    """A part of the frame that was drawn from separately."""

    name: str
    size: int
    drawn: int


class Design(Record, frozen=True, kw_only=True):
    """How the labelled sample was drawn: it decides what may be concluded.

    Args:
        kind: `unknown` until somebody says; an estimate prints what it had to assume.
        frame: how many items could have been drawn.
        seed: of the draw.
        strata: where it was stratified.
        weights: of the subjects, 1 / probability of being drawn; empty when all are equal.
        planned: how many labels were planned, and `reason` why that many.
        stages: declared top-ups, each with its number of items.
    """

    kind: DesignKind = "unknown"
    frame: int | None = None
    seed: int | None = None
    strata: tuple[Stratum, ...] = ()
    weights: dict[str, float] = {}  # noqa: RUF012  a msgspec default: copied, never shared
    planned: int | None = None
    reason: str | None = None
    stages: tuple[int, ...] = ()


class Adjudication(Record, frozen=True, kw_only=True):
    """A decision on a cell where raters split: who, when (ISO 8601), what, and why."""

    subject: str
    criterion: str
    answer: str | None
    by: str
    at: str
    before: tuple[str, ...] = ()
    why: str | None = None
    judge_seen: bool = False


class CalibrationSet(Record, dict=True, frozen=True, kw_only=True):
    """A rubric, a design, items, labels and decisions, frozen together. A correction is a new version."""

    name: str
    rubric: Rubric
    design: Design = Design()
    items: tuple[Item, ...]
    pairs: tuple[Pair, ...] = ()
    labels: tuple[Label, ...] = ()
    adjudications: tuple[Adjudication, ...] = ()
    parent: str | None = None

    @cached_property
    def digest(self) -> str:
        """Of everything in it."""
        return digest(self)
