"""Samples as files of a project, samples/NAME.json: what was drawn, and how. Knows no item and no draw."""

from __future__ import annotations

from pathlib import Path

import msgspec

from fiel.records import FielError, Sample, encode
from fiel.store._files import read_bytes, suggestion
from fiel.store._json import decode_json
from fiel.store._names import check_name
from fiel.store.writing import write_file

__all__ = ["read_sample", "sample_names", "write_sample"]


def write_sample(folder: Path | str, sample: Sample, *, replace: bool = False) -> Path:
    """Write a sample as `folder`/NAME.json, whole or not at all.

    Args:
        folder: made where it is not there.
        sample: with a name that a file can have.
        replace: it takes the place of one of its name, as a declared top-up does.

    Raises:
        FielError: there is one of this name, or of one that differs in capitals alone; its name is none for a file;
            or it cannot be written.
    """
    other = next((x for x in sample_names(folder) if x != sample.name and x.casefold() == sample.name.casefold()), None)
    if other is not None:
        raise FielError(
            f"{sample.name!r} differs in capitals alone from the sample {other!r}, which is there: on many systems the "
            "two are one file.",
            where=str(folder),
            fix="Draw under another name.",
        )
    path = Path(folder) / f"{check_name(sample.name, of='a sample')}.json"
    try:
        write_file(path, msgspec.json.format(encode(sample), indent=2) + b"\n", replace=replace)
    except FileExistsError:
        raise FielError(
            f"The sample {sample.name!r} is drawn already.", where=str(path), fix="Draw under another name."
        ) from None
    return path


def read_sample(folder: Path | str, name: str) -> Sample:
    """The sample of this name.

    Raises:
        FielError: there is none (with the nearest), it cannot be read, or it calls itself otherwise.
    """
    names = sample_names(folder)
    if name not in names:
        raise FielError(
            f"There is no sample {name!r}.", where=str(folder), fix=suggestion(name, names, those="Samples")
        )
    path = Path(folder) / f"{name}.json"
    sample = decode_json(read_bytes(path), Sample, where=str(path))
    if sample.name != name:
        raise FielError(
            f"The sample is called {sample.name!r} and its file {path.name!r}.",
            where=str(path),
            fix="Give the file back its name.",
        )
    return sample


def sample_names(folder: Path | str) -> list[str]:
    """The names of the samples in a folder, sorted; none where there is no such folder."""
    return sorted(path.stem for path in Path(folder).glob("*.json") if not path.name.startswith("."))
