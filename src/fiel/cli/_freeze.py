"""`fiel freeze`: from a closed study to a calibration set that never changes. Knows no judge; computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from fiel.cli._book import kept, splits, unasked
from fiel.cli._draw import sample_of
from fiel.cli._exits import say, tell
from fiel.cli._frozen import sets_of
from fiel.cli._label import study_book
from fiel.labelling import Pace, freeze, pace
from fiel.records import CalibrationSet, FielError, Sample, Study
from fiel.store.frozen import write_set
from fiel.store.labels import LabelStore
from fiel.store.project import Project

FAST = 0.05  # a share of items answered faster than they can be read that is worth a word
RARE = 0.001  # the chance of a run of equal answers that is


def run(folder: Path, name: str | None, *, close: bool) -> None:
    """Write calibration/NAME, once and for all."""
    project = Project.open(folder)
    sample = sample_of(project, name)
    folder = sets_of(project) / sample.name
    if folder.exists():
        raise FielError(
            f"{sample.name!r} is frozen already, and never changes.",
            where=str(folder),
            fix="A correction is a new version, by a work list: fiel freeze --decisions; or draw another sample.",
        )
    with study_book(project, sample) as book:
        names = _complete(book, sample)
        waiting = [study for study in names if book.is_open(study)]
        if waiting and not close:
            raise FielError(
                f"The study {', '.join(waiting)} still takes answers.",
                fix=f"Close it first: fiel label {sample.name} --close. Or both at once: fiel freeze --close.",
            )
        _made(project, book, sample, names)  # whatever stands against it is found out before anything is closed
        for study in waiting:
            book.close_study(study)
        made = write_set(folder, _made(project, book, sample, names))
        for line in _counts(made):
            tell(line)
        for warning in (*_unsettled(made), *_paces(book, names)):
            say(f"warning: {warning}")
    say(f"Frozen: {folder}. Commit it; it never changes, and a correction is a new set.")
    say(f"Next: fiel validate {sample.name}")


def check_options(*, decisions: Path | None, called: str | None, by: str | None) -> None:
    """Whether what was typed is about a study.

    Raises:
        FielError: it is about the revision of a set.
    """
    if decisions is not None:
        raise FielError("--close and --decisions exclude each other.", fix="Freeze first, then revise.")
    if called is not None or by is not None:
        raise FielError("--as and --by belong to --decisions.", fix="A study's set has the name of its sample.")


def _complete(book: LabelStore, sample: Sample) -> list[str]:
    """The studies of the whole sample: the chances in its design are those of all that was drawn."""
    left = unasked(book, sample)
    if left:
        raise FielError(
            f"{len(left)} items of {sample.name!r} were drawn in a top-up, and nobody has been asked to label them.",
            fix=f"Label them: fiel label {sample.name}",
        )
    return kept(book, sample)


def _made(project: Project, book: LabelStore, sample: Sample, names: Sequence[str]) -> CalibrationSet:
    studies = [book.study(name) for name in names]
    givens = [given for name in names for given in book.givens(name)]
    decisions = [decided.decision for name in names for decided in book.decisions(name)]
    return freeze(_joined(sample, studies), givens, decisions, sample.design, subjects=project.items())


def _joined(sample: Sample, studies: Sequence[Study]) -> Study:
    """The studies of all stages as one."""
    first = studies[0]
    if any(study.rubric.digest != first.rubric.digest for study in studies):
        raise FielError(
            f"The stages of {sample.name!r} were labelled by different wordings of the rubric.",
            fix="Draw a new sample: answers to two questions make no set.",
        )
    return msgspec.structs.replace(
        first,
        name=sample.name,
        subjects=tuple(subject for study in studies for subject in study.subjects),
        raters=tuple(dict.fromkeys(rater for study in studies for rater in study.raters)),
        adjudicator=studies[-1].adjudicator,
        per_item=None,
        show=tuple(dict.fromkeys(part for study in studies for part in study.show)),
    )


def _counts(made: CalibrationSet) -> Iterator[str]:
    """What is in the set."""
    labels = [label for label in made.labels if label.repeat == 0]
    answered = [label for label in labels if label.answer is not None]
    apart = splits(labels)
    decided = {(x.subject, x.criterion) for x in made.adjudications if x.answer is not None or x.skipped is not None}
    raters = len({label.rater for label in labels})
    items = f"{len(made.items) + len(made.pairs)} items"
    yield f"{made.name}@{made.digest[:12]}: {items}, {raters} rater{'' if raters == 1 else 's'}"
    yield (
        f"  {len(answered)} answers, {len(labels) - len(answered)} skips, "
        f"{len(made.labels) - len(labels)} answers to hidden repeats, {len(made.adjudications)} decisions"
    )
    width = max(len(criterion.id) for criterion in made.rubric.criteria)
    for criterion in made.rubric.criteria:
        labelled = {label.subject for label in answered if label.criterion == criterion.id}
        cells = {cell for cell in apart if cell[1] == criterion.id}
        tail = f", {len(cells & decided)} of them decided" if cells else ""
        yield f"  {criterion.id:<{width}}  {len(labelled):>4} items labelled, {len(cells)} split{tail}"


def _unsettled(made: CalibrationSet) -> Iterator[str]:
    """What is in the set and not as one may think."""
    decided = {(x.subject, x.criterion) for x in made.adjudications if x.answer is not None or x.skipped is not None}
    soft = {(x.subject, x.criterion) for x in made.adjudications if x.reason == "true split"}
    apart = splits(label for label in made.labels if label.repeat == 0) - decided
    if apart:
        kept_soft = f" ({len(apart & soft)} by decision)" if apart & soft else ""
        yield (
            f"{len(apart)} split answers stay split{kept_soft}: none is dropped. They count one half in rates where "
            "pass and fail tie, and stand in no agreement."
        )
    seen = sum(label.blind is False for label in made.labels)
    if seen:
        yield (
            f"{seen} of {len(made.labels)} labels were given after their rater had seen results: they are in the set, "
            "and left out of figures."
        )


def _paces(book: LabelStore, names: Iterable[str]) -> Iterator[str]:
    """How raters worked, where it is worth a word; nobody is left out for it."""
    for name in names:
        for found in pace(book.study(name), book.assignments(name), book.givens(name)):
            yield from _pace(found)


def _pace(found: Pace) -> Iterator[str]:
    who = found.rater
    if found.fast > FAST * found.timed:
        yield (
            f"{who} answered {found.fast} of {found.timed} items in less time than it takes to read them "
            f"(median {found.seconds:.0f} s an item)."
        )
    run = found.run
    if run is not None and run.length < run.of and run.chance < RARE:
        yield (
            f"{who} answered {run.answer!r} to {run.criterion} {run.length} times in a row, of {run.of}; in a random "
            f"order a run so long has a chance of {run.chance:.2g}."
        )
    if found.changed:
        yield f"{who} answered {found.changed} of {found.repeats} hidden repeats otherwise than the first time."
    if found.unread:
        yield (
            f"{who} took over {found.accepted} of {found.suggested} suggested answers, {found.unread} of them in less "
            "time than it takes to read the item."
        )
