"""A person's answers, how the sample was drawn, and the frozen set that holds both. Knows no judge."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, TypeAlias

from fiel.records._criteria import Rubric
from fiel.records._errors import FielError
from fiel.records._items import Item, Pair
from fiel.records._lines import Record, digest

DesignKind: TypeAlias = Literal["unknown", "random", "stratified", "census", "convenience"]
Reason: TypeAlias = Literal["rubric gap", "item ambiguous", "rater slip", "item broken", "true split"]


class Span(Record, frozen=True, kw_only=True):
    """A marked stretch of a text, in character offsets; of a pair the answers are `a` and `b`."""

    field: Literal["answer", "context", "question", "a", "b"]
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
        by: what it was stratified by ("belief", "verdict", "uncertainty", or a field of the items).
        members: the stratum of each subject drawn, by the subject's id.
        weights: of the subjects, 1 / probability of being drawn; empty when all are equal.
        planned: how many labels were planned, and `reason` why that many.
        stages: declared top-ups, each with its number of items.
    """

    kind: DesignKind = "unknown"
    frame: int | None = None
    seed: int | None = None
    by: str | None = None
    strata: tuple[Stratum, ...] = ()
    members: dict[str, str] = {}  # noqa: RUF012  a msgspec default: copied, never shared
    weights: dict[str, float] = {}  # noqa: RUF012  a msgspec default: copied, never shared
    planned: int | None = None
    reason: str | None = None
    stages: tuple[int, ...] = ()


class Adjudication(Record, frozen=True, kw_only=True):
    """A decision on a cell where raters split: who, when (ISO 8601), what, and why.

    Args:
        subject, criterion: the cell.
        answer: what is right; None where nothing is, or where the cell stays split.
        by: who decided; at: when.
        before: what the raters had answered, in the order of their names; "not applicable" is one of the answers.
        why: in words.
        judge_seen: the judge's answers were in reach of who decided.
        reason: why, in one of the fixed words; "true split" keeps all answers, as a soft label.
        skipped: "not applicable", where that is the decision.
        own: who decided had also been a rater of the subject.
    """

    subject: str
    criterion: str
    answer: str | None
    by: str
    at: str
    before: tuple[str, ...] = ()
    why: str | None = None
    judge_seen: bool = False
    reason: Reason | None = None
    skipped: str | None = None
    own: bool = False

    @property
    def shares(self) -> dict[str, float]:
        """The soft label: of each answer the share of the raters who gave it; the decision where there is one.

        >>> split = Adjudication(subject="a", criterion="c", answer=None, by="x", at="", before=("no", "yes", "yes"))
        >>> {answer: round(share, 2) for answer, share in split.shares.items()}
        {'no': 0.33, 'yes': 0.67}
        """
        if self.answer is not None:
            return {self.answer: 1.0}
        if self.reason not in {None, "true split"}:
            return {}
        return {answer: self.before.count(answer) / len(self.before) for answer in sorted(set(self.before))}


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

    @property
    def counting(self) -> tuple[Label, ...]:
        """The labels that count by default: first showings, by raters out of whose reach the judge's answers were."""
        return tuple(label for label in self.labels if label.repeat == 0 and label.blind is not False)
