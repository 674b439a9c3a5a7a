"""Tables as people have them (CSV, JSON Lines, JSON, Parquet), and the items in them. Knows no rubric."""

from __future__ import annotations

from fiel.store._columns import Guess, guess_columns
from fiel.store._items import items_from, read_items
from fiel.store._reading import Table, read_table

__all__ = ["Guess", "Table", "guess_columns", "items_from", "read_items", "read_table"]
