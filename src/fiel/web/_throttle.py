"""How often a wrong token may be tried. Knows no token: it is given digests."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

_WRONG = 10  # wrong tokens that an address may try at once
_EVERY = 6.0  # seconds until it may try one more
_ADDRESSES = 4096  # that are remembered, the last ones
_GOOD = 4096  # pairs of an address and a token that were right


class Throttle:
    """Counts wrong tokens by address; a token that was right from there before always passes.

    While an address waits, no other token of it is looked at: guessing learns nothing. Who is at work behind the same
    address goes on.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> tries left, when counted
        self._good: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def wait(self, address: str, token: bytes) -> float:
        """Seconds until this token may be tried from there; 0 for at once."""
        if (address, token) in self._good:
            return 0.0
        left = self._left(address)
        return 0.0 if left >= 1 else (1 - left) * _EVERY

    def right(self, address: str, token: bytes) -> None:
        """It opened something."""
        _remember(self._good, (address, token), None, most=_GOOD)

    def wrong(self, address: str, token: bytes) -> None:
        """It opened nothing."""
        self._good.pop((address, token), None)
        _remember(self._tries, address, (self._left(address) - 1, self._clock()), most=_ADDRESSES)

    def _left(self, address: str) -> float:
        if address not in self._tries:
            return _WRONG
        left, then = self._tries[address]
        return min(_WRONG, left + (self._clock() - then) / _EVERY)


def _remember(memory: OrderedDict[K, V], key: K, value: V, *, most: int) -> None:
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > most:
        memory.popitem(last=False)
