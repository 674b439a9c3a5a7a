"""How far two raters agree: coefficients from codes for the same items. Knows no interval."""

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._agreement_codes import (
    CodePair,
    Codes,
    Counts,
    Matrix,
    Weights,
    agreement_weights,
    as_pair,
    as_small_table,
    as_table,
    count_categories,
)
from fiel.stats._agreement_sums import Coefficient, Pi, Pooled, Rows
from fiel.stats._patterns import count_cells, count_margins, tally

__all__ = [
    "Counts",
    "agreeing_pairs",
    "as_table",
    "bias_index",
    "cohen_kappa",
    "confusion_matrix",
    "kappa_max",
    "kappa_of",
    "percent_agreement",
    "prevalence_index",
    "scott_pi",
    "total_of",
]

_FEW = 64  # categories up to which patterns of codes are fewer than items, as a rule
_BY_MARGINS = 8  # categories up to which two equal codes are found by comparing them
_NARROW = 1_000  # categories up to which a pass over all cells is worth its memory


def percent_agreement(table: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """The mean over items of the share of pairs of raters that agree.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none. Items with fewer than two
            ratings are left out.
        weights: None (only equal codes agree), or partial agreement as in `cohen_kappa`.
        categories: the number of categories of the scale; it matters with weights alone.

    Returns:
        A share from 0 to 1; NaN when no item has two ratings.

    Raises:
        ValueError: when `table` does not hold two dimensions of integer codes, or on weights of another shape.

    Fleiss (1971), equation 2, with the item's own number of raters.

    >>> percent_agreement([[0, 0, 1], [1, 1, -1], [2, -1, -1]])
    0.6666666666666666
    """
    codes = as_small_table(table)
    count = count_categories(categories, table=codes)
    if weights is None and count > _FEW:
        ratings = (codes >= 0).sum(axis=1)
        paired = ratings > 1
        shares = agreeing_pairs(codes[paired]) / (ratings[paired] * (ratings[paired] - 1))
        return float(shares.mean()) if len(shares) else float("nan")
    patterns = tally(codes, count, order="any")
    form = Pooled(agreement_weights(weights, count))
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def confusion_matrix(a: ArrayLike, b: ArrayLike, *, categories: int | None = None) -> Counts:
    """How often rater `a` said i where rater `b` said j.

    Args:
        a: shape (items,), integer codes from 0, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.
        categories: the number of categories of the scale; by default as many as the highest code asks for.

    Returns:
        Counts of shape (categories, categories), rows for `a`, columns for `b`.

    Raises:
        ValueError: on codes that are not integers from -1 to categories - 1, more than 10,000 categories, or lengths
            that differ.

    >>> confusion_matrix([0, 0, 1, -1], [0, 1, 1, 1]).tolist()
    [[1, 1], [0, 1]]
    """
    return _cells_of(as_pair(a, b, categories))


def _cells_of(pair: CodePair) -> Counts:
    """The confusion matrix of codes that were checked."""
    first, second, count, complete = pair
    if count <= _NARROW:
        return count_cells([first, second], count, complete=complete).reshape(count + 1, count + 1)[1:, 1:]
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(first[both].astype(np.int64) * count + second[both], minlength=count * count)
    return cells.reshape(count, count).astype(np.int64)


def cohen_kappa(a: ArrayLike, b: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Cohen's kappa of two raters, weighted where `weights` says so.

    Args:
        a: shape (items,), integer codes from 0, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.
        weights: None (only equal codes agree), "linear", "quadratic", "ordinal" (by the pairs of categories that two
            codes span), or a matrix of agreement from 0 to 1 with ones on its diagonal.
        categories: the number of categories of the scale. Declare it for weighted kappa: the distance of two codes is
            theirs on the whole scale, used or not.

    Returns:
        From below 0 to 1; exactly 0 when one rater gave one code to all; NaN when both gave the same one to all
        (chance agrees always, 0/0), or no pair is left.

    Raises:
        ValueError: on codes that are not integers from -1 to categories - 1, more than 10,000 categories, or weights
            of another shape.

    Cohen (1960); Cohen (1968) with weights; Gwet (2014), section 3.5, for the ordinal ones.

    >>> round(cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.5
    """
    pair = as_pair(a, b, categories)
    if weights is None and 2 < pair.categories <= _BY_MARGINS and pair.complete and len(pair.first):
        return _from_margins(*count_margins(pair.first, pair.second, pair.categories))
    return kappa_of(_cells_of(pair), 1 - agreement_weights(weights, pair.categories))


def _from_margins(equal: int, rows: Counts, columns: Counts) -> float:
    """Kappa of complete pairs, as `kappa_of`."""
    total = int(rows.sum())
    differing = total * total - int(rows @ columns)
    if differing == 0:
        return float("nan")
    if np.count_nonzero(rows) == 1 or np.count_nonzero(columns) == 1:
        return 0.0
    return 1 - (total - equal) * total / differing


def scott_pi(a: ArrayLike, b: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Scott's pi of two raters: as kappa, with chance from the votes of both together.

    Args:
        a: shape (items,), integer codes from 0, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale; declare it for weights.

    Returns:
        From below 0 to 1; NaN when both gave the same code to all (0/0), or no pair is left.

    Raises:
        ValueError: as in `cohen_kappa`.

    Scott (1955). For complete pairs it is `fleiss_kappa` of the two.

    >>> round(scott_pi([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.466667
    """
    counts = confusion_matrix(a, b, categories=categories)
    distance = 1 - agreement_weights(weights, len(counts))
    votes = (counts.sum(axis=0) + counts.sum(axis=1)).astype(np.float64)
    return float(Pi(distance).value(np.concatenate([[float((counts * distance).sum())], votes])))


def kappa_max(a: ArrayLike, b: ArrayLike, *, categories: int | None = None) -> float:
    """The highest kappa that two raters with these shares of the categories could reach.

    Args:
        a: shape (items,), integer codes from 0, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.
        categories: the number of categories of the scale.

    Returns:
        From 0 to 1; NaN where kappa is 0/0.

    Raises:
        ValueError: as in `cohen_kappa`.

    Cohen (1960), equation 5.

    >>> round(kappa_max([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.5
    """
    counts = confusion_matrix(a, b, categories=categories)
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    if not total:
        return float("nan")
    chance = float(rows @ columns) / float(total) ** 2
    highest = float(np.minimum(rows, columns).sum()) / float(total)
    return (highest - chance) / (1 - chance) if chance < 1 else float("nan")


def prevalence_index(a: ArrayLike, b: ArrayLike) -> float:
    """How far the two categories differ in size: |both said 0 - both said 1| / n.

    Args:
        a: shape (items,), codes 0 and 1, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.

    Returns:
        From 0 to 1; kappa falls as it rises, at the same agreement. NaN when no pair is left.

    Raises:
        ValueError: on codes other than -1, 0 and 1: with more categories the index is not defined.

    Byrt, Bishop and Carlin (1993).

    >>> prevalence_index([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    counts = confusion_matrix(a, b, categories=2)
    total = int(counts.sum())
    return abs(int(counts[0, 0]) - int(counts[1, 1])) / total if total else float("nan")


def bias_index(a: ArrayLike, b: ArrayLike) -> float:
    """How far the two raters differ in how often they say 1: |only a said 1 - only b said 1| / n.

    Args:
        a: shape (items,), codes 0 and 1, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.

    Returns:
        From 0 to 1; NaN when no pair is left.

    Raises:
        ValueError: on codes other than -1, 0 and 1: with more categories the index is not defined.

    Byrt, Bishop and Carlin (1993).

    >>> bias_index([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    counts = confusion_matrix(a, b, categories=2)
    total = int(counts.sum())
    return abs(int(counts[0, 1]) - int(counts[1, 0])) / total if total else float("nan")


def kappa_of(counts: Counts, distance: Matrix) -> float:
    """Kappa of a table of counts, with 0 for no disagreement in `distance`; NaN where it is 0/0."""
    total = counts.sum()
    if not total:
        return float("nan")
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    expected = float(rows @ distance @ columns) / float(total)
    if expected == 0:
        return float("nan")
    if np.count_nonzero(rows) == 1 or np.count_nonzero(columns) == 1:
        return 0.0
    return 1 - float((counts * distance).sum()) / expected


def agreeing_pairs(codes: Codes) -> Matrix:
    """How many ordered pairs of ratings of each item agree, without a matrix of the categories."""
    items, _ = np.nonzero(codes >= 0)
    span = int(codes.max(initial=0)) + 1
    keys, times = np.unique(items * np.int64(span) + codes[codes >= 0], return_counts=True)
    pairs: Matrix = np.bincount(keys // span, weights=times * (times - 1.0), minlength=len(codes)).astype(np.float64)
    return pairs


def total_of(form: Coefficient, rows: Rows, counts: Counts) -> np.ndarray:
    """The sums over items that a coefficient is a function of, from distinct rows and their counts."""
    sums = np.zeros(form.width)
    step = max(1, 4_000_000 // max(form.width, 1))
    for start in range(0, len(rows), step):
        sums += counts[start : start + step] @ form.features(rows[start : start + step])
    return sums
