"""Intervals for coefficients of agreement between two raters. Knows codes, not what they mean."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement import (
    Counts,
    Matrix,
    Weights,
    agreement_weights,
    as_table,
    cohen_kappa,
    confusion_matrix,
    count_categories,
    kappa_of,
    percent_agreement,
)
from fiel.stats._checks import Codes, as_clusters, cluster_codes, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._proportions import rate_interval
from fiel.stats._quantiles import t_quantile


class _Smoothed(NamedTuple):
    kappa: float
    influence: Matrix
    total: float


def agreement_interval(
    statistic: Callable[..., float],
    table: ArrayLike,
    *,
    confidence: float = 0.95,
    side: Side = "both",
    categories: int | None = None,
    weights: Weights = None,
    clusters: ArrayLike | None = None,
    method: Literal["smoothed-z"] = "smoothed-z",
) -> Estimate:
    """A coefficient of agreement of two raters with its interval.

    `cohen_kappa`: the smoothed Fisher z with t. Each of the K^2 cells gets 1 / K^2 more, kappa and its standard error
    are computed on that table, and the limits are tanh(atanh(kappa) +- t se / (1 - kappa^2)) with n - 1 degrees of
    freedom. The value is the kappa of the table as it is, and the limits are widened where needed to hold it. With
    clusters, one average cluster is spread over the cells (n / G in all), the squares of influence are those of the
    clusters' sums, times G / (G - 1), and t has G - 1 degrees of freedom. Below 30 items or clusters read the interval
    with caution.

    `percent_agreement`: `rate_interval` of whether the two agree.

    Args:
        statistic: `cohen_kappa` or `percent_agreement`.
        table: shape (items, 2), integer codes from 0, -1 for none; items without both ratings are left out.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is the end of the scale.
        categories: the number of categories of the scale; by default as many as the highest code asks for.
        weights: as in `cohen_kappa`.
        clusters: shape (items,), the cluster of each item.
        method: of the interval of a kappa; "smoothed-z" is the only one.

    Raises:
        ValueError: on another statistic or method, a table without exactly two columns, or codes out of range.

    Fleiss, Cohen and Everitt (1969) for the standard error.

    >>> table = [[0, 0]] * 20 + [[0, 1]] * 5 + [[1, 0]] * 10 + [[1, 1]] * 15
    >>> print(agreement_interval(cohen_kappa, table))
    0.40 [0.11, 0.61] n=50
    """
    tail(confidence, side)
    if method != "smoothed-z":
        raise ValueError(f'method must be "smoothed-z", got {method!r}')
    if statistic is not cohen_kappa and statistic is not percent_agreement:
        raise ValueError("statistic must be cohen_kappa or percent_agreement; the others have no interval yet")
    codes = as_table(table)
    if codes.shape[1] != 2:
        raise ValueError(f"table has {codes.shape[1]} columns; an interval needs exactly two raters")
    scale = count_categories(categories, table=codes)
    names = None if clusters is None else as_clusters("clusters", clusters, len(codes))
    both = (codes >= 0).all(axis=1)
    codes, names = codes[both], None if names is None else names[both]
    if statistic is percent_agreement:
        if weights is not None:
            raise ValueError("weights belong to cohen_kappa; percent_agreement has none")
        return rate_interval(codes[:, 0] == codes[:, 1], confidence=confidence, side=side, clusters=names)
    matrix = agreement_weights(weights, scale)
    return _kappa_interval(codes, matrix, names, confidence, side)


def _kappa_interval(
    pairs: NDArray[np.int64], weights: Matrix, names: NDArray[Any] | None, confidence: float, side: Side
) -> Estimate:
    counts = confusion_matrix(pairs[:, 0], pairs[:, 1], categories=len(weights))
    kappa, n = kappa_of(counts, 1 - weights), len(pairs)
    codes, units, method = None, n, "smoothed-z"
    if names is not None:
        (codes,), units = cluster_codes(names)
        method = "smoothed-z, clusters"
    reason = _why_undefined(kappa, n, units)
    if reason:
        return undefined(reason, confidence=confidence, method=method, n=units, side=side)
    smoothed = _smooth(counts, weights, n / units)
    error = _standard_error(smoothed, counts, pairs, codes, units)
    details = {"kappa_smoothed": smoothed.kappa, "se_smoothed": error, "n_items": float(n)}
    details["observed_agreement"] = float((counts * weights).sum()) / n
    if abs(smoothed.kappa) >= 1:  # possible with a weights matrix of one's own alone
        reason = "with these weights kappa falls below -1, where the Fisher z has no value"
        return undefined(reason, confidence=confidence, method=method, n=units, side=side, details=details)
    centre = math.atanh(smoothed.kappa)
    reach = t_quantile(tail(confidence, side), units - 1) * error / (1 - smoothed.kappa**2)
    low = min(-1.0, kappa) if side == "upper" else min(math.tanh(centre - reach), kappa)
    high = 1.0 if side == "lower" else max(math.tanh(centre + reach), kappa)
    return Estimate(
        value=kappa, low=low, high=high, confidence=confidence, method=method, n=units, side=side, details=details
    )


def _why_undefined(kappa: float, n: int, units: int) -> str | None:
    if n == 0:
        return "no item has both ratings"
    if math.isnan(kappa):
        return "both raters gave the same code to every item, so chance agrees always and kappa is 0/0"
    if units < 2:
        return "one item has no interval" if n == 1 else "one cluster has no interval"
    return None


def _smooth(counts: Counts, weights: Matrix, added: float) -> _Smoothed:
    """Kappa and the influence of a pair in each cell, with `added` pairs spread evenly over the K^2 cells."""
    raised = counts + added / counts.size
    total = float(raised.sum())
    shares = raised / total
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    row_weights, column_weights = rows @ weights, weights @ columns
    observed, expected = float((shares * weights).sum()), float(rows @ weights @ columns)
    kappa = (observed - expected) / (1 - expected)
    drift = column_weights[:, None] + row_weights[None, :] - 2 * expected
    influence = (weights - observed - (1 - kappa) * drift) / (1 - expected)
    return _Smoothed(kappa, influence, total)


def _standard_error(
    smoothed: _Smoothed, counts: Counts, pairs: NDArray[np.int64], codes: Codes | None, units: int
) -> float:
    squares = smoothed.influence**2
    if codes is None:
        items, added = float((counts * squares).sum()), 1.0
    else:
        sums = np.bincount(codes, weights=smoothed.influence[pairs[:, 0], pairs[:, 1]])
        items, added = float(sums @ sums) * units / (units - 1), len(pairs) / units
    return math.sqrt(items + added**2 * float(squares.mean())) / smoothed.total
