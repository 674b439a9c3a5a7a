"""`fiel plan`: how many labels a wish takes, from the data at hand where there is some. Computes nothing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from fiel.cli._exits import hand_over, say, tell
from fiel.cli._preferences import set_apart
from fiel.cli._short import short
from fiel.cli._studies import Study, studies
from fiel.measures import Plan, plan
from fiel.records import FielError, encode
from fiel.store.project import Project


def run(
    folder: Path,
    labels: Path | None,
    *,
    kind: str,
    judge: str | None,
    criterion: str | None,
    expected: list[str],
    preferences: tuple[str, ...],
    form: str,
    wish: dict[str, float],
) -> None:
    """One plan for each judge and criterion that there is data on; without a criterion, one from what is expected."""
    given = dict(_pair(entry) for entry in expected)
    made: list[tuple[str, Plan]] = []
    if criterion is None:
        made.append(("", plan(kind=kind, expected=given, **wish)))  # type: ignore[arg-type]  # measures check the kind
    else:
        project = Project.open(folder)
        names = None if judge is None else {judge}
        found = studies(project, judges=names, labels=labels, labels_needed=False, command="fiel plan")
        found = set_apart(found, preferences)
        made.extend((f"{short(study.judge.name)}: ", _of(study, criterion, kind, given, wish)) for study in found)
    if form == "json":
        hand_over(encode([msgspec.to_builtins(one) for _, one in made]))
        return
    for name, one in made:
        _tell(name, one)


def _of(study: Study, criterion: str, kind: str, expected: dict[str, float], wish: dict[str, float]) -> Plan:
    return plan(
        study.judgements,
        study.people,
        kind=kind,  # type: ignore[arg-type]  # measures check the kind
        criterion=study.rubric[criterion],
        items=study.items,
        expected=expected,
        **wish,
    )


def _tell(name: str, found: Plan) -> None:
    tell(f"{name}{found.sentence}")
    for point in found.curve:
        gives = f"a width of {point.width:.2f}" if point.width is not None else f"a chance of {point.power or 0:.2f}"
        tell(f"  {point.labels:>6,} labels: {gives}")
    for note in found.notes:
        say(note)


def _pair(entry: str) -> tuple[str, float]:
    """NAME=NUMBER as it was typed."""
    name, _, number = entry.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise FielError(
            f"{entry!r} is not NAME=NUMBER.", where="--expect", fix="For example --expect rate=0.9 --expect rho=0.6."
        ) from None
