"""How often fiel's intervals for agreement hold the truth: 96 cells of independent items, clusters, and differences.

`--quick` takes 150 replicates and no bootstrap; without it 2,000 replicates (1,000 with clusters and for differences)
run for about twenty minutes on one core. Samples whose coefficient is 0/0 are left out. Every interval is called as a
user calls it; "below .90" counts cells whose simulated coverage is under 0.90, "surely" those that are so by more than
three standard errors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from _common import Row, arguments, show
from fiel.stats import Estimate, agreement_interval, cohen_kappa, gwet_ac, kappa_difference, krippendorff_alpha

Method = Literal["smoothed-z", "delta", "jackknife", "bootstrap"]

_SEED = 20260917
_SIZES = (20, 50, 100)
_UNEQUAL = np.array([1, 1, 2, 2, 3, 4, 6, 8, 10, 10])


class Population(NamedTuple):
    """Rows of codes with their probabilities, and the coefficient that is asked for."""

    name: str
    statistic: Callable[..., float]
    options: dict[str, Any]
    rows: NDArray[np.int64]
    shares: NDArray[np.float64]


class Found(NamedTuple):
    """Of one method in one cell: coverage, mean width, and samples with a coefficient."""

    coverage: float
    width: float
    samples: int


def verdicts(prevalence: float, kappa: float, *, bias: float = 0.0) -> NDArray[np.float64]:
    """Four cells of two raters with this mean prevalence, difference of prevalences and kappa."""
    first, second = prevalence + bias / 2, prevalence - bias / 2
    chance = first * second + (1 - first) * (1 - second)
    both = (kappa * (1 - chance) + chance - 1 + first + second) / 2
    return np.array([1 - first - second + both, second - both, first - both, both])


def ordered(correlation: float, skew: float, categories: int = 5) -> NDArray[np.float64]:
    """Cells of two raters who cut correlated normal scores, the second at cuts that lie 0.1 higher."""
    cuts = ndtri(np.arange(1, categories) / categories) + skew
    edges, others = np.concatenate([[-9], cuts, [9]]), np.concatenate([[-np.inf], cuts + 0.1, [np.inf]])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    cells = np.empty((categories, categories))
    for row, (low, high) in enumerate(itertools.pairwise(edges)):
        x = (nodes + 1) / 2 * (high - low) + low
        density = weights * (high - low) / 2 * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        below = ndtr((others[:, None] - correlation * x) / math.sqrt(1 - correlation**2))
        cells[row] = np.diff(below, axis=0) @ density
    return np.asarray(cells.ravel() / cells.sum())


def latent(
    raters: int, agreement: float, shares: tuple[float, ...], missing: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of raters who each know the true category with probability sqrt(agreement) and else draw one."""
    count, known = len(shares), math.sqrt(agreement)
    rows = np.array(list(itertools.product(range(-1, count), repeat=raters)))
    total = np.zeros(len(rows))
    for truth, share in enumerate(shares):
        codes = known * (np.arange(count) == truth) + (1 - known) * np.array(shares)
        total += share * np.append(codes * (1 - missing), missing)[rows].prod(axis=1)
    return rows[total > 0], total[total > 0]


def populations() -> Iterator[Population]:
    """The 32 populations of the 96 cells."""
    two, five = (np.array(list(itertools.product(range(k), repeat=2))) for k in (2, 5))
    binary = {"categories": 2}
    for prevalence, kappa in itertools.product((0.5, 0.8, 0.9), (0.2, 0.4, 0.6, 0.8, 0.9)):
        name = f"kappa K=2, prevalence {prevalence}, kappa {kappa}"
        yield Population(name, cohen_kappa, binary, two, verdicts(prevalence, kappa))
    name = "kappa K=2, prevalence 0.6, bias 0.2, kappa 0.5"
    yield Population(name, cohen_kappa, binary, two, verdicts(0.6, 0.5, bias=0.2))
    for correlation, skew in ((0.6, 0.0), (0.85, 0.0), (0.95, 0.0), (0.85, 0.9)):
        for weights in ("quadratic", None):
            name = f"kappa K=5, {weights or 'nominal'}, correlation {correlation}, skew {skew}"
            options = {"categories": 5, "weights": weights}
            yield Population(name, cohen_kappa, options, five, ordered(correlation, skew))
    even, steep = (0.5, 0.3, 0.2), (0.85, 0.1, 0.05)
    for agreement, shares in ((0.4, even), (0.6, even), (0.8, even), (0.9, even), (0.6, steep)):
        rows, chances = latent(3, agreement, shares, 0.1)
        name = f"alpha R=3 K=3, agreement {agreement}, largest {shares[0]}"
        yield Population(name, krippendorff_alpha, {"categories": 3}, rows, chances)
    for agreement, share in ((0.6, 0.9), (0.8, 0.9), (0.8, 0.5)):
        rows, chances = latent(2, agreement, (share, 1 - share), 0.0)
        yield Population(f"AC1 K=2, agreement {agreement}, largest {share}", gwet_ac, binary, rows, chances)


def truth(population: Population) -> float:
    """The coefficient of a million items of a population."""
    counts = np.round(population.shares * 1e6).astype(np.int64)
    table = np.repeat(population.rows.astype(np.int8), counts, axis=0)
    if population.statistic is cohen_kappa:
        return cohen_kappa(table[:, 0], table[:, 1], **population.options)
    return population.statistic(table, **population.options)


def independent(population: Population, n: int, repeats: int, methods: tuple[Method, ...]) -> dict[Method, Found]:
    """Every method on the same samples of independent items."""
    rng, true = np.random.default_rng([_SEED, n]), truth(population)
    seen: dict[bytes, dict[Method, Estimate]] = {}
    found: dict[Method, list[Estimate]] = {method: [] for method in methods}
    for _ in range(repeats):
        counts = rng.multinomial(n, population.shares)
        key = counts.tobytes()
        if key not in seen:
            table = np.repeat(population.rows, counts, axis=0)
            seen[key] = {
                method: agreement_interval(
                    population.statistic, table, method=method, rng=rng, replicates=300, **population.options
                )
                for method in methods
            }
        for method in methods:
            found[method].append(seen[key][method])
    defined = [one.value is not None for one in found["smoothed-z"]]
    return {method: summed(list(itertools.compress(ones, defined)), true) for method, ones in found.items()}


def clustered(population: Population, groups: int, sizes: str, correlation: float, repeats: int) -> Found:
    """The default on clusters whose own shares vary as a Dirichlet: items of a cluster correlate by `correlation`."""
    rng, true = np.random.default_rng([_SEED, groups]), truth(population)
    many = np.resize(_UNEQUAL, groups) if sizes == "1-10" else np.full(groups, int(sizes))
    precision, names = (1 - correlation) / correlation, np.repeat(np.arange(groups), many)
    found = []
    for _ in range(repeats):
        own = rng.standard_gamma(precision * population.shares, size=(groups, len(population.shares))) + 1e-300
        counts = rng.multinomial(many, own / own.sum(axis=1, keepdims=True))
        table = np.repeat(np.tile(population.rows, (groups, 1)), counts.ravel(), axis=0)
        found.append(agreement_interval(population.statistic, table, clusters=names, **population.options))
    return summed([one for one in found if one.value is not None], true)


def differences(repeats: int) -> Iterator[tuple[str, int, dict[str, Found]]]:
    """A judge with two people less the people with each other, for raters of several accuracies."""
    rows = np.array(list(itertools.product(range(2), repeat=3)))
    pairs: dict[str, Any] = {"first": [(0, 1), (0, 2)], "second": [(1, 2)], "categories": 2}
    people = ((0.8, 0.8), (0.9, 0.9), (0.98, 0.98), (0.999, 0.999), (0.95, 0.95))
    for prevalence, (judge, human) in itertools.product(
        (0.5, 0.8, 0.9), zip((0.8, 0.95, 0.98, 0.99, 0.7), people, strict=True)
    ):
        right = np.array([judge, *human])
        shares = sum(
            share * np.where(rows == true, right, 1 - right).prod(axis=1)
            for true, share in ((0, 1 - prevalence), (1, prevalence))
        )
        everything = np.repeat(rows.astype(np.int8), np.round(shares * 1e6).astype(np.int64), axis=0)
        value = kappa_difference(everything, **pairs).value or 0.0
        for n in _SIZES:
            rng = np.random.default_rng([_SEED, n])
            tables = [np.repeat(rows, rng.multinomial(n, shares), axis=0) for _ in range(repeats)]
            ours = [kappa_difference(table, **pairs) for table in tables]
            raw = [kappa_difference(table, method="delta", **pairs) for table in tables]
            kept = [one.value is not None for one in ours]
            found = {
                "smoothed-t": summed(list(itertools.compress(ours, kept)), value),
                "delta": summed(list(itertools.compress(raw, kept)), value),
            }
            yield f"prevalence {prevalence}, judge {judge}, people {human[0]}", n, found


def summed(estimates: list[Estimate], true: float) -> Found:
    """Coverage and width; an interval that says it cannot tell from its sample counts as a miss without a width."""
    ends = [(2.0, 2.0) if x.value is None else (float(x.low or 0), float(x.high or 0)) for x in estimates]
    low, high = np.array(ends).T
    held = (low <= true + 1e-9) & (true - 1e-9 <= high)
    return Found(float(held.mean()), float((high - low).mean()), len(estimates))


def surely_below(found: Found, bar: float) -> bool:
    """Whether coverage misses the bar by more than three standard errors."""
    return found.coverage < bar - 3 * math.sqrt(bar * (1 - bar) / max(found.samples, 1))


def report(title: str, cells: dict[str, list[tuple[str, Found]]]) -> None:
    """One line for each method, and the worst cells of the first."""
    print(title)
    for method, all_ in cells.items():
        coverage = np.array([found.coverage for _, found in all_])
        width = float(np.mean([found.width for _, found in all_]))
        low = int((coverage < 0.9).sum())
        print(
            f"  {method:16} min {coverage.min():.3f}  mean {coverage.mean():.3f}  below .90 in {low} of {len(all_)}"
            f"  mean width {width:.3f}"
        )
    worst = sorted(next(iter(cells.values())), key=lambda cell: cell[1].coverage)[:5]
    for name, found in worst:
        print(f"    {found.coverage:.3f} {name}")


def by_size(repeats: int, methods: tuple[Method, ...], *, quick: bool, quiet: bool) -> list[Row]:
    """The 96 cells; a quick run is too noisy for the first of its goals."""
    cells: dict[str, list[tuple[str, Found]]] = {method: [] for method in methods}
    for population, n in itertools.product(populations(), _SIZES):
        for method, found in independent(population, n, repeats, methods).items():
            cells[method].append((f"{population.name}, n={n}", found))
    if not quiet:
        report("independent items", cells)
        for n in _SIZES:
            some = {m: [c for c in all_ if c[0].endswith(f"n={n}")] for m, all_ in cells.items()}
            report(f"  of these n={n}", some)
    ours = [found for _, found in cells["smoothed-z"]]
    enough = sum(found.coverage >= 0.9 for found in ours)
    sure = sum(surely_below(found, 0.9) for found in ours)
    return [
        Row("cells of 96 with coverage >= .90", enough, None, None, ">= 95", enough >= 95 or quick),
        Row("cells of 96 surely below .90", sure, None, None, "<= 1", sure <= 1),
    ]


def by_cluster(repeats: int, *, quick: bool, quiet: bool) -> list[Row]:
    """Clusters of 2 to 10 items, and unequal ones."""
    names = (
        "kappa K=2, prevalence 0.5, kappa 0.4",
        "kappa K=2, prevalence 0.5, kappa 0.9",
        "kappa K=2, prevalence 0.8, kappa 0.6",
        "kappa K=2, prevalence 0.9, kappa 0.4",
        "kappa K=5, nominal, correlation 0.6, skew 0.0",
        "kappa K=5, quadratic, correlation 0.95, skew 0.0",
        "alpha R=3 K=3, agreement 0.4, largest 0.5",
        "alpha R=3 K=3, agreement 0.6, largest 0.85",
        "AC1 K=2, agreement 0.6, largest 0.9",
    )
    chosen = [population for population in populations() if population.name in names]
    sizes, groups = (("5", "1-10"), (20,)) if quick else (("2", "5", "10", "1-10"), (10, 20, 30, 50, 100))
    cells = []
    for size, count, correlation, population in itertools.product(sizes, groups, (0.1, 0.3, 0.5), chosen):
        found = clustered(population, count, size, correlation, repeats)
        cells.append((f"{count} clusters of {size}, correlation {correlation}: {population.name}", found))
    if not quiet:
        for count in groups:
            some = [cell for cell in cells if cell[0].startswith(f"{count} ")]
            report(f"{count} clusters", {f"of {s}": [c for c in some if f"of {s}," in c[0]] for s in sizes})
    low = sum(found.coverage < 0.9 for _, found in cells)
    sure = sum(surely_below(found, 0.9) for _, found in cells)
    return [
        Row(
            f"clustered cells of {len(cells)} below .90",
            low,
            None,
            None,
            f"<= {len(cells) // 50}",
            low <= len(cells) // 50,
        ),
        Row(f"clustered cells of {len(cells)} surely below .90", sure, None, None, "0", sure == 0),
    ]


def by_difference(repeats: int, *, quiet: bool) -> list[Row]:
    """Differences of kappas that share items."""
    cells: dict[str, list[tuple[str, Found]]] = {"smoothed-t": [], "delta": []}
    for name, n, found in differences(repeats):
        for method, one in found.items():
            cells[method].append((f"{name}, n={n}", one))
    if not quiet:
        report("differences of kappas", cells)
    sure = sum(surely_below(found, 0.9) for _, found in cells["smoothed-t"])
    return [Row(f"differences of {len(cells['delta'])} surely below .90", sure, None, None, "0", sure == 0)]


def main() -> None:
    """Simulate and print."""
    options = arguments(__doc__ or "")
    methods: tuple[Method, ...] = ("smoothed-z", "delta", "jackknife")
    methods += () if options.quick else ("bootstrap",)
    repeats = 150 if options.quick else 2000
    rows = by_size(repeats, methods, quick=options.quick, quiet=options.json)
    rows += by_cluster(repeats if options.quick else 1000, quick=options.quick, quiet=options.json)
    rows += by_difference(repeats if options.quick else 1000, quiet=options.json)
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
