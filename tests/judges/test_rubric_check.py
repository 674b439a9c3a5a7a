from __future__ import annotations

import pytest

from fiel.judges import look_over
from fiel.records import Criterion, Item, Length, Rubric

GROUNDLESS, GROUNDED = [Item(id="a", output="x")], [Item(id="a", output="x"), Item(id="b", reference="y")]


def warnings(question: str, items: list[Item] | tuple[()] = (), **changes: object) -> tuple[str, ...]:
    """What is said of one criterion."""
    criterion = Criterion(**{"id": "c", "question": question} | changes)
    return look_over(Rubric(id="r", criteria=(criterion,)), items)


def only(found: tuple[str, ...]) -> str:
    """The single warning, which names its criterion and is one sentence."""
    assert len(found) == 1
    assert found[0].startswith('Criterion "c" ')
    assert found[0].endswith(".")
    assert "\n" not in found[0]
    return found[0]


TEMPLATES = (
    ("grounded", "Does the CONTEXT support every factual claim of the ANSWER?"),
    ("complete", "Does the ANSWER cover every part of the QUESTION, as far as the CONTEXT allows?"),
    ("no_inventions", "Is the ANSWER free of figures, names and facts that are absent from the CONTEXT?"),
    ("no_inventions", "Does the ANSWER avoid figures, names or facts that the CONTEXT does not contain?"),
    ("abstains_well", "If the CONTEXT does not hold the answer, does the ANSWER say so instead of improvising?"),
    ("main_point", "Does the summary state the main event or claim of the source?"),
    ("policy", "Is everything that the reply promises or states allowed by the policy?"),
    ("next", "Does the reply say what the customer has to do next, or that nothing is left to do?"),
    ("fundamentada", "¿Apoya el CONTEXTO toda afirmación factual de la RESPUESTA?"),
    ("completa", "¿Cubre la RESPUESTA cada parte de la PREGUNTA, hasta donde permite el CONTEXTO?"),
    ("sin_invenciones", "¿Está la RESPUESTA libre de cifras, nombres y datos ausentes del CONTEXTO?"),
    ("se_abstiene_bien", "Si el CONTEXTO no contiene la respuesta, ¿lo dice la RESPUESTA en vez de improvisar?"),
    ("norma", "¿Permite la norma todo lo que la respuesta promete o afirma?"),
    ("siguiente", "¿Dice la respuesta qué debe hacer el cliente después, o que no queda nada por hacer?"),
)


@pytest.mark.parametrize(("name", "question"), TEMPLATES)
def test_good_wording_raises_no_warning(name, question):
    """The wordings that we ship, and their like, pass in silence."""
    assert warnings(question, GROUNDED, id=name) == ()


TEN = tuple(str(number) for number in range(1, 11))


def test_a_long_scale_without_definitions_is_named():
    """Nobody knows what a 7 is until somebody says it."""
    assert "scale from 1 to 10" in only(warnings("How well is it told?", options=TEN, scale="interval"))
    hundred = tuple(str(number) for number in range(101))
    assert "scale from 0 to 100" in only(warnings("How well is it told?", options=hundred))


@pytest.mark.parametrize(
    "changes",
    [
        {"options": TEN, "guidance": "1: false. 5: half of it is true. 10: all is true."},
        {"options": TEN[:5]},
        {"options": ("no", "yes")},
        {"options": tuple("abcdefghijkl"), "passing": ("a",)},
    ],
)
def test_a_defined_or_short_scale_passes(changes):
    """Definitions, few numbers or words are no fault."""
    assert warnings("How well is it told?", **changes) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Does the ANSWER answer the question and cite its source?",
        "Does the ANSWER contradict or go beyond the CONTEXT?",
        "Does the reply apologise and offer a refund?",
        "Does the reply apologise and name the product?",
        "Is the ANSWER short and does it follow the CONTEXT?",
        "Is the ANSWER clear and concise?",
        "Is it short? Is it kind?",
        "¿La RESPUESTA cita la fuente y responde a la pregunta?",
        "¿Responde la RESPUESTA a la pregunta y cita la fuente?",
        "¿Es la RESPUESTA clara y breve?",
        "¿La RESPUESTA sigue el CONTEXTO o añade algo?",
        "¿Es breve? ¿Es amable?",
    ],
)
def test_two_questions_in_one_are_named(question):
    """A judge that answers "no" would not say to which."""
    found = warnings(question, GROUNDED)
    assert any("two things at once" in warning or "two question marks" in warning for warning in found)


@pytest.mark.parametrize(
    "question",
    [
        "Does the ANSWER give the name and address of the shop?",
        "Does the ANSWER keep to figures, names or facts of the CONTEXT?",
        "Does the reply give advice and help?",
        "Are the date and the place those of the CONTEXT?",
        "¿Hay en la RESPUESTA cifras, nombres o datos ausentes?",
        "¿Está en el CONTEXTO todo lo que la RESPUESTA dice y explica?",
        "¿Responde la RESPUESTA a quién, qué y dónde?",
    ],
)
def test_two_nouns_are_one_question(question):
    """An "and" between things that are looked for is no second question."""
    assert warnings(question, GROUNDED) == ()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is the ANSWER a JSON object with name and year?", "json_schema"),
        ("Does the ANSWER have at most 50 words?", "length"),
        ("Does the ANSWER fit in two lines?", "length"),
        ("Does the ANSWER contain the word refund?", "contains"),
        ("Is the ANSWER a valid email address?", "regex"),
        ("Does the ANSWER start with a greeting?", "regex"),
        ("Is the ANSWER identical to the reference?", "equals"),
        ("¿Es la RESPUESTA un JSON válido?", "json_schema"),
        ("¿Tiene la RESPUESTA como máximo 50 palabras?", "length"),
        ("¿Contiene la palabra reembolso?", "contains"),
        ("¿Es una fecha válida?", "regex"),
    ],
)
def test_what_a_program_can_decide_is_named(question, kind):
    """The warning gives the kind of check, and ends when the criterion has one."""
    assert f"a {kind} check" in only(warnings(question))
    assert warnings(question, checks=(Length(maximum=50, unit="words"),)) == ()


@pytest.mark.parametrize("question", ["Does the ANSWER say how many words there are?", "¿Dice qué palabra falta?"])
def test_words_about_words_are_not_checks(question):
    """Only what can be decided by counting is named."""
    assert warnings(question) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Is the ANSWER good?",
        "Is the tone nice?",
        "Would you like to get this reply?",
        "Is the text engaging?",
        "Is the style elegant?",
        "¿Es de calidad la RESPUESTA?",
        "¿Te gusta la RESPUESTA?",
        "¿Es bonito el texto?",
    ],
)
def test_taste_is_named_until_it_is_defined(question):
    """Guidance that says what a yes needs makes a question out of a taste."""
    assert "taste" in only(warnings(question))
    assert warnings(question, guidance="Yes when it greets by name, no otherwise.") == ()


@pytest.mark.parametrize("question", ["Is the ANSWER written like a list?", "¿Dice la RESPUESTA de qué bien se trata?"])
def test_words_that_only_look_like_taste_pass(question):
    """A comparison with "like" and a "bien" that is a thing are no taste."""
    assert warnings(question) == ()


@pytest.mark.parametrize(
    "question",
    ["Is the ANSWER correct?", "Is every claim supported?", "Is it true?", "¿Es correcta la RESPUESTA?", "¿Es veraz?"],
)
def test_a_factual_question_needs_a_ground(question):
    """Without context or reference in any item the judge answers from memory; without items nothing is known."""
    assert "context or a reference" in only(warnings(question, GROUNDLESS))
    assert warnings(question, GROUNDED) == ()
    assert warnings(question) == ()


def test_grammar_is_no_fact():
    """Correct spelling needs no source."""
    assert warnings("Is the spelling correct?", GROUNDLESS) == ()


@pytest.mark.parametrize(
    "options", [("yes", "no"), ("sí", "no"), ("true", "false"), ("good", "bad"), ("5", "4", "3", "2", "1")]
)
def test_options_that_end_in_the_worst_are_named(options):
    """Unless told, the last option passes, and here that is the failure."""
    found = only(warnings("Does the CONTEXT tell it?", options=options))
    assert f'"{options[-1]}", which would count as passing' in found
    assert warnings("Does the CONTEXT tell it?", options=options, passing=options[:1]) == ()


def test_of_options_without_an_order_the_passing_ones_are_to_be_named():
    """The last of many would count as passing; with two, the rule that the last one passes is clear enough."""
    found = only(warnings("Which?", options=("joy", "fear", "anger"), scale="nominal"))
    assert '"anger" alone would count' in found
    assert warnings("Which?", options=("joy", "fear", "anger"), scale="nominal", passing=("joy", "fear")) == ()
    assert warnings("Which?", options=("no", "yes"), scale="nominal") == ()


@pytest.mark.parametrize("options", [("no", "yes"), ("no", "sí"), ("ham", "spam"), ("1", "2", "3"), ("bad", "good")])
def test_options_worst_first_pass(options):
    """The documented order needs no word."""
    assert warnings("Does the CONTEXT tell it?", options=options) == ()


def test_every_criterion_is_looked_at_in_order():
    """Warnings come in the order of the rubric, and items may come from a generator."""
    rubric = Rubric(
        id="r", criteria=(Criterion(id="one", question="Is it true?"), Criterion(id="two", question="Is it true?"))
    )
    found = look_over(rubric, (item for item in GROUNDLESS))
    assert [warning.split('"')[1] for warning in found] == ["one", "two"]
