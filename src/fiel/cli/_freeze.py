"""`fiel freeze`: from a closed study to a calibration set that never changes. Knows no judge; computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from fiel.cli._book import kept, splits, unasked
from fiel.cli._draw import sample_of
from fiel.cli._exits import say, tell, warn
from fiel.cli._frozen import sets_of
from fiel.cli._label import study_book
from fiel.cli._pace import paces
from fiel.cli._short import counted, listed, short, word
from fiel.cli._standing import check_finished
from fiel.labelling import freeze
from fiel.records import CalibrationSet, FielError, Sample, Study
from fiel.store.frozen import check_free, write_set
from fiel.store.labels import LabelStore
from fiel.store.project import Project


def run(folder: Path, name: str | None, *, close: bool, anyway: bool) -> None:
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
    check_free(folder)
    with study_book(project, sample) as book:
        names = _complete(book, sample)
        waiting = [study for study in names if book.is_open(study)]
        if waiting and not close:
            raise FielError(
                f"The study {listed(waiting)} still takes answers.",
                fix=f"Close it first: fiel label {sample.name} --close. Or both at once: fiel freeze --close.",
            )
        _made(project, book, sample, names)  # whatever stands against it is found out before anything is closed
        if not anyway:
            check_finished(book, sample, waiting, f"fiel freeze {word(sample.name)} --close --anyway")
        for study in waiting:
            book.close_study(study)
        made = write_set(folder, _made(project, book, sample, names))
        tell_made(folder, made, warnings=paces(book, names))
    say(f"Next: fiel validate {sample.name}")


def check_options(
    *,
    close: bool,
    anyway: bool,
    labels: Path | None,
    judge: str | None,
    decisions: Path | None,
    called: str | None,
    by: str | None,
    preferences: Sequence[str],
) -> None:
    """Whether what was typed goes together: a study, label files, or decisions on a set.

    Raises:
        FielError: it does not.
    """
    if decisions is not None and labels is not None:
        raise FielError(
            "--labels and --decisions exclude each other.",
            fix="One after the other: fiel freeze NAME --labels FILE, then fiel freeze NAME --decisions FILE.",
        )
    if close and (decisions is not None or labels is not None):
        other = "--labels" if decisions is None else "--decisions"
        raise FielError(f"--close and {other} exclude each other.", fix="--close is about a study of the pages.")
    if anyway and not close:
        raise FielError("--anyway belongs to --close.", fix="Leave it out: a study that is closed needs neither.")
    if decisions is None and (called is not None or by is not None or preferences):
        raise FielError(
            "--as, --by and --preference belong to --decisions.", fix="A set has the name of its sample, or NAME."
        )
    if labels is None and judge is not None:
        raise FielError("--judge belongs to --labels.", fix="Leave it out: a study and a set know their rubric.")


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


def tell_made(folder: Path, made: CalibrationSet, *, warnings: Iterable[str] = ()) -> None:
    """What was frozen: its counts, what is not as one may think, and where it stands."""
    tell(*_counts(made))
    for warning in (*_unsettled(made), *warnings):
        warn(warning)
    say(f"Frozen: {folder}. Commit it; it never changes, and a correction is a new set.")


def _counts(made: CalibrationSet) -> Iterator[str]:
    """What is in the set."""
    labels = [label for label in made.labels if label.repeat == 0]
    answered = [label for label in labels if label.answer is not None]
    apart = splits(labels)
    decided = {(x.subject, x.criterion) for x in made.adjudications if x.answer is not None or x.skipped is not None}
    raters = len({label.rater for label in labels})
    items = f"{len(made.items) + len(made.pairs)} items"
    yield f"{made.name}@{made.digest[:12]}: {items}, {counted(raters, 'rater')}"
    yield (
        f"  {len(answered)} answers, {len(labels) - len(answered)} skips, "
        f"{len(made.labels) - len(labels)} answers to hidden repeats, {len(made.adjudications)} decisions"
    )
    width = max(len(short(criterion.id)) for criterion in made.rubric.criteria)
    for criterion in made.rubric.criteria:
        labelled = {label.subject for label in answered if label.criterion == criterion.id}
        cells = {cell for cell in apart if cell[1] == criterion.id}
        tail = f", {len(cells & decided)} of them decided" if cells else ""
        yield f"  {short(criterion.id):<{width}}  {len(labelled):>4} items labelled, {len(cells)} split{tail}"


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
