"""What is added to a project from outside: items, labels, judges and what they said, all of it or nothing.

Knows no other tool's file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from fiel.records import FielError, Item, Judgement, Label, Rubric, encode_lines
from fiel.store._config_text import ImportedJudge, checked, new_config, with_judges, with_labels
from fiel.store._files import read_text
from fiel.store._names import file_stems
from fiel.store.config import Config, load_config
from fiel.store.project import Project
from fiel.store.rubrics import load_rubric
from fiel.store.tables import read_items, read_table
from fiel.store.writing import write_file

__all__ = ["Added", "Addition", "ImportedJudge", "add", "plain_name"]

_COLUMNS = ("item", "criterion", "rater", "answer")
_FIX = "Say --replace to put the new ones in the place of the old, or --name NAME to keep both."


class Addition(NamedTuple):
    """What is added.

    Args:
        name: of the files: items/NAME.jsonl, labels/NAME.csv.
        items, labels, judgements: all that there are, those that the project has already among them.
        rubric: by which people and judges were read.
        rubric_text: of its file; None where it stands in the project already.
        judges: who judged, by that rubric.
        extra: further files to be there, by their paths in the project.
    """

    name: str
    items: Sequence[Item]
    rubric: Rubric
    rubric_text: bytes | None = None
    labels: Sequence[Label] = ()
    judges: Sequence[ImportedJudge] = ()
    judgements: Sequence[Judgement] = ()
    extra: Mapping[Path, bytes] = MappingProxyType({})


class Added(NamedTuple):
    """What was written: the files, and how many items, labels and judgements are new."""

    files: tuple[Path, ...]
    items: int
    labels: int
    judgements: int


def plain_name(name: str) -> str:
    """A name as the name of a file.

    >>> plain_name("my set/2")[:9]
    'my-set-2-'
    """
    return file_stems([name])[name]


def add(folder: Path, addition: Addition, *, replace: bool = False) -> Added:
    """Add to the project in a folder, or make one there.

    What is there already and is the same is left as it is, so that the same addition twice is the same as once.

    Args:
        folder: of the project; made where it is not there.
        addition: what is added.
        replace: whether what differs takes the place of what is there under the same name.

    Raises:
        FielError: something is there under the same name and differs, or the project looks for its files elsewhere;
            nothing was written.
    """
    before = _config_text(folder)
    config = None if before is None else load_config(folder / "fiel.toml")
    items, new_items = _items(folder, config, addition, replace=replace)
    labels, new_labels = _labels(folder, addition, replace=replace)
    files: dict[Path, bytes] = {path: data for path, data in addition.extra.items() if not (folder / path).exists()}
    if new_items:
        files[_items_path(addition)] = encode_lines(items)
    if addition.rubric_text is not None:
        files |= _rubric(folder, addition, addition.rubric_text, replace=replace)
    if new_labels:
        files[_labels_path(addition)] = labels
    text = new_config(folder, addition.name) if before is None or config is None else before
    after = with_judges(text, addition.judges, addition.rubric.id, config, replace=replace)
    after = with_labels(after) if new_labels and (config is None or config.project.labels is None) else after
    path = folder / "fiel.toml"
    made = checked(after, path, addition.judges, labelled=bool(new_labels), new=before is None)
    with ExitStack() as undo:
        for name, data in files.items():
            _put(folder / name, data, undo)
        project = Project(folder, made)
        _check_found(project, addition, files)
        kept = _keep(project, addition.judgements, undo)
        if after != before:
            _put(path, after.encode(), undo)
        undo.pop_all()
    written = (*files, *([Path("fiel.toml")] if after != before else []))
    return Added(written, new_items, new_labels, kept)


def _config_text(folder: Path) -> str | None:
    path = folder / "fiel.toml"
    return read_text(path) if path.exists() else None


def _items_path(addition: Addition) -> Path:
    return Path("items") / f"{addition.name}.jsonl"


def _labels_path(addition: Addition) -> Path:
    return Path("labels") / f"{addition.name}.csv"


def _items(folder: Path, config: Config | None, addition: Addition, *, replace: bool) -> tuple[list[Item], int]:
    """The items of the file of this name as they will be, and how many of them are new or changed."""
    mine = folder / _items_path(addition)
    there = {item.id: item for item in read_items([mine])} if mine.exists() else {}
    pattern = config.project.items if config is not None else "items/*.jsonl"
    elsewhere = {item.id: item for item in _elsewhere(folder, pattern, mine)}
    after, new = dict(there), 0
    for item in addition.items:
        before = elsewhere.get(item.id) or there.get(item.id)
        if before == item:
            continue
        if item.id in elsewhere or (before is not None and not replace):
            raise FielError(
                f"The project has an item {item.id!r} already, with another text or other fields. Nothing was written.",
                where=str(folder if item.id in elsewhere else mine),
                fix="Give the items other ids, or use another project: -p FOLDER." if item.id in elsewhere else _FIX,
            )
        after[item.id] = item
        new += 1
    return list(after.values()), new


def _elsewhere(folder: Path, pattern: str, mine: Path) -> list[Item]:
    """The items of the project's other files."""
    return read_items(sorted(path for path in _matching(folder, pattern) if path != mine))


def _matching(folder: Path, pattern: str) -> set[Path]:
    try:
        return {path for path in folder.glob(pattern) if path.is_file()}
    except (ValueError, NotImplementedError):  # no pattern, or one that starts at the root of the disk
        return set()


def _labels(folder: Path, addition: Addition, *, replace: bool) -> tuple[bytes, int]:
    """The label file of this name as it will be, and how many of its answers are new or changed."""
    path = folder / _labels_path(addition)
    there: dict[tuple[str, ...], str] = {}
    if path.exists():
        table = read_table(path)
        if set(table.columns) - {*_COLUMNS, "repeat"}:
            raise FielError("This label file was not made by fiel import.", where=str(path), fix="Say --name NAME.")
        for row in table.rows:
            key = (*(str(row[column]) for column in _COLUMNS[:3]), row.get("repeat") or "0")
            there[key] = row["answer"] or ""
    after, new = dict(there), 0
    for label in addition.labels:
        key = (label.subject, label.criterion, label.rater, str(label.repeat))
        answer = label.answer or ("not applicable" if label.skipped == "not applicable" else "")
        if there.get(key) == answer:
            continue
        if key in there and not replace:
            raise FielError(
                f"Rater {label.rater!r} has another answer to {label.criterion!r} of item {label.subject!r} already. "
                "Nothing was written.",
                where=str(path),
                fix=_FIX,
            )
        after[key] = answer
        new += 1
    return _as_csv(after), new


def _as_csv(answers: Mapping[tuple[str, ...], str]) -> bytes:
    repeated = any(key[3] != "0" for key in answers)
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([*_COLUMNS, *(["repeat"] if repeated else [])])
    rows = ([*key[:3], answer, *([key[3]] if repeated else [])] for key, answer in answers.items())
    writer.writerows(rows)
    return file.getvalue().encode()


def _rubric(folder: Path, addition: Addition, text: bytes, *, replace: bool) -> dict[Path, bytes]:
    path = Path("rubrics") / f"{addition.rubric.id}.toml"
    if not (folder / path).exists():
        return {path: text}
    if load_rubric(folder / path, root=folder) == addition.rubric:
        return {}
    if not replace:
        raise FielError(
            f"The project has another rubric {addition.rubric.id!r} already. Nothing was written.",
            where=str(folder / path),
            fix=_FIX,
        )
    return {path: text}


def _check_found(project: Project, addition: Addition, files: Iterable[Path]) -> None:
    """Raise where the project would not find what was written."""
    items = project.root / _items_path(addition)
    if _items_path(addition) in files and items not in _matching(project.root, project.config.project.items):
        raise FielError(
            f"The project's items are {project.config.project.items!r}; {_items_path(addition)} is none of them.",
            where=f"{project.root / 'fiel.toml'}, project.items",
            fix='Write items = "items/*.jsonl", or use another project: -p FOLDER.',
        )
    labels = project.root / _labels_path(addition)
    if _labels_path(addition) in files and labels not in _matching(project.root, project.config.project.labels or ""):
        raise FielError(
            f"The project's labels are {project.config.project.labels!r}; {_labels_path(addition)} is none of them.",
            where=f"{project.root / 'fiel.toml'}, project.labels",
            fix='Write labels = "labels/*.csv", or use another project: -p FOLDER.',
        )
    if project.rubric(addition.rubric.id) != addition.rubric:
        raise FielError(f"The rubric {addition.rubric.id!r} cannot be written as a file.", where=str(project.root))


def _put(path: Path, data: bytes, undo: ExitStack) -> None:
    """Write a file, and have it as it was when the undoing comes."""
    before = path.read_bytes() if path.exists() else None
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):  # the innermost is undone first
        undo.callback(_forget_folder, folder)
    if before is None:
        undo.callback(path.unlink, missing_ok=True)
    else:
        undo.callback(write_file, path, before, replace=True)
    for folder in reversed(missing):
        folder.mkdir()
    write_file(path, data, replace=True)


def _forget_folder(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _keep(project: Project, judgements: Sequence[Judgement], undo: ExitStack) -> int:
    """Keep the judgements, in one transaction; a database that was made for them goes with them."""
    if not judgements:
        return 0
    path = project.root / project.config.store.judgements
    if "://" not in project.config.store.judgements and not path.exists():
        for folder in reversed([folder for folder in path.parents if not folder.exists()]):
            undo.callback(_forget_folder, folder)
        for ending in ("", "-wal", "-shm"):
            undo.callback(path.with_name(f"{path.name}{ending}").unlink, missing_ok=True)
    with project.judgements() as store:
        return store.add(judgements)
