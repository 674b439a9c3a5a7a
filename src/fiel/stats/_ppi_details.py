"""What a prediction-powered estimate says beside its limits: what was seen, what it rests on. Computes no limits."""

import math

import numpy as np

from fiel.stats._checks import Floats, from_unit
from fiel.stats._ess import Sample
from fiel.stats._ppi_methods import Solved


def seen(sample: Sample, bounds: tuple[float, float]) -> dict[str, float]:
    """What the samples show before any method: counts, means of the judge, its bias, its correlation."""
    y, f, u = sample.y, sample.f, sample.u
    n, others = len(y), len(u)
    found = {"n_labelled": float(n), "n_unlabelled": float(others)}
    for name, count, total in (
        ("", n + others, f.sum() + u.sum()),
        ("_labelled", n, f.sum()),
        ("_unlabelled", others, u.sum()),
    ):
        if count:
            found[f"judge_mean{name}"] = from_unit(float(total) / count, bounds)
    if n:
        found["bias"] = (bounds[1] - bounds[0]) * float((f - y).mean())
    if n > 2:
        found["rho_min"] = 1 / math.sqrt(n - 2)
    if n > 1 and np.ptp(y) > 0 and np.ptp(f) > 0:
        found["rho"] = _correlation(y, f)
    return found


def measured(
    found: Solved,
    limits: tuple[float, float],
    alone: tuple[float, float, float],
    bounds: tuple[float, float],
) -> dict[str, float]:
    """What the method rests on, and the labels alone (value and limits) beside it, in the units of `bounds`."""
    square = (bounds[1] - bounds[0]) ** 2
    value, low, high = alone
    numbers = {
        "lambda": found.weight,
        "variance_labels": square * found.variance_labels,
        "variance_judge": square * found.variance_judge,
        "classical_value": from_unit(value, bounds),
        "classical_low": from_unit(low, bounds),
        "classical_high": from_unit(high, bounds),
    }
    if high > low:  # a one-sided bound at 50 % may be the end of the scale
        numbers["width_ratio"] = (limits[1] - limits[0]) / (high - low)
    if found.n_eff is not None:
        numbers["n_eff"] = found.n_eff
    return numbers | found.more


def notes(details: dict[str, float]) -> tuple[str, ...]:
    """The warning that the judge adds nothing, where its correlation with the labels is below what any gain needs."""
    if not details["n_unlabelled"] or "rho_min" not in details:
        return ()
    least = details["rho_min"]
    if "rho" not in details:
        return ("the judge adds nothing to the labels alone: one of the two says the same of every labelled item",)
    if abs(details["rho"]) >= least:
        return ()
    rho = abs(details["rho"])
    return (f"the judge adds nothing to the labels alone: |rho| = {rho:.3g} < {least:.3g} = 1 / sqrt(n - 2)",)


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's, of two arrays that vary; each is scaled first, so that squares of tiny differences do not vanish."""
    a, b = a - a.mean(), b - b.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip((a @ b) / math.sqrt((a @ a) * (b @ b)), -1, 1))
