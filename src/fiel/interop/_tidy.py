"""Tidy tables of items, people and judges, as the records of a project. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from fiel.interop._answers import Scale, says_not_applicable, spelled
from fiel.interop._beliefs import Origin
from fiel.interop._columns import columns_of_judges, columns_of_people
from fiel.interop._description import Description
from fiel.interop._people import Given, labels_of, people_rows
from fiel.interop._rubric import Seen, Wish, check_wish, infer
from fiel.interop._sources import Tables
from fiel.interop._verdicts import Reading, Said, contents, judge_rows, judgements_of
from fiel.judges import Imported
from fiel.records import Criterion, FielError, Item, Judgement, Label, Rubric, nearest
from fiel.store.tables import Table

SOLE = "verdict"  # the criterion where nothing names one


class Content(NamedTuple):
    """What the tables hold, as records.

    Args:
        rubric: by which people and judges were read.
        judgements, contents: by judge, what it said and the digest of all that was imported of it.
        scales: a sentence on each criterion that was inferred.
        notes: what was left out, and what else is to be said.
    """

    items: list[Item]
    rubric: Rubric
    labels: list[Label]
    judgements: dict[str, list[Judgement]]
    contents: dict[str, str]
    scales: tuple[str, ...]
    notes: tuple[str, ...]


def understand(
    tables: Tables,
    *,
    name: str,
    rubric: tuple[Rubric, str] | None = None,
    wish: Wish | None = None,
    probs_from: Origin = "stated",
    repeat: str | None = None,
) -> Content:
    """The records that the tables hold.

    Args:
        tables: as they were read.
        name: of the rubric, where one has to be made.
        rubric: the one that is to be used, and its file; None to make one.
        wish: what the user said of the scales.
        probs_from: where the judges' probabilities come from.
        repeat: the column of people's table that numbers the passes of one rater over one item.

    Raises:
        FielError: as `people_rows`, `judge_rows`, `infer`, `labels_of`, `judgements_of`; an unknown item or criterion;
            a rubric that does not fit the wish.
    """
    wish = wish or Wish()
    sole = _sole(rubric[0] if rubric else None, tables)
    people = people_rows(tables.people, criterion=sole) if tables.people is not None else []
    said = judge_rows(tables.judges, criterion=sole) if tables.judges is not None else []
    items = {item.id: item for item in tables.items}
    _check_items(tables.people, people, items)
    _check_items(tables.judges, said, items)
    described = tables.description
    seen = _seen(people, said, described, wish)
    if rubric is None:
        made, scales = _made(name, seen, described, wish)
    else:
        made, scales = rubric[0], ()
        check_wish(made, wish, where=rubric[1])
        _check_criteria(tables, people, said, made)
        _check_applies(made, seen, rubric[1])
    read_as = {criterion.id: _scale(criterion, described, wish) for criterion in made.criteria}
    if wish.levels is not None and not any(scale.rounds for scale in read_as.values()):
        raise FielError("--levels is given, and no answers are measured numbers.", fix="Take it out.")
    labels, heard = labels_of(tables.people, people, read_as, repeat=repeat) if tables.people is not None else ([], [])
    beside = sorted({word for criterion in read_as for word in _beside(described, wish, criterion)})
    known = contents(said, Reading(probs_from, tuple(beside), wish.levels or ()))
    identities = {judge: Imported(name=judge, content=content).identity(made) for judge, content in known.items()}
    judgements, judged = (
        judgements_of(tables.judges, said, read_as, items=items, identities=identities, source=probs_from)
        if tables.judges is not None
        else ({}, [])
    )
    return Content(
        items=tables.items,
        rubric=made,
        labels=labels,
        judgements=judgements,
        contents=known,
        scales=scales,
        notes=(*tables.notes, *heard, *judged),
    )


def _sole(rubric: Rubric | None, tables: Tables) -> str | None:
    """What was answered where no column says so; None where there are several to choose from."""
    if rubric is not None:
        return rubric.criteria[0].id if len(rubric.criteria) == 1 else None
    described = list(tables.description.criteria)
    return SOLE if not described else described[0] if len(described) == 1 else None


def _scale(criterion: Criterion, description: Description, wish: Wish) -> Scale:
    described = description.criteria.get(criterion.id)
    return Scale(
        criterion,
        not_applicable=_beside(description, wish, criterion.id),
        levels=wish.levels is not None and tuple(map(spelled, criterion.options)) == wish.levels,
        span=described.span if described is not None else None,
    )


def _beside(description: Description, wish: Wish, criterion: str) -> frozenset[str]:
    """The spellings of "not applicable" on one criterion."""
    described = description.criteria.get(criterion)
    of_it = described.not_applicable if described is not None else ()
    return frozenset({*wish.not_applicable, *description.not_applicable, *of_it})


def _seen(people: Iterable[Given], said: Iterable[Said], description: Description, wish: Wish) -> dict[str, Seen]:
    """What was answered, by criterion, in the order of their first rows."""
    found: dict[str, Seen] = {}
    beside: dict[str, frozenset[str]] = {}

    def note(criterion: str, cell: Any, *, inapplicable: bool, by: Literal["people", "judges"]) -> None:
        if criterion not in found:
            found[criterion], beside[criterion] = Seen(), _beside(description, wish, criterion)
        seen, word = found[criterion], spelled(cell)
        if word is not None and word not in beside[criterion]:
            getattr(seen, by)[word] += 1
        elif word is not None or inapplicable:
            seen.inapplicable = True

    for given in people:
        note(given.criterion, given.cell, inapplicable=given.inapplicable, by="people")
    for verdict in said:
        note(verdict.criterion, verdict.cell, inapplicable=says_not_applicable(verdict.status), by="judges")
    return found


def _made(name: str, seen: Mapping[str, Seen], description: Description, wish: Wish) -> tuple[Rubric, tuple[str, ...]]:
    known = description.criteria
    order = [*(key for key in known if key in seen), *(key for key in seen if key not in known)]
    made = [
        infer(key, seen[key], known.get(key), wish._replace(not_applicable=tuple(_beside(description, wish, key))))
        for key in order
    ]
    criteria = tuple(criterion for criterion, _ in made)
    return Rubric(id=name, language=description.language, criteria=criteria), tuple(told for _, told in made)


def _check_items(table: Table | None, rows: Sequence[Given] | Sequence[Said], items: Mapping[str, Item]) -> None:
    unknown = [row for row in rows if row.item not in items]
    if table is None or not unknown:
        return
    column = (columns_of_people if isinstance(unknown[0], Given) else columns_of_judges)(table).item
    several = len({row.item for row in unknown})
    raise FielError(
        f"{several} of the items in this table are not among the {len(items)} items; the first is {unknown[0].item!r}.",
        where=f"{table.where(unknown[0].at)}, column {column!r}",
        fix="Add them to the items, or take their rows out.",
    )


def _check_criteria(tables: Tables, people: Sequence[Given], said: Sequence[Said], rubric: Rubric) -> None:
    known = [criterion.id for criterion in rubric.criteria]
    for table, rows in ((tables.people, people), (tables.judges, said)):
        stray = next((row for row in rows if row.criterion not in known), None)
        if table is not None and stray is not None:
            near = nearest(stray.criterion, known)
            meant = f"Did you mean {near!r}? " if near else ""
            raise FielError(
                f"The rubric {rubric.id!r} has no criterion {stray.criterion!r}.",
                where=table.where(stray.at),
                fix=f"{meant}Its criteria: {', '.join(known)}.",
            )


def _check_applies(rubric: Rubric, seen: Mapping[str, Seen], where: str) -> None:
    for criterion in rubric.criteria:
        if criterion.id in seen and seen[criterion.id].inapplicable and criterion.applies_when is None:
            raise FielError(
                f"Criterion {criterion.id!r} did not apply to some items, and the rubric does not provide for that.",
                where=where,
                fix='Say when it does: applies_when = "...".',
            )
