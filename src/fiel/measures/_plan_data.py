"""What data at hand say of the truth that a plan expects. Plans nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fiel.measures._against import agreement_of
from fiel.measures._answers import passing_mask, votes_of
from fiel.measures._columns import Columns
from fiel.measures._estimate import corrected_rate, samples
from fiel.measures._inputs import gather
from fiel.measures._people import agreeing_pairs
from fiel.measures._tables import Table, tabulate
from fiel.measures._weighing import point
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Subject
from fiel.stats import cohen_kappa

FEWEST = 10  # items from which on data are believed more than a guess


def at_hand(
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet,
    *,
    criterion: Criterion | None,
    items: Sequence[Subject],
    confidence: float,
) -> tuple[dict[str, float], int, bool]:
    """What is known, by name; how many items are labelled; and whether anything is known.

    Raises:
        FielError: there are data and no criterion, or they do not belong together.
    """
    judgements = judgements if isinstance(judgements, Columns) else list(judgements)
    labels = labels if isinstance(labels, CalibrationSet) else list(labels)
    if criterion is None:
        if len(judgements) or isinstance(labels, CalibrationSet) or labels:
            raise FielError("There are data, and no criterion to plan for.", fix="Pass criterion=...")
        return {}, 0, False
    table = tabulate(gather(judgements, labels, criteria=(criterion,), items=items), criterion)
    have = int(table.people.labelled.sum())
    known = {
        **_of_rate(table, confidence),
        **_of_kappa(table, confidence),
        **_of_ceiling(table),
    }
    return known, have, bool(known)


def _of_rate(table: Table, confidence: float) -> dict[str, float]:
    parts = samples(table)
    known = {"n_unlabelled": float(len(parts.f_unlabelled))} if parts.seen else {}
    if len(parts.y) < FEWEST:
        return known
    found = corrected_rate(table, side="both", confidence=confidence)
    if found.value is not None:
        known["rate"] = min(max(found.value, 0.5 / len(parts.y)), 1 - 0.5 / len(parts.y))
    if "rho" in found.details:
        known["rho"] = max(0.0, found.details["rho"])
    return known


def _of_kappa(table: Table, confidence: float) -> dict[str, float]:
    used = table.both
    if int(used.sum()) < FEWEST:
        return {}
    gold, verdict, part = table.people.gold[used], table.judge.codes[used], table.part(used)
    found = {"prevalence": float(passing_mask(table.criterion)[gold].mean())}
    kappa = point(cohen_kappa, gold, verdict, part, categories=len(table.criterion.options))
    if not np.isnan(kappa):
        found["kappa"] = kappa
    agreement = agreement_of(table, confidence=confidence)
    if part.clusters is not None and agreement.value is not None:
        found["design_effect"] = max(1.0, int(used.sum()) / agreement.details["n_eff"])
    if not 0 < found["prevalence"] < 1:
        del found["prevalence"]
    return found


def _of_ceiling(table: Table) -> dict[str, float]:
    used = table.answered & (table.people.counts > 1)
    if int(used.sum()) < FEWEST:
        return {}
    codes, verdict = table.people.codes[used], table.judge.codes[used]
    votes = votes_of(codes, len(table.criterion.options))
    people = agreeing_pairs(codes, len(table.criterion.options))
    judge = votes[np.arange(len(votes)), verdict] / votes.sum(axis=1)
    return {
        "agreement": float(judge.mean()),
        "ceiling": float(people.mean()),
        "discordance": float(np.clip(((judge - people) ** 2).mean(), 0.5 / len(people), 1.0)),
        "raters": float(max(2, round(float((codes >= 0).sum(axis=1).mean())))),
    }
