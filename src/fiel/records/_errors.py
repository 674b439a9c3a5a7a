"""The one error that a user is meant to read. Knows no room."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from fiel.records._visible import one_line

LONGEST = 600  # characters of a line of an error


class FielError(ValueError):
    """Something the user can mend: what is wrong, where it stands, what to do.

    Args:
        what: what is wrong, in one sentence.
        where: file, line, field.
        fix: what to do about it.
    """

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def __str__(self) -> str:
        parts = [_told(self.what)]
        if self.where:
            parts.append(f"  in {_told(self.where)}")
        if self.fix:
            parts.append(f"  {_told(self.fix)}")
        return "\n".join(parts)


def _told(text: str) -> str:
    """One line of bounded length in which nothing that came from a file acts on a terminal."""
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 40]} … ({len(line) - LONGEST + 40} characters more)"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, or None.

    >>> nearest("modle", ["name", "model", "rubric"])
    'model'
    """
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
