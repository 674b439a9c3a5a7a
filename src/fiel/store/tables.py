"""Tables as people have them (CSV, JSON Lines, JSON, Parquet), and the items in them. Knows no rubric."""

from __future__ import annotations

from fiel.store._columns import Guess, guess_columns, normal_name
from fiel.store._items import as_key, as_text, items_from, read_items
from fiel.store._reading import Table, read_object, read_table

__all__ = [
    "Guess",
    "Table",
    "as_key",
    "as_text",
    "guess_columns",
    "items_from",
    "normal_name",
    "read_items",
    "read_object",
    "read_table",
]
