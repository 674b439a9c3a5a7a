"""What the statistics cost beside their peers, in one run: alpha, kappa, the bootstrap, ppi_mean, the import.

Every pair runs in turn, and the best of a few runs of each counts: what else the machine does slows both. Peers get
the same arrays, in the form that is quickest for them. `--quick` leaves out the tables that only inform.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from _common import Row, arguments, paired, show
from fiel.stats import bootstrap, cohen_kappa, krippendorff_alpha, ppi_mean

_ITEMS = 1_000_000
_REPLICATES = 10_000


def best(ours: Callable[[], Any], theirs: Callable[[], Any], *, runs: int) -> tuple[float, float]:
    """Seconds of the quickest run of either, taken in turn; ours thrice as often, since it is over so soon."""
    ours(), theirs()
    mine, other = [], []
    for _ in range(runs):
        other.append(seconds(theirs))
        mine += [seconds(ours) for _ in range(3)]
    return min(mine), min(other)


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratings(items: int, raters: int, categories: int, *, missing: float) -> NDArray[np.int8]:
    """Raters who agree on seven of ten items, with ratings missing at random."""
    rng = np.random.default_rng(items + raters)
    truth = rng.integers(0, categories, size=(items, 1))
    table = np.where(rng.random((items, raters)) < 0.7, truth, rng.integers(0, categories, size=(items, raters)))
    table[rng.random(table.shape) < missing] = -1
    return table.astype(np.int8)


def faster(name: str, ours: float, theirs: float, goal: float) -> Row:
    """A row that asks for the peer's seconds over ours."""
    return Row(name, ours, theirs, theirs / ours, f">= {goal:,g}", theirs / ours >= goal)


def alphas(*, quick: bool) -> list[Row]:
    """Nominal alpha with a tenth missing, beside the package krippendorff, which takes floats with NaN."""
    rows = []
    for items, raters, categories in (
        (100_000, 2, 2),
        (100_000, 2, 5),
        (100_000, 3, 5),
        (100_000, 5, 2),
        (100_000, 5, 5),
        (1_000_000, 5, 5),
    ):
        if quick and items > 100_000:
            continue
        table = ratings(items, raters, categories, missing=0.1)
        numbers = np.where(table < 0, np.nan, table).T.copy()

        def theirs(numbers: Any = numbers) -> Any:
            return krippendorff.alpha(numbers, level_of_measurement="nominal")

        def ours(table: Any = table, categories: int = categories) -> Any:
            return krippendorff_alpha(table, categories=categories)

        mine, other = best(ours, theirs, runs=4 if quick else 10)
        rows.append(faster(f"alpha, {items:,} items, {raters} raters, {categories} categories, s", mine, other, 40))
    return rows


def kappas(*, quick: bool) -> list[Row]:
    """Cohen's kappa of a million items beside scikit-learn, from the integers that numpy makes and from bytes."""
    rows = []
    for categories in (2, 5):
        table = ratings(_ITEMS, 2, categories, missing=0.0)
        for width in (np.int64, np.int8):
            a, b = table[:, 0].astype(width), table[:, 1].astype(width)

            def ours(a: Any = a, b: Any = b, categories: int = categories) -> Any:
                return cohen_kappa(a, b, categories=categories)

            def theirs(a: Any = a, b: Any = b) -> Any:
                return cohen_kappa_score(a, b)

            mine, other = best(ours, theirs, runs=4 if quick else 10)
            name = f"kappa, 1e6 items, {categories} categories, {np.dtype(width).name}, s"
            rows.append(faster(name, mine, other, 50))

            def reading(a: Any = a, b: Any = b) -> Any:
                return a.copy(), b.copy()

            mine, other = best(ours, reading, runs=8)
            rows.append(
                Row(f"{name}, beside copying the table", mine, other, mine / other, "<= 10", mine <= 10 * other)
            )
    return rows


def resampling() -> list[Row]:
    """10,000 bootstrap samples of kappa beside a loop over scikit-learn, extrapolated from 20 of its samples."""
    table, rng = ratings(_ITEMS, 2, 5, missing=0.0), np.random.default_rng(1)

    def ours() -> Any:
        return bootstrap(cohen_kappa, table, rng=rng, replicates=_REPLICATES, categories=5)

    def loop() -> None:
        for _ in range(20):
            drawn = table[rng.integers(_ITEMS, size=_ITEMS)]
            cohen_kappa_score(drawn[:, 0], drawn[:, 1])

    theirs = seconds(loop) / 20 * _REPLICATES
    mine = min(seconds(ours) for _ in range(5))
    name = "bootstrap of kappa, 1e6 items, 10,000 samples, s (peer extrapolated from 20 samples)"
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return [
        faster(name, mine, theirs, 10_000),
        Row("extra memory of that bootstrap, MB", peak, None, None, "< 20", peak < 20),
    ]


def continuous() -> Row:
    """Interval alpha of numbers that hardly repeat: 200 items, since the peer takes items x values^2."""
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(200, 1)) + rng.normal(scale=0.5, size=(200, 2))
    values, codes = np.unique(numbers, return_inverse=True)
    codes = codes.reshape(numbers.shape)
    mine, other = best(
        lambda: krippendorff_alpha(codes, scale="interval", values=values),
        lambda: krippendorff.alpha(numbers.T, level_of_measurement="interval"),
        runs=2,
    )
    return faster("interval alpha, 200 items of 400 different values, s", mine, other, 40)


def corrected_mean() -> Row:
    """ppi_mean with a million judged items beside ppi_py; ours finds an effective size too."""
    here = sys.path.pop(0)  # ppi_py's numba asks for the package "coverage", not for the program beside this one
    from ppi_py import ppi_mean_ci  # noqa: PLC0415  (see the line before)

    sys.path.insert(0, here)
    rng = np.random.default_rng(3)
    y = (rng.random(500) < 0.7).astype(float)
    f, u = np.clip(y + rng.normal(scale=0.3, size=500), 0, 1), np.clip(rng.normal(0.7, 0.4, size=_ITEMS), 0, 1)

    def theirs() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ppi_mean_ci(y, f, u)

    mine, other = best(lambda: ppi_mean(y, f, u), theirs, runs=5)
    return Row("ppi_mean, 1e6 judged items, s", mine, other, mine / other, "informs", ok=True)


def starting(*, quick: bool) -> Row:
    """CPU seconds of `import fiel.stats` beside `import numpy`."""
    ours, theirs = ([sys.executable, "-c", f"import {name}"] for name in ("fiel.stats", "numpy"))
    mine, other, ratio = paired(ours, theirs, runs=7 if quick else 21)
    return Row("import fiel.stats, CPU seconds, beside import numpy", mine, other, ratio, "<= 1.2", ratio <= 1.2)


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "")
    rows = alphas(quick=options.quick) + kappas(quick=options.quick) + resampling()
    rows += [continuous(), corrected_mean(), starting(quick=options.quick)]
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
