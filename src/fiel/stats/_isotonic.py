"""The rising function that lies nearest to data, by pooling adjacent violators. Knows no probability."""

from typing import NamedTuple

import numpy as np

from fiel.stats._checks import Codes, Floats

_WORTH_A_PASS = 16  # another pass over all pools pays as long as one pair of neighbours in so many falls


class Steps(NamedTuple):
    """A rising step function: from `first` to `last` of a step it has that step's value. All of shape (steps,)."""

    first: Floats
    last: Floats
    values: Floats


def isotonic_steps(x: Floats, y: Floats, weights: Floats) -> Steps:
    """The rising function of `x` that is nearest to `y` in weighted squares; equal `x` share one value.

    All of shape (n,), weights above 0. One sort, then O(n).

    Ayer, Brunk, Ewing, Reid and Silverman (1955); Barlow, Bartholomew, Bremner and Brunk (1972), chapter 1.

    >>> isotonic_steps(np.array([3.0, 1, 2]), np.array([1.0, 1, 0]), np.ones(3)).values.tolist()
    [0.5, 1.0]
    """
    if not len(x):
        return Steps(x, x, x)
    order = np.argsort(x, kind="stable")
    x, y, weights = x[order], y[order], weights[order] / weights.max()
    starts = np.flatnonzero(np.diff(x, prepend=-np.inf) > 0)
    starts = starts[_pool(np.add.reduceat(weights * y, starts), np.add.reduceat(weights, starts))]
    values = np.add.reduceat(weights * y, starts) / np.add.reduceat(weights, starts)
    lasts = np.append(starts[1:], len(x)) - 1
    return Steps(x[starts], x[lasts], np.clip(np.maximum.accumulate(values), y.min(), y.max()))


def _pool(sums: Floats, weights: Floats) -> Codes:
    """Where the pools with rising means start, for entries in order with their weighted sums and weights.

    While many neighbours fall, every falling run is pooled at once (neighbours that fall end in one pool, whatever
    else is pooled); the few that are left are pooled one after the other. Both parts take O(n).
    """
    starts = np.arange(len(sums))
    while True:
        falls = sums[:-1] * weights[1:] >= sums[1:] * weights[:-1]  # of the means, without rounding for 0/1 values
        count = np.count_nonzero(falls)
        if not count:
            return starts
        if count * _WORTH_A_PASS < len(sums):
            return starts[_pool_in_turn(sums, weights)]
        kept = np.flatnonzero(np.concatenate(([True], ~falls)))
        sums, weights, starts = np.add.reduceat(sums, kept), np.add.reduceat(weights, kept), starts[kept]


def _pool_in_turn(sums: Floats, weights: Floats) -> list[int]:
    starts: list[int] = []
    stack: list[tuple[float, float]] = []
    for start, (total, weight) in enumerate(zip(sums.tolist(), weights.tolist(), strict=True)):
        pooled, heavy, light = start, weight, total
        while stack and stack[-1][0] * heavy >= light * stack[-1][1]:
            earlier, earlier_weight = stack.pop()
            pooled, light, heavy = starts.pop(), light + earlier, heavy + earlier_weight
        starts.append(pooled)
        stack.append((light, heavy))
    return starts
