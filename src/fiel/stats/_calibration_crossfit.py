"""Recalibrated values for the very items that a map is learnt from: each by maps that have not seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._calibration_inputs import as_forecasts, check_whole
from fiel.stats._checks import Floats, as_clusters, cluster_codes
from fiel.stats._recalibration import Recalibration


@dataclass(frozen=True, slots=True, eq=False)
class CrossFit:
    """What `crossfit` returns. Called on probabilities of new items, it gives the mean of its maps.

    Args:
        values: shape (n,), each item recalibrated by the map of the folds that it is not in.
        folds: shape (n,), the fold of each item, from 0.
        maps: one for each fold, fitted on the others.
    """

    values: Floats
    folds: NDArray[np.intp]
    maps: tuple[Recalibration, ...]

    def __call__(self, probability: ArrayLike) -> Floats:
        """The mean over the maps of the recalibrated probabilities, of shape (N,)."""
        found: Floats = np.mean([recalibrate(probability) for recalibrate in self.maps], axis=0)
        return found


def crossfit(
    fit: Callable[..., Recalibration],
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    folds: int = 5,
    rng: np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> CrossFit:
    """Recalibrate each item by a map that was fitted without it, nor anything of its cluster.

    A statistic of `values` against `outcome` is then one of recalibration on new items; values of a map on the items
    that it was fitted on flatter it.

    Args:
        fit: `fit_platt`, `fit_temperature`, `fit_isotonic`, or any function that takes outcomes, probabilities and
            (where they are given) `weights=` by keyword, and returns a map.
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        folds: into how many parts the items, or the clusters, are divided; at most as many as there are of them.
        rng: divides them at random. Without it they go to the folds in turn, which is as good for items that were
            drawn at random, and always the same.
        clusters: shape (n,), the cluster of each item; a cluster is never divided.
        weights: shape (n,), what each item counts in the fits.

    Raises:
        ValueError: on fewer than two items or clusters, `folds` below 2, input out of range, or what `fit` raises.

    The cross-prediction of Zrnic and Candès (2024), arXiv:2309.16598, where the maps of the folds are averaged too.

    >>> from fiel.stats import fit_platt
    >>> y, p = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    >>> found = crossfit(fit_platt, y, p, folds=3)
    >>> found.folds.tolist(), found.values.round(2).tolist()
    ([0, 1, 2, 0, 1, 2], [0.22, 0.35, 0.18, 0.82, 0.65, 0.78])
    """
    check_whole("folds", folds, least=2)
    y, p, w = as_forecasts(outcome, probability, weights, keep=True)
    codes, count = np.arange(len(y)), len(y)
    if clusters is not None:
        (codes,), count = cluster_codes(as_clusters("clusters", clusters, len(y)))
    if count < 2:
        units = "item" if clusters is None else "cluster"
        raise ValueError(f"outcome holds {count} {units}{'s' * (count != 1)}; cross-fitting needs at least two")
    parts = min(folds, count)
    turn = np.arange(count) if rng is None else rng.permutation(count)
    fold = turn[codes] % parts
    values, maps = np.empty(len(y)), []
    for part in range(parts):
        rest = fold != part
        options: dict[str, Any] = {} if weights is None else {"weights": w[rest]}
        recalibrate = fit(y[rest], p[rest], **options)
        values[~rest] = recalibrate(p[~rest])
        maps.append(recalibrate)
    return CrossFit(values=values, folds=fold, maps=tuple(maps))
