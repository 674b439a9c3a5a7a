"""How many calls may run at once and how fast they may start, learnt from refusals. Knows no network.

The number in flight starts small, doubles with every round of answers, halves at a refusal and then grows by one a
round (additive increase, multiplicative decrease: Chiu and Jain 1989, doi:10.1016/0169-7552(89)90019-6). Where even one
call at a time is too many, calls are also spaced, by what was let through lately.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

from fiel.records import EndpointError

_START = 16  # calls in flight before anything is known
_LONGEST_INTERVAL = 10.0  # seconds between two calls, at most
_SHORTEST_INTERVAL = 0.001  # below it, calls are not spaced
_QUICKER = 0.98  # an answer shortens the interval to this share
_SHUT = 5.0  # seconds for which calls fail at once after the endpoint was found to be down


class Gate:
    """Lets calls of one event loop through.

    Args:
        most: how many may ever be in flight.
    """

    def __init__(self, most: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._most = most
        self._window = float(min(most, _START))
        self._growth: Callable[[float], float] = lambda _: 1.0
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._interval = 0.0
        self._next = 0.0  # when the next call may start, for its distance from the one before
        self._opens = 0.0  # when the server said to come back
        self._cut = 0.0  # when the window was halved
        self._passed = 0  # answers since then
        self._down: Callable[[], EndpointError] | None = None
        self._down_until = 0.0

    async def enter(self, *, again: bool = False) -> None:
        """Wait for a place. Whoever has one must `leave`.

        Args:
            again: for a call that had a place before: it goes ahead of those that had none.

        Raises:
            EndpointError: the endpoint was found to be down.
        """
        self._check()
        if not self._waiting and self._in_flight < int(self._window):
            now = monotonic()
            if now >= self._opens and now >= self._next:
                if self._in_flight == 0:  # nobody was here: what was measured before is over
                    self._cut, self._passed = max(self._cut, now), 0
                self._start(now)
                return
        place = self._loop.create_future()
        if again:
            self._waiting.appendleft(place)
        else:
            self._waiting.append(place)
        self._wake()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.leave()  # it was let in and cancelled at once
            raise

    def leave(self) -> None:
        """Give the place back."""
        self._in_flight -= 1
        self._wake()

    def answered(self) -> None:
        """A call was answered: a little more may be asked."""
        self._passed += 1
        self._window = min(self._most, self._window + self._growth(self._window))
        if self._interval:
            self._interval *= _QUICKER
            if self._interval < _SHORTEST_INTERVAL:
                self._interval = 0.0

    def refused(self, began: float, *, told: float | None = None, paced: bool = True) -> None:
        """A call was refused because there were too many.

        Refusals of calls that began before the last cut say nothing new.

        Args:
            began: when the call began, on the monotonic clock.
            told: in how many seconds the server said to come back; nobody is let in before.
            paced: whether calls were too many for a stretch of time, and not only too many at once.
        """
        now = monotonic()
        if told is not None:
            self._opens = max(self._opens, now + told)
        if began < self._cut:
            return
        self._window = max(1.0, self._window / 2)
        self._growth = lambda window: 1.0 / window
        if paced:
            measured = (now - self._cut) / self._passed if self._passed else 2 * self._interval
            self._interval = min(max(measured, self._interval), _LONGEST_INTERVAL)
        self._cut, self._passed = now, 0

    async def rest(self, seconds: float) -> None:
        """Wait outside.

        Raises:
            EndpointError: the endpoint was found to be down meanwhile.
        """
        self._check()
        rest = self._loop.create_future()
        timer = self._loop.call_later(seconds, _end, rest)
        self._resting.add(rest)
        try:
            await rest
        finally:
            timer.cancel()
            self._resting.discard(rest)

    def shut(self, error: Callable[[], EndpointError], *, seconds: float = _SHUT) -> None:
        """The endpoint is down: all that wait fail, and so does whoever comes within the next seconds."""
        self._down, self._down_until = error, monotonic() + seconds
        for place in (*self._waiting, *self._resting):
            if not place.done():
                place.set_exception(error())
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def down(self) -> EndpointError | None:
        """The error with which calls fail now, if they do."""
        return None if self._down is None or monotonic() >= self._down_until else self._down()

    def _check(self) -> None:
        error = self.down()
        if error is not None:
            raise error

    def _start(self, now: float) -> None:
        self._in_flight += 1
        self._next = now + self._interval

    def _wake(self) -> None:
        while self._waiting and self._in_flight < int(self._window):
            now = monotonic()
            wait = max(self._opens, self._next) - now
            if wait > 0:
                if self._timer is None:
                    self._timer = self._loop.call_later(wait, self._tick)
                return
            place = self._waiting.popleft()
            if not place.done():
                self._start(now)
                place.set_result(None)

    def _tick(self) -> None:
        self._timer = None
        self._wake()


def _end(rest: asyncio.Future[None]) -> None:
    if not rest.done():
        rest.set_result(None)
