"""Which items to label: how many of each stratum, drawn with known chances. Knows no judge, and no item."""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._checks import Codes, Floats, as_vector, check_same_length

Allocation: TypeAlias = Literal["proportional", "equal", "optimal"]
Counts: TypeAlias = NDArray[np.int64]

_ROUNDING = 1e-9


class StratifiedSample(NamedTuple):
    """What was drawn.

    Args:
        indices: shape (n,), positions in the frame, rising.
        probabilities: shape (n,), the chance that each of them had to be drawn; 1 / probability is its weight.
    """

    indices: Codes
    probabilities: Floats


def allocate(
    sizes: ArrayLike,
    n: int,
    *,
    method: Allocation = "proportional",
    spreads: ArrayLike | None = None,
    least: ArrayLike = 0,
) -> Counts:
    """How many of n items to draw from each of H strata.

    "proportional" follows the sizes, "equal" gives each stratum as many, "optimal" follows size times spread, which has
    the smallest variance of the mean for a given n. No stratum is asked for more than it holds, nor for less than
    `least`; what one cannot take is handed on to the others in the same proportion, and to strata without a share of
    their own (a spread of 0) only when all others are full. Shares are made whole by largest remainders; equal
    remainders go to the strata that stand first.

    Args:
        sizes: shape (H,), how many items each stratum holds.
        n: how many to draw.
        method: see above.
        spreads: shape (H,), for "optimal": the standard deviation expected within each stratum, in any one unit. Where
            all are 0 the sizes decide.
        least: the fewest from each stratum, one number or shape (H,); a smaller stratum gives all that it holds.

    Returns:
        Shape (H,), whole numbers that sum to n, or to all items where the frame holds fewer.

    Raises:
        ValueError: counts that are not whole or negative, no stratum, spreads that are missing, unwanted or negative,
            an unknown method, or an n too small for `least` of each.

    Neyman (1934), On the two different aspects of the representative method, for the optimal allocation.

    >>> allocate([100, 100, 100], 10), allocate([900, 80, 20], 60, method="equal")
    (array([4, 3, 3]), array([20, 20, 20]))
    """
    held = _whole("sizes", sizes)
    if not held.size:
        raise ValueError("sizes holds no stratum; give the size of each")
    wanted = min(int(_whole("n", [n])[0]), int(held.sum()))
    fewest = np.minimum(_fewest(least, len(held)), held)
    if fewest.sum() > wanted:
        raise ValueError(f"n={wanted} is less than the {fewest.sum()} that least= asks of the strata; draw more")
    shares = _shares(held, method, spreads)
    positive = shares > 0
    room = np.where(positive, held, fewest)
    if room.sum() >= wanted:
        return _rounded(_filled(shares, fewest, room, wanted), wanted)
    rest = _filled(
        np.where(positive, 0.0, held), np.where(positive, held, fewest), held, wanted
    )  # all with a share are full
    return _rounded(rest, wanted)


def stratified_sample(
    strata: ArrayLike,
    n: int,
    *,
    allocation: Allocation = "proportional",
    spreads: ArrayLike | None = None,
    least: ArrayLike = 0,
    rng: np.random.Generator,
) -> StratifiedSample:
    """A simple random draw without replacement from each stratum; with one stratum, a simple random sample.

    A mean of all N items is estimated without bias by summing value / probability over the sample and dividing by N
    (Horvitz and Thompson 1952), as long as every stratum is drawn from: see `least`.

    Args:
        strata: shape (N,), the stratum of each item of the frame, as numbers or names.
        n: how many to draw; the whole frame where it holds fewer.
        allocation: see `allocate`.
        spreads: shape (H,), in the order of the sorted names of the strata.
        least: the fewest from each stratum, as in `allocate`, in the same order.
        rng: where the chance comes from.

    Raises:
        ValueError: as `allocate`, or strata that are no flat sequence.

    >>> drawn = stratified_sample(["a", "a", "a", "a", "b", "b"], 4, allocation="equal", rng=np.random.default_rng(1))
    >>> drawn.probabilities
    array([0.5, 0.5, 1. , 1. ])
    """
    names = np.asarray(strata)
    if names.ndim != 1 or not names.size:
        raise ValueError(f"strata must name the stratum of each item, got shape {names.shape}; give a flat sequence")
    _, codes, sizes = np.unique(names, return_inverse=True, return_counts=True)
    counts = allocate(sizes, n, method=allocation, spreads=spreads, least=least)
    order = np.lexsort((rng.random(len(codes)), codes))  # stratum by stratum, at random within each
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    indices = np.sort(order[rank < np.repeat(counts, sizes)])
    return StratifiedSample(indices.astype(np.intp), (counts / sizes)[codes[indices]])


def _whole(name: str, values: ArrayLike) -> Counts:
    array = as_vector(name, values)
    if ((array < 0) | (array != np.floor(array))).any():
        raise ValueError(f"{name} must be whole numbers from 0, got {np.asarray(values).tolist()!r}")
    return array.astype(np.int64)


def _fewest(least: ArrayLike, strata: int) -> Counts:
    array = np.asarray(least)
    return (
        np.full(strata, _whole("least", array.reshape(1))[0]) if array.ndim == 0 else _of_each("least", array, strata)
    )


def _of_each(name: str, values: ArrayLike, strata: int) -> Counts:
    array = _whole(name, values)
    check_same_length(name, array, "sizes", np.empty(strata))
    return array


def _shares(held: Counts, method: Allocation, spreads: ArrayLike | None) -> Floats:
    """What the counts are proportional to; 0 for a stratum that gets nothing of its own, and for an empty one."""
    if method not in ("proportional", "equal", "optimal"):
        raise ValueError(f'method must be "proportional", "equal" or "optimal", got {method!r}')
    if (spreads is None) == (method == "optimal"):
        raise ValueError('spreads belongs to method="optimal", and to that alone; give or leave out spreads=')
    if spreads is None:
        return held.astype(np.float64) if method == "proportional" else (held > 0).astype(np.float64)
    spread = as_vector("spreads", spreads)
    check_same_length("spreads", spread, "sizes", held)
    if (spread < 0).any():
        raise ValueError(f"spreads must not be negative, got {spread.tolist()!r}")
    if not (spread[held > 0] > 0).any():
        return held.astype(np.float64)
    return np.asarray(held * (spread / spread.max()), dtype=np.float64)


def _filled(shares: Floats, low: Any, high: Any, total: int) -> Floats:
    """`factor` times `shares`, each held between `low` and `high`, with the factor at which they sum to `total`.

    The sum rises with the factor, in straight pieces between the factors at which a share meets a limit.
    """
    positive = shares > 0
    if not positive.any():
        return np.asarray(low, dtype=np.float64)

    def at(factor: float) -> Floats:
        return np.where(positive, np.clip(factor * shares, low, high), low).astype(np.float64)

    bends = np.unique(np.concatenate([[0.0], low[positive] / shares[positive], high[positive] / shares[positive]]))
    first, last = 0, len(bends) - 1
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if at(bends[middle]).sum() >= total else (middle, last)
    below, above = at(bends[first]), at(bends[last])
    rise = above.sum() - below.sum()
    return below + (above - below) * ((total - below.sum()) / rise if rise > 0 else 0.0)


def _rounded(targets: Floats, total: int) -> Counts:
    """Whole numbers that sum to `total`, by largest remainders; `targets` sum to it already."""
    counts = np.floor(targets + _ROUNDING)
    remainders = np.round(targets - counts, 9)
    missing = total - int(counts.sum())
    counts[np.argsort(-remainders, kind="stable")[:missing]] += 1
    return counts.astype(np.int64)
