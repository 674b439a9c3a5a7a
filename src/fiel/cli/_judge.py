"""`fiel judge`: run the judges of a project. Knows no label."""

from __future__ import annotations

from pathlib import Path

import typer

from fiel.cli._exits import say
from fiel.cli._progress import Line
from fiel.cli._studies import chosen
from fiel.judges import look_over
from fiel.runner import judge as run_judge
from fiel.runner import judge_from
from fiel.store.project import Project


def run(folder: Path, *, judge: str | None, quiet: bool) -> None:
    """Every chosen judge on every item; what is there already is not asked again."""
    project = Project.open(folder)
    items = project.items()
    warned: set[str] = set()
    for config in chosen(project, judge):
        rubric = project.rubric(config.rubric)
        for warning in look_over(rubric, items):
            if warning not in warned:
                say(f"warning: {warning}")
                warned.add(warning)
        line = None if quiet else Line(config.name)
        with project.judgements() as store:
            judgements = run_judge(judge_from(config), items, rubric, store=store, progress=line)
        if line:
            line.end()
        typer.echo(f"{config.name}: {len(items)} items on {len(rubric.criteria)} criteria of rubric {rubric.id}")
        for criterion in rubric.criteria:
            mine = [j for j in judgements if j.criterion == criterion.id]
            passed = sum(j.verdict in criterion.passes for j in mine)
            none = sum(j.verdict is None for j in mine)
            without = f", {none} without a verdict" if none else ""
            typer.echo(f"  {criterion.id}: {passed} of {len(mine) - none} pass{without}")
    say("These are the judge's own counts. Next: fiel validate LABELS.csv says what they are worth.")
