"""What the defaults of calibration rest on: tables by simulation, and times beside scikit-learn in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri
from sklearn.isotonic import IsotonicRegression

from _common import Row, arguments, show
from fiel.stats import (
    brier,
    corp_decomposition,
    ece,
    ece_debiased,
    ece_null_band,
    fit_isotonic,
    fit_platt,
    fit_temperature,
    log_loss,
    smooth_ece,
)
from fiel.stats._isotonic import isotonic_steps

Floats = NDArray[np.float64]

CLIPS = (1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-15)
PSEUDO = (0.05, 0.25, 0.5, 1.0, 2.0)
SEED = 20261130


def judged(
    rng: np.random.Generator, n: int, accuracy: float, base: float, confidence: float, certain: float = 0.0
) -> tuple[Floats, Floats]:
    """Labels, and a judge of this accuracy: `confidence` 1 is calibrated at base 0.5, more is over-confident.

    A share `certain` of the judgements is a bare verdict: probability 0 or 1.
    """
    mu = ndtri(accuracy)
    y = (rng.random(n) < base).astype(np.float64)
    score = np.where(y == 1, mu, -mu) + rng.standard_normal(n)
    p = expit(confidence * 2 * mu * score)
    return y, np.where(rng.random(n) < certain, (score > 0) * 1.0, p)


def on_new_items(
    fits: Iterable[Callable[..., Any]], loss: Callable[..., float], cell: tuple[float, ...], n: int, repeats: int
) -> Floats:
    """The mean loss on 2,000 new items after each fit on n labels."""
    rng = np.random.default_rng([SEED, n])
    found = []
    for _ in range(repeats):
        y, p = judged(rng, n, *cell)
        new_y, new_p = judged(rng, 2000, *cell)
        found.append([loss(new_y, fit(y, p)(new_p)) for fit in fits])
    means: Floats = np.mean(found, axis=0)
    return means


def line(name: str, values: Iterable[float]) -> None:
    """One line of a table."""
    print(f"  {name:44}" + "".join(f"{value:10.3f}" for value in values))


def clips(repeats: int) -> None:
    """How near to 0 and 1 probabilities may come: Brier score on new items by that at 1e-6."""
    print("Platt's clip: Brier score on new items, by that at 1e-6 (n = 100)")
    print(f"  {'accuracy, base, confidence, certain':44}" + "".join(f"{clip:10.0e}" for clip in CLIPS))
    fits = [partial(fit_platt, clip=clip) for clip in CLIPS]
    for judge in ((0.8, 0.5), (0.95, 0.5), (0.95, 0.9), (0.95, 0.98)):
        for confidence in (0.5, 2.0, 4.0):
            for certain in (0.0, 0.3):
                scores = on_new_items(fits, brier, (*judge, confidence, certain), 100, repeats)
                line(f"{judge}, {confidence:g}, {certain:g}", scores / scores[3])


def pseudo_points(repeats: int) -> None:
    """The weight of the pseudo-points: log loss on new items by that at 0.5."""
    print("Weight of each of the four pseudo-points: log loss on new items, by that at 0.5")
    print(f"  {'accuracy, base, confidence, n':44}" + "".join(f"{weight:10g}" for weight in PSEUDO))
    fits = [partial(fit_platt, pseudo=weight) for weight in PSEUDO]
    for judge in ((0.8, 0.5), (0.8, 0.9), (0.95, 0.9)):
        for n in (20, 50, 100, 300):
            losses = on_new_items(fits, log_loss, (*judge, 2.0), n, repeats)
            line(f"{judge}, 2, {n}", losses / losses[2])


def maps(repeats: int) -> None:
    """Which map: Brier score on new items by that of the judge as he is."""
    print("Which map: Brier score on new items, by that of the judge as it is (confidence 2)")
    print(f"  {'accuracy, base, n':44}" + "".join(f"{name:>10}" for name in ("Platt", "temp.", "isotonic")))

    def none(y: Floats, p: Floats) -> Callable[[Floats], Floats]:
        del y, p
        return lambda new: new

    for judge in ((0.8, 0.5), (0.8, 0.9), (0.95, 0.9)):
        for n in (20, 50, 100, 300, 1000):
            scores = on_new_items((none, fit_platt, fit_temperature, fit_isotonic), brier, (*judge, 2.0), n, repeats)
            line(f"{judge}, {n}", scores[1:] / scores[0])


def calibrated(repeats: int) -> None:
    """What a calibrated judge shows, and how often it passes its band."""
    print("A calibrated judge, probabilities Beta(4, 1.5): what it shows, and how often it leaves the band of 95 %")
    heads = ("mean ECE", "band up", "debiased", "smooth", "MCB", "above", "outside")
    print(f"  {'n, strategy':20}" + "".join(f"{name:>10}" for name in heads))
    for n in (30, 100, 300, 1000, 10_000):
        for strategy in ("width", "mass"):
            rng = np.random.default_rng([SEED, n])
            p = rng.beta(4, 1.5, n)
            draws = [(rng.random(n) < p).astype(np.float64) for _ in range(repeats)]
            shown = np.array([ece(y, p, strategy=strategy) for y in draws])
            upper = ece_null_band(draws[0], p, strategy=strategy, side="upper")
            both = ece_null_band(draws[0], p, strategy=strategy)
            few = draws[:30]
            debiased = np.mean([ece_debiased(y, p, strategy=strategy) for y in draws])
            others = [
                np.mean([f(y, p) for y in few])
                for f in (smooth_ece, lambda y, p: corp_decomposition(y, p).miscalibration)
            ]
            outside = ((shown < (both.low or 0)) | (shown > (both.high or 1))).mean()
            values = (
                both.value or 0,
                upper.high or 1,
                debiased,
                *others,
                (shown > (upper.high or 1)).mean(),
                outside,
            )
            print(f"  {f'{n}, {strategy}':20}" + "".join(f"{value:10.4f}" for value in values))


def best(function: Callable[[], object], runs: int) -> float:
    """The least time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def speed(runs: int) -> list[Row]:
    """Times at 100,000 items, in milliseconds."""
    rng = np.random.default_rng(SEED)
    p = rng.beta(2, 1, 100_000)
    y = (rng.random(100_000) < p).astype(np.float64)
    ours = 1e3 * best(lambda: isotonic_steps(p, y, np.ones(len(p))), runs)
    peer = 1e3 * best(lambda: IsotonicRegression().fit(p, y), runs)
    rows = [Row("isotonic regression, ms beside scikit-learn", ours, peer, ours / peer, "<= 1.5", ours <= 1.5 * peer)]
    for function, goal in (
        (ece, 100),
        (smooth_ece, 500),
        (corp_decomposition, 500),
        (ece_null_band, 1000),
        (fit_platt, 1000),
    ):
        taken = 1e3 * best(partial(function, y, p), runs)
        rows.append(Row(f"{function.__name__}, ms", taken, None, None, f"<= {goal}", taken <= goal))
    return rows


def main() -> None:
    """Simulate, measure and print."""
    options = arguments(__doc__ or "")
    if not options.json:
        repeats = 20 if options.quick else 200
        clips(repeats)
        pseudo_points(repeats)
        maps(repeats)
        calibrated(200 if options.quick else 4000)
    show(speed(3 if options.quick else 7), as_json=options.json)


if __name__ == "__main__":
    main()
