"""Intervals for coefficients of agreement, of two raters or more. Knows codes, not what they mean."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement import cohen_kappa, percent_agreement, scott_pi
from fiel.stats._agreement_codes import Codes, Weights, as_small_table
from fiel.stats._agreement_forms import Statistic, form_of, has_form, why_undefined
from fiel.stats._agreement_many import conger_kappa, fleiss_kappa
from fiel.stats._agreement_null import fleiss_null_error, kappa_null_error
from fiel.stats._agreement_sums import Pooled
from fiel.stats._agreement_units import Form, Units, delta_error, jackknife_error, point_of, smooth, too_few, units_of
from fiel.stats._alpha import Scale, krippendorff_alpha
from fiel.stats._bootstrap import Limits, resampled_limits, source_of
from fiel.stats._checks import as_clusters, tail
from fiel.stats._donner import donner_eliasziw_limits
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._patterns import tally
from fiel.stats._proportions import rate_interval
from fiel.stats._quantiles import normal_quantile, t_quantile

Method = Literal["smoothed-z", "bootstrap", "jackknife", "delta", "donner-eliasziw"]

_METHODS = ("smoothed-z", "bootstrap", "jackknife", "delta", "donner-eliasziw")
_NOTHING = 1e-12


class _Asked(NamedTuple):
    statistic: Statistic
    units: Units
    upto: float
    weighted: bool


def agreement_interval(  # noqa: PLR0913  (the options of eight coefficients and five methods)
    statistic: Statistic,
    table: ArrayLike,
    *,
    method: Method = "smoothed-z",
    confidence: float = 0.95,
    side: Side = "both",
    categories: int | None = None,
    weights: Weights = None,
    scale: Scale | ArrayLike = "nominal",
    values: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    replicates: int = 10_000,
) -> Estimate:
    """A coefficient of agreement with its interval, widened where needed to hold the value.

    "smoothed-z", the default: one item more is spread evenly over the patterns that an item could show (the K^2 cells
    for `cohen_kappa` and `scott_pi`, every row of codes for `conger_kappa`, else every set of codes up to the highest
    number of ratings of an item; on an interval scale of more than 64 values, of the codes in use). The coefficient
    and its delta standard error are computed with it, and the limits are tanh(atanh(value) +- t se / (1 - value^2))
    with n - 1 degrees of freedom. With clusters one average cluster is spread (n / G items), the squares of influence
    are those of the clusters' sums, times G / (G - 1), and t has as many degrees of freedom as the clusters are worth,
    less one: n^2 / sum of squared sizes, which is G where all are alike. `percent_agreement` has `rate_interval` of
    its items instead. Below 30 items or clusters read any of them with caution.

    "delta": value +- z se, with n in the denominators, for `cohen_kappa`, `scott_pi` and `krippendorff_alpha`; t and
    n - 1 for the others, which is Gwet's interval. "jackknife": t, leaving out one item or cluster at a time.
    "bootstrap": percentiles of resampled items or clusters (`bootstrap` has more). "donner-eliasziw": goodness of fit,
    for two raters and two categories. The first three see no doubt in a sample without disagreement: there they are
    undefined.

    Args:
        statistic: `cohen_kappa`, `scott_pi`, `conger_kappa`, `fleiss_kappa`, `gwet_ac`, `brennan_prediger`,
            `krippendorff_alpha` or `percent_agreement`.
        table: shape (items, raters), integer codes from 0, -1 for none. `cohen_kappa` and `scott_pi` take two raters
            and leave out items without both ratings; the others count every row as an item.
        method: how the limits are found.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is the end of the scale.
        categories: the number of categories of the scale; by default as many as the highest code asks for.
        weights: as in `cohen_kappa`; not for `krippendorff_alpha`.
        scale: of `krippendorff_alpha` alone.
        values: of `krippendorff_alpha` alone.
        clusters: shape (items,), the cluster of each item.
        rng: the random generator of the bootstrap.
        replicates: how many bootstrap samples.

    Returns:
        An Estimate; `details` has "standard_error" ("smoothed-z": "value_smoothed" and "se_smoothed"), "n_items",
        "observed_agreement" where it is one number, and under "delta" "standard_error_null", the standard error if
        kappa were 0 (`cohen_kappa`, `fleiss_kappa`): for a test, never for an interval.

    Raises:
        ValueError: on another statistic or method, options that the statistic does not have, a table that does not
            fit it, codes out of range, or a bootstrap without `rng`.

    Fleiss, Cohen and Everitt (1969) and Gwet (2014) for the standard errors; Donner and Eliasziw (1992).

    >>> table = [[0, 0]] * 20 + [[0, 1]] * 5 + [[1, 0]] * 10 + [[1, 1]] * 15
    >>> print(agreement_interval(cohen_kappa, table))
    0.40 [0.11, 0.61] n=50
    """
    upto = tail(confidence, side)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    if not has_form(statistic):
        raise ValueError(f"statistic must be a coefficient of agreement, got {statistic!r}; bootstrap takes others")
    codes = as_small_table(table)
    names = None if clusters is None else as_clusters("clusters", clusters, len(codes))
    form, codes = form_of(statistic, codes, weights=weights, categories=categories, scale=scale, values=values)
    if statistic is percent_agreement and method == "smoothed-z":
        if weights is not None:
            raise ValueError('weights belong to cohen_kappa and the like; for percent_agreement use method="bootstrap"')
        return _rate(codes, form, names, confidence, side)
    units = units_of(form, codes, names)
    value, label = point_of(units), method + (", clusters" if units.clustered else "")
    reason = why_undefined(statistic, units, value) or too_few(units)
    if reason:
        return undefined(reason, confidence=confidence, method=label, n=units.n, side=side)
    found = _limits(_Asked(statistic, units, upto, weights is not None), method, rng, replicates)
    details = {**found.details, "n_items": float(units.items), **_observed(statistic, units)}
    if found.why:
        return undefined(found.why, confidence=confidence, method=label, n=units.n, side=side, details=details)
    floor = 0.0 if statistic is percent_agreement else -1.0
    low = min(floor if side == "upper" else max(found.low, floor), value)
    high = max(1.0 if side == "lower" else min(found.high, 1.0), value)
    return Estimate(
        value=value, low=low, high=high, confidence=confidence, method=label, n=units.n, side=side, details=details
    )


def _limits(asked: _Asked, method: Method, rng: np.random.Generator | None, replicates: int) -> Limits:
    if method == "smoothed-z":
        return _smoothed(asked)
    if method == "delta":
        return _delta(asked)
    if method == "jackknife":
        error = jackknife_error(asked.units)
        reach = t_quantile(asked.upto, asked.units.freedom) * error
        return _around(asked, error, reach, {})
    if method == "donner-eliasziw":
        return _donner(asked)
    if rng is None:
        raise ValueError("rng is None; the bootstrap needs a generator: rng=numpy.random.default_rng(seed)")
    return resampled_limits(source_of(asked.units), asked.upto, "percentile", replicates, rng)


def _smoothed(asked: _Asked) -> Limits:
    value, error = smooth(asked.units)
    details = {"value_smoothed": value, "se_smoothed": error}
    if abs(value) >= 1:
        reason = "the coefficient falls below -1, where the Fisher z has no value"
        return Limits(math.nan, math.nan, details, reason)
    reach = t_quantile(asked.upto, asked.units.freedom) * error / (1 - value**2)
    centre = math.atanh(value)
    return Limits(math.tanh(centre - reach), math.tanh(centre + reach), details)


def _delta(asked: _Asked) -> Limits:
    units, error = asked.units, delta_error(asked.units)
    quantile = normal_quantile(asked.upto)
    if isinstance(units.form.coefficient, Pooled) or asked.statistic is conger_kappa:
        quantile = t_quantile(asked.upto, units.freedom)
        error *= 1.0 if units.clustered else math.sqrt(units.n / (units.n - 1))
    elif units.clustered:
        quantile = t_quantile(asked.upto, units.freedom)
    details = {}
    if not units.clustered and not asked.weighted:
        if asked.statistic is cohen_kappa:
            details["standard_error_null"] = kappa_null_error(units.sums[1:])
        elif asked.statistic is fleiss_kappa and (null := fleiss_null_error(units.rows, units.counts)) is not None:
            details["standard_error_null"] = null
    return _around(asked, error, quantile * error, details)


def _around(asked: _Asked, error: float, reach: float, details: dict[str, float]) -> Limits:
    if not error > _NOTHING:
        reason = "the sample shows no doubt, so its standard error is 0"
        if math.isnan(error):
            reason = "without one of the units the coefficient is 0/0"
        return Limits(math.nan, math.nan, details, f'{reason}; use method="smoothed-z"')
    value = point_of(asked.units)
    return Limits(value - reach, value + reach, {**details, "standard_error": error})


def _donner(asked: _Asked) -> Limits:
    units = asked.units
    if asked.statistic not in (cohen_kappa, scott_pi, fleiss_kappa) or units.rows.shape[1] != 2:
        raise ValueError('method="donner-eliasziw" is for cohen_kappa, scott_pi or fleiss_kappa of two raters')
    if units.form.categories != 2 or units.clustered:
        what = "clusters" if units.clustered else f"{units.form.categories} categories"
        raise ValueError(f'method="donner-eliasziw" is for two categories and independent items, not for {what}')
    whole = (units.rows >= 0).all(axis=1)
    both = np.bincount(units.rows[whole].sum(axis=1), weights=units.counts[whole], minlength=3)
    low, high = donner_eliasziw_limits(int(both[0]), int(both[1]), int(both[2]), normal_quantile(asked.upto) ** 2)
    return Limits(low, high, {})


def _rate(codes: Codes, form: Form, names: NDArray[np.object_] | None, confidence: float, side: Side) -> Estimate:
    patterns = tally(codes, form.categories, order="any", index=True)
    features = form.coefficient.features(patterns.codes)
    paired = features[patterns.of_item, 0] > 0
    shares = features[patterns.of_item, 1][paired]
    return rate_interval(shares, confidence=confidence, side=side, clusters=None if names is None else names[paired])


def _observed(statistic: Statistic, units: Units) -> dict[str, float]:
    if statistic is krippendorff_alpha or statistic is percent_agreement:
        return {}
    sums = units.sums
    of_two = statistic is cohen_kappa or statistic is scott_pi
    return {"observed_agreement": 1 - float(sums[0]) / units.items if of_two else float(sums[1] / sums[0])}
