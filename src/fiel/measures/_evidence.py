"""What to look at first when a gate does not pass: items, and what was said of them. Knows no estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fiel.measures._arguments import check_kind
from fiel.measures._columns import STATUSES, Columns
from fiel.measures._inputs import Inputs, gather
from fiel.measures._tables import Codes, Table, passing_mask, tabulate
from fiel.measures._words import escaped, share
from fiel.records import CalibrationSet, Criterion, Judgement, Label, Subject

_LONGEST = 120  # characters of a fragment or a reason


def gate_evidence(
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    criterion: Criterion,
    items: Sequence[Subject] = (),
    most: int = 5,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The items that speak most plainly against a criterion, at most `most`.

    First those that fail by gold, then those that people did not decide on and the judge believes to fail; within
    each, the lowest P(passing) first, items without a belief last.

    Args:
        judgements: of one judge under one identity, at most one for each item; the lines of `Columns` have no words of
            the judge.
        labels: of people, or a calibration set.
        criterion: what was asked.
        items: the frame; without it, all that was judged or labelled.
        most: how many items at most.

    Returns:
        Their ids, and for each a line: the id, who says that it fails, and the fragment that the judge quotes or else
        its reason, at most 120 characters, with control characters escaped.

    Raises:
        FielError: judgements that do not belong together, or answers that are no option.
    """
    check_kind("criterion", criterion, Criterion, "a Criterion")
    check_kind("most", most, int, "a whole number")
    inputs = gather(judgements, labels, criteria=(criterion,), items=items)
    table = tabulate(inputs, criterion)
    rows = _order(table)[: max(most, 0)]
    return (
        tuple(table.subjects[row] for row in rows),
        tuple(_line(table, int(row), inputs) for row in rows),
    )


def _order(table: Table) -> Codes:
    fails, doubted = _fails(table), table.judge.believed & (table.probability < 0.5) & (table.people.gold < 0)
    probability = np.where(table.judge.believed, table.probability, 2.0)
    rows = np.flatnonzero(fails | doubted)
    return rows[np.lexsort((probability[rows], ~fails[rows]))]


def _fails(table: Table) -> np.typing.NDArray[np.bool_]:
    """Which items fail by gold, shape (n,)."""
    gold = table.people.gold
    return (gold >= 0) & ~passing_mask(table.criterion)[gold]


def _line(table: Table, row: int, inputs: Inputs) -> str:
    subject, criterion = table.subjects[row], table.criterion
    people = "people say that it fails" if _fails(table)[row] else None
    text = "; ".join(part for part in (people, _judge(table, row)) if part)
    words = _words(inputs.judgements.get(criterion.id, {}).get(subject))
    return f"{escaped(subject, most=_LONGEST)}: {text}" + (f': "{words}"' if words else "")


def _judge(table: Table, row: int) -> str:
    status = int(table.judge.statuses[row])
    if status < 0:
        return "the judge was not asked"
    if not table.judge.believed[row]:
        return f"the judge gave no answer ({STATUSES[status]})"
    probability = float(table.probability[row])
    who = "a check" if table.judge.checked[row] else "the judge"
    return f"{who} {'says that it fails' if probability < 0.5 else 'lets it pass'}, P(passing) = {share(probability)}"


def _words(judgement: Judgement | None) -> str | None:
    """The judge's reason, and the fragment that it quotes, one that stands in the text first."""
    if judgement is None:
        return None
    quoted = sorted(judgement.evidence, key=lambda fragment: not fragment.found)
    fragment = f"[{quoted[0].text}]" if quoted and quoted[0].text not in (judgement.reason or "") else None
    text = " ".join(part for part in (judgement.reason, fragment) if part)
    return escaped(text, most=_LONGEST) if text else None
