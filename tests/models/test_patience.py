"""Waiting has a measure: what the server says, jittered back-off, and an end."""

from __future__ import annotations

import random
import time
from email.utils import formatdate

import pytest

from fiel.models._patience import Attempts, Patience, told_by


def attempts(tries: int = 6) -> Attempts:
    """The attempts of one call, with a seed."""
    return Attempts(patience=Patience(tries=tries, longest_wait=60.0, rng=random.Random(1)))  # noqa: S311  jitter is no secret


@pytest.mark.parametrize(
    ("after", "after_ms", "told"),
    [
        ("2", None, 2.0),
        ("0.5", None, 0.5),
        ("7", "1500", 1.5),
        ("3600", None, 60.0),
        ("0", None, None),
        ("-3", None, None),
        ("nan", None, None),
        ("soon", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_seconds_are_read(after: str | None, after_ms: str | None, told: float | None):
    """Retry-After in seconds, or in milliseconds besides, is read and cut; what says nothing is None."""
    assert told_by(after=after, after_ms=after_ms, date=None, longest=60) == told


def test_a_date_is_read_by_the_clock_of_the_server():
    """An HTTP date counts from the Date of the response, whatever our own clock says."""
    far = time.time() + 5000
    then, now = formatdate(far + 30, usegmt=True), formatdate(far, usegmt=True)
    assert told_by(after=then, after_ms=None, date=now, longest=60) == 30.0
    soon = formatdate(time.time() + 20, usegmt=True)
    assert 10 < told_by(after=soon, after_ms=None, date=None, longest=60) <= 20
    assert told_by(after=formatdate(0, usegmt=True), after_ms=None, date=None, longest=60) is None


def test_the_rests_grow_and_end():
    """Every rest lies within its bound, which doubles, and the last try is followed by none."""
    call = attempts(tries=6)
    rests = [call.rest() for _ in range(6)]
    assert rests[-1] is None
    assert all(0 <= rest <= 0.5 * 2**i for i, rest in enumerate(rests[:-1]))
    assert len(set(rests)) == 6


def test_the_jitter_is_seeded():
    """The same generator gives the same rests."""
    assert [attempts().rest() for _ in range(2)] == [attempts().rest()] * 2


def test_waits_that_the_server_asks_for_are_no_tries_but_have_a_bound():
    """A call waits on a server's word for ten minutes in all, however short each wait is said to be."""
    call = attempts()
    assert all(call.wait(60.0) for _ in range(10))
    assert not call.wait(60.0)
    assert call.failed == 0
    short = attempts()
    assert sum(short.wait(0.001) for _ in range(2000)) == 600


def test_nobody_there_counts_in_succession():
    """Three connections in succession that cannot be made are a verdict, unless anybody was answered in between."""
    call = attempts()
    assert [call.lost(heard=5), call.lost(heard=5), call.lost(heard=6)] == [False] * 3
    assert [call.lost(heard=6), call.lost(heard=6)] == [False, True]
    assert attempts(tries=1).lost(heard=0)
