"""P-values from limits: the largest confidence at which an interval leaves a value out. Knows no method."""

import math

from fiel.stats._estimate import Side
from fiel.stats._ppi_methods import Solved

_LEAST = 1e-9  # of a tail: quantiles further out lose their digits
_STEPS = 40


def p_value(found: Solved, null: float, side: Side) -> float:
    """Of the hypothesis that the quantity is `null` ("both"), at most ("lower") or at least `null` ("upper").

    A p-value below 1e-9 is given as 1e-9, and one of two sides as 2e-9.
    """
    if side == "both":
        return min(2 * _tail(found, null, side), 1.0)
    against = null < found.value if side == "lower" else null > found.value
    if against:
        return _tail(found, null, side)
    return 1 - _tail(found, null, "upper" if side == "lower" else "lower")


def _tail(found: Solved, null: float, side: Side) -> float:
    """The tail beyond which the limit on the side of `null` goes past it, at most one half."""
    if null == found.value:
        return 0.5
    if found.tail is not None:
        return min(max(found.tail(null), _LEAST), 0.5)
    below = null < found.value

    def beyond(tail: float) -> bool:
        low, high = found.limits(1 - tail, side)
        return low > null if below else high < null

    if not beyond(0.5):
        return 0.5
    if beyond(_LEAST):
        return _LEAST
    small, large = math.log(_LEAST), math.log(0.5)
    for _ in range(_STEPS):
        middle = (small + large) / 2
        if beyond(math.exp(middle)):
            large = middle
        else:
            small = middle
    return math.exp(large)
