"""A line for each person: how much, how fast, how much like the others and like before. Knows no judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

import numpy as np

from fiel.measures._answers import votes_of
from fiel.measures._inputs import Inputs
from fiel.measures._results_people import RaterFigures
from fiel.measures._tables import Table
from fiel.measures._weighing import Part, share
from fiel.records import Label
from fiel.stats import Estimate


def rater_lines(inputs: Inputs, table: Table, part: Part, *, confidence: float) -> tuple[RaterFigures, ...]:
    """The raters of one criterion, sorted; those who skipped everything too."""
    given: defaultdict[str, list[Label]] = defaultdict(list)
    for label in inputs.labels.get(table.criterion.id, ()):
        given[label.rater].append(label)
    again: defaultdict[str, list[Label]] = defaultdict(list)
    for label in inputs.repeats.get(table.criterion.id, ()):
        again[label.rater].append(label)
    column = {rater: i for i, rater in enumerate(table.people.raters)}
    lines = []
    for rater in sorted(given):
        labels = given[rater]
        shown = len({label.subject for label in labels})
        answered = {label.subject for label in labels if label.answer is not None}
        flagged = len({label.subject for label in labels if label.flag})
        seconds = [label.seconds for label in labels if label.seconds is not None]
        lines.append(
            RaterFigures(
                rater=rater,
                n=len(answered),
                skipped=shown - len(answered),
                flagged=flagged,
                skip_rate=(shown - len(answered)) / shown,
                flag_rate=flagged / shown,
                seconds=median(seconds) if seconds else None,
                leave_one_out=_with_others(table, part, column[rater], confidence) if rater in column else None,
                self_consistency=_with_self(inputs, labels, again[rater], confidence),
            )
        )
    return tuple(lines)


def _with_others(table: Table, part: Part, column: int, confidence: float) -> Estimate | None:
    """Agreement with the answer that most of the others gave, where they have one."""
    codes = table.people.codes
    votes = votes_of(np.delete(codes, column, axis=1), len(table.criterion.options))
    most = votes.max(axis=1, keepdims=True)
    settled = ((votes == most).sum(axis=1) == 1) & (most[:, 0] > 0)
    used = settled & (codes[:, column] >= 0)
    if not used.any():
        return None
    hits = votes.argmax(axis=1)[used] == codes[used, column]
    return share(hits, part.where(used), confidence=confidence, empty="")


def _with_self(inputs: Inputs, labels: Sequence[Label], again: Sequence[Label], confidence: float) -> Estimate | None:
    """Agreement with the rater's own first answers on hidden repeats; several of one item are a cluster."""
    first = {label.subject: label.answer for label in labels if label.answer is not None}
    both = [label for label in again if label.answer is not None and label.subject in first]
    if not both:
        return None
    hits = np.array([label.answer == first[label.subject] for label in both])
    group = [inputs.groups[inputs.place[label.subject]] or f"\0{label.subject}" for label in both]
    clusters = np.unique(group, return_inverse=True)[1]
    alone = len(np.unique(clusters)) == len(clusters)
    part = Part(clusters=None if alone else clusters, weights=None)
    return share(hits, part, confidence=confidence, empty="")
