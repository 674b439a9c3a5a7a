from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fiel.judges._evidence import _SAFE, _Folded, find_fragment, fold_text

TEXT = (
    "La tienda abre a las 9 – “de lunes a viernes” –, dijo Ana… y cierra a las 20.\n"
    "The café's price is 10² euros (15 in 2019, 5 in 2020); it's «final»."
)


def found(fragment: str, text: str = TEXT) -> str | None:
    """What of the text the fragment was found to be."""
    span = find_fragment(fragment, text)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("fragment", "place"),
    [
        ("abre a las 9", "abre a las 9"),
        ("abre  a\nlas\u00a09", "abre a las 9"),
        ('"abre a las 9"', "abre a las 9"),
        ("«abre a las 9»", "abre a las 9"),
        ("“‘abre a las 9’”", "abre a las 9"),
        ("...abre a las 9...", "abre a las 9"),
        ("“…abre a las 9…”", "abre a las 9"),
        ("[...] abre a las 9 [...]", "abre a las 9"),
        ("9 - 'de lunes", "9 – “de lunes"),
        ("a viernes' --, dijo", "a viernes” –, dijo"),
        ("dijo Ana... y cierra", "dijo Ana… y cierra"),
        ("20. The café's price", "20.\nThe café's price"),
        ("cafe\u0301’s price", "café's price"),
        ("ca\u00adf\u200bé's\ufeff price", "café's price"),
        ("ｐｒｉｃｅ", "price"),
        ('it"s "final"', "it's «final"),
        ("La tienda abre ... dijo Ana", "La tienda abre a las 9 – “de lunes a viernes” –, dijo Ana"),
        (
            "abre a las 9 [...] cierra […] 20. The",
            "abre a las 9 – “de lunes a viernes” –, dijo Ana… y cierra a las 20.\nThe",
        ),
        ("LA TIENDA ABRE", "La tienda abre"),
        ("price is 10² euros", "price is 10² euros"),
        ("5 in 2020", "5 in 2020"),
        ("9", "9"),
        ("a", "a"),
    ],
)
def test_a_fragment_is_found_in_every_tolerated_form(fragment, place):
    """White space, quotes, dashes, ellipses, Unicode forms, invisible characters, and case where it is alone."""
    assert found(fragment) == place


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "  ",
        '""',
        "«...»",
        "abre a las 8",
        "abre a las nueve",
        "price is 102 euros",
        "price is 10 euros",
        "cafe's price",
        "la tienda cierra",
        "dijo Ana ... La tienda abre",
        "La tienda ... a las 21",
        "La ... 20",
        "15 in 2020",
        '"9"',
        "Ana.",
        "A LAS",
    ],
)
def test_what_does_not_stand_there_is_not_found(fragment):
    """Another number, word, accent or order; too little to be evidence; another case that stands there twice."""
    assert find_fragment(fragment, TEXT) is None


def test_whole_words_come_first():
    """Of several places the first one that begins and ends with whole words is taken, else the first."""
    assert find_fragment("5 euros", "15 euros, then 5 euros") == (15, 22)
    assert find_fragment("5 euros", "15 euros, then 25 euros") == (1, 8)


def test_no_character_is_cut_apart():
    """A ligature or an accented letter is found whole or not at all."""
    assert find_fragment("affi", "a\ufb03x") is None or found("affi", "a\ufb03x") == "a\ufb03"
    assert find_fragment("aff", "a\ufb03x") is None
    assert find_fragment("abce", "abce\u0301") is None
    assert found("abcé", "abce\u0301") == "abce\u0301"


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("año 2018", "El niño comió «pan» en el café — año 2019. " * 25_000),
        ("fff", "\ufb00" * 200_000),
        ("abce", "abce\u0301" * 200_000),
        ('abc "d', "' " * 500_000 + "abc d"),
        ('."' * 400_000, "a" * 1_000_000),
        ("a" * 99_999 + "b", "a" * 1_000_000),
        ("aaa ... bbb ... ccc", "aaa " * 200_000 + "bbb " * 50_000),
        ("한국어 텍스트x", "한국어 텍스트 " * 100_000),
    ],
)
def test_large_and_repetitive_texts_end(fragment, text):
    """A megabyte, of prose or made to be slow, is searched to its end; nothing is found that is not there."""
    assert find_fragment(fragment, text) is None


def test_the_end_of_a_large_text_is_found():
    """The place is right behind a megabyte in which nearly every character is folded."""
    text = "« é » – " * 120_000 + "the  ﬁnal  word"
    assert found("the final word", text) == "the  ﬁnal  word"


def test_texts_are_cut_only_before_what_stands_by_itself():
    """No character at which a text is cut merges with what is before it, in any form."""
    safe = [char for char in map(chr, range(0x20000)) if _SAFE.match(char)]
    assert len(safe) > 10_000
    for char in safe:
        first = unicodedata.normalize("NFKD", char)[0]
        assert unicodedata.combining(first) == 0
        assert not re.match(r"[\s\"'\-]", fold_text(first))


ANY = st.text(
    st.characters(codec="utf-8", exclude_categories=["No"])
    | st.sampled_from("abc123 \n\u00a0\u00ad\u200b\"'“”«»‘’-–—…éñﬁe\u0301ｶﾞ가ΣÅ²½"),
    max_size=60,
)
WORDS = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=3, max_size=8)


@given(st.lists(ANY, max_size=5))
def test_folding_in_parts_is_folding_the_whole_and_the_way_back_fits(parts):
    """The folded chunks make up the folded text, each character of which has its place, in order."""
    text = "".join(parts) * 60
    folded = _Folded(text)
    assert folded.text == fold_text(text)
    at = 0
    for index in range(len(folded.text)):
        places, place = folded._places(index)
        assert at <= places.starts[place] < places.ends[place] <= len(text)
        at = places.starts[place]


def disguised(fragment: str, draw: st.DrawFn) -> str:
    """The fragment as a judge may write it: the tolerated changes, drawn at random."""
    form = draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD", None]))
    if form and not re.search(r"[²³¹½¼¾]", fragment):
        fragment = unicodedata.normalize(form, fragment)
    swaps = {
        " ": (" ", "  ", "\n", "\u00a0 "),
        "…": ("…", "..."),
        **dict.fromkeys("\"'“”«»‘’", ('"', "'", "“", "»", "’")),
        **dict.fromkeys("-–—", ("-", "–", "—", "--")),
    }
    written = "".join(draw(st.sampled_from(swaps.get(char, (char,)))) for char in fragment)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(written)))
        written = written[:at] + draw(st.sampled_from(["\u00ad", "\u200b", "\ufeff"])) + written[at:]
    around = draw(st.sampled_from([("", ""), ('"', '"'), ("«", "»"), ("...", "..."), ("[...] ", " […]"), ("“…", "…”")]))
    return around[0] + written + around[1]


@given(ANY, WORDS, ANY, WORDS, ANY, st.data())
def test_any_disguised_slice_is_found_where_it_says_the_same(before, first, inner, last, after, data):
    """For any text and any slice between words of it, disguised by the tolerated changes, the span reads the same."""
    slice_ = first + inner + last
    text = f"{before} {slice_} {after}"
    fragment = disguised(slice_, data.draw)
    span = find_fragment(fragment, text)
    assert span is not None
    bare = fold_text(slice_).strip(' "')
    assert fold_text(text[span[0] : span[1]]).strip(' "').lower().replace("ς", "σ") == bare.lower().replace("ς", "σ")


@given(ANY, st.integers(1000, 9999), ANY, st.integers(0, 3), st.integers(1, 9))
def test_a_changed_digit_is_not_found(before, number, after, place, step):
    """A fragment with one digit changed is found only where the text holds that very number too."""
    digits = str(number)
    changed = digits[:place] + str((int(digits[place]) + step) % 10) + digits[place + 1 :]
    text = f"{before} costs {number} euros {after}"
    assume(changed not in fold_text(text))
    assert find_fragment(f"“costs {changed} euros”", text) is None
    assert find_fragment(f"“costs {number} euros”", text) is not None
