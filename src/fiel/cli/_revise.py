"""`fiel freeze --decisions`: a filled-in work list makes the next version of a set. Computes no figure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from fiel.cli._blind import open_studies
from fiel.cli._exits import console, say, tell, warn
from fiel.cli._frozen import find_set, sets_of, still_valid
from fiel.cli._plain import commands
from fiel.cli._preferences import check_raters, named
from fiel.cli._short import clipped, listed
from fiel.cli._studies import Study, studies
from fiel.interop import FilledIn, read_decisions
from fiel.measures import Revision, before_and_after, revise
from fiel.records import Adjudication, CalibrationSet, FielError
from fiel.reports import print_decided, print_revisions
from fiel.runner import judge_from
from fiel.store.frozen import read_set, set_folder, set_names, write_set
from fiel.store.project import Project

_NUMBERED = re.compile(r"(?P<name>.+)-\d+")


def run(
    folder: Path,
    name: str | None,
    decisions: Path,
    *,
    called: str | None,
    by: str | None,
    preferences: Sequence[str] = (),
) -> None:
    """Write calibration/CALLED, once and for all, and show what the decisions changed."""
    project = Project.open(folder)
    wanted = None if called is None else set_folder(sets_of(project), called)
    where = _set(project, name, decisions, preferences)
    frozen = read_set(where)
    check_raters(frozen.labels, preferences)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    filled = read_decisions(decisions, frozen, at=at, by=by, preferences=preferences)
    target = wanted or set_folder(sets_of(project), _next(project, frozen))
    if target.exists():
        raise FielError(
            f"{target.name!r} is frozen already, and never changes.", where=str(target), fix="Name another: --as NAME."
        )
    if not filled.decisions:
        raise FielError(
            "Nothing is decided: every decision is empty.", where=str(decisions), fix="Fill in the column `decision`."
        )
    revised = revise(frozen, filled.decisions, name=target.name, preferences=preferences)
    if called is None:
        _check_new(project, revised)
    made = write_set(target, revised)
    tell(f"{made.name}@{made.digest[:12]}, the next version of {frozen.name}@{frozen.digest[:12]}")
    if filled.noted:
        warn(f"rows with a note and without a decision, left as they were: {filled.noted}")
    _show(project, where, frozen, made, filled, preferences)
    say(f"Frozen: {target}. Commit it; {frozen.name} stays as it is.")
    say(f"Next: {shlex.join(['fiel', 'validate', made.name, *named(preferences)])}")


def _set(project: Project, name: str | None, decisions: Path, preferences: Sequence[str]) -> Path:
    """The folder of the set that is meant."""
    found = find_set(project, None if name is None else Path(name), needed=True)
    if found is not None:
        return found
    what = "Only a calibration set can be revised"
    if name is None and project.config.project.labels is None:
        raise FielError(f"{what}, and there is none.", fix="fiel freeze makes one, of a study or of label files.")
    judge = next((entry.name for entry in project.config.judges), "NAME")
    labels = None if name is None else Path(name)
    raise FielError(
        f"{what}, and {'none is named' if name is None else f'{name} is a file of labels'}.",
        fix=f"Freeze these first: {commands(project, labels, decisions, judge=judge, more=named(preferences))}",
    )


def _next(project: Project, frozen: CalibrationSet) -> str:
    """The first free name after that of the set: NAME-2, NAME-3, ..."""
    numbered = _NUMBERED.fullmatch(frozen.name) if frozen.parent is not None else None
    base, place = numbered["name"] if numbered else frozen.name, 2
    while (sets_of(project) / f"{base}-{place}").exists():
        place += 1
    return f"{base}-{place}"


def _check_new(project: Project, revised: CalibrationSet) -> None:
    """Raise where a version with these very decisions is there: the same command, typed twice, makes one set."""

    def decided(one: CalibrationSet) -> list[Adjudication]:
        return [msgspec.structs.replace(x, at="") for x in one.adjudications]

    for name in set_names(sets_of(project)):
        there = read_set(sets_of(project) / name)
        if there.parent == revised.parent and decided(there) == decided(revised):
            raise FielError(
                f"{name!r} holds these decisions already.",
                where=str(sets_of(project) / name),
                fix="Fill in more and freeze again; or name a copy: --as NAME.",
            )


def _show(
    project: Project,
    where: Path,
    frozen: CalibrationSet,
    made: CalibrationSet,
    filled: FilledIn,
    preferences: Sequence[str],
) -> None:
    """What was decided, and the figures of every judge that has judged; none of a judge while people label."""
    revisions: list[Revision] = []
    try:
        revisions = [_revision(study, frozen, made, filled, preferences) for study in _judged(project, where, frozen)]
    except FielError as error:  # such as a judge that answers another wording by now: the set stands all the same
        say(f"No figures before and after: {clipped(error.what)}")
    if not revisions:
        tell(f"{len(filled.decisions)} decisions")
        return
    print_decided(revisions[0], console())
    blind = open_studies(project)
    if blind:
        say(f"People are labelling {listed(blind)}: the figures before and after are not shown.")
        return
    print_revisions(revisions, console())


def _judged(project: Project, where: Path, frozen: CalibrationSet) -> Sequence[Study]:
    """The judges of the set's rubric that have judged as they stand now."""
    rubric = frozen.rubric.id
    judges = [entry for entry in project.config.judges if entry.rubric == rubric]
    with project.judgements(must_exist=True) as store:
        names = {
            entry.name
            for entry in judges
            if store.served(judge_from(entry, project).identity(project.rubric(entry.rubric)))
        }
    if not names:
        return []
    return studies(project, judges=names, labels=where, command=f"fiel freeze {frozen.name} --decisions")


def _revision(
    study: Study, frozen: CalibrationSet, made: CalibrationSet, filled: FilledIn, preferences: Sequence[str]
) -> Revision:
    """One judge on both, on the labels that still hold."""
    before, _ = still_valid(frozen, study.items)
    after, _ = still_valid(made, study.items)
    return before_and_after(
        study.judgements,
        before,
        msgspec.structs.replace(after, parent=before.digest),
        items=study.items,
        agreements=filled.agreements,
        preferences=preferences,
    )
