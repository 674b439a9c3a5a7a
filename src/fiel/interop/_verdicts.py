"""What judges said, from a tidy table to judgements. Knows no label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from fiel.interop._answers import Scale, number, says_not_applicable, spelled
from fiel.interop._beliefs import Origin, belief_of
from fiel.interop._columns import Columns, cell_of, columns_of_judges, fault, key_of, place_of
from fiel.interop._notes import Tally
from fiel.interop._people import no_criterion
from fiel.records import Distribution, FielError, Item, Judgement, Status, digest
from fiel.store.tables import Table, as_text

JUDGE = "judge"  # where no column says who

_FAILURES: dict[str, Status] = {
    "abstained": "abstained",
    "abstain": "abstained",
    "refused": "refused",
    "refusal": "refused",
    "error": "error",
    "failed": "error",
}


class Said(NamedTuple):
    """One row: where it stands, and what it says."""

    at: int
    item: str
    criterion: str
    judge: str
    cell: Any
    status: str
    sample: int
    order: Literal["ab", "ba"] | None
    probs: Any
    reason: str | None


class Reading(NamedTuple):
    """How cells are read, beside the scale: part of what was imported, as the cells themselves are."""

    probs_from: Origin = "stated"
    not_applicable: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


def judge_rows(table: Table, *, criterion: str | None) -> list[Said]:
    """The rows of a table of judges' verdicts; as `people_rows`.

    Raises:
        FielError: a needed column is missing, a name is empty, a sample is no number, an order is neither ab nor ba;
            with file, row and column.
    """
    if not table.rows:
        return []
    columns = columns_of_judges(table)
    if columns.criterion is None and criterion is None:
        raise no_criterion(table)
    return [_row(table, index, columns, criterion or "") for index in range(len(table.rows))]


def contents(rows: Collection[Said], reading: Reading) -> dict[str, str]:
    """By judge, the digest of everything that was imported of it, in whatever order the rows stand."""
    cells: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for said in rows:
        cells[said.judge].append(
            (
                *(said.item, said.criterion, str(said.sample), said.order or "", spelled(said.cell) or ""),
                *(as_text(said.probs) or "", said.status, said.reason or ""),
            )
        )
    return {judge: digest((judge, sorted(mine), reading)) for judge, mine in cells.items()}


def judgements_of(
    table: Table,
    rows: Sequence[Said],
    scales: Mapping[str, Scale],
    *,
    items: Mapping[str, Item],
    identities: Mapping[str, str],
    source: Origin,
) -> tuple[dict[str, list[Judgement]], list[str]]:
    """The judgements by judge, and what is to be said of them.

    Args:
        table: of the rows.
        rows: as `judge_rows` gives them.
        scales: by criterion.
        items: by id.
        identities: of the judges, by name.
        source: where probabilities come from.

    Raises:
        FielError: two rows on one cell differ, or probabilities that are none; with file and row.
    """
    first: dict[str, int] = {}
    for said in rows:
        first[said.judge] = min(said.sample, first.get(said.judge, said.sample))
    beliefs: dict[tuple[str, str], Distribution] = {}
    off, silent, twice = Tally(), Tally(), 0
    cells: dict[tuple[str, str, str, int, str | None], tuple[Judgement, int]] = {}
    for said in rows:
        scale = scales[said.criterion]
        made = _read(table, said, scale, beliefs, source)
        judgement = Judgement(
            subject=said.item,
            subject_digest=items[said.item].digest,
            criterion=said.criterion,
            criterion_digest=scale.criterion.digest,
            judge=said.judge,
            identity=identities[said.judge],
            status=made.status,
            belief=made.belief,
            written=made.written,
            reason=made.reason,
            replicate=said.sample - first[said.judge],
            order=said.order,
        )
        key = (said.judge, said.item, said.criterion, said.sample, said.order)
        before = cells.setdefault(key, (judgement, said.at))
        if before[1] != said.at:
            if not _alike(before[0], judgement):
                raise _twice(table, said, before[1])
            twice += 1
            continue
        if made.status == "unparsed":
            where = place_of(table, said.at)
            silent.add(said.judge, where) if made.off is None else off.add(f"{said.criterion} {made.off!r}", where)
    notes = []
    if off.count:
        notes.append(f"verdicts of judges off the scale, counted as unparsed: {off.count}; {off}")
    if silent.count:
        notes.append(f"rows of judges without a verdict, counted as unparsed: {silent.count}; {silent}")
    if twice:
        notes.append(f"rows of judges that say what an earlier row says, left out: {twice}")
    found: dict[str, list[Judgement]] = {name: [] for name in identities}
    for judgement, _ in cells.values():
        found[judgement.judge].append(judgement)
    return found, notes


class _Made(NamedTuple):
    """How a row ended."""

    status: Status
    belief: Distribution | None = None
    written: str | None = None
    reason: str | None = None
    off: str | None = None


def _read(
    table: Table, said: Said, scale: Scale, beliefs: dict[tuple[str, str], Distribution], source: Origin
) -> _Made:
    answer = scale.read(said.cell)
    if answer.kind == "off":
        return _Made("unparsed", reason=f"off the scale: {answer.text}", off=answer.text)
    if answer.kind == "inapplicable" or (answer.kind == "blank" and says_not_applicable(said.status)):
        return _Made("inapplicable", reason=said.reason)
    written = answer.text if answer.kind == "option" else None
    if as_text(said.probs):
        try:
            belief = belief_of(said.probs, scale, source=source)
        except FielError as error:
            column = columns_of_judges(table).probs
            raise fault(table, said.at, column, error.what, fix=error.fix or "Mend the cell.") from error
        if belief is None:
            return _Made("unparsed", written=written, reason="no probability on the scale")
        return _Made("ok", belief=belief, written=written, reason=said.reason)
    if written is None:
        status = _FAILURES.get(said.status.casefold(), "unparsed")
        return _Made(status, reason=said.reason or ("no verdict" if status == "unparsed" else None))
    key = (said.criterion, written)
    if key not in beliefs:
        beliefs[key] = Distribution.point(written, scale.criterion.options)
    return _Made("ok", belief=beliefs[key], written=written, reason=said.reason)


def _row(table: Table, index: int, columns: Columns, criterion: str) -> Said:
    reason = as_text(cell_of(table, index, columns.reason))
    return Said(
        at=index,
        item=key_of(table, index, columns.item, otherwise=""),
        criterion=key_of(table, index, columns.criterion, otherwise=criterion),
        judge=key_of(table, index, columns.who, otherwise=JUDGE),
        cell=cell_of(table, index, columns.answer),
        status=spelled(cell_of(table, index, columns.status)) or "",
        sample=_sample(table, index, columns.sample),
        order=_order(table, index, columns.order),
        probs=cell_of(table, index, columns.probs),
        reason=reason or None,
    )


def _sample(table: Table, index: int, column: str | None) -> int:
    text = spelled(cell_of(table, index, column))
    if text is None:
        return 0
    value = number(text)
    if value is None or not value.is_integer() or not 0 <= value < 2**31:
        raise fault(table, index, column, f"The sample is {text!r}.", fix="Number the samples 0, 1, 2, ...")
    return int(value)


def _order(table: Table, index: int, column: str | None) -> Literal["ab", "ba"] | None:
    text = (spelled(cell_of(table, index, column)) or "").casefold()
    if text in {"", "ab", "ba"}:
        return None if not text else "ab" if text == "ab" else "ba"
    raise fault(table, index, column, f"The order is {text!r}.", fix="Write ab or ba, or leave the cell empty.")


def _alike(one: Judgement, other: Judgement) -> bool:
    return (one.status, one.belief, one.written) == (other.status, other.belief, other.written)


def _twice(table: Table, said: Said, before: int) -> FielError:
    return FielError(
        f"Judge {said.judge!r} judged {said.criterion!r} of item {said.item!r} twice and differently.",
        where=f"{table.where(before)}, and {table.unit} {table.places[said.at]}",
        fix="Keep the row that stands; or number reruns in a column sample_idx, and say in order how a pair was shown.",
    )
