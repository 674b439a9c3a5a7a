"""A calibration set as the bytes of its files, and back. Knows no folder.

The same set is the same bytes, on every machine: no time stands in them but in the decisions'.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping

import msgspec

from fiel.labelling import in_order
from fiel.records import (
    Adjudication,
    CalibrationSet,
    Design,
    FielError,
    Item,
    Label,
    Pair,
    Rubric,
    decode,
    decode_lines,
    encode,
    encode_lines,
)
from fiel.store._names import file_stems
from fiel.store._set_card import to_card

MANIFEST = "manifest.json"
FORMAT = 1
_LABELS = "labels/"
_ATTRIBUTES = b"* -text\nlooks.jsonl merge=union\n"  # git leaves the bytes as they are, on Windows too


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a frozen folder has to hold.

    Args:
        format: of the folder.
        name: of the set.
        digest: of the set; parent: of the one that it corrects.
        files: path to the SHA-256 of its bytes, in hex.
        seal: the SHA-256 of the manifest with an empty seal, so that an edit is told from one of a file.
    """

    format: int
    name: str
    digest: str
    parent: str | None
    files: dict[str, str]
    seal: str = ""


def to_files(calibration_set: CalibrationSet) -> dict[str, bytes]:
    """Path to bytes, the manifest too; the set has to be in order."""
    by_rater: defaultdict[str, list[Label]] = defaultdict(list)
    for label in calibration_set.labels:
        by_rater[label.rater].append(label)
    stems = file_stems(by_rater)
    files = {
        ".gitattributes": _ATTRIBUTES,
        "README.md": to_card(calibration_set),
        "adjudication.jsonl": encode_lines(calibration_set.adjudications),
        "design.json": _pretty(calibration_set.design),
        "items.jsonl": encode_lines(calibration_set.items),
        "rubric.json": _pretty(calibration_set.rubric),
    }
    if calibration_set.pairs:
        files["pairs.jsonl"] = encode_lines(calibration_set.pairs)
    for rater, labels in by_rater.items():
        files[f"{_LABELS}{stems[rater]}.jsonl"] = encode_lines(labels)
    manifest = Manifest(
        format=FORMAT,
        name=calibration_set.name,
        digest=calibration_set.digest,
        parent=calibration_set.parent,
        files={path: sha256(files[path]) for path in sorted(files)},
    )
    return files | {MANIFEST: _pretty(sealed(manifest))}


def to_set(manifest: Manifest, files: Mapping[str, bytes], *, where: str) -> CalibrationSet:
    """The set that these files hold.

    Raises:
        FielError: one cannot be read, or together they are not what the manifest says.
    """
    needed = ("rubric.json", "design.json", "items.jsonl", "adjudication.jsonl")
    missing = next((name for name in needed if name not in files), None)
    if missing is not None:
        raise FielError(f"The manifest does not name {missing!r}.", where=f"{where}/{MANIFEST}")
    found = CalibrationSet(
        name=manifest.name,
        rubric=decode(files["rubric.json"], Rubric, where=f"{where}/rubric.json"),
        design=decode(files["design.json"], Design, where=f"{where}/design.json"),
        items=tuple(decode_lines(files["items.jsonl"], Item, where=f"{where}/items.jsonl")),
        pairs=tuple(decode_lines(files.get("pairs.jsonl", b""), Pair, where=f"{where}/pairs.jsonl")),
        labels=tuple(
            label
            for path in sorted(files)
            if path.startswith(_LABELS)
            for label in decode_lines(files[path], Label, where=f"{where}/{path}")
        ),
        adjudications=tuple(
            decode_lines(files["adjudication.jsonl"], Adjudication, where=f"{where}/adjudication.jsonl")
        ),
        parent=manifest.parent,
    )
    calibration_set = in_order(found)
    if calibration_set.digest != manifest.digest:
        raise FielError(
            "The files are not those of the set that the manifest names: its digest is another one.",
            where=f"{where}/{MANIFEST}",
            fix="Bring the folder back as it was committed.",
        )
    return calibration_set


def sealed(manifest: Manifest) -> Manifest:
    """The manifest with the seal that belongs to it."""
    return msgspec.structs.replace(manifest, seal=sha256(_pretty(msgspec.structs.replace(manifest, seal=""))))


def is_whole(manifest: Manifest, data: bytes) -> bool:
    """Whether these are the bytes of the manifest's file, as it was frozen."""
    return manifest == sealed(manifest) and data == _pretty(manifest)


def sha256(data: bytes) -> str:
    """Of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def _pretty(record: object) -> bytes:
    return msgspec.json.format(encode(record), indent=2) + b"\n"
