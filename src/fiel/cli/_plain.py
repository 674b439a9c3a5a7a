"""`fiel freeze --labels`: plain label files become a calibration set, on which decisions can be made. No figure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from fiel.cli._draw import only_rubric, samples_of
from fiel.cli._exits import say
from fiel.cli._freeze import tell_made
from fiel.cli._frozen import sets_of
from fiel.cli._short import listed, word
from fiel.cli._studies import chosen, plain_labels
from fiel.records import CalibrationSet, FielError, Item, Label, Rubric
from fiel.store.additions import plain_name
from fiel.store.frozen import set_folder, write_set
from fiel.store.project import Project
from fiel.store.samples import sample_names

CONFIG = Path("fiel.toml")  # in place of a label file: those that it names


def run(folder: Path, name: str | None, labels: Path, *, judge: str | None) -> None:
    """Write calibration/NAME, once and for all, with the items that are labelled and nothing on how they were drawn."""
    project = Project.open(folder)
    target = set_folder(sets_of(project), _stem(labels) if name is None else name)
    if target.exists():
        raise FielError(
            f"{target.name!r} is frozen already, and never changes.",
            where=str(target),
            fix="Name another: fiel freeze NAME --labels FILE.",
        )
    if target.name in sample_names(samples_of(project)):
        raise FielError(
            f"{target.name!r} is a sample that was drawn, and its set will have its name.",
            fix="Name another: fiel freeze NAME --labels FILE.",
        )
    items = project.items()
    rubric, found = _labelled(project, None if labels.name == CONFIG.name else labels, items, judge)
    subjects = {label.subject for label in found}
    labelled = tuple(item for item in items if item.id in subjects)
    made = write_set(target, CalibrationSet(name=target.name, rubric=rubric, items=labelled, labels=tuple(found)))
    tell_made(target, made)
    say("Nothing says how these items were drawn, as with the label files themselves.")
    say(f"Next: fiel validate {made.name}; or with a work list, filled in: fiel freeze {made.name} --decisions FILE")


def commands(project: Project, labels: Path | None, decisions: Path, *, judge: str, more: Sequence[str] = ()) -> str:
    """The two commands that make a version of plain labels with the decisions of a work list, as they can be typed.

    Args:
        project: in which; no set and no sample of it has the name that the commands give.
        labels: the file; None for those of fiel.toml.
        decisions: the work list.
        judge: one whose rubric was answered, named where the project has several rubrics.
        more: further options of the second.
    """
    file = labels or CONFIG
    taken = {*project.set_names(), *project.sample_names()}
    tries = chain((_stem(file), f"{_stem(file)}-plain"), (f"{_stem(file)}-plain{number}" for number in count(2)))
    name = next(name for name in tries if name not in taken)
    which = ["--judge", judge] if len({entry.rubric for entry in project.config.judges}) > 1 else []
    first = shlex.join(["fiel", "freeze", name, "--labels", str(file), *which])
    return f"{first}, then {shlex.join(['fiel', 'freeze', name, '--decisions', str(decisions), *more])}"


def _stem(labels: Path) -> str:
    """What a set of a label file is called where nobody says."""
    return "labels" if labels.name == CONFIG.name else plain_name(labels.stem)


def _labelled(
    project: Project, labels: Path | None, items: Sequence[Item], judge: str | None
) -> tuple[Rubric, list[Label]]:
    """The rubric that was answered, and the answers."""
    ids = {item.id for item in items}
    entries = chosen(project, None if judge is None else {judge}) if project.config.judges or judge else []
    rubrics = [project.rubric(name) for name in sorted({entry.rubric for entry in entries})] or [only_rubric(project)]
    found = [(rubric, plain_labels(project, rubric, labels, ids)) for rubric in rubrics]
    answered = [(rubric, given) for rubric, given in found if given]
    if len(answered) > 1:
        one = next(entry.name for entry in entries if entry.rubric == answered[0][0].id)
        raise FielError(
            f"These labels answer {len(answered)} rubrics ({listed(rubric.id for rubric, _ in answered)}), and a "
            "calibration set is of one.",
            where="--labels",
            fix=f"Name a judge whose rubric is meant: --judge {word(one)}.",
        )
    if not answered:
        raise FielError(
            f"There is no label on a criterion of rubric {rubrics[0].id!r}.",
            where=str(labels or CONFIG),
            fix="Name another file, or another judge.",
        )
    return answered[0]
