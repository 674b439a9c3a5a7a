"""What difference of two rates a number of items can show. Knows no judge, and no data."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fiel.stats._checks import tail
from fiel.stats._planning_rates import critical_count
from fiel.stats._quantiles import binomial_pmf, binomial_tail, normal_quantile
from fiel.stats._searching import check_power, threshold

Counts = NDArray[np.float64]

_MOST = 10**6
_FAR = 12.0  # standard deviations beyond which a count has no probability to speak of


def minimum_detectable_difference(
    n: int,
    *,
    discordance: float | None = None,
    rate: float | None = None,
    n_other: int | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
) -> float:
    """The smallest difference of two rates that `n` items show with the wanted chance.

    - Two answers to the same items (two judges, an old and a new one): give `discordance`, the share of items on which
      they will differ. The test is the exact one of `mcnemar`.
    - Different items: give `rate`, that of the first sample, and ask for a rise from there (for a fall, give 1 - rate).
      It is shown where the interval of `newcombe_difference` leaves 0 out.

    The chance is that of a finding in the right direction, summed over the binomials without an approximation.

    Args:
        n: the number of items, or of items in the first sample, up to 1e6.
        discordance: the share of items on which two answers differ, above 0 and up to 1.
        rate: the rate in the first of two samples, from 0 and below 1.
        n_other: the number of items in the second sample; by default `n`.
        power: the chance of a finding.
        confidence: 1 less the chance of a finding, of either direction, where there is no difference.

    Returns:
        A difference above 0; NaN where even the largest, `discordance` or 1 - `rate`, is not shown with that chance.

    Raises:
        ValueError: on both kinds or none, or values out of range.

    McNemar (1947); Newcombe (1998a), method 10.

    >>> minimum_detectable_difference(20, discordance=0.1)
    nan
    >>> round(minimum_detectable_difference(200, discordance=0.2), 3)
    0.091
    """
    level = 1 - tail(confidence, "both")
    check_power(power)
    _check_size("n", n)
    if (discordance is None) == (rate is None):
        raise ValueError("give either discordance= (the same items) or rate= (different items), not both")
    if rate is not None:
        other = n if n_other is None else n_other
        _check_size("n_other", other)
        return _of_other_items(n, other, rate, power, level)
    if n_other is not None:
        raise ValueError("n_other belongs to rate=: the same items are as many for both")
    return _of_same_items(n, discordance, power, level)


def _check_size(name: str, n: int) -> None:
    if not 1 <= n <= _MOST or n != int(n):
        raise ValueError(f"{name} must be a whole number of items from 1 to {_MOST:,}, got {n!r}")


def _of_same_items(n: int, discordance: float | None, power: float, level: float) -> float:
    if discordance is None or not 0 < discordance <= 1:
        raise ValueError(f"discordance must lie above 0 and up to 1, got {discordance!r}")
    differing = _likely(n, discordance)
    needed, chances = critical_count(differing, 0.5, level), binomial_pmf(differing, n, discordance)

    def chance(difference: float) -> float:
        ours = min((1 + difference / discordance) / 2, 1.0)  # of the items that differ
        return float(chances @ binomial_tail(needed, differing, ours))

    return _smallest(chance, power, discordance)


def _of_other_items(n: int, other: int, rate: float, power: float, level: float) -> float:
    if not 0 <= rate < 1:
        raise ValueError(f"rate must lie from 0 and below 1, got {rate!r}")
    counts = _likely(n, rate)
    needed, chances = _needed_rise(counts, n, other, normal_quantile(1 - level)), binomial_pmf(counts, n, rate)
    return _smallest(lambda rise: float(chances @ binomial_tail(needed, other, min(rate + rise, 1.0))), power, 1 - rate)


def _smallest(chance: Callable[[float], float], power: float, largest: float) -> float:
    if chance(largest) < power:
        return math.nan
    return threshold(lambda difference: chance(difference) >= power, 0.0, largest)


def _likely(n: int, rate: float) -> Counts:
    """The counts of Binomial(n, rate) that have any probability to speak of."""
    reach = _FAR * math.sqrt(n * rate * (1 - rate)) + _FAR
    first, last = max(math.floor(n * rate - reach), 0), min(math.ceil(n * rate + reach), n)
    return np.arange(first, last + 1, dtype=np.float64)


def _needed_rise(counts: Counts, n: int, other: int, quantile: float) -> Counts:
    """For each count of the first sample, the smallest of the second one that shows a rise; other + 1 for none.

    Newcombe's lower limit is above 0 where the squared difference is above the sum of the squared distances from the
    first rate to its upper Wilson limit, and from the second to its lower one.
    """
    before = counts / n
    above = _wilson(before, n, quantile, 1.0) - before

    def shown(second: Counts) -> NDArray[np.bool_]:
        after = second / other
        below = after - _wilson(after, other, quantile, -1.0)
        return (after > before) & ((after - before) ** 2 > above**2 + below**2)

    low, high = np.zeros_like(counts), np.full_like(counts, other + 1)
    while (low < high).any():
        middle = np.floor((low + high) / 2)
        fits = (middle > other) | shown(np.minimum(middle, other))
        low, high = np.where(fits, low, middle + 1), np.where(fits, middle, high)
    return high


def _wilson(rate: Counts, n: int, quantile: float, sign: float) -> Counts:
    square = quantile * quantile
    half = quantile * np.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return np.asarray((rate + square / (2 * n) + sign * half) / (1 + square / n), dtype=np.float64)
