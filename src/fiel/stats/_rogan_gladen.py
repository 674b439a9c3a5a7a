"""A rate from a judge whose errors were measured on labels: a diagnostic, for what it assumes."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, as_vector, check_same_length, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._quantiles import normal_quantile

_ASSUMED = "the judge's sensitivity and specificity are taken to be the same where there are no labels"


def rogan_gladen(
    y: ArrayLike, f: ArrayLike, f_unlabelled: ArrayLike, *, confidence: float = 0.95, side: Side = "both"
) -> Estimate:
    """The rate among items without labels, from the judge's verdicts there and its errors on labelled items.

    theta = (p + q0 - 1) / (q0 + q1 - 1), p the share of yes on the items without labels, q0 the specificity and q1 the
    sensitivity on the labelled ones. It takes the two to be the same in both samples, while the rate may differ: for
    labels from another population, as a diagnostic. For labels drawn at random from the items at hand `ppi_mean` is
    narrower and covers what it promises; this interval does not where errors or a class are rare.

    Args:
        y: shape (n,), labels, 0 or 1.
        f: shape (n,), the judge's verdict on the same items, 0 or 1.
        f_unlabelled: shape (N,), the judge's verdict on the items that the rate is of.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound; the other limit is then 0 or 1.

    Returns:
        Estimate with n the number of labels; None where a class has no label, or where the judge is no better than
        chance. Details: sensitivity, specificity, youden (their sum less 1), judge_mean_unlabelled, n_positive,
        n_negative, n_unlabelled, value_unclipped. Its note says what is assumed.

    Raises:
        ValueError: on lengths that differ, or values other than 0 and 1.

    Rogan and Gladen (1978); the interval of Lee et al. (2025), arXiv:2511.21140, clipped to 0..1 and widened where
    needed to hold the value.

    >>> print(rogan_gladen([1] * 20 + [0] * 20, [1] * 18 + [0] * 16 + [1] * 6, [1] * 40 + [0] * 60))
    0.17 [0.00, 0.45] n=40
    """
    upto = tail(confidence, side)
    named = (("y", y), ("f", f), ("f_unlabelled", f_unlabelled))
    labels, judge, others = (_verdicts(name, x) for name, x in named)
    check_same_length("y", labels, "f", judge)
    yes, no, n, rest = int(labels.sum()), int(len(labels) - labels.sum()), len(labels), len(others)
    details = {"n_positive": float(yes), "n_negative": float(no), "n_unlabelled": float(rest)}
    name = "rogan-gladen, lee"
    if not (yes and no and rest):
        what = "no label of one of the two classes" if rest else "no judged item without a label"
        return undefined(what, confidence=confidence, method=name, n=n, side=side, details=details)
    sensitivity, specificity = float(judge[labels == 1].mean()), 1 - float(judge[labels == 0].mean())
    share, youden = float(others.mean()), sensitivity + specificity - 1
    details |= {"sensitivity": sensitivity, "specificity": specificity, "youden": youden}
    details["judge_mean_unlabelled"] = share
    z = normal_quantile(upto)
    adjusted = _adjusted(share, rest, specificity, no, sensitivity, yes, z)
    if youden <= 0 or adjusted is None:
        reason = "the judge is no better than chance on the labels: its errors cannot be taken out"
        return undefined(reason, confidence=confidence, method=name, n=n, side=side, details=details)
    raw = (share + specificity - 1) / youden
    value = min(max(raw, 0.0), 1.0)
    details["value_unclipped"] = raw
    return Estimate(
        value=value,
        low=0.0 if side == "upper" else min(max(adjusted[0], 0.0), value),
        high=1.0 if side == "lower" else max(min(adjusted[1], 1.0), value),
        confidence=confidence,
        method=name,
        n=n,
        side=side,
        details=details,
        notes=(_ASSUMED,),
    )


def rogan_gladen_allocation(
    labels: int, *, share: float, specificity: float, sensitivity: float, pilot: int
) -> tuple[int, int]:
    """How many of `labels` to spend on items that the judge lets pass, and on others, for `rogan_gladen`.

    Args:
        labels: how many there are to spend.
        share: of yes among the judge's verdicts, between 0 and 1.
        specificity: on the pilot, from 0 to 1.
        sensitivity: on the pilot, from 0 to 1.
        pilot: labels of each class that the two were measured on.

    Returns:
        Labels of true positives, labels of true negatives.

    Raises:
        ValueError: on arguments out of range.

    Lee et al. (2025), arXiv:2511.21140: m1 = m / (1 + (1 / p - 1) sqrt(k)) with k = (r (1 - q0) + 1) / (r (1 - q1) + 1)
    for a pilot of r labels of each class.

    >>> rogan_gladen_allocation(200, share=0.4, specificity=0.7, sensitivity=0.9, pilot=10)
    (64, 136)
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, got {share!r}")
    if not (0 <= specificity <= 1 and 0 <= sensitivity <= 1):
        raise ValueError(f"specificity and sensitivity must lie from 0 to 1, got {specificity!r} and {sensitivity!r}")
    if labels < 2 or pilot < 0:
        raise ValueError(f"labels must be at least 2 and pilot at least 0, got {labels!r} and {pilot!r}")
    ratio = (pilot * (1 - specificity) + 1) / (pilot * (1 - sensitivity) + 1)
    positive = round(labels / (1 + (1 / share - 1) * math.sqrt(ratio)))
    return positive, labels - positive


def _adjusted(
    share: float, rest: int, specificity: float, no: int, sensitivity: float, yes: int, z: float
) -> tuple[float, float] | None:
    """Limits from counts with a few of each added; None where the judge is then no better than chance."""
    square = z * z
    p = (rest * share + square / 2) / (rest + square)
    q0, q1 = (no * specificity + 1) / (no + 2), (yes * sensitivity + 1) / (yes + 2)
    youden = q0 + q1 - 1
    if youden <= 0:
        return None
    theta = (p + q0 - 1) / youden
    of_q0, of_q1 = q0 * (1 - q0) / (no + 2), q1 * (1 - q1) / (yes + 2)
    shift = 2 * square * (theta * of_q1 - (1 - theta) * of_q0)
    reach = z * math.sqrt(p * (1 - p) / (rest + square) + (1 - theta) ** 2 * of_q0 + theta**2 * of_q1) / youden
    return theta + shift - reach, theta + shift + reach


def _verdicts(name: str, values: ArrayLike) -> Floats:
    array = as_vector(name, values)
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if wrong.size:
        found = f"{name} holds {float(array[wrong[0]])!r} at position {wrong[0]}"
        raise ValueError(f"{found}; give 0 or 1, for instance probability > 0.5")
    return array
