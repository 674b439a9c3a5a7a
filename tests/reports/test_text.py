from __future__ import annotations

import unicodedata

import pytest

from fiel.measures import Verdict, Word
from fiel.records import one_line, visible
from fiel.reports._text import excerpt, listing, marked, parts, shape


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
