"""The mean of labels, corrected by a judge that also judged other items. Knows arrays; knows no judge by name."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import (
    Floats,
    as_clusters,
    check_bounds,
    check_same_length,
    cluster_codes,
    from_unit,
    tail,
    to_unit,
)
from fiel.stats._ess import Clusters, Corrected, Sample, beta_form, correct, labels_alone, tuned_weight, wilson_form
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._proportions import wilson_limits
from fiel.stats._quantiles import normal_quantile

Method = Literal["auto", "ess-beta", "ess-wilson", "ppi", "ppi++", "classical"]

_PUBLISHED = ("ppi", "ppi++")
_FEWEST = 3  # labels below which a judge's weight cannot be estimated
_NO_VARIANCE = 1e-15  # on the scale 0..1: the published formulas then see no variance in the labels


class _Found(NamedTuple):
    """An interval on the scale 0..1 and what it rests on; `n_eff` is None where a formula has none."""

    value: float
    low: float
    high: float
    weight: float
    variance_labels: float
    variance_judge: float
    n_eff: float | None
    method: str


def ppi_mean(  # noqa: PLR0913  (two samples, their clusters, and how to read them: each is one question of its own)
    y: ArrayLike,
    f: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    confidence: float = 0.95,
    side: Side = "both",
    method: Method = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
) -> Estimate:
    """The mean of what people would say of all items, from labels on a few and a judge on all.

    theta = lambda mean(f_unlabelled) + mean(y - lambda f), for labels drawn at random from the items judged.

    - "ess-beta": tuned lambda, jackknife variance with a floor, turned into an effective sample size n_eff >= n, and
      quantiles of a beta distribution at that size. One-sided, it is `rate_bound` at n_eff.
    - "ess-wilson": the same with Wilson's interval at n_eff; a little wider where failures are rare.
    - "auto": "ess-beta" in this version.
    - "ppi++": tuned lambda, normal interval, as published. "ppi": lambda = 1, the formula of ARES. For comparison:
      both cover too little with few labels or rare failures, and neither is given where it sees no variance.
    - "classical": the labels alone: Wilson for labels in {lowest, halfway, highest}, else Wilson at n_eff.

    Without unlabelled items, and with fewer than 3 labels, the labels alone are used and the method's name says so.
    With clusters, both ess methods take Wilson's form at an n_eff of their own with t(G - 1), where V is the
    delete-one-cluster jackknife of the whole estimator, lambda refitted in each, and G clusters hold a label.

    Args:
        y: shape (n,), labels within `bounds`.
        f: shape (n,), the judge on the labelled items, within `bounds`.
        f_unlabelled: shape (N,), the judge on the items without a label, within `bounds`.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then that of `bounds`.
        method: see above.
        bounds: the lowest and highest value of the scale.
        clusters: shape (n,), the cluster of each labelled item.
        clusters_unlabelled: shape (N,), that of the others, from the same names: a cluster may have both.

    Returns:
        Estimate, with n the number of labels, or of clusters that hold one. Its details: judge_mean (over all judged),
        judge_mean_labelled, judge_mean_unlabelled, bias (mean(f - y)), lambda, variance_labels and variance_judge (the
        two terms of V), rho (correlation of y and f), rho_min (1 / sqrt(n - 2): a smaller rho gains nothing),
        n_labelled, n_unlabelled, n_eff, classical_value, classical_low, classical_high (labels alone, same side and
        confidence), width_ratio (this width by the classical one). What is undefined is left out.

    Raises:
        ValueError: on lengths that differ, more than one dimension, values that are not finite or not within `bounds`,
            clusters for one sample only, or clusters with "ppi" or "ppi++".

    "ppi": Angelopoulos et al. (2023), arXiv:2301.09633. "ppi++": Angelopoulos, Duchi and Zrnic (2023),
    arXiv:2311.01453. The ess methods are our own, checked by simulation; n_eff in the manner of Korn and Graubard
    (1998).

    >>> labels, judge = [1, 1, 0, 1], [0.9, 0.8, 0.3, 0.7]
    >>> print(ppi_mean(labels, judge, [0.9, 0.2, 0.8, 0.7, 0.4, 0.9], method="classical"))
    0.75 [0.30, 0.95] n=4
    """
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}")
    method = "ess-beta" if method == "auto" else method
    bounds = check_bounds(bounds)
    tail(confidence, side)
    named = (("y", y), ("f", f), ("f_unlabelled", f_unlabelled))
    labels, judge, others = (to_unit(name, x, bounds) for name, x in named)
    check_same_length("y", labels, "f", judge)
    sample = _sample(labels, judge, others, clusters, clusters_unlabelled)
    if sample.clusters is not None and method in _PUBLISHED:
        raise ValueError(f'method="{method}" knows no clusters; use method="ess-wilson"')
    details = _seen(sample, bounds)
    if sample.units < (1 if sample.clusters is None else 2):
        reason = "labels from one cluster have no interval" if sample.units else "no labels"
        return undefined(reason, confidence=confidence, method=method, n=sample.units, side=side, details=details)
    classical = _classical(sample, confidence, side)
    found = _interval(sample, method, classical, confidence, side)
    details |= _measured(found, classical, bounds)
    if method in _PUBLISHED and _blind(found, len(labels)):
        reason = f'the {method} formula sees no variance in these labels; use method="ess-beta"'
        return undefined(reason, confidence=confidence, method=found.method, n=sample.units, side=side, details=details)
    return Estimate(
        value=from_unit(found.value, bounds),
        low=from_unit(found.low, bounds),
        high=from_unit(found.high, bounds),
        confidence=confidence,
        method=found.method,
        n=sample.units,
        side=side,
        details=details,
    )


def _sample(y: Floats, f: Floats, u: Floats, clusters: ArrayLike | None, others: ArrayLike | None) -> Sample:
    if clusters is None and others is None:
        return Sample(y=y, f=f, u=u)
    if clusters is None or (others is None and len(u)):
        missing = "clusters" if clusters is None else "clusters_unlabelled"
        raise ValueError(f"{missing} is missing; name the clusters of both samples, or of neither")
    named = as_clusters("clusters", clusters, len(y))
    named_u = named[:0] if others is None else as_clusters("clusters_unlabelled", others, len(u))
    (codes, codes_u), count = cluster_codes(named, named_u)
    return Sample(y=y, f=f, u=u, clusters=Clusters(codes, codes_u, count))


def _interval(sample: Sample, method: str, classical: _Found, confidence: float, side: Side) -> _Found:
    if method == "classical":
        return classical
    if len(sample.y) < _FEWEST:
        return classical._replace(method=f"classical, fewer than {_FEWEST} labels")
    alone = "" if len(sample.u) else ", labels alone"
    if method in _PUBLISHED:
        return _published(sample, method, alone, confidence, side)
    if method == "ess-beta" and sample.clusters is None:
        found = correct(sample, added=True)
        return _found(found, beta_form(found, confidence, side), method + alone)
    found = correct(sample, added=False)
    name = "ess-wilson" if sample.clusters is None else f"ess-wilson, clusters, t({sample.units - 1})"
    return _found(found, wilson_form(sample, found, confidence, side), name + alone)


def _classical(sample: Sample, confidence: float, side: Side) -> _Found:
    alone = labels_alone(sample.y, sample.clusters)
    found = correct(alone, added=False)
    limits = wilson_form(alone, found, confidence, side)
    if sample.clusters is None and np.isin(sample.y, (0.0, 0.5, 1.0)).all():
        n = float(len(sample.y))
        limits = wilson_limits(found.value, n, normal_quantile(tail(confidence, side)), side)
        return _found(found, limits, "classical")._replace(n_eff=n)
    name = "classical" if sample.clusters is None else f"classical, clusters, t({sample.units - 1})"
    return _found(found, limits, name)


def _published(sample: Sample, method: str, alone: str, confidence: float, side: Side) -> _Found:
    """Normal limits with variances of ddof 0, clipped to 0..1."""
    n, others = len(sample.y), len(sample.u)
    weight = (tuned_weight(sample) if method == "ppi++" else 1.0) if others else 0.0
    rectifier = sample.y - weight * sample.f
    labels = float(rectifier.var()) / n
    judge = weight**2 * float(sample.u.var()) / others if others else 0.0
    point = float(rectifier.mean()) + (weight * float(sample.u.mean()) if others else 0.0)
    reach = normal_quantile(tail(confidence, side)) * math.sqrt(labels + judge)
    low = 0.0 if side == "upper" else point - reach
    high = 1.0 if side == "lower" else point + reach
    value, low, high = (min(max(x, 0.0), 1.0) for x in (point, low, high))
    spread = value * (1 - value)
    n_eff = spread / (labels + judge) if spread > 0 and labels + judge > 0 else None
    return _Found(value, low, high, weight, labels, judge, n_eff, method + alone)


def _found(found: Corrected, limits: tuple[float, float], method: str) -> _Found:
    parts = (found.weight, found.variance_labels, found.variance_judge, found.n_eff)
    return _Found(found.value, *limits, *parts, method)


def _seen(sample: Sample, bounds: tuple[float, float]) -> dict[str, float]:
    """What the samples show before any method: counts, means of the judge, its bias, its correlation."""
    y, f, u = sample.y, sample.f, sample.u
    n, others = len(y), len(u)
    seen = {"n_labelled": float(n), "n_unlabelled": float(others)}
    for name, x in (("", np.concatenate([f, u])), ("_labelled", f), ("_unlabelled", u)):
        if len(x):
            seen[f"judge_mean{name}"] = from_unit(float(x.mean()), bounds)
    if n:
        seen["bias"] = (bounds[1] - bounds[0]) * float((f - y).mean())
    if n > 2:
        seen["rho_min"] = 1 / math.sqrt(n - 2)
    if n > 1 and np.ptp(y) > 0 and np.ptp(f) > 0:
        seen["rho"] = _correlation(y, f)
    return seen


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's, of two arrays that vary; each is scaled first, so that squares of tiny differences do not vanish."""
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip((a @ b) / math.sqrt((a @ a) * (b @ b)), -1, 1))


def _measured(found: _Found, classical: _Found, bounds: tuple[float, float]) -> dict[str, float]:
    """What the method rests on, and the labels alone beside it, in the units of `bounds`."""
    square = (bounds[1] - bounds[0]) ** 2
    measured = {
        "lambda": found.weight,
        "variance_labels": square * found.variance_labels,
        "variance_judge": square * found.variance_judge,
        "classical_value": from_unit(classical.value, bounds),
        "classical_low": from_unit(classical.low, bounds),
        "classical_high": from_unit(classical.high, bounds),
    }
    if classical.high > classical.low:  # a one-sided bound at 50 % may be the end of the scale
        measured["width_ratio"] = (found.high - found.low) / (classical.high - classical.low)
    return measured if found.n_eff is None else measured | {"n_eff": found.n_eff}


def _blind(found: _Found, n: int) -> bool:
    """Whether a published formula saw no variance in the labels, or has no width left within the bounds."""
    return found.variance_labels * n <= _NO_VARIANCE or found.low >= found.high
