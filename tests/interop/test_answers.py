from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.interop._answers import Scale, spelled
from fiel.records import Criterion

FIVE = Criterion(id="c", question="?", options=("1", "2", "3", "4", "5"), scale="ordinal")
WORDS = Criterion(id="c", question="?", options=("No", "Yes", "yes"), applies_when="Always.")


@pytest.mark.parametrize("cell", [2, 2.0, "2", " 2.0 ", "2e0", "+2"])
def test_equal_numbers_are_one_option(cell: object):
    """A number is the same option as a float, an integer and a text."""
    assert Scale(FIVE).read(cell) == ("option", "2")


@pytest.mark.parametrize("cell", [85, "6", 2.5, "two", "NaN", float("inf"), True, ["2", "3"], {"a": 2}])
def test_what_is_off_the_scale(cell: object):
    """Nothing is clamped, rounded or guessed: what is no option lies off the scale, as it was spelt."""
    answer = Scale(FIVE).read(cell)
    assert answer.kind == "off"
    assert answer.text == spelled(cell)


def test_true_is_not_one():
    """A JSON true is a word, also after a 1 was read."""
    scale = Scale(FIVE)
    assert [scale.read(cell).kind for cell in (1, True, 1.0)] == ["option", "off", "option"]


def test_capitals_count_where_two_options_differ_by_them_alone():
    """Capitals are looked past where only one option has the word."""
    scale = Scale(WORDS)
    assert [scale.read(cell).text for cell in ("NO", "yes", "Yes")] == ["No", "yes", "Yes"]
    assert scale.read("YES").kind == "off"


def test_not_applicable_is_no_option():
    """A value that stands for "not applicable" is never an option, and its words are known where they can occur."""
    assert Scale(FIVE, not_applicable=["1"]).read(1.0).kind == "inapplicable"
    assert Scale(WORDS).read("N/A").kind == "inapplicable"
    assert Scale(FIVE).read("N/A").kind == "off"


@pytest.mark.parametrize("cell", [None, "", "  "])
def test_blank(cell: object):
    """An empty cell is no answer."""
    assert Scale(FIVE).read(cell).kind == "blank"


@pytest.mark.parametrize(
    ("cell", "option"), [(0.85, "0.9"), (0.84, "0.8"), ("0.05", "0.1"), (1, "1"), (1.01, None), (-0.01, None)]
)
def test_rounding_goes_to_the_nearest_level_and_halves_upwards(cell: object, option: str | None):
    """Rounding is exact in decimals, and what lies outside the levels is off the scale."""
    levels = tuple(spelled(n / 10) or "" for n in range(11))
    answer = Scale(Criterion(id="c", question="?", options=levels, scale="interval"), levels=True).read(cell)
    assert (answer.text if answer.kind == "option" else None) == option


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_spelt_as_itself(value: float):
    """The spelling of a number is that number, and is spelt as itself again."""
    text = spelled(value)
    assert text is not None
    assert float(text) == value
    assert spelled(text) == text
