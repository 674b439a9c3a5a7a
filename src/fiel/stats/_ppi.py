"""The mean of labels, corrected by a judge that also judged other items. Knows arrays; knows no judge by name."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from fiel.stats._checks import check_bounds, from_unit, tail
from fiel.stats._ess import Sample
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._ppi_details import measured, notes, seen
from fiel.stats._ppi_inputs import read_sample
from fiel.stats._ppi_methods import PUBLISHED, Solved, choose, classical, solve, with_score

Method = Literal["auto", "strata-score", "ess-beta", "ess-wilson", "ppi", "ppi++", "classical"]


def ppi_mean(  # noqa: PLR0913  (two samples, how they were drawn, and how to read them: each is one question of its own)
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
    strata: ArrayLike | None = None,
    strata_unlabelled: ArrayLike | None = None,
    shares: Mapping[Any, float] | None = None,
    weights: ArrayLike | None = None,
    recalibrate: bool | None = None,
) -> Estimate:
    """The mean of what people would say of all items, from labels on a few and a judge on all.

    An item stands in one of the two samples: labelled (y and f) or not (f_unlabelled). The labelled items are a random
    draw of all; where chances were not equal, `strata` or `weights` say so.

    - "strata-score": strata by the judge's verdict (f above 0.5, or the higher of two values), theta = sum of share
      times rate, limits by the score test with the rates that are likeliest under theta. One-sided, the looser of that
      limit and `rate_bound` at n_eff.
    - "ess-beta": theta = lambda mean(f_unlabelled) + mean(y - lambda f), lambda tuned, jackknife variance with a floor,
      turned into an effective sample size n_eff >= n, and quantiles of a beta distribution at that size. One-sided, it
      is `rate_bound` at n_eff. From 100 labels on the judge is recalibrated first (see `recalibrate`).
    - "ess-wilson": the same with Wilson's interval at n_eff; a little wider where failures are rare.
    - "auto": "ess-beta"; with fewer than 50 labels and a judge that says only two different things, and for draws with
      `strata`, "strata-score", where labels are yes, no or tie; with clusters or weights, "ess-wilson". One-sided,
      with fewer than 100 labels or a judge of two values, the looser bound of "ess-beta" and "strata-score": the errors
      of a lopsided judge are skewed, and n_eff does not see that.
    - "ppi++": tuned lambda, normal interval, as published; with strata, StratPPI. "ppi": lambda = 1, the formula of
      ARES; with weights, active inference. For comparison: they cover too little with few labels or rare failures, and
      none is given where it sees no variance.
    - "classical": the labels alone: Wilson for labels in {lowest, halfway, highest}, else Wilson at n_eff.

    Without unlabelled items, and with fewer than 3 labels, the labels alone are used and the method's name says so.
    With clusters, strata and graded labels, or weights, the ess methods take Wilson's form with t at an n_eff that may
    fall below n: clusters by the delete-one-cluster jackknife of the whole estimator, t(G - 1), G clusters holding a
    label; strata by the sum over strata, t(n - H); weights by the weighted jackknife. Strata with clusters count as
    weights.

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
        strata: shape (n,), where a fixed number of labels was drawn in each stratum: the stratum of each labelled item.
        strata_unlabelled: shape (N,), that of the others. A stratum's share is its share of all items, unless given.
        shares: of the strata in the population, 1 in all, where the items at hand are not all of it.
        weights: shape (n,), 1 / P(drawn) of each labelled item, in any unit but for "ppi".
        recalibrate: whether Platt's map, fitted on the labels, stands between judge and estimate in the ess methods;
            None does so in "ess-beta" from 100 labels on, for labels that are yes, no or tie. Not with clusters, strata
            or weights.

    Returns:
        Estimate, with n the number of labels, or of clusters that hold one. Its details: judge_mean (over all judged),
        judge_mean_labelled, judge_mean_unlabelled, bias (mean(f - y)), lambda (for "strata-score" the difference of
        the rates of the two verdicts; recalibrated, N / (n + N)), variance_labels and variance_judge (the two terms of
        V), rho (correlation of y and f), rho_min (1 / sqrt(n - 2): a smaller rho gains nothing), n_labelled,
        n_unlabelled, n_eff, classical_value, classical_low, classical_high (labels alone, same side and confidence),
        width_ratio (this width by the classical one), recalibration_intercept and recalibration_slope (on logits). What
        is undefined is left out. Its notes hold the warning that the judge adds nothing, where |rho| < rho_min.

    Raises:
        ValueError: on lengths that differ, more than one dimension, values that are not finite or not within `bounds`,
            clusters or strata for one sample only, a stratum without a label, or a draw that `method` knows nothing of.

    "ppi": Angelopoulos et al. (2023), arXiv:2301.09633. "ppi++": Angelopoulos, Duchi and Zrnic (2023),
    arXiv:2311.01453. StratPPI: Fisch et al. (2024), arXiv:2406.04291. Active: Zrnic and Candès (2024),
    arXiv:2403.03208. The others are our own, checked by simulation (benchmarks/coverage.py); n_eff in the manner of
    Korn and Graubard (1998).

    >>> labels, judge = [1, 1, 0, 1], [0.9, 0.8, 0.3, 0.7]
    >>> print(ppi_mean(labels, judge, [0.9, 0.2, 0.8, 0.7, 0.4, 0.9], method="classical"))
    0.75 [0.30, 0.95] n=4
    """
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}")
    bounds = check_bounds(bounds)
    upto = tail(confidence, side)
    sample = read_sample(
        y,
        f,
        f_unlabelled,
        bounds=bounds,
        clusters=clusters,
        clusters_unlabelled=clusters_unlabelled,
        strata=strata,
        strata_unlabelled=strata_unlabelled,
        shares=shares,
        weights=weights,
    )
    check_draw(sample, method, recalibrate=recalibrate)
    asked = Asked(confidence=confidence, side=side, upto=upto, bounds=bounds)
    return estimate_mean(sample, method, asked, recalibrate=recalibrate)


class Asked(NamedTuple):
    """The limits that are asked for; `upto` is the probability below an upper one, as `tail` has it."""

    confidence: float
    side: Side
    upto: float
    bounds: tuple[float, float]


def estimate_mean(sample: Sample, method: str, asked: Asked, *, recalibrate: bool | None = None) -> Estimate:
    """The Estimate of a checked sample."""
    confidence, side, upto, bounds = asked
    details = seen(sample, bounds)
    if sample.units < (1 if sample.clusters is None else 2):
        reason = "labels from one cluster have no interval" if sample.units else "no labels"
        return undefined(reason, confidence=confidence, method=method, n=sample.units, side=side, details=details)
    alone = classical(sample)
    found = alone if method == "classical" else solved(sample, method, side, recalibrate=recalibrate)
    low, high = found.limits(upto, side)
    details |= measured(found, (low, high), (alone.value, *alone.limits(upto, side)), bounds)
    if method in PUBLISHED and (found.blind or low >= high):
        reason = f'the {method} formula sees no variance in these labels; use method="ess-beta"'
        return undefined(reason, confidence=confidence, method=found.method, n=sample.units, side=side, details=details)
    return Estimate(
        value=from_unit(found.value, bounds),
        low=from_unit(low, bounds),
        high=from_unit(high, bounds),
        confidence=confidence,
        method=found.method,
        n=sample.units,
        side=side,
        details=details,
        notes=notes(details),
    )


def solved(sample: Sample, method: str, side: Side, *, recalibrate: bool | None = None) -> Solved:
    """The corrected mean by `method`, with limits to ask for; "auto" depends on the side."""
    found = solve(sample, choose(sample) if method == "auto" else method, recalibrated=recalibrate)
    return with_score(sample, found) if method == "auto" and side != "both" else found


def check_draw(sample: Sample, method: str, *, recalibrate: bool | None) -> None:
    """Raise ValueError where `method` knows nothing of how the labels were drawn."""
    draws = [name for name in ("clusters", "strata", "weights") if getattr(sample, name) is not None]
    known = {"ppi++": ["strata"], "ppi": ["weights"]}.get(method)
    if known is not None and draws and draws != known:
        raise ValueError(f'method="{method}" knows no {" and ".join(draws)}; use method="ess-wilson"')
    if method == "strata-score" and (others := [name for name in draws if name != "strata"]):
        raise ValueError(f'method="strata-score" knows no {" and ".join(others)}; use method="ess-wilson"')
    if recalibrate and (draws or method not in ("auto", "ess-beta", "ess-wilson")):
        where = f"with {draws[0]}" if draws else f'for method="{method}"'
        raise ValueError(f"recalibrate=True is not known {where}; leave it out")
