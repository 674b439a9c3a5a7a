from __future__ import annotations

import pytest

from fiel.judges._kinds import kind_of, passes_on_fault, passes_on_no
from fiel.records import Criterion


@pytest.mark.parametrize(
    ("name", "question", "kind"),
    [
        ("grounded", "Does the CONTEXT support every factual claim of the ANSWER?", "support"),
        ("fundamentada", "¿Apoya el CONTEXTO toda afirmación de la RESPUESTA?", "support"),
        ("c1", "Is the summary faithful to its source?", "support"),
        ("complete", "Does the ANSWER cover every part of the QUESTION?", "coverage"),
        ("completa", "¿Cubre la RESPUESTA cada parte de la PREGUNTA, hasta donde permite el CONTEXTO?", "coverage"),
        ("request", "Does the reply address every request?", "coverage"),
        ("no_inventions", "Is the ANSWER free of figures and names that are absent from the CONTEXT?", "inventions"),
        ("no_inventions", "Does it avoid figures that the CONTEXT does not contain?", "inventions"),
        ("sin_invenciones", "¿Está libre de cifras ausentes del CONTEXTO?", "inventions"),
        ("c2", "Does the ANSWER hallucinate?", "inventions"),
        ("abstains_well", "If the CONTEXT does not hold the answer, does the ANSWER say so?", "abstention"),
        ("se_abstiene_bien", "Si el CONTEXTO no contiene la respuesta, ¿lo dice la RESPUESTA?", "abstention"),
        ("tone", "Does the reply greet by name?", "support"),
    ],
)
def test_the_kind_is_read_from_the_words(name, question, kind):
    """Id and question tell what is asked, in both languages; what tells nothing is support."""
    assert kind_of(Criterion(id=name, question=question)) == kind


@pytest.mark.parametrize(
    ("question", "options", "passing", "expected"),
    [
        ("Does the ANSWER invent figures?", ("no", "yes"), (), True),
        ("Does the ANSWER invent figures?", ("yes", "no"), (), False),
        ("¿Inventa cifras la RESPUESTA?", ("no", "sí"), (), True),
        ("Is the ANSWER free of inventions?", ("no", "yes"), (), False),
        ("Does it avoid adding and inventing?", ("no", "yes"), (), False),
        ("Does the CONTEXT support it?", ("no", "yes"), (), False),
        ("Does the ANSWER invent figures?", ("many", "some", "none"), (), False),
    ],
)
def test_a_yes_to_a_question_about_the_fault_is_the_fault(question, options, passing, expected):
    """When the rate counts faults, a good answer is improbable to pass."""
    assert passes_on_fault(Criterion(id="c", question=question, options=options, passing=passing)) == expected


def test_a_passing_no_is_recognised():
    """Only when every passing option denies."""
    assert passes_on_no(Criterion(id="c", question="q", options=("yes", "no")))
    assert not passes_on_no(Criterion(id="c", question="q"))
    assert not passes_on_no(Criterion(id="c", question="q", options=("nothing", "north")))
