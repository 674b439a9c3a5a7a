"""How long to go on with a call that fails: tries, back-off, what the server says. Knows no network."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

_BASE = 0.5  # seconds: the longest first rest
_LONGEST_REST = 30.0
_TOLD = 600.0  # seconds that a call may wait because the server says so, in all
_SHORTEST_TOLD = 1.0  # what one such wait counts at least, so that their number is bounded as well
_UNREACHABLE = 3  # connections in succession that a call cannot make before the endpoint counts as down


@dataclass(frozen=True, kw_only=True)
class Patience:
    """What a call may take.

    Args:
        tries: attempts, those aside that the server asked to make later.
        longest_wait: seconds to which a Retry-After is cut.
        rng: of the back-off.
    """

    tries: int
    longest_wait: float
    rng: random.Random


@dataclass(kw_only=True)
class Attempts:
    """The attempts of one call."""

    patience: Patience
    failed: int = 0
    waited: float = 0.0
    _unreachable: int = field(default=0, init=False)
    _heard: int = field(default=-1, init=False)

    def wait(self, told: float) -> bool:
        """The server says when to come back: whether the call may wait so long."""
        self.waited += max(told, _SHORTEST_TOLD)
        return self.waited <= _TOLD

    def rest(self) -> float | None:
        """An attempt failed: seconds to rest before the next, or None when it was the last one.

        Exponential back-off with full jitter: uniform on [0, min(30, 0.5 * 2^failed)].
        """
        self.failed += 1
        if self.failed >= self.patience.tries:
            return None
        return self.patience.rng.uniform(0.0, min(_LONGEST_REST, _BASE * 2.0 ** (self.failed - 1)))

    def lost(self, heard: int) -> bool:
        """The endpoint could not be reached: whether it counts as down.

        Args:
            heard: how often the endpoint answered anybody at all so far.
        """
        self._unreachable = self._unreachable + 1 if heard == self._heard else 1
        self._heard = heard
        return self._unreachable >= min(_UNREACHABLE, self.patience.tries)


def told_by(*, after: str | None, after_ms: str | None, date: str | None, longest: float) -> float | None:
    """In how many seconds a server says to come back; None where it does not say, or says at once.

    Args:
        after: its Retry-After, seconds or an HTTP date.
        after_ms: its Retry-After-Ms, which some send besides.
        date: its Date, by which an HTTP date is read: clocks differ.
        longest: seconds to which the answer is cut.

    >>> told_by(after="2", after_ms=None, date=None, longest=60)
    2.0
    """
    seconds = _number(after_ms, 0.001)
    if seconds is None:
        seconds = _number(after, 1.0)
    if seconds is None and after:
        then, now = _moment(after), _moment(date) if date else None
        seconds = None if then is None else then - (time.time() if now is None else now)
    if seconds is None or not seconds > 0:
        return None
    return min(seconds, longest)


def _number(text: str | None, unit: float) -> float | None:
    try:
        return None if text is None else float(text) * unit
    except ValueError:
        return None


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, IndexError, OverflowError):
        return None
