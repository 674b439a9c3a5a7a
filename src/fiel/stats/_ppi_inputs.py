"""Turns the arguments of the prediction-powered functions into a sample, or says what is wrong. Knows no method."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._checks import (
    Codes,
    Floats,
    as_clusters,
    as_vector,
    check_same_length,
    cluster_codes,
    to_unit,
)
from fiel.stats._ess import Clusters, Sample, Strata

_WHOLE = 1e-6  # how far from 1 given shares may add up


def read_sample(  # noqa: PLR0913  (the two samples and all that says how they were drawn)
    y: ArrayLike,
    f: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    bounds: tuple[float, float],
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    strata_unlabelled: ArrayLike | None = None,
    shares: Mapping[Any, float] | None = None,
    weights: ArrayLike | None = None,
) -> Sample:
    """The sample on the scale 0..1; ValueError names the argument and the fix."""
    named = (("y", y), ("f", f), ("f_unlabelled", f_unlabelled))
    labels, judge, others = (to_unit(name, x, bounds) for name, x in named)
    check_same_length("y", labels, "f", judge)
    if weights is not None and strata is not None:
        raise ValueError("give weights or strata: the strata already say what each label counts")
    return Sample(
        y=labels,
        f=judge,
        u=others,
        clusters=_clusters(clusters, clusters_unlabelled, len(labels), len(others)),
        weights=None if weights is None else _weights(weights, len(labels)),
        strata=_strata(strata, strata_unlabelled, shares, len(labels), len(others)),
    )


def _clusters(ours: ArrayLike | None, others: ArrayLike | None, n: int, rest: int) -> Clusters | None:
    if ours is None and others is None:
        return None
    if ours is None or (others is None and rest):
        missing = "clusters" if ours is None else "clusters_unlabelled"
        raise ValueError(f"{missing} is missing; name the clusters of both samples, or of neither")
    named = as_clusters("clusters", ours, n)
    named_rest = named[:0] if others is None else as_clusters("clusters_unlabelled", others, rest)
    (codes, codes_rest), count = cluster_codes(named, named_rest)
    return Clusters(codes, codes_rest, count)


def _weights(weights: ArrayLike, n: int) -> Floats:
    array = as_vector("weights", weights)
    if len(array) != n:
        raise ValueError(f"weights has {len(array)} entries for {n} labels; give 1 / P(drawn) of every labelled item")
    wrong = np.flatnonzero(array <= 0)
    if wrong.size:
        raise ValueError(f"weights holds {float(array[wrong[0]])!r} at position {wrong[0]}; 1 / P(drawn) is above 0")
    return array


def _strata(
    ours: ArrayLike | None, others: ArrayLike | None, shares: Mapping[Any, float] | None, n: int, rest: int
) -> Strata | None:
    if ours is None:
        if others is not None or shares is not None:
            raise ValueError("strata is missing; name the stratum of every labelled item")
        return None
    if others is None and (rest or shares is None):
        raise ValueError("strata_unlabelled is missing; name the stratum of every item without a label")
    named = _names("strata", ours, n)
    named_rest = [] if others is None else _names("strata_unlabelled", others, rest)
    order: dict[Any, int] = {}
    codes, codes_rest = (
        np.fromiter((order.setdefault(x, len(order)) for x in names), dtype=np.intp, count=len(names))
        for names in (named, named_rest)
    )
    if shares is None:
        counts = np.bincount(np.concatenate([codes, codes_rest]), minlength=len(order)).astype(np.float64)
        found, frame = counts / max(counts.sum(), 1.0), float(n + rest)
    else:
        found, frame = _shares(shares, order), float("inf")
    _check_labelled(codes, found, order)
    return Strata(codes, codes_rest, found, frame)


def _names(name: str, values: ArrayLike, length: int) -> list[Any]:
    array: NDArray[Any] = as_clusters(name, values, length)
    names: list[Any] = array.tolist()
    return names


def _shares(shares: Mapping[Any, float], order: dict[Any, int]) -> Floats:
    if missing := [x for x in order if x not in shares]:
        raise ValueError(f"shares has no entry for stratum {missing[0]!r}; give the share of every stratum")
    for name in shares:
        order.setdefault(name, len(order))
    found = as_vector("shares", [shares[x] for x in order])
    if (found < 0).any() or abs(float(found.sum()) - 1) > _WHOLE:
        raise ValueError(f"shares add up to {float(found.sum()):.6g}; give each stratum's share of the frame, 1 in all")
    normalised: Floats = found / found.sum()
    return normalised


def _check_labelled(codes: Codes, shares: Floats, order: dict[Any, int]) -> None:
    counts = np.bincount(codes, minlength=len(order))
    for name, code in order.items():
        if len(codes) and not counts[code] and shares[code] > 0:
            raise ValueError(f"strata has no label in stratum {name!r}; label some of it, or join it to another")
