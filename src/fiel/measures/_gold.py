"""Judge against gold as a classifier, also with what has no verdict counted as wrong. Knows no bar."""

from __future__ import annotations

import numpy as np

from fiel.measures._answers import passing_mask
from fiel.measures._fitting import of_number
from fiel.measures._results_figures import ClassScores, GoldScores
from fiel.measures._tables import Table
from fiel.measures._weighing import Codes, Flags, Floats, Part, share
from fiel.stats import ClassificationScores, Estimate, classification_scores

_NONE = "no such item"


def gold_scores(table: Table, *, confidence: float) -> GoldScores | None:
    """The scores of a table; None where no item has both a verdict and a gold answer."""
    both = table.both
    if not both.any():
        return None
    asked = table.judge.judged if table.by_check else table.judge.judged & ~table.judge.checked
    known = asked & (table.people.gold >= 0)
    gold, verdict, part = table.people.gold[known], table.judge.codes[known], table.part(known)
    passes = passing_mask(table.criterion)
    scored, positive = verdict >= 0, passes[gold]
    as_positive = scored & passes[verdict]
    hit, stopped = gold == verdict, scored & ~as_positive

    def rate(hits: Flags, of: Flags) -> Estimate:
        return share(hits[of], part.where(of), confidence=confidence, empty=_NONE)

    everything = np.ones_like(scored)
    plain = _plain(gold[scored], verdict[scored], part.where(scored), len(passes))
    return GoldScores(
        gold=table.people.rule,
        accuracy=rate(hit, scored),
        accuracy_unscored_wrong=rate(hit, everything),
        unscored=int((~scored).sum()),
        soft=_soft(table, confidence),
        tpr=rate(as_positive, scored & positive),
        tnr=rate(stopped, scored & ~positive),
        tpr_unscored_wrong=rate(as_positive, positive),
        tnr_unscored_wrong=rate(stopped, ~positive),
        balanced_accuracy=of_number("balanced accuracy", plain.balanced_accuracy, n=int(scored.sum()), reason=_NONE),
        macro_f1=of_number("macro F1", plain.macro_f1, n=int(scored.sum()), reason=_NONE),
        classes=tuple(
            ClassScores(
                option=option,
                support=int((gold[scored] == code).sum()),
                answered=int((verdict == code).sum()),
                precision=rate(hit, verdict == code),
                recall=rate(hit, scored & (gold == code)),
                specificity=rate(verdict != code, scored & (gold != code)),
                f1=of_number(
                    "F1", plain.f1[code], n=int((scored & ((gold == code) | (verdict == code))).sum()), reason=_NONE
                ),
            )
            for code, option in enumerate(table.criterion.options)
        ),
    )


def soft_hits(table: Table) -> tuple[Floats, Flags]:
    """Per item answered and labelled, the share of raters (or of the decision) that give the verdict; and which."""
    used = table.answered & (table.people.soft.sum(axis=1) > 0)
    return table.people.soft[used, table.judge.codes[used]], used


def _soft(table: Table, confidence: float) -> Estimate | None:
    if table.people.counts.max(initial=0) < 2:
        return None
    values, used = soft_hits(table)
    return share(values, table.part(used), confidence=confidence, empty=_NONE)


def _plain(gold: Codes, verdict: Codes, part: Part, options: int) -> ClassificationScores:
    """The scores without intervals, of the weighted table where there are weights."""
    copies = part.copies()
    if copies is not None:
        gold, verdict = gold[copies[0]], verdict[copies[0]]
    return classification_scores(gold, verdict, categories=options)
