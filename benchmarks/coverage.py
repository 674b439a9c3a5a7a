"""How often fiel's intervals hold the truth, and how wide they are, beside Wilson, ARES and PPI++.

`--quick` takes 1,000 judged items, two sizes and few replicates; without it 72 + 48 cells with 2,000 replicates run for
an hour or more on one core. A goal is missed where it is missed by more than three standard errors of the simulation.
The default interval is called as a user calls it, on the judge's probabilities and on its bare verdicts.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from _common import Row, arguments, show
from _coverage_cells import Cell, asymmetric, clustered, draws, other_judges, paired, stratified, symmetric, weighted
from _coverage_rivals import Limits, ares, ppi_py, wilson
from fiel.stats import ppi_difference, ppi_mean, rate_bound

_SEED = 20251130
_ACCURACIES, _RATES, _SIZES = (0.6, 0.8, 0.95), (0.5, 0.9, 0.98), (20, 50, 100, 300)
_CELLS = 72 + 48
_PAIRS = ((0.5, 0.5), (0.7, 0.6), (0.9, 0.9), (0.9, 0.8), (0.98, 0.95))


class Found(NamedTuple):
    """Of one method in one cell: coverage, mean and smallest width, how often too low and too high."""

    coverage: float
    width: float
    narrowest: float
    too_low: float
    too_high: float


def error(share: float, repeats: int) -> float:
    """Three standard errors of a simulated share."""
    return 3 * math.sqrt(share * (1 - share) / repeats)


def summed(limits: Iterable[Limits], truth: float) -> Found:
    """What a method's intervals come to, widths within 0..1."""
    array = np.array(list(limits))
    low, high = array[:, 0], array[:, 1]
    width = np.clip(high, 0, 1) - np.clip(low, 0, 1)
    below, above = high < truth - 1e-12, low > truth + 1e-12
    held = 1 - float((below | above).mean())
    return Found(held, float(width.mean()), float(width.min()), float(below.mean()), float(above.mean()))


def both_limits(estimate: Any) -> Limits:
    """The two limits of an estimate that has them; one without a value counts as a miss without a width."""
    return (2.0, 2.0) if estimate.value is None else (float(estimate.low), float(estimate.high))


def bounds(data: tuple[Any, ...], estimate: Any, method: Any) -> Limits:
    """The two one-sided bounds: of graded beliefs and from 100 labels on `rate_bound` at n_eff, as a test shows."""
    graded = len(np.unique(data[2][:100])) > 2
    if estimate.method.startswith("ess-beta") and estimate.n >= 100 and graded:
        worth = estimate.details["n_eff"]
        return rate_bound(estimate.value, worth), rate_bound(estimate.value, worth, side="upper")
    lower, upper = (ppi_mean(*data, side=side, method=method) for side in ("lower", "upper"))
    return both_limits(lower)[0], both_limits(upper)[1]


def run(cell: Cell, repeats: int, *, verdicts: bool, method: Any = "auto") -> dict[str, Found]:
    """Every method on the same replicates of one cell."""
    found: dict[str, list[Limits]] = {}

    def keep(name: str, limits: Limits) -> None:
        found.setdefault(name, []).append(limits)

    for y, f, u in draws(cell, repeats, _SEED):
        keep("Wilson on the labels", wilson(y))
        keep("ARES, verdicts", ares(y, f, u))
        keep("PPI++ (ppi_py), probabilities", ppi_py(y, f, u))
        estimate = ppi_mean(y, f, u, method=method)
        keep("fiel, probabilities", both_limits(estimate))
        keep("fiel, probabilities, one-sided", bounds((y, f, u), estimate, method))
        if verdicts:
            data = y, (f > 0.5).astype(np.float64), (u > 0.5).astype(np.float64)
            keep("PPI++ (ppi_py), verdicts", ppi_py(*data))
            estimate = ppi_mean(*data, method=method)
            keep("fiel, verdicts", both_limits(estimate))
            keep("fiel, verdicts, one-sided", bounds(data, estimate, method))
    return {name: summed(limits, cell.base) for name, limits in found.items()}


def table(cells: Sequence[Cell], results: Sequence[dict[str, Found]], repeats: int) -> None:
    """Print what the methods come to over the cells."""
    print(f"{len(cells)} cells, {repeats} replicates each: coverage of 95 % intervals, width beside Wilson's")
    print(f"{'':32}{'lowest':>8}{'<.93':>6}{'<.90':>6}{'width':>8}{'widest':>8}{'thinnest':>10}")
    for name in results[-1]:
        if name.endswith("one-sided"):
            continue
        rows = [(x[name], x["Wilson on the labels"]) for x in results if name in x]
        held = np.array([x.coverage for x, _ in rows])
        ratio = np.array([x.width / peer.width for x, peer in rows])
        thin = min(x.narrowest for x, _ in rows)
        print(
            f"{name:32}{held.min():8.3f}{(held < 0.93).sum():6}{(held < 0.90).sum():6}"
            f"{ratio.mean():8.3f}{ratio.max():8.3f}{thin:10.4f}"
        )


def default_rows(cells: Sequence[Cell], results: Sequence[dict[str, Found]], repeats: int, name: str) -> list[Row]:
    """The goals of the default interval on one kind of beliefs."""
    ours = [(cell, x[name], x) for cell, x in zip(cells, results, strict=True) if name in x]
    least = 0.93 - error(0.93, repeats)
    worst, (held, *_), _ = min(ours, key=lambda x: x[1].coverage)
    ratios = np.array(beside_wilson(results, name))
    thin = min(found.narrowest for _, found, _ in ours)
    rows = [
        Row(f"{name}: lowest coverage, at {tuple(worst)}", held, None, None, f">= {least:.3f}", held >= least),
        _row(f"{name}: mean width / Wilson, widest cell", float(ratios.max()), 1.03),
        Row(
            f"{name}: mean width / Wilson, average here", float(ratios.mean()), None, None, "see the last rows", ok=True
        ),
        Row(f"{name}: the narrowest interval", thin, None, None, "> 0", thin > 0),
    ]
    most = 0.05 + error(0.05, repeats)
    for side, field in (("lower", "too_high"), ("upper", "too_low")):
        worst, wrong = max(
            ((cell, getattr(x[f"{name}, one-sided"], field)) for cell, _, x in ours), key=lambda pair: float(pair[1])
        )
        rows.append(_row(f"{name}: {side} bound wrong, at {tuple(worst)}", wrong, most))
    return rows


def beside_wilson(results: Sequence[dict[str, Found]], name: str) -> list[float]:
    """The width beside that of Wilson's interval on the labels, cell by cell."""
    return [x[name].width / x["Wilson on the labels"].width for x in results if name in x]


def average_rows(results: Sequence[dict[str, Found]]) -> list[Row]:
    """The width over all cells; the goal is for all of them, and a part of them only informs."""
    rows = []
    for kind in ("fiel, probabilities", "fiel, verdicts"):
        ratios = beside_wilson(results, kind)
        name, value = f"{kind}: mean width / Wilson, average of {len(ratios)} cells", float(np.mean(ratios))
        whole = len(ratios) == _CELLS
        rows.append(_row(name, value, 0.90) if whole else Row(name, value, None, None, "informs", ok=True))
    return rows


def _row(name: str, value: float, most: float) -> Row:
    return Row(name, value, None, None, f"<= {most:.3g}", value <= most)


def even_rows(cells: Sequence[Cell], results: Sequence[dict[str, Found]]) -> list[Row]:
    """Beside ppi_py where that covers: rate one half, 100 labels and more."""
    rows = []
    for kind in ("probabilities", "verdicts"):
        ratios = [
            x[f"fiel, {kind}"].width / x[f"PPI++ (ppi_py), {kind}"].width
            for cell, x in zip(cells, results, strict=True)
            if cell.base == 0.5 and cell.n >= 100 and f"fiel, {kind}" in x
        ]
        if ratios:
            rows.append(_row(f"fiel, {kind}: width / ppi_py at rate .5, n >= 100, widest cell", max(ratios), 1.05))
    return rows


def recalibrated_row(repeats: int) -> list[Row]:
    """The cell where recalibration pays most."""
    found = run(Cell(100, 10_000, 0.95, 0.95, 0.9), repeats, verdicts=False)
    ours, peer = found["fiel, probabilities"], found["Wilson on the labels"].width
    least = 0.94 - error(0.94, repeats)
    width = ours.width
    return [
        Row("n=100, accuracy .95, rate .9, N=10,000: mean width", width, peer, width / peer, "<= .065", width <= 0.065),
        Row("    and its coverage", ours.coverage, None, None, f">= {least:.3f}", ours.coverage >= least),
    ]


def drawn_rows(name: str, draw: Callable[..., dict[str, Any]], goals: dict[int, float], repeats: int) -> list[Row]:
    """Coverage and width where labels are not independent draws with equal chances, 9 cells for each n."""
    rows = []
    for n, goal in goals.items():
        held, widths = [], []
        for accuracy in _ACCURACIES:
            for base in _RATES:
                rng = np.random.default_rng([_SEED, n, round(100 * accuracy), round(100 * base)])
                limits = [both_limits(ppi_mean(**draw(rng, n, accuracy, base))) for _ in range(repeats)]
                found = summed(limits, base)
                held.append(found.coverage)
                widths.append(found.width)
        least = goal - error(goal, repeats)
        text = f"{name}, n={n}: lowest coverage (mean width {np.mean(widths):.3f})"
        rows.append(Row(text, min(held), None, None, f">= {least:.3f}", min(held) >= least))
    return rows


def paired_rows(sizes: Sequence[int], repeats: int) -> list[Row]:
    """Two systems on the same items."""
    rows = []
    for n in sizes:
        held, ratios = [], []
        for accuracy in _ACCURACIES:
            for rates in _PAIRS:
                for shared in (0.0, 0.5, 0.9):
                    seed = [_SEED, n, *(round(100 * x) for x in (accuracy, *rates, shared))]
                    rng = np.random.default_rng(seed)
                    data = [paired(rng, n, accuracy, rates, shared) for _ in range(repeats)]
                    truth = rates[0] - rates[1]
                    ours = [both_limits(ppi_difference(**each)) for each in data]
                    labels = [both_limits(ppi_difference(**each, method="classical")) for each in data]
                    held.append(float(np.mean([low <= truth <= high for low, high in ours])))
                    ratios.append(np.mean([b - a for a, b in ours]) / np.mean([b - a for a, b in labels]))
        least = 0.94 - error(0.94, repeats)
        text = f"paired difference, n={n}: lowest coverage (width / labels alone {np.mean(ratios):.3f})"
        rows.append(Row(text, min(held), None, None, f">= {least:.3f}", min(held) >= least))
    return rows


PARTS = ("symmetric", "asymmetric", "draws", "paired")


def part(name: str, repeats: int, *, quick: bool, quiet: bool, method: Any, seen: list[dict[str, Found]]) -> list[Row]:
    """The rows of one part, its table printed unless `quiet`; what its cells gave goes into `seen` too."""
    others, sizes = ((1_000,), (20, 100)) if quick else ((1_000, 10_000), _SIZES)
    fewer = max(repeats // 2, 20)
    if name == "paired":
        return paired_rows(sizes, fewer)
    if name == "draws":
        clusters = {n: {20: 0.986, 50: 0.953}.get(n, 0.946) for n in sizes}
        goals = {20: 0.917, 50: 0.942, 100: 0.938, 300: 0.944}
        rows = recalibrated_row(repeats)
        rows += drawn_rows("clusters of 5", clustered, clusters, fewer)
        rows += drawn_rows("draws stratified by verdict", stratified, {n: goals[n] for n in sizes}, fewer)
        return rows + drawn_rows("draws weighted by doubt", weighted, {n: 0.93 for n in sizes if n > 20}, fewer)
    every = {"symmetric": symmetric, "asymmetric": asymmetric}[name](others) if name != "other" else other_judges()
    cells = [cell for cell in every if cell.n in sizes]
    results = [run(cell, repeats, verdicts=True, method=method) for cell in cells]
    seen += results if name != "other" else []
    if not quiet:
        table(cells, results, repeats)
    rows = []
    for kind in ("probabilities", "verdicts"):
        rows += default_rows(cells, results, repeats, f"fiel, {kind}")
    return rows + even_rows(cells, results)


def main() -> None:
    """Simulate and print, part by part."""
    options = arguments(
        __doc__ or "",
        repeats="replicates of each cell (2000, or 60 with --quick)",
        parts=f"{','.join(PARTS)} (all by default), or other: coarse, heavy-tailed and lopsided judges",
        method="of ppi_mean in the cells, in the place of the default",
    )
    repeats = int(options.repeats or (60 if options.quick else 2_000))
    names = options.parts.split(",") if options.parts else PARTS
    rows: list[Row] = []
    seen: list[dict[str, Found]] = []
    how = {"quick": options.quick, "quiet": options.json, "method": options.method or "auto"}
    for name in names:
        found = part(name, repeats, **how, seen=seen)
        rows += found
        if not options.json:
            show(found, as_json=False)
            sys.stdout.flush()
    last = average_rows(seen) if seen else []
    if options.json:
        show(rows + last, as_json=True)
    else:
        show(last, as_json=False)


if __name__ == "__main__":
    main()
