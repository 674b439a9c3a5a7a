"""Turns what callers pass into clean arrays, or says what is wrong with it. Knows no statistic."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._estimate import Side

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


LEAST, MOST = 0.5, 1 - 1e-9  # of a confidence: beyond them quantiles lose all their digits
_ROUNDING = 1e-12


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless `confidence` lies from 0.5 to 1 - 1e-9."""
    if not LEAST <= confidence <= MOST + _ROUNDING:
        raise ValueError(f"confidence must lie from 0.5 to 1 - 1e-9 (0.95 means 95 %), got {confidence!r}")


def check_tail(confidence: float) -> None:
    """Raise ValueError unless `confidence` is that of a bound, or of one end of an interval at up to 1 - 1e-9."""
    if not LEAST <= confidence <= (1 + MOST) / 2 + _ROUNDING:
        raise ValueError(f"confidence must lie from 0.5 to 1 - 5e-10 (0.95 means 95 %), got {confidence!r}")


def tail(confidence: float, side: Side) -> float:
    """The probability below an upper limit: `confidence` for one side, (1 + confidence) / 2 for both."""
    check_confidence(confidence)
    if side not in ("both", "lower", "upper"):
        raise ValueError(f'side must be "both", "lower" or "upper", got {side!r}')
    return (1 + confidence) / 2 if side == "both" else confidence


def as_vector(name: str, values: ArrayLike) -> Floats:
    """`values` as a one-dimensional array of finite floats; ValueError names the argument and the fix."""
    array = _as_one_dimensional(name, values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, got {array.dtype}; leave out items without an answer")
    array = array.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        first = f"the first at position {wrong[0]}"
        raise ValueError(f"{name} holds {wrong.size} NaN or infinite values, {first}; leave these items out")
    return array


def to_unit(name: str, values: ArrayLike, bounds: tuple[float, float]) -> Floats:
    """`values` rescaled so that `bounds` become 0 and 1; ValueError when one lies outside."""
    low, high = bounds
    array = as_vector(name, values)
    wrong = np.flatnonzero((array < low) | (array > high))
    if wrong.size:
        found = f"{name} holds {float(array[wrong[0]])!r} at position {wrong[0]}"
        raise ValueError(f"{found}, outside bounds {bounds!r}; pass bounds=(lowest, highest) of the scale")
    return np.clip((array - low) / (high - low), 0.0, 1.0)


def from_unit(x: float, bounds: tuple[float, float]) -> float:
    """The value on the scale of `bounds` that `to_unit` takes to `x`; never outside them by rounding."""
    low, high = bounds
    return min(max(low + (high - low) * float(x), low), high)


def check_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """`bounds` as two floats; ValueError unless they are finite and rising."""
    low, high = (float(bound) for bound in bounds)
    if not (np.isfinite(low) and np.isfinite(high) and low < high and np.isfinite(high - low)):
        raise ValueError(f"bounds must be two finite numbers with a finite distance, the lower first, got {bounds!r}")
    return low, high


def check_same_length(first: str, a: NDArray[Any], second: str, b: NDArray[Any]) -> None:
    """Raise ValueError unless the two arrays have one entry for each item."""
    if len(a) != len(b):
        raise ValueError(f"{first} has {len(a)} entries and {second} has {len(b)}; give both for the same items")


def as_clusters(name: str, clusters: ArrayLike, length: int) -> NDArray[Any]:
    """`clusters` as an array of `length` cluster names; ValueError on a missing name or another length."""
    array = _as_one_dimensional(name, clusters)
    if len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries for {length} items; name the cluster of every item")
    missing = [x is None or x != x for x in array] if array.dtype.kind in "Of" else []  # noqa: PLR0124  (NaN alone)
    if any(missing):
        raise ValueError(f"{name} names no cluster at position {missing.index(True)}; give lone items a name each")
    return array


def cluster_codes(*clusters: NDArray[Any]) -> tuple[list[Codes], int]:
    """Codes 0..G-1 for cluster names from one namespace, array by array, and G."""
    if len({"names" if x.dtype.kind in "UO" else "numbers" for x in clusters if x.size}) > 1:
        raise ValueError("clusters and clusters_unlabelled must come from one namespace: both numbers or both names")
    joined = np.concatenate(clusters)
    if joined.dtype.kind == "O":
        seen: dict[Any, int] = {}
        codes = np.fromiter((seen.setdefault(x, len(seen)) for x in joined), dtype=np.intp, count=len(joined))
        count = len(seen)
    else:
        unique, codes = np.unique(joined, return_inverse=True)
        count = len(unique)
    cuts = np.cumsum([len(x) for x in clusters])[:-1]
    return np.split(codes.astype(np.intp), cuts), count


def _as_one_dimensional(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a flat sequence with one entry for each item") from error
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}; give one entry for each item")
    return array
