"""Intervals for the difference of two rates, of other items or of the same. Knows no judge."""

import math

from numpy.typing import ArrayLike

from fiel.stats._checks import tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._paired_tests import outcomes_of
from fiel.stats._proportions import wilson_limits
from fiel.stats._quantiles import normal_quantile

_MOST_TRIALS = 10**12


def newcombe_difference(
    successes_a: float,
    n_a: int,
    successes_b: float,
    n_b: int,
    *,
    confidence: float = 0.95,
    side: Side = "both",
) -> Estimate:
    """The difference of two rates, a - b, on different items, with Newcombe's hybrid score interval.

    Args:
        successes_a: how many of `n_a` succeeded; a tie counts one half, so it may be fractional.
        n_a: the number of independent trials of a.
        successes_b: how many of `n_b` succeeded.
        n_b: the number of independent trials of b.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then -1 or 1.

    Returns:
        Estimate, with n the trials of both; its details hold rate_a, rate_b, n_a and n_b.

    Raises:
        ValueError: when successes are not between 0 and their n.

    Newcombe (1998a), method 10: the distances of the rates from their Wilson limits, squared and added.

    >>> print(newcombe_difference(56, 70, 48, 80))
    0.20 [0.05, 0.33] n=150
    """
    quantile = normal_quantile(tail(confidence, side))
    for name, successes, n in (("a", successes_a, n_a), ("b", successes_b, n_b)):
        _check_counts(name, successes, n)
    if n_a == 0 or n_b == 0:
        reason = f"no trials of {'a' if n_a == 0 else 'b'}"
        return undefined(reason, confidence=confidence, method="newcombe", n=n_a + n_b, side=side)
    rates = successes_a / n_a, successes_b / n_b
    low, high = _square_and_add(rates, (n_a, n_b), quantile, 0.0)
    return _estimate(rates, (low, high), {"n_a": n_a, "n_b": n_b}, confidence, side, "newcombe", n_a + n_b)


def newcombe_paired_difference(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, side: Side = "both"
) -> Estimate:
    """The difference of two rates, a - b, on the same items, with Newcombe's hybrid score interval for pairs.

    Items on which both agree narrow the interval through the correlation of a and b. It is taken as a little less than
    it is where it is positive; without that, half the items with two ones and half with two zeros would make an
    interval of no width.

    Args:
        a: shape (items,), 0 or 1.
        b: shape (items,), 0 or 1 for the same items.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then -1 or 1.

    Returns:
        Estimate, with n the number of items; its details hold rate_a, rate_b, only_a and only_b (on how many items one
        alone is 1) and phi, the correlation as it was used.

    Raises:
        ValueError: on lengths that differ, or values that are not 0 or 1.

    Newcombe (1998b), method 10.

    >>> print(newcombe_paired_difference([1] * 20 + [0] * 10, [1] * 14 + [0] * 15 + [1]))
    0.17 [−0.01, 0.32] n=30
    """
    quantile = normal_quantile(tail(confidence, side))
    first, second = outcomes_of(a, b)
    n = len(first)
    if not n:
        return undefined("no items", confidence=confidence, method="newcombe, paired", n=0, side=side)
    both, total_a, total_b = float(first @ second), float(first.sum()), float(second.sum())
    rates = total_a / n, total_b / n
    phi = _phi(both, total_a, total_b, n)
    low, high = _square_and_add(rates, (n, n), quantile, phi)
    details = {"only_a": total_a - both, "only_b": total_b - both, "phi": phi}
    return _estimate(rates, (low, high), details, confidence, side, "newcombe, paired", n)


def _check_counts(name: str, successes: float, n: int) -> None:
    if not 0 <= n <= _MOST_TRIALS or n != int(n):
        raise ValueError(f"n_{name} must be a whole number of trials from 0 to {_MOST_TRIALS:g}, got {n!r}")
    if not 0 <= successes <= n:
        raise ValueError(f"successes_{name} must lie between 0 and n_{name}={n}, got {successes!r}")


def _phi(both: float, total_a: float, total_b: float, n: int) -> float:
    """The correlation of two 0/1 vectors, corrected towards 0 where it is positive; 0 where one does not vary."""
    spread = total_a * (n - total_a) * total_b * (n - total_b)
    if spread <= 0:
        return 0.0
    together = n * both - total_a * total_b  # the product of the diagonal less that of the other one
    corrected = max(together - n / 2, 0.0) if together > 0 else together
    return corrected / math.sqrt(spread)


def _square_and_add(
    rates: tuple[float, float], sizes: tuple[int, int], quantile: float, phi: float
) -> tuple[float, float]:
    (rate_a, rate_b), (n_a, n_b) = rates, sizes
    low_a, high_a = wilson_limits(rate_a, n_a, quantile, "both")
    low_b, high_b = wilson_limits(rate_b, n_b, quantile, "both")

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))

    difference = rate_a - rate_b
    return difference - reach(rate_a - low_a, high_b - rate_b), difference + reach(high_a - rate_a, rate_b - low_b)


def _estimate(
    rates: tuple[float, float],
    limits: tuple[float, float],
    details: dict[str, float],
    confidence: float,
    side: Side,
    method: str,
    n: int,
) -> Estimate:
    value = rates[0] - rates[1]
    return Estimate(
        value=value,
        low=-1.0 if side == "upper" else min(max(limits[0], -1.0), value),
        high=1.0 if side == "lower" else max(min(limits[1], 1.0), value),
        confidence=confidence,
        method=method,
        n=n,
        side=side,
        details={"rate_a": rates[0], "rate_b": rates[1], **details},
    )
