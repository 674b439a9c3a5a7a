"""What a Desk needs of a store, and what goes between them. Knows no database and no page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from fiel.labelling._terms import Entrant
from fiel.records import Adjudication, Assignment, Given, Label, Study

Outcome: TypeAlias = Literal["kept", "conflict", "closed"]


class Write(NamedTuple):
    """A checked answer on its way to the store: `version` is what has to stand there for it to be kept."""

    study: str
    place: int
    label: Label
    key: str
    version: int


class DecisionWrite(NamedTuple):
    """A checked decision on its way to the store; it gets its time there."""

    study: str
    by: str
    decision: Adjudication
    key: str
    version: int


class Decided(NamedTuple):
    """A decision as it stands in a study; one without a reason was taken back."""

    decision: Adjudication
    version: int


class Kept(NamedTuple):
    """What became of a write, and what stands there now or, for a retry, what was kept then."""

    outcome: Outcome
    given: Given | None


class DecisionKept(NamedTuple):
    """What became of a decision, and what stands there now."""

    outcome: Outcome
    decided: Decided | None


class Book(Protocol):
    """What a Desk needs of a store. All of it may be called by several threads at once."""

    def entrant(self, token_digest: str) -> tuple[str, Entrant] | None:
        """Who has the link whose token has this SHA-256 (hex), with the digest as it is kept."""

    def study(self, name: str) -> Study:
        """The study; it never changes but for its adjudicator. FielError where there is none."""

    def is_open(self, name: str) -> bool:
        """Whether the study takes answers."""

    def assignments(self, study: str, rater: str) -> list[Assignment]:
        """The queue of a rater, by place."""

    def givens(self, study: str, *, rater: str | None = None, subject: str | None = None) -> list[Given]:
        """What stands, cleared cells too: of all raters or of one, on all subjects or on one."""

    def keep(self, writes: Sequence[Write]) -> list[Kept]:
        """Keep answers in their order, in one transaction that is on the disk when this returns."""

    def decisions(self, study: str, *, subject: str | None = None) -> list[Decided]:
        """The decisions that stand, those taken back too."""

    def decide(self, writes: Sequence[DecisionWrite]) -> list[DecisionKept]:
        """The same as `keep` for decisions."""
