"""Tests of fiel.stats._searching."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.stats._searching import MOST, smallest_whole, threshold


@given(first=st.integers(1, MOST), least=st.integers(1, 5))
def test_smallest_whole(first: int, least: int):
    """The first whole number from which something holds is found, anywhere up to the most."""
    assert smallest_whole(lambda n: n >= first, least=least, what="it") == max(first, least)


def test_no_whole_number():
    """A promise that no number keeps is refused by the name of the wish."""
    with pytest.raises(ValueError, match=r"width=0\.1 asks for more than 1,000,000,000,000 items"):
        smallest_whole(lambda _: False, least=1, what="width=0.1")


@given(x=st.floats(1e-30, 1))
def test_threshold(x: float):
    """The point where something begins to hold is found to the last digit."""
    assert threshold(lambda y: y >= x, 0.0, 1.0) == x
