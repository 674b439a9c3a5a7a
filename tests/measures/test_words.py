from __future__ import annotations

import pytest

from fiel.measures._words import counted, escaped, given, given_percent, percent, share


@pytest.mark.parametrize(
    ("value", "apart", "text"),
    [
        (0.5, (), "0.50"),
        (-0.001, (), "0.00"),
        (-0.126, (), "−0.13"),
        (0.94996, (0.95,), "0.94996"),
        (0.95, (0.95,), "0.95"),
    ],
)
def test_a_share_never_looks_like_another_number(value: float, apart: tuple[float, ...], text: str):
    """Two decimals, more only where two would show the bar itself, and a real minus sign."""
    assert share(value, apart_from=apart) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.62, "62 %"), (1.0, "100 %"), (0.0, "0 %"), (0.9996, "99.96 %"), (0.001, "0.1 %")]
)
def test_a_percentage_is_100_only_when_it_is(value: float, text: str):
    """Rounding never makes nearly all into all, or nearly none into none."""
    assert percent(value) == text


def test_what_the_user_gave_keeps_its_digits():
    """A bar of 0.875 is not shown as 0.88."""
    assert [given(0.875), given(0.9), given_percent(0.875), given_percent(0.29)] == ["0.875", "0.90", "87.5 %", "29 %"]


def test_nouns_follow_their_numbers():
    """One label, two labels, no entrys."""
    assert [counted(1, "entry", "entries"), counted(0, "entry", "entries"), counted(2000, "label")] == [
        "1 entry",
        "0 entries",
        "2,000 labels",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ñ 漢 🙂", "plain ñ 漢 🙂"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\u202eb\u2028c\ud800", "a\\u202eb\\u2028c\\ud800"),
        ("tab\there\r\n", "tab\\there\\r\\n"),
    ],
)
def test_nothing_in_a_line_moves_the_cursor_or_turns_the_text(text: str, shown: str):
    """Control characters, direction marks, line separators and lone surrogates are written as escapes."""
    assert escaped(text) == shown


def test_a_long_text_is_cut_with_a_mark():
    """At most so many characters, the mark included, escapes counted as they are shown."""
    assert escaped("x" * 500, most=120) == "x" * 119 + "…"
    assert escaped("x" * 120, most=120) == "x" * 120
    assert len(escaped("\x00" * 500, most=120)) == 120
