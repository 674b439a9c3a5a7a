"""The uses of a frozen set, a line each in looks.jsonl beside its files. Knows no set.

The file is outside the manifest: what is damaged in it is said, and makes nothing else unusable.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from fiel.records import FielError, decode, encode, split_lines
from fiel.store.writing import append_line

LOOKS = "looks.jsonl"
_TOLD = 5


class Look(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One use of a set: when (ISO 8601, UTC), by whom, with which command, and which set it was."""

    at: str
    by: str
    command: str
    digest: str


def count_look(folder: Path | str, *, digest: str, by: str, command: str) -> int:
    """Write down that a set was used, and say how many times it has been by now; a damaged line was a use too.

    Several processes may do so at once, and a line that was cut off before takes nothing of the new one.

    Raises:
        FielError: it cannot be written.
    """
    look = Look(at=datetime.now(UTC).isoformat(timespec="seconds"), by=by, command=command, digest=digest)
    append_line(Path(folder) / LOOKS, encode(look))
    found, damaged = _read(Path(folder))
    return len(found) + len(damaged)


def looks(folder: Path | str) -> list[Look]:
    """The uses of a set, in their order, without the lines that nobody can read: `damaged_looks` tells of those.

    Raises:
        FielError: the file cannot be read at all.
    """
    return _read(Path(folder))[0]


def damaged_looks(folder: Path | str) -> str | None:
    """Which lines of the uses nobody can read, in a sentence; None where all can be read.

    Raises:
        FielError: the file cannot be read at all.
    """
    numbers = _read(Path(folder))[1]
    if not numbers:
        return None
    told = ", ".join(map(str, numbers[:_TOLD])) + (f" and {len(numbers) - _TOLD} more" if numbers[_TOLD:] else "")
    lines = "line" if len(numbers) == 1 else "lines"
    return (
        f"{Path(folder) / LOOKS}, {lines} {told}, cannot be read: cut off or edited. The set is whole, and "
        f"each counts as a use; mend the {lines}, or bring the file back as it was committed."
    )


def _read(folder: Path) -> tuple[list[Look], list[int]]:
    """The uses, and the numbers of the lines that are none."""
    path = folder / LOOKS
    found: list[Look] = []
    damaged: list[int] = []
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return found, damaged
    except OSError as error:
        raise FielError(
            f"The file cannot be read: {error.strerror}.", where=str(path), fix="Have it be a file that you may read."
        ) from error
    for number, line in split_lines(data):
        try:
            found.append(decode(line, Look))
        except FielError:
            damaged.append(number)
    return found, damaged
