"""The standard error of a mean when items come in clusters. Knows no interval."""

import math
from typing import Literal

from numpy.typing import ArrayLike

from fiel.stats._checks import as_clusters, as_vector, cluster_codes
from fiel.stats._proportions import cluster_variance


def cluster_standard_error(
    values: ArrayLike, clusters: ArrayLike, *, correction: Literal["CR0", "CR1"] = "CR1"
) -> float:
    """The cluster-robust standard error of the mean, in the unit of the values.

    "CR0" is the root of the sum over clusters of (sum of residuals)^2, by n. It is too small with few clusters; "CR1"
    multiplies its square by G / (G - 1) for G clusters, and belongs to t with G - 1 degrees of freedom, as in
    `mean_interval`.

    Args:
        values: shape (n,), in any unit.
        clusters: shape (n,), the cluster of each item.
        correction: for a small number of clusters, see above.

    Returns:
        The standard error; NaN with fewer than two clusters, which say nothing about others.

    Raises:
        ValueError: when a value is not finite, or an item has no cluster.

    Liang and Zeger (1986), for the mean; Cameron and Miller (2015), section VI.B.

    >>> round(cluster_standard_error([0, 0, 1, 1], ["a", "a", "b", "b"]), 6)
    0.5
    """
    if correction not in ("CR0", "CR1"):
        raise ValueError(f'correction must be "CR0" or "CR1", got {correction!r}')
    x = as_vector("values", values)
    (codes,), count = cluster_codes(as_clusters("clusters", clusters, len(x)))
    if count < 2:
        return math.nan
    variance = cluster_variance(x, codes, count)
    return math.sqrt(variance if correction == "CR1" else variance * (count - 1) / count)
