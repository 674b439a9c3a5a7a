"""A project on disk: its configuration, rubrics, items, labels, sets and judgements, each read when asked for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from fiel.records import CalibrationSet, FielError, Item, Label, Rubric, Sample
from fiel.store._files import check_path, suggestion
from fiel.store.config import Config, load_config
from fiel.store.frozen import read_set, set_names, write_set
from fiel.store.judgements import JudgementStore
from fiel.store.label_files import read_label_files
from fiel.store.labels import LabelStore
from fiel.store.rubrics import load_rubric
from fiel.store.samples import read_sample, sample_names, write_sample
from fiel.store.tables import read_items

_NAME = "fiel.toml"
_TABLES = frozenset({".csv", ".tsv", ".parquet"})
"""Endings of what can be made items of, and lies in their folder by mistake."""


class Project:
    """A folder with a `fiel.toml`. Nothing is kept in memory: each method reads what is on the disk.

    Relative paths of the configuration start at `root`.

    Args:
        root: the folder of fiel.toml.
        config: what it says.
    """

    def __init__(self, root: Path, config: Config) -> None:
        self.root = root
        self.config = config

    @classmethod
    def open(cls, path: Path | str = ".") -> Project:
        """The project that `path` (a folder in it, or its fiel.toml) belongs to.

        Raises:
            FielError: no fiel.toml here or above, or one that cannot be read.
        """
        start = Path(path).absolute()
        check_path(start)
        folder = start.parent if start.name == _NAME else start
        for candidate in (folder, *folder.parents):
            if (candidate / _NAME).exists() and not (candidate / _NAME).is_dir():
                return cls(candidate, load_config(candidate / _NAME))
        raise FielError("There is no fiel.toml here or above.", where=str(folder), fix="Run fiel init FILE.")

    @property
    def reports(self) -> Path:
        """The folder that reports are written to; it need not exist yet."""
        return self.root / "reports"

    def rubric(self, name: str) -> Rubric:
        """The rubric of this id, from rubrics/NAME.toml.

        Raises:
            FielError: there is none (with the nearest), or it cannot be read.
        """
        folder = self.root / "rubrics"
        known = sorted(path.stem for path in folder.glob("*.toml"))
        if name not in known:
            raise FielError(
                f"There is no rubric {name!r}.", where=str(folder), fix=suggestion(name, known, those="Rubrics")
            )
        return load_rubric(folder / f"{name}.toml", root=self.root)

    def items(self) -> list[Item]:
        """All items, in the order of the files' names.

        Raises:
            FielError: no file matches `project.items`, one cannot be read, or an id stands twice.
        """
        return read_items(self._matching(self.config.project.items, key="items"))

    def labels(
        self, rubric: Rubric, path: Path | str | None = None, *, items: Collection[str] | None = None
    ) -> list[Label]:
        """The labels of a plain file, or of all files that `project.labels` matches.

        Args:
            rubric: whose criteria were answered.
            path: a file, relative to the current folder as everywhere on a command line; None for `project.labels`.
            items: the ids that exist; None to read them from the project.

        Raises:
            FielError: no file is named or matches, one cannot be read (as `read_labels`), or two files hold a label of
                one rater for one cell.
        """
        if path is not None:
            paths = [Path(path)]
        elif self.config.project.labels is not None:
            paths = self._matching(self.config.project.labels, key="labels")
        else:
            raise FielError(
                "The project names no label files.",
                where=str(self.root / _NAME),
                fix='Name a file on the command line, or write labels = "labels/*.csv" under [project].',
            )
        known = {item.id for item in self.items()} if items is None else items
        return read_label_files(paths, rubric, items=known)

    def judgements(self, *, must_exist: bool = False) -> JudgementStore:
        """The open store of judgements, to be closed by the caller (`with`).

        Raises:
            FielError: as `JudgementStore.open`.
        """
        written = self.config.store.judgements
        return JudgementStore.open(written if "://" in written else self.root / written, must_exist=must_exist)

    def label_store(self, *, must_exist: bool = False) -> LabelStore:
        """The open store of studies and their answers, to be closed by the caller (`with`).

        Raises:
            FielError: as `LabelStore.open`.
        """
        written = self.config.store.labels
        return LabelStore.open(written if "://" in written else self.root / written, must_exist=must_exist)

    def sample_names(self) -> list[str]:
        """The names of the samples that were drawn, sorted."""
        return sample_names(self.root / "samples")

    def sample(self, name: str) -> Sample:
        """The sample of this name, from samples/NAME.json.

        Raises:
            FielError: as `read_sample`.
        """
        return read_sample(self.root / "samples", name)

    def keep_sample(self, sample: Sample, *, replace: bool = False) -> Path:
        """Write a sample to samples/NAME.json, and say where.

        Raises:
            FielError: as `write_sample`.
        """
        return write_sample(self.root / "samples", sample, replace=replace)

    def set_names(self) -> list[str]:
        """The names of the frozen calibration sets, sorted."""
        return set_names(self.root / "calibration")

    def set_folder(self, name: str) -> Path:
        """The folder of a frozen set; it need not exist yet."""
        return self.root / "calibration" / name

    def calibration_set(self, name: str) -> CalibrationSet:
        """The frozen set of this name, from calibration/NAME/.

        Raises:
            FielError: there is none (with the nearest), or as `read_set`.
        """
        names = self.set_names()
        if name not in names:
            raise FielError(
                f"There is no calibration set {name!r}.",
                where=str(self.root / "calibration"),
                fix=suggestion(name, names, those="Sets"),
            )
        return read_set(self.set_folder(name))

    def freeze(self, calibration_set: CalibrationSet) -> CalibrationSet:
        """Write a set to calibration/NAME/, once, and give it as it stands there.

        Raises:
            FielError: as `write_set`.
        """
        return write_set(self.set_folder(calibration_set.name), calibration_set)

    def _matching(self, pattern: str, *, key: str) -> list[Path]:
        """The files that a pattern matches, sorted; an absolute pattern starts at its own root."""
        anchor = Path(pattern).anchor
        base, relative = (Path(anchor), pattern.removeprefix(anchor)) if anchor else (self.root, pattern)
        try:
            found = sorted(path for path in base.glob(relative) if not path.is_dir())
        except (ValueError, NotImplementedError) as error:
            raise FielError(
                f"{pattern!r} is no pattern: {error}.", where=f"{self.root / _NAME}, project.{key}"
            ) from error
        where = f"{self.root / _NAME}, project.{key}"
        if not found:
            fix = "Correct the pattern, or name a file on the command line."
            if key == "items":
                lying = sorted(path for path in (base / relative).parent.glob("*.*") if path.suffix.lower() in _TABLES)
                fix = _make_items(lying[0]) if lying else "Run fiel init FILE --add, or correct the pattern."
            raise FielError(f"No file matches {pattern!r}.", where=where, fix=fix)
        tables = [path for path in found if path.suffix.lower() in _TABLES]
        if key == "items" and tables:
            raise FielError(
                f"{pattern!r} matches a table: items are JSON Lines.", where=where, fix=_make_items(tables[0])
            )
        return found


def _make_items(table: Path) -> str:
    return f"{table.name} is a table: move it elsewhere, and fiel init {table.name} --add makes items of it."
