"""Which column of a tidy table plays which role, and the cells that every row must fill. Knows no scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from fiel.records import FielError
from fiel.store.tables import Table, as_key, normal_name

_ALIASES = {
    "item": ("item", "item_id", "id", "subject", "subject_id", "example", "example_id"),
    "criterion": ("criterion", "criterion_id", "criterio", "dimension", "aspect"),
    "rater": ("rater", "rater_id", "annotator", "annotator_id", "labeller", "labeler", "worker", "worker_id"),
    "judge": ("judge", "judge_id", "judge_name", "model", "model_name", "evaluator"),
    "answer": ("answer", "value", "label", "score", "rating", "verdict", "judgement", "judgment"),
    "status": ("status",),
    "sample": ("sample_idx", "sample", "sample_index", "replicate", "repetition"),
    "order": ("order", "shown_order"),
    "probs": ("probs", "probabilities", "probability", "distribution"),
    "reason": ("reason", "explanation", "rationale"),
}
_SAYS = {"item": "says which item was answered", "answer": "holds the answers"}


class Columns(NamedTuple):
    """The columns of one table by role, None where no column plays it."""

    item: str
    criterion: str | None
    who: str | None
    answer: str
    status: str | None
    sample: str | None = None
    order: str | None = None
    probs: str | None = None
    reason: str | None = None


def columns_of_people(table: Table) -> Columns:
    """The roles in a table of what people answered, one answer a row.

    Raises:
        FielError: no column names the item, or none holds the answers.
    """
    return Columns(
        item=_needed(table, "item"),
        criterion=_found(table, "criterion"),
        who=_found(table, "rater"),
        answer=_needed(table, "answer"),
        status=_found(table, "status"),
    )


def columns_of_judges(table: Table) -> Columns:
    """The roles in a table of what judges said, one verdict a row; as `columns_of_people`."""
    return Columns(
        item=_needed(table, "item"),
        criterion=_found(table, "criterion"),
        who=_found(table, "judge"),
        answer=_needed(table, "answer"),
        status=_found(table, "status"),
        sample=_found(table, "sample"),
        order=_found(table, "order"),
        probs=_found(table, "probs"),
        reason=_found(table, "reason"),
    )


def key_of(table: Table, index: int, column: str | None, *, otherwise: str) -> str:
    """The id in a cell; `otherwise` where there is no such column.

    Raises:
        FielError: the cell is empty, or holds a line break or a NUL character.
    """
    if column is None:
        return otherwise
    key = as_key(table.rows[index][column])
    if key is None:
        raise fault(table, index, column, "The cell is empty.", fix="Fill it in, or take the row out.")
    if "\n" in key or "\0" in key:
        raise fault(table, index, column, f"A name cannot be {key!r}.", fix="Take the line break or the NUL out.")
    return key


def fault(table: Table, index: int, column: str | None, what: str, *, fix: str) -> FielError:
    """An error with file, row and column."""
    place = table.where(index)
    return FielError(what, where=place if column is None else f"{place}, column {column!r}", fix=fix)


def place_of(table: Table, index: int) -> str:
    """The file's name and the row, short."""
    return f"{Path(table.name).name}, {table.unit} {table.places[index]}"


def _found(table: Table, role: str) -> str | None:
    names = {normal_name(column): column for column in reversed(table.columns)}
    return next((names[alias] for alias in _ALIASES[role] if alias in names), None)


def _needed(table: Table, role: str) -> str:
    found = _found(table, role)
    if found is None:
        known = ", ".join(_ALIASES[role])
        raise FielError(
            f"No column {_SAYS[role]}.",
            where=table.name,
            fix=f"Call it one of: {known}. The columns are: {', '.join(table.columns) or 'none'}. One answer a row.",
        )
    return found


def cell_of(table: Table, index: int, column: str | None) -> Any:
    """A cell; None where there is no such column."""
    return None if column is None else table.rows[index][column]
