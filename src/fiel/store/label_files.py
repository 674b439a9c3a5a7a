"""Labels from plain files, in any of three layouts. Knows no judge, and of the items only their ids."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fiel.records import Criterion, FielError, Label, Rubric, nearest
from fiel.store._collecting import uncollected
from fiel.store._columns import normal_name
from fiel.store._files import suggestion
from fiel.store._items import as_key, as_text
from fiel.store._reading import Table, read_table

_ALIASES = {
    "item": ("item", "item_id", "id", "subject", "subject_id"),
    "criterion": ("criterion", "criterion_id", "criterio"),
    "rater": ("rater", "rater_id", "annotator", "annotator_id", "labeller", "labeler"),
    "answer": ("answer", "label", "value"),
    "note": ("note", "notes", "notas", "comment", "comments", "comentario", "comentarios"),
    "seconds": ("seconds",),
    "repeat": ("repeat",),
}
_NO_RATER = frozenset({*_ALIASES["note"], "seconds", "repeat", "remarks", "observaciones"})
"""A column with one of these words in its name (`notes_ana`) holds no answers."""

_NOT_APPLICABLE = ("not applicable", "n/a", "na")


class _Cell(NamedTuple):
    """One answer as the file has it."""

    where: str
    item: str
    criterion: Criterion
    rater: str
    answer: Any
    note: str | None = None
    seconds: Any = None
    repeat: Any = None


def read_labels(path: Path | str, rubric: Rubric, *, items: Collection[str]) -> list[Label]:
    """The labels of one file (CSV, JSON Lines, JSON, Parquet).

    Layouts: long (item, criterion, rater, answer; also note, seconds, repeat), wide (item, criterion, one column per
    rater), or wide by criterion (item, rater, one column per criterion). A rubric of one criterion needs no criterion
    column. In the wide layouts a column of notes, comments, seconds or repeats is passed over.
    An answer is one of the options, white space and capitals aside, or the same number. An empty answer is a skip in
    the long layout and nothing in the wide ones. Where a criterion has `applies_when`, "not applicable" is a skip of
    that name. The wording that was answered is unknown: `criterion_digest` is None.

    Args:
        path: the file.
        rubric: whose criteria were answered.
        items: the ids that exist.

    Raises:
        FielError: a file that cannot be read, other items, an unknown item, criterion or answer, or two labels of one
            rater for one cell and repeat (even when equal); with file and line.
    """
    return read_label_files([path], rubric, items=items)


def read_label_files(paths: Iterable[Path | str], rubric: Rubric, *, items: Collection[str]) -> list[Label]:
    """The labels of several files, as `read_labels`; a cell may stand in one of them only.

    Raises:
        FielError: as `read_labels`; or two labels of one rater for one cell in different files.
    """
    known = items if isinstance(items, (set, frozenset, dict)) else set(items)
    labels: list[Label] = []
    seen: dict[tuple[str, str, str, int], str] = {}
    for path in paths:
        with uncollected():
            table = read_table(path)
            cells = list(_cells(table, rubric))
            _check_items(table, cells, known)
            for cell in cells:
                label = _label(cell)
                key = (cell.item, cell.criterion.id, cell.rater, label.repeat)
                if key in seen:
                    raise FielError(
                        f"Two labels of rater {cell.rater!r} for item {cell.item!r}, criterion {cell.criterion.id!r}.",
                        where=f"{cell.where}, and {seen[key]}",
                        fix="Keep one of them.",
                    )
                seen[key] = cell.where
                labels.append(label)
    return labels


def _cells(table: Table, rubric: Rubric) -> Iterator[_Cell]:
    """The answers of a table, whatever its layout."""
    if not table.rows:
        raise FielError("The label file has no rows.", where=table.name, fix="Give one answer per row.")
    roles = {role: _column(table, role) for role in _ALIASES}
    if roles["item"] is None:
        raise _missing(table, "says which item was labelled", "item")
    by_criterion = [column for column in table.columns if column in {criterion.id for criterion in rubric.criteria}]
    if roles["rater"] is None:
        if by_criterion or roles["answer"] is not None:
            raise _missing(table, "says who answered", "rater")
        return _wide(table, rubric, roles)
    if roles["criterion"] is None and by_criterion and (roles["answer"] is None or roles["answer"] in by_criterion):
        return _wide_by_criterion(table, rubric, roles, by_criterion)
    if roles["answer"] is None:
        raise _missing(table, "holds the answers", "answer")
    return _long(table, rubric, roles)


def _long(table: Table, rubric: Rubric, roles: dict[str, str | None]) -> Iterator[_Cell]:
    item, criterion, rater, answer = (roles[role] for role in ("item", "criterion", "rater", "answer"))
    note, seconds, repeat = (roles[role] for role in ("note", "seconds", "repeat"))
    for index, row in enumerate(table.rows):
        where = table.where(index)
        yield _Cell(
            where,
            _key(row, item, where),
            _criterion(row, criterion, rubric, where),
            _key(row, rater, where),
            row[str(answer)],
            note=as_text(row[note]) or None if note is not None else None,
            seconds=row[seconds] if seconds is not None else None,
            repeat=row[repeat] if repeat is not None else None,
        )


def _wide(table: Table, rubric: Rubric, roles: dict[str, str | None]) -> Iterator[_Cell]:
    keys = (roles["item"], roles["criterion"])
    raters = [column for column in table.columns if column not in keys and not _is_remark(column)]
    if not raters:
        raise _missing(table, "holds the answers of a rater", "answer")
    for index, row in enumerate(table.rows):
        where = table.where(index)
        item = _key(row, roles["item"], where)
        criterion = _criterion(row, roles["criterion"], rubric, where)
        for rater in raters:
            if not _blank(row[rater]):
                yield _Cell(f"{where}, column {rater!r}", item, criterion, rater, row[rater])


def _wide_by_criterion(
    table: Table, rubric: Rubric, roles: dict[str, str | None], columns: Sequence[str]
) -> Iterator[_Cell]:
    known = {*columns, roles["item"], roles["rater"]}
    spare = next((name for name in table.columns if name not in known and not _is_remark(name)), None)
    if spare is not None:
        ids = [criterion.id for criterion in rubric.criteria]
        raise FielError(
            f"The column {spare!r} is no criterion.", where=table.name, fix=suggestion(spare, ids, those="Criteria")
        )
    for index, row in enumerate(table.rows):
        where = table.where(index)
        item, rater = _key(row, roles["item"], where), _key(row, roles["rater"], where)
        for column in columns:
            if not _blank(row[column]):
                yield _Cell(f"{where}, column {column!r}", item, rubric[column], rater, row[column])


def _label(cell: _Cell) -> Label:
    answer, skipped = _answer(cell)
    return Label(
        subject=cell.item,
        criterion=cell.criterion.id,
        rater=cell.rater,
        answer=answer,
        skipped=skipped,
        note=cell.note,
        seconds=None if cell.seconds is None else _seconds(cell),
        repeat=0 if cell.repeat is None else _repeat(cell),
    )


def _answer(cell: _Cell) -> tuple[str | None, str | None]:
    """The option that the cell means, or None and why there is none."""
    criterion = cell.criterion
    if isinstance(cell.answer, str) and cell.answer in criterion.options:
        return cell.answer, None
    if _blank(cell.answer):
        return None, "blank"
    text = as_text(cell.answer) or ""
    if text in criterion.options:
        return text, None
    plain = _plain(text)
    alike = [option for option in criterion.options if _plain(option) == plain]
    if not alike and criterion.values is not None:
        alike = [o for o, value in zip(criterion.options, criterion.values, strict=True) if value == _number(plain)]
    if len(alike) == 1:
        return alike[0], None
    if criterion.applies_when is not None and plain in _NOT_APPLICABLE:
        return None, "not applicable"
    raise FielError(
        f"{text!r} is no option of criterion {criterion.id!r}.",
        where=cell.where,
        fix=f"{_meant(text, criterion.options)}Its options: {', '.join(criterion.options)}.",
    )


def _plain(text: str) -> str:
    """Without white space at the ends and without capitals, an accent being one sign with its letter."""
    return unicodedata.normalize("NFC", text.strip().casefold())


def _letters(text: str) -> str:
    """Letters and digits alone, without accents and capitals."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if sign.isalnum())


def _meant(text: str, options: Sequence[str]) -> str:
    """A question after the one option that the text comes near to, or nothing; no number is near to another.

    Accents and punctuation are looked past; after that a beginning is enough where no other option shares it.

    >>> _meant("si.", ("no", "sí")), _meant("N", ("no", "yes")), _meant("perhaps", ("no", "yes"))
    ("Did you mean 'sí'? ", "Did you mean 'no'? ", '')
    """
    word, folded = _letters(text), {option: _letters(option) for option in options}
    if not word or _number(text) is not None:
        return ""
    near = nearest(word, folded.values())
    same = [option for option in options if folded[option] == word]
    begun = [option for option in options if folded[option].startswith(word)]
    found = same or begun or [option for option in options if folded[option] == near]
    return f"Did you mean {found[0]!r}? " if len(found) == 1 else ""


def _seconds(cell: _Cell) -> float | None:
    if _blank(cell.seconds):
        return None
    value = _number(as_text(cell.seconds) or "")
    if value is None or value < 0:
        raise FielError(f"seconds is {cell.seconds!r}.", where=cell.where, fix="Write a number from 0, or nothing.")
    return value


def _repeat(cell: _Cell) -> int:
    """Which repeat of the same question it is: 0 the first time."""
    value = 0.0 if _blank(cell.repeat) else _number(as_text(cell.repeat) or "")
    if value is None or not value.is_integer() or value < 0:
        raise FielError(f"repeat is {cell.repeat!r}.", where=cell.where, fix="Write 0 for the first answer, then 1, 2.")
    return int(value)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _check_items(table: Table, cells: Sequence[_Cell], known: Collection[str]) -> None:
    ids = list(dict.fromkeys(cell.item for cell in cells))
    unknown = [item for item in ids if item not in known]
    if not unknown:
        return
    first = next(cell for cell in cells if cell.item == unknown[0])
    if len(unknown) == len(ids):
        raise FielError(
            f"This is a label file for other items: none of its {len(ids)} is among the {len(known)} of the project.",
            where=table.name,
            fix=f"Its first is {unknown[0]!r}; one of the project's is {min(known, default='none')!r}.",
        )
    raise FielError(
        f"{len(unknown)} of the {len(ids)} items of this label file are unknown; the first is {unknown[0]!r}.",
        where=first.where,
        fix="Take their rows out, or add the items to the project.",
    )


def _column(table: Table, role: str) -> str | None:
    """The column that plays the role: by the order of its names, capitals and accents aside."""
    return next((c for alias in _ALIASES[role] for c in table.columns if normal_name(c) == alias), None)


def _is_remark(column: str) -> bool:
    return not _NO_RATER.isdisjoint(normal_name(column).split("_"))


def _criterion(row: dict[str, Any], column: str | None, rubric: Rubric, where: str) -> Criterion:
    if column is None and len(rubric.criteria) == 1:
        return rubric.criteria[0]
    name = None if column is None else as_key(row[column]) or ""
    for criterion in rubric.criteria:
        if criterion.id == name:
            return criterion
    ids = [criterion.id for criterion in rubric.criteria]
    if name is None:
        raise FielError(
            "No column says which criterion was answered.",
            where=where.rpartition(",")[0],
            fix=f"Add a column criterion, with one of: {', '.join(ids)}.",
        )
    raise FielError(
        f"The rubric {rubric.id!r} has no criterion {name!r}.",
        where=where,
        fix=suggestion(name, ids, those="Criteria"),
    )


def _key(row: dict[str, Any], column: str | None, where: str) -> str:
    key = as_key(row[str(column)])
    if key is None:
        raise FielError(f"The column {column!r} is empty.", where=where, fix="Fill it in, or take the row out.")
    return key


def _missing(table: Table, what: str, name: str) -> FielError:
    known = ", ".join(_ALIASES[name])
    return FielError(
        f"No column {what}.",
        where=table.name,
        fix=f"Call it one of: {known}. Columns: {', '.join(table.columns)}.",
    )
