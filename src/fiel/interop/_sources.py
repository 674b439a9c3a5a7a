"""Which files are read, and the tables and items in them. Knows no scale and no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fiel.interop._description import Description, read_description
from fiel.records import FielError, Item
from fiel.store.tables import Table, guess_columns, items_from, read_table

_ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".json")
_NAMES = {
    "items": ("items", "item"),
    "human": ("human", "humans", "people", "labels"),
    "judge": ("judge", "judges", "judgements"),
}
_DESCRIPTION = "dataset.json"
_FIRST_OF_TWO = re.compile(r"(?:^|_)a$")


class Sources(NamedTuple):
    """The files to be read."""

    items: Path
    human: Path | None = None
    judge: Path | None = None
    description: Path | None = None


class Tables(NamedTuple):
    """The files as they were read, nothing in them understood yet but which items there are."""

    items: list[Item]
    people: Table | None
    judges: Table | None
    description: Description
    notes: tuple[str, ...]


def find_tables(folder: Path) -> Sources:
    """The tables in a folder: items.*, human.*, judge.* and dataset.json.

    Raises:
        FielError: no such folder, no items, or two files for one of them.
    """
    if not folder.is_dir():
        there = "This is a file" if folder.exists() else "There is no such folder"
        raise FielError(f"{there}.", where=str(folder), fix="Name a folder, or the files: --items, --human, --judge.")
    found = {role: _one(folder, names) for role, names in _NAMES.items()}
    if found["items"] is None:
        raise FielError(
            "No file holds the items.", where=str(folder), fix=f"Name it items.csv (or {', '.join(_ENDINGS[1:])})."
        )
    description = folder / _DESCRIPTION
    return Sources(found["items"], found["human"], found["judge"], description if description.exists() else None)


def read_tables(sources: Sources) -> Tables:
    """Read the files.

    Raises:
        FielError: as `read_table`, `items_from` and `read_description`; or there is neither an answer of a person nor
            one of a judge.
    """
    items, notes = _items(read_table(sources.items))
    people = read_table(sources.human) if sources.human is not None else None
    judges = read_table(sources.judge) if sources.judge is not None else None
    if not any(table is not None and table.rows for table in (people, judges)):
        raise FielError(
            "There is no answer of a person and none of a judge.",
            where=str(sources.items.parent),
            fix="Name them human.* and judge.*, or say --human FILE, --judge FILE; items alone: fiel init FILE.",
        )
    description = Description() if sources.description is None else read_description(sources.description)
    return Tables(items, people, judges, description, tuple(notes))


def _one(folder: Path, names: Sequence[str]) -> Path | None:
    found = [folder / f"{name}{ending}" for name in names for ending in _ENDINGS]
    there = [path for path in found if path.is_file()]
    if len(there) > 1:
        raise FielError(
            f"{there[0].name} and {there[1].name} both look like the same table.",
            where=str(folder),
            fix="Move one of them away, or name the files: --items, --human, --judge.",
        )
    return there[0] if there else None


def _items(table: Table) -> tuple[list[Item], list[str]]:
    """The items, and which column was taken for what where that is a guess. A table without texts is none the worse."""
    guess = guess_columns(table.columns)
    unclear = guess.unclear.get("output", ())
    if guess.output is None and len(unclear) == 2:  # answer_a, answer_b: the first stands in `output`
        first = next((column for column in unclear if _FIRST_OF_TWO.search(column.casefold())), None)
        if first is not None:
            guess = guess_columns(table.columns, given={"output": first})
    if "output" in guess.unclear:
        raise FielError(
            f"Which column holds the answers: {' or '.join(guess.unclear['output'])}?",
            where=table.name,
            fix="Rename it to output.",
        )
    notes = []
    if guess.output is None and table.rows:
        notes.append(f"{table.name} has no column with the answers (output): they are empty")
        empty = "output" if "output" not in table.columns else "output (none)"
        columns = (*table.columns, empty)
        rows = [{**row, empty: None} for row in table.rows]
        table = msgspec.structs.replace(table, columns=columns, rows=rows)
        guess = msgspec.structs.replace(guess, output=empty)
    if guess.id is None:
        raise FielError(
            "No column names the items.",
            where=table.name,
            fix=f"Call it item_id. The columns are: {', '.join(table.columns)}.",
        )
    return items_from(table, guess), notes
