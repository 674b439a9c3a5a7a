"""`fiel judge`: run the judges of a project. Knows no label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fiel.cli._exits import say, tell, warn
from fiel.cli._progress import Line
from fiel.cli._short import listed, short
from fiel.cli._studies import chosen
from fiel.judges import Judge, LLMJudge, look_over, same_family
from fiel.records import Item, Judgement, Rubric
from fiel.runner import Progress, bill_of, check_model, judge_from
from fiel.runner import judge as run_judge
from fiel.store.judgements import JudgementStore
from fiel.store.project import Project


def run(
    folder: Path, *, judge: str | None, quiet: bool, dry_run: bool, max_calls: int | None, max_cost: float | None
) -> None:
    """Every chosen judge on every item; what is there already is not asked again."""
    project = Project.open(folder)
    items = project.items()
    warned: set[str] = set()
    wanted = chosen(project, None if judge is None else {judge})
    for config in wanted:
        if config.kind == "imported":
            say(f"{short(config.name)} was imported and is not run; fiel import brings in what else it said.")
            continue
        rubric = project.rubric(config.rubric)
        built = judge_from(config, project)
        for warning in (*look_over(rubric, items), *_kinship(built, items)):
            if warning not in warned:
                warn(warning)
                warned.add(warning)
        with project.judgements() as store:
            if dry_run:
                _bill(built, items, rubric, store)
                continue
            check_model(built)
            line = Line(config.name, live=not quiet)
            try:
                said = run_judge(
                    built, items, rubric, store=store, progress=line, max_calls=max_calls, max_cost=max_cost
                )
            finally:
                line.end()
                _calls(config.name, line.last)
            _served(config.name, built, rubric, store, line.last)
        _counts(config.name, items, rubric, said)
    if not dry_run and any(config.kind != "imported" for config in wanted):
        say("These are the judge's own counts. Next: fiel validate LABELS.csv says what they are worth.")


def _bill(judge: Judge, items: Sequence[Item], rubric: Rubric, store: JudgementStore) -> None:
    bill = bill_of(judge, items, rubric, store=store)
    cost = "unknown, no price in fiel.toml" if bill.cost is None else f"about {bill.cost:.2f}"
    tell(
        f"{short(judge.name)}: {bill.calls} calls to make, {bill.kept} answered already; "
        f"about {bill.input} tokens in and {bill.output} out; cost {cost}"
    )


def _calls(name: str, progress: Progress | None) -> None:
    """What the run took, however it ended."""
    if progress is None or progress.calls + progress.reused == 0:
        return
    tokens = [("in", progress.tokens[0]), ("out", progress.tokens[1]), ("cached", progress.tokens[2])]
    told = ", ".join(f"{'unknown' if count is None else count} {what}" for what, count in tokens)
    cost = "unknown" if progress.cost is None else f"{progress.cost:.4g}"
    say(f"{short(name)}: {progress.calls} calls, {progress.reused} kept replies used; tokens {told}; cost {cost}")


def _served(name: str, judge: Judge, rubric: Rubric, store: JudgementStore, progress: Progress | None) -> None:
    """Say when the server served something else than before under the same name: that is another judge."""
    kept = store.served(judge.identity(rubric))
    if progress is None or len(kept) < 2:
        return
    told = "; ".join(f"{short(entry.served or 'not told')} ({entry.count} judgements)" for entry in kept)
    warn(f"{short(name)} was served by several models, each of them another judge: {told}")


def _kinship(judge: Judge, items: Sequence[Item]) -> list[str]:
    """A judge of the family that wrote the answers tends to prefer its own."""
    if not isinstance(judge, LLMJudge):
        return []
    authors = sorted({item.author for item in items if item.author and same_family(judge.model.name, item.author)})
    if not authors:
        return []
    return [f"{short(judge.name)} judges answers of its own family ({listed(authors)}): it may prefer them."]


def _counts(name: str, items: Sequence[Item], rubric: Rubric, judgements: Sequence[Judgement]) -> None:
    tell(f"{short(name)}: {len(items)} items on {len(rubric.criteria)} criteria of rubric {short(rubric.id)}")
    for criterion in rubric.criteria:
        mine = [j for j in judgements if j.criterion == criterion.id and j.replicate == 0]
        scored = [j for j in mine if j.verdict is not None]
        passed = sum(j.verdict in criterion.passes for j in scored)
        reasons = [j.status if j.belief is None else "tie" for j in mine if j.verdict is None]
        aside = ", ".join(f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons))
        tell(f"  {short(criterion.id)}: {passed} of {len(scored)} pass{f'; {aside}' if aside else ''}")
    reruns = [j for j in judgements if j.replicate > 0]
    if reruns:
        first = {(j.subject, j.criterion): j.written for j in judgements if j.replicate == 0}
        moved = {(j.subject, j.criterion) for j in reruns if j.written != first.get((j.subject, j.criterion))}
        tell(
            f"  rerun noise: {len(moved)} of {len(first)} answers varied among reruns at temperature 0; "
            "that is no confidence"
        )
