"""A judge-corrected mean on the scale 0..1, its jackknife variance, and limits at its effective sample size.

Knows arrays from 0 to 1 and codes of clusters; knows no bounds, no names of methods, no Estimate.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fiel.stats._checks import Codes, Floats
from fiel.stats._estimate import Side
from fiel.stats._proportions import exact_limits, wilson_limits, worth_of_clusters
from fiel.stats._quantiles import beta_quantile, normal_quantile, t_quantile


class Clusters(NamedTuple):
    """The clusters of the labelled items, shape (n,), of the others, shape (N,), and how many there are in all."""

    labelled: Codes
    others: Codes
    total: int


class Strata(NamedTuple):
    """The strata of the labelled items, shape (n,), of the others, shape (N,), the share of each, shape (H,).

    `frame`: of how many items the shares are the shares; infinite where they are known.
    """

    labelled: Codes
    others: Codes
    shares: Floats
    frame: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Labels `y` and the judge `f` on the same n items, the judge `u` on N others, all from 0 to 1.

    Without `clusters` the items are independent. Without `weights` (one over the chance of being drawn, shape (n,)) and
    `strata` (a fixed number of labels drawn in each) every item had the same chance of a label.
    """

    y: Floats
    f: Floats
    u: Floats
    clusters: Clusters | None = None
    weights: Floats | None = None
    strata: Strata | None = None

    @property
    def units(self) -> int:
        """The number of independent units that hold a label."""
        return len(self.y) if self.clusters is None else len(np.unique(self.clusters.labelled))


def labels_alone(
    y: Floats, clusters: Clusters | None = None, *, weights: Floats | None = None, strata: Strata | None = None
) -> Sample:
    """A sample of labels without a judge."""
    nothing, none = np.empty(0), np.empty(0, dtype=np.intp)
    kept = None if clusters is None else clusters._replace(others=none)
    layers = None if strata is None else strata._replace(others=none)
    return Sample(y=y, f=np.zeros_like(y), u=nothing, clusters=kept, weights=weights, strata=layers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A corrected mean: its value from 0 to 1, lambda, the parts of its variance and its effective size."""

    value: float
    weight: float
    variance_labels: float
    variance_judge: float
    n_eff: float


class _Sums(NamedTuple):
    """Sums over labelled items (n, y, f, y times f) and over the others (m, u): of everything, or of each part."""

    n: Floats
    y: Floats
    f: Floats
    yf: Floats
    m: Floats
    u: Floats


def tuned_weight(sample: Sample) -> float:
    """The lambda of PPI++, from 0 to 1: cov(y, f) / ((1 + n / N) var(f, u)); 0 where the judge does not vary."""
    return float(_point(_totals(sample), _spread_of_judge(sample))[1])


def correct(sample: Sample, *, added: bool, floor: float = 0.5) -> Corrected:
    """The mean of the labels, corrected by the judge with the tuned lambda, and what it is worth.

    theta = lambda mean(u) + mean(y - lambda f). Independent items: V = V_jack + lambda^2 var(u) / N, where V_jack is
    the delete-one jackknife over the labels, lambda refitted each time and var(f) held. Clusters: V is the
    delete-one-cluster jackknife over all clusters, lambda refitted and var(f) held too, its label part at least that
    of independent items: items of one cluster are taken to be alike, never to balance each other. The label part is
    never below `floor` / (n G), G the number of units with a label; `added` adds that floor to it in every case. The
    effective size is theta (1 - theta) / V, and at least what the labels are worth at the largest variance that a
    quantity from 0 to 1 can have: n, or n^2 / sum of squared cluster sizes.
    """
    spread = _spread_of_judge(sample)
    value, weight = (float(x) for x in _point(_totals(sample), spread))
    least_labels = floor / (len(sample.y) * sample.units)
    if sample.clusters is None:
        labels, judge = _jackknife_items(sample, spread), weight**2 * _variance_of_mean(sample)
        least = float(len(sample.y))
    else:
        labels, judge = _jackknife_clusters(sample, sample.clusters, spread)
        labels = max(labels, _jackknife_items(sample, spread))
        least = worth_of_clusters(sample.clusters.labelled)
    labels = labels + least_labels if added else max(labels, least_labels)
    value = min(max(value, 0.0), 1.0)
    n_eff = max(value * (1 - value) / (labels + judge), least)
    return Corrected(value=value, weight=weight, variance_labels=labels, variance_judge=judge, n_eff=n_eff)


def wilson_form(value: float, n_eff: float, df: float | None, upto: float, side: Side) -> tuple[float, float]:
    """Wilson's limits at the effective size, with normal quantiles or those of t with `df` degrees of freedom."""
    return wilson_limits(value, n_eff, normal_quantile(upto) if df is None else t_quantile(upto, df), side)


def beta_form(value: float, n_eff: float, upto: float, side: Side) -> tuple[float, float]:
    """Quantiles of Beta(k + 1/2, n_eff - k + 1/2), k = n_eff theta; one-sided, Clopper and Pearson's bound."""
    if side != "both":
        return exact_limits(value, n_eff, upto, side)
    a, b = n_eff * value + 0.5, n_eff * (1 - value) + 0.5
    low = 0.0 if value <= 0 else min(beta_quantile(1 - upto, a, b), value)
    high = 1.0 if value >= 1 else max(beta_quantile(upto, a, b), value)
    return low, high


def _totals(sample: Sample) -> _Sums:
    y, f, u = sample.y, sample.f, sample.u
    return _Sums(*(np.asarray(x, dtype=np.float64) for x in (len(y), y.sum(), f.sum(), y @ f, len(u), u.sum())))


def _spread_of_judge(sample: Sample) -> float:
    """The variance (ddof 1) of the judge over everything that it judged."""
    judged = np.concatenate([sample.f, sample.u])
    return float(judged.var(ddof=1)) if len(judged) > 1 and np.ptp(judged) > 0 else 0.0


def _variance_of_mean(sample: Sample) -> float:
    """The variance of mean(u); a lone judgement borrows the spread of all of them."""
    u = sample.u
    if not len(u):
        return 0.0
    return (float(u.var(ddof=1)) if len(u) > 1 else _spread_of_judge(sample)) / len(u)


def _point(sums: _Sums, spread: float) -> tuple[Floats, Floats]:
    """Theta and lambda from sums; arrays of sums give arrays. The judge is not used where N or its spread is 0."""
    n, y, f, yf, m, u = sums
    mean_y, mean_f = y / n, f / n
    usable = (m > 0) & (spread > 0)
    others = np.where(m > 0, m, 1.0)
    scale = np.where(usable, (1 + n / others) * spread, 1.0)
    weight = np.where(usable, np.clip((yf / n - mean_y * mean_f) / scale, 0.0, 1.0), 0.0)
    return mean_y - weight * (mean_f - u / others), weight


def _jackknife_items(sample: Sample, spread: float) -> float:
    n = len(sample.y)
    if n < 2:
        return 0.0
    one, none = np.ones(()), np.zeros(())
    parts = _Sums(one, sample.y, sample.f, sample.y * sample.f, none, none)
    left, _ = _point(_difference(_totals(sample), parts), spread)
    return (n - 1) / n * float(((left - left.mean()) ** 2).sum())


def _jackknife_clusters(sample: Sample, clusters: Clusters, spread: float) -> tuple[float, float]:
    """What the deletion of each cluster adds to the variance: clusters with a label, clusters without."""
    y, f, u = sample.y, sample.f, sample.u
    ours, others, total = clusters

    def sums(codes: Codes, values: Floats) -> Floats:
        return np.bincount(codes, weights=values, minlength=total).astype(np.float64)

    parts = _Sums(
        sums(ours, np.ones_like(y)),
        sums(ours, y),
        sums(ours, f),
        sums(ours, y * f),
        sums(others, np.ones_like(u)),
        sums(others, u),
    )
    parts = _Sums(*(x[parts.n + parts.m > 0] for x in parts))
    left, _ = _point(_difference(_totals(sample), parts), spread)
    squares = (left - left.mean()) ** 2 * (len(left) - 1) / len(left)
    return float(squares[parts.n > 0].sum()), float(squares[parts.n == 0].sum())


def _difference(whole: _Sums, parts: _Sums) -> _Sums:
    return _Sums(*(total - part for total, part in zip(whole, parts, strict=True)))
