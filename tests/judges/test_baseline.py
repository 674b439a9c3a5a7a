from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.judges import Baseline
from fiel.judges._baseline import COEFFICIENTS
from fiel.records import Criterion, Item, Judgement, Pair, Rubric

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"

RUBRICS = {
    "en": Rubric(
        id="rag",
        criteria=(
            Criterion(
                id="grounded",
                question="Does the CONTEXT support every factual claim of the ANSWER?",
                evidence_in="answer",
            ),
            Criterion(id="complete", question="Does the ANSWER cover every part of the QUESTION?"),
            Criterion(
                id="no_inventions",
                question="Is the ANSWER free of figures, names and facts that are absent from the CONTEXT?",
                evidence_in="answer",
            ),
            Criterion(id="abstains", question="If the CONTEXT does not hold the answer, does the ANSWER say so?"),
        ),
    ),
    "es": Rubric(
        id="rag",
        language="es",
        criteria=(
            Criterion(
                id="grounded",
                question="¿Apoya el CONTEXTO toda afirmación factual de la RESPUESTA?",
                options=("no", "sí"),
                evidence_in="answer",
            ),
            Criterion(id="complete", question="¿Cubre la RESPUESTA cada parte de la PREGUNTA?", options=("no", "sí")),
            Criterion(
                id="no_inventions",
                question="¿Está la RESPUESTA libre de cifras, nombres y datos ausentes del CONTEXTO?",
                options=("no", "sí"),
                evidence_in="answer",
            ),
            Criterion(
                id="abstains",
                question="Si el CONTEXTO no contiene la respuesta, ¿lo dice la RESPUESTA?",
                options=("no", "sí"),
            ),
        ),
    ),
}
QUESTION = {
    "en": "When does the museum open, and how much does a ticket cost?",
    "es": "¿Cuándo abre el museo y cuánto cuesta una entrada?",
}
CONTEXT = {
    "en": "The museum of Arlena opens at 9:30 every day but Monday. A ticket costs 1,500 pesos, and children pay half. "
    "Clara Vidal founded it in 1987. The cloakroom is free.",
    "es": "El museo de Arlena abre a las 9:30 todos los días menos el lunes. Una entrada cuesta 1.500 pesos, y los "
    "niños pagan la mitad. Clara Vidal lo fundó en 1987. El guardarropa es gratuito.",
}
ANSWERS = {
    "good": {
        "en": "The museum opens at 9:30, except on Mondays, and a ticket costs 1500 pesos.",
        "es": "El museo abre a las 9:30, menos los lunes, y la entrada cuesta 1500 pesos.",
    },
    "number": {
        "en": "The museum opens at 9:30, except on Mondays, and a ticket costs 2200 pesos.",
        "es": "El museo abre a las 9:30, menos los lunes, y la entrada cuesta 2200 pesos.",
    },
    "name": {
        "en": "The museum opens at 9:30, except on Mondays, and Tobias Wrenfield sells tickets for 1500 pesos.",
        "es": "El museo abre a las 9:30, menos los lunes, y Tobías Robledo vende las entradas a 1500 pesos.",
    },
    "missing": {
        "en": "The cloakroom is free, and Clara Vidal founded it in 1987.",
        "es": "El guardarropa es gratuito, y Clara Vidal lo fundó en 1987.",
    },
    "silent": {
        "en": "The text does not say when the museum opens or what a ticket costs.",
        "es": "El texto no indica cuándo abre el museo ni cuánto cuesta una entrada.",
    },
    "improvised": {
        "en": "Doors are unlocked from dawn, and pensioners from Belmora travel with a golden voucher of 40 crowns.",
        "es": "Se abren las puertas al alba, y los jubilados de Belmora viajan con un bono dorado de 40 coronas.",
    },
}
FAULTS = [
    ("grounded", "number"),
    ("grounded", "name"),
    ("grounded", "silent"),
    ("grounded", "improvised"),
    ("no_inventions", "number"),
    ("no_inventions", "name"),
    ("no_inventions", "improvised"),
    ("complete", "missing"),
    ("complete", "silent"),
    ("complete", "improvised"),
    ("abstains", "silent"),
]


def judge(item: Item, rubric: Rubric) -> dict[str, Judgement]:
    """The baseline's judgements by criterion."""
    return {judgement.criterion: judgement for judgement in asyncio.run(Baseline()(item, rubric))}


def scene(kind: str, language: str) -> Item:
    """An answer to the question about the museum."""
    return Item(id=kind, input=QUESTION[language], context=CONTEXT[language], output=ANSWERS[kind][language])


def passing(item: Item, rubric: Rubric, name: str) -> float:
    """The probability of passing one criterion."""
    belief = judge(item, rubric)[name].belief
    assert belief is not None
    return belief.share_of(rubric[name].passes)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(("criterion", "fault"), FAULTS)
def test_a_planted_fault_is_below_the_good_answer(criterion, fault, language):
    """Each fault falls under one half on its criterion, and the good answer stands above, in both languages."""
    rubric = RUBRICS[language]
    assert (
        passing(scene(fault, language), rubric, criterion) < 0.5 < passing(scene("good", language), rubric, criterion)
    )


@pytest.mark.parametrize("fault", ANSWERS)
def test_both_languages_are_judged_alike(fault):
    """A translated scene falls on the same side of one half on every criterion."""
    for criterion in ("grounded", "complete", "no_inventions", "abstains"):
        english = passing(scene(fault, "en"), RUBRICS["en"], criterion)
        spanish = passing(scene(fault, "es"), RUBRICS["es"], criterion)
        assert (english > 0.5) == (spanish > 0.5), criterion


def test_the_language_of_the_text_wins_over_that_of_the_rubric():
    """A Spanish project that forgot to say so is judged as Spanish."""
    said = judge(scene("good", "es"), RUBRICS["en"])
    assert passing(scene("number", "es"), RUBRICS["en"], "no_inventions") < 0.5
    assert all(judgement.belief.share_of(("yes",)) > 0.5 for judgement in said.values())


@pytest.mark.parametrize("language", ["en", "es"])
def test_saying_so_is_right_where_the_ground_does_not_tell(language):
    """An abstention passes, and an improvisation does not, when the context is about something else."""
    context = {"en": "Beans need water twice a week.", "es": "Las judías necesitan agua dos veces por semana."}[
        language
    ]
    silent, improvised = (
        Item(id="a", input=QUESTION[language], context=context, output=ANSWERS[kind][language])
        for kind in ("silent", "improvised")
    )
    assert passing(silent, RUBRICS[language], "abstains") > 0.5 > passing(improvised, RUBRICS[language], "abstains")
    assert passing(silent, RUBRICS[language], "complete") > 0.5


def test_what_the_ground_does_not_know_may_be_repeated():
    """A context that says that something is unknown supports an answer that says the same."""
    context = "The cause of the fire is unknown. The roof burned on 3 May."
    answer = Item(id="a", input="What caused the fire?", context=context, output="The cause of the fire is unknown.")
    assert passing(answer, RUBRICS["en"], "grounded") > 0.5


def test_a_denied_claim_is_less_supported():
    """Turning a sentence of the context into its denial costs probability."""
    yes, no = (
        Item(id="a", context=CONTEXT["en"], output=text)
        for text in ("The cloakroom of the museum is free.", "The cloakroom of the museum is not free.")
    )
    assert passing(no, RUBRICS["en"], "grounded") < passing(yes, RUBRICS["en"], "grounded")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("number", "1 of 2 numbers is not in the context: 2200."),
        ("name", "2 of 3 names are not in the context: Tobias, Wrenfield."),
        ("silent", "The answer claims nothing; it says that the context does not tell."),
    ],
)
def test_the_reason_names_what_drove_it(fault, words):
    """A sentence says which number, name or silence it was."""
    item = scene(fault, "en")
    if fault == "number":
        item = Item(id="a", context=item.context, output="A ticket costs 2200 pesos since 1987.")
    assert judge(item, RUBRICS["en"])["grounded"].reason == words


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("😀 A ticket costs 2200 pesos.", "2200"),
        ("A ticket costs 1500 pesos, said Tobias.", "Tobias"),
        ("A ticket costs 1500 pesos. Pelicans nest behind marshy dunes.", "Pelicans nest behind marshy dunes."),
        ("A ticket for the cafe\u0301 costs −2,200.5 pesos.", "−2,200.5"),
    ],
)
def test_evidence_stands_in_the_answer_to_the_letter(text, fragment):
    """The first lost number or name, else the lost sentence, is quoted with its exact place."""
    said = judge(Item(id="a", context=CONTEXT["en"], output=text), RUBRICS["en"])["grounded"]
    (evidence,) = said.evidence
    assert evidence.text == fragment
    assert text[evidence.start : evidence.end] == fragment
    assert (evidence.field, evidence.found) == ("answer", True)


def test_evidence_is_given_only_where_it_is_asked_and_for_failures():
    """A criterion without evidence_in and an answer that seems fine quote nothing."""
    said = judge(scene("improvised", "en"), RUBRICS["en"])
    assert said["no_inventions"].evidence
    assert not said["complete"].evidence
    assert all(not judgement.evidence for judgement in judge(scene("good", "en"), RUBRICS["en"]).values())


@pytest.mark.parametrize("output", ["", " \n", "—…!"])
def test_an_empty_answer_hardly_passes(output):
    """Nothing said is nothing right, on every criterion, with or without a ground."""
    for item in (Item(id="a", context="x y", output=output), Item(id="a", output=output)):
        for judgement in judge(item, RUBRICS["en"]).values():
            assert judgement.belief.share_of(("yes",)) <= 0.1
            assert judgement.reason == "The answer is empty."


def test_the_order_of_the_grounds():
    """Context comes before reference, and reference before question."""
    texts = {"context": "Beans are green.", "reference": "The sky is blue.", "input": "Why is snow white?"}
    for missing, ground in ((), "context"), (("context",), "reference"), (("context", "reference"), "question"):
        held = {name: text for name, text in texts.items() if name not in missing}
        item = Item(id="a", output="Pelicans 77.", **held)
        assert f"not in the {ground}" in judge(item, RUBRICS["en"])["grounded"].reason


def test_a_reference_is_something_to_reach():
    """With a reference alone, the right short answer is above the wrong one."""
    rubric = Rubric(id="r", criteria=(Criterion(id="correct", question="Is the ANSWER correct?"),))
    right, wrong = (
        Item(id="a", input="What is the capital of France?", reference="Paris", output=text)
        for text in ("The capital is Paris.", "The capital is Lyon.")
    )
    assert passing(right, rubric, "correct") > 0.5 > passing(wrong, rubric, "correct")


def test_without_a_ground_the_words_of_the_criterion_count():
    """A bare message is held against the criterion, and a passing "no" turns the reading round."""
    spam = Item(id="a", output="Claim your free prize now")
    talk = Item(id="b", output="See you at home for dinner")
    question = "Is the message spam: prizes, claims, free offers?"
    rubric = Rubric(id="r", criteria=(Criterion(id="spam", question=question),))
    turned = Rubric(id="r", criteria=(Criterion(id="spam", question=question, options=("yes", "no")),))
    assert passing(spam, rubric, "spam") > 0.5 > passing(talk, rubric, "spam")
    assert passing(spam, turned, "spam") < 0.5 < passing(talk, turned, "spam")


def test_a_question_for_the_fault_is_turned_round():
    """Where passing means that something was invented, the good answer is improbable to pass."""
    asks = Rubric(id="r", criteria=(Criterion(id="c", question="Does the ANSWER invent figures?"),))
    assert passing(scene("good", "en"), asks, "c") < 0.5 < passing(scene("number", "en"), asks, "c")


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
def test_a_scale_is_spread_as_a_binomial(scale):
    """The mean of k ordered options is p on the way from the worst to the best."""
    question = RUBRICS["en"]["grounded"].question
    five = Criterion(id="grounded", question=question, options=("1", "2", "3", "4", "5"), scale=scale)
    two = RUBRICS["en"]["grounded"]
    belief = judge(scene("good", "en"), Rubric(id="r", criteria=(five,)))["grounded"].belief
    assert belief.normalised_mean == pytest.approx(passing(scene("good", "en"), RUBRICS["en"], two.id))
    assert belief.source == "baseline"


def test_categories_share_their_part_evenly():
    """Without an order, p is split evenly over the passing options and 1 - p over the rest."""
    question = RUBRICS["en"]["grounded"].question
    four = Criterion(id="grounded", question=question, options=("a", "b", "c", "d"), passing=("c",))
    p = passing(scene("good", "en"), RUBRICS["en"], "grounded")
    belief = judge(scene("good", "en"), Rubric(id="r", criteria=(four,)))["grounded"].belief
    assert belief.probs == pytest.approx(((1 - p) / 3, (1 - p) / 3, p, (1 - p) / 3))


def test_a_pair_is_abstained_from():
    """Two answers side by side are no matter of overlap, and the judgement says so."""
    rubric = RUBRICS["en"]
    for judgement in asyncio.run(Baseline()(Pair(id="p", a="x", b="y"), rubric)):
        assert (judgement.status, judgement.belief) == ("abstained", None)
        assert "pairs" in judgement.reason


def test_a_judgement_says_what_was_judged_and_by_whom():
    """Digests, name, identity, cost and time are filled, in the order that was asked."""
    rubric, item = RUBRICS["en"], scene("good", "en")
    asked = (rubric.criteria[2], rubric.criteria[0])
    said = asyncio.run(Baseline(name="floor")(item, rubric, asked))
    assert [judgement.criterion for judgement in said] == ["no_inventions", "grounded"]
    for criterion, judgement in zip(asked, said, strict=True):
        assert (judgement.subject, judgement.subject_digest) == (item.id, item.digest)
        assert judgement.criterion_digest == criterion.digest
        assert (judgement.judge, judgement.identity) == ("floor", Baseline().identity(rubric))
        assert (judgement.status, judgement.cost, judgement.request) == ("ok", 0.0, None)
        assert judgement.latency > 0


def test_the_identity_follows_the_rubric_and_not_the_name():
    """Another wording is another judge; another name is the same one."""
    assert Baseline(name="a").identity(RUBRICS["en"]) == Baseline(name="b").identity(RUBRICS["en"])
    assert Baseline().identity(RUBRICS["en"]) != Baseline().identity(RUBRICS["es"])


def test_the_table_names_only_features_that_exist():
    """Good signs are positive and bad signs negative, whatever the kind."""
    bad = {"numbers", "names", "negation", "denied"}
    for weights in COEFFICIENTS.values():
        for name, weight in weights.items():
            assert name == "bias" or (weight < 0) == (name in bad)


ANY = st.text(max_size=80) | st.text("ab. ,1?\n«Á¿no'", max_size=80)


@settings(max_examples=60, deadline=None)
@given(ANY, st.none() | ANY, st.none() | ANY, st.none() | ANY)
def test_any_text_gets_a_belief(output, question, context, reference):
    """No text breaks it; beliefs stay within the clip, evidence stands where it says, and twice is the same."""
    item = Item(id="a", input=question, context=context, reference=reference, output=output)
    for rubric in RUBRICS.values():
        said = judge(item, rubric)
        for name, judgement in said.items():
            assert judgement.status == "ok"
            assert 0.02 <= judgement.belief.share_of(rubric[name].passes) <= 0.98
            for evidence in judgement.evidence:
                assert output[evidence.start : evidence.end] == evidence.text
        again = judge(item, rubric)
        assert [j.belief for j in again.values()] == [j.belief for j in said.values()]


@pytest.mark.parametrize("piece", ["a", ".", "\n", "1,", "no se lo ", "Ab cd. ", "neither ", "é", "'", "-$"])
def test_long_texts_come_to_an_end(piece):
    """Texts of 100 kB of one pattern are judged: no expression and no loop explodes."""
    text = piece * (100_000 // len(piece))
    said = judge(Item(id="a", input=text[:10_000], context=text, output=text), RUBRICS["es"])
    assert len(said) == 4


@pytest.mark.parametrize("name", ["basse_es", "sms_cascade"])
def test_real_texts_are_judged(name):
    """Real summaries and messages get beliefs, and evidence that stands in them."""
    if not REAL.is_dir():
        pytest.skip("the real data is not here")
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(
        f"select item_id, input, context, output, reference "  # noqa: S608  a path of ours
        f"from '{REAL}/{name}/items.parquet' order by item_id limit 60"
    ).fetchall()
    for number, row in enumerate(rows):
        item = Item(id=str(number), input=row[1], context=row[2], output=row[3] or "", reference=row[4])
        for judgement in judge(item, RUBRICS["es"]).values():
            assert judgement.status == "ok"
            for evidence in judgement.evidence:
                assert item.output[evidence.start : evidence.end] == evidence.text


def test_spam_is_told_from_talk_without_a_ground():
    """On real messages, the words of the criterion rank spam above talk far more often than not."""
    if not REAL.is_dir():
        pytest.skip("the real data is not here")
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(
        f"select i.item_id, i.output, h.value from '{REAL}/sms_cascade/items.parquet' i "  # noqa: S608  a path of ours
        f"join '{REAL}/sms_cascade/human.parquet' h using (item_id)"
    ).fetchall()
    criterion = Criterion(
        id="spam",
        question="Is the message spam?",
        guidance="It offers prizes, cash, free calls or texts, or asks to claim, to reply or to call a number.",
    )
    rubric = Rubric(id="r", criteria=(criterion,))
    scored = [(passing(Item(id=row[0], output=row[1]), rubric, "spam"), row[2] == "spam") for row in rows]
    spam = [p for p, is_spam in scored if is_spam]
    talk = [p for p, is_spam in scored if not is_spam]
    wins = sum((a > b) + 0.5 * (a == b) for a in spam for b in talk) / (len(spam) * len(talk))
    assert wins > 0.8


def test_a_scale_of_any_length_is_answered():
    """Thousands of options get a binomial too, where its coefficients no longer fit a float."""
    options = tuple(str(i) for i in range(3000))
    long = Criterion(id="grounded", question=RUBRICS["en"]["grounded"].question, options=options, scale="ordinal")
    belief = judge(scene("good", "en"), Rubric(id="r", criteria=(long,)))["grounded"].belief
    assert belief.normalised_mean == pytest.approx(passing(scene("good", "en"), RUBRICS["en"], "grounded"))
