"""The bootstrap: any statistic of a table, resampled by items or by clusters. Knows no model.

A coefficient of this room is a function of the counts of patterns, so that a sample of items is a multinomial draw over
the patterns: its cost does not grow with the number of items. Any other function is called once for each sample.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement import percent_agreement
from fiel.stats._agreement_codes import as_small_table
from fiel.stats._agreement_forms import form_of, has_form, why_undefined
from fiel.stats._agreement_sums import Floats
from fiel.stats._agreement_units import Units, left_out, point_of, replicates_of, too_few, units_of
from fiel.stats._checks import as_clusters, cluster_codes, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._quantiles import normal_cdf, normal_quantile

Resampling = Literal["percentile", "bca"]

_TIE = 1e-12
_LEAST = 50


class Source(NamedTuple):
    """What is resampled: its value, its `n` independent units, samples of it, and its value without each unit.

    `left_out` gives values and how many units of each kind there are. `reason`: why there is no value.
    """

    value: float
    n: int
    draw: Callable[[int, np.random.Generator], Floats]
    left_out: Callable[[], tuple[Floats, NDArray[np.int64]]]
    reason: str | None = None


class Limits(NamedTuple):
    """Limits at one tail on either side, before they are widened or clipped; `why` there are none."""

    low: float
    high: float
    details: dict[str, float]
    why: str | None = None


def bootstrap(
    statistic: Callable[..., float],
    table: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    method: Resampling = "percentile",
    replicates: int = 10_000,
    confidence: float = 0.95,
    side: Side = "both",
    **options: Any,
) -> Estimate:
    """A statistic of a table with its bootstrap interval, widened where needed to hold the value.

    Args:
        statistic: a coefficient of agreement of this room, which is quick; or any function of a table to a float.
        table: shape (items, ...): the items are resampled with replacement. For a coefficient, items x raters.
        rng: the random generator.
        clusters: shape (items,), the cluster of each item; then whole clusters are resampled.
        method: "percentile", or "bca" (bias-corrected and accelerated; a tie with the value counts half).
        replicates: how many samples, at least 50.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then None for a function
            of your own, and the end of the scale for a coefficient.
        **options: what else the statistic takes by keyword (categories=, weights=, scale=, ...).

    Returns:
        An Estimate; `details` has "standard_error" (of the replicates), "replicates", "undefined" (how many samples
        had no value; they are left out), and for "bca" "z0" and "acceleration". Undefined where no sample differs from
        the others: resampling sees nothing outside the sample.

    Raises:
        ValueError: on fewer than 50 replicates, another method, an empty table, or what the statistic refuses.

    Efron and Tibshirani (1993), chapters 13 and 14.

    >>> import numpy as np
    >>> from fiel.stats import cohen_kappa
    >>> table = [[0, 0]] * 20 + [[0, 1]] * 5 + [[1, 0]] * 10 + [[1, 1]] * 15
    >>> print(bootstrap(cohen_kappa, table, rng=np.random.default_rng(1)))
    0.40 [0.15, 0.64] n=50
    """
    upto = tail(confidence, side)
    label = f"bootstrap {method}" + ("" if clusters is None else ", clusters")
    floor: float | None = None
    ceiling: float | None = None
    if has_form(statistic):
        source = _of_coefficient(statistic, as_small_table(table), clusters, options)
        floor, ceiling = (0.0 if statistic is percent_agreement else -1.0), 1.0
    else:
        source = _of_function(statistic, np.asarray(table), clusters, options)
    reason, found = source.reason, None
    if reason is None:
        found = resampled_limits(source, upto, method, replicates, rng)
        reason = found.why
    if found is None or reason is not None:
        details = {} if found is None else found.details
        return undefined(reason or "", confidence=confidence, method=label, n=source.n, side=side, details=details)
    low: float | None = min(found.low, source.value)
    high: float | None = max(found.high, source.value)
    if side == "upper":
        low = None if floor is None else min(floor, source.value)
    if side == "lower":
        high = None if ceiling is None else max(ceiling, source.value)
    return Estimate(
        value=source.value,
        low=low,
        high=high,
        confidence=confidence,
        method=label,
        n=source.n,
        side=side,
        details=found.details,
    )


def resampled_limits(source: Source, upto: float, method: Resampling, count: int, rng: np.random.Generator) -> Limits:
    """The limits of `count` samples with `upto` of the probability below the upper one."""
    return limits_of(samples_of(source, method, count, rng), source, upto, method)


def samples_of(source: Source, method: Resampling, count: int, rng: np.random.Generator) -> Floats:
    """The values of `count` samples, NaN where undefined; ValueError on too few, or an unknown method."""
    if method not in ("percentile", "bca"):
        raise ValueError(f'method must be "percentile" or "bca", got {method!r}')
    if count < _LEAST:
        raise ValueError(f"replicates must be at least {_LEAST}, got {count!r}; 10,000 leaves little noise")
    return source.draw(count, rng)


def limits_of(values: Floats, source: Source, upto: float, method: Resampling) -> Limits:
    """The limits of the values of samples."""
    count = len(values)
    defined = np.sort(values[np.isfinite(values)])
    details = {"replicates": float(count), "undefined": float(count - len(defined))}
    if len(defined) < _LEAST:
        return Limits(math.nan, math.nan, details, "the statistic is undefined in nearly every sample")
    details["standard_error"] = float(defined.std(ddof=1))
    low, high = 1 - upto, upto
    if method == "bca":
        below = np.searchsorted(defined, source.value - _TIE)
        ties = np.searchsorted(defined, source.value + _TIE, side="right") - below
        details |= _bca(source, (float(below) + float(ties) / 2) / len(defined), len(defined))
        low, high = (_bent(p, details["z0"], details["acceleration"]) for p in (low, high))
    low, high = (float(x) for x in np.quantile(defined, [low, high]))
    if high - low <= _TIE:
        reason = 'resampling sees no doubt in this sample; for agreement use method="smoothed-z"'
        return Limits(math.nan, math.nan, details, reason)
    return Limits(low, high, details)


def source_of(units: Units) -> Source:
    """The units behind a coefficient, to be resampled."""
    return Source(
        value=point_of(units),
        n=units.n,
        draw=lambda count, rng: replicates_of(units, count, rng),
        left_out=lambda: (left_out(units), units.counts),
    )


def _bca(source: Source, below: float, samples: int) -> dict[str, float]:
    """How far the samples lie to one side of the value, and how fast their spread changes with it."""
    below = min(max(below, 1 / (samples + 1)), samples / (samples + 1))
    values, counts = source.left_out()
    kept = np.isfinite(values)
    values, counts = values[kept], counts[kept]
    apart = float(counts @ values) / max(float(counts.sum()), 1.0) - values
    spread = float(counts @ apart**2) ** 1.5
    acceleration = float(counts @ apart**3) / (6 * spread) if spread > 0 else 0.0
    return {"z0": normal_quantile(below), "acceleration": acceleration}


def _bent(p: float, z0: float, acceleration: float) -> float:
    """The quantile of the samples that stands for `p`."""
    z = z0 + normal_quantile(p)
    left = 1 - acceleration * z
    return normal_cdf(z0 + z / left) if left > 0 else float(z > 0)


def _of_coefficient(
    statistic: Callable[..., float], codes: NDArray[Any], clusters: ArrayLike | None, options: dict[str, Any]
) -> Source:
    names = None if clusters is None else as_clusters("clusters", clusters, len(codes))
    form, codes = form_of(statistic, codes, **options)
    units = units_of(form, codes, names)
    source = source_of(units)
    return source._replace(reason=why_undefined(statistic, units, source.value) or too_few(units))


def _of_function(
    statistic: Callable[..., float], table: NDArray[Any], clusters: ArrayLike | None, options: dict[str, Any]
) -> Source:
    if not table.ndim or not len(table):
        raise ValueError("table holds no items; give one row for each")
    groups, members = len(table), None
    if clusters is not None:
        (codes,), groups = cluster_codes(as_clusters("clusters", clusters, len(table)))
        order = np.argsort(codes, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(codes))[:-1])

    def of(units: NDArray[np.intp]) -> float:
        items = units if members is None else np.concatenate([members[unit] for unit in units])
        return float(statistic(table[items], **options))

    def draw(count: int, rng: np.random.Generator) -> Floats:
        return np.array([of(rng.integers(groups, size=groups)) for _ in range(count)])

    def without() -> tuple[Floats, NDArray[np.int64]]:
        every = np.arange(groups)
        return np.array([of(np.delete(every, unit)) for unit in every]), np.ones(groups, dtype=np.int64)

    value = float(statistic(table, **options))
    reason = None if math.isfinite(value) else "the statistic has no value for this table"
    if reason is None and groups < 2:
        reason = "one item has no interval" if clusters is None else "one cluster has no interval"
    return Source(value, groups, draw, without, reason)
