"""Other tools' files, in and out. Knows nothing of the network."""

from fiel.interop._answers import spelled
from fiel.interop._beliefs import Origin
from fiel.interop._rubric import Wish, rubric_text
from fiel.interop._sources import Sources, Tables, find_tables, read_tables
from fiel.interop._tidy import Content, understand

__all__ = [
    "Content",
    "Origin",
    "Sources",
    "Tables",
    "Wish",
    "find_tables",
    "read_tables",
    "rubric_text",
    "spelled",
    "understand",
]
