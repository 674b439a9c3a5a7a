"""Errors between two vectors of numbers, and scores of yes/no or named answers. Knows no interval, no rater."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._agreement import confusion_matrix
from fiel.stats._agreement_codes import Counts
from fiel.stats._correlation import pair_of, scaled


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassificationScores:
    """How named answers stand to the truth. Tuples have one entry for each class; what is 0/0 is NaN.

    Args:
        n: items with both a truth and an answer.
        support: how often each class is the truth.
        accuracy: the share of right answers.
        balanced_accuracy: the mean recall of the classes that occur in the truth; also called macro recall.
        precision: of the answers of a class, the share that is right; NaN for a class that is never answered.
        recall: of the items of a class, the share that is found; NaN for a class that never is the truth.
        specificity: of the items of other classes, the share that is not called by this one.
        f1: 2 right / (answers + items) of a class; NaN for a class that neither occurs nor is answered.
        macro_precision: the mean of the defined precisions; NaN where there are none, as in the next two.
        macro_specificity: the mean of the defined specificities.
        macro_f1: the mean of the defined F1: over every class that occurs or is answered.
    """

    n: int
    support: tuple[int, ...]
    accuracy: float
    balanced_accuracy: float
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    specificity: tuple[float, ...]
    f1: tuple[float, ...]
    macro_precision: float
    macro_specificity: float
    macro_f1: float


def mean_absolute_error(y: ArrayLike, f: ArrayLike) -> float:
    """The mean of |f - y|, in the unit of the values.

    Args:
        y: shape (n,), the truth.
        f: shape (n,), the judge, in the same unit.

    Returns:
        Zero or more; NaN where there are no items.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Willmott and Matsuura (2005), equation 3.

    >>> mean_absolute_error([1, 2, 3], [2, 2, 1])
    1.0
    """
    first, second, exponent = scaled(*pair_of(y, f))
    return _unscaled(float(np.abs(second - first).mean()), exponent) if len(first) else math.nan


def rmse(y: ArrayLike, f: ArrayLike) -> float:
    """The root of the mean of (f - y)^2, in the unit of the values.

    Args:
        y: shape (n,), the truth.
        f: shape (n,), the judge, in the same unit.

    Returns:
        Zero or more, and at least the mean absolute error; NaN where there are no items.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Willmott and Matsuura (2005), equation 2.

    >>> round(rmse([1, 2, 3], [2, 2, 1]), 6)
    1.290994
    """
    first, second, exponent = scaled(*pair_of(y, f))
    if not len(first):
        return math.nan
    errors = second - first
    largest = float(np.abs(errors).max())
    if largest == 0:
        return 0.0
    return _unscaled(largest * math.sqrt(float(((errors / largest) ** 2).mean())), exponent)


def bias(y: ArrayLike, f: ArrayLike) -> float:
    """The mean of f - y, in the unit of the values: above 0 where the judge is too generous.

    Args:
        y: shape (n,), the truth.
        f: shape (n,), the judge, in the same unit.

    Returns:
        The signed mean error; NaN where there are no items.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Willmott and Matsuura (2005), equation 1.

    >>> bias([1, 2, 3], [2, 2, 5])
    1.0
    """
    first, second, exponent = scaled(*pair_of(y, f))
    return _unscaled(float((second - first).mean()), exponent) if len(first) else math.nan


def mcc(a: ArrayLike, b: ArrayLike, *, categories: int | None = None) -> float:
    """Matthews' correlation of two vectors of codes; for two categories, Pearson's of the 0/1 codes.

    Args:
        a: shape (items,), integer codes from 0, -1 where there is none; pairs with a -1 are left out.
        b: shape (items,), the same for the other.
        categories: the number of categories of the scale; it does not change the value.

    Returns:
        From -1 to 1; NaN where either gave one code to all (0/0), or no pair is left.

    Raises:
        ValueError: on codes that are not integers from -1 to categories - 1, or lengths that differ.

    Matthews (1975); Gorodkin (2004), equation 8, for more than two categories.

    >>> mcc([0, 0, 1, 1], [0, 1, 1, 1])
    0.5773502691896258
    """
    counts = confusion_matrix(a, b, categories=categories)
    rows, columns = ([int(x) for x in counts.sum(axis=axis)] for axis in (1, 0))
    n, agreeing = sum(rows), int(np.trace(counts))
    spread_a, spread_b = n * n - sum(x * x for x in rows), n * n - sum(x * x for x in columns)
    if not spread_a or not spread_b:
        return math.nan
    together = n * agreeing - sum(x * y for x, y in zip(rows, columns, strict=True))
    return min(max(together / math.sqrt(spread_a * spread_b), -1.0), 1.0)


def classification_scores(y: ArrayLike, f: ArrayLike, *, categories: int | None = None) -> ClassificationScores:
    """Accuracy, and precision, recall, specificity and F1 of each class, from codes of truth and answer.

    Args:
        y: shape (items,), the truth: integer codes from 0, -1 where there is none; such items are left out.
        f: shape (items,), the answers: codes from 0, -1 where there is none; such items are left out too.
        categories: the number of classes of the scale; by default as many as the highest code asks for.

    Returns:
        ClassificationScores. A ratio that is 0/0 is NaN and stays out of the macro means, never 0.

    Raises:
        ValueError: on codes that are not integers from -1 to categories - 1, or lengths that differ.

    Sokolova and Lapalme (2009), tables 2 and 3.

    >>> scores = classification_scores([0, 0, 1, 1], [0, 1, 1, 1])
    >>> scores.accuracy, scores.recall, round(scores.precision[1], 4)
    (0.75, (0.5, 1.0), 0.6667)
    """
    counts = confusion_matrix(y, f, categories=categories)
    right, truth, answers = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    n = int(truth.sum())
    precision, recall = _shares(right, answers), _shares(right, truth)
    specificity, f1 = _shares(n - truth - answers + right, n - truth), _shares(2 * right, truth + answers)
    return ClassificationScores(
        n=n,
        support=tuple(truth.tolist()),
        accuracy=int(right.sum()) / n if n else math.nan,
        balanced_accuracy=_mean_of_defined(recall),
        precision=precision,
        recall=recall,
        specificity=specificity,
        f1=f1,
        macro_precision=_mean_of_defined(precision),
        macro_specificity=_mean_of_defined(specificity),
        macro_f1=_mean_of_defined(f1),
    )


def _shares(parts: Counts, wholes: Counts) -> tuple[float, ...]:
    return tuple(
        part / whole if whole else math.nan for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True)
    )


def _mean_of_defined(shares: tuple[float, ...]) -> float:
    defined = [x for x in shares if not math.isnan(x)]
    return sum(defined) / len(defined) if defined else math.nan


def _unscaled(x: float, exponent: int) -> float:
    return float(np.ldexp(x, exponent))
