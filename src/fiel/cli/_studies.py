"""One judge, its rubric, the items, the labels and what the judge said: what every measure starts from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fiel.records import FielError, Item, Judgement, Label, Rubric, nearest
from fiel.runner import judge_from
from fiel.store.config import JudgeEntry
from fiel.store.project import Project


class Study(NamedTuple):
    """One judge of a project, with all that is known about it."""

    judge: JudgeEntry
    identity: str
    rubric: Rubric
    items: list[Item]
    labels: list[Label]
    judgements: list[Judgement]


def chosen(project: Project, name: str | None) -> list[JudgeEntry]:
    """The judge of that name, or all.

    Raises:
        FielError: there is none.
    """
    judges = [judge for judge in project.config.judges if name in {None, judge.name}]
    if not judges and name is not None:
        known = [judge.name for judge in project.config.judges]
        near = nearest(name, known)
        raise FielError(
            f"There is no judge {name!r}" + (f"; did you mean {near!r}?" if near else "."),
            where="fiel.toml",
            fix=f"The judges are: {', '.join(known)}.",
        )
    if not judges:
        raise FielError("There is no judge.", where="fiel.toml", fix="Add a [[judges]] table.")
    return judges


def studies(
    project: Project, *, judge: str | None = None, labels: Path | None = None, labels_needed: bool = True
) -> list[Study]:
    """Every chosen judge with what it said of the items as they stand now.

    Args:
        project: the project.
        judge: the name of one judge; None for all.
        labels: a label file; None for the project's own.
        labels_needed: False where a project without labels will do.

    Raises:
        FielError: a judge has not judged, or not as it stands now.
    """
    items = project.items()
    texts = {item.id: item.digest for item in items}
    without = labels is None and project.config.project.labels is None and not labels_needed
    found = []
    for config in chosen(project, judge):
        rubric = project.rubric(config.rubric)
        answers = [] if without else project.labels(rubric, labels, items=texts.keys())
        identity = judge_from(config).identity(rubric)
        with project.judgements(must_exist=True) as store:
            said = store.read(identity=identity)
            before = store.identities(config.name)
        current = [j for j in said if texts.get(j.subject) == j.subject_digest and j.judge == config.name]
        if not current:
            changed = "has changed since it judged" if before else "has not judged anything yet"
            raise FielError(f"Judge {config.name!r} {changed}.", fix=f"Run: fiel judge --judge {config.name}")
        found.append(Study(config, identity, rubric, items, answers, current))
    return found
