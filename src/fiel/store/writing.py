"""Files and folders that are there whole or not at all, also after a crash. Knows no format."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from fiel.records import FielError
from fiel.store._beside import beside, locked

_FIXES = {
    errno.EACCES: "Name a place that you may write to, or have its owner let you.",
    errno.EPERM: "Name a place that you may write to, or have its owner let you.",
    errno.EROFS: "It lies on a disk that can only be read: name a place on another.",
    errno.ENOSPC: "Make room on the disk, and try again: what was begun is gone.",
    errno.EDQUOT: "You have used up your share of the disk: make room and try again.",
    errno.ENOTDIR: "A part of its path is a file, where a folder is wanted: move that file, or name another place.",
    errno.ENAMETOOLONG: "Give it a shorter name, or a place with a shorter path.",
}


class TakenError(FileExistsError):
    """A name is taken, by what stands at `path`.

    Args:
        path: of the name itself, or of one that differs in capitals alone.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file, with its folders, under a name beside it first; it is on the disk when this returns.

    Raises:
        FileExistsError: it is there, and is not to be replaced.
        FielError: it cannot be written.
    """
    try:
        _make_folders(path.parent)
        with beside(path, folder=False) as name:
            _write(name, data)
            if replace:
                name.replace(path)
            else:
                os.link(name, path)  # unlike a renaming, this never takes another file's place
            _settle(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise cannot_be_written(error, path, what="file") from error


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder with these files (paths in it to bytes) under a name beside it, then give it its own.

    Raises:
        TakenError: it is there, or something whose name differs in capitals alone.
        FielError: it cannot be written; the file at which it failed is in `where`.
    """
    _check_free(folder)  # an empty folder would give way to a renaming
    at = folder
    try:
        _make_folders(folder.parent)
        with beside(folder, folder=True) as name:
            for inside, data in files.items():
                at = folder / inside
                (name / inside).parent.mkdir(exist_ok=True)
                _write(name / inside, data)
            at = folder
            for made in {path.parent for path in name.rglob("*")} | {name}:
                _settle(made)
            with locked(folder.parent):
                _check_free(folder)
                name.rename(folder)
            _settle(folder.parent)
    except TakenError:
        raise
    except OSError as error:
        if os.path.lexists(folder):
            raise TakenError(folder) from error
        raise cannot_be_written(error, at, what="folder" if at == folder else "file") from error


def check_room(folder: Path) -> None:
    """Whether a folder could be written under this name now; what it finds may change before it is.

    Raises:
        TakenError: as `write_folder`.
        FielError: as `write_folder`.
    """
    _check_free(folder)
    there = folder.parent.exists()
    try:
        _make_folders(folder.parent)
        with beside(folder, folder=True):
            pass
    except OSError as error:
        raise cannot_be_written(error, folder, what="folder") from error
    finally:
        if not there:
            with suppress(OSError):
                folder.parent.rmdir()


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, whole, also where several processes do so at once; it is on the disk when this returns.

    It begins a line of its own where the last one was cut off in the middle, and nothing of it stays where the disk is
    full.

    Raises:
        FielError: it cannot be written.
    """
    try:
        with _opened(path) as number, locked(number):
            size = os.fstat(number).st_size
            data = line.removesuffix(b"\n") + b"\n"
            if size and _last_byte(number, size) != b"\n":
                data = b"\n" + data
            _add(number, data, size)
    except OSError as error:
        raise cannot_be_written(error, path, what="file") from error


def cannot_be_written(error: OSError, path: Path, *, what: str) -> FielError:
    """The system's complaint in our words: which file or folder, why, and what to do about it."""
    why = error.strerror or type(error).__name__
    fix = _FIXES.get(error.errno or 0)
    return FielError(f"The {what} cannot be written: {why}.", where=str(path), fix=fix)


def _check_free(folder: Path) -> None:
    """Raise where a name is taken, on this system or on one where capitals do not count."""
    if os.path.lexists(folder):
        raise TakenError(folder)
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        for other in sorted(folder.parent.iterdir()):
            if other.name.casefold() == folder.name.casefold():
                raise TakenError(other)


def _make_folders(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # something else has the name
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    number = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        yield number
    finally:
        os.close(number)


def _add(number: int, data: bytes, size: int) -> None:
    """Add to the end of an open file of this size all of it or nothing."""
    if os.write(number, data) < len(data):
        os.ftruncate(number, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(number)


def _last_byte(number: int, size: int) -> bytes:
    os.lseek(number, size - 1, os.SEEK_SET)
    return os.read(number, 1)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """Have a folder's list of names on the disk, where the system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
