"""Tests for two yes/no answers to the same items. Knows no judge, and no interval."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, as_vector, check_same_length
from fiel.stats._quantiles import beta_cdf


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """The exact p-value of McNemar's test: are `a` and `b` equally often 1, on the same items?

    Of the items on which they differ, each side should have half. An item on which they agree says nothing, and so does
    a shift that flips as many items one way as the other: the share of differing items is a figure of its own.

    Args:
        a: shape (items,), 0 or 1.
        b: shape (items,), 0 or 1 for the same items.

    Returns:
        The two-sided p-value, twice the smaller tail and at most 1; 1 where they never differ; NaN without items.

    Raises:
        ValueError: on lengths that differ, or values that are not 0 or 1.

    McNemar (1947); the exact form is the sign test on the differing items.

    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    0.0625
    """
    first, second = outcomes_of(a, b)
    if not len(first):
        return math.nan
    return exact_mcnemar(int((first > second).sum()), int((second > first).sum()))


def exact_mcnemar(only_a: int, only_b: int) -> float:
    """The same from the two counts of items on which one side alone is 1."""
    fewer, differing = min(only_a, only_b), only_a + only_b
    if fewer == differing:
        return 1.0
    return min(2 * beta_cdf(0.5, differing - fewer, fewer + 1), 1.0)


def outcomes_of(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Two vectors of 0 and 1 for the same items; ValueError names what is wrong."""
    first, second = as_vector("a", a), as_vector("b", b)
    check_same_length("a", first, "b", second)
    for name, x in (("a", first), ("b", second)):
        wrong = np.flatnonzero((x != 0) & (x != 1))
        if wrong.size:
            found = f"{name} holds {float(x[wrong[0]])!r} at position {wrong[0]}"
            raise ValueError(f"{found}; each outcome must be 0 or 1, so leave out items without one")
    return first, second
