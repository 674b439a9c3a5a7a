"""One judge, its rubric, the items, the labels and what the judge said: what every measure starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fiel.cli._exits import say
from fiel.cli._frozen import find_set, look_counted, still_valid
from fiel.records import CalibrationSet, FielError, Item, Judgement, Label, Rubric, nearest
from fiel.runner import judge_from
from fiel.store.config import JudgeEntry
from fiel.store.frozen import read_set
from fiel.store.project import Project


class Study(NamedTuple):
    """One judge of a project, with all that is known about it.

    Args:
        labels: the answers of people that count; frozen: the calibration set that they stand in, if one was named.
    """

    judge: JudgeEntry
    identity: str
    rubric: Rubric
    items: list[Item]
    labels: list[Label]
    judgements: list[Judgement]
    warnings: tuple[str, ...]
    frozen: CalibrationSet | None = None

    @property
    def people(self) -> CalibrationSet | list[Label]:
        """What people said, as measures take it: with design and decisions where there are any."""
        return self.labels if self.frozen is None else self.frozen


class Said(NamedTuple):
    """What one judge says of the items as they stand now, and what it said `before`, as it was then."""

    identity: str
    rubric: Rubric
    judgements: list[Judgement]
    before: list[Judgement]


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
    command: str = "",
) -> list[Study]:
    """Every chosen judge with what it said of the items as they stand now.

    Args:
        project: the project.
        judges: the names of judges; None for all.
        labels: a label file, or a calibration set by its name or folder; None for the project's own.
        labels_needed: False where a project without labels will do.
        command: what was typed, for the list of the uses of a calibration set.

    Raises:
        FielError: no judge of that name, or one has not judged, or not as it stands now.
    """
    items = project.items()
    folder = find_set(project, labels, needed=labels_needed)
    frozen = None if folder is None else read_set(folder)
    valid, notes = (None, []) if frozen is None else still_valid(frozen, items)
    without = labels is None and project.config.project.labels is None and not labels_needed
    found: list[Study] = []
    for config in chosen(project, judges):
        if frozen is not None and judges is None and config.rubric != frozen.rubric.id:
            continue
        said = said_by(project, config, items)
        if not said.judgements:
            raise FielError(f"Judge {config.name!r} {_why_nothing(said)}.", fix=_again(config))
        current, changed = one_model(config.name, said.judgements)
        if valid is not None:
            answers = _of_rubric(valid, said.rubric)
        else:
            answers = [] if without else _labels(project, said.rubric, labels, {item.id for item in items})
        warnings = (*_warnings(config.name, said, items, answers, plain=valid is None), *notes, *changed)
        for warning in dict.fromkeys(warnings):
            if not any(warning in study.warnings for study in found):
                say(f"warning: {warning}")
        if any(warning.startswith("partial: ") for warning in warnings):
            say(_again(config))
        found.append(Study(config, said.identity, said.rubric, items, answers, current, warnings, valid))
    if frozen is not None and folder is not None:
        if not found:
            raise FielError(f"No judge judges by rubric {frozen.rubric.id!r}, as calibration set {frozen.name!r} does.")
        look_counted(folder, frozen, command)
    return found


def _of_rubric(frozen: CalibrationSet, rubric: Rubric) -> list[Label]:
    """The labels of a set on the criteria of a judge.

    Raises:
        FielError: there are none.
    """
    known = {criterion.id for criterion in rubric.criteria}
    found = [label for label in frozen.labels if label.criterion in known]
    if not found:
        raise FielError(
            f"Calibration set {frozen.name!r} has no label on a criterion of rubric {rubric.id!r}.",
            fix=f"It answers rubric {frozen.rubric.id!r}.",
        )
    return found


def has_judgements(project: Project) -> bool:
    """Whether there may be judgements: a database file, or the address of a server."""
    written = project.config.store.judgements
    return "://" in written or (project.root / written).exists()


def said_by(project: Project, config: JudgeEntry, items: Sequence[Item]) -> Said:
    """What a judge says of the items as they stand now; nothing where it has not judged them as it stands now."""
    rubric = project.rubric(config.rubric)
    identity = judge_from(config, project).identity(rubric)
    texts = {item.id: item.digest for item in items}
    with project.judgements(must_exist=True) as store:
        before = store.read(judge=config.name)
    current = [j for j in before if j.identity == identity and j.replicate == 0]
    valid = [j for j in current if texts.get(j.subject) == j.subject_digest]
    return Said(identity, rubric, one_order(valid), before)


def one_order(judgements: list[Judgement]) -> list[Judgement]:
    """Of pairs that were judged in both orders, the judgement in the order ab."""
    both = {(j.subject, j.criterion) for j in judgements if j.order == "ab"}
    return [j for j in judgements if j.order != "ba" or (j.subject, j.criterion) not in both]


def _again(config: JudgeEntry) -> str:
    """What makes judgements of this judge."""
    if config.kind == "imported":
        return "It was imported: run the same fiel import again, with a table in which it has."
    return f"Run: fiel judge --judge {config.name}"


def _warnings(name: str, said: Said, items: Sequence[Item], answers: Sequence[Label], *, plain: bool) -> list[str]:
    """What is missing, and what may not fit: a plain file does not say which texts and which wording it answers."""
    texts = {item.id: item.digest for item in items}
    missing = len(items) - len({j.subject for j in said.judgements})
    partial = [f"partial: {name} has not judged {missing} of {len(items)} items as they stand now"] if missing else []
    orders = {j.order for j in said.before if j.identity == said.identity}
    if {"ab", "ba"} <= orders:
        partial.append(f"{name} judged pairs in both orders: the figures are those of the order ab alone")
    return partial + (list(_older(said.rubric, texts, answers, said.before)) if plain else [])


def one_model(name: str, judgements: list[Judgement]) -> tuple[list[Judgement], list[str]]:
    """Of judgements by several served models, those of the one that served most, and a warning: each is a judge."""
    counts = Counter(j.served for j in judgements if j.served is not None)
    if len(counts) < 2:
        return judgements, []
    used = counts.most_common(1)[0][0]
    warning = (
        f"{name} was served by {len(counts)} models, each another judge ({', '.join(sorted(counts))}): "
        f"the figures are those of {used} alone"
    )
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


def _why_nothing(said: Said) -> str:
    if any(j.identity == said.identity for j in said.before):
        return "has judged other texts: every answer has changed since"
    return "has changed since it judged" if said.before else "has not judged anything yet"


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
