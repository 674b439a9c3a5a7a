"""Where words become numbers: verdicts, beliefs and answers as arrays over one frame of items. Knows no statistic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fiel.measures._answers import Answers, answers_of, passing_mask
from fiel.measures._columns import SOURCES, STATUSES, Columns, other_options
from fiel.measures._inputs import Inputs
from fiel.measures._results_funnel import Funnel
from fiel.measures._weighing import Codes, Flags, Floats, Part
from fiel.records import Criterion, FielError, Judgement

__all__ = ["Answers", "Codes", "Flags", "Floats", "Table", "Verdicts", "passing_mask", "tabulate", "unit_values"]

CHECK = SOURCES.index("check")
_REASONS = ("abstained", "refused", "unparsed", "error", "tie between options")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a judge said of n items on a criterion with k options.

    Args:
        judged: shape (n,), it was asked, or a check decided.
        statuses: shape (n,), how each judgement ended, as a place in `STATUSES`; -1 where there is none.
        beliefs: shape (n, k), probabilities; zeros where there is no belief, which `believed`, shape (n,), tells.
        sources: shape (n,), where each belief comes from, as a place in `SOURCES`; -1 without one.
        codes: shape (n,), the verdict as a place in `options`, -1 without one.
        checked: shape (n,), with a verdict of a deterministic check.
        unscored: items judged without a verdict, by reason.
        inapplicable: items to which the criterion does not apply; they are not among the judged.
    """

    judged: Flags
    statuses: Codes
    beliefs: Floats
    believed: Flags
    sources: Codes
    codes: Codes
    checked: Flags
    unscored: dict[str, int]
    inapplicable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One criterion on n items, sorted by id.

    Args:
        criterion: what was asked; subjects: ids of the n items.
        groups: shape (n,), the cluster of each item; a lone item is a cluster of its own; None where all are alone.
        weights: shape (n,), 1 / P(drawn) of the labelled items, 1 elsewhere; None where chances were equal.
        strata: shape (n,), the stratum of each labelled item, -1 elsewhere; None where it was not stratified.
        judge: the verdicts; people: the answers.
        drawn: how many items were drawn to be labelled; set_aside: labels that do not count, by why.
    """

    criterion: Criterion
    subjects: tuple[str, ...]
    groups: Codes | None
    weights: Floats | None
    strata: Codes | None
    judge: Verdicts
    people: Answers
    drawn: int | None
    set_aside: dict[str, int]

    @property
    def probability(self) -> Floats:
        """P(passing) of the judge's belief, shape (n,); 0 where there is no belief."""
        return np.minimum(self.judge.beliefs @ passing_mask(self.criterion), 1.0)

    @property
    def answered(self) -> Flags:
        """With a verdict of the judge itself, shape (n,); with any, where checks decided every item."""
        scored: Flags = self.judge.codes >= 0
        return scored if self.by_check else scored & ~self.judge.checked

    @property
    def both(self) -> Flags:
        """Answered by the judge, and with a gold answer, shape (n,)."""
        return self.answered & (self.people.gold >= 0)

    @property
    def funnel(self) -> Funnel:
        """The denominators."""
        judge, people, both = self.judge, self.people, self.both
        return Funnel(
            items=len(self.subjects),
            judged=int(judge.judged.sum()),
            scored=int((judge.codes >= 0).sum()),
            checked=int(judge.checked.sum()),
            unscored=judge.unscored,
            inapplicable=judge.inapplicable,
            labelled=int(people.labelled.sum()),
            skipped=people.skipped,
            unresolved=int((people.labelled & (people.gold < 0)).sum()),
            both=int(both.sum()),
            drawn=self.drawn,
            two=int((people.counts > 1).sum()),
            adjudicated=int(people.adjudicated.sum()),
            agree=int((judge.codes[both] == people.gold[both]).sum()),
            set_aside=self.set_aside,
        )

    @property
    def by_check(self) -> bool:
        """Whether deterministic checks decided every item: no judge was asked, and there is no bias to correct."""
        return bool(self.judge.judged.any() and (self.judge.checked == self.judge.judged).all())

    def clusters(self, used: Flags) -> Codes | None:
        """The clusters of the items in `used`, or None where each is alone in its own."""
        if self.groups is None:
            return None
        groups = self.groups[used]
        return groups if len(np.unique(groups)) < len(groups) else None

    def part(self, used: Flags) -> Part:
        """How the items in `used` count: their clusters, and their weights where these differ."""
        return Part(clusters=self.clusters(used), weights=None if self.weights is None else self.weights[used])


def tabulate(inputs: Inputs, criterion: Criterion) -> Table:
    """The table of one criterion.

    Raises:
        FielError: a belief or an answer is not over the options of the criterion, a rater answered one item twice in
            different ways, or a labelled item has no weight in a design that has weights.
    """
    name, columns = criterion.id, inputs.columns
    people = answers_of(inputs.labels.get(name, ()), inputs.adjudications.get(name, {}), inputs.place, criterion)
    aside = dict(inputs.set_aside.get(name, {}))
    if people.dropped:
        aside["decided: no answer is right"] = people.dropped
    return Table(
        criterion=criterion,
        subjects=inputs.frame,
        groups=inputs.clusters,
        weights=_weights(inputs, people.labelled),
        strata=_strata(inputs),
        judge=_verdicts(inputs.judgements.get(name, {}), inputs.place, criterion)
        if columns is None or inputs.where is None
        else verdicts_of(columns, inputs.where, criterion, n=len(inputs.frame)),
        people=people,
        drawn=inputs.drawn,
        set_aside=aside,
    )


def unit_values(criterion: Criterion) -> Floats:
    """The options from 0 (lowest) to 1 (highest), shape (k,): by their numbers, else by their places."""
    values = option_values(criterion)
    return np.asarray((values - values.min()) / np.ptp(values), dtype=np.float64)


def option_values(criterion: Criterion) -> Floats:
    """The numbers that the options stand for, shape (k,): themselves, else their places from 0."""
    return np.array(criterion.values or range(len(criterion.options)), dtype=np.float64)


def verdicts_of(columns: Columns, places: Codes, criterion: Criterion, *, n: int) -> Verdicts:
    """The verdicts of one criterion on n items, from columns; `places` has that of each subject, -1 for none.

    Raises:
        FielError: several judgements of one item.
    """
    rows, options = columns.of(criterion), len(criterion.options)
    where = places[columns.subject[rows]]
    rows, where = rows[where >= 0], where[where >= 0]
    counts = np.bincount(where, minlength=n)
    if counts.max(initial=0) > 1:
        subject = columns.subjects[int(columns.subject[rows[np.argmax(counts[where] > 1)]])]
        raise FielError(
            f"Item {subject!r} has {counts.max()} judgements of {columns.judge!r} on {criterion.id!r}.",
            fix="Select one judgement for each item and criterion, such as replicate 0.",
        )
    status = columns.status[rows]
    statuses = np.full(n, -1, dtype=np.int64)
    statuses[where] = status
    applies = status != STATUSES.index("inapplicable")
    rows, where, status = rows[applies], where[applies], status[applies]
    judged, believed = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    codes, sources = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    beliefs = np.zeros((n, options))
    judged[where], believed[where] = True, status == 0
    codes[where], sources[where] = columns.verdict[rows], columns.source[rows]
    wide = min(options, columns.beliefs.shape[1])  # narrower where no judgement on this criterion has a belief
    beliefs[where, :wide] = columns.beliefs[rows, :wide]
    ended = Counter(dict(zip(STATUSES, np.bincount(status, minlength=len(STATUSES)).tolist(), strict=True)))
    ended["tie between options"] = int((believed & (codes < 0)).sum())
    return Verdicts(
        judged=judged,
        statuses=statuses,
        beliefs=beliefs,
        believed=believed,
        sources=sources,
        codes=codes,
        checked=(sources == CHECK) & (codes >= 0),
        unscored={reason: ended[reason] for reason in _REASONS if ended[reason]},
        inapplicable=int((~applies).sum()),
    )


def _weights(inputs: Inputs, labelled: Flags) -> Floats | None:
    if not inputs.uneven:
        return None
    weights = inputs.design.weights
    lacking = [inputs.frame[i] for i in np.flatnonzero(labelled) if inputs.frame[i] not in weights]
    if lacking:
        raise FielError(
            f"Item {lacking[0]!r} is labelled and has no weight in the design, as others have.",
            where="design",
            fix="Label what was drawn, or give every item its weight: 1 / its chance of being drawn.",
        )
    return np.fromiter((weights.get(name, 1.0) for name in inputs.frame), dtype=np.float64, count=len(inputs.frame))


def _strata(inputs: Inputs) -> Codes | None:
    design = inputs.design
    if not design.strata or not design.members:
        return None
    number = {stratum.name: i for i, stratum in enumerate(design.strata)}
    codes = (number.get(design.members.get(name, ""), -1) for name in inputs.frame)
    return np.fromiter(codes, dtype=np.int64, count=len(inputs.frame))


def _verdicts(judgements: Mapping[str, Judgement], place: Mapping[str, int], criterion: Criterion) -> Verdicts:
    n, options = len(place), criterion.options
    code = {option: i for i, option in enumerate(options)}
    judged, believed = (np.zeros(n, dtype=bool) for _ in range(2))
    codes, sources, statuses = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    beliefs = np.zeros((n, len(options)))
    rows: list[int] = []
    probs: list[tuple[float, ...]] = []
    reasons: Counter[str] = Counter()
    for subject, judgement in judgements.items():
        row, belief = place[subject], judgement.belief
        statuses[row] = STATUSES.index(judgement.status)
        if judgement.status == "inapplicable":
            reasons["inapplicable"] += 1
            continue
        judged[row] = True
        if belief is None:
            reasons[judgement.status] += 1
            continue
        if belief.options != options:
            raise other_options(judgement.judge, subject, belief.options, criterion)
        rows.append(row)
        probs.append(belief.probs)
        sources[row] = SOURCES.index(belief.source)
        verdict = judgement.verdict
        if verdict is None:
            reasons["tie between options"] += 1
            continue
        codes[row] = code[verdict]
    if rows:
        believed[rows] = True
        beliefs[rows] = np.clip(np.array(probs), 0.0, 1.0)
    return Verdicts(
        judged=judged,
        statuses=statuses,
        beliefs=beliefs,
        believed=believed,
        sources=sources,
        codes=codes,
        checked=(sources == CHECK) & (codes >= 0),
        unscored={reason: reasons[reason] for reason in _REASONS if reasons[reason]},
        inapplicable=reasons["inapplicable"],
    )
