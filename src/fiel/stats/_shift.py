"""Whether the labelled items look like the rest, as far as the judge sees them. Knows no label."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, as_clusters, as_vector, check_confidence, cluster_codes
from fiel.stats._proportions import cluster_variance
from fiel.stats._quantiles import normal_cdf


@dataclass(frozen=True, kw_only=True, slots=True)
class ShiftCheck:
    """How the judge's values on labelled items differ from those on the others.

    Args:
        different: whether they surely do; None where one of the samples is too small to say.
        p_value: twice the smaller of the two below, at most 1; None where there is nothing to compare.
        mean_difference: labelled less unlabelled.
        p_mean: of a difference of the means.
        distance: Kolmogorov and Smirnov's, the largest difference of the two distribution functions.
        p_distance: of that distance; too large where many values are equal.
        n_labelled: how many labelled items there are.
        n_unlabelled: how many others.
    """

    different: bool | None
    p_value: float | None
    mean_difference: float | None
    p_mean: float | None
    distance: float | None
    p_distance: float | None
    n_labelled: int
    n_unlabelled: int

    def __str__(self) -> str:
        if self.p_value is None or self.mean_difference is None or self.distance is None:
            return f"nothing to compare: {self.n_labelled} labelled and {self.n_unlabelled} other items"
        found = f"mean {self.mean_difference:+.3f}, distance {self.distance:.3f}, p = {self.p_value:.2g}"
        if self.different:
            return f"the labelled items do not look like the rest ({found})"
        return f"no difference seen between the labelled items and the rest ({found})"


def shift_check(
    f: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    confidence: float = 0.99,
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
) -> ShiftCheck:
    """Compare the judge's values on labelled items with those on the others.

    A random draw makes the two alike. Where they differ the labels do not stand for the rest, and no correction by
    `ppi_mean` is to be believed. That no difference is seen proves nothing: the judge may not see what differs. Labels
    drawn with unequal chances differ on purpose; do not check those.

    Args:
        f: shape (n,), the judge on the labelled items, in any unit.
        f_unlabelled: shape (N,), on the others.
        confidence: how sure one has to be to call them different.
        clusters: shape (n,), the cluster of each labelled item: what n items are worth is then less (Kish 1965).
        clusters_unlabelled: shape (N,), that of the others.

    Raises:
        ValueError: on values that are not finite, or clusters for one sample only.

    Smirnov (1948), with the small-sample factor of Stephens (1970); Welch's statistic for the means, with normal
    limits; Bonferroni for the two.

    >>> print(shift_check([0.1, 0.2, 0.3, 0.2] * 10, [0.6, 0.9, 0.7, 0.8] * 50))
    the labelled items do not look like the rest (mean -0.550, distance 1.000, p = 0)
    """
    check_confidence(confidence)
    ours, others = as_vector("f", f), as_vector("f_unlabelled", f_unlabelled)
    n, rest = len(ours), len(others)
    if (clusters is None) != (clusters_unlabelled is None):
        missing = "clusters" if clusters is None else "clusters_unlabelled"
        raise ValueError(f"{missing} is missing; name the clusters of both samples, or of neither")
    worth = [float(n), float(rest)]
    for place, (name, names, x) in enumerate(
        (("clusters", clusters, ours), ("clusters_unlabelled", clusters_unlabelled, others))
    ):
        if names is not None:
            worth[place] = _worth(x, name, names)
    if min(worth) < 2:
        nothing = dict.fromkeys(("different", "p_value", "mean_difference", "p_mean", "distance", "p_distance"))
        return ShiftCheck(**nothing, n_labelled=n, n_unlabelled=rest)
    difference = float(ours.mean() - others.mean())
    error = math.sqrt(float(ours.var(ddof=1)) / worth[0] + float(others.var(ddof=1)) / worth[1])
    same = abs(difference) <= 1e-12 * max(float(np.abs(ours).max()), float(np.abs(others).max()), 1e-300)
    p_mean = 1.0 if same else 0.0 if error == 0 else 2 * normal_cdf(-abs(difference) / error)
    distance = _distance(ours, others)
    p_distance = _smirnov(distance, worth[0] * worth[1] / (worth[0] + worth[1]))
    p = min(2 * min(p_mean, p_distance), 1.0)
    return ShiftCheck(
        different=p <= 1 - confidence,
        p_value=p,
        mean_difference=difference,
        p_mean=p_mean,
        distance=distance,
        p_distance=p_distance,
        n_labelled=n,
        n_unlabelled=rest,
    )


def _worth(x: Floats, name: str, clusters: ArrayLike) -> float:
    """What clustered values are worth in independent ones: var / n over the cluster-robust variance of their mean."""
    (codes,), count = cluster_codes(as_clusters(name, clusters, len(x)))
    if count < 2:
        return float(count)
    variance = cluster_variance(x, codes, count)
    alone = float(x.var(ddof=1))
    return float(len(x)) if variance <= 0 else min(alone / variance, float(len(x)))


def _distance(a: Floats, b: Floats) -> float:
    a, b = np.sort(a), np.sort(b)
    every = np.concatenate([a, b])
    below_a, below_b = (np.searchsorted(x, every, side="right") / len(x) for x in (a, b))
    return float(np.abs(below_a - below_b).max())


def _smirnov(distance: float, size: float) -> float:
    """P(a distance at least so large), by the asymptotic series at Stephens's corrected argument."""
    root = math.sqrt(size)
    x = (root + 0.12 + 0.11 / root) * distance
    if x < 0.2:  # the series needs more terms there, and the probability is 1 to 12 digits
        return 1.0
    total = sum(math.exp(-2 * k * k * x * x) * (1.0 if k % 2 else -1.0) for k in range(1, 101))
    return min(max(2 * total, 0.0), 1.0)
