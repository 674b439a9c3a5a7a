"""Cells of a CSV that come through a spreadsheet unharmed and harmless, and how it numbers rows. Knows no column."""

from __future__ import annotations

import re

from fiel.store.tables import Table

_BREAK = re.compile(r"\r\n|\r|\n")
_RUN = frozenset("=+-@\t\r\n'")  # what a spreadsheet runs, and the apostrophe that says so
_PLAIN_NUMBER = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
_TAKEN_FOR_NUMBER = re.compile(r"[$€£]?\s?[.\d][\d\s.,:/%eE-]*(?:[ap]m?)?", re.ASCII | re.IGNORECASE)
_TAKEN_FOR_DATE = re.compile(
    r"[\d\s./-]*(?:jan|ene|feb|mar|apr|abr|may|jun|jul|aug|ago|sep|oct|nov|dec|dic)[a-z]*[\s./,-]*\d[\d\s./,-]*"
    r"|\d[\d\s./-]*(?:jan|ene|feb|mar|apr|abr|may|jun|jul|aug|ago|sep|oct|nov|dec|dic)[a-z]*",
    re.ASCII | re.IGNORECASE,
)
_LONGEST = 32_000  # a cell of a spreadsheet has 32,767 characters; what is longer runs into the next rows


def harmless(text: str) -> str:
    """A text that a spreadsheet shows and does not run: an apostrophe stands before what would be a formula.

    >>> harmless("=1+1"), harmless("a = b"), harmless("'tis")
    ("'=1+1", 'a = b', "''tis")
    """
    return f"'{text}" if text[:1] in _RUN and text else text


def kept(text: str) -> str:
    """A name or an answer that a spreadsheet saves as it was: also no number and no date is made of it.

    >>> kept("007"), kept("12"), kept("1-2"), kept("mar5"), kept("q17"), kept("-1")
    ("'007", '12', "'1-2", "'mar5", 'q17', "'-1")
    """
    return f"'{text}" if _is_at_risk(text) else harmless(text)


def read_back(cell: str) -> str:
    """What was written with `harmless` or `kept`, whether or not the apostrophe is still there.

    >>> [read_back(kept(text)) for text in ("007", "'tis", "''", "-1", "q17")]
    ['007', "'tis", "''", '-1', 'q17']
    """
    rest = cell[1:]
    return rest if cell.startswith("'") and rest and (rest[0] in _RUN or _is_at_risk(rest)) else cell


def shortened(text: str) -> str:
    """The beginning of a text that no cell has room for, with how much was left out."""
    left = len(text) - _LONGEST
    return text if left <= 0 else f"{text[:_LONGEST]} … ({left:,} more characters)"


def sheet_rows(table: Table) -> list[int]:
    """The number that a spreadsheet gives each row of a CSV: the header is row 1, and empty rows count.

    A row that holds line breaks is several lines of the file and one row of the sheet; `Table.places` has the lines.
    """
    more = sum(len(_BREAK.findall(column)) for column in table.columns)  # lines of the file beyond one a row, so far
    numbers = []
    for row, line in zip(table.rows, table.places, strict=True):
        numbers.append(line - more)
        more += sum(len(_BREAK.findall(cell)) for cell in row.values() if cell)
    return numbers


def _is_at_risk(text: str) -> bool:
    if _PLAIN_NUMBER.fullmatch(text):
        return False
    return bool(_TAKEN_FOR_NUMBER.fullmatch(text) or _TAKEN_FOR_DATE.fullmatch(text))
