"""How items count: in clusters, and by the weights of their draw. Knows no record, and no statistic of its own.

Where weights differ, a share or a mean is that of `ppi_mean` with weights and no judge. Coefficients of agreement take
no weights; there each item stands as often as its weight asks for, and is a cluster of its own: the coefficient is then
that of the weighted table, and the standard error by clusters is the linearised one of a weighted sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fiel.stats import Estimate, Side, agreement_interval, kappa_difference, mean_interval, ppi_mean, rate_interval

A = TypeVar("A", bound=NDArray[Any])
Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_FINEST, _MOST_ROWS = 20, 400_000  # copies of the lightest item, and of all items together


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How n items count.

    Args:
        clusters: shape (n,), None where each is alone in its own.
        weights: shape (n,), 1 / P(drawn), None where chances were equal.
    """

    clusters: Codes | None
    weights: Floats | None

    def where(self, used: Flags) -> Part:
        """Some of the items, a mask of shape (n,)."""
        clusters = None if self.clusters is None else self.clusters[used]
        if clusters is not None and len(np.unique(clusters)) == len(clusters):
            clusters = None
        return Part(clusters=clusters, weights=None if self.weights is None else self.weights[used])

    def copies(self) -> tuple[Codes, Codes] | None:
        """The items, each as often as its weight asks for, and the cluster of each copy; None with equal weights."""
        if self.weights is None or not len(self.weights):
            return None
        relative = self.weights / self.weights.min()
        times = np.maximum(np.rint(relative * min(_FINEST, max(1.0, _MOST_ROWS / relative.sum()))), 1)
        rows = np.repeat(np.arange(len(relative)), times.astype(np.int64))
        return rows, rows if self.clusters is None else self.clusters[rows]


def share(values: NDArray[Any], part: Part, *, confidence: float, empty: str, side: Side = "both") -> Estimate:
    """The share of ones among values from 0 to 1, shape (n,), with `details["n_eff"]`; undefined where n is 0."""
    values = np.asarray(values, dtype=np.float64)
    if not len(values):
        return missing(empty, confidence=confidence, method="clopper-pearson", side=side)
    if unweighted(part.weights, part.clusters):
        return rate_interval(values, confidence=confidence, side=side, clusters=part.clusters)
    return _weighted(values, part, (0.0, 1.0), confidence, side)


def mean(
    values: Floats,
    part: Part,
    *,
    bounds: tuple[float, float],
    confidence: float,
    empty: str,
    side: Side = "both",
) -> Estimate:
    """The mean of values within `bounds`, shape (n,); undefined where n is 0."""
    if not len(values):
        return missing(empty, confidence=confidence, method="t", side=side)
    if unweighted(part.weights, part.clusters):
        return mean_interval(values, confidence=confidence, side=side, clusters=part.clusters, bounds=bounds)
    return _weighted(values, part, bounds, confidence, side)


def coefficient(
    statistic: Callable[..., float],
    table: Codes,
    part: Part,
    *,
    confidence: float,
    side: Side = "both",
    **options: Any,
) -> Estimate:
    """A coefficient of agreement of a table of codes, shape (n, raters), with its interval."""
    copies = part.copies()
    if copies is None:
        return agreement_interval(statistic, table, confidence=confidence, side=side, clusters=part.clusters, **options)
    rows, clusters = copies
    found = agreement_interval(statistic, table[rows], confidence=confidence, side=side, clusters=clusters, **options)
    return _said_weighted(found)


def kappa_gap(table: Codes, part: Part, *, confidence: float, **options: Any) -> Estimate:
    """The difference of two kappas, or means of kappas, of the same items."""
    copies = part.copies()
    if copies is None:
        return kappa_difference(table, clusters=part.clusters, confidence=confidence, **options)
    rows, clusters = copies
    return _said_weighted(kappa_difference(table[rows], clusters=clusters, confidence=confidence, **options))


def point(statistic: Callable[..., float], y: NDArray[Any], f: NDArray[Any], part: Part, **options: Any) -> float:
    """A statistic of two columns, weighted; NaN where it is undefined."""
    copies = part.copies()
    if copies is not None:
        y, f = y[copies[0]], f[copies[0]]
    return float(statistic(y, f, **options))


def unweighted(weights: Floats | None, clusters: Codes | None) -> bool:
    """Whether items count alike: there are no weights, or only one item or cluster to give them to."""
    if weights is None:
        return True
    return len(weights) < 2 or (clusters is not None and bool((clusters == clusters[0]).all()))


def missing(reason: str, *, confidence: float, method: str, n: int = 0, side: Side = "both") -> Estimate:
    """An Estimate without a value, for `reason`."""
    return Estimate(
        value=None, low=None, high=None, confidence=confidence, method=method, n=n, side=side, reason=reason
    )


def _weighted(values: Floats, part: Part, bounds: tuple[float, float], confidence: float, side: Side) -> Estimate:
    found = ppi_mean(
        values,
        np.full(len(values), bounds[0]),  # nobody stands beside the values
        np.zeros(0),
        confidence=confidence,
        side=side,
        bounds=bounds,
        method="ess-wilson",
        clusters=part.clusters,
        weights=part.weights,
    )
    n_eff = found.details.get("n_eff")
    details = {} if n_eff is None else {"n_eff": min(n_eff, float(len(values)))}
    method = found.method.replace("ess-wilson", "Wilson at n_eff").replace(", labels alone", "")
    return replace(found, method=method, details=details | {"n_items": float(len(values))}, notes=())


def _said_weighted(found: Estimate) -> Estimate:
    """The same, its method saying that it is weighted: the clusters are those of the copies."""
    details = {name: number for name, number in found.details.items() if name != "n_items"}
    return replace(found, method=f"{found.method.replace(', clusters', '')}, weighted by the design", details=details)
