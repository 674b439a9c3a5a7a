"""What is written under a name beside its own, held while it is written; what dead processes left. Knows no format.

A lock belongs to the process that holds it and goes with it, also when it is killed: what nobody holds, nobody writes.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without these locks: nothing is held there, and nothing that was left is removed
    fcntl = None  # type: ignore[assignment]

_LEFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp", re.DOTALL)
_LONGEST = 100
_TRIES = 20


@contextmanager
def beside(path: Path, *, folder: bool) -> Iterator[Path]:
    """A new, empty file or folder under a name beside a path, held until the block ends; what is there then goes.

    What dead processes left of the same kind beside it is removed first: of folders all, of files those of this path.

    Raises:
        OSError: it cannot be made.
    """
    _sweep(path, folders=folder)
    name, number = _made(path, folder=folder)
    try:
        yield name
    finally:
        _remove(name)
        if number is not None:
            os.close(number)


@contextmanager
def locked(path: Path | int) -> Iterator[None]:
    """Have a file or folder, or an open one by its number, alone among those who ask so, where the system can."""
    if fcntl is None:
        yield
        return
    with ExitStack() as after:
        with suppress(OSError):  # one that may not be read, or on a network that knows no locks
            number = path if isinstance(path, int) else os.open(path, os.O_RDONLY)
            if not isinstance(path, int):
                after.callback(os.close, number)
            fcntl.flock(number, fcntl.LOCK_EX)
            if isinstance(path, int):
                after.callback(fcntl.flock, number, fcntl.LOCK_UN)
        yield


def _made(path: Path, *, folder: bool) -> tuple[Path, int | None]:
    """The new file or folder, and the number that holds it; None where the system has no locks."""
    for _ in range(_TRIES):
        name = path.with_name(f".{path.name[:_LONGEST]}.{secrets.token_hex(6)}.tmp")
        if folder:
            name.mkdir()
        else:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if fcntl is None:
            return name, None
        with suppress(FileNotFoundError, BlockingIOError):  # somebody took it for left before it was held
            return name, _held(name, needed=False)
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))


def _held(path: Path, *, needed: bool) -> int:
    """The number of an open file or folder, locked; not needed, it may stay without a lock where there are none.

    Raises:
        BlockingIOError: another process holds it.
        FileNotFoundError: it is not, or no longer, what has this name.
        OSError: it cannot be opened, or a lock is needed and there are none.
    """
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        _lock(number, needed=needed)
        same = os.path.samestat(os.fstat(number), path.stat(follow_symlinks=False))
    except BaseException:
        os.close(number)
        raise
    if not same:
        os.close(number)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return number


def _lock(number: int, *, needed: bool) -> None:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        if needed:
            raise


def _sweep(path: Path, *, folders: bool) -> None:
    """Remove what was left beside a path by processes that are no more."""
    if fcntl is None:
        return
    for entry in _entries(path.parent):
        found = _LEFT.fullmatch(entry.name)
        if found is None or not (folders or found["name"] == path.name[:_LONGEST]):
            continue
        if entry.is_dir(follow_symlinks=False) if folders else entry.is_file(follow_symlinks=False):
            with suppress(OSError):  # somebody writes it, has just removed it, or nobody can know
                number = _held(Path(entry.path), needed=True)
                try:
                    _remove(Path(entry.path))
                finally:
                    os.close(number)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there and can be."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
