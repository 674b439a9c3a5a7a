"""Intraclass correlation: the six forms of Shrout and Fleiss, with F intervals. Knows numbers, not who gave them."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._agreement_codes import as_table
from fiel.stats._checks import Floats, as_vector, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._quantiles import f_quantile

Model = Literal["oneway", "random", "fixed"]
Unit = Literal["single", "average"]

_ROUNDING = 1e-13  # of the whole sum of squares: a part as small as this is none


class _Squares(NamedTuple):
    """Mean squares of n items by k raters: between items, within items, between raters, residual."""

    n: int
    k: int
    items: float
    within: float
    raters: float
    residual: float


def icc(table: ArrayLike, *, model: Model = "random", unit: Unit = "single", values: ArrayLike | None = None) -> float:
    """The intraclass correlation: the share of the variance of the ratings that is between items.

    | | `unit="single"` | `unit="average"` |
    |---|---|---|
    | `model="oneway"`: other raters for each item | ICC(1,1) | ICC(1,k) |
    | `model="random"`: these raters stand for others; their levels count as error | ICC(2,1) | ICC(2,k) |
    | `model="fixed"`: these raters alone; their levels do not count | ICC(3,1) | ICC(3,k) |

    Args:
        table: shape (items, raters). Integers are codes: -1 is a missing one, and an item with one is left out. Floats
            are the ratings themselves, in any unit, every one of them given.
        model: see above.
        unit: the reliability of one rating, or of the mean of as many ratings as there are raters.
        values: shape (categories,), the number that each code stands for; by default the code itself.

    Returns:
        At most 1, and below 0 where items differ less than ratings of one item do. NaN with fewer than two complete
        items, where no rating differs from another, or where a variance component that divides is not above 0.

    Raises:
        ValueError: on a table with fewer than two columns, NaN, or codes without a value.

    Shrout and Fleiss (1979), table 3 and page 426.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> round(icc(ratings), 4), round(icc(ratings, model="fixed", unit="average"), 4)
    (0.2898, 0.9093)
    """
    _check(model, unit)
    squares = _squares(_ratings(table, values))
    return math.nan if squares is None else _coefficient(squares, model, unit)


def icc_interval(
    table: ArrayLike,
    *,
    model: Model = "random",
    unit: Unit = "single",
    values: ArrayLike | None = None,
    confidence: float = 0.95,
    side: Side = "both",
) -> Estimate:
    """The intraclass correlation with its interval from the F distribution.

    Ratings of normal errors are assumed: on a coarse scale, or with few items, `agreement_interval` of Krippendorff's
    alpha assumes less. Where the raters never differ by more than their levels, F has no value and neither has the
    interval: perfect agreement in a sample does not make certain of the next item.

    Args:
        table: as in `icc`.
        model: as in `icc`.
        unit: as in `icc`.
        values: as in `icc`.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`. The other limit of a "lower" bound is 1; that
            of an "upper" one is -1 / (raters - 1) for single ratings, and None for their mean, which has no lower end.

    Returns:
        Estimate, with n the number of complete items; its details hold F, the mean square of items by that of error.

    Raises:
        ValueError: as `icc` does.

    Shrout and Fleiss (1979), pages 424 to 427; McGraw and Wong (1996), table 7, for the mean of random raters.

    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> print(icc_interval(ratings))
    0.29 [0.02, 0.76] n=6
    """
    upto = tail(confidence, side)
    _check(model, unit)
    ratings = _ratings(table, values)
    squares = _squares(ratings)
    method = f"F, {model}, {unit}"
    if squares is None:
        why = "no rating differs from another" if len(ratings) > 1 else "fewer than two items have every rating"
        return undefined(why, confidence=confidence, method=method, n=len(ratings), side=side)
    value = _coefficient(squares, model, unit)
    error = squares.within if model == "oneway" else squares.residual
    reason = _why_undefined(value, squares, model, error)
    if reason is None:
        low, high = _single_limits(squares, model, upto)
        if unit == "average":
            low, high = _stepped_up(low, squares.k), _stepped_up(high, squares.k)
        if math.isinf(low) and side != "upper":
            reason = "with these mean squares the lower limit has no value"
    if reason is not None:
        return undefined(reason, confidence=confidence, method=method, n=squares.n, side=side)
    end = -1 / (squares.k - 1) if unit == "single" else None
    low = low if end is None else max(low, end)
    return Estimate(
        value=value,
        low=end if side == "upper" else min(low, value),
        high=1.0 if side == "lower" else min(max(high, value), 1.0),
        confidence=confidence,
        method=method,
        n=squares.n,
        side=side,
        details={"F": squares.items / error},
    )


def _check(model: str, unit: str) -> None:
    if model not in get_args(Model):
        raise ValueError(f'model must be "oneway", "random" or "fixed", got {model!r}')
    if unit not in get_args(Unit):
        raise ValueError(f'unit must be "single" or "average", got {unit!r}')


def _ratings(table: ArrayLike, values: ArrayLike | None) -> Floats:
    """The complete items, as numbers."""
    try:
        array = np.asarray(table)
    except ValueError as error:
        raise ValueError("table must hold rows of one length, one column for each rater") from error
    if array.ndim == 2 and array.dtype.kind == "f":
        if values is not None:
            raise ValueError("values belong to integer codes; a table of floats holds the ratings themselves")
        if not np.isfinite(array).all():
            raise ValueError("table holds NaN or infinite ratings; leave these items out, or give codes with -1")
        ratings = array.astype(np.float64)
    else:
        codes = as_table(table)
        codes = codes[(codes >= 0).all(axis=1)]
        if values is None:
            ratings = codes.astype(np.float64)
        else:
            numbers = as_vector("values", values)
            if codes.size and codes.max() >= len(numbers):
                raise ValueError(f"values has {len(numbers)} numbers, but code {codes.max()} occurs; give one for each")
            ratings = numbers[codes]
    if ratings.shape[1] < 2:
        raise ValueError(f"table has {ratings.shape[1]} columns; reliability needs two raters or more")
    return ratings


def _squares(ratings: Floats) -> _Squares | None:
    """Mean squares; None where they have no degrees of freedom, or nothing varies."""
    n, k = ratings.shape
    if n < 2 or np.ptp(ratings) == 0:
        return None
    x = ratings - ratings.mean()
    x = x / np.abs(x).max()
    of_items, of_raters = x.mean(axis=1), x.mean(axis=0)
    whole = float((x * x).sum())
    between, raters = k * float(of_items @ of_items), n * float(of_raters @ of_raters)
    within = float(((x - of_items[:, None]) ** 2).sum())
    residual = float(((x - of_items[:, None] - of_raters[None, :]) ** 2).sum())
    between, raters, within, residual = (
        s if s > _ROUNDING * whole else 0.0 for s in (between, raters, within, residual)
    )
    return _Squares(n, k, between / (n - 1), within / (n * (k - 1)), raters / (k - 1), residual / ((n - 1) * (k - 1)))


def _coefficient(squares: _Squares, model: Model, unit: Unit) -> float:
    n, k, items, within, raters, residual = squares
    error = within if model == "oneway" else residual
    below = items + ((k - 1) * error if unit == "single" else 0.0)
    if model == "random":
        below += (k if unit == "single" else 1) * (raters - residual) / n
    return (items - error) / below if below > _ROUNDING * (items + error) else math.nan


def _why_undefined(value: float, squares: _Squares, model: Model, error: float) -> str | None:
    if math.isnan(value):
        return "items do not differ beyond the error of their ratings, and the ratio has no value"
    if error == 0:
        return "the ratings of each item never differ beyond the raters' levels, so F has no value"
    if squares.items == 0:
        return "all items have the same mean, so F is 0 and its limits have no width"
    if _coefficient(squares, model, "single") < -1 / (squares.k - 1):
        return "the coefficient falls below -1 / (raters - 1), the end of its scale; there are too few items"
    return None


def _single_limits(squares: _Squares, model: Model, upto: float) -> tuple[float, float]:
    """Limits for single ratings."""
    n, k, items, within, raters, residual = squares
    if model != "random":
        error, df = (within, n * (k - 1)) if model == "oneway" else (residual, (n - 1) * (k - 1))
        ratio = items / error
        below, above = ratio / f_quantile(upto, n - 1, df), ratio * f_quantile(upto, df, n - 1)
        return (below - 1) / (below + k - 1), (above - 1) / (above + k - 1)
    shared = _satterthwaite(squares)
    below, above = f_quantile(upto, n - 1, shared), f_quantile(upto, shared, n - 1)
    spread = k * raters + (k * n - k - n) * residual
    low = n * (items - below * residual) / (below * spread + n * items)
    high = n * (above * items - residual) / (spread + n * above * items)
    return low, high


def _satterthwaite(squares: _Squares) -> float:
    """The degrees of freedom that stand for the residual and the raters together."""
    n, k, _, _, raters, residual = squares
    rho = _coefficient(squares, "random", "single")
    first, second = k * rho * raters / residual, n * (1 + (k - 1) * rho) - k * rho
    return (k - 1) * (n - 1) * (first + second) ** 2 / ((n - 1) * first**2 + second**2)


def _stepped_up(single: float, k: int) -> float:
    """The reliability of a mean of k ratings from that of one (Spearman and Brown); minus infinity beyond its end."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 0 else -math.inf
