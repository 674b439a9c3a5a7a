"""A work list that was filled in, read against the calibration set that it was made from. Writes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from fiel.interop._answers import Scale, spelled
from fiel.interop._spreadsheet import read_back, sheet_rows
from fiel.measures import decisions_of, is_preference
from fiel.records import Adjudication, CalibrationSet, FielError, Reason, nearest
from fiel.store.tables import Table, as_key, as_text, normal_name, read_table

_NEEDED = ("set", "item", "criterion", "decision")
_USED = (*_NEEDED, "by", "reason", "note", "drawn")
_WITHOUT_ANSWER = ("true split", "item broken")


class FilledIn(NamedTuple):
    """What came back.

    Args:
        decisions: one for each row that was filled in.
        agreements: the cells (item, criterion) that were drawn as agreements, decided or not.
        empty: rows that were left as they were; noted: rows with a note and no decision.
    """

    decisions: list[Adjudication]
    agreements: list[tuple[str, str]]
    empty: int
    noted: int


class _Row(NamedTuple):
    """The cells of one row that are read, by column, and where they stand."""

    cells: Mapping[str, str | None]
    where: str

    def fault(self, column: str, what: str, *, fix: str) -> FielError:
        return FielError(what, where=f"{self.where}, column {column!r}", fix=fix)


class _Known(NamedTuple):
    """The set, its ids, who answered each item, and what people answered in each cell; preferences are no answers."""

    frozen: CalibrationSet
    ids: frozenset[str]
    raters: Mapping[str, set[str]]
    answers: Mapping[tuple[str, str], set[str]]

    @classmethod
    def of(cls, frozen: CalibrationSet, preferences: Collection[str]) -> _Known:
        raters: defaultdict[str, set[str]] = defaultdict(set)
        answers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for label in frozen.counting:
            raters[label.subject].add(label.rater)
            if label.answer is not None and not is_preference(label.rater, preferences):
                answers[label.subject, label.criterion].add(label.answer)
        ids = frozenset({item.id for item in frozen.items} | {pair.id for pair in frozen.pairs})
        return cls(frozen, ids, raters, answers)


def read_decisions(
    path: Path, frozen: CalibrationSet, *, at: str, by: str | None = None, preferences: Collection[str] = ()
) -> FilledIn:
    """The decisions of a work list on a calibration set.

    A decision is read as an answer in a label file is: white space and capitals do not matter, nor does how a number is
    written. "not applicable" is one where the criterion knows it. A list that was made from plain labels names no set:
    it goes with the set that was frozen of plain labels (its design is unknown, and it has no parent).

    Args:
        path: CSV or JSON Lines, as `worklist_file` wrote it, perhaps sorted, shortened or with more columns.
        frozen: the set, as it was frozen.
        at: when they were made (ISO 8601).
        by: who decided, where a row does not say.
        preferences: raters whose labels are preferences, beside those called "preference" or "preference:...": a cell
            on which only they differ is no split.

    Raises:
        FielError: no work list, or of another set; a decision that is no option or goes with no such reason; nobody who
            decided; an unknown item, criterion or reason; a cell twice. With file, row (as a spreadsheet numbers it) or
            line of JSON Lines, and column.
    """
    decisions: list[Adjudication] = []
    agreements: list[tuple[str, str]] = []
    seen: dict[tuple[str, str], str] = {}
    empty = noted = 0
    known = _Known.of(frozen, preferences)
    for row in _rows(read_table(path)):
        _check_set(row, frozen)
        cell = _cell(row, known)
        if cell in seen:
            raise row.fault("item", f"{cell[0]!r} stands twice on {cell[1]!r}.", fix=f"Keep one; see {seen[cell]}.")
        seen[cell] = row.where
        if row.cells["drawn"] == "agreement":
            agreements.append(cell)
        if row.cells["decision"] is None and row.cells["reason"] is None:
            empty += 1
            noted += row.cells["note"] is not None
            continue
        decisions.append(_decision(row, cell, known, at=at, by=by))
    return FilledIn(decisions, agreements, empty, noted)


def _rows(table: Table) -> Iterator[_Row]:
    names = {normal_name(column): column for column in reversed(table.columns)}
    names |= {name: name for name in _USED if name in table.columns}  # ours, whatever else is called alike
    missing = [name for name in _NEEDED if name not in names]
    if missing or not table.rows:
        raise FielError(
            f"This is no work list: it has no column {missing[0]!r}." if missing else "The work list has no rows.",
            where=table.name,
            fix="Have one written: fiel validate NAME --worklist FILE. Only its other columns may be taken out.",
        )
    sheet = Path(table.name).suffix.lower() in {".csv", ".tsv"}
    numbers = sheet_rows(table) if sheet else []
    for index, row in enumerate(table.rows):
        cells = {name: _text(row[names[name]], sheet=sheet) if name in names else None for name in _USED}
        yield _Row(cells, f"{table.name}, row {numbers[index]}" if sheet else table.where(index))


def _text(cell: Any, *, sheet: bool) -> str | None:
    text = as_text(cell)
    return as_key(read_back(text) if sheet and text is not None else cell)


def _check_set(row: _Row, frozen: CalibrationSet) -> None:
    found = row.cells["set"]
    if found is None:
        if frozen.design.kind == "unknown" and frozen.parent is None:
            return  # the set was frozen of plain labels, as the list was made from them
        raise row.fault(
            "set",
            f"This work list was made from plain labels, and {frozen.name!r} was not frozen of plain labels.",
            fix="Freeze these first: fiel freeze NAME --labels FILE, then fiel freeze NAME --decisions with this list.",
        )
    if found != frozen.digest:
        raise row.fault(
            "set",
            f"This work list was made from set {found[:12]}; {frozen.name!r} is {frozen.digest[:12]}.",
            fix=f"Name the set that it was made from, or list this one: fiel validate {frozen.name} --worklist FILE.",
        )


def _cell(row: _Row, known: _Known) -> tuple[str, str]:
    """The item and the criterion of a row."""
    item, criterion = row.cells["item"] or "", row.cells["criterion"] or ""
    criteria = [one.id for one in known.frozen.rubric.criteria]
    if criterion not in criteria:
        raise row.fault("criterion", f"There is no criterion {criterion!r}.", fix=f"They are: {', '.join(criteria)}.")
    if item not in known.ids:
        raise row.fault(
            "item",
            f"The set has no item {item!r}.",
            fix="Write it as it was; a spreadsheet may have changed it.",
        )
    return item, criterion


def _decision(row: _Row, cell: tuple[str, str], known: _Known, *, at: str, by: str | None) -> Adjudication:
    who = row.cells["by"] or by
    if not who:
        raise row.fault("by", "Nobody is named who decided.", fix="Fill it in, or say --by NAME for all of them.")
    criterion = known.frozen.rubric[cell[1]]
    said = Scale(criterion).read(row.cells["decision"])
    if said.kind == "off":
        near = nearest(said.text, criterion.options)
        raise row.fault(
            "decision",
            f"{said.text!r} is no option" + (f"; did you mean {near!r}?" if near else "."),
            fix=f"The options of {criterion.id} are: {', '.join(criterion.options)}.",
        )
    reason = _reason(row)
    _check_together(row, known.answers.get(cell, set()), kind=said.kind, reason=reason)
    filled = {
        "item": cell[0],
        "criterion": cell[1],
        "decision": said.text if said.kind == "option" else None,
        "by": who,
        "reason": reason or ("true split" if said.kind == "inapplicable" else None),
        "note": row.cells["note"],
    }
    (made,) = decisions_of([filled], at=at)
    own = who in known.raters.get(cell[0], set())
    if said.kind == "inapplicable":
        return msgspec.structs.replace(made, skipped="not applicable", reason=reason, own=own)
    return msgspec.structs.replace(made, own=own)


def _reason(row: _Row) -> Reason | None:
    given = spelled(row.cells["reason"])
    known: dict[str, Reason] = {reason: reason for reason in get_args(Reason)}
    if given is not None and given.casefold() not in known:
        raise row.fault(
            "reason", f"There is no reason {given!r}.", fix=f"Write one of: {', '.join(known)}; or nothing."
        )
    return known[given.casefold()] if given is not None else None


def _check_together(row: _Row, given: Collection[str], *, kind: str, reason: Reason | None) -> None:
    """Raise where decision and reason do not go together; as on the page on which raters' splits are decided."""
    if reason in _WITHOUT_ANSWER and kind != "blank":
        raise row.fault("reason", f"{reason!r} has no answer beside it.", fix="Empty the decision, or the reason.")
    if reason not in _WITHOUT_ANSWER and kind == "blank":
        raise row.fault("decision", f"{reason!r} needs a decision.", fix="Fill it in, or call it a true split.")
    if reason == "true split" and len(given) < 2:
        raise row.fault("reason", "Nobody answered otherwise: this is no split.", fix="Decide, or leave it empty.")
