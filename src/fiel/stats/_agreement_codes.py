"""Turns what callers pass into codes, scales and weights, or says what is wrong with it. Knows no coefficient."""

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Weights = Literal["linear", "quadratic", "ordinal"] | ArrayLike | None
Counts = NDArray[np.int64]
Matrix = NDArray[np.float64]
Codes = NDArray[Any]  # integers of any width
Span = tuple[int, int]  # the lowest and the highest code

_MOST_CATEGORIES = 10_000
_BLOCK = 1 << 17
_NARROW = 128


def as_table(table: ArrayLike) -> NDArray[np.int64]:
    """`table` as an items x raters array of codes; ValueError says what is wrong with it."""
    return as_small_table(table).astype(np.int64)


def as_small_table(table: ArrayLike) -> Codes:
    """The same in the fewest bytes: without a copy where `table` holds bytes, one byte each where all codes fit."""
    array = _array("table", table)
    if array.ndim != 2:
        raise ValueError(f"table must be items x raters, got shape {array.shape}")
    return _checked("table", array)[0]


def as_codes(name: str, codes: ArrayLike) -> Codes:
    """`codes` as a one-dimensional array of integers from -1; ValueError names the argument and the fix."""
    return _one_rater(name, codes)[0]


class CodePair(NamedTuple):
    """The codes of two raters for the same items, the number of categories, and whether none is missing."""

    first: Codes
    second: Codes
    categories: int
    complete: bool


def as_pair(a: ArrayLike, b: ArrayLike, categories: int | None) -> CodePair:
    """The codes of two raters for the same items; ValueError says what is wrong with them."""
    (first, of_first), (second, of_second) = _one_rater("a", a), _one_rater("b", b)
    if len(first) != len(second):
        raise ValueError(f"a has {len(first)} codes and b has {len(second)}; give both for the same items")
    count = _declared(categories, _MOST_CATEGORIES, {"a": of_first[1], "b": of_second[1]})
    return CodePair(first, second, count, min(of_first[0], of_second[0]) >= 0)


def count_categories(categories: int | None, *, most: int = _MOST_CATEGORIES, **codes: Codes) -> int:
    """The declared number of categories, checked against the named `codes`, or as many as the codes ask for."""
    return _declared(categories, most, {name: int(x.max()) if x.size else -1 for name, x in codes.items()})


def _declared(categories: int | None, most: int, highest: dict[str, int]) -> int:
    used, name = max((code + 1, name) for name, code in highest.items())
    if used > most:
        raise ValueError(
            f"{name} holds the code {used - 1}; of at most {most:,} categories, number those in use from 0"
        )
    if categories is None:
        return used
    if not isinstance(categories, Integral) or not 0 <= categories <= most:
        raise ValueError(f"categories must be a whole number from 0 to {most:,}, got {categories!r}")
    if categories < used:
        raise ValueError(f"categories={categories}, but code {used - 1} occurs; declare the whole scale")
    return int(categories)


def agreement_weights(weights: Weights, categories: int) -> Matrix:
    """The matrix of agreement between codes: 1 on the diagonal, down to 0."""
    if weights is None:
        return np.eye(categories)
    if isinstance(weights, str):
        if weights not in ("linear", "quadratic", "ordinal"):
            raise ValueError(f'weights must be None, "linear", "quadratic", "ordinal" or a matrix, got {weights!r}')
        steps = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(np.float64)
        if weights == "ordinal":  # the pairs of categories that the two codes span
            steps = steps * (steps + 1)
        share = steps / max(steps.max(initial=0.0), 1.0)
        return np.asarray(1 - (share**2 if weights == "quadratic" else share), dtype=np.float64)
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (categories, categories):
        raise ValueError(f"weights has shape {matrix.shape} for {categories} categories; declare categories=")
    if not ((matrix >= 0) & (matrix <= 1)).all() or (np.diag(matrix) != 1).any():
        raise ValueError("weights must be agreement from 0 to 1 with ones on the diagonal; divide by the largest")
    return matrix


def _one_rater(name: str, codes: ArrayLike) -> tuple[Codes, Span]:
    array = _array(name, codes)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}; give one code for each item")
    return _checked(name, array)


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must hold one code in each cell, and rows of one length") from error


def _checked(name: str, array: NDArray[Any]) -> tuple[Codes, Span]:
    """Codes from -1 on, in one byte each where they fit, and their span."""
    if not array.size:
        return array.astype(np.int64), (0, -1)
    if array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.dtype.kind not in "ui":
        raise ValueError(f"{name} must hold integer codes from 0 (-1 for missing), got {array.dtype}")
    if array.dtype.itemsize > 1 and (narrow := _narrowed(array)) is not None:
        return narrow, _span(narrow)
    lowest, highest = span = _span(array)
    if highest > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds the code {highest}, which is beyond 64 bits; number the categories from 0")
    if lowest < -1:
        raise ValueError(f"{name} holds the code {lowest}; codes start at 0, and -1 stands for missing")
    return array, span


def _span(array: Codes) -> Span:
    """The lowest and the highest code; 0 and -1 where there is none."""
    if not array.size:
        return 0, -1
    if array.dtype == np.int8:
        highest = int(array.view(np.uint8).max())  # a code below 0 is 128 or more here: mostly one pass is enough
        if highest < _NARROW:
            return 0, highest
    return int(array.min()), int(array.max())


def _narrowed(array: NDArray[Any]) -> NDArray[np.int8] | None:
    """Codes below 128 in one byte each, by blocks that stay in the cache; None where one does not fit."""
    narrow = np.empty(array.shape, dtype=np.int8)
    step = max(1, _BLOCK // max(1, array[0].size))
    for start in range(0, len(array), step):
        block = array[start : start + step]
        bits = int(np.bitwise_or.reduce(block, axis=None))  # no sign and no high bit: one pass instead of two
        if bits >= _NARROW or (bits < 0 and (block.min() < -1 or block.max() >= _NARROW)):
            return None
        narrow[start : start + step] = block
    return narrow
