"""The formulas that fiel's intervals are compared with, as their packages compute them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Limits = tuple[float, float]

_Z = float(ndtri(0.975))


def wilson(y: Floats) -> Limits:
    """Wilson's interval on the labels alone."""
    n, rate = len(y), float(y.mean())
    centre = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n * n)) / (1 + _Z**2 / n)
    return (0.0 if rate == 0 else centre - half), (1.0 if rate == 1 else centre + half)


def ares(y: Floats, f: Floats, u: Floats) -> Limits:
    """ARES, on verdicts: lambda 1, ddof 0, normal, unclipped (`pp_mean_iid_asymptotic`)."""
    return _normal(y, (f > 0.5).astype(np.float64), (u > 0.5).astype(np.float64), 1.0)


def ppi_py(y: Floats, f: Floats, u: Floats) -> Limits:
    """ppi_py's `ppi_mean_ci`: lambda tuned, kept from 0 to 1, ddof 0, normal, unclipped."""
    spread = float(np.concatenate([f, u]).var(ddof=1))
    both = float(((y - y.mean()) * (f - f.mean())).mean())
    weight = both / ((1 + len(y) / len(u)) * spread) if spread > 0 else 0.0
    return _normal(y, f, u, min(max(weight, 0.0), 1.0))


def _normal(y: Floats, f: Floats, u: Floats, weight: float) -> Limits:
    rest = y - weight * f
    value = float(rest.mean()) + weight * float(u.mean())
    half = _Z * math.sqrt(float(rest.var()) / len(y) + weight**2 * float(u.var()) / len(u))
    return value - half, value + half
