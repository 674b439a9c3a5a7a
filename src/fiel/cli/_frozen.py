"""Calibration sets in place of labels: which is meant, what of it still holds, who used it. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from fiel.cli._blind import person
from fiel.cli._exits import warn
from fiel.cli._short import listed, short
from fiel.records import CalibrationSet, FielError, Item, nearest
from fiel.store.frozen import count_look, damaged_looks, set_names
from fiel.store.project import Project

MANIFEST = "manifest.json"


def sets_of(project: Project) -> Path:
    """The folder of the project's calibration sets; it need not exist."""
    return project.root / "calibration"


def find_set(project: Project, labels: Path | None, *, needed: bool) -> Path | None:
    """The folder of the calibration set that a verb's LABELS means: itself, by name, or the only one there is.

    None where a file is meant: one of this name, or those that fiel.toml names.

    Args:
        project: the project.
        labels: what was typed; None for nothing.
        needed: whether a verb that was given nothing has to have labels.

    Raises:
        FielError: there is nothing of this name, or several sets and none is named.
    """
    folder = sets_of(project)
    known = set_names(folder)
    if labels is None:
        if project.config.project.labels is not None or not known:
            return None
        if len(known) > 1 and needed:
            raise FielError(
                f"There are {len(known)} calibration sets and none is named.",
                where=str(folder),
                fix=f"Name one of them: {listed(known)}.",
            )
        return folder / known[0] if len(known) == 1 else None
    if (labels / MANIFEST).is_file() or (labels.is_dir() and str(labels) not in known):
        return labels
    if not labels.is_file() and str(labels) in known:
        return folder / str(labels)
    if not labels.exists() and not labels.suffix and len(labels.parts) == 1:
        near = nearest(str(labels), known)
        raise FielError(
            f"There is no label file and no calibration set {str(labels)!r}.",
            where=str(folder),
            fix=(f"Did you mean {near!r}? " if near else "") + f"Calibration sets: {listed(known) or 'none'}.",
        )
    return None


def still_valid(frozen: CalibrationSet, items: Sequence[Item]) -> tuple[CalibrationSet, list[str]]:
    """The set without labels that were given with the judge's answers in reach, or to a text that has changed since.

    Returns:
        The set, and a sentence for each kind that was left out.
    """
    texts = {item.id: item.digest for item in items}
    changed = {item.id for item in frozen.items if texts.get(item.id, item.digest) != item.digest}
    blind = [label for label in frozen.labels if label.blind is not False]
    kept = tuple(label for label in blind if label.subject not in changed)
    notes = []
    if seen := len(frozen.labels) - len(blind):
        notes.append(
            f"{seen} of {len(frozen.labels)} labels of {frozen.name} are left out: whoever gave them had seen results "
            "while the study was open."
        )
    if lost := len(blind) - len(kept):
        first = ", ".join(map(short, sorted({label.subject for label in blind} & changed)[:3]))
        notes.append(
            f"{lost} labels of {frozen.name} are left out: they answer a text that has changed since ({first})."
        )
    decisions = tuple(x for x in frozen.adjudications if x.subject not in changed)
    return msgspec.structs.replace(frozen, labels=kept, adjudications=decisions), notes


def look_counted(folder: Path, frozen: CalibrationSet, command: str) -> None:
    """Write a use into looks.jsonl beside the set: who, when, and what was typed; say what is damaged there."""
    count_look(folder, digest=frozen.digest, by=person(), command=command)
    if damaged := damaged_looks(folder):
        warn(damaged)
