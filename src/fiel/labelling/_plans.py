"""What never changes of a study, made ready for the Desk, and the pieces of it that pages are told. Knows no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from fiel.labelling._adjudication import Coordinates, numbering
from fiel.labelling._book import Decided
from fiel.labelling._parts import parts, side_of
from fiel.labelling._terms import MissingError, Place, Question, Standing
from fiel.records import Assignment, Criterion, Given, Label, Pair, Study, Subject


class Plan:
    """What never changes of a study, made ready."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.subjects: dict[str, Subject] = {subject.id: subject for subject in study.subjects}
        self.questions = tuple(_question(number, asked) for number, asked in enumerate(study.rubric.criteria))
        self._criteria = {criterion.id: criterion for criterion in study.rubric.criteria}

    @cached_property
    def cells(self) -> tuple[Coordinates, ...]:
        """Of the adjudication queue, by number."""
        return numbering(self.study)

    def criterion(self, name: str) -> Criterion:
        """The criterion of this id."""
        if name not in self._criteria:
            raise MissingError(f"There is no question {name!r}.", fix=f"There are: {', '.join(self._criteria)}.")
        return self._criteria[name]


class Found(NamedTuple):
    """A cell of the queue with all that is known of it."""

    subject: Subject
    criterion: Criterion
    givens: Sequence[Given]
    labels: Sequence[Label]
    decided: Decided | None
    own: bool


def to_place(assignment: Assignment, subject: Subject, standing: Mapping[int, dict[str, Standing]]) -> Place:
    """A place of a queue as its page is told of it; `standing` is what stands, by place and criterion."""
    return Place(
        place=assignment.place,
        kind="pair" if isinstance(subject, Pair) else "item",
        parts=parts(subject, side_of(subject, assignment)),
        given=standing.get(assignment.place, {}),
        counted=assignment.repeat == 0,
    )


def _question(number: int, criterion: Criterion) -> Question:
    return Question(
        number=number,
        id=criterion.id,
        question=criterion.question,
        options=criterion.options,
        scale=criterion.scale,
        guidance=criterion.guidance,
        exclude=criterion.exclude,
        applies_when=criterion.applies_when,
        evidence_in=criterion.evidence_in,
    )


def cell_of(decided: Decided) -> Coordinates:
    """The cell that was decided."""
    return Coordinates(decided.decision.subject, decided.decision.criterion)
