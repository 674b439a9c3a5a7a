"""Populations with a known rate, and the judges that see them: what `coverage.py` draws from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

Floats = NDArray[np.float64]

_AT_ONCE = 2_000_000  # numbers held at a time
_OVERCONFIDENT = 2.0


class Cell(NamedTuple):
    """Labels, items judged only, the judge's sensitivity and specificity, the rate; what its beliefs look like."""

    n: int
    others: int
    sensitivity: float
    specificity: float
    base: float
    kind: str = "smooth"


class Draw(NamedTuple):
    """One replicate: labels, beliefs on the same items, beliefs on the others."""

    y: Floats
    f: Floats
    u: Floats


def symmetric(others: tuple[int, ...] = (1_000, 10_000)) -> list[Cell]:
    """The 72 cells: a judge as often right on what passes as on what does not."""
    return [
        Cell(n, more, accuracy, accuracy, base)
        for more in others
        for n in (20, 50, 100, 300)
        for accuracy in (0.6, 0.8, 0.95)
        for base in (0.5, 0.9, 0.98)
    ]


def asymmetric(others: tuple[int, ...] = (1_000, 10_000)) -> list[Cell]:
    """The 48 cells: a lenient judge and a strict one."""
    return [
        Cell(n, more, *rates, base)
        for more in others
        for n in (20, 50, 100, 300)
        for rates in ((0.95, 0.6), (0.6, 0.95))
        for base in (0.5, 0.9, 0.98)
    ]


def other_judges() -> list[Cell]:
    """Judges beside the 72 + 48: coarse, heavy-tailed, worse than chance, lopsided."""
    rates = [
        (kind, x) for kind in ("coarse", "tenths", "heavy", "squeezed") for x in ((0.6, 0.6), (0.8, 0.8), (0.95, 0.95))
    ]
    rates += [("smooth", x) for x in ((0.1, 0.1), (0.3, 0.3), (0.99, 0.1), (0.99, 0.8), (0.8, 0.99))]
    return [
        Cell(n, 1_000, *pair, base, kind)
        for n in (20, 50, 100, 300)
        for kind, pair in rates
        for base in (0.5, 0.9, 0.98)
    ]


def beliefs(
    rng: np.random.Generator, y: Floats, sensitivity: float, specificity: float, kind: str = "smooth"
) -> Floats:
    """What an over-confident judge believes: a binormal score through a logistic curve twice too steep.

    "heavy": the score has the tails of t(2). "coarse": rounded to quarters; "tenths": to tenths, never 0 or 1;
    "squeezed": pushed up, so that few beliefs fall below one half.
    """
    up, down = float(ndtri(sensitivity)), float(ndtri(specificity))
    noise = rng.standard_t(2, y.shape) if kind == "heavy" else rng.standard_normal(y.shape)
    score = np.where(y > 0, up, -down) + noise
    found: Floats = expit(_OVERCONFIDENT * abs(up + down) * score)
    if kind == "coarse":
        found = np.round(found * 4) / 4
    elif kind == "tenths":
        found = np.clip(np.round(found * 10) / 10, 0.1, 0.9)
    elif kind == "squeezed":
        found = 1 - (1 - found) ** 0.2
    return found


def draws(cell: Cell, repeats: int, seed: int) -> Iterator[Draw]:
    """Independent replicates of a cell, the same for a seed."""
    rng = np.random.default_rng([seed, *(round(1000 * x) for x in cell[:5]), *cell.kind.encode()])
    size = cell.n + cell.others
    done = 0
    while done < repeats:
        count = min(max(_AT_ONCE // size, 1), repeats - done)
        y = (rng.random((count, size)) < cell.base).astype(np.float64)
        f = beliefs(rng, y, cell.sensitivity, cell.specificity, cell.kind)
        for labels, judge in zip(y, f, strict=True):
            yield Draw(labels[: cell.n], judge[: cell.n], judge[cell.n :])
        done += count


def clustered(rng: np.random.Generator, n: int, accuracy: float, base: float) -> dict[str, Any]:
    """Clusters of 5 with intra-cluster correlation .3, n labels in whole clusters, 1,000 other items in others."""
    groups, rest = n // 5, 200
    spread = 1 / 0.3 - 1
    rates = rng.beta(base * spread, (1 - base) * spread, groups + rest)
    y = (rng.random((groups + rest, 5)) < rates[:, None]).ravel().astype(np.float64)
    f, names = beliefs(rng, y, accuracy, accuracy), np.repeat(np.arange(groups + rest), 5)
    return {
        "y": y[:n],
        "f": f[:n],
        "f_unlabelled": f[n:],
        "clusters": names[:n],
        "clusters_unlabelled": names[n:],
    }


def stratified(rng: np.random.Generator, n: int, accuracy: float, base: float) -> dict[str, Any]:
    """1,000 items, half of the n labels drawn from each verdict of the judge (as far as it goes)."""
    y = (rng.random(1_000) < base).astype(np.float64)
    f = beliefs(rng, y, accuracy, accuracy)
    verdict = f > 0.5
    order = rng.permutation(1_000)
    yes, no = order[verdict[order]], order[~verdict[order]]
    from_no = min(max(n // 2, n - len(yes)), len(no))
    drawn = np.zeros(1_000, dtype=bool)
    drawn[no[:from_no]] = drawn[yes[: n - from_no]] = True
    return {
        "y": y[drawn],
        "f": f[drawn],
        "f_unlabelled": f[~drawn],
        "strata": verdict[drawn],
        "strata_unlabelled": verdict[~drawn],
    }


def weighted(rng: np.random.Generator, n: int, accuracy: float, base: float) -> dict[str, Any]:
    """1,000 items, each drawn with a chance that grows with the judge's doubt, half of it the same for all."""
    y = (rng.random(1_000) < base).astype(np.float64)
    f = beliefs(rng, y, accuracy, accuracy)
    doubt = np.sqrt(f * (1 - f))
    chance = np.minimum(n * (0.5 / 1_000 + 0.5 * doubt / doubt.sum()), 1.0)
    drawn = rng.random(1_000) < chance
    return {"y": y[drawn], "f": f[drawn], "f_unlabelled": f[~drawn], "weights": 1 / chance[drawn]}


def paired(
    rng: np.random.Generator, n: int, accuracy: float, rates: tuple[float, float], shared: float
) -> dict[str, Any]:
    """Two systems on the same items whose successes correlate, one judge for both, 1,000 items judged only."""
    size = n + 1_000
    common = np.sqrt(shared) * rng.standard_normal(size)
    found: dict[str, Any] = {}
    for name, rate in zip("ab", rates, strict=True):
        latent = common + np.sqrt(1 - shared) * rng.standard_normal(size)
        y = (latent < ndtri(rate)).astype(np.float64)
        f = beliefs(rng, y, accuracy, accuracy)
        found |= {f"y_{name}": y[:n], f"f_{name}": f[:n], f"f_{name}_unlabelled": f[n:]}
    return found
