"""The mean of values with a t interval, for independent items and for clusters. Knows no judge."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import (
    Codes,
    Floats,
    as_clusters,
    as_vector,
    check_bounds,
    cluster_codes,
    from_unit,
    tail,
    to_unit,
)
from fiel.stats._ess import Clusters, correct, labels_alone, wilson_form
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._proportions import cluster_variance
from fiel.stats._quantiles import t_quantile

_TINY = 1e-12  # a standard error this small beside the range of the values is rounding, not knowledge
_SAME = 1e-9  # the same beside the range of the scale: such values say no more than constant ones
_ULPS = 16  # values that differ by so many units in the last place do not vary


def mean_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    side: Side = "both",
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """The mean and its t interval.

    Values that do not vary have no t interval; with `bounds`, neither have those whose standard error is at most 1e-9
    of the scale. With `bounds` they get Wilson's interval at the effective sample size of `ppi_mean` with the labels
    alone; without, the value is None and the reason says so.

    Args:
        values: shape (n,), in any unit.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then that of `bounds`, or
            None without bounds.
        clusters: shape (n,), the cluster of each item: the variance is then CR1 and t has G - 1 degrees of freedom.
        bounds: the lowest and highest possible value; limits are clipped to them.

    Raises:
        ValueError: when a value is not finite or lies outside `bounds`, an item has no cluster, or a limit is beyond
            double precision.

    Student (1908); Liang and Zeger (1986) for clusters, with the factor G / (G - 1).

    >>> print(mean_interval([1.0, 2.0, 3.0]))
    2.00 [−0.48, 4.48] n=3
    """
    upto = tail(confidence, side)
    x = as_vector("values", values)
    limits = None if bounds is None else check_bounds(bounds)
    unit = None if limits is None else to_unit("values", x, limits)
    codes, units, method = None, len(x), "t"
    if clusters is not None:
        (codes,), units = cluster_codes(as_clusters("clusters", clusters, len(x)))
        method = "t, clusters"
    if units < 2:
        what = "cluster" if clusters is not None else "value"
        reason = f"one {what} has no interval" if units else "no values"
        return undefined(reason, confidence=confidence, method=method, n=units, side=side)
    exponent = int(np.frexp(np.abs(x).max())[1])
    x = np.ldexp(x, -exponent)  # at most 1, and exact: squares neither overflow nor vanish
    mean = min(max(float(x.mean()), float(x.min())), float(x.max()))  # rounding may not carry it outside
    error = _standard_error(x, codes, units)
    if _same(x, error) or (limits and _scaled(error, exponent) <= _SAME * (limits[1] - limits[0])):
        if limits is None or unit is None:
            reason = "the values do not vary, and without bounds that says nothing about others; pass bounds"
            return undefined(reason, confidence=confidence, method=method, n=units, side=side)
        return _without_spread(unit, codes, units, limits, confidence, side)
    reach = t_quantile(upto, units - 1) * error
    lowest, highest = limits or (-math.inf, math.inf)
    low = max(_scaled(mean - reach, exponent), lowest) if side != "upper" else lowest
    high = min(_scaled(mean + reach, exponent), highest) if side != "lower" else highest
    if (side != "upper" and low == -math.inf) or (side != "lower" and high == math.inf):
        raise ValueError("values are so large that a limit is beyond double precision; give a larger unit")
    mean, error = _scaled(mean, exponent), _scaled(error, exponent)
    return Estimate(
        value=mean,
        low=min(low, mean) if math.isfinite(low) else None,
        high=max(high, mean) if math.isfinite(high) else None,
        confidence=confidence,
        method=method,
        n=units,
        side=side,
        details={"standard_error": error, "n_items": float(len(x))},
    )


def _same(x: Floats, error: float) -> bool:
    """Whether values of at most 1 are the same but for rounding."""
    spread = float(np.ptp(x))
    return spread <= _ULPS * float(np.finfo(np.float64).eps) or error <= _TINY * spread


def _scaled(x: float, exponent: int) -> float:
    """A number times 2^exponent, infinite where that is beyond double precision."""
    try:
        return math.ldexp(x, exponent)
    except OverflowError:
        return math.copysign(math.inf, x)


def _standard_error(x: Floats, codes: Codes | None, units: int) -> float:
    variance = float(x.var(ddof=1)) / units if codes is None else cluster_variance(x, codes, units)
    return math.sqrt(variance)


def _without_spread(
    unit: Floats, codes: Codes | None, units: int, bounds: tuple[float, float], confidence: float, side: Side
) -> Estimate:
    sample = labels_alone(unit, None if codes is None else Clusters(codes, codes, units))
    found = correct(sample, added=False)
    df = None if codes is None else units - 1
    low, high = wilson_form(found.value, found.n_eff, df, tail(confidence, side), side)
    return Estimate(
        value=from_unit(found.value, bounds),
        low=from_unit(low, bounds),
        high=from_unit(high, bounds),
        confidence=confidence,
        method="ess-wilson, values without spread" + (", clusters" if codes is not None else ""),
        n=units,
        side=side,
        details={"n_eff": found.n_eff, "n_items": float(len(unit))},
    )
