"""One judge, its rubric, the items, the labels and what the judge said: what every measure starts from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from fiel.cli._exits import say, warn
from fiel.cli._frozen import find_set, look_counted, still_valid
from fiel.cli._short import listed, short, word
from fiel.records import CalibrationSet, FielError, Item, Judgement, Label, Rubric, nearest
from fiel.runner import judge_from
from fiel.store.config import JudgeEntry
from fiel.store.frozen import read_set
from fiel.store.project import Project

if TYPE_CHECKING:
    from fiel.measures import Columns


class Study(NamedTuple):
    """One judge of a project, with all that is known about it.

    Args:
        judgements: what it says of the items as they stand now, as arrays: there may be very many.
        labels: the answers of people that count; frozen: the calibration set that they stand in, if one was named,
            without what no longer holds; set_digest: of that set as it was frozen.
        project: that it was read from; served: the model whose judgements these are, where several were served.
    """

    judge: JudgeEntry
    identity: str
    rubric: Rubric
    items: list[Item]
    labels: list[Label]
    judgements: Columns
    warnings: tuple[str, ...]
    frozen: CalibrationSet | None
    set_digest: str | None
    project: Project
    served: str | None

    @property
    def people(self) -> CalibrationSet | list[Label]:
        """What people said, as measures take it: with design and decisions where there are any."""
        return self.labels if self.frozen is None else self.frozen

    def said_of(self, subjects: Collection[str]) -> list[Judgement]:
        """The judgements of a few subjects whole, with reason and evidence, read anew: those that `judgements` hold."""
        wanted = set(subjects)
        texts = {item.id: item.digest for item in self.items if item.id in wanted}
        with self.project.judgements(must_exist=True) as store:
            found = store.read(judge=self.judge.name, identity=self.identity, subjects=wanted, replicate=0)
        current = [j for j in found if texts.get(j.subject) == j.subject_digest]
        return _one_order([j for j in current if self.served is None or j.served in {None, self.served}])


class Said(NamedTuple):
    """What one judge says of the items as they stand now."""

    identity: str
    rubric: Rubric
    judgements: Columns


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
            fix=f"The judges are: {listed(known)}.",
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
            raise FielError(f"Judge {config.name!r} {_why_nothing(project, config, said)}.", fix=_again(config))
        current, served, changed = one_model(config.name, said.judgements)
        current = current.one_order()
        if valid is not None:
            answers = _of_rubric(valid, said.rubric)
        else:
            answers = [] if without else plain_labels(project, said.rubric, labels, {item.id for item in items})
        older = _older(project, config.name, said.rubric, items, answers) if valid is None else ()
        warnings = (*_warnings(project, config.name, said, items), *older, *notes, *changed)
        for warning in dict.fromkeys(warnings):
            if not any(warning in study.warnings for study in found):
                warn(warning)
        if any(warning.startswith("partial: ") for warning in warnings):
            say(_again(config))
        study = Study(
            judge=config,
            identity=said.identity,
            rubric=said.rubric,
            items=items,
            labels=answers,
            judgements=current,
            warnings=warnings,
            frozen=valid,
            set_digest=None if frozen is None else frozen.digest,
            project=project,
            served=served,
        )
        found.append(study)
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
        found = store.columns(config.name, identity, texts=texts, replicate=0)
    return Said(identity, rubric, found)


def _one_order(judgements: list[Judgement]) -> list[Judgement]:
    """As `Columns.one_order`."""
    both = {(j.subject, j.criterion) for j in judgements if j.order == "ab"}
    return [j for j in judgements if j.order != "ba" or (j.subject, j.criterion) not in both]


def _again(config: JudgeEntry) -> str:
    """What makes judgements of this judge."""
    if config.kind == "imported":
        return "It was imported: run the same fiel import again, with a table in which it has."
    return f"Run: fiel judge --judge {word(config.name)}"


def _warnings(project: Project, name: str, said: Said, items: Sequence[Item]) -> Iterator[str]:
    """What is missing, and what does not count."""
    missing = len(items) - len(said.judgements.subjects)
    if missing:
        yield f"partial: {short(name)} has not judged {missing} of {len(items)} items as they stand now"
    with project.judgements(must_exist=True) as store:
        if {"ab", "ba"} <= store.orders(name, said.identity):
            yield f"{short(name)} judged pairs in both orders: the figures are those of the order ab alone"


def one_model(name: str, judgements: Columns) -> tuple[Columns, str | None, list[str]]:
    """Of judgements by several served models, those of the one that served most, and a warning: each is a judge.

    Returns:
        The judgements; the model, None where there are not several; and the warnings.
    """
    counts = judgements.by_model()
    if len(counts) < 2:
        return judgements, None, []
    used = counts.most_common(1)[0][0]
    warning = (
        f"{short(name)} was served by {len(counts)} models, each another judge ({listed(sorted(counts))}): "
        f"the figures are those of {short(used)} alone"
    )
    return judgements.of_model(used), used, [warning]


def plain_labels(project: Project, rubric: Rubric, path: Path | None, items: Collection[str]) -> list[Label]:
    """The labels on a rubric's criteria; those on the project's other rubrics stand in the same files.

    Raises:
        FielError: as `Project.labels`.
    """
    mine = {criterion.id for criterion in rubric.criteria}
    others = {
        criterion.id: criterion
        for name in sorted({judge.rubric for judge in project.config.judges} - {rubric.id})
        for criterion in project.rubric(name).criteria
        if criterion.id not in mine
    }
    whole = msgspec.structs.replace(rubric, criteria=(*rubric.criteria, *others.values())) if others else rubric
    return [label for label in project.labels(whole, path, items=items) if label.criterion in mine]


def _why_nothing(project: Project, config: JudgeEntry, said: Said) -> str:
    with project.judgements(must_exist=True) as store:
        known = store.identities(config.name)
    if said.identity in known:
        return "has judged other texts: every answer has changed since"
    return "has changed since it judged" if known else "has not judged anything yet"


def _older(
    project: Project, name: str, rubric: Rubric, items: Sequence[Item], labels: Sequence[Label]
) -> Iterator[str]:
    """What changed after it was first judged: a plain file does not say which texts and which wording it answers."""
    labelled = {label.subject for label in labels}
    with project.judgements(must_exist=True) as store:
        texts, wordings = store.texts(name, labelled), store.wordings(name)
    changed = sorted(x.id for x in items if x.id in labelled and texts.get(x.id, set()) - {"", x.digest})
    if changed:
        first = ", ".join(map(short, changed[:3]))
        yield f"{len(changed)} labelled items have another text than when first judged ({first}): are their labels new?"
    asked = {label.criterion for label in labels}
    for criterion in rubric.criteria:
        if criterion.id in asked and wordings.get(criterion.id, set()) - {criterion.digest}:
            what = f"the wording of {short(criterion.id)} has changed since it was first judged"
            yield f"{what}: are its labels of the new one?"
