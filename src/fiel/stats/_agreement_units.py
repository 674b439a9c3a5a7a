"""What intervals for agreement rest on: independent units, what each adds to a coefficient's sums, and their influence.

A unit is a pattern of codes with its count, or a cluster of items. Knows no table and no public coefficient.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fiel.stats._agreement_codes import Codes
from fiel.stats._agreement_sums import Coefficient, Floats, Rows
from fiel.stats._checks import cluster_codes
from fiel.stats._patterns import Order, tally
from fiel.stats._proportions import worth_of_clusters

_MOST_LISTED, _SPREAD_OUT = 1 << 14, 1 << 12
_MOST_NUMBERS = 50_000_000
_CELLS = 1_000_000  # numbers drawn at a time: 8 MB


class Form(NamedTuple):
    """A coefficient with what it needs to know of a table.

    `ordered`: it matters which rater gave which code. `counted`: which rows of codes are items; None for all.
    """

    coefficient: Coefficient
    categories: int
    ordered: bool
    counted: Callable[[Rows], NDArray[np.bool_]] | None = None


class Units(NamedTuple):
    """Features of shape (units, width) with counts; `n` independent ones in all, made of `items` with these `rows`.

    `worth` is what they are worth: n, or with clusters of unequal sizes fewer (Kish). `most` is the highest number of
    ratings of an item, or the number of raters where `form.ordered`.
    """

    form: Form
    rows: Rows
    features: Floats
    counts: NDArray[np.int64]
    n: int
    items: int
    most: int
    worth: float
    clustered: bool

    @property
    def freedom(self) -> float:
        """Degrees of freedom: n - 1, or with clusters what they are worth less one."""
        return max(self.worth - 1, 1.0)

    @property
    def sums(self) -> Floats:
        """What the coefficient is a function of."""
        total: Floats = self.counts @ self.features
        return total


class Pseudo(NamedTuple):
    """Features of possible patterns, shape (patterns, width), and how many items are spread over them."""

    features: Floats
    mass: float


def units_of(form: Form, codes: Codes, names: NDArray[Any] | None) -> Units:
    """The units behind a table of codes, shape (items, raters): its patterns, or clusters of items by their names."""
    order: Order = "kept" if form.ordered else "dropped"
    patterns = tally(codes, form.categories, order=order, index=names is not None)
    rows, counts, of_item = patterns
    if form.counted is not None:
        kept = form.counted(rows)
        if of_item is not None and names is not None:
            inside = kept[of_item]
            of_item, names = (np.cumsum(kept) - 1)[of_item[inside]], names[inside]
        rows, counts = rows[kept], counts[kept]
    items, width = int(counts.sum()), form.coefficient.width
    groups: int = len(counts)
    if names is not None:
        (clusters,), groups = cluster_codes(names)
    if max(len(counts), groups) * width > _MOST_NUMBERS:
        raise ValueError(
            f"table has {len(counts):,} patterns of ratings over {form.categories:,} categories, too many for an "
            "interval on this scale; use fewer categories"
        )
    features = form.coefficient.features(rows)
    most = codes.shape[1] if form.ordered else int((rows >= 0).sum(axis=1).max(initial=0))
    if names is None:
        return Units(form, rows, features, counts, items, items, most, float(items), clustered=False)
    sums = np.empty((groups, width))
    for column in range(width):
        sums[:, column] = np.bincount(clusters, weights=features[of_item, column], minlength=groups)
    worth = worth_of_clusters(clusters) if groups else 0.0
    ones = np.ones(groups, dtype=np.int64)
    return Units(form, rows, sums, ones, groups, items, most, worth, clustered=True)


def too_few(units: Units) -> str | None:
    """Why so few units have no interval, or None where they are enough."""
    if units.n > 1:
        return None
    return "one cluster has no interval" if units.clustered else "one item has no interval"


def point_of(units: Units) -> float:
    """The coefficient of the sample; NaN without items."""
    if not units.n:
        return math.nan
    return float(units.form.coefficient.value(units.sums))


def influence_of(units: Units) -> Floats:
    """What one more unit of each kind would add to the coefficient, less the average."""
    influence = units.features @ units.form.coefficient.gradient(units.sums)
    centred: Floats = influence - float(units.counts @ influence) / units.n
    return centred


def delta_error(units: Units, influence: Floats | None = None) -> float:
    """The standard error by the delta method, with n in the denominator; G / (G - 1) is for clusters alone."""
    influence = influence_of(units) if influence is None else influence
    variance = float(units.counts @ influence**2)
    return math.sqrt(variance * (units.n / (units.n - 1) if units.clustered else 1.0))


def left_out(units: Units) -> Floats:
    """The coefficient without one unit of each kind."""
    return units.form.coefficient.value(units.sums - units.features)


def jackknife_error(units: Units) -> float:
    """The standard error of leaving out one unit at a time; NaN where the coefficient is then undefined."""
    values = left_out(units)
    apart = values - float(units.counts @ values) / units.n
    return math.sqrt((units.n - 1) / units.n * float(units.counts @ apart**2))


def smooth(units: Units) -> tuple[float, float]:
    """The coefficient and its delta standard error with one unit more, spread evenly over the possible patterns.

    One unit is one item, or with clusters one average cluster.
    """
    coefficient, more = units.form.coefficient, pseudo_of(units)
    sums = units.sums + more.mass * more.features.mean(axis=0)
    variance = smoothed_covariance(units, more, coefficient.gradient(sums)[:, None])[0, 0]
    return float(coefficient.value(sums)), math.sqrt(max(float(variance), 0.0))


def pseudo_of(units: Units) -> Pseudo:
    """The possible patterns that share one unit more."""
    return Pseudo(units.form.coefficient.features(possible_rows(units)), units.items / units.n)


def smoothed_covariance(units: Units, more: Pseudo, gradients: Floats) -> Floats:
    """The covariance of functions of the sums, from their gradients, shape (width, functions), at the raised sums."""
    own, others = units.features @ gradients, more.features @ gradients
    drift = units.counts @ own + more.mass * others.mean(axis=0)
    spread = (own.T * units.counts) @ own - np.outer(drift, drift) / (units.n + 1)
    if units.clustered:
        spread = spread * (units.n / (units.n - 1))
    covariance: Floats = spread + more.mass**2 * (others.T @ others) / len(others)
    return covariance


def possible_rows(units: Units) -> Rows:
    """All patterns that an item could show, or where they are too many an even selection of them.

    Where the raters' order matters: every row of codes. Where it does not: every set of at most `most` codes.
    """
    categories, most = units.form.categories, units.most
    limit = max(256, min(_MOST_LISTED, 20_000_000 // units.form.coefficient.width))
    if units.form.ordered:
        if categories**most <= limit:
            return np.stack(np.unravel_index(np.arange(categories**most), (categories,) * most), axis=1)
        return (_even(min(limit, _SPREAD_OUT), most) * categories).astype(np.int64)
    if math.comb(most + categories, most) <= limit:
        return np.array(list(itertools.combinations_with_replacement(range(-1, categories), most)), dtype=np.int64)
    # Polya's urn draws sets evenly: the next code is a new one, or a copy of one of those drawn.
    places, rows = _even(min(limit, _SPREAD_OUT), most), np.empty((min(limit, _SPREAD_OUT), most), dtype=np.int64)
    for drawn in range(most):
        ball = (places[:, drawn] * (categories + 1 + drawn)).astype(np.int64)
        copied = rows[np.arange(len(rows)), np.maximum(ball - categories - 1, 0)] if drawn else ball
        rows[:, drawn] = np.where(ball > categories, copied, ball)
    return rows - 1


def replicates_of(units: Units, count: int, rng: np.random.Generator) -> Floats:
    """The coefficient of `count` bootstrap samples of units; NaN where it is undefined.

    A sample of n units is a multinomial draw over the kinds. Where the kinds are many, drawing n indices is quicker and
    the same.
    """
    kinds = len(units.counts)
    values = np.empty(count)
    step = max(1, _CELLS // max(kinds, units.form.coefficient.width, 1))
    owner = np.repeat(np.arange(kinds), units.counts) if units.n < 8 * kinds else None
    if owner is not None:
        step = max(1, min(step, _CELLS // units.n))
    for start in range(0, count, step):
        size = min(step, count - start)
        if owner is None:
            drawn = rng.multinomial(units.n, units.counts / units.n, size=size)
        else:
            picked = owner[rng.integers(units.n, size=(size, units.n))] + kinds * np.arange(size)[:, None]
            drawn = np.bincount(picked.ravel(), minlength=size * kinds).reshape(size, kinds)
        values[start : start + size] = units.form.coefficient.value(drawn.astype(np.float64) @ units.features)
    return values


def _even(points: int, dimensions: int) -> Floats:
    """Points spread evenly over the unit cube: multiples of the powers of a generalised golden ratio.

    Roberts (2018), the R sequence.
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    steps = ratio ** -np.arange(1, dimensions + 1)
    spread: Floats = (0.5 + np.arange(1, points + 1)[:, None] * steps) % 1.0
    return spread
