"""The one error that a user is meant to read. Knows no room."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
        parts = [self.what]
        if self.where:
            parts.append(f"  in {self.where}")
        if self.fix:
            parts.append(f"  {self.fix}")
        return "\n".join(parts)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, or None.

    >>> nearest("modle", ["name", "model", "rubric"])
    'model'
    """
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
