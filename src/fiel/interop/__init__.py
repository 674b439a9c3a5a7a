"""Other tools' files, in and out. Knows nothing of the network."""

from fiel.interop._answers import spelled
from fiel.interop._beliefs import Origin
from fiel.interop._decisions import FilledIn, read_decisions
from fiel.interop._rubric import Wish, rubric_text
from fiel.interop._sources import Sources, Tables, find_tables, read_tables
from fiel.interop._tidy import Content, understand
from fiel.interop._worklist import check_ending, worklist_file

__all__ = [
    "Content",
    "FilledIn",
    "Origin",
    "Sources",
    "Tables",
    "Wish",
    "check_ending",
    "find_tables",
    "read_decisions",
    "read_tables",
    "rubric_text",
    "spelled",
    "understand",
    "worklist_file",
]
