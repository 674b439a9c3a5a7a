"""A corrected mean from labels that were not all equally likely: strata, weights, and clusters with either.

Knows samples from 0 to 1; knows no names of methods and no Estimate.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fiel.stats._checks import Codes, Floats
from fiel.stats._ess import Clusters, Sample, Strata, correct
from fiel.stats._proportions import cluster_variance


class Uneven(NamedTuple):
    """A corrected mean from 0 to 1, lambda, the parts of its variance, its effective size, degrees of freedom of t."""

    value: float
    weight: float
    variance_labels: float
    variance_judge: float
    n_eff: float
    df: float


def by_strata(sample: Sample, strata: Strata) -> Uneven:
    """StratPPI with the tuned lambda and the jackknife of `correct` in each stratum.

    theta = sum W theta_h, V = sum W^2 V_h + sum W (theta_h - theta)^2 / frame; t with n - H degrees of freedom. A
    stratum with one label has the variance 1/4, the largest there is.
    """
    values, labels, judges, weights = (np.zeros(len(strata.shares)) for _ in range(4))
    sizes = np.bincount(strata.labelled, minlength=len(strata.shares))
    for h in np.flatnonzero(strata.shares > 0):
        ours, others = strata.labelled == h, strata.others == h
        found = correct(Sample(y=sample.y[ours], f=sample.f[ours], u=sample.u[others]), added=False)
        values[h], weights[h] = found.value, found.weight
        labels[h] = found.variance_labels if sizes[h] > 1 else 0.25
        judges[h] = found.variance_judge
    shares = strata.shares
    value = float(shares @ values)
    between = float(shares @ (values - value) ** 2) / strata.frame
    used = sizes > 0
    kish = 1 / float((shares[used] ** 2 / sizes[used]).sum())
    return _uneven(
        value=value,
        weight=float(shares @ weights),
        labels=float(shares**2 @ labels),
        judge=float(shares**2 @ judges) + between,
        worth=kish,
        df=len(sample.y) - int((shares > 0).sum()),
    )


def by_weights(sample: Sample, weights: Floats) -> Uneven:
    """Theta = lambda mean(f over all judged) + weighted mean(y - lambda f), and its variance.

    Labels: the delete-one jackknife over items or clusters, lambda refitted in each, at least 0.5 / (n_kish units).
    Judge: lambda^2 var(f) / (n + N), over clusters where there are any. t with one less than the units, which without
    clusters are Kish's n = (sum w)^2 / sum w^2.
    """
    y, f, w = sample.y, sample.f, weights / weights.sum()
    judged = np.concatenate([f, sample.u])
    centre = float(judged.mean()) if len(sample.u) else None
    kish = 1 / float(w @ w)
    if sample.clusters is None:
        codes: Codes = np.arange(len(y))
        count, units = len(y), kish
        spread = float(judged.var(ddof=1)) / len(judged) if len(judged) > 1 else 0.0
    else:
        _, codes = np.unique(sample.clusters.labelled, return_inverse=True)
        count = units = int(codes.max()) + 1
        spread = _clustered_spread(judged, sample.clusters)
    parts = _weighted_sums(y, f, w, codes)
    point, weight = (float(x) for x in _weighted_point(parts.sum(axis=1), centre))
    jackknife = 0.25  # of one unit nothing can be left out
    if count > 1:
        left, _ = _weighted_point(parts.sum(axis=1, keepdims=True) - parts, centre)
        jackknife = (count - 1) / count * float(((left - left.mean()) ** 2).sum())
    return _uneven(
        value=point,
        weight=weight,
        labels=max(jackknife, 0.5 / (kish * units)),
        judge=weight**2 * spread,
        worth=min(kish, float(units)),
        df=units - 1,
    )


def weights_of(strata: Strata) -> Floats:
    """What each label counts by its stratum: share / number of labels."""
    counts = np.bincount(strata.labelled, minlength=len(strata.shares))
    found: Floats = (strata.shares / np.maximum(counts, 1))[strata.labelled]
    return found


def as_weighted(sample: Sample) -> Sample:
    """The sample with weights in the place of strata."""
    return sample if sample.strata is None else replace(sample, weights=weights_of(sample.strata), strata=None)


def _uneven(*, value: float, weight: float, labels: float, judge: float, worth: float, df: float) -> Uneven:
    value = min(max(value, 0.0), 1.0)
    spread = value * (1 - value)
    n_eff = spread / (labels + judge) if spread > 0 else worth
    return Uneven(value, weight, labels, judge, max(n_eff, 1.0), max(df, 1.0))


def _weighted_sums(y: Floats, f: Floats, w: Floats, codes: Codes) -> Floats:
    """Sums of w, w y, w f, w^2, w^2 y, w^2 f, w^2 y f and w^2 f^2 over the items of each code, shape (8, codes)."""
    square = w * w
    rows = (w, w * y, w * f, square, square * y, square * f, square * y * f, square * f * f)
    return np.stack([np.bincount(codes, weights=row) for row in rows])


def _weighted_point(sums: Floats, centre: float | None) -> tuple[Floats, Floats]:
    """Theta and the lambda that makes sum w^2 (y - lambda f - their mean)^2 smallest, from 0 to 1."""
    w, wy, wf, s, sy, sf, syf, sff = sums
    mean_y, mean_f = wy / w, wf / w
    both = syf - mean_y * sf - mean_f * sy + mean_y * mean_f * s
    own = sff - 2 * mean_f * sf + mean_f**2 * s
    usable = (own > 1e-12 * s) if centre is not None else np.zeros_like(own, dtype=bool)
    weight = np.where(usable, np.clip(both / np.where(usable, own, 1.0), 0.0, 1.0), 0.0)
    return mean_y - weight * (mean_f - (centre or 0.0)), weight


def _clustered_spread(judged: Floats, clusters: Clusters) -> float:
    codes = np.concatenate([clusters.labelled, clusters.others])
    return cluster_variance(judged, codes, clusters.total) if clusters.total > 1 else 0.25


def strat_ppi(sample: Sample, strata: Strata) -> tuple[float, float, float, float]:
    """Theta, mean lambda and the two parts of V of the published StratPPI, with ddof 1 and no term for the shares.

    Fisch et al. (2024), arXiv:2406.04291, each lambda as it comes.
    """
    value = labels = judge = weight = 0.0
    for h, share in enumerate(strata.shares.tolist()):
        y, f, u = sample.y[strata.labelled == h], sample.f[strata.labelled == h], sample.u[strata.others == h]
        if len(y) < 2 or len(u) < 2:
            return math.nan, 0.0, 0.0, 0.0
        spread = float(np.concatenate([f, u]).var(ddof=1))
        tuned = float(np.cov(y, f)[0, 1]) / ((1 + len(y) / len(u)) * spread) if spread > 0 else 0.0
        value += share * (tuned * float(u.mean()) + float((y - tuned * f).mean()))
        labels += share**2 * float((y - tuned * f).var(ddof=1)) / len(y)
        judge += share**2 * tuned**2 * float(u.var(ddof=1)) / len(u)
        weight += share * tuned
    return value, weight, labels, judge


def active_ppi(sample: Sample, weights: Floats) -> tuple[float, float]:
    """Theta and V of active inference with lambda 1: the mean of f + w (y - f) over the frame, w = 1 / P(drawn).

    Zrnic and Candès (2024), arXiv:2403.03208; V with ddof 1.
    """
    terms = np.concatenate([sample.f + weights * (sample.y - sample.f), sample.u])
    return float(terms.mean()), float(terms.var(ddof=1)) / len(terms)
