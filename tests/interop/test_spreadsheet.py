from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.interop._spreadsheet import harmless, kept, read_back, shortened


@given(st.text(alphabet=st.sampled_from("='+-@\t\r07.,/:eE mayMAR$%qñ"), max_size=8) | st.text(max_size=20))
def test_a_cell_comes_back(text: str):
    """Whatever a name or an answer is, it is read back as it was; as is any text that was made harmless."""
    assert read_back(kept(text)) == text
    assert read_back(harmless(text)) == text


@given(st.text(max_size=20))
def test_no_cell_begins_like_a_formula(text: str):
    """Neither rule lets a cell begin with a character that a spreadsheet runs."""
    assert not {harmless(text)[:1], kept(text)[:1]} & set("=+-@\t\r")


@pytest.mark.parametrize("text", ["-1", "+1", "=A1", "@x", "\tx", "007", "1.50", "1e5", "1/2", "2024-01-02", "12:30"])
def test_an_apostrophe_that_is_gone_is_not_missed(text: str):
    """A spreadsheet that keeps the apostrophe to itself, and somebody who types without one, are read alike."""
    assert read_back(text) == text == read_back(f"'{text}")


@pytest.mark.parametrize("text", ["", "q17", "12", "0", "yes", "no answer", "maybe", "march of time", "'", "80s"])
def test_what_is_safe_stays_as_it_is(text: str):
    """Nothing is put before a cell that needs nothing, an apostrophe aside."""
    assert kept(text) == (f"'{text}" if text == "'" else text)


def test_a_text_that_fits_no_cell_says_what_is_left_out():
    """A cell has 32,767 characters; a longer text ends in the count of the rest."""
    assert shortened("a" * 32_000) == "a" * 32_000
    found = shortened("a" * 40_000)
    assert len(found) < 32_767
    assert found.endswith("(8,000 more characters)")
