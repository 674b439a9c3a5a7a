"""Rows from CSV, JSON Lines, JSON and Parquet, each with its place for errors. Knows no role of any column."""

from __future__ import annotations

import csv
import importlib
import io
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from fiel.records import FielError, split_lines
from fiel.store._files import read_bytes, read_text
from fiel.store._json import decode_json

_LONGEST = 10 * 2**20
_ENDINGS = ".csv, .tsv, .jsonl, .ndjson, .json, .parquet"


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of named cells.

    Args:
        name: of the file, as it was given.
        columns: their names, in the order of the file.
        rows: one dict per row, with every column; an empty cell, a null and a NaN of Parquet are None.
        places: the line (or row) of each row, from 1.
        unit: what `places` counts.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    places: list[int]
    unit: str = "line"

    def where(self, index: int) -> str:
        """File and line of the row with this index."""
        return f"{self.name}, {self.unit} {self.places[index]}"


def read_table(path: Path | str) -> Table:
    """Read a table; its kind is told by its ending.

    CSV is UTF-8 with or without a byte order mark, split at commas, semicolons or tabs, whichever splits the header
    into most columns; cells are text. JSON Lines are split on newlines alone; NaN is no JSON.

    Raises:
        FielError: no such file, an empty one, an unknown ending, a wrong encoding, a malformed or ragged row, a column
            or a key twice, nesting without end; with file and line.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".csv" | ".tsv":
            return _read_csv(path)
        case ".jsonl" | ".ndjson":
            return _read_lines(path)
        case ".json":
            return _read_json(path)
        case ".parquet":
            return _read_parquet(path)
    read_bytes(path)  # a missing file is the first thing to say
    raise FielError(f"No table ends in {path.suffix!r}.", where=str(path), fix=f"Known endings: {_ENDINGS}.")


def read_object(path: Path | str) -> dict[str, Any]:
    """Read a JSON file that holds one object.

    Raises:
        FielError: no such file, or no JSON object.
    """
    return decode_json(read_bytes(Path(path)).removeprefix(b"\xef\xbb\xbf"), dict[str, Any], where=str(path))


def _read_csv(path: Path) -> Table:
    text = read_text(path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FielError("A NUL character stands in the file.", where=f"{path}, line {line}", fix="Take it out.")
    columns: tuple[str, ...] | None = None
    rows: list[dict[str, Any]] = []
    places: list[int] = []
    for line, cells in _csv_rows(path, text):
        if columns is None:
            columns = _header(path, line, cells)
        elif len(cells) != len(columns):
            raise FielError(
                f"Fields in this row: {len(cells)}; in the header: {len(columns)}.",
                where=f"{path}, line {line}",
                fix="A field that holds the delimiter or a line break stands in double quotes.",
            )
        else:
            rows.append(dict(zip(columns, [cell or None for cell in cells], strict=True)))
            places.append(line)
    if columns is None:
        raise FielError("The file has no header.", where=str(path), fix="Name the columns in the first line.")
    return Table(name=str(path), columns=columns, rows=rows, places=places)


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, with the line on which each begins."""
    first = next((line for line in io.StringIO(text, newline="") if line.strip()), "")
    delimiter = max(",;\t", key=re.sub(r'"[^"]*"', "", first).count)  # what stands in quotes does not count
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    with _long_fields():
        try:
            for cells in reader:
                if any(map(str.strip, cells)):
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            raise FielError(
                f"The row is not CSV: {error}.",
                where=f"{path}, line {line}",
                fix="A double quote inside a quoted field is written twice; a field has at most 10 MB.",
            ) from error


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read long fields for a while: its limit is one number for the whole process."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _header(path: Path, line: int, cells: list[str]) -> tuple[str, ...]:
    columns = tuple(cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1))
    _check_columns(columns, f"{path}, line {line}")
    return columns


def _check_columns(columns: tuple[str, ...], where: str) -> None:
    twice = next((name for index, name in enumerate(columns) if name in columns[:index]), None)
    if twice is not None:
        raise FielError(f"Two columns are called {twice!r}.", where=where, fix="Rename one of them.")


def _read_lines(path: Path) -> Table:
    rows, places = [], []
    for number, line in split_lines(read_bytes(path)):
        rows.append(decode_json(line, dict[str, Any], where=f"{path}, line {number}"))
        places.append(number)
    return _from_objects(path, rows, places, "line")


def _read_json(path: Path) -> Table:
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    if not data.lstrip().startswith(b"["):
        raise FielError(
            "A .json table is a list of objects: [{...}, {...}].",
            where=str(path),
            fix="With one object a line, name it .jsonl; with the list under a key, take it out.",
        )
    rows = decode_json(data, list[dict[str, Any]], where=str(path))
    return _from_objects(path, rows, list(range(1, len(rows) + 1)), "row")


def _from_objects(path: Path, rows: list[dict[str, Any]], places: list[int], unit: str) -> Table:
    """A table of objects that need not all have the same keys."""
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    full = [{column: row.get(column) for column in columns} for row in rows]
    return Table(name=str(path), columns=columns, rows=full, places=places, unit=unit)


def _read_parquet(path: Path) -> Table:
    read_bytes(path)
    try:
        duckdb = importlib.import_module("duckdb")  # heavy and optional: loaded when a Parquet file is read
    except ImportError as error:
        raise FielError(
            "Reading Parquet needs DuckDB.", where=str(path), fix="Install it: pip install 'fiel[parquet]'"
        ) from error
    offline = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    literal = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))  # the name is no pattern
    try:
        with duckdb.connect(":memory:", config=offline) as connection:
            found = connection.execute("SELECT * FROM read_parquet(?, binary_as_string=true)", [literal])
            columns = tuple(column[0] for column in found.description)
            _check_columns(columns, str(path))
            rows = [dict(zip(columns, map(_absent, row), strict=True)) for row in found.fetchall()]
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise FielError(f"The file cannot be read as Parquet: {reason}", where=str(path)) from error
    return Table(name=str(path), columns=columns, rows=rows, places=list(range(1, len(rows) + 1)), unit="row")


def _absent(cell: Any) -> Any:
    return None if isinstance(cell, float) and math.isnan(cell) else cell
