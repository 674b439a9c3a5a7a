"""Frozen calibration sets, calibration/NAME/: written once, checked to the byte when they are read. Knows no judge."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from fiel.labelling import in_order
from fiel.records import CalibrationSet, FielError, decode
from fiel.store._files import check_path
from fiel.store._looks import LOOKS, Look, count_look, damaged_looks, looks
from fiel.store._names import check_name
from fiel.store._set_files import FORMAT, MANIFEST, Manifest, is_whole, sha256, to_files, to_set
from fiel.store.writing import TakenError, check_room, write_folder

__all__ = [
    "Look",
    "check_free",
    "count_look",
    "damaged_looks",
    "looks",
    "read_set",
    "set_folder",
    "set_names",
    "write_set",
]

_BACK = "Bring it back as it was committed; a correction is a new set, frozen under another name."
_LF = (
    "Give every file of the folder its line ends back (LF): dos2unix, or git checkout. Git keeps them where the "
    "folder's .gitattributes (* -text) is committed with it."
)
_POINTER = b"version https://git-lfs.github.com/spec/"


def write_set(folder: Path | str, calibration_set: CalibrationSet) -> CalibrationSet:
    """Freeze a set: write its folder, whole or not at all, under the set's own name.

    Returns:
        The set as `read_set` will give it, sorted by identity.

    Raises:
        FielError: the folder exists, or one whose name differs in capitals alone; it has another name than the set,
            that is none for a folder; or it cannot be written, and which file at which it failed.
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
    except TakenError as error:
        raise _taken(folder, error.path) from None
    return ordered


def check_free(folder: Path | str) -> None:
    """Whether a set could be frozen in this folder now.

    Raises:
        FielError: as `write_set`, of the folder.
    """
    folder = Path(folder)
    check_path(folder)
    check_name(folder.name, of="a calibration set")
    try:
        check_room(folder)
    except TakenError as error:
        raise _taken(folder, error.path) from None


def read_set(folder: Path | str) -> CalibrationSet:
    """The set in a frozen folder, if every byte of it is as it was frozen.

    Raises:
        FielError: there is no such folder, a file in it is missing, was added or was edited, and which.
    """
    folder = Path(folder)
    check_path(folder)
    try:
        if not (folder / MANIFEST).is_file():
            raise FielError(
                "There is no frozen calibration set here.", where=str(folder), fix=f"Its folder has a {MANIFEST}."
            )
        files = {name: path.read_bytes() for name, path in _walk(folder)}
    except OSError as error:
        raise FielError(
            f"The set cannot be read: {error.strerror}.",
            where=str(error.filename or folder),
            fix="Have its folder and files be ones that you may read.",
        ) from error
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


def _taken(folder: Path, other: Path) -> FielError:
    """What to say of a folder whose name is taken, by itself or by what differs in capitals alone."""
    if other.name != folder.name:
        return FielError(
            f"{folder.name!r} differs in capitals alone from {other.name!r}, which is there: on many systems the two "
            "are one folder.",
            where=str(other),
            fix="Freeze under another name.",
        )
    return FielError(
        f"{folder.parent.name}/{folder.name} is frozen; draw a new set instead.",
        where=str(folder),
        fix="Freeze under another name; name this one as its parent where it is a correction.",
    )


def _read(files: dict[str, bytes], where: str) -> CalibrationSet:
    """The set that these files hold, the manifest among them."""
    manifest = _manifest(files[MANIFEST], f"{where}/{MANIFEST}")
    here = files.keys() - {MANIFEST, LOOKS}
    for name in sorted(manifest.files.keys() - here):
        raise FielError(f"{name} is missing from the frozen set.", where=where, fix=_BACK)
    for name in sorted(here - manifest.files.keys()):
        raise FielError(f"{name} does not belong to the frozen set.", where=where, fix="Take it out of the folder.")
    for name in sorted(here):
        if sha256(files[name]) != manifest.files[name]:
            unix = sha256(_unix(files[name])) == manifest.files[name]
            raise _changed(name, files[name], f"{where}/{name}", only_ends=unix)
    return to_set(manifest, files, where=where)


def _manifest(data: bytes, where: str) -> Manifest:
    if data.startswith(_POINTER):
        raise _changed(MANIFEST, data, where, only_ends=False)
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
        raise _changed(MANIFEST, data, where, only_ends=is_whole(manifest, _unix(data)))
    return manifest


def _changed(name: str, data: bytes, where: str, *, only_ends: bool) -> FielError:
    """What to say of a file that is not as it was frozen, by what it is now."""
    if only_ends:
        return FielError(f"{name} is as it was frozen but for its line ends, now CRLF.", where=where, fix=_LF)
    if data.startswith(_POINTER):
        return FielError(f"{name} is a pointer of Git LFS, not the file itself.", where=where, fix="Run: git lfs pull")
    return FielError(f"{name} has been changed since it was frozen.", where=where, fix=_BACK)


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


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
