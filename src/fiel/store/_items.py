"""Items from tables and from items files. Knows no rubric and no judgement."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from fiel.records import FielError, Item, split_lines
from fiel.store._collecting import uncollected
from fiel.store._columns import Guess
from fiel.store._files import read_bytes
from fiel.store._json import decode_json
from fiel.store._reading import Table

_TEXTS = ("input", "context", "reference", "author")


def items_from(table: Table, mapping: Guess) -> list[Item]:
    """The items that the rows of a table describe, in their order.

    Without an id column the ids are row numbers from "1". Numbers become text where text is wanted; a list of texts is
    joined by empty lines; anything else that is nested becomes JSON.

    Raises:
        FielError: no row, no output column, a row without an id, or two rows with the same one; with file and lines.
    """
    if not table.rows:
        raise FielError("The table has no rows.", where=table.name, fix="Give a file with one answer per row.")
    if mapping.output is None:
        raise FielError(
            "No column looks like the answers to be judged.",
            where=table.name,
            fix=f"Name it: --output COLUMN. Columns: {', '.join(table.columns)}.",
        )
    items: list[Item] = []
    seen: dict[str, str] = {}
    for index, row in enumerate(table.rows):
        where = table.where(index)
        item = _item(row, mapping, number=index + 1, where=where)
        _check_new(item.id, seen, where)
        items.append(item)
    return items


def read_items(paths: Iterable[Path | str]) -> list[Item]:
    """The items of JSON Lines files of records, in the order of the files.

    Raises:
        FielError: a missing or empty file, a line that is no item, or an id twice, also across files; with both places.
    """
    items: list[Item] = []
    seen: dict[str, str] = {}
    with uncollected():
        for path in map(Path, paths):
            for number, line in split_lines(read_bytes(path)):
                where = f"{path}, line {number}"
                item = _decoded(line, path, where)
                _check_new(item.id, seen, where)
                items.append(item)
    return items


def _decoded(line: bytes, path: Path, where: str) -> Item:
    """The item of a line; where it looks like a row of the user's own table, the error says how to make items of it."""
    try:
        return decode_json(line, Item, where=where)
    except FielError as error:
        if "unknown field" not in error.what and "missing required field" not in error.what:
            raise
        table = f"If this is a table of yours, move it elsewhere: fiel init {path.name} --add makes items of it."
        raise FielError(error.what, where=error.where, fix=" ".join(filter(None, (error.fix, table)))) from error


def as_text(cell: Any) -> str | None:
    r"""A cell as text.

    >>> as_text(3), as_text(True), as_text(["a", "b"]), as_text({"a": 1}), as_text(None)
    ('3', 'true', 'a\n\nb', '{"a":1}', None)
    """
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (int, float)):
        return str(cell)
    if isinstance(cell, list) and all(isinstance(entry, str) for entry in cell):
        return "\n\n".join(cell)
    if isinstance(cell, (list, dict)):
        return msgspec.json.encode(cell).decode()
    return str(cell)


def as_key(cell: Any) -> str | None:
    """A cell as an id: trimmed text, a whole number without its fraction, None where there is nothing.

    >>> as_key(7.0), as_key(" a1 "), as_key(" ")
    ('7', 'a1', None)
    """
    if isinstance(cell, str):
        return cell.strip() or None
    whole = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    return (as_text(whole) or "").strip() or None


def _item(row: dict[str, Any], mapping: Guess, *, number: int, where: str) -> Item:
    key = as_key(row[mapping.id]) if mapping.id is not None else str(number)
    if key is None:
        raise FielError(f"The column {mapping.id!r} is empty.", where=where, fix="Give every row an id of its own.")
    texts = {role: as_text(row[column]) for role in _TEXTS if (column := getattr(mapping, role)) is not None}
    fields = {column: _scalar(row[column]) for column in mapping.fields if row[column] is not None}
    group = as_key(row[mapping.group]) if mapping.group is not None else None
    output = as_text(row[mapping.output]) if mapping.output is not None else None
    try:
        return Item(id=key, output=output or "", group=group, fields=fields, **texts)
    except FielError as error:
        raise FielError(error.what, where=where, fix=error.fix) from error


def _scalar(cell: Any) -> str | int | float | bool | None:
    writable = isinstance(cell, (int, float)) and abs(cell) < 2**63  # beyond it, JSON has no such number here
    return cell if writable or isinstance(cell, str) else as_text(cell)


def _check_new(key: str, seen: dict[str, str], where: str) -> None:
    if key in seen:
        raise FielError(
            f"Two items have the id {key!r}.",
            where=f"{where}, and {seen[key]}",
            fix="Give every item an id of its own, or choose another id column: --id COLUMN.",
        )
    seen[key] = where
