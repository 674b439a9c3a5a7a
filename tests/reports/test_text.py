from __future__ import annotations

import unicodedata

import pytest

from fiel.measures import Verdict, Word
from fiel.records import one_line, visible
from fiel.reports._text import excerpt, listing, marked, parts, quoted, shape


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x9b", "\r", "\u202e", "\u2066", "\u2028", "\ud800"])
def test_what_acts_on_a_screen_is_written_out(character):
    """Controls, the start of escape sequences, bidirectional overrides and lone surrogates become their names."""
    assert visible(f"a{character}b") == f"a⟨U+{ord(character):04X}⟩b"


@pytest.mark.parametrize("text", ["¿Qué día?", "שלום", "مرحبا", "👩‍🔬", "two\nlines\tand a tab", "汉字"])
def test_ordinary_text_stays_as_it_is(text):
    """No script, no joined emoji and no line break is touched."""
    assert visible(text) == text


def test_no_control_character_survives():
    """Of all characters below U+FFFF that are controls or surrogates, only tab and line feed are left."""
    every = "".join(map(chr, range(0x10000)))
    left = {c for c in visible(every) if unicodedata.category(c) in ("Cc", "Cs")}
    assert left == {"\n", "\t"}


def test_one_line_is_one_line():
    """Line breaks of any kind are shown, not made."""
    assert one_line("a\r\nb\n\nc\td\u2028e") == "a ↵ b ↵ c d⟨U+2028⟩e"


def test_an_excerpt_says_how_much_it_leaves_out():
    """Nothing is cut silently."""
    assert excerpt("x" * 601) == "x" * 600 + " … (1 more character)"
    assert excerpt("x" * 600) == "x" * 600


def test_a_listing_says_how_many_it_leaves_out():
    """Names beyond the most are counted."""
    assert listing(("a", "b")) == "a, b"
    assert listing(tuple("abcdefghijklmno")) == "a, b, c, d, e, f, g, h, i, j, k, l and 3 more"


@pytest.mark.parametrize("word", [*Word.__args__, *Verdict.__args__])
def test_every_outcome_word_has_a_shape(word):
    """No word depends on its colour, and none is without a mark."""
    assert marked(word).endswith(word)
    assert marked(word)[0] == {"full": "●", "half": "◐", "hollow": "○"}[shape(word)]


@pytest.mark.parametrize(
    ("sentence", "strong"),
    [
        ("says *yes* to all", ["yes"]),
        ("*a b*, *c*: x", ["a b", "c"]),
        ("2*3*4 and a * b * c", []),
        ("**bold**", []),
        ("an *open end", []),
    ],
)
def test_emphasis_is_found_where_it_is_meant(sentence, strong):
    """Names between asterisks are emphasised; products, open ends and double asterisks stay text."""
    assert [piece for piece, emphasised in parts(sentence) if emphasised] == strong
    if not strong:
        assert "".join(piece for piece, _ in parts(sentence)) == sentence


LONG = "x" * 700 + "the quoted words" + "y" * 500


@pytest.mark.parametrize(
    ("text", "marks", "marked"),
    [
        ("one two three", [(4, 7)], ["two"]),
        ("one two three", [(4, 9), (0, 3), (7, 13)], ["one", "two three"]),
        ("one two three", [], []),
        ("one two three", [(9, 99)], ["hree"]),
        (LONG, [(700, 716)], ["the quoted words"]),
    ],
)
def test_what_is_quoted_is_marked_in_its_place(text, marks, marked):
    """Marked pieces are the quoted stretches, however they are ordered, overlap or reach beyond the end."""
    pieces = quoted(text, marks)
    assert [piece for piece, strong in pieces if strong] == marked


def test_a_long_text_shows_what_is_quoted_far_down():
    """Of a long text the beginning is shown, and what surrounds a mark; all that is left out is counted."""
    pieces = quoted(LONG, [(700, 716)], longest=600, around=50)
    assert pieces[0] == ("x" * 600, False)
    assert pieces[1] == (" … (50 characters) … ", False)
    assert pieces[2:5] == [("x" * 50, False), ("the quoted words", True), ("y" * 50, False)]
    assert pieces[5] == (" … (450 more characters)", False)


def test_a_short_text_is_whole():
    """Without a mark and within its length a text is one piece."""
    assert quoted("short", []) == [("short", False)]
