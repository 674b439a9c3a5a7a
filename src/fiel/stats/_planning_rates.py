"""How many labels a rate needs, and what rate a number of labels can show. Knows no judge, and no data."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fiel.stats._checks import tail
from fiel.stats._proportions import exact_limits, wilson_limits
from fiel.stats._quantiles import beta_quantile, binomial_tail, normal_quantile
from fiel.stats._searching import MOST, check_power, smallest_whole, threshold

Method = Literal["wilson", "clopper-pearson"]
Sizes = NDArray[np.float64]

_BLOCK = 512  # sizes looked at together


class _Gate(NamedTuple):
    """A bar that successes must reach: those of the rate, or failures where the rate lies below the bar."""

    rate: float
    bar: float
    confidence: float
    method: Method


def proportion_sample_size(
    rate: float,
    *,
    width: float | None = None,
    bar: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    method: Method | None = None,
) -> int:
    """The smallest number of independent items with which a rate is known well enough.

    Give one of two wishes:

    - `width`: the interval of an observed `rate` is at most so wide. The rate observed is another one, and the mean
      width over samples is a little smaller still. A rate of 0.5 is the safe choice.
    - `bar`: with at least the chance `power`, the one-sided bound clears the bar: the lower bound reaches it where
      `rate` lies above, the upper bound falls below it where `rate` lies below. The chance is the exact one of the
      binomial. It goes up and down as n grows, by the step of one item: a few items more than this may have a little
      less power.

    Args:
        rate: the rate that is expected, from 0 to 1.
        width: the widest interval wanted, of two sides at `confidence`, between 0 and 1.
        bar: the rate that a gate asks for, between 0 and 1.
        power: the chance wanted, for a bar.
        confidence: of the interval, or of the one-sided bound.
        method: of the interval; by default "wilson" for a width, and "clopper-pearson" for a bar, as gates use it.

    Raises:
        ValueError: on both wishes or none, values out of range, a rate on the bar, or a wish for more than 1e12 items.

    Brown, Cai and DasGupta (2001) for the intervals; the power is that of the exact binomial test.

    >>> proportion_sample_size(0.9, width=0.1), proportion_sample_size(0.95, bar=0.85)
    (141, 59)
    """
    if (width is None) == (bar is None):
        raise ValueError("give either width= (of an interval) or bar= (to be cleared with power=), not both")
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie from 0 to 1, got {rate!r}")
    if method not in (None, "wilson", "clopper-pearson"):
        raise ValueError(f'method must be "wilson" or "clopper-pearson", got {method!r}')
    if width is not None:
        return _size_for_width(rate, width, confidence, method or "wilson")
    tail(confidence, "lower")
    check_power(power)
    return _size_for_power(_gate(rate, bar, confidence, method or "clopper-pearson"), power)


def minimum_detectable_rate(
    n: int, *, bar: float, power: float = 0.8, confidence: float = 0.95, method: Method = "clopper-pearson"
) -> float:
    """The smallest rate that clears a bar with the wanted chance, with `n` independent items.

    A rate between the bar and this one will often be left undecided.

    Args:
        n: the number of items, up to 1e12.
        bar: the rate that a gate asks for, between 0 and 1.
        power: the chance that the one-sided lower bound reaches the bar.
        confidence: of that bound.
        method: of that bound.

    Returns:
        A rate above the bar, up to 1; NaN where even `n` successes of `n` do not clear it.

    Raises:
        ValueError: on values out of range.

    The power is that of the exact binomial test.

    >>> round(minimum_detectable_rate(100, bar=0.85), 3), minimum_detectable_rate(10, bar=0.85)
    (0.935, nan)
    """
    if not 1 <= n <= MOST or n != int(n):
        raise ValueError(f"n must be a whole number of items from 1 to {MOST:g}, got {n!r}")
    if method not in ("wilson", "clopper-pearson"):
        raise ValueError(f'method must be "wilson" or "clopper-pearson", got {method!r}')
    tail(confidence, "lower")
    check_power(power)
    needed = float(_needed(np.array([float(n)]), _gate(1.0, bar, confidence, method))[0])
    if needed > n:
        return math.nan
    return threshold(lambda rate: float(binomial_tail(needed, n, rate)) >= power, bar, 1.0)


def critical_count(sizes: Any, rate: float, level: float) -> Sizes:
    """For each size n the smallest k with P(X >= k) <= level, X of Binomial(n, rate); n + 1 where there is none."""
    sizes = np.asarray(sizes, dtype=np.float64)
    low, high = np.zeros_like(sizes), sizes + 1
    while (low < high).any():
        middle = np.floor((low + high) / 2)
        fits = binomial_tail(middle, sizes, rate) <= level
        low, high = np.where(fits, low, middle + 1), np.where(fits, middle, high)
    return np.asarray(high, dtype=np.float64)


def _gate(rate: float, bar: float | None, confidence: float, method: Method) -> _Gate:
    if bar is None or not 0 < bar < 1:
        raise ValueError(f"bar must be a rate between 0 and 1, got {bar!r}")
    if rate == bar:
        raise ValueError(f"rate={rate!r} stands on the bar, where no number of items decides; give another rate")
    return _Gate(rate, bar, confidence, method) if rate > bar else _Gate(1 - rate, 1 - bar, confidence, method)


def _size_for_width(rate: float, width: float, confidence: float, method: Method) -> int:
    upto = tail(confidence, "both")
    if not 0 < width < 1:
        raise ValueError(f"width must lie between 0 and 1, got {width!r}")
    quantile = normal_quantile(upto)

    def narrow(n: int) -> bool:
        if method == "wilson":
            low, high = wilson_limits(rate, n, quantile, "both")
        else:
            low, high = exact_limits(rate, n, upto, "both")
        return high - low <= width

    return smallest_whole(narrow, least=1, what=f"width={width!r}")


def _size_for_power(gate: _Gate, power: float) -> int:
    """Below `start` even the smoothed power is too small, and it is never below the true one."""
    start = smallest_whole(lambda n: _smoothed_power(n, gate) >= power, least=1, what=f"bar={gate.bar!r}")
    while True:
        sizes = np.arange(start, start + _BLOCK, dtype=np.float64)
        enough = np.flatnonzero(binomial_tail(_needed(sizes, gate), sizes, gate.rate) >= power)
        if enough.size:
            return start + int(enough[0])
        start += _BLOCK


def _needed(sizes: Sizes, gate: _Gate) -> Sizes:
    """The successes that clear the bar, for each number of items; more than the items where none do."""
    if gate.method == "clopper-pearson":
        return critical_count(sizes, gate.bar, 1 - gate.confidence)
    return np.asarray(np.maximum(np.ceil(_wilson_needed(sizes, gate) - 1e-9), 1.0), dtype=np.float64)


def _wilson_needed(sizes: Any, gate: _Gate) -> Any:
    """Wilson's lower bound reaches the bar where the score test of the bar gives way."""
    return sizes * gate.bar + normal_quantile(gate.confidence) * np.sqrt(sizes * gate.bar * (1 - gate.bar))


def _smoothed_power(n: int, gate: _Gate) -> float:
    """The chance to clear the bar if successes could be counted in fractions."""
    if gate.method == "wilson":
        needed = float(_wilson_needed(float(n), gate))
    elif gate.bar**n > 1 - gate.confidence:
        return 0.0
    else:
        needed = _fractional_count(n, gate.bar, 1 - gate.confidence)
    return float(binomial_tail(needed, n, gate.rate))


def _fractional_count(n: int, bar: float, level: float) -> float:
    """The k at which the `level` quantile of Beta(k, n - k + 1) is the bar."""
    return threshold(lambda k: k > 0 and beta_quantile(level, k, n - k + 1) >= bar, 0.0, float(n))
