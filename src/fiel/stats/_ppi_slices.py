"""Corrected means of subgroups, with p-values and intervals that know how many there are. Knows no single method."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._checks import MOST, as_clusters, check_bounds, tail
from fiel.stats._ess import Clusters, Sample
from fiel.stats._estimate import Estimate, Side
from fiel.stats._multiplicity import benjamini_hochberg, holm
from fiel.stats._ppi import Asked, Method, check_draw, estimate_mean, solved
from fiel.stats._ppi_inputs import read_sample
from fiel.stats._ppi_p_values import p_value

Adjustment = Literal["holm", "benjamini-hochberg"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """One subgroup of `ppi_strata`.

    Args:
        name: of the stratum.
        estimate: the mean of this stratum by itself, at the confidence asked for.
        adjusted: the same with the interval that allows for the number of strata.
        p_value: of the hypothesis about `null`; None without one, or where the estimate has no value.
        p_adjusted: the same, allowing for the number of strata.
    """

    name: Any
    estimate: Estimate
    adjusted: Estimate
    p_value: float | None
    p_adjusted: float | None


def ppi_strata(  # noqa: PLR0913  (two samples, their strata and clusters, and how to read them)
    y: ArrayLike,
    f: ArrayLike,
    f_unlabelled: ArrayLike,
    *,
    strata: ArrayLike,
    strata_unlabelled: ArrayLike,
    null: float | None = None,
    adjust: Adjustment = "holm",
    confidence: float = 0.95,
    side: Side = "both",
    method: Method = "auto",
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    clusters_unlabelled: ArrayLike | None = None,
) -> tuple[Slice, ...]:
    """The corrected mean of each of several subgroups, each by `ppi_mean` from its own items.

    - "holm": the chance of any false rejection is at most 1 - confidence, and the adjusted intervals hold all at once:
      each at 1 - (1 - confidence) / m, m strata with a value (Bonferroni). Strata may depend on each other.
    - "benjamini-hochberg": of the rejected, a share of at most 1 - confidence is false on the average. The adjusted
      intervals are those of Benjamini and Yekutieli: at 1 - R (1 - confidence) / m, R strata rejected (at least one),
      so that of the rejected strata's intervals as small a share misses. Asks for `null`.

    Args:
        y: shape (n,), labels within `bounds`.
        f: shape (n,), the judge on the labelled items.
        f_unlabelled: shape (N,), the judge on the items without a label.
        strata: shape (n,), the stratum of each labelled item: a random draw within each.
        strata_unlabelled: shape (N,), that of the others.
        null: the mean that each stratum is tested against, as a bar: that it is `null` ("both"), at most ("lower"), or
            at least `null` ("upper").
        adjust: see above.
        confidence: of the intervals.
        side: "both", or "lower" / "upper" for bounds.
        method: as in `ppi_mean`.
        bounds: the lowest and highest value of the scale.
        clusters: shape (n,), the cluster of each labelled item; one may reach over several strata.
        clusters_unlabelled: shape (N,), that of the others.

    Returns:
        One `Slice` for each stratum, sorted by name; one without labels has estimates without a value.

    Raises:
        ValueError: as `ppi_mean`; or on "benjamini-hochberg" without `null`.

    Holm (1979); Benjamini and Hochberg (1995); Benjamini and Yekutieli (2005) for the intervals.

    >>> found = ppi_strata([1, 0, 1, 1, 1, 1], [1, 0, 1, 1, 0, 1], [1, 1, 0, 1], strata=list("aaabbb"),
    ...                    strata_unlabelled=list("aabb"), null=0.2)
    >>> [(part.name, str(part.estimate)) for part in found]
    [('a', '0.67 [0.21, 0.94] n=3'), ('b', '1.00 [0.44, 1.00] n=3')]
    """
    if adjust not in get_args(Adjustment):
        raise ValueError(f"adjust must be one of {', '.join(get_args(Adjustment))}; got {adjust!r}")
    if adjust == "benjamini-hochberg" and null is None:
        raise ValueError("null is missing: Benjamini and Hochberg's promise is about what is rejected; say what of")
    limits = check_bounds(bounds)
    asked = Asked(confidence=confidence, side=side, upto=tail(confidence, side), bounds=limits)
    whole = read_sample(y, f, f_unlabelled, bounds=limits, clusters=clusters, clusters_unlabelled=clusters_unlabelled)
    check_draw(whole, method, recalibrate=None)
    ours = as_clusters("strata", strata, len(whole.y))
    others = as_clusters("strata_unlabelled", strata_unlabelled, len(whole.u))
    samples = {name: _part(whole, ours == name, others == name) for name in _names(ours, others)}
    estimates = {name: estimate_mean(sample, method, asked) for name, sample in samples.items()}
    known = [name for name, estimate in estimates.items() if estimate.value is not None]
    p_values: dict[Any, float] = {}
    if null is not None:
        unit = (null - limits[0]) / (limits[1] - limits[0])
        p_values = {name: _p_value(samples[name], method, unit, side) for name in known}
    adjusted_p = dict(zip(known, _adjust(list(p_values.values()), adjust), strict=False))
    rejected = sum(p <= 1 - confidence for p in adjusted_p.values())
    part = 1 if adjust == "holm" else max(rejected, 1)
    level = min(1 - part * (1 - confidence) / max(len(known), 1), MOST)
    wider = asked._replace(confidence=level, upto=tail(level, side))
    return tuple(
        Slice(
            name=name,
            estimate=estimates[name],
            adjusted=estimate_mean(sample, method, wider),
            p_value=p_values.get(name),
            p_adjusted=adjusted_p.get(name),
        )
        for name, sample in samples.items()
    )


def _names(ours: NDArray[Any], others: NDArray[Any]) -> list[Any]:
    names = {*ours.tolist(), *others.tolist()}
    try:
        return sorted(names)
    except TypeError as error:
        raise ValueError("strata and strata_unlabelled must be all names or all numbers") from error


def _part(whole: Sample, ours: NDArray[np.bool_], others: NDArray[np.bool_]) -> Sample:
    clusters = whole.clusters
    if clusters is not None:
        clusters = Clusters(clusters.labelled[ours], clusters.others[others], clusters.total)
    return Sample(y=whole.y[ours], f=whole.f[ours], u=whole.u[others], clusters=clusters)


def _p_value(sample: Sample, method: str, null: float, side: Side) -> float:
    found = solved(sample, method, side)
    return p_value(found, null, side)


def _adjust(p: list[float], adjust: Adjustment) -> list[float]:
    found: list[float] = (holm(p) if adjust == "holm" else benjamini_hochberg(p)).tolist() if p else []
    return found
