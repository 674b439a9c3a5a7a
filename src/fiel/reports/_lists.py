"""What a page lists beside its criteria: its beginning, and whether there is more. Computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fiel.reports._charts import Group
from fiel.reports._pages import ROWS, Line
from fiel.reports._place import Place, raw
from fiel.reports._text import listing

DIAGRAMS = 12  # sets of probabilities that have pictures and tables
DOTS = 60  # of a picture
_STANDING = ("fails", "cannot be checked", "holds")
_NAMED = 4  # rates in a list of them


class Again(NamedTuple):
    """Somebody who was asked twice."""

    who: str
    criterion: str
    judge: bool
    estimate: Place


class Labeller(NamedTuple):
    """One person on one criterion."""

    criterion: str
    rater: Place


class Rest(NamedTuple):
    """One thing that rates rest on, and the names of these rates; empty where it is all of them."""

    check: Place
    of: str


class Some(NamedTuple):
    """The beginning of a list, and whether there is more."""

    shown: tuple[Any, ...]
    left: bool


class Told(NamedTuple):
    """One set of probabilities of one judge on one criterion."""

    criterion: str
    judge: str
    calibration: Place


def beginning_of(groups: Sequence[Group]) -> tuple[Group, ...]:
    """The groups that a picture has room for, at least one."""
    dots = 0
    for place, group in enumerate(groups):
        dots += len(group.dots)
        if place and dots > DOTS:
            return tuple(groups[:place])
    return tuple(groups)


def silent_in(told: Iterable[Told]) -> tuple[Told, ...]:
    """Where there is nothing to look at, once for each judge, criterion and reason."""
    found = {(x.criterion, x.judge, raw(x.calibration.reason)): x for x in told if not x.calibration.before}
    return tuple(found.values())[:ROWS]


def told_by(lines: Iterable[Line]) -> tuple[Told, ...]:
    """Every set of probabilities, those of one criterion together."""
    return tuple(
        Told(line.criterion, line.judge, calibration)
        for line in lines
        if line.found is not None
        for calibration in line.found.calibrations
    )


def rests_on(lines: Sequence[Line]) -> tuple[Rest, ...]:
    """What rates rest on, each once, what fails first."""
    several = len({line.judge for line in lines}) > 1
    found: dict[tuple[str, str, str], tuple[Place, list[str]]] = {}
    rated = [(line, line.rate) for line in lines if line.rate is not None and line.rate.checks]
    for line, rate in rated:
        for check in rate.checks:
            known = raw(check)
            key = (known.standing, known.name, known.text)
            name = f"{line.criterion}, {line.judge}" if several else line.criterion
            found.setdefault(key, (check, []))[1].append(name)
    order = sorted(found.values(), key=lambda entry: _STANDING.index(raw(entry[0].standing)))
    return tuple(
        Rest(check, "" if len(names) == len(rated) else listing(tuple(names), _NAMED)) for check, names in order[:ROWS]
    )


def asked_again(root: Place) -> Some:
    """People with their own first answers on hidden repeats, then judges that were asked again."""
    found = [
        Again(raw(rater.rater), raw(part.criterion), judge=False, estimate=rater.self_consistency)
        for rubric in root.people
        for part in rubric.criteria
        for rater in part.raters
        if raw(rater.self_consistency) is not None
    ]
    found += [
        Again(raw(rerun.judge_a), criterion, judge=True, estimate=rerun.criteria[criterion].agreement)
        for rerun in root.reruns
        for criterion in raw(rerun.criteria)
    ]
    return _beginning(found)


def labellers(root: Place) -> Some:
    """Each person on each criterion."""
    return _beginning(
        [
            Labeller(raw(part.criterion), rater)
            for rubric in root.people
            for part in rubric.criteria
            for rater in part.raters
        ]
    )


def studies_of(root: Place) -> tuple[Place, ...]:
    """One validation for each rubric, group of people and bar that judges were held against."""
    seen: dict[tuple[object, ...], Place] = {}
    for part in root.validations:
        known = raw(part)
        seen.setdefault((known.rubric_digest, known.raters, known.bar, known.confidence), part)
    return tuple(seen.values())


def warnings_of(root: Place) -> tuple[tuple[tuple[Place, ...], Place], ...]:
    """What to know, each sentence once, and which judges it is about; none where it is about all of them."""
    everybody = len(root.validations)
    about: dict[str, tuple[list[Place], Place]] = {}
    for part in root.validations:
        for text in part.warnings:
            about.setdefault(raw(text), ([], text))[0].append(part.judge)
    for note in root.notes:
        about.setdefault(raw(note), ([], note))
    return tuple((() if len(judges) == everybody else tuple(judges), text) for judges, text in about.values())


def _beginning(found: Sequence[NamedTuple]) -> Some:
    return Some(shown=tuple(found[:ROWS]), left=len(found) > ROWS)
