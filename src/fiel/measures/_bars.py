"""How many labels it takes until a rate is surely above or below a bar. Knows no judge and no word."""

from __future__ import annotations

from collections.abc import Callable

from fiel.stats import rate_bound

MOST = 100_000  # labels: more than anybody gives


def surely_above(value: float, n_eff: float, bar: float, confidence: float) -> bool:
    """Whether the one-sided lower bound of a rate worth `n_eff` items reaches `bar`."""
    return rate_bound(value, n_eff, confidence=confidence, side="lower") >= bar


def surely_below(value: float, n_eff: float, bar: float, confidence: float) -> bool:
    """Whether the one-sided upper bound of a rate worth `n_eff` items stays under `bar`."""
    return rate_bound(value, n_eff, confidence=confidence, side="upper") < bar


def more_needed(value: float, n_eff: float, labels: int, bar: float, confidence: float) -> int | None:
    """About how many more labels decide between above and below `bar`, if the present rate and worth of a label hold.

    Args:
        value: the present rate.
        n_eff: what the present `labels` are worth.
        labels: how many there are, at least 1.
        bar: the rate to be decided on.
        confidence: of the one-sided bound.

    Returns:
        0 where it is decided already; None where the rate is the bar itself, or 100,000 more would not do.
    """
    side = surely_above if value > bar else surely_below

    def decided(more: int) -> bool:
        return side(value, n_eff * (labels + more) / labels, bar, confidence)

    return None if value == bar else _smallest(decided)


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number up to `MOST` that is enough, where every larger one is too."""
    if enough(0):
        return 0
    if not enough(MOST):
        return None
    low, high = 0, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
