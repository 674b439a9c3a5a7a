"""A judge beside people: with gold, with each rater, and people with each other on the same items. Knows no word."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from fiel.measures._answers import codes_of, votes_of
from fiel.measures._fitting import ac, alpha, cohen, conger, figure, plain_kappa, scott
from fiel.measures._inputs import Inputs
from fiel.measures._pairs import pair
from fiel.measures._people import agreeing_pairs
from fiel.measures._results_figures import Figure, PairFigures
from fiel.measures._tables import Table
from fiel.measures._weighing import Codes, coefficient, kappa_gap, mean, share
from fiel.records import Criterion
from fiel.stats import Estimate

ENOUGH_SHARED = 10  # items that a pair of raters has in common, from which its kappa enters a mean of kappas
MOST_RATERS = 24  # beyond, pairs of raters are too many for a paired difference of kappas


class PeopleBeside(NamedTuple):
    """People with each other, and the judge beside, on the same items; all None where no item has two raters.

    Args:
        ceiling: how often two raters agree; ceiling_bound: its one-sided upper bound.
        difference: judge-with-rater minus rater-with-rater; difference_bound: its one-sided upper bound.
    """

    ceiling: Estimate | None
    ceiling_bound: Estimate | None
    difference: Estimate | None
    difference_bound: Estimate | None


class KappasBeside(NamedTuple):
    """Kappa of people with each other, and of the judge with them minus that; None where it cannot be told."""

    ceiling: Estimate | None
    difference: Estimate | None


def agreement_of(table: Table, *, confidence: float) -> Estimate:
    """The share of the items with a verdict and a gold answer on which they are equal."""
    used = table.both
    return share(
        table.judge.codes[used] == table.people.gold[used],
        table.part(used),
        confidence=confidence,
        empty="no item has both a verdict and an answer of people",
    )


def beside_people(table: Table, *, confidence: float) -> PeopleBeside:
    """The ceiling and the paired difference from it.

    On items that the judge answered, and two raters or more. Per item: the share of pairs of raters that agree, and
    the share of raters with whom the judge agrees; gold has no part in it, since a rater's own answer is in it.
    """
    used = table.answered & (table.people.counts > 1)
    if not used.any():
        return PeopleBeside(None, None, None, None)
    options, part = len(table.criterion.options), table.part(used)
    answers, verdict = table.people.codes[used], table.judge.codes[used]
    votes = votes_of(answers, options)
    people = agreeing_pairs(answers, options)
    judge = votes[np.arange(len(votes)), verdict] / votes.sum(axis=1)
    ceiling, ceiling_bound = (
        share(people, part, confidence=confidence, side=side, empty="") for side in ("both", "upper")
    )
    difference, bound = (
        mean(judge - people, part, bounds=(-1.0, 1.0), confidence=confidence, side=side, empty="")
        for side in ("both", "upper")
    )
    return PeopleBeside(ceiling, ceiling_bound, difference, bound)


def kappas_beside(table: Table, *, confidence: float) -> KappasBeside:
    """The same by the kappa that fits the scale.

    The ceiling is Conger's kappa of the people. The difference is one of means of pairwise kappas, of the pairs with
    ten items in common or more (with the most that there are, where none has so many).
    """
    used = table.answered & (table.people.counts > 1)
    if not used.any():
        return KappasBeside(None, None)
    codes, part = table.people.codes[used], table.part(used)
    present = np.flatnonzero((codes >= 0).any(axis=0))
    codes = codes[:, present]
    form = conger(table.criterion)
    ceiling = coefficient(form.statistic, codes, part, confidence=confidence, **form.options)
    given = (codes >= 0).astype(np.int32)
    common = given.T @ given
    least = min(ENOUGH_SHARED, int(np.triu(common, 1).max()))
    pairs = [(i, j) for i, j in combinations(range(len(present)), 2) if common[i, j] >= least]
    raters = sorted({i for pair_ in pairs for i in pair_})
    if len(raters) > MOST_RATERS:
        return KappasBeside(ceiling, None)
    both = np.column_stack([codes, table.judge.codes[used]])
    difference = kappa_gap(
        both,
        part,
        confidence=confidence,
        first=[(i, len(present)) for i in raters],
        second=pairs,
        **form.options,
    )
    return KappasBeside(ceiling, difference)


def coefficients(table: Table, *, is_extreme: bool, confidence: float) -> tuple[Figure, ...]:
    """Judge against gold, the one that fits the scale first; none where no item has both."""
    used, criterion = table.both, table.criterion
    if not used.any():
        return ()
    codes, part = np.stack([table.people.gold[used], table.judge.codes[used]], axis=1), table.part(used)
    forms = [cohen(criterion)]
    if forms[0].options["weights"] is not None:
        forms.append(plain_kappa(criterion))
    forms.append(alpha(criterion))
    if is_extreme:
        forms.append(ac(criterion))
    if constant_of(codes[:, 1], criterion) is not None:
        forms.append(scott(criterion))
    return tuple(figure(form, codes, part, confidence=confidence) for form in forms)


def by_rater(inputs: Inputs, table: Table, *, confidence: float) -> tuple[PairFigures, ...]:
    """The judge beside each rater."""
    verdict = np.where(table.answered, table.judge.codes, -1)
    part = table.part(np.ones(len(verdict), dtype=bool))
    return tuple(
        pair(
            "judge-human",
            (inputs.judge or "", rater),
            (verdict, table.people.codes[:, column]),
            part,
            criterion=table.criterion,
            confidence=confidence,
        )
        for column, rater in enumerate(table.people.raters)
    )


def preferred(inputs: Inputs, table: Table, *, confidence: float) -> tuple[PairFigures, ...]:
    """Judge and gold beside what users preferred; preferences are in no other figure."""
    labels = inputs.preferences.get(table.criterion.id, ())
    if not labels:
        return ()
    codes, sources, _ = codes_of(labels, inputs.place, table.criterion)
    verdict = np.where(table.answered, table.judge.codes, -1)
    part = table.part(np.ones(len(verdict), dtype=bool))
    found = []
    for column, source in enumerate(sources):
        for kind, name, own in (
            ("judge-preference", inputs.judge or "", verdict),
            ("human-preference", "gold", table.people.gold),
        ):
            names = (name, source)
            answers = (own, codes[:, column])
            found.append(pair(kind, names, answers, part, criterion=table.criterion, confidence=confidence))  # type: ignore[arg-type]  # mypy widens the literal
    return tuple(found)


def constant_of(verdicts: Codes, criterion: Criterion) -> str | None:
    """The one option among two verdicts or more, if there is only one."""
    if len(verdicts) < 2 or (verdicts != verdicts[0]).any():
        return None
    return criterion.options[int(verdicts[0])]


def disagreements(table: Table) -> tuple[str, ...]:
    """Ids of items where verdict and gold differ, by falling probability of the verdict, then by id."""
    rows = np.flatnonzero(table.both & (table.judge.codes != table.people.gold))
    surety = table.judge.beliefs[rows, table.judge.codes[rows]]
    return tuple(table.subjects[row] for row in rows[np.argsort(-surety, kind="stable")])
