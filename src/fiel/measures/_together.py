"""People and judges in one coefficient, and judges beside each other: so labelled, and never gold. Knows no bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fiel.measures._arguments import check_confidence, check_kind
from fiel.measures._columns import Columns
from fiel.measures._fitting import figure, fleiss, of_number
from fiel.measures._inputs import gather
from fiel.measures._pairs import pair
from fiel.measures._people import asked_of
from fiel.measures._results_figures import Figure
from fiel.measures._results_people import Between, Together
from fiel.measures._tables import Table, tabulate
from fiel.measures._weighing import mean, missing
from fiel.records import CalibrationSet, FielError, Judgement, Label, Rubric, Subject
from fiel.stats import Estimate, confusion_matrix, ppi_difference


def together(
    labels: Iterable[Label] | CalibrationSet,
    judges: Sequence[Iterable[Judgement] | Columns],
    *,
    rubric: Rubric | None = None,
    items: Sequence[Subject] = (),
    confidence: float = 0.95,
) -> tuple[Together, ...]:
    """Fleiss' kappa over the people, and over the people and each judge, per criterion; each says who is in it.

    A judge of another kind than people lowers or raises the coefficient for reasons that are not people's: the first
    figure is that of `people`, whatever judges there are.

    Args:
        labels: of people, or a calibration set.
        judges: for each judge its judgements, as in `validate`.
        rubric: what was asked; needed with plain labels.
        items: the frame, with its groups.
        confidence: of the intervals.

    Raises:
        FielError: as `validate`.
    """
    rubric, items = asked_of(labels, rubric, items)
    check_confidence(confidence)
    kept = labels if isinstance(labels, CalibrationSet) else list(labels)
    alone = gather((), kept, criteria=rubric.criteria, items=items)
    beside = [gather(x, kept, criteria=rubric.criteria, items=items) for x in judges]
    return tuple(
        Together(
            criterion=criterion.id,
            people=fleiss_people(tabulate(alone, criterion), confidence),
            with_judges=tuple(
                fleiss_with(tabulate(inputs, criterion), inputs.judge or "", confidence) for inputs in beside
            ),
        )
        for criterion in rubric.criteria
    )


def fleiss_people(table: Table, confidence: float) -> Figure:
    """Fleiss' kappa over the people of a table, on the items that two or more answered."""
    form = fleiss(table.criterion)
    used = table.people.counts > 1
    found = figure(form, table.people.codes[used], table.part(used), confidence=confidence) if used.any() else None
    name = f"{form.name}, people"
    if found is None:
        return of_number(name, float("nan"), n=0, reason="no item has answers of two raters")
    return Figure(name=name, value=found.value, n=found.n, estimate=found.estimate, reason=found.reason)


def fleiss_with(table: Table, judge: str, confidence: float) -> Figure:
    """Fleiss' kappa over the people and the judge of a table, on the items that the judge and a person answered."""
    form = fleiss(table.criterion)
    used = table.answered & (table.people.counts > 0)
    name = f"{form.name}, people and judge {judge}"
    if not used.any():
        return of_number(name, float("nan"), n=0, reason="no item was answered by the judge and a person")
    codes = np.column_stack([table.people.codes, table.judge.codes])[used]
    found = figure(form, codes, table.part(used), confidence=confidence)
    return Figure(name=name, value=found.value, n=found.n, estimate=found.estimate, reason=found.reason)


def between(
    judgements_a: Iterable[Judgement] | Columns,
    judgements_b: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    rubric: Rubric,
    items: Sequence[Subject] = (),
    confidence: float = 0.95,
) -> Between:
    """How two judges agree with each other on the items that both answered, and with gold; checks are left out.

    Whether one of them agrees with gold more often than the other is told on the items that both answered, by the
    paired difference: two judges of the same quality are seldom found to differ.

    Args:
        judgements_a: of one judge under one identity; judgements_b: of the other, or of another identity.
        judgements_b: see above.
        labels: of people, or a calibration set; without them the two are held against each other alone.
        rubric: what was asked.
        items: the frame, with its groups; without it, all that either judged.
        confidence: of the intervals.

    Raises:
        FielError: no judgements of one of them, or judgements that do not belong together.
    """
    check_kind("rubric", rubric, Rubric, "a Rubric")
    check_confidence(confidence)
    sides = [x if isinstance(x, Columns) else list(x) for x in (judgements_a, judgements_b)]
    kept = labels if isinstance(labels, CalibrationSet) else list(labels)
    found = [gather(x, kept, criteria=rubric.criteria, items=items) for x in sides]
    if not items:  # one frame for both
        frame = sorted(set(found[0].frame) | set(found[1].frame))
        found = [inputs.on(frame) for inputs in found]
    a, b = found
    if a.judge is None or a.identity is None or b.judge is None or b.identity is None:
        raise FielError(f"One of the judges has no judgement on rubric {rubric.id!r}.", fix="Judge the items first.")
    pairs, flips, differences = {}, {}, {}
    for criterion in rubric.criteria:
        tables = [tabulate(inputs, criterion) for inputs in (a, b)]
        codes = [np.where(table.answered, table.judge.codes, -1) for table in tables]
        part = tables[0].part(np.ones(len(a.frame), dtype=bool))
        names = (a.judge, b.judge)
        pairs[criterion.id] = pair(
            "judge-judge", names, (codes[0], codes[1]), part, criterion=criterion, confidence=confidence
        )
        counts = confusion_matrix(codes[0], codes[1], categories=len(criterion.options))
        flips[criterion.id] = tuple(tuple(int(count) for count in row) for row in counts)
        if tables[0].people.labelled.any():
            differences[criterion.id] = _difference(tables, confidence)
    return Between(
        rubric=rubric.id,
        judge_a=a.judge,
        identity_a=a.identity,
        judge_b=b.judge,
        identity_b=b.identity,
        confidence=confidence,
        criteria=pairs,
        flips=flips,
        differences=differences,
    )


def _difference(tables: Sequence[Table], confidence: float) -> Estimate:
    """Agreement of the first judge with gold minus that of the second, on the items that both answered."""
    used = tables[0].both & tables[1].both
    part = tables[0].part(used)
    if not used.any():
        return missing("no item has a gold answer and two verdicts", confidence=confidence, method="paired score")
    a, b = ((table.judge.codes == table.people.gold)[used].astype(np.float64) for table in tables)
    if part.weights is not None:
        return mean(a - b, part, bounds=(-1.0, 1.0), confidence=confidence, empty="")
    return ppi_difference(
        a,
        b,
        a,
        b,
        np.zeros(0),
        np.zeros(0),
        method="classical",
        confidence=confidence,
        clusters=part.clusters,
        clusters_unlabelled=None if part.clusters is None else np.zeros(0, dtype=np.int64),
    )
