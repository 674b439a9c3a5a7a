from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from fiel.reports._numbers import figure, full, given, limits, probability, share, signed
from fiel.stats import Estimate


def undefined() -> Estimate:
    """An estimate without a value."""
    return Estimate(value=None, low=None, high=None, confidence=0.95, method="wilson", n=0, reason="no labels")


@drawn(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5), st.sampled_from(["both", "lower", "upper"]))
def test_an_estimate_reads_in_a_report_as_it_prints_itself(value, below, above, side):
    """The two places that write an estimate cannot drift apart, for two-sided and one-sided ones."""
    low = None if side == "upper" else value - below
    high = None if side == "lower" else value + above
    estimate = Estimate(value=value, low=low, high=high, confidence=0.95, method="wilson", n=20, side=side)
    assert full(estimate) == str(estimate)


def test_an_undefined_estimate_says_why():
    """There is no number, no interval and no n where there is nothing to show."""
    assert figure(undefined()) == full(undefined()) == "undefined: no labels"
    assert limits(undefined()) == ""


def test_nothing_rounds_to_minus_zero():
    """A small negative number has no sign once it shows as zero."""
    assert (share(-0.004), signed(-0.004), signed(0.004)) == ("0.00", "0.00", "0.00")


def test_a_negative_number_has_a_real_minus_sign():
    """The sign is U+2212, as wide as a digit, not a hyphen."""
    assert share(-0.5) == "\N{MINUS SIGN}0.50"
    assert signed(-0.5) == "\N{MINUS SIGN}0.50"
    assert signed(0.5) == "+0.50"


@pytest.mark.parametrize(
    ("number", "shown"), [(1.0, "1.00"), (0.0, "0.00"), (0.996, ">0.99"), (0.99, "0.99"), (0.004, "<0.01")]
)
def test_a_probability_is_certain_only_when_it_is(number, shown):
    """0.00 and 1.00 are written for 0 and 1 alone."""
    assert probability(number) == shown


def test_a_bar_keeps_the_digits_that_its_user_gave():
    """A bar of 0.875 is not shown as 0.88."""
    assert (given(0.85), given(0.875), given(1)) == ("0.85", "0.875", "1.00")
