"""The methods of a prediction-powered mean from 0 to 1: each a point, and limits to ask for. Knows no Estimate."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fiel.stats._checks import Floats
from fiel.stats._ess import Sample, beta_form, correct, labels_alone, tuned_weight, wilson_form
from fiel.stats._estimate import Side
from fiel.stats._ppi_recalibrated import recalibrate
from fiel.stats._ppi_uneven import Uneven, active_ppi, as_weighted, by_strata, by_weights, strat_ppi
from fiel.stats._proportions import exact_limits
from fiel.stats._quantiles import normal_quantile
from fiel.stats._strata import StrataRate, Stratum

ENOUGH = 100  # labels from which recalibration pays and its residuals no longer flatter it
SKEWED = 50  # labels below which the errors of a judge with two verdicts are too skewed for an effective size
FEWEST = 3  # labels below which a judge's weight cannot be estimated
PUBLISHED = ("ppi", "ppi++")
_FEWEST_IN_STRATUM = 2
_NO_VARIANCE = 1e-15  # on the scale 0..1: the published formulas then see no variance in the labels

Flags = NDArray[np.bool_]
Limits = Callable[[float, Side], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """A corrected mean on the scale 0..1; `n_eff` is None where a formula has none.

    `limits` takes the probability below an upper limit, from 0.5, and the side. `tail`, where there is one, takes a
    value and gives the tail at which a limit is that value. `blind` says that a published formula saw no variance in
    the labels.
    """

    value: float
    weight: float
    variance_labels: float
    variance_judge: float
    n_eff: float | None
    method: str
    limits: Limits
    tail: Callable[[float], float] | None = None
    more: dict[str, float] = field(default_factory=dict)
    blind: bool = False


def solve(sample: Sample, method: str, *, recalibrated: bool | None) -> Solved:
    """The corrected mean by `method`, which is not "auto"."""
    alone = "" if len(sample.u) else ", labels alone"
    if method == "classical":
        return classical(sample)
    if method == "strata-score":
        return _by_score(sample, alone)
    if len(sample.y) < FEWEST:
        return replace(classical(sample), method=f"classical, fewer than {FEWEST} labels")
    if method in PUBLISHED:
        return _published(sample, method, alone)
    if sample.weights is not None or sample.strata is not None:
        return _uneven(sample, alone)
    return _by_size(sample, method, alone, recalibrated=recalibrated)


def choose(sample: Sample) -> str:
    """What "auto" stands for."""
    if sample.weights is not None or sample.clusters is not None:
        return "ess-wilson"
    whole = _whole(sample.y)
    if sample.strata is not None:
        return "strata-score" if whole else "ess-wilson"
    if not len(sample.u):
        return "strata-score" if whole else "ess-beta"
    return "strata-score" if whole and len(sample.y) < SKEWED and _two_verdicts(sample) else "ess-beta"


def with_score(sample: Sample, found: Solved) -> Solved:
    """One-sided, with few labels or bare verdicts: the looser of the bound of "ess-beta" and that of "strata-score"."""
    if not found.method.startswith("ess-beta") or not _whole(sample.y):
        return found
    if len(sample.y) >= ENOUGH and not _two_verdicts(sample):
        return found
    score = _by_score(sample, "")

    def limits(upto: float, side: Side) -> tuple[float, float]:
        (low, high), (other_low, other_high) = found.limits(upto, side), score.limits(upto, side)
        return min(low, other_low), max(high, other_high)

    return replace(found, method=f"{found.method} or strata-score", limits=limits)


def classical(sample: Sample) -> Solved:
    """The labels alone."""
    alone = labels_alone(sample.y, sample.clusters, weights=sample.weights, strata=sample.strata)
    if alone.weights is not None or alone.strata is not None:
        if alone.strata is not None and alone.clusters is None and _whole(alone.y):
            return replace(_by_score(alone, ""), method="classical, strata-score")
        found = _uneven(alone, "")
        return replace(found, method=found.method.replace("ess-wilson", "classical"))
    df, n = None if alone.clusters is None else alone.units - 1, len(alone.y)
    if df is None and _whole(alone.y):
        value, n_eff = float(alone.y.mean()), float(n)
        variance = max(float(alone.y.var()) / max(n - 1, 1), 0.5 / n**2)
    else:
        corrected = correct(alone, added=False)
        value, n_eff, variance = corrected.value, corrected.n_eff, corrected.variance_labels
    return Solved(
        value=value,
        weight=0.0,
        variance_labels=variance,
        variance_judge=0.0,
        n_eff=n_eff,
        method="classical" if df is None else f"classical, clusters, t({df})",
        limits=_sized("classical", value, n_eff, df),
    )


def _whole(y: Floats) -> bool:
    """Whether every label is a yes, a no, or a tie."""
    return bool(((y == 0) | (y == 1) | (y == 0.5)).all())


def _varies(sample: Sample) -> bool:
    """Whether the judge says more than one thing."""
    first = sample.f[0]
    return bool((sample.f != first).any() or (sample.u != first).any())


def _two_verdicts(sample: Sample) -> bool:
    """Whether the judge says at most two different things."""
    first = sample.f[0]
    for x in (sample.f, sample.u):
        other = x[x != first]
        if other.size:
            second = other[0]
            return all(bool(((v == first) | (v == second)).all()) for v in (sample.f, sample.u))
    return True


def _by_size(sample: Sample, method: str, alone: str, *, recalibrated: bool | None) -> Solved:
    """The ess methods where every item had the same chance of a label."""
    if sample.clusters is None:
        usable = len(sample.y) >= ENOUGH and len(sample.u) > 0 and _whole(sample.y) and _varies(sample)
        if (method == "ess-beta" and usable) if recalibrated is None else recalibrated and len(sample.u) > 0:
            return _recalibrated(sample, method)
    found = correct(sample, added=method == "ess-beta" and sample.clusters is None)
    df = None if sample.clusters is None else sample.units - 1
    if df is not None:
        method, alone = "ess-wilson", f", clusters, t({df}){alone}"
    return Solved(
        value=found.value,
        weight=found.weight,
        variance_labels=found.variance_labels,
        variance_judge=found.variance_judge,
        n_eff=found.n_eff,
        method=method + alone,
        limits=_sized(method, found.value, found.n_eff, df),
    )


def _sized(method: str, value: float, n_eff: float, df: float | None) -> Limits:
    """The limits of an ess method at its effective size."""
    if method == "ess-beta":
        return lambda upto, side: beta_form(value, n_eff, upto, side)
    return lambda upto, side: wilson_form(value, n_eff, df, upto, side)


def _recalibrated(sample: Sample, method: str) -> Solved:
    found = recalibrate(sample)
    return Solved(
        value=found.value,
        weight=len(sample.u) / (len(sample.y) + len(sample.u)),
        variance_labels=found.variance_labels,
        variance_judge=found.variance_judge,
        n_eff=found.n_eff,
        method=f"{method}, recalibrated",
        limits=_sized(method, found.value, found.n_eff, None),
        more={"recalibration_intercept": found.intercept, "recalibration_slope": found.slope},
    )


def _uneven(sample: Sample, alone: str) -> Solved:
    name = "ess-wilson, " + ("stratified" if sample.strata is not None else "weighted")
    if sample.clusters is not None:
        name, sample = f"{name}, clusters", as_weighted(sample)
    found: Uneven
    if sample.strata is not None:
        found = by_strata(sample, sample.strata)
    elif sample.weights is not None:
        found = by_weights(sample, sample.weights)
    return Solved(
        value=found.value,
        weight=found.weight,
        variance_labels=found.variance_labels,
        variance_judge=found.variance_judge,
        n_eff=found.n_eff,
        method=f"{name}, t({found.df:.4g}){alone}",
        limits=lambda upto, side: wilson_form(found.value, found.n_eff, found.df, upto, side),
    )


def _by_score(sample: Sample, alone: str) -> Solved:
    """Strata by the judge's verdict, within the strata of the draw where there are any, and the score test."""
    rate, slope = _cells(sample)
    labels, judge = rate.variances()
    value, n = rate.value, float(len(sample.y))
    n_eff = value * (1 - value) / (labels + judge) if 0 < value < 1 else n
    if sample.strata is None:
        n_eff = max(n_eff, n)
    elif not 0 < value < 1:
        n_eff = 1 / sum(s.share**2 / s.size for s in rate.strata)

    def limits(upto: float, side: Side) -> tuple[float, float]:
        low, high = rate.limits(normal_quantile(upto))
        if side == "both":
            return low, high
        bound_low, bound_high = exact_limits(value, n_eff, upto, side)
        return (min(low, bound_low), 1.0) if side == "lower" else (0.0, max(high, bound_high))

    return Solved(
        value=value,
        weight=slope,
        variance_labels=labels,
        variance_judge=judge,
        n_eff=n_eff,
        method="strata-score" + alone,
        limits=limits,
    )


def _cells(sample: Sample) -> tuple[StrataRate, float]:
    """The strata of the score test, and how far the judge's two verdicts move the rate, averaged over strata."""
    n, rest, strata = len(sample.y), len(sample.u), sample.strata
    cut = 0.5
    if n and rest and _two_verdicts(sample):
        cut = (min(sample.f.min(), sample.u.min()) + max(sample.f.max(), sample.u.max())) / 2
    ours, others = sample.f > cut, sample.u > cut
    if strata is None:
        cells, slope = _split(sample.y, ours, others, 1.0)
        return StrataRate(cells, float(n + rest) if len(cells) > 1 else math.inf), slope
    cells, slope = [], 0.0
    for h in np.flatnonzero(strata.shares > 0):
        mine, theirs = strata.labelled == h, strata.others == h
        share = float(strata.shares[h])
        found, moved = _split(sample.y[mine], ours[mine], others[theirs], share)
        cells += found
        slope += share * moved
    return StrataRate(cells, strata.frame), slope


def _split(y: Floats, ours: Flags, others: Flags, share: float) -> tuple[list[Stratum], float]:
    """Two strata by the verdict where both hold labels enough, else one; and the difference of their rates."""
    n, yes = len(y), int(ours.sum())
    if not len(others) or min(yes, n - yes) < _FEWEST_IN_STRATUM:
        return [Stratum(float(y.sum()), float(n), share)], 0.0
    part = (yes + float(others.sum())) / (n + len(others))
    high, low = float(y[ours].sum()), float(y[~ours].sum())
    strata = [Stratum(high, float(yes), share * part), Stratum(low, float(n - yes), share * (1 - part))]
    return strata, high / yes - low / (n - yes)


def _published(sample: Sample, method: str, alone: str) -> Solved:
    """Normal limits, clipped to 0..1: ddof 0 for the plain forms, 1 for those of strata and weights."""
    n, others = len(sample.y), len(sample.u)
    if sample.strata is not None:
        value, weight, labels, judge = strat_ppi(sample, sample.strata)
        name = "ppi++, stratified"
    elif sample.weights is not None:
        (value, labels), judge, weight, name = active_ppi(sample, sample.weights), 0.0, 1.0, "ppi, weighted"
    else:
        weight = (tuned_weight(sample) if method == "ppi++" else 1.0) if others else 0.0
        rectifier = sample.y - weight * sample.f
        labels = float(rectifier.var()) / n
        judge = weight**2 * float(sample.u.var()) / others if others else 0.0
        value = float(rectifier.mean()) + (weight * float(sample.u.mean()) if others else 0.0)
        name = method + alone
    error = math.sqrt(labels + judge)

    def limits(upto: float, side: Side) -> tuple[float, float]:
        reach = normal_quantile(upto) * error
        low = 0.0 if side == "upper" else min(max(value - reach, 0.0), 1.0)
        high = 1.0 if side == "lower" else min(max(value + reach, 0.0), 1.0)
        return low, high

    blind = math.isnan(value) or labels * n <= _NO_VARIANCE
    point = 0.0 if blind and math.isnan(value) else min(max(value, 0.0), 1.0)
    spread = point * (1 - point)
    return Solved(
        value=point,
        weight=weight,
        variance_labels=labels,
        variance_judge=judge,
        n_eff=spread / error**2 if spread > 0 and error > 0 else None,
        method=name,
        limits=limits,
        blind=blind,
    )
