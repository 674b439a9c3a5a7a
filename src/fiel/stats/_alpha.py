"""Krippendorff's alpha: any number of raters, ratings missing, and four scales. Knows no interval."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._agreement import agreeing_pairs, total_of
from fiel.stats._agreement_codes import Codes, Matrix, as_small_table, count_categories
from fiel.stats._agreement_sums import Coefficient, Floats
from fiel.stats._alpha_sums import FixedAlpha, IntervalAlpha, OrdinalAlpha, alpha_of, interval_features, spread_of
from fiel.stats._checks import as_vector
from fiel.stats._patterns import tally

Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_SCALES = ("nominal", "ordinal", "interval", "ratio")
FEW = 64  # categories up to which patterns of codes are fewer than items, as a rule
_MANY = 1_000  # categories up to which a matrix of differences is worth its memory
_MOST = 1 << 31
_BLOCK = 1 << 16


def krippendorff_alpha(
    table: ArrayLike,
    *,
    scale: Scale | ArrayLike = "nominal",
    values: ArrayLike | None = None,
    categories: int | None = None,
) -> float:
    """Krippendorff's alpha.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none. Items with fewer than two
            ratings are left out.
        scale: what a difference is: "nominal" (all alike), "ordinal" (of ranks among all ratings), "interval"
            (c - k), "ratio" ((c - k) / (c + k)), or a matrix of squared differences, shape (categories, categories),
            not negative, symmetric, with zeros on its diagonal.
        values: shape (categories,), the number that each code stands for; by default the code itself. On the ordinal
            scale it gives the order.
        categories: the number of categories of the scale; by default the length of `values`, or as many as the
            highest code asks for. Unused ones change nothing.

    Returns:
        From below 0 to 1; NaN when no item has two ratings, or all of those have the same code (0/0).

    Raises:
        ValueError: when `table` does not hold two dimensions of integer codes, `values` do not fit the codes, are
            negative on the ratio scale, or repeat on the ordinal one, or `scale` is none of the above.

    Krippendorff (2011), section 5. For numbers the sums of squares give it without any table of pairs, so values may
    be as many as ratings.

    >>> round(krippendorff_alpha([[0, 0], [1, 1], [0, 1], [2, 2]]), 6)
    0.666667
    >>> round(krippendorff_alpha([[0, 0], [1, 1], [0, 1], [2, 2]], scale="interval", values=[1, 2, 10]), 6)
    0.992036
    """
    codes = as_small_table(table)
    count, numbers = scale_of(codes, scale, values, categories)
    if isinstance(scale, str) and count > FEW:
        return _by_rows(codes, scale, numbers)
    codes, numbers = in_order(codes, scale, numbers)
    form = alpha_form(scale, numbers)
    patterns = tally(codes, count, order="any")
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def scale_of(
    codes: Codes, scale: Scale | ArrayLike, values: ArrayLike | None, categories: int | None
) -> tuple[int, Floats]:
    """The number of categories, and the number that each stands for; ValueError says what does not fit."""
    if isinstance(scale, str) and scale not in _SCALES:
        raise ValueError(f"scale must be one of {', '.join(_SCALES)}, or squared differences, got {scale!r}")
    numbers = None if values is None else as_vector("values", values)
    if numbers is not None and categories is not None and len(numbers) != categories:
        raise ValueError(f"values has {len(numbers)} entries for categories={categories}; give one for each category")
    declared = categories if numbers is None else len(numbers)
    count = count_categories(declared, most=_MOST, table=codes)
    if numbers is None:
        numbers = np.arange(count, dtype=np.float64)
    named = scale if isinstance(scale, str) else ""
    if named == "ratio" and (numbers < 0).any():
        raise ValueError("values must not be negative on the ratio scale: it has a true zero")
    if named == "ordinal" and len(np.unique(numbers)) < count:
        raise ValueError("values must differ on the ordinal scale; give codes of one rank the same code")
    return count, numbers


def in_order(codes: Codes, scale: Scale | ArrayLike, numbers: Floats) -> tuple[Codes, Floats]:
    """On the ordinal scale, codes renumbered by their values; else what came in."""
    if not isinstance(scale, str) or scale != "ordinal" or (np.diff(numbers) > 0).all():
        return codes, numbers
    order = np.argsort(numbers)
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1  # the code -1 is the last
    return rank[codes], numbers[order]


def in_use(codes: Codes, numbers: Floats) -> tuple[Codes, Floats]:
    """Codes renumbered so that each occurs, with their numbers."""
    used = np.unique(codes[codes >= 0])
    rank = np.full(len(numbers) + 1, -1, dtype=np.int64)
    rank[used] = np.arange(len(used))
    return rank[codes], numbers[used]


def alpha_form(scale: Scale | ArrayLike, numbers: Floats) -> Coefficient:
    """Alpha as a function of sums, for one scale."""
    count = len(numbers)
    if not isinstance(scale, str):
        return FixedAlpha(_as_squares(scale, count))
    if scale == "interval" and count > FEW:
        return IntervalAlpha(numbers - numbers.mean())
    if count > _MANY:
        raise ValueError(
            f"categories are {count:,}, and on the {scale} scale an interval takes at most {_MANY:,}; number those in "
            'use from 0, or use scale="interval"'
        )
    if scale == "ordinal":
        return OrdinalAlpha(count)
    if scale == "nominal":
        return FixedAlpha(1 - np.eye(count))
    gap = np.subtract.outer(numbers, numbers)
    if scale == "ratio":
        gap = gap / np.where(gap == 0, 1.0, np.add.outer(numbers, numbers))
    return FixedAlpha(gap**2)


def _as_squares(scale: ArrayLike, count: int) -> Matrix:
    squares = np.asarray(scale, dtype=np.float64)
    if squares.shape != (count, count):
        raise ValueError(f"scale has shape {squares.shape} for {count} categories; declare categories=")
    if not (np.isfinite(squares) & (squares >= 0)).all() or np.diag(squares).any() or (squares != squares.T).any():
        raise ValueError("scale must be symmetric squared differences, finite, not negative, zero on the diagonal")
    return squares


def _by_rows(codes: Codes, scale: str, numbers: Floats) -> float:
    """Alpha for many categories, item by item, without a matrix of them."""
    paired = codes[(codes >= 0).sum(axis=1) > 1]
    if scale == "nominal":
        return _nominal(paired)
    if scale == "ratio":
        return _ratio(paired, numbers)
    if scale == "ordinal":
        paired, numbers = in_order(paired, "ordinal", numbers)
        votes = np.bincount(paired[paired >= 0], minlength=len(numbers)).astype(np.float64)
        ranks = np.cumsum(votes) - votes / 2
        within = _summed(paired, ranks)[0]
        return float(alpha_of(within, votes.sum(), spread_of(votes, ranks)))
    form = IntervalAlpha(numbers - numbers.mean())
    return float(form.value(_summed(paired, form.values)))


def _summed(paired: Codes, numbers: Floats) -> Floats:
    sums = np.zeros(4)
    for start in range(0, len(paired), _BLOCK):
        sums += interval_features(paired[start : start + _BLOCK], numbers).sum(axis=0)
    return sums


def _nominal(paired: Codes) -> float:
    votes = np.unique(paired[paired >= 0], return_counts=True)[1].astype(np.float64)
    ratings = (paired >= 0).sum(axis=1)
    within = (ratings - agreeing_pairs(paired) / np.maximum(ratings - 1, 1)).sum()
    n = votes.sum()
    return float(alpha_of(within, n, n * n - (votes * votes).sum()))


def _ratio(paired: Codes, numbers: Floats) -> float:
    others = np.maximum((paired >= 0).sum(axis=1) - 1, 1)
    within = 0.0
    for first in range(paired.shape[1]):
        for second in range(first):
            a, b = paired[:, first], paired[:, second]
            gaps = np.where((a >= 0) & (b >= 0), _ratio_squares(numbers[a], numbers[b]), 0.0)
            within += float((2 * gaps / others).sum())
    found, votes = np.unique(paired[paired >= 0], return_counts=True)
    x, expected = numbers[found], 0.0
    for start in range(0, len(x), 256):
        part = slice(start, start + 256)
        expected += float(votes[part] @ _ratio_squares(x[part, None], x) @ votes)
    return float(alpha_of(np.asarray(within), np.asarray(float(votes.sum())), np.asarray(expected)))


def _ratio_squares(x: Floats, y: Floats) -> Floats:
    total = x + y
    squares: Floats = ((x - y) / np.where(total == 0, 1.0, total)) ** 2
    return squares
