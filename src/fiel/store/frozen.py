"""Frozen calibration sets, calibration/NAME/: written once, checked to the byte when they are read. Knows no judge."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from fiel.labelling import in_order
from fiel.records import CalibrationSet, FielError, decode, decode_lines, encode
from fiel.store._files import check_path
from fiel.store._names import check_name
from fiel.store._set_files import FORMAT, MANIFEST, Manifest, is_whole, sha256, to_files, to_set
from fiel.store.writing import append_line, write_folder

__all__ = ["Look", "count_look", "looks", "read_set", "set_folder", "set_names", "write_set"]

_LOOKS = "looks.jsonl"
_BACK = "Bring it back as it was committed; a correction is a new set, frozen under another name."


class Look(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One use of a set: when (ISO 8601, UTC), by whom, with which command, and which set it was."""

    at: str
    by: str
    command: str
    digest: str


def write_set(folder: Path | str, calibration_set: CalibrationSet) -> CalibrationSet:
    """Freeze a set: write its folder, whole or not at all, under the set's own name.

    Returns:
        The set as `read_set` will give it, sorted by identity.

    Raises:
        FielError: the folder exists, it has another name than the set, that is none for a folder, or it cannot be
            written.
    """
    folder = Path(folder)
    check_path(folder)
    check_name(calibration_set.name, of="a calibration set")
    if folder.name != calibration_set.name:
        raise FielError(
            f"The set is called {calibration_set.name!r} and its folder {folder.name!r}.",
            where=str(folder),
            fix="Give the folder the name of the set.",
        )
    ordered = in_order(calibration_set)
    files = to_files(ordered)
    _read(files, str(folder))  # what cannot be read again is not written
    try:
        write_folder(folder, files)
    except FileExistsError:
        raise FielError(
            f"{folder.parent.name}/{folder.name} is frozen; draw a new set instead.",
            where=str(folder),
            fix="Freeze under another name; name this one as its parent where it is a correction.",
        ) from None
    return ordered


def read_set(folder: Path | str) -> CalibrationSet:
    """The set in a frozen folder, if every byte of it is as it was frozen.

    Raises:
        FielError: there is no such folder, a file in it is missing, was added or was edited, and which.
    """
    folder = Path(folder)
    check_path(folder)
    if not (folder / MANIFEST).is_file():
        raise FielError(
            "There is no frozen calibration set here.", where=str(folder), fix=f"Its folder has a {MANIFEST}."
        )
    files = {name: path.read_bytes() for name, path in _walk(folder)}
    return _read(files, str(folder))


def set_folder(folder: Path, name: str) -> Path:
    """Where the set of this name stands, or would, among the sets in a folder.

    Raises:
        FielError: no folder can have the name everywhere.
    """
    return folder / check_name(name, of="a calibration set")


def set_names(folder: Path | str) -> list[str]:
    """The names of the frozen sets in a folder, sorted; none where there is no such folder."""
    return sorted(path.parent.name for path in Path(folder).glob(f"*/{MANIFEST}") if path.parent.name[0] != ".")


def count_look(folder: Path | str, *, digest: str, by: str, command: str) -> int:
    """Write down that a set was used, and say how many times it has been by now.

    Raises:
        FielError: it cannot be written.
    """
    look = Look(at=datetime.now(UTC).isoformat(timespec="seconds"), by=by, command=command, digest=digest)
    append_line(Path(folder) / _LOOKS, encode(look))
    return len(looks(folder))


def looks(folder: Path | str) -> list[Look]:
    """The uses of a set, in their order.

    Raises:
        FielError: the file is damaged.
    """
    path = Path(folder) / _LOOKS
    return decode_lines(path.read_bytes(), Look, where=str(path)) if path.exists() else []


def _read(files: dict[str, bytes], where: str) -> CalibrationSet:
    """The set that these files hold, the manifest among them."""
    manifest = _manifest(files[MANIFEST], f"{where}/{MANIFEST}")
    here = files.keys() - {MANIFEST, _LOOKS}
    for name in sorted(manifest.files.keys() - here):
        raise FielError(f"{name} is missing from the frozen set.", where=where, fix=_BACK)
    for name in sorted(here - manifest.files.keys()):
        raise FielError(f"{name} does not belong to the frozen set.", where=where, fix="Take it out of the folder.")
    for name in sorted(here):
        if sha256(files[name]) != manifest.files[name]:
            raise FielError(f"{name} has been changed since it was frozen.", where=f"{where}/{name}", fix=_BACK)
    return to_set(manifest, files, where=where)


def _manifest(data: bytes, where: str) -> Manifest:
    try:
        manifest = decode(data, Manifest, where=where)
    except FielError as error:
        raise FielError(
            f"{MANIFEST} has been changed since it was frozen: {error.what}", where=error.where, fix=_BACK
        ) from error
    if manifest.format > FORMAT:
        raise FielError(
            f"The set was frozen by a newer fiel (format {manifest.format}, this one knows {FORMAT}).",
            where=where,
            fix="Upgrade fiel.",
        )
    if not is_whole(manifest, data):
        raise FielError(f"{MANIFEST} has been changed since it was frozen.", where=where, fix=_BACK)
    return manifest


def _walk(folder: Path, below: str = "") -> Iterator[tuple[str, Path]]:
    """The files of a folder as (path in it, path); a link, a device or an unknown folder is no file of a set."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name = f"{below}{entry.name}"
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode) and name == "labels":
            yield from _walk(Path(entry.path), f"{name}/")
        elif stat.S_ISREG(mode):
            yield name, Path(entry.path)
        else:
            raise FielError(
                f"{name} does not belong to the frozen set: it is not a regular file.",
                where=str(folder),
                fix="Take it out of the folder.",
            )
