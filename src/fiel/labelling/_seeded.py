"""Orders drawn from a seed that are the same on every machine and for every version of every library. Knows no study.

A hash orders instead of a generator of random numbers: a study is served for weeks, over upgrades, in one order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fiel.records import digest

T = TypeVar("T")

Word = str | int


def shuffled(values: Sequence[T], seed: int, *words: Word) -> list[T]:
    """The values in an order of their own for each seed and each sequence of words; all orders are equally likely."""
    keys = [draw(seed, *words, place) for place in range(len(values))]
    return [values[place] for place in sorted(range(len(values)), key=keys.__getitem__)]


def below(limit: int, seed: int, *words: Word) -> int:
    """A whole number from 0 up to, not including, `limit`."""
    return draw(seed, *words) % limit


def draw(seed: int, *words: Word) -> int:
    """A number of 256 bits."""
    return int(digest([seed, *words]), 16)
