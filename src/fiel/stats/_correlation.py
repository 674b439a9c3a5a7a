"""How two vectors of numbers go together: correlation and concordance. Knows no scale, no codes, no interval."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Codes, Floats, as_vector, check_same_length


def pearson(y: ArrayLike, f: ArrayLike) -> float:
    """Pearson's correlation: how far `f` is a straight line of `y`, whatever its slope and level.

    Args:
        y: shape (n,), in any unit.
        f: shape (n,), in any unit.

    Returns:
        From -1 to 1; NaN where either does not vary.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Pearson (1896).

    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.8
    """
    return _pearson(*pair_of(y, f))


def spearman(y: ArrayLike, f: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, tied values sharing the mean of theirs.

    Args:
        y: shape (n,), in any unit.
        f: shape (n,), in any unit.

    Returns:
        From -1 to 1; NaN where either does not vary.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Spearman (1904); Kendall (1945) for ties.

    >>> round(spearman([1, 2, 3, 4], [10, 10, 20, 1000]), 6)
    0.948683
    """
    first, second = pair_of(y, f)
    return _pearson(_ranks(first), _ranks(second))


def kendall(y: ArrayLike, f: ArrayLike) -> float:
    """Kendall's tau-b: concordant less discordant pairs, over the pairs that are not tied, in n log n steps.

    Args:
        y: shape (n,), in any unit.
        f: shape (n,), in any unit.

    Returns:
        From -1 to 1; NaN where either does not vary.

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Kendall (1945) for ties; Knight (1966) for counting by sorting.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.666667
    """
    first, second = pair_of(y, f)
    a, b = (np.unique(x, return_inverse=True)[1].astype(np.intp) for x in (first, second))
    n = len(a)
    pairs = n * (n - 1) // 2
    tied_a, tied_b = _pairs_within(np.bincount(a)), _pairs_within(np.bincount(b))
    if pairs in (tied_a, tied_b):
        return math.nan
    steps = int(b.max()) + 1
    both = np.sort(a * steps + b)
    ends = np.flatnonzero(np.append(both[1:] != both[:-1], True))
    tied_both = _pairs_within(np.diff(ends, prepend=-1))
    surplus = pairs - tied_a - tied_b + tied_both - 2 * _inversions(both % steps)
    return min(max(surplus / (math.sqrt(pairs - tied_a) * math.sqrt(pairs - tied_b)), -1.0), 1.0)


def lin_ccc(y: ArrayLike, f: ArrayLike) -> float:
    """Lin's concordance: Pearson's correlation, lowered by differences of level and of spread.

    2 cov(y, f) / (var(y) + var(f) + (mean(y) - mean(f))^2), with n in every denominator. On codes with quadratic
    weights it is Cohen's kappa.

    Args:
        y: shape (n,), in any unit.
        f: shape (n,), in the same unit.

    Returns:
        From -1 to 1; 0 where one of the two does not vary; NaN where both are one and the same constant (0/0).

    Raises:
        ValueError: on lengths that differ, or values that are not finite numbers.

    Lin (1989), with n for n - 1.

    >>> lin_ccc([1, 2, 3], [2, 3, 4])
    0.5714285714285714
    """
    first, second = pair_of(y, f)
    if not len(first) or (np.ptp(first) == 0 and np.ptp(second) == 0 and first[0] == second[0]):
        return math.nan
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    first, second, _ = scaled(first, second)
    a, b = first - first.mean(), second - second.mean()
    apart = float(a @ a + b @ b) + len(a) * float((first - second).mean()) ** 2
    return min(max(2 * float(a @ b) / apart, -1.0), 1.0)


def pair_of(y: ArrayLike, f: ArrayLike) -> tuple[Floats, Floats]:
    """The two vectors as floats of one length; ValueError names what is wrong."""
    first, second = as_vector("y", y), as_vector("f", f)
    check_same_length("y", first, "f", second)
    return first, second


def scaled(first: Floats, second: Floats) -> tuple[Floats, Floats, int]:
    """Both divided by 2^e so that neither sums nor squares leave double precision, and e."""
    largest = max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0))
    exponent = int(np.frexp(largest)[1]) + 1
    return np.ldexp(first, -exponent), np.ldexp(second, -exponent), exponent


def _pearson(a: Floats, b: Floats) -> float:
    if not len(a) or np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    a, b = _centred(a), _centred(b)
    return float(np.clip((a @ b) / math.sqrt((a @ a) * (b @ b)), -1, 1))


def _centred(x: Floats) -> Floats:
    """Deviations from the mean, the largest of them 1: squares of tiny or huge ones stay within double precision."""
    x, _, _ = scaled(x, x)
    x = x - x.mean()
    return np.asarray(x / np.abs(x).max(), dtype=np.float64)


def _ranks(x: Floats) -> Floats:
    _, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ranks[codes], dtype=np.float64)


def _pairs_within(counts: Codes) -> int:
    wide = counts.astype(np.int64)
    return int((wide * (wide - 1) // 2).sum())


def _inversions(codes: Codes) -> int:
    """How many pairs stand in the wrong order, strictly: a merge sort from below, all blocks of one size at once.

    In a sorted block, each entry of the left half stands after the entries of the right half that are below it.
    """
    n = len(codes)
    padded = np.full(1 << max(n - 1, 0).bit_length(), codes.max(initial=0), dtype=np.int64)
    padded[:n] = codes
    total, half, places = 0, 1, np.arange(len(padded))
    while half < n:
        blocks = (2 * padded + (places // half & 1)).reshape(-1, 2 * half)  # the lowest bit: is it from the right half
        blocks.sort(axis=1)
        right = (blocks & 1).ravel()
        before = np.cumsum(right)  # over all blocks: half of each earlier one is from the right
        earlier = half * half * (len(blocks) * (len(blocks) - 1) // 2)
        total += int(before[right == 0].sum()) - earlier
        padded, half = blocks.ravel() >> 1, 2 * half
    return total
