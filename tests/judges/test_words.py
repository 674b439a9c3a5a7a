from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.judges._words import abstains, fold, language_of, read, stem


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "close closes closed closing"),
        ("en", "visit visits visited visiting"),
        ("en", "city cities"),
        ("en", "box boxes"),
        ("en", "stop stopped stopping"),
        ("en", "saturday saturdays"),
        ("en", "keeper keepers keeping"),
        ("es", "abre abren abrieron abrir abriendo"),
        ("es", "entrada entradas"),
        ("es", "camion camiones"),
        ("es", "luz luces"),
        ("es", "rojo roja rojos rojas"),
        ("es", "museo museos"),
    ],
)
def test_forms_of_a_word_share_a_stem(language, words):
    """Plurals and common endings do not hide a word."""
    assert len({stem(word, language) for word in words.split()}) == 1


@pytest.mark.parametrize(
    ("language", "words"), [("en", "price prize tower town time team"), ("es", "casa precio preso torre mes tren")]
)
def test_different_words_mostly_keep_their_stems(language, words):
    """Stems are not so short that everything is the same."""
    assert len({stem(word, language) for word in words.split()}) >= 5


def test_accents_case_and_compatibility_forms_are_folded():
    """What the eye reads as one word is one word."""
    assert fold("AÑO") == fold("an\u0303o") == fold("ano") == "ano"
    assert fold("straße") == "strasse"
    assert fold("don’t") == "don't"


@given(st.text(max_size=200))
def test_places_lie_in_the_text(raw):
    """Whatever the text, sentences are in order and hold what is said to stand in them."""
    text = read(raw, "es")
    end = 0
    for sentence in text.sentences:
        assert end <= sentence.start < sentence.end <= len(raw)
        end = sentence.end
        for name in sentence.names:
            assert raw[name.start : name.end] == name.text
            assert sentence.start <= name.start < name.end <= sentence.end
        for figure in sentence.figures:
            assert figure.start < figure.end <= len(raw)


def test_sentences_end_where_sentences_end():
    """Numbers, abbreviations and initials end none; line feeds and marks do."""
    raw = "Dr. Ruiz paid 1.500 euros to J. Smith. «¿Cuándo?» At 9:30…\n1. First\n2. Second"
    parts = [raw[s.start : s.end].strip() for s in read(raw, "en").sentences]
    assert parts == ["Dr. Ruiz paid 1.500 euros to J. Smith.", "«¿Cuándo?»", "At 9:30…", "1. First", "2. Second"]


@pytest.mark.parametrize(
    ("language", "raw", "names"),
    [
        ("en", "The tower was built by Tobias Wrenfield in March.", ["Tobias", "Wrenfield", "March"]),
        ("en", "Tobias Wrenfield built it.", ["Tobias", "Wrenfield"]),
        ("en", "Tickets cost nothing.", []),
        ("en", "It stands in B12.", ["B12"]),
        ("en", "YOU HAVE WON A PRIZE TODAY", []),
        ("es", "La torre es de Marta Peña, no del Ayuntamiento.", ["Marta", "Peña", "Ayuntamiento"]),
        ("es", "Las entradas cuestan poco: Ana lo sabe.", []),
    ],
)
def test_names_are_capitals_that_do_not_open_a_sentence(language, raw, names):
    """A capital that opens a sentence tells nothing, unless another name follows it."""
    assert [name.text for sentence in read(raw, language).sentences for name in sentence.names] == names


@pytest.mark.parametrize(
    ("language", "raw", "values"),
    [
        ("en", "Three keepers and 1,500 visitors", {3.0, 1500.0, 1.5}),
        ("es", "Tres fareros y 1.500 visitantes", {3.0, 1500.0, 1.5}),
        ("en", "2 million", {2.0, 2e6}),
        ("es", "dos mil", {2.0, 2000.0}),
        ("en", "once", set()),
        ("es", "once", {11.0}),
        ("en", "1. Open it\n2) Close it", set()),
    ],
)
def test_numbers_in_words_and_digits(language, raw, values):
    """Words from two to twelve, thousands and millions count; the numbers of a list do not."""
    assert read(raw, language).numbers == values


ABSTENTIONS = (
    "The text does not say how much it costs.",
    "There is no information about the price.",
    "The price cannot be determined from the context.",
    "Compensation is not mentioned anywhere.",
    "Pay isn't stated.",
    "The passage names no designer and gives no building cost.",
    "The letter sets no deadline for payment.",
    "I don't know.",
    "It is unclear who built it.",
    "El texto no indica cuánto cuesta.",
    "No se menciona el precio.",
    "No hay información sobre el precio.",
    "No es posible saberlo con estos datos.",
    "El aviso no dice nada del presupuesto.",
    "El contexto no contiene ese dato.",
    "Se desconoce la fecha.",
    "No consta.",
)
CLAIMS = (
    "The museum does not open on Mondays.",
    "Breakfast is not included.",
    "The room has no window.",
    "He never came back.",
    "El museo no abre los lunes.",
    "El desayuno no está incluido.",
    "La habitación no tiene ventana.",
    "Nunca volvió.",
    "No hay que pagar nada.",
)


@pytest.mark.parametrize(("raw", "expected"), [*((t, True) for t in ABSTENTIONS), *((t, False) for t in CLAIMS)])
def test_an_abstention_is_told_from_a_denial(raw, expected):
    """Saying that something is not told differs from saying that it is not so."""
    text = read(raw, language_of(raw, ""))
    assert abstains(text, text.sentences[0]) == expected


def test_the_language_asked_for_yields_to_clear_evidence_only():
    """A Spanish text in a rubric that says English is read as Spanish; a short text is what the rubric says."""
    spanish = "El museo abre a las nueve y cierra los lunes, pero en verano se puede entrar también por la tarde."
    english = "The museum opens at nine and it is closed on Mondays, but in summer it opens in the afternoon too."
    assert [language_of(spanish, asked) for asked in ("en", "es", "", "eu")] == ["es"] * 4
    assert [language_of(english, asked) for asked in ("en", "es", "", "eu")] == ["en"] * 4
    assert language_of("Madrid", "es-ES") == "es"
    assert language_of("Madrid", "EN") == "en"
