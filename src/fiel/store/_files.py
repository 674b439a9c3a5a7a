"""Bytes and text from disk, with errors that name the file and the fix. Knows no format."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from fiel.records import FielError, nearest
from fiel.store._secrets import without_credentials

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(path: Path) -> bytes:
    """What the file holds, which is something.

    Raises:
        FielError: as `check_file`; it cannot be read, is empty, or is UTF-16.
    """
    check_file(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FielError(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    if not data.strip():
        raise FielError("The file is empty.", where=str(path), fix="Was it saved? Does another program still write it?")
    if data.startswith(_UTF16) or (len(data) > 1 and (data[0] == 0) != (data[1] == 0)):  # by mark, or by ASCII in it
        raise FielError("The file is UTF-16, not UTF-8 (byte 0).", where=f"{path}, line 1", fix="Save it as UTF-8.")
    return data


def check_file(path: Path, *, wanted: str = "a file") -> None:
    """Raise unless this is a regular file: to open a pipe, a socket or a device may wait for ever.

    Raises:
        FielError: there is no such file (with the nearest name in its folder), or this is something else.
    """
    check_path(path)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        folder = without_credentials(str(path.parent))
        raise FielError(f"There is no file {path.name!r}.", where=folder, fix=_other_name(path)) from error
    except OSError as error:
        raise FielError(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    if stat.S_ISDIR(mode):
        raise FielError(f"This is a folder; {wanted} is wanted.", where=str(path))
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise FielError(
            f"This is not a regular file but {kind}; {wanted} is wanted.",
            where=str(path),
            fix="Write what it gives into a file, and name that.",
        )


def check_path(path: Path) -> None:
    """Raise where no file can have this path.

    Raises:
        FielError: it holds a NUL character.
    """
    if "\0" in str(path):
        raise FielError("A path holds a NUL character.", where=str(path), fix="Take it out.")


def read_text(path: Path) -> str:
    """The file as text, a byte order mark taken off.

    Raises:
        FielError: as `read_bytes`; or it is not UTF-8, with the byte, its position from 0 and its line.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + (len(data) - len(error.object))  # the decoder counts after a byte order mark
        line = data.count(b"\n", 0, at) + 1
        raise FielError(
            f"The file is not UTF-8: byte 0x{data[at]:02X} at position {at}.",
            where=f"{path}, line {line}",
            fix='Save it as UTF-8 (in Excel: "CSV UTF-8"), or: iconv -f cp1252 -t utf-8 OLD > NEW',
        ) from error


def suggestion(word: str, known: Iterable[str], *, those: str) -> str:
    """A fix for an unknown word: the nearest known one where one is near, and all of them, called `those`.

    >>> suggestion("modle", ["name", "model"], those="Known keys")
    "Did you mean 'model'? Known keys: name, model."
    >>> suggestion("zzz", [], those="Models")
    'Models: none.'
    """
    names = list(known)
    near = nearest(word, names)
    meant = f"Did you mean {near!r}? " if near else ""
    return f"{meant}{those}: {', '.join(names) or 'none'}."


def _other_name(path: Path) -> str:
    if not path.parent.is_dir():
        return "There is no such folder either."
    names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    near = nearest(path.name, names)
    return f"Did you mean {near!r}?" if near else "Check the name and the folder."
