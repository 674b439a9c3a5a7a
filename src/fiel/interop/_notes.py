"""What is counted on the way and said in the end, with examples. Knows nothing of what is counted."""

from __future__ import annotations

from collections import Counter

_SHOWN = 3


class Tally:
    """A count by kind, each with the place of its first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, kind: str, where: str) -> None:
        """Count one more."""
        self._counts[kind] += 1
        self._first.setdefault(kind, where)

    @property
    def count(self) -> int:
        """Of all kinds."""
        return self._counts.total()

    def __str__(self) -> str:
        """The most frequent kinds, each with its count and first place.

        >>> tally = Tally()
        >>> tally.add("'85'", "a.csv, line 2")
        >>> str(tally)
        "'85' once (a.csv, line 2)"
        """
        most = self._counts.most_common(_SHOWN)
        shown = [f"{kind} {_times(count)} ({self._first[kind]})" for kind, count in most]
        rest = len(self._counts) - len(most)
        return "; ".join([*shown, *([f"and {rest} more"] if rest else [])])


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
