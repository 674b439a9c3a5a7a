"""`fiel draw`: the items to be labelled, with the chances that they had. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fiel.cli._exits import say, tell, warn
from fiel.cli._frozen import sets_of
from fiel.cli._short import listed, short
from fiel.cli._studies import chosen, has_judgements, one_model, said_by
from fiel.measures import Columns, Drawn
from fiel.measures import draw as draw_sample
from fiel.records import FielError, Item, Rubric, Sample
from fiel.stats import Allocation
from fiel.store.config import JudgeEntry
from fiel.store.project import Project
from fiel.store.samples import read_sample, sample_names, write_sample

NAME = "first"
BY_JUDGE = ("belief", "verdict", "uncertainty")


class How(NamedTuple):
    """What was asked for, absent where nothing was."""

    n: int
    by: str | None
    judge: str | None
    criterion: str | None
    allocation: Allocation
    seed: int | None
    reason: str | None


class _Believer(NamedTuple):
    """A judge whose beliefs a sample may be drawn by, None where none has judged; and the rubric that is asked."""

    judge: str | None
    rubric: Rubric
    judgements: Columns | tuple[()]


def run(folder: Path, name: str | None, how: How) -> None:
    """A new sample."""
    project = Project.open(folder)
    name = NAME if name is None else name
    if name in sample_names(samples_of(project)):
        raise FielError(
            f"There is a sample {name!r} already; nothing was drawn.",
            where=str(samples_of(project)),
            fix=f"Name another one, or add to it: fiel draw {name} --top-up",
        )
    items = project.items()
    believer = _believer(project, items, how.judge)
    by = how.by or ("belief" if believer.judgements else "random")
    if how.by is None and not believer.judgements:
        say("No judge has judged these items as they stand: they are drawn at random, each as likely as another.")
    drawn = draw_sample(
        items,
        believer.rubric,
        believer.judgements,
        name=name,
        n=how.n,
        by=by,
        criterion=how.criterion,
        allocation=how.allocation,
        seed=how.seed or 0,
        reason=how.reason,
    )
    _keep(project, drawn, believer.judge, before=0)


def top_up(folder: Path, name: str | None, how: How) -> None:
    """A further stage of a sample."""
    project = Project.open(folder)
    already = sample_of(project, name)
    if (sets_of(project) / already.name).exists():
        raise FielError(f"{already.name!r} is frozen: nothing can be added to it.", fix="Draw another sample.")
    if how.seed is not None:
        raise FielError("A top-up goes on from the seed of its sample.", fix="Leave --seed out.")
    items = project.items()
    believer = _believer(project, items, how.judge)
    by, _, criterion = (already.design.by or "random").partition(" of ")
    drawn = draw_sample(
        items,
        believer.rubric,
        believer.judgements,
        name=already.name,
        n=how.n,
        by=how.by or by,
        criterion=how.criterion or criterion or None,
        allocation=how.allocation,
        reason=how.reason,
        already=already,
    )
    _keep(project, drawn, believer.judge, before=len(already.subjects))


def samples_of(project: Project) -> Path:
    """The folder of the project's samples; it need not exist."""
    return project.root / "samples"


def sample_of(project: Project, name: str | None) -> Sample:
    """The sample of this name, or the only one there is.

    Raises:
        FielError: there is none, or several and none was named.
    """
    known = sample_names(samples_of(project))
    if name is not None or len(known) == 1:
        return read_sample(samples_of(project), known[0] if name is None else name)
    raise FielError(
        f"There are {len(known)} samples: {listed(known)}." if known else "There is no sample.",
        where=str(samples_of(project)),
        fix="Name one of them." if known else "Draw one: fiel draw",
    )


def _believer(project: Project, items: Sequence[Item], name: str | None) -> _Believer:
    """The named judge, or the first that has judged; without one, the rubric that people will be asked all the same."""
    if not project.config.judges:
        return _Believer(None, only_rubric(project), ())
    entries = chosen(project, None if name is None else {name})
    for entry in entries if has_judgements(project) else ():
        said = said_by(project, entry, items)
        if said.judgements:
            judgements, _, warnings = one_model(entry.name, said.judgements)
            for warning in warnings:
                warn(warning)
            return _Believer(entry.name, said.rubric, judgements.one_order())
    _check_one_rubric(entries)
    return _Believer(None, project.rubric(entries[0].rubric), ())


def only_rubric(project: Project) -> Rubric:
    """The rubric of a project without a judge.

    Raises:
        FielError: there is none, or there are several.
    """
    known = sorted(path.stem for path in (project.root / "rubrics").glob("*.toml"))
    if len(known) != 1:
        raise FielError(
            f"There is no judge, and of rubrics there are {len(known)}: {listed(known) or 'none'}.",
            where=str(project.root),
            fix="Add a [[judges]] table to fiel.toml that names the rubric.",
        )
    return project.rubric(known[0])


def _check_one_rubric(entries: Sequence[JudgeEntry]) -> None:
    rubrics = sorted({entry.rubric for entry in entries})
    if len(rubrics) > 1:
        raise FielError(
            f"The judges have {len(rubrics)} rubrics: {listed(rubrics)}.",
            fix="Say which by naming a judge: --judge.",
        )


def _keep(project: Project, drawn: Drawn, judge: str | None, *, before: int) -> None:
    """Write the sample and say what it is."""
    sample, new = drawn.sample, len(drawn.sample.subjects) - before
    path = write_sample(samples_of(project), sample, replace=before > 0)
    for line in _lines(sample, judge, new=new):
        tell(line)
    for warning in drawn.warnings:
        warn(warning)
    say(f"Sample: {path}")
    say(f"Next: fiel label {sample.name} --rater NAME --rater NAME serves it to people who do not see the judge.")


def _lines(sample: Sample, judge: str | None, *, new: int) -> list[str]:
    design, total = sample.design, len(sample.subjects)
    more = "" if new == total else f", {total} in all"
    how = f"by {short(design.by)}" if design.by else "every one" if design.kind == "census" else "at random"
    whose = f" (judge {short(judge)})" if judge and (design.by or "").startswith(BY_JUDGE) else ""
    lines = [f"{sample.name}: {new} of {design.frame} items drawn{more}, {how}{whose}; seed {design.seed}"]
    width = max((len(short(stratum.name)) for stratum in design.strata), default=0)
    lines += [f"  {short(stratum.name):<{width}}  {stratum.drawn:>4} of {stratum.size}" for stratum in design.strata]
    if design.weights:
        weights = design.weights.values()
        lines.append(f"  each stands for {min(weights):.3g} to {max(weights):.3g} items: estimates weigh them back")
    return lines
