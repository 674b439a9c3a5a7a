"""Two systems on the same items under one judge: the mean difference, corrected by labels. Knows no other pairs."""

import math
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Floats, as_vector, check_bounds, check_same_length, tail
from fiel.stats._ess import Sample, correct, labels_alone, tuned_weight, wilson_form
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._paired_score import paired_limits, paired_variance
from fiel.stats._ppi_details import notes, seen
from fiel.stats._ppi_inputs import read_sample
from fiel.stats._ppi_methods import FEWEST, Limits, Solved
from fiel.stats._ppi_p_values import p_value
from fiel.stats._proportions import worth_of_clusters
from fiel.stats._quantiles import normal_cdf, normal_quantile, t_cdf, t_quantile

PairedMethod = Literal["auto", "ess-score", "ess-wilson", "ppi++", "classical"]

_FLOOR = 0.125  # of the variance on the scale 0..1, times n squared: 0.5 in differences of scores from 0 to 1
_NO_VARIANCE = 1e-15


def ppi_difference(  # noqa: PLR0913  (two systems with three arrays each: the order says which is which)
    y_a: ArrayLike,
    y_b: ArrayLike,
    f_a: ArrayLike,
    f_b: ArrayLike,
    f_a_unlabelled: ArrayLike,
    f_b_unlabelled: ArrayLike,
    *,
    confidence: float = 0.95,
    side: Side = "both",
    method: PairedMethod = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
) -> Estimate:
    """The mean difference between two systems on the same items, a minus b, from labels on a few and a judge on all.

    Prediction-powered inference on d = y_a - y_b and g = f_a - f_b: what the two have in common cancels, in the labels
    and in the judge.

    - "ess-score", and "auto": tuned lambda; the variance V of the labels' part is the jackknife's and at least
      0.5 / n^2 (in units of the scale); n_eff = max(n, (mean d^2 - theta^2) / V); Tango's score interval for paired
      rates at that size, with t(n - 2). With clusters t(G - 1), and n_eff at least n^2 / sum of squared sizes.
    - "ess-wilson": Wilson's interval for (d + 1) / 2 instead: narrower, too narrow where the two seldom differ.
    - "ppi++": tuned lambda, variances with ddof 1, normal, as published.
    - "classical": the labels alone, as "ess-score" with t(n - 1).

    Args:
        y_a: shape (n,), the labels of system a, within `bounds`. y_b: of system b, on the same items.
        y_b: shape (n,).
        f_a: shape (n,), the judge on system a on the labelled items; f_b: on system b.
        f_b: shape (n,).
        f_a_unlabelled: shape (N,), the judge on system a on the other items; f_b_unlabelled: on system b.
        f_b_unlabelled: shape (N,).
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound; the other limit is then the end of the scale of differences.
        method: see above.
        bounds: the lowest and highest score.
        clusters: shape (n,), the cluster of each labelled item.
        clusters_unlabelled: shape (N,), that of the others, from the same names.

    Returns:
        Estimate of the difference, its limits from lowest - highest to highest - lowest score. Details as in
        `ppi_mean`, of differences, and p_value: that there is no difference ("both"), that a is no better ("lower"),
        or no worse ("upper"). Notes as in `ppi_mean`.

    Raises:
        ValueError: on lengths that differ, values that are not finite or not within `bounds`, or clusters for one
            sample only.

    Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453, on differences; the interval is our own, checked by
    simulation (benchmarks/coverage.py).

    >>> a, b = [1, 1, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0, 1]
    >>> print(ppi_difference(a, b, a, b, [1, 1, 0, 1], [0, 1, 0, 1]))
    0.25 [−0.25, 0.64] n=8
    """
    if method not in get_args(PairedMethod):
        raise ValueError(f"method must be one of {', '.join(get_args(PairedMethod))}; got {method!r}")
    low, high = check_bounds(bounds)
    width = high - low
    upto = tail(confidence, side)
    labels = _difference(("y_a", y_a), ("y_b", y_b), (low, high))
    judge = _difference(("f_a", f_a), ("f_b", f_b), (low, high))
    others = _difference(("f_a_unlabelled", f_a_unlabelled), ("f_b_unlabelled", f_b_unlabelled), (low, high))
    check_same_length("y_a", labels, "f_a", judge)
    scale = (-width, width)
    sample = read_sample(
        labels, judge, others, bounds=scale, clusters=clusters, clusters_unlabelled=clusters_unlabelled
    )
    if sample.clusters is not None and method == "ppi++":
        raise ValueError('method="ppi++" knows no clusters; use method="ess-score"')
    details = seen(sample, scale)
    if sample.units < 2:
        reason = f"labels on {sample.units} {'item' if sample.clusters is None else 'cluster'} have no interval"
        reason = reason if sample.units else "no labels"
        return undefined(reason, confidence=confidence, method=method, n=sample.units, side=side, details=details)
    alone = _by_size(labels_alone(sample.y, sample.clusters), "classical", score=True)
    found = _solve(sample, method, alone)
    limits, others_limits = found.limits(upto, side), alone.limits(upto, side)
    details |= _measured(found, limits, alone, others_limits, width)
    if found.blind:
        reason = 'the ppi++ formula sees no variance in these labels; use method="ess-score"'
        return undefined(reason, confidence=confidence, method=found.method, n=sample.units, side=side, details=details)
    details["p_value"] = p_value(found, 0.5, side)
    return Estimate(
        value=_stretched(found.value, width),
        low=_stretched(limits[0], width),
        high=_stretched(limits[1], width),
        confidence=confidence,
        method=found.method,
        n=sample.units,
        side=side,
        details=details,
        notes=notes(details),
    )


def _difference(a: tuple[str, ArrayLike], b: tuple[str, ArrayLike], bounds: tuple[float, float]) -> Floats:
    """One array minus another, both checked."""
    first, second = (_inside(name, values, bounds) for name, values in (a, b))
    check_same_length(a[0], first, b[0], second)
    width = bounds[1] - bounds[0]
    return np.clip(first - second, -width, width)


def _inside(name: str, values: ArrayLike, bounds: tuple[float, float]) -> Floats:
    array = as_vector(name, values)
    wrong = np.flatnonzero((array < bounds[0]) | (array > bounds[1]))
    if wrong.size:
        found = f"{name} holds {float(array[wrong[0]])!r} at position {wrong[0]}"
        raise ValueError(f"{found}, outside bounds {bounds!r}; pass bounds=(lowest, highest) of the scale")
    return array


def _solve(sample: Sample, method: str, alone: Solved) -> Solved:
    if method == "classical":
        return alone
    if len(sample.y) < FEWEST:
        return replace(alone, method=f"classical, fewer than {FEWEST} labels")
    if method == "ppi++":
        return _published(sample)
    score = method != "ess-wilson"
    return _by_size(sample, "ess-score" if score else "ess-wilson", score=score)


def _by_size(sample: Sample, name: str, *, score: bool) -> Solved:
    found = correct(sample, added=False, floor=_FLOOR)
    df = max(len(sample.y) - (2 if len(sample.u) else 1), 1) if sample.clusters is None else sample.units - 1
    name += f", clusters, t({df})" if sample.clusters is not None else f", paired, t({df})"
    difference, discordant, n_eff = 2 * found.value - 1, float(((2 * sample.y - 1) ** 2).mean()), found.n_eff
    if score:
        discordant = max(discordant, abs(difference))
        least = float(len(sample.y)) if sample.clusters is None else worth_of_clusters(sample.clusters.labelled)
        spread = (discordant - difference**2) / 4
        n_eff = max(spread / (found.variance_labels + found.variance_judge), least)

    def limits(upto: float, side: Side) -> tuple[float, float]:
        if not score:
            return wilson_form(found.value, n_eff, df, upto, side)
        low, high = paired_limits(difference, discordant, n_eff, t_quantile(upto, df))
        return (0.0 if side == "upper" else (low + 1) / 2), (1.0 if side == "lower" else (high + 1) / 2)

    def tail_at(unit: float) -> float:
        spread = unit * (1 - unit) / n_eff
        if score:
            spread = paired_variance(difference, discordant, n_eff, 2 * unit - 1) / 4
        return t_cdf(-abs(found.value - unit) / math.sqrt(spread), df) if spread > 0 else 0.0

    return Solved(
        value=found.value,
        weight=found.weight,
        variance_labels=found.variance_labels,
        variance_judge=found.variance_judge,
        n_eff=n_eff,
        method=name,
        limits=limits,
        tail=tail_at,
    )


def _published(sample: Sample) -> Solved:
    n, others = len(sample.y), len(sample.u)
    weight = tuned_weight(sample) if others > 1 else 0.0
    rectifier = sample.y - weight * sample.f
    labels = float(rectifier.var(ddof=1)) / n
    judge = weight**2 * float(sample.u.var(ddof=1)) / others if others > 1 else 0.0
    value = float(rectifier.mean()) + (weight * float(sample.u.mean()) if others > 1 else 0.0)
    error = math.sqrt(labels + judge)
    return Solved(
        value=min(max(value, 0.0), 1.0),
        weight=weight,
        variance_labels=labels,
        variance_judge=judge,
        n_eff=None,
        method="ppi++, paired" + ("" if others > 1 else ", labels alone"),
        limits=_normal(value, error),
        tail=lambda unit: normal_cdf(-abs(value - unit) / error) if error > 0 else 0.0,
        blind=labels * n <= _NO_VARIANCE,
    )


def _normal(value: float, error: float) -> Limits:
    def limits(upto: float, side: Side) -> tuple[float, float]:
        reach = normal_quantile(upto) * error
        low = 0.0 if side == "upper" else min(max(value - reach, 0.0), 1.0)
        high = 1.0 if side == "lower" else min(max(value + reach, 0.0), 1.0)
        return low, high

    return limits


def _measured(
    found: Solved, limits: tuple[float, float], alone: Solved, others: tuple[float, float], width: float
) -> dict[str, float]:
    square = 4 * width**2
    numbers = {
        "lambda": found.weight,
        "variance_labels": square * found.variance_labels,
        "variance_judge": square * found.variance_judge,
        "classical_value": _stretched(alone.value, width),
        "classical_low": _stretched(others[0], width),
        "classical_high": _stretched(others[1], width),
    }
    if others[1] > others[0]:
        numbers["width_ratio"] = (limits[1] - limits[0]) / (others[1] - others[0])
    return numbers if found.n_eff is None else numbers | {"n_eff": found.n_eff}


def _stretched(x: float, width: float) -> float:
    """From 0..1 to differences, exactly 0 at one half."""
    return width * (2 * x - 1)
