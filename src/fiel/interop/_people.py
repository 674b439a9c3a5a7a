"""What people answered, from a tidy table to labels. Knows no judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from fiel.interop._answers import Scale, number, says_not_applicable, spelled
from fiel.interop._columns import Columns, cell_of, columns_of_people, key_of, place_of
from fiel.interop._notes import Tally
from fiel.records import FielError, Label
from fiel.store.tables import Table, as_key

RATER = "human"  # where no column says who


class Given(NamedTuple):
    """One row: where it stands, and what it says."""

    at: int
    item: str
    criterion: str
    rater: str
    cell: Any
    inapplicable: bool


def people_rows(table: Table, *, criterion: str | None) -> list[Given]:
    """The rows of a table of people's answers.

    Args:
        table: one answer a row.
        criterion: what was answered where no column says so; None where a column has to.

    Raises:
        FielError: a needed column is missing, or a name is empty; with file, row and column.
    """
    if not table.rows:
        return []
    columns = columns_of_people(table)
    if columns.criterion is None and criterion is None:
        raise no_criterion(table)
    return [_row(table, index, columns, criterion or "") for index in range(len(table.rows))]


def labels_of(
    table: Table, rows: Collection[Given], scales: Mapping[str, Scale], *, repeat: str | None
) -> tuple[list[Label], list[str]]:
    """The labels, and what is to be said of them: what was kept out, and what stood twice.

    Args:
        table: of the rows.
        rows: as `people_rows` gives them.
        scales: by criterion.
        repeat: the column that numbers the passes of one rater over one item; the first pass counts.

    Raises:
        FielError: two rows of one rater on one cell differ, or there is no such column.
    """
    if repeat is not None and rows and repeat not in table.columns:
        raise FielError(
            f"There is no column {repeat!r}.", where=table.name, fix=f"The columns are: {', '.join(table.columns)}."
        )
    off, twice = Tally(), 0
    labels: dict[tuple[str, str, str, int], tuple[Label, int]] = {}
    for given, turn in _with_turns(table, rows, repeat):
        answer = scales[given.criterion].read(given.cell)
        if answer.kind == "off":
            off.add(f"{given.criterion} {answer.text!r}", place_of(table, given.at))
            continue
        skipped = {"blank": "blank", "inapplicable": "not applicable"}.get(answer.kind)
        label = Label(
            subject=given.item,
            criterion=given.criterion,
            rater=given.rater,
            answer=answer.text if answer.kind == "option" else None,
            skipped="not applicable" if given.inapplicable and skipped == "blank" else skipped,
            repeat=turn,
        )
        key = (given.item, given.criterion, given.rater, turn)
        before = labels.setdefault(key, (label, given.at))
        if before[1] != given.at:
            twice += 1
            if before[0] != label:
                raise _twice(table, given, before[1])
    notes = [f"answers of people off the scale, kept out: {off.count}; {off}"] if off.count else []
    if twice:
        notes.append(f"rows of people that say what an earlier row says, left out: {twice}")
    return [label for label, _ in labels.values()], notes


def no_criterion(table: Table) -> FielError:
    """The error of a table that does not say what was answered."""
    return FielError(
        "No column says which criterion was answered, and there are several.",
        where=table.name,
        fix=f"Add a column criterion. The columns are: {', '.join(table.columns)}.",
    )


def _row(table: Table, index: int, columns: Columns, criterion: str) -> Given:
    cell = cell_of(table, index, columns.answer)
    status = spelled(cell_of(table, index, columns.status)) or ""
    return Given(
        at=index,
        item=key_of(table, index, columns.item, otherwise=""),
        criterion=key_of(table, index, columns.criterion, otherwise=criterion),
        rater=key_of(table, index, columns.who, otherwise=RATER),
        cell=cell,
        inapplicable=spelled(cell) is None and says_not_applicable(status),
    )


def _with_turns(table: Table, rows: Collection[Given], repeat: str | None) -> Iterator[tuple[Given, int]]:
    """Each row with the number of the pass that it belongs to, from 0 in each cell."""
    if repeat is None:
        yield from ((given, 0) for given in rows)
        return
    passes: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    named = [(given, as_key(table.rows[given.at][repeat]) or "") for given in rows]
    for given, name in named:
        passes[given.item, given.criterion, given.rater].add(name)
    for given, name in named:
        mine = sorted(passes[given.item, given.criterion, given.rater], key=_by_number)
        yield given, mine.index(name)


def _by_number(name: str) -> tuple[float, str]:
    value = number(name)
    return (float("inf") if value is None else value, name)


def _twice(table: Table, given: Given, before: int) -> FielError:
    one, other = table.rows[before], table.rows[given.at]
    known = {*columns_of_people(table)}
    differ = [column for column in table.columns if column not in known and one[column] != other[column]]
    passes = f" If {differ[0]!r} numbers a rater's passes over the items, say --repeat {differ[0]}." if differ else ""
    return FielError(
        f"Rater {given.rater!r} answered {given.criterion!r} of item {given.item!r} twice and differently.",
        where=f"{table.where(before)}, and {table.unit} {table.places[given.at]}",
        fix=f"Keep the row that stands.{passes}",
    )
