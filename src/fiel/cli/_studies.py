"""One judge, its rubric, the items, the labels and what the judge said: what every measure starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fiel.cli._exits import say
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
    warnings: tuple[str, ...]


def chosen(project: Project, names: Collection[str] | None) -> list[JudgeEntry]:
    """The judges of those names, or all.

    Raises:
        FielError: there is none of a name, or none at all.
    """
    judges = project.config.judges
    known = [judge.name for judge in judges]
    if not judges:
        raise FielError("There is no judge.", where="fiel.toml", fix="Add a [[judges]] table.")
    for name in sorted(set(names or ()) - set(known)):
        near = nearest(name, known)
        raise FielError(
            f"There is no judge {name!r}" + (f"; did you mean {near!r}?" if near else "."),
            where="fiel.toml",
            fix=f"The judges are: {', '.join(known)}.",
        )
    return [judge for judge in judges if names is None or judge.name in names]


def studies(
    project: Project,
    *,
    judges: Collection[str] | None = None,
    labels: Path | None = None,
    labels_needed: bool = True,
) -> list[Study]:
    """Every chosen judge with what it said of the items as they stand now.

    Args:
        project: the project.
        judges: the names of judges; None for all.
        labels: a label file; None for the project's own.
        labels_needed: False where a project without labels will do.

    Raises:
        FielError: no judge of that name, or one has not judged, or not as it stands now.
    """
    items = project.items()
    texts = {item.id: item.digest for item in items}
    without = labels is None and project.config.project.labels is None and not labels_needed
    found = []
    for config in chosen(project, judges):
        rubric = project.rubric(config.rubric)
        answers = [] if without else _labels(project, rubric, labels, texts.keys())
        identity = judge_from(config, project).identity(rubric)
        with project.judgements(must_exist=True) as store:
            before = store.read(judge=config.name)
        said = [j for j in before if j.identity == identity and j.replicate == 0]
        current = [j for j in said if texts.get(j.subject) == j.subject_digest]
        again = f"Run: fiel judge --judge {config.name}"
        if not current:
            raise FielError(f"Judge {config.name!r} {_why_nothing(said, before)}.", fix=again)
        warnings = list(_older(rubric, texts, answers, before))
        if missing := len(items) - len({j.subject for j in current}):
            warnings.insert(
                0, f"partial: {config.name} has not judged {missing} of {len(items)} items as they stand now"
            )
        for warning in warnings:
            say(f"warning: {warning}")
        if missing:
            say(again)
        current, changed = _one_model(config.name, current)
        found.append(Study(config, identity, rubric, items, answers, current, (*warnings, *changed)))
    return found


def _one_model(name: str, judgements: list[Judgement]) -> tuple[list[Judgement], list[str]]:
    """Of judgements by several served models, those of the one that served most, and a warning: each is a judge."""
    counts = Counter(j.served for j in judgements if j.served is not None)
    if len(counts) < 2:
        return judgements, []
    used = counts.most_common(1)[0][0]
    warning = (
        f"{name} was served by {len(counts)} models, each another judge ({', '.join(sorted(counts))}): "
        f"the figures are those of {used} alone"
    )
    say(f"warning: {warning}")
    return [j for j in judgements if j.served in {None, used}], [warning]


def _labels(project: Project, rubric: Rubric, path: Path | None, items: Collection[str]) -> list[Label]:
    """The labels on a rubric's criteria; those on the project's other rubrics stand in the same files."""
    mine = {criterion.id for criterion in rubric.criteria}
    others = {
        criterion.id: criterion
        for name in sorted({judge.rubric for judge in project.config.judges} - {rubric.id})
        for criterion in project.rubric(name).criteria
        if criterion.id not in mine
    }
    whole = msgspec.structs.replace(rubric, criteria=(*rubric.criteria, *others.values())) if others else rubric
    return [label for label in project.labels(whole, path, items=items) if label.criterion in mine]


def _why_nothing(said: Sequence[Judgement], before: Sequence[Judgement]) -> str:
    if said:
        return "has judged other texts: every answer has changed since"
    return "has changed since it judged" if before else "has not judged anything yet"


def _older(
    rubric: Rubric, texts: Mapping[str, str], labels: Sequence[Label], before: Sequence[Judgement]
) -> Iterator[str]:
    """What changed after it was first judged, so that labels in a plain file may be of the old text or wording."""
    labelled = {label.subject for label in labels}
    changed = {j.subject for j in before if j.subject in labelled and j.subject_digest not in {"", texts[j.subject]}}
    if changed:
        first = ", ".join(sorted(changed)[:3])
        yield f"{len(changed)} labelled items have another text than when first judged ({first}): are their labels new?"
    asked = {label.criterion for label in labels}
    for criterion in rubric.criteria:
        digests = {j.criterion_digest for j in before if j.criterion == criterion.id}
        if criterion.id in asked and digests - {criterion.digest}:
            yield f"the wording of {criterion.id} has changed since it was first judged: are its labels of the new one?"
