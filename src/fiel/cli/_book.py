"""The studies of a sample in the labels' database: one, and one more for what each top-up added. Knows no judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fiel.labelling import NOT_APPLICABLE
from fiel.measures import is_preference
from fiel.records import Label, Sample
from fiel.store.labels import LabelStore
from fiel.store.project import Project

_LATER = ".stage-"


def has_book(project: Project) -> bool:
    """Whether there may be studies: a database file, or the address of a server."""
    written = project.config.store.labels
    return "://" in written or (project.root / written).exists()


def open_book(project: Project, *, must_exist: bool = False) -> LabelStore:
    """The labels' database, to be closed by the caller (`with`).

    Raises:
        FielError: as `LabelStore.open`.
    """
    written = project.config.store.labels
    return LabelStore.open(written if "://" in written else project.root / written, must_exist=must_exist)


def kept(book: LabelStore, sample: Sample) -> list[str]:
    """The studies of a sample that are there, in the order in which they were made."""
    named = re.compile(rf"{re.escape(sample.name)}({_LATER}\d+)?")
    return [line.name for line in book.studies() if named.fullmatch(line.name)]


def unasked(book: LabelStore, sample: Sample) -> tuple[str, ...]:
    """The subjects of a sample that stand in none of its studies: of a new sample all, else what a top-up added."""
    asked = {subject.id for name in kept(book, sample) for subject in book.study(name).subjects}
    return tuple(subject for subject in sample.subjects if subject not in asked)


def next_name(sample: Sample, there: Sequence[str]) -> str:
    """The name of a sample's next study: a study never changes its list, so what a top-up adds has one of its own."""
    return f"{sample.name}{_LATER}{len(there) + 1}" if there else sample.name


def said(label: Label) -> str | None:
    """The answer, "not applicable" among them; None for another skip."""
    return NOT_APPLICABLE if label.skipped == NOT_APPLICABLE else label.answer


def splits(labels: Iterable[Label]) -> set[tuple[str, str]]:
    """The cells, subject and criterion, on which raters gave different answers; preferences of users are none."""
    answers: dict[tuple[str, str], set[str]] = {}
    for label in labels:
        if (answer := said(label)) is not None and not is_preference(label.rater):
            answers.setdefault((label.subject, label.criterion), set()).add(answer)
    return {cell for cell, given in answers.items() if len(given) > 1}
