"""Files and folders that are there whole or not at all, also after a crash. Knows no format."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from fiel.records import FielError


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file, with its folders, under a name beside it first; it is on the disk when this returns.

    Raises:
        FileExistsError: it is there, and is not to be replaced.
        FielError: it cannot be written.
    """
    beside = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(beside, data)
        if replace:
            beside.replace(path)
        else:
            os.link(beside, path)  # unlike a renaming, this never takes another file's place
        _settle(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise FielError(f"The file cannot be written: {error.strerror}.", where=str(path)) from error
    finally:
        beside.unlink(missing_ok=True)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder with these files (paths in it to bytes) under a name beside it, then give it its own.

    Raises:
        FileExistsError: it is there.
        FielError: it cannot be written.
    """
    if os.path.lexists(folder):  # an empty folder would give way to a renaming
        raise FileExistsError(folder)
    beside = _beside(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
        for name, data in files.items():
            path = beside / name
            path.parent.mkdir(exist_ok=True)
            _write(path, data)
        for made in {path.parent for path in beside.rglob("*")} | {beside}:
            _settle(made)
        beside.rename(folder)
        _settle(folder.parent)
    except OSError as error:
        if os.path.lexists(folder):
            raise FileExistsError(folder) from error
        raise FielError(f"The folder cannot be written: {error.strerror}.", where=str(folder)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, whole, also where several processes do so at once; it is on the disk when this returns.

    Raises:
        FielError: it cannot be written.
    """
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(number, line.removesuffix(b"\n") + b"\n")
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        raise FielError(f"The file cannot be written: {error.strerror}.", where=str(path)) from error


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.tmp")


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
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
