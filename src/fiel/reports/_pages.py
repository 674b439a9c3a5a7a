"""What a page shows and in which order, as places of the report; long tables end and say so. Computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fiel.measures import CriterionValidation
from fiel.reports._bundle import Report
from fiel.reports._place import Place, down, raw
from fiel.reports._view import Row, grouped

Depth: TypeAlias = Literal["open", "folded", "compared"]

ROWS = 40  # of a long table
ACROSS = 12  # answers in a matrix, and warnings that are told at once
MET = 16  # people and judges in a matrix
OPEN = 12  # lines, of a judge on a criterion, that are all told in full
FOLDED = 48  # that are told in full behind a fold; of more there is a table that sets judges beside each other


class Line(NamedTuple):
    """One judge on one criterion; `anchor` is its id on the page."""

    anchor: str
    criterion: str
    judge: str
    found: Place | None
    rate: Place | None
    bar: Place | None
    funnel: Place | None


class Meeting(NamedTuple):
    """A row of a matrix: who, and the pair with each of the columns, None where they share no item."""

    name: str
    pairs: tuple[Place | None, ...]


class Matrix(NamedTuple):
    """Who agrees with whom: people, then judges; `left` says that there are more people than are shown."""

    names: tuple[str, ...]
    rows: tuple[Meeting, ...]
    coefficient: str
    left: bool


class Part(NamedTuple):
    """A criterion: its judges, people among themselves, and the disagreements to read; `anchor` is its id.

    `across` has a place for each judge of the report, None where it has nothing on this criterion.
    """

    criterion: str
    anchor: str
    lines: tuple[Line, ...]
    across: tuple[Line | None, ...]
    people: Place | None
    matrix: Matrix | None
    cases: tuple[Place, ...]


class Step(NamedTuple):
    """A column of the funnel: its field, and its title."""

    name: str
    title: str

    def of(self, funnel: Place) -> Place:
        """The count of a funnel."""
        return down(funnel, self.name)


STEPS = (
    Step("items", "items"),
    Step("inapplicable", "not applicable"),
    Step("judged", "judged"),
    Step("unscored", "without a verdict"),
    Step("drawn", "drawn to label"),
    Step("labelled", "labelled"),
    Step("skipped", "answers skipped"),
    Step("set_aside", "labels set aside"),
    Step("two", "by two or more"),
    Step("unresolved", "tied"),
    Step("adjudicated", "decided"),
    Step("both", "with both"),
    Step("agree", "agree"),
)
_ALWAYS = frozenset({"items", "judged", "labelled", "both"})


def parts_of(root: Place, rows: Sequence[Row]) -> tuple[Part, ...]:
    """The criteria of a report, each with all that is known of it."""
    report: Report = raw(root)
    found: list[Part] = []
    names = judges_in(rows)
    several = len(names) > 1
    number = 0
    for criterion, group in grouped(rows):
        lines = tuple(_line(root, row, number + place) for place, row in enumerate(group, start=1))
        number += len(lines)
        people = _people(root, group)
        cases = tuple(root.cases[i] for i, case in enumerate(report.cases) if case.work.criterion == criterion)
        matrix = _matrix(root, group, people, criterion) if people is not None else None
        anchor = f"part-{len(found) + 1}" if several else lines[0].anchor
        found.append(
            Part(
                criterion=criterion,
                anchor=anchor,
                lines=lines,
                across=tuple(next((line for line in lines if line.judge == name), None) for name in names),
                people=people,
                matrix=matrix,
                cases=cases,
            )
        )
    return tuple(found)


def judges_in(rows: Iterable[Row]) -> tuple[str, ...]:
    """The names of the judges, in the order in which they come."""
    return tuple(dict.fromkeys(row.judge for row in rows))


def depth_of(rows: Sequence[Row]) -> Depth:
    """How much is told of each judge on each criterion: the more of them there are, the less."""
    return "open" if len(rows) <= OPEN else "folded" if len(rows) <= FOLDED else "compared"


def funnel_of(lines: Iterable[Line]) -> tuple[Step, ...]:
    """The steps at which anything is lost, or that are always told."""
    funnels = [raw(line.funnel) for line in lines if line.funnel is not None]
    return tuple(
        step for step in STEPS if funnels and (step.name in _ALWAYS or any(getattr(x, step.name) for x in funnels))
    )


def _line(root: Place, row: Row, number: int) -> Line:
    found = down(root, *row.found_at) if row.found else None
    rate = down(root, *row.rate_at) if row.rate else None
    part = found if found is not None else rate
    return Line(
        anchor=f"criterion-{number}",
        criterion=row.criterion,
        judge=row.judge,
        found=found,
        rate=rate,
        bar=down(root, *row.found_at[:2]).bar if row.found else None,
        funnel=part.funnel if part is not None else None,
    )


def _people(root: Place, group: Sequence[Row]) -> Place | None:
    """People among themselves on the criterion of these rows, worded as they were asked."""
    digests = {row.found.digest for row in group if row.found}
    for rubric in root.people:
        for part in rubric.criteria:
            if raw(part.digest) in digests:
                return part
    return None


def _matrix(root: Place, group: Sequence[Row], people: Place, criterion: str) -> Matrix | None:
    judges = {row.judge: row for row in group if row.found}
    known = sorted(raw(people.raters), key=lambda rater: (-rater.n, rater.rater))
    room = max(MET - len(judges), 2)
    people_shown = sorted(rater.rater for rater in known[:room])
    names = (*people_shown, *judges)
    met: dict[frozenset[tuple[str, bool]], Place] = {}
    for pair in people.pairs:
        met[_key(raw(pair.a), False, raw(pair.b), False)] = pair
    for name, row in judges.items():
        for pair in down(root, *row.found_at).by_rater:
            met[_key(name, True, raw(pair.b), False)] = pair
    for between in root.between:
        if criterion in raw(between.criteria):
            pair = between.criteria[criterion]
            met[_key(raw(pair.a), True, raw(pair.b), True)] = pair
    if len(names) < 2 or not met:
        return None
    kinds = [(name, place >= len(people_shown)) for place, name in enumerate(names)]
    rows = tuple(
        Meeting(name, tuple(None if j < i else met.get(_key(name, judge, *kinds[j])) for j in range(1, len(names))))
        for i, (name, judge) in enumerate(kinds[:-1])
    )
    fitting = next(iter(met.values())).coefficient.name
    return Matrix(names=names, rows=rows, coefficient=raw(fitting), left=len(known) > room)


def _key(a: str, a_judges: bool, b: str, b_judges: bool) -> frozenset[tuple[str, bool]]:  # noqa: FBT001  pairs of two
    return frozenset({(a, a_judges), (b, b_judges)})


def meaning(part: CriterionValidation) -> str:
    """What a word asks of the reader, in a few plain words."""
    if part.word == "use":
        return "may move decisions"
    if part.word == "not enough labels":
        return "cannot tell yet"
    if part.at_ceiling:
        return "people differ too: mend the question"
    return "mend the question, then check again" if part.word == "rewrite" else "this judge cannot answer it"
