"""How far raters agree: coefficients from tables of codes. Knows no interval."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Weights = Literal["linear", "quadratic"] | ArrayLike | None
Counts = NDArray[np.int64]
Matrix = NDArray[np.float64]

_MOST_CATEGORIES = 10_000


def percent_agreement(table: ArrayLike) -> float:
    """The mean over items of the share of pairs of raters that agree.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none. Items with fewer than two
            ratings are left out.

    Returns:
        A share from 0 to 1; NaN when no item has two ratings.

    Raises:
        ValueError: when `table` does not hold two dimensions of integer codes.

    Fleiss (1971), equation 2, with the item's own number of raters.

    >>> percent_agreement([[0, 0, 1], [1, 1, -1], [2, -1, -1]])
    0.6666666666666666
    """
    codes = as_table(table)
    ratings = (codes >= 0).sum(axis=1)
    codes, ratings = codes[ratings > 1], ratings[ratings > 1]
    if not len(codes):
        return float("nan")
    agreeing = np.zeros(len(codes), dtype=np.int64)
    for code in np.unique(codes[codes >= 0]):
        votes = (codes == code).sum(axis=1)
        agreeing += votes * (votes - 1)
    return float((agreeing / (ratings * (ratings - 1))).mean())


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
    first, second = as_codes("a", a), as_codes("b", b)
    if len(first) != len(second):
        raise ValueError(f"a has {len(first)} codes and b has {len(second)}; give both for the same items")
    count = count_categories(categories, a=first, b=second)
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(first[both] * count + second[both], minlength=count * count)
    return cells.reshape(count, count).astype(np.int64)


def cohen_kappa(a: ArrayLike, b: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Cohen's kappa of two raters, weighted where `weights` says so.

    Args:
        a: shape (items,), integer codes from 0, -1 where the rater gave none; pairs with a -1 are left out.
        b: shape (items,), the same for the other rater.
        weights: None (only equal codes agree), "linear", "quadratic", or a matrix of agreement from 0 to 1 with ones
            on its diagonal.
        categories: the number of categories of the scale. Declare it for weighted kappa: the distance of two codes is
            theirs on the whole scale, used or not.

    Returns:
        From below 0 to 1; exactly 0 when one rater gave one code to all; NaN when both gave the same one to all
        (chance agrees always, 0/0), or no pair is left.

    Raises:
        ValueError: on codes that are not integers from -1 to categories - 1, more than 10,000 categories, or weights
            of another shape.

    Cohen (1960); Cohen (1968) with weights.

    >>> round(cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.5
    """
    counts = confusion_matrix(a, b, categories=categories)
    return kappa_of(counts, 1 - agreement_weights(weights, len(counts)))


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


def agreement_weights(weights: Weights, categories: int) -> Matrix:
    """The matrix of agreement between codes: 1 on the diagonal, down to 0."""
    if weights is None:
        return np.eye(categories)
    if isinstance(weights, str):
        powers = {"linear": 1, "quadratic": 2}
        if weights not in powers:
            raise ValueError(f'weights must be None, "linear", "quadratic" or a matrix, got {weights!r}')
        steps = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories)))
        return np.asarray(1 - (steps / max(categories - 1, 1)) ** powers[weights], dtype=np.float64)
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (categories, categories):
        raise ValueError(f"weights has shape {matrix.shape} for {categories} categories; declare categories=")
    if not ((matrix >= 0) & (matrix <= 1)).all() or (np.diag(matrix) != 1).any():
        raise ValueError("weights must be agreement from 0 to 1 with ones on the diagonal; divide by the largest")
    return matrix


def as_table(table: ArrayLike) -> NDArray[np.int64]:
    """`table` as an items x raters array of codes; ValueError says what is wrong with it."""
    array = _array("table", table)
    if array.ndim != 2:
        raise ValueError(f"table must be items x raters, got shape {array.shape}")
    return _integers("table", array)


def as_codes(name: str, codes: ArrayLike) -> NDArray[np.int64]:
    """`codes` as a one-dimensional array of integers from -1; ValueError names the argument and the fix."""
    array = _array(name, codes)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}; give one code for each item")
    return _integers(name, array)


def count_categories(categories: int | None, **codes: NDArray[np.int64]) -> int:
    """The declared number of categories, checked against the named `codes`, or as many as the codes ask for."""
    used, name = max(((int(x.max()) + 1, name) for name, x in codes.items() if x.size), default=(0, ""))
    if used > _MOST_CATEGORIES:
        raise ValueError(
            f"{name} holds the code {used - 1}; of at most {_MOST_CATEGORIES:,} categories, number those in use from 0"
        )
    if categories is None:
        return used
    if not isinstance(categories, Integral) or not 0 <= categories <= _MOST_CATEGORIES:
        raise ValueError(f"categories must be a whole number from 0 to {_MOST_CATEGORIES:,}, got {categories!r}")
    if categories < used:
        raise ValueError(f"categories={categories}, but code {used - 1} occurs; declare the whole scale")
    return int(categories)


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must hold one code in each cell, and rows of one length") from error


def _integers(name: str, array: NDArray[Any]) -> NDArray[np.int64]:
    if array.dtype.kind not in "bui" and array.size:
        raise ValueError(f"{name} must hold integer codes from 0 (-1 for missing), got {array.dtype}")
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds the code {array.max()}, which is beyond 64 bits; number the categories from 0")
    codes = array.astype(np.int64)
    if codes.size and codes.min() < -1:
        raise ValueError(f"{name} holds the code {codes.min()}; codes start at 0, and -1 stands for missing")
    return codes
