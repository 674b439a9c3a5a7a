from __future__ import annotations

import pytest

from fiel.store._columns import ROLES, Guess, guess_columns, normal_name


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("Texto fuente (KB)", "context"),
        ("retrieved_chunks", "context"),
        ("Retrieved docs", "context"),
        ("Fragmentos recuperados", "context"),
        ("evidence [top 3]", "context"),
        ("mensaje", "input"),
        ("Mensaje del cliente", "input"),
        ("¿Pregunta?", "input"),
        ("customer message:", "input"),
        ("Respuesta (modelo)", "output"),
        ("Reply", "output"),
        ("** ANSWER **", "output"),
        ("Respuesta esperada.", "reference"),
        ("correct-answer", "reference"),
        ("answer key", "reference"),
        ("ticket nº", "id"),
        ("Ticket N.º", "id"),
        ("Ticket No.", "id"),
        ("Nº de ticket", "id"),
        ("case #", "id"),
        ("№", "id"),
        ("Número del caso", "id"),
        ("ID (ticket)", "id"),
        ("id_conversacion", "group"),
        ("Customer ID", "group"),
        ("nombre del modelo", "author"),
    ],
)
def test_a_name_as_people_write_it(column: str, role: str):
    """Parentheses, punctuation, numero signs and either order of words leave a column its role."""
    guess = guess_columns(["x", column])
    assert {role: column} == {name: getattr(guess, name) for name in ROLES if getattr(guess, name) is not None}


@pytest.mark.parametrize(
    "column",
    [
        "answer (length)",
        "Longitud de la respuesta",
        "tiempo_respuesta",
        "Puntuación (respuesta)",
        "number of answers",
        "# tokens",
        "meta_prompt_chars",
        "document_title",
        "output url",
    ],
)
def test_a_name_that_measures_is_no_text(column: str):
    """A column that counts, dates, scores or names something is given no role."""
    assert guess_columns([column]) == Guess(fields=(column,))


@pytest.mark.parametrize(
    ("columns", "role", "several"),
    [
        (["question", "answer_a", "answer_b"], "output", ("answer_a", "answer_b")),
        (["question", "answer", "response"], "output", ("answer", "response")),
        (["Answer (human)", "Answer (model)"], "output", ("Answer (human)", "Answer (model)")),
        (["respuesta 1", "respuesta 2"], "output", ("respuesta 1", "respuesta 2")),
        (["right_answer", "hallucinated_answer"], "output", ("right_answer", "hallucinated_answer")),
        (["prompt", "question", "output"], "input", ("prompt", "question")),
        (["output", "chunks", "document"], "context", ("chunks", "document")),
        (["output", "doc_id", "user_id"], "group", ("doc_id", "user_id")),
        (["output", "ticket nº", "case id"], "id", ("ticket nº", "case id")),
    ],
)
def test_of_two_that_are_equally_good_none_is_taken(columns: list[str], role: str, several: tuple[str, ...]):
    """Equal candidates are told and left among the fields, and no other role takes one of them."""
    guess = guess_columns(columns)
    assert guess.unclear == {role: several}
    assert getattr(guess, role) is None
    assert set(several) <= set(guess.fields)


@pytest.mark.parametrize(
    ("columns", "role", "taken"),
    [
        (["output", "output_b"], "output", "output"),
        (["answer", "output"], "output", "output"),
        (["context", "source"], "context", "context"),
        (["id", "ticket nº"], "id", "id"),
        (["model_answer", "answer_text"], "output", "model_answer"),
    ],
)
def test_a_better_candidate_is_taken(columns: list[str], role: str, taken: str):
    """The role's own name comes before its other names, and these before a part of a name."""
    guess = guess_columns(columns)
    assert getattr(guess, role) == taken
    assert guess.unclear == {}


def test_a_given_role_settles_what_was_unclear():
    """Once the user has said which, nothing is unclear and the other column is a field."""
    guess = guess_columns(["answer_a", "answer_b"], given={"output": "answer_b"})
    assert (guess.output, guess.fields, guess.unclear) == ("answer_b", ("answer_a",), {})


@pytest.mark.parametrize("written", ["nº", "N°", "n.º", "N. º", "№", "#", "No.", "Núm.", "nro.", "nu\u0301m."])
def test_numero_signs(written: str):
    """Every way to write a numero sign is the word number."""
    assert normal_name(f"Ticket {written}") == "ticket_number"


@pytest.mark.parametrize("plain", ["no", "Nota", "economía n", "C 3"])
def test_what_is_no_numero_sign(plain: str):
    """Words that begin alike are left alone."""
    assert "number" not in normal_name(plain)
