"""Intervals and bounds for a rate from counts or from an effective sample size. Knows no judge."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Codes, Floats, as_clusters, check_tail, cluster_codes, tail, to_unit
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._quantiles import beta_cdf, beta_quantile, normal_quantile, t_quantile

_MOST_TRIALS = 10**12
_MOST_WORTH = 10**15  # the quantiles of the beta distribution hold to a few digits up to here


def wilson(successes: float, n: int, *, confidence: float = 0.95, side: Side = "both") -> Estimate:
    """Wilson's score interval for a rate.

    Args:
        successes: how many of the `n` succeeded; a tie counts one half, so it may be fractional.
        n: the number of independent trials, at most 1e12.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then 0 or 1.

    Raises:
        ValueError: when `successes` is not between 0 and `n`.

    Wilson (1927); Brown, Cai and DasGupta (2001), equation 4.

    >>> print(wilson(9, 12))
    0.75 [0.47, 0.91] n=12
    """
    upto = tail(confidence, side)
    _check_counts(successes, n)
    if n == 0:
        return _no_trials("wilson", confidence, side)
    rate = successes / n
    low, high = wilson_limits(rate, n, normal_quantile(upto), side)
    return Estimate(value=rate, low=low, high=high, confidence=confidence, method="wilson", n=n, side=side)


def clopper_pearson(successes: float, n: int, *, confidence: float = 0.95, side: Side = "both") -> Estimate:
    """The exact interval for a rate: it never covers less than it promises, and is wider for it.

    Args:
        successes: how many of the `n` succeeded; a tie counts one half, so it may be fractional.
        n: the number of independent trials, at most 1e12.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then 0 or 1.

    Raises:
        ValueError: when `successes` is not between 0 and `n`.

    Clopper and Pearson (1934), by quantiles of the beta distribution.

    >>> print(clopper_pearson(10, 10, side="lower"))
    1.00 (at least 0.74) n=10
    """
    upto = tail(confidence, side)
    _check_counts(successes, n)
    if n == 0:
        return _no_trials("clopper-pearson", confidence, side)
    rate = successes / n
    low, high = exact_limits(rate, n, upto, side)
    return Estimate(value=rate, low=low, high=high, confidence=confidence, method="clopper-pearson", n=n, side=side)


def rate_bound(value: float, n_eff: float, *, confidence: float = 0.95, side: Side = "lower") -> float:
    """A one-sided bound for a rate that is worth `n_eff` independent trials.

    With k = n_eff * value, the lower bound is the (1 - confidence) quantile of Beta(k, n_eff - k + 1) and the upper
    bound the `confidence` quantile of Beta(k + 1, n_eff - k): Clopper and Pearson (1934) at an effective sample
    size, as Korn and Graubard (1998) do for surveys.

    Args:
        value: the estimated rate, from 0 to 1.
        n_eff: its effective sample size, above 0 and at most 1e15.
        confidence: the probability with which the bound holds, from 0.5 to 1 - 5e-10.
        side: "lower" or "upper".

    Raises:
        ValueError: when an argument is out of range, or `side` is "both".

    >>> round(rate_bound(1.0, 10), 4) == round(0.05 ** (1 / 10), 4)
    True
    """
    if side == "both":
        raise ValueError('side must be "lower" or "upper": a bound has one side; call twice for an interval')
    if side not in ("lower", "upper"):
        raise ValueError(f'side must be "lower" or "upper", got {side!r}')
    check_tail(confidence)
    _check_rate(value, n_eff)
    k = n_eff * value
    if side == "lower":
        return 0.0 if k <= 0 else beta_quantile(1 - confidence, k, n_eff - k + 1)
    return 1.0 if k >= n_eff else beta_quantile(confidence, k + 1, n_eff - k)


def rate_probability(value: float, n_eff: float, bar: float) -> float:
    """P(rate >= bar): the confidence at which `rate_bound` with side="lower" meets the bar.

    Args:
        value: the estimated rate, from 0 to 1.
        n_eff: its effective sample size, above 0 and at most 1e15.
        bar: the rate to be reached.

    Raises:
        ValueError: when `value`, `n_eff` or `bar` is out of range.

    >>> round(rate_probability(1.0, 10, 0.05 ** (1 / 10)), 6)
    0.95
    """
    _check_rate(value, n_eff)
    if not 0 <= bar <= 1:
        raise ValueError(f"bar must be a rate from 0 to 1, got {bar!r}")
    if bar == 0:
        return 1.0
    k = n_eff * value
    return 0.0 if k <= 0 else 1 - beta_cdf(bar, k, n_eff - k + 1)


def rate_interval(
    values: ArrayLike, *, confidence: float = 0.95, side: Side = "both", clusters: ArrayLike | None = None
) -> Estimate:
    """The rate of 0/1 values and its exact interval, at the effective sample size where items come in clusters.

    `details["n_eff"]` is what `rate_bound` and `rate_probability` ask for. Independent items: n_eff = n. Clusters:
    n_eff = value (1 - value) / V times the squared ratio of the t quantiles with n - 1 and G - 1 degrees of freedom,
    V being the cluster-robust variance (CR1) and at least 0.5 / (n G). It is at most n, and at least n^2 / sum of
    squared cluster sizes (`details["n_least"]`), which is what the items are worth when every cluster speaks with one
    voice. A sample without an error is worth that: only errors show how alike the items of a cluster are.

    Args:
        values: shape (n,), from 0 to 1; a tie is 0.5.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then 0 or 1.
        clusters: shape (n,), the cluster of each item.

    Raises:
        ValueError: when a value lies outside 0 and 1, or an item has no cluster.

    Korn and Graubard (1998).

    >>> print(rate_interval([1, 1, 1, 0, 1, 1, 1, 1, 1, 1]))
    0.90 [0.55, 1.00] n=10
    """
    upto = tail(confidence, side)
    x = to_unit("values", values, (0.0, 1.0))
    n = len(x)
    if n == 0:
        return _no_trials("clopper-pearson", confidence, side)
    rate = float(x.mean())
    units, n_eff, least, method = n, float(n), float(n), "clopper-pearson"
    if clusters is not None:
        (codes,), units = cluster_codes(as_clusters("clusters", clusters, n))
        method = "clopper-pearson at n_eff, clusters"
        if units < 2:
            return undefined("one cluster has no interval", confidence=confidence, method=method, n=units, side=side)
        least = worth_of_clusters(codes)
        n_eff = min(max(_clustered_size(x, codes, units, upto), least), float(n))
    low, high = exact_limits(rate, n_eff, upto, side)
    details = {"n_eff": n_eff, "n_items": float(n), "n_least": least}
    return Estimate(
        value=rate, low=low, high=high, confidence=confidence, method=method, n=units, side=side, details=details
    )


def wilson_limits(rate: float, n_eff: float, quantile: float, side: Side) -> tuple[float, float]:
    """Wilson's limits at an effective size, for a normal or t `quantile`; the side not asked for is 0 or 1."""
    square = quantile * quantile
    centre = (rate + square / (2 * n_eff)) / (1 + square / n_eff)
    half = quantile * math.sqrt(rate * (1 - rate) / n_eff + square / (4 * n_eff * n_eff)) / (1 + square / n_eff)
    low = 0.0 if rate <= 0 or side == "upper" else min(max(centre - half, 0.0), rate)
    high = 1.0 if rate >= 1 or side == "lower" else max(min(centre + half, 1.0), rate)
    return low, high


def exact_limits(rate: float, n_eff: float, upto: float, side: Side) -> tuple[float, float]:
    """Clopper and Pearson's limits at an effective size, widened where needed to hold `rate`."""
    low = 0.0 if side == "upper" else min(rate_bound(rate, n_eff, confidence=upto, side="lower"), rate)
    high = 1.0 if side == "lower" else max(rate_bound(rate, n_eff, confidence=upto, side="upper"), rate)
    return low, high


def cluster_variance(x: Floats, codes: Codes, count: int) -> float:
    """CR1: the variance of the mean of `x`, shape (n,), from the residual sums of `count` >= 2 clusters."""
    sums = np.bincount(codes, weights=x - x.mean(), minlength=count)
    return float(sums @ sums) / len(x) ** 2 * count / (count - 1)


def worth_of_clusters(codes: Codes) -> float:
    """n^2 / sum of squared cluster sizes (Kish 1965): what n items are worth if each cluster speaks with one voice."""
    sizes = np.bincount(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def _clustered_size(x: Floats, codes: Codes, count: int, upto: float) -> float:
    n, rate = len(x), float(x.mean())
    variance = max(cluster_variance(x, codes, count), 0.5 / (n * count))
    ratio = 1.0 if upto == 0.5 else t_quantile(upto, n - 1) / t_quantile(upto, count - 1)  # at the median 0 / 0
    return rate * (1 - rate) / variance * ratio**2


def _no_trials(method: str, confidence: float, side: Side) -> Estimate:
    return undefined("no trials", confidence=confidence, method=method, n=0, side=side)


def _check_counts(successes: float, n: int) -> None:
    if not 0 <= n <= _MOST_TRIALS or n != int(n):
        raise ValueError(f"n must be a whole number of trials from 0 to {_MOST_TRIALS:g}, got {n!r}")
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n={n}, got {successes!r}")


def _check_rate(value: float, n_eff: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"value must be a rate from 0 to 1, got {value!r}")
    if not 0 < n_eff <= _MOST_WORTH:
        raise ValueError(f"n_eff must be a number above 0 and at most {_MOST_WORTH:g}, got {n_eff!r}")
