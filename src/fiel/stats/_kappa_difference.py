"""Two kappas, or averages of kappas, that share items: how they differ. Knows codes, not who judged."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement_codes import Matrix, Weights, agreement_weights, as_small_table, count_categories
from fiel.stats._agreement_sums import Floats, Kappa, Rows
from fiel.stats._agreement_units import (
    Form,
    Units,
    jackknife_error,
    point_of,
    pseudo_of,
    smoothed_covariance,
    too_few,
    units_of,
)
from fiel.stats._bootstrap import Limits, Resampling, limits_of, samples_of, source_of
from fiel.stats._checks import as_clusters, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._quantiles import t_cdf, t_quantile

Pair = tuple[int, int]
Method = Literal["smoothed-t", "delta", "jackknife", "bootstrap", "bootstrap-bca"]

_METHODS = ("smoothed-t", "delta", "jackknife", "bootstrap", "bootstrap-bca")
_NOTHING = 1e-12
_NO_DOUBT = 'the sample shows no doubt; use method="smoothed-t"'


class Sum:
    """A weighted sum of kappas of the same items, as a function of all their sums."""

    def __init__(self, parts: tuple[Kappa, ...], factors: tuple[float, ...]) -> None:
        self.parts, self.factors = parts, factors

    @property
    def width(self) -> int:
        """The sums of all the kappas."""
        return sum(part.width for part in self.parts)

    def features(self, rows: Rows) -> Floats:
        """The features of all the kappas, side by side."""
        return np.concatenate([part.features(rows) for part in self.parts], axis=1)

    def value(self, sums: Floats) -> Floats:
        """The weighted sum; NaN where one of them is."""
        pieces = np.split(sums, self._cuts(), axis=-1)
        return np.asarray(
            sum(
                factor * part.value(piece)
                for factor, part, piece in zip(self.factors, self.parts, pieces, strict=True)
                if factor
            )
        )

    def gradient(self, sums: Floats) -> Floats:
        """By all the sums."""
        pieces = np.split(sums, self._cuts())
        return np.concatenate(
            [
                factor * part.gradient(piece) if factor else np.zeros(part.width)
                for factor, part, piece in zip(self.factors, self.parts, pieces, strict=True)
            ]
        )

    def _cuts(self) -> list[int]:
        return list(np.cumsum([part.width for part in self.parts])[:-1])


def kappa_difference(  # noqa: PLR0913  (two sets of pairs, what a kappa needs, and what an interval needs)
    table: ArrayLike,
    *,
    first: Pair | Sequence[Pair],
    second: Pair | Sequence[Pair],
    weights: Weights = None,
    categories: int | None = None,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    side: Side = "both",
    method: Method = "smoothed-t",
    rng: np.random.Generator | None = None,
    replicates: int = 10_000,
) -> Estimate:
    """The kappa of `first` less the kappa of `second`, on the same items: a judge with people, beside people alone.

    Where one of them is several pairs of raters, it is the mean of their kappas. The same items serve both, so the
    two go together, and the difference is surer than its parts.

    "smoothed-t", the default: one item more is spread evenly over all the rows of codes that the raters could give;
    the difference and the standard error from the paired influence of each item are computed with it, and the limits
    are difference +- t se with n - 1 degrees of freedom, widened where needed to hold the value of the sample. With
    clusters, as in `agreement_interval`. "delta": the same of the sample as it is. "jackknife": t, leaving out one
    item or cluster at a time. "bootstrap" and "bootstrap-bca": resampled items or clusters. All but the first see no
    doubt in a sample without disagreement: there they are undefined.

    Args:
        table: shape (items, raters), integer codes from 0, -1 for none. A kappa counts the items with both ratings.
        first: the columns of two raters, (0, 1), or several pairs, [(0, 1), (0, 2)].
        second: the same, to be taken away.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale; declare it for weights.
        clusters: shape (items,), the cluster of each item.
        confidence: the coverage promised.
        side: "both", or "lower" / "upper" for one bound at `confidence`; the other limit is then -2 or 2.
        method: how the limits are found.
        rng: the random generator of the bootstraps.
        replicates: how many bootstrap samples.

    Returns:
        An Estimate; `details` has "value_first", "value_second", "standard_error" and "n_items"; under "delta" and
        "smoothed-t" also "se_first", "se_second" and "correlation" of the two, "standard_error_unpaired" (were they
        of other items), and "p_value" of no difference, by t, all with the item that "smoothed-t" adds; under a
        bootstrap "p_value", twice the smaller share of samples at or beyond 0.

    Raises:
        ValueError: on pairs that name no two columns, codes out of range, another method, or a bootstrap without
            `rng`.

    Barnhart and Williamson (2002); Vanbelle and Albert (2008).

    >>> table = [[0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]] * 10
    >>> print(kappa_difference(table, first=[(0, 1), (0, 2)], second=(1, 2)))
    0.36 [0.25, 0.45] n=80
    """
    upto = tail(confidence, side)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    codes = as_small_table(table)
    names = None if clusters is None else as_clusters("clusters", clusters, len(codes))
    count = count_categories(categories, table=codes)
    pairs = [pairs_of(name, value, codes.shape[1]) for name, value in (("first", first), ("second", second))]
    if sorted(map(sorted, pairs[0])) == sorted(map(sorted, pairs[1])):
        raise ValueError("second names the same pairs as first, which differ by nothing; give two that differ")
    used = sorted({column for one in pairs for pair in one for column in pair})
    pairs = [[(used.index(a), used.index(b)) for a, b in one] for one in pairs]
    every = pairs[0] + pairs[1]
    sides = _sides(pairs, 1 - agreement_weights(weights, count))
    counted = partial(_any_pair, every)
    units = units_of(Form(sides[2], count, ordered=True, counted=counted), codes[:, used], names)
    values = [float(one.value(units.sums)) if units.n else math.nan for one in sides]
    label = method + ("" if clusters is None else ", clusters")
    details = {name: x for name, x in zip(("value_first", "value_second"), values, strict=False) if math.isfinite(x)}
    details["n_items"] = float(units.items)
    found = None
    reason = _why_undefined(every, units, values[2]) or too_few(units)
    if reason is None:
        found = _limits(units, sides, upto, method, rng, replicates)
        details |= found.details
        reason = found.why
    if found is None or reason is not None:
        return undefined(reason or "", confidence=confidence, method=label, n=units.n, side=side, details=details)
    low = -2.0 if side == "upper" else min(max(found.low, -2.0), values[2])
    high = 2.0 if side == "lower" else max(min(found.high, 2.0), values[2])
    return Estimate(
        value=values[2], low=low, high=high, confidence=confidence, method=label, n=units.n, side=side, details=details
    )


def pairs_of(name: str, pairs: Pair | Sequence[Pair], columns: int) -> list[Pair]:
    """One pair of columns, or several, as a list; ValueError says what is no pair."""
    array = np.asarray(pairs)
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != 2 or not len(array) or array.dtype.kind not in "ui":
        raise ValueError(f"{name} must be a pair of columns, or several, such as (0, 1) or [(0, 1), (0, 2)]")
    if array.min() < 0 or array.max() >= columns or (array[:, 0] == array[:, 1]).any():
        raise ValueError(f"{name} must name two columns of the {columns} of table, numbered from 0, got {pairs!r}")
    return [(int(a), int(b)) for a, b in array]


def _sides(pairs: list[list[Pair]], distance: Matrix) -> tuple[Sum, Sum, Sum]:
    """The mean kappa of the first pairs, that of the second, and their difference, as functions of the same sums."""
    parts = tuple(Kappa(distance, a, b) for a, b in pairs[0] + pairs[1])
    first = [1 / len(pairs[0])] * len(pairs[0]) + [0.0] * len(pairs[1])
    second = [0.0] * len(pairs[0]) + [1 / len(pairs[1])] * len(pairs[1])
    apart = [a - b for a, b in zip(first, second, strict=True)]
    return Sum(parts, tuple(first)), Sum(parts, tuple(second)), Sum(parts, tuple(apart))


def _why_undefined(pairs: list[Pair], units: Units, value: float) -> str | None:
    if math.isfinite(value):
        return None
    if not all(_both(units.rows, pair).any() for pair in pairs):
        return "a pair of raters has no item with both ratings"
    return "a pair of raters gave one code to all their items, so their kappa is 0/0"


def _any_pair(pairs: list[Pair], rows: Rows) -> NDArray[np.bool_]:
    return np.asarray(np.any([_both(rows, pair) for pair in pairs], axis=0))


def _both(rows: Rows, pair: Pair) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (rows[:, pair[0]] >= 0) & (rows[:, pair[1]] >= 0)
    return found


def _limits(
    units: Units, sides: tuple[Sum, Sum, Sum], upto: float, method: Method, rng: np.random.Generator | None, count: int
) -> Limits:
    if method in ("bootstrap", "bootstrap-bca"):
        return _resampled(units, upto, "bca" if method == "bootstrap-bca" else "percentile", rng, count)
    if method == "jackknife":
        error = jackknife_error(units)
        if not error > _NOTHING:
            return Limits(math.nan, math.nan, {}, _NO_DOUBT)
        reach, value = t_quantile(upto, units.freedom) * error, point_of(units)
        return Limits(value - reach, value + reach, {"standard_error": error})
    more = pseudo_of(units)._replace(mass=0.0) if method == "delta" else pseudo_of(units)
    sums = units.sums + more.mass * more.features.mean(axis=0)
    gradients = np.stack([one.gradient(sums) for one in sides], axis=1)
    variance = np.diag(covariance := smoothed_covariance(units, more, gradients))
    first, second, error = (math.sqrt(max(float(x), 0.0)) for x in variance)
    value = float(sides[2].value(sums))
    details = {"se_first": first, "se_second": second, "standard_error_unpaired": math.hypot(first, second)}
    if first > _NOTHING and second > _NOTHING:
        details["correlation"] = float(covariance[0, 1]) / (first * second)
    if not error > _NOTHING:
        return Limits(math.nan, math.nan, details, _NO_DOUBT)
    details |= {"standard_error": error, "p_value": 2 * t_cdf(-abs(value) / error, units.freedom)}
    reach = t_quantile(upto, units.freedom) * error
    return Limits(value - reach, value + reach, details)


def _resampled(units: Units, upto: float, method: Resampling, rng: np.random.Generator | None, count: int) -> Limits:
    if rng is None:
        raise ValueError("rng is None; the bootstrap needs a generator: rng=numpy.random.default_rng(seed)")
    source = source_of(units)
    values = samples_of(source, method, count, rng)
    found = limits_of(values, source, upto, method)
    defined = values[np.isfinite(values)]
    if found.why:
        return found
    share = min(float((defined <= 0).mean()), float((defined >= 0).mean()))
    return found._replace(details={**found.details, "p_value": min(2 * share, 1.0)})
