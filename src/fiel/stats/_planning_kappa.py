"""How many items a kappa needs, before any is rated. Knows models of raters, no ratings."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, tail
from fiel.stats._estimate import Estimate, Side
from fiel.stats._quantiles import normal_cdf, normal_quantile
from fiel.stats._searching import check_power, threshold
from fiel.stats._simplex import largest

_SUM = 1e-9  # by how much shares may miss 1: they may be typed with a few decimals
_RARE = 1e-300  # a cell of the hypothesis below this has no probability, and no item of it can be weighed


def kappa_sample_size(
    kappa0: float,
    kappa1: float,
    *,
    shares: ArrayLike = 0.5,
    raters: int = 2,
    power: float = 0.8,
    confidence: float = 0.95,
    side: Side = "both",
    method: Literal["goodness-of-fit", "wald"] = "goodness-of-fit",
) -> int:
    """The smallest number of items with which a true kappa1 is told from kappa0 with the wanted power.

    - "goodness-of-fit": Donner and Eliasziw's test with one degree of freedom, for raters who share one distribution of
      answers: N = ncp / sum of (P(kappa1) - P(kappa0))^2 / P(kappa0) over the cells. For two categories the cells are
      how many raters chose the first one (common correlation model); for more they are full agreement on each category,
      and the rest (Dirichlet-multinomial model).
    - "wald": Cohen's kappa of two raters, each with shares of its own, at the largest standard error that those shares
      and kappa allow.

    With three raters or more, a test with more degrees of freedom has less power than promised here.

    Args:
        kappa0: the kappa of the hypothesis that is to be rejected.
        kappa1: the kappa that is true.
        shares: the share of one of two categories; or shape (categories,), summing to 1; or, for "wald", shape (2,
            categories), one row for each rater.
        raters: how many rate each item, from 2; two for "wald".
        power: the chance to reject kappa0.
        confidence: 1 less the chance to reject kappa0 where it is true.
        side: "both", or "lower" where kappa is only to be shown to be above kappa0, "upper" for below.
        method: see above.

    Raises:
        ValueError: on kappas that are equal, out of range or on the wrong side, or shares that are no distribution.

    Donner and Eliasziw (1992); Rotondi and Donner (2012) for more categories and raters; Cantor (1996) and Flack et al.
    (1988) for "wald".

    >>> kappa_sample_size(0.4, 0.6, shares=0.3), kappa_sample_size(0.4, 0.6, shares=0.3, raters=3)
    (191, 106)
    """
    upto = tail(confidence, side)
    check_power(power)
    _check_side(kappa0, kappa1, side)
    if method == "wald":
        if raters != 2:
            raise ValueError(f'method="wald" is for two raters, got {raters!r}; use method="goodness-of-fit"')
        return _whole(_wald_size(kappa0, kappa1, _both_shares(shares), upto, power))
    if method != "goodness-of-fit":
        raise ValueError(f'method must be "goodness-of-fit" or "wald", got {method!r}')
    each = _one_item(kappa0, kappa1, _shares(shares), _check_raters(raters))
    return _whole(_noncentrality(upto, power, side) / each)


def kappa_interval_sample_size(
    kappa: float,
    *,
    low: float | None = None,
    high: float | None = None,
    shares: ArrayLike = 0.5,
    raters: int = 2,
    confidence: float = 0.95,
) -> int:
    """The smallest number of items with which the expected interval of a kappa lies within `low` and `high`.

    Args:
        kappa: the kappa that is expected.
        low: the lowest that the lower limit may be. Alone, it is that of a one-sided bound.
        high: the highest that the upper limit may be. Alone, it is that of a one-sided bound.
        shares: the share of one of two categories, or shape (categories,), summing to 1; all raters share it.
        raters: how many rate each item, from 2.
        confidence: the coverage promised.

    Raises:
        ValueError: where neither limit is given, or `low` < `kappa` < `high` does not hold.

    Donner and Eliasziw (1992), by inverting their test; Rotondi and Donner (2012).

    >>> kappa_interval_sample_size(0.7, low=0.4, shares=0.3)
    30
    """
    limits = [limit for limit in (low, high) if limit is not None]
    if not limits or (low is not None and low >= kappa) or (high is not None and high <= kappa):
        raise ValueError(f"give low below kappa, high above it, or both; got {low!r} < {kappa!r} < {high!r}")
    needed = normal_quantile(tail(confidence, "both" if len(limits) == 2 else "lower")) ** 2
    cells, raters = _shares(shares), _check_raters(raters)
    return max(_whole(needed / _one_item(limit, kappa, cells, raters)) for limit in limits)


def expected_kappa_interval(
    kappa: float,
    n: int,
    *,
    shares: ArrayLike = 0.5,
    raters: int = 2,
    confidence: float = 0.95,
    side: Side = "both",
) -> Estimate:
    """The interval that a kappa may be expected to have with `n` items.

    Args:
        kappa: the kappa that is expected.
        n: the number of items.
        shares: the share of one of two categories, or shape (categories,), summing to 1; all raters share it.
        raters: how many rate each item, from 2.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then -1 or 1.

    Raises:
        ValueError: on a kappa that these shares and raters cannot have, or `n` below 1.

    Donner and Eliasziw (1992), by inverting their test; Rotondi and Donner (2012).

    >>> print(expected_kappa_interval(0.7, 50, shares=0.3, side="lower"))
    0.70 (at least 0.48) n=50
    """
    square = normal_quantile(tail(confidence, side)) ** 2
    if n < 1 or n != int(n):
        raise ValueError(f"n must be a whole number of items from 1, got {n!r}")
    cells, raters = _shares(shares), _check_raters(raters)
    _check_possible(kappa, _cells(kappa, cells, raters), 0.0)

    def kept(limit: float) -> bool:  # whether the test of this limit lets the expected kappa pass
        hypothesis = _cells(limit, cells, raters)
        return bool((hypothesis > 0).all()) and n * _distance(hypothesis, _cells(kappa, cells, raters)) <= square

    low = -1.0 if side == "upper" else threshold(kept, -1.0, kappa)
    high = 1.0 if side == "lower" else -threshold(lambda x: kept(-x), -1.0, -kappa)
    return Estimate(
        value=kappa, low=low, high=high, confidence=confidence, method="goodness-of-fit, expected", n=n, side=side
    )


def _whole(n: float) -> int:
    return max(math.ceil(n - 1e-9 * n), 2)


def _check_side(kappa0: float, kappa1: float, side: Side) -> None:
    for name, kappa in (("kappa0", kappa0), ("kappa1", kappa1)):
        if not -1 <= kappa <= 1:
            raise ValueError(f"{name} must lie from -1 to 1, got {kappa!r}")
    if kappa0 in (kappa1, 1):
        raise ValueError(f"kappa1={kappa1!r} must differ from kappa0={kappa0!r}, and kappa0 be below 1")
    if (side == "lower" and kappa1 < kappa0) or (side == "upper" and kappa1 > kappa0):
        raise ValueError(f"side={side!r} cannot show kappa1={kappa1!r} beside kappa0={kappa0!r}; use the other side")


def _check_raters(raters: int) -> int:
    if raters != int(raters) or raters < 2:
        raise ValueError(f"raters must be a whole number from 2, got {raters!r}")
    return int(raters)


def _as_array(shares: ArrayLike) -> Floats:
    try:
        return np.asarray(shares, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"shares must hold numbers, in rows of one length, got {shares!r}") from error


def _shares(shares: ArrayLike) -> Floats:
    array = _as_array(shares)
    array = np.array([array, 1 - array]) if array.ndim == 0 else array
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(f"shares must be one share, or one for each of two or more categories, got {shares!r}")
    if not (array > 0).all() or abs(array.sum() - 1) > _SUM:
        raise ValueError(f"shares must lie above 0 and sum to 1, got {shares!r}")
    return np.asarray(array / array.sum(), dtype=np.float64)


def _both_shares(shares: ArrayLike) -> tuple[Floats, Floats]:
    array = _as_array(shares)
    if array.ndim == 2:
        if len(array) != 2:
            raise ValueError(f"shares must have one row for each of two raters, got shape {array.shape}")
        return _shares(array[0]), _shares(array[1])
    one = _shares(shares)
    return one, one


def _one_item(kappa0: float, kappa1: float, shares: Floats, raters: int) -> float:
    """What one item adds to the noncentrality of the test of kappa0 where kappa1 is true."""
    hypothesis, truth = _cells(kappa0, shares, raters), _cells(kappa1, shares, raters)
    _check_possible(kappa0, hypothesis, _RARE)
    _check_possible(kappa1, truth, 0.0)
    return _distance(hypothesis, truth)


def _check_possible(kappa: float, cells: Floats, least: float) -> None:
    if not -1 <= kappa <= 1 or (cells < least).any():
        raise ValueError(f"raters with these shares cannot have a kappa of {kappa!r}, or none that can be tested")


def _distance(hypothesis: Floats, truth: Floats) -> float:
    return float(((truth - hypothesis) ** 2 / hypothesis).sum())


def _cells(kappa: float, shares: Floats, raters: int) -> Floats:
    """Probabilities of the cells of one item; below 0 where the raters cannot have this kappa."""
    if len(shares) == 2:
        first, second = shares
        chosen = np.arange(raters + 1)
        ways = np.array([math.comb(raters, k) for k in chosen], dtype=np.float64)
        cells = (1 - kappa) * ways * first**chosen * second ** (raters - chosen)
        cells[0] += kappa * second
        cells[-1] += kappa * first
        return np.asarray(cells, dtype=np.float64)
    steps = np.arange(1, raters)[:, None]
    joining = shares * (1 - kappa) + steps * kappa  # the next rater agrees with those before, up to a factor
    if not (joining > 0).all():
        return np.full(len(shares) + 1, -1.0)
    agreeing = shares * (joining / ((1 - kappa) + steps * kappa)).prod(axis=0)
    return np.append(agreeing, 1 - agreeing.sum())


def _noncentrality(upto: float, power: float, side: Side) -> float:
    """The noncentrality at which a chi-squared test with one degree of freedom has this power."""
    critical = normal_quantile(upto)
    if side != "both":
        return (critical + normal_quantile(power)) ** 2

    def enough(shift: float) -> bool:
        return normal_cdf(shift - critical) + normal_cdf(-shift - critical) >= power

    return threshold(enough, 0.0, critical + normal_quantile(max(power, 0.5)) + 1) ** 2


def _wald_size(kappa0: float, kappa1: float, shares: tuple[Floats, Floats], upto: float, power: float) -> float:
    errors = [math.sqrt(_largest_variance(kappa, *shares)) for kappa in (kappa0, kappa1)]
    reach = normal_quantile(upto) * errors[0] + normal_quantile(power) * errors[1]
    return (reach / (kappa1 - kappa0)) ** 2


def _largest_variance(kappa: float, first: Floats, second: Floats) -> float:
    """The largest n var(kappa) of Fleiss, Cohen and Everitt (1969) among tables with these margins and this kappa."""
    count = len(first)
    expected = float(first @ second)
    observed = kappa * (1 - expected) + expected
    weights = (1 - observed) ** 2 * (second[:, None] + first[None, :]) ** 2
    np.fill_diagonal(weights, (1 - expected - (first + second) * (1 - observed)) ** 2)
    unit = np.eye(count)
    rows = [np.outer(unit[i], np.ones(count)).ravel() for i in range(count)]
    columns = [np.outer(np.ones(count), unit[i]).ravel() for i in range(count)]
    equations, right = np.array([*rows, *columns, unit.ravel()]), np.concatenate([first, second, [observed]])
    best = largest(weights.ravel(), equations, right)
    if math.isnan(best):
        raise ValueError(f"raters with these shares cannot have a kappa of {kappa!r}")
    return max(best - (observed * expected - 2 * expected + observed) ** 2, 0.0) / (1 - expected) ** 4
