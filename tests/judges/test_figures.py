from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.judges._figures import figures


def readings(text: str) -> list[tuple[float, ...]]:
    """The readings of every number of a text."""
    return [figure.readings for figure in figures(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234.5", [(1234.5,)]),
        ("1.234,5", [(1234.5,)]),
        ("1 234", [(1234.0,)]),
        ("1\u202f234\u202f567,25", [(1234567.25,)]),
        ("1,234", [(1234.0, 1.234)]),
        ("1.234", [(1234.0, 1.234)]),
        ("1.234.567 and 1,234,567", [(1234567.0,), (1234567.0,)]),
        ("3,5 and 3.5", [(3.5,), (3.5,)]),
        ("0.125 and 0,125", [(0.125,), (0.125,)]),
        ("1234.567", [(1234.567,)]),
        (".5", [(0.5,)]),
        ("12.05.2024", [(12.0,), (5.0,), (2024.0,)]),
        ("10,20,30", [(10.0,), (20.0,), (30.0,)]),
        ("-5, −7, +4", [(-5.0,), (-7.0,), (4.0,)]),
        ("-$5 and $-5", [(-5.0,), (-5.0,)]),
        ("10-20", [(10.0,), (20.0,)]),
        ("95%", [(95.0,)]),
        ("1e6 and 1.5E-3", [(1e6,), (0.0015,)]),
        ("5km, 2nd, Q3, COVID-19", [(5.0,), (2.0,), (19.0,)]),
        ("In 2019. Then 3.", [(2019.0,), (3.0,)]),
        ("1e999", []),
        ("no number", []),
    ],
)
def test_numbers_are_read_in_both_notations(text, expected):
    """English and Spanish marks, signs and groups are read by the documented rule."""
    assert readings(text) == expected


@given(st.integers(0, 10**12), st.integers(1, 99))
def test_grouped_numbers_come_back(whole, cents):
    """A number written with groups and decimals is read as itself in either notation."""
    english = f"{whole:,}.{cents:02d}"
    spanish = english.translate(str.maketrans(",.", ".,"))
    expected = float(f"{whole}.{cents:02d}")
    assert readings(f"it is {english} here") == readings(f"es {spanish} aquí") == [(expected,)]


@given(st.text("0123456789.,-−+eE $€\u00a0x", max_size=40))
def test_places_are_those_of_the_text(text):
    """Every number lies where it says, in order, without overlaps, and begins and ends as a number does."""
    end = 0
    for figure in figures(text):
        assert end <= figure.start < figure.end <= len(text)
        assert text[figure.end - 1] in "0123456789"
        assert text[figure.start] in "0123456789.-−+"
        end = figure.end
