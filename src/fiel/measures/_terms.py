"""Where the width of a corrected rate comes from, and what more labels would do. Computes no interval."""

from __future__ import annotations

import math

from fiel.measures._estimate import Samples
from fiel.measures._results_rates import VarianceTerms
from fiel.measures._words import counted, share
from fiel.stats import Estimate

_STEP, _MANY = 50, 500  # labels that are spoken of, and from how many labels on it is a quarter more


def terms_of(estimate: Estimate, parts: Samples) -> VarianceTerms | None:
    """The two terms of the variance and the sentence; None where there is no estimate.

    The width that is spoken of is the present one, with the labels' term shrunk by n / (n + more) and the other as it
    is: rates, correlation and method are taken to stay what they are.
    """
    details = estimate.details
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    labels, judge = details.get("variance_labels", 0.0), details.get("variance_judge", 0.0)
    if labels + judge <= 0:
        return None
    width, n = estimate.high - estimate.low, len(parts.y)
    if judge > labels:
        sentence = "Judged items dominate: more labels would narrow the interval little; judging more items would."
        return VarianceTerms(
            labels=labels, judge=judge, dominates="judged items", more=None, width=None, sentence=sentence
        )
    more = _STEP if n < _MANY else _STEP * round(n / 4 / _STEP)
    then = width * math.sqrt((labels * n / (n + more) + judge) / (labels + judge))
    sentence = (
        f"Labels dominate: about {counted(more, 'more label', 'more labels')} would narrow the interval from "
        f"{share(width)} to about {share(then, apart_from=(width,))}."
    )
    return VarianceTerms(labels=labels, judge=judge, dominates="labels", more=more, width=then, sentence=sentence)
