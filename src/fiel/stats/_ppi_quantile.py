"""Quantiles of what people would say of all items, corrected by a judge. Knows means of indicators alone."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, check_bounds, from_unit, tail
from fiel.stats._ess import Sample
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._ppi import Method, check_draw, solved
from fiel.stats._ppi_details import notes, seen
from fiel.stats._ppi_inputs import read_sample
from fiel.stats._ppi_methods import Solved


def ppi_quantile(  # noqa: PLR0913  (two samples, their clusters, and how to read them)
    y: ArrayLike,
    f: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    q: float = 0.5,
    confidence: float = 0.95,
    side: Side = "both",
    method: Method = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
) -> Estimate:
    """The smallest score that at least a share `q` of all items does not exceed, as people would score them.

    F(t), the share of items that score at most t, is a mean that `ppi_mean` corrects with what the judge says of it;
    the interval of the quantile holds every t at which the interval of F(t) holds q. It is found by halving over the
    values that occur, which takes F's limits to rise.

    Args:
        y: shape (n,), labels within `bounds`.
        f: shape (n,), the judge on the labelled items, on the same scale.
        f_unlabelled: shape (N,), the judge on the items without a label.
        q: the share, above 0 and below 1; 0.5 for the median.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound; the other limit is then that of `bounds`.
        method: of the mean; see `ppi_mean`.
        bounds: the lowest and highest value of the scale.
        clusters: shape (n,), the cluster of each labelled item.
        clusters_unlabelled: shape (N,), that of the others.

    Returns:
        Estimate, its limits among the values that occur or at `bounds`. Details as the first ones of `ppi_mean`.

    Raises:
        ValueError: as `ppi_mean`; or when `q` is not between 0 and 1.

    Angelopoulos et al. (2023), arXiv:2301.09633, section 2.2, with the intervals of `ppi_mean` in the place of theirs.

    >>> y, f = [0.2, 0.4, 0.5, 0.6, 0.9, 0.7, 0.3, 0.8], [0.3, 0.4, 0.4, 0.7, 0.8, 0.7, 0.2, 0.9]
    >>> print(ppi_quantile(y, f, [0.1, 0.5, 0.4, 0.6, 0.9, 0.3]))
    0.50 [0.30, 0.80] n=8
    """
    if not 0 < q < 1:
        raise ValueError(f"q must lie between 0 and 1 (0.5 for the median), got {q!r}")
    bounds = check_bounds(bounds)
    upto = tail(confidence, side)
    sample = read_sample(y, f, f_unlabelled, bounds=bounds, clusters=clusters, clusters_unlabelled=clusters_unlabelled)
    check_draw(sample, method, recalibrate=None)
    details = seen(sample, bounds) | {"q": q}
    if sample.units < (1 if sample.clusters is None else 2):
        reason = "labels from one cluster have no interval" if sample.units else "no labels"
        return undefined(reason, confidence=confidence, method=method, n=sample.units, side=side, details=details)
    grid = np.unique(np.concatenate([sample.y, sample.f, sample.u]))
    crosswise: dict[Side, Side] = {"both": "both", "lower": "upper", "upper": "lower"}
    inner = crosswise[side]  # an upper limit of F bounds the quantile from below

    def share(t: float) -> Solved:
        ours, judge, others = ((x <= t).astype(np.float64) for x in (sample.y, sample.f, sample.u))
        return solved(Sample(y=ours, f=judge, u=others, clusters=sample.clusters), method, inner)

    value = _first(grid, lambda t: share(t).value >= q)
    low, high = 0.0, 1.0
    if side != "upper":
        low = _first(grid, lambda t: share(t).limits(upto, inner)[1] >= q)
        low = 0.0 if low <= grid[0] else low  # nothing was seen below the first value, and something may be there
    if side != "lower":
        high = _first(grid, lambda t: share(t).limits(upto, inner)[0] >= q)
    used = share(value).method
    return Estimate(
        value=from_unit(value, bounds),
        low=from_unit(min(low, value), bounds),
        high=from_unit(max(high, value), bounds),
        confidence=confidence,
        method=f"quantile, {used}",
        n=sample.units,
        side=side,
        details=details,
        notes=notes(details),
    )


def _first(grid: Floats, reached: Callable[[float], bool]) -> float:
    """The first value of a rising grid at which something holds that holds from there on; 1 where it never does."""
    low, high = 0, len(grid)
    while low < high:
        middle = (low + high) // 2
        if reached(float(grid[middle])):
            high = middle
        else:
            low = middle + 1
    return float(grid[low]) if low < len(grid) else 1.0
