from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fiel.measures import validate
from fiel.records import Adjudication, CalibrationSet, Criterion, Design, FielError, Item, Rubric
from fiel.stats import alt_test, kappa_difference, scott_pi

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"


def test_three_kinds_of_pairs_stay_apart(world: Any):
    """The judge stands beside each rater with its own n, and beside nobody else."""
    judgements, labels = world.against(55, 60, seconds=58)
    found = validate(judgements, labels[:100], rubric=world.rubric).criteria[0]
    assert [(x.kind, x.a, x.b, x.n) for x in found.by_rater] == [
        ("judge-human", "house", "ana", 60),
        ("judge-human", "house", "ben", 40),
    ]
    assert found.by_rater[0].agreement.value == pytest.approx(55 / 60)


def test_the_paired_difference_of_kappas_is_that_of_stats(world: Any):
    """Judge-with-rater less rater-with-rater, on the same items, by the paired difference of kappas."""
    judgements, labels = world.against(50, 60, seconds=55)
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    code = {"no": 0, "yes": 1}
    ana, ben = ([code[x.answer] for x in labels if x.rater == r] for r in ("ana", "ben"))
    judge = [code[x.verdict] for x in judgements]
    table = np.stack([ana, ben, judge], axis=1)
    direct = kappa_difference(table, first=[(0, 2), (1, 2)], second=[(0, 1)], categories=2)
    assert found.kappa_difference == direct
    assert found.kappa_ceiling.value == pytest.approx(direct.details["value_second"])


def test_the_coefficients_fit_the_scale(world: Any):
    """Nominal: kappa and alpha. Ordered: quadratic kappa first, the plain one and ordinal alpha beside it."""
    judgements, labels = world.against(50, 60)
    plain = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert [x.name for x in plain.coefficients] == ["Cohen's kappa", "Krippendorff's alpha (nominal)"]
    judgements = [world.judgement(f"i{i}", (0.1, 0.8, 0.1), of=world.points) for i in range(12)]
    judgements[0] = world.judgement("i0", (0.8, 0.1, 0.1), of=world.points)
    labels = [world.label(f"i{i}", "123"[i % 3], criterion="points") for i in range(12)]
    found = validate(judgements, labels, rubric=Rubric(id="r", criteria=(world.points,))).criteria[0]
    assert [x.name for x in found.coefficients] == [
        "Cohen's kappa, quadratic weights",
        "Cohen's kappa",
        "Krippendorff's alpha (ordinal)",
    ]


def test_a_constant_judge_has_scotts_pi(world: Any):
    """Where the judge says one thing only kappa is 0 and Scott's pi is below it; both are told, and AC beside them."""
    judgements = [world.judgement(f"i{i:03}", 0.97) for i in range(200)]
    labels = [world.label(f"i{i:03}", "yes" if i < 190 else "no") for i in range(200)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    named = {x.name: x.value for x in found.coefficients}
    gold = [int(i < 190) for i in range(200)]
    assert named["Cohen's kappa"] == 0
    assert named["Scott's pi"] == pytest.approx(scott_pi(gold, [1] * 200))
    assert named["Scott's pi"] < 0
    assert named["Gwet's AC1"] > 0.9
    assert (found.extreme, found.word) == (True, "not enough labels")


def test_the_alternative_annotator_test_is_that_of_stats(world: Any):
    """With three raters the test is there, its lines under the raters' names; with two it is not."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60)
    answers = np.where(rng.random((60, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    verdict = np.where(rng.random(60) < 0.95, truth, 1 - truth)
    labels = [world.label(f"i{i:02}", ("no", "yes")[answers[i, r]], f"r{r}") for i in range(60) for r in range(3)]
    judgements = [world.judgement(f"i{i:02}", 0.9 if verdict[i] else 0.1) for i in range(60)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0].alt_test
    direct = alt_test(verdict, answers)
    assert (found.winning_rate, found.advantage, found.passed) == (direct.omega, direct.rho, direct.passed)
    assert [(x.rater, x.judge_wins, x.replaces) for x in found.raters] == [
        (f"r{x.rater}", x.rho_f, x.rejected) for x in direct.raters
    ]
    two = [x for x in labels if x.rater != "r2"]
    assert validate(judgements, two, rubric=world.rubric).criteria[0].alt_test is None


def test_a_judge_that_gives_up_is_not_flattered_by_the_alternative_annotator_test(world: Any):
    """Items without a verdict are left out as published, counted, and stand beside it as lost ones."""
    labels = [world.label(f"i{i:02}", ("no", "yes")[i % 2], f"r{r}") for i in range(90) for r in range(3)]
    judgements = [world.judgement(f"i{i:02}", None if i < 50 else (0.1, 0.9)[i % 2]) for i in range(90)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0].alt_test
    assert (found.winning_rate, found.advantage, found.unscored) == (1.0, 1.0, 50)
    assert (found.winning_rate_unscored_lost, found.advantage_unscored_lost) == (0.0, pytest.approx(40 / 90))
    whole = validate(judgements[50:], labels, rubric=world.rubric).criteria[0].alt_test
    assert (whole.unscored, whole.winning_rate_unscored_lost) == (0, 1.0)


def test_preferences_are_beside_the_judge_and_never_gold(world: Any):
    """Thumbs that contradict everything change no figure of agreement; they stand under their own kind."""
    judgements, labels = world.against(57, 60)
    alone = validate(judgements, labels, rubric=world.rubric)
    flip = {"yes": "no", "no": "yes"}
    thumbs = [world.label(x.subject, flip[x.answer], "preference:thumbs") for x in labels]
    found = validate(judgements, [*labels, *thumbs], rubric=world.rubric)
    one = found.criteria[0]
    assert (one.agreement, one.ceiling, one.word) == (alone.criteria[0].agreement, None, "use")
    assert found.raters == ("ana",)
    assert [(x.kind, x.a, x.b, x.n) for x in one.preferences] == [
        ("judge-preference", "house", "preference:thumbs", 60),
        ("human-preference", "gold", "preference:thumbs", 60),
    ]
    assert one.preferences[1].agreement.value == 0
    assert one.funnel.set_aside == {"preference": 60}
    assert found.construct == "adherence to rubric 'rag'"


def test_a_changed_wording_is_warned_about_and_a_changed_meaning_refused(world: Any):
    """Another question warns; other options, passing or scale make old answers no gold, and the message says which."""
    judgements, labels = world.against(57, 60)
    old = msgspec.structs.replace(world.grounded, question="Is it supported?")
    items = tuple(Item(id=x.subject) for x in judgements)
    frozen = CalibrationSet(name="s", rubric=Rubric(id="rag", criteria=(old,)), items=items, labels=tuple(labels))
    found = validate(judgements, frozen, rubric=world.rubric)
    assert any("60 labels answered another wording" in line for line in found.warnings)
    assert found.criteria[0].word == "use"
    for name, change in (("passing", {"passing": ("no",)}), ("scale", {"scale": "ordinal"})):
        other = Rubric(id="rag", criteria=(msgspec.structs.replace(old, **change),))
        with pytest.raises(FielError, match=f"meaning of 'grounded' has changed since people answered: {name}"):
            validate(judgements, msgspec.structs.replace(frozen, rubric=other), rubric=world.rubric)


def test_a_decision_that_nothing_is_right_takes_the_item_out(world: Any):
    """An item that turned out broken or not applicable is no gold and no half point; it is counted apart."""
    judgements, labels = world.against(57, 60)
    items = tuple(Item(id=x.subject) for x in judgements)
    decisions = (
        Adjudication(subject="i000", criterion="grounded", answer=None, by="x", at="t", reason="item broken"),
        Adjudication(subject="i001", criterion="grounded", answer=None, by="x", at="t", skipped="not applicable"),
    )
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=tuple(labels), adjudications=decisions)
    funnel = validate(judgements, frozen).criteria[0].funnel
    assert (funnel.labelled, funnel.both, funnel.unresolved) == (58, 58, 0)
    assert funnel.set_aside == {"decided: no answer is right": 2}


def test_weights_of_the_design_weigh_agreement_kappa_and_word(world: Any):
    """A judge that is right where nearly all items are is used, though half of the sample is where it is wrong."""
    verdicts = [0.9] * 60 + [0.1] * 60
    gold = ["yes"] * 60 + ["no"] * 40 + ["yes"] * 20
    gold[:3] = ["no"] * 3
    judgements = [world.judgement(f"i{i:03}", p) for i, p in enumerate(verdicts)]
    labels = tuple(world.label(f"i{i:03}", answer) for i, answer in enumerate(gold))
    design = Design(kind="stratified", weights={f"i{i:03}": 19.0 if i < 60 else 1.0 for i in range(120)})
    items = tuple(Item(id=x.subject) for x in judgements)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=labels, design=design)
    found = validate(judgements, frozen).criteria[0]
    weights = [19.0] * 60 + [1.0] * 60
    hits = [(p > 0.5) == (answer == "yes") for p, answer in zip(verdicts, gold, strict=True)]
    assert found.agreement.value == pytest.approx(np.average(hits, weights=weights))
    assert found.weighted == "weights"
    assert "weighted by the design on 94 %" in found.why
    assert found.prevalence[1] == pytest.approx(np.average([x == "yes" for x in gold], weights=weights))
    assert found.scores.tpr.value == pytest.approx(57 * 19 / (57 * 19 + 20))
    assert "weighted by the design" in found.coefficients[0].estimate.method


def test_the_ceiling_under_the_bar_puts_the_fault_on_the_rubric(world: Any):
    """People agree on two thirds and the judge no less: the sentence says that the rubric is at fault."""
    rng = np.random.default_rng(8)
    truth = rng.random(500) < 0.5
    said = truth[:, None] ^ (rng.random((500, 3)) > np.array([0.8, 0.8, 0.77]))
    word = {True: "yes", False: "no"}
    names = [f"i{i:03}" for i in range(500)]
    labels = tuple(world.label(names[i], word[bool(said[i, r])], f"r{r}") for i in range(500) for r in range(2))
    judgements = [world.judgement(name, 0.9 if x else 0.1) for name, x in zip(names, said[:, 2], strict=True)]
    decided = tuple(
        Adjudication(subject=name, criterion="grounded", answer=word[bool(t)], by="c", at="t")
        for name, t in zip(names, truth, strict=True)
    )
    items = tuple(Item(id=name) for name in names)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=labels, adjudications=decided)
    found = validate(judgements, frozen).criteria[0]
    assert found.at_ceiling
    assert found.word == "rewrite"
    assert "the rubric is at fault, not the judge" in found.why
    assert validate(*world.against(55, 60, seconds=58), rubric=world.rubric).criteria[0].at_ceiling is False


def test_the_plain_reading_stands_beside_the_word(world: Any):
    """At 55 of 60 the point reaches 85 % while the labels do not show it."""
    judgements, labels = world.against(55, 60)
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert (found.plain, found.word) == ("reaches the bar", "not enough labels")
    judgements, labels = world.against(40, 60)
    assert validate(judgements, labels, rubric=world.rubric).criteria[0].plain == "below the bar"


def test_the_thresholds_are_parameters(world: Any):
    """A lower bar, a lower confidence and a smaller rarer class each turn *not enough labels* into *use*."""
    judgements, labels = world.against(55, 60)
    assert validate(judgements, labels, rubric=world.rubric, bar=0.8).criteria[0].word == "use"
    assert validate(judgements, labels, rubric=world.rubric, confidence=0.8).criteria[0].word == "use"
    judgements, labels = world.against(30, 30, failing=4)
    found = validate(judgements, labels, rubric=world.rubric, fewest=4)
    assert (found.criteria[0].word, found.fewest) == ("use", 4)


def test_two_items_are_never_enough(world: Any):
    """Two items of two, rightly answered, say nothing, whatever the confidence."""
    judgements, labels = world.against(2, 2)
    found = validate(judgements, labels, rubric=world.rubric, confidence=0.9).criteria[0]
    assert found.word == "not enough labels"


def test_hard_items_do_not_flatter_the_judge_once_they_are_decided(world: Any):
    """On 30 % hard items a judge is right on 85.2 %: decided, the interval holds it; undecided, ties are told."""
    covered = warned = 0
    for trial in range(40):
        rng = np.random.default_rng([42, trial])
        hard = rng.random(150) < 0.3
        truth = rng.random(150) < 0.5
        judge = truth ^ (rng.random(150) > np.where(hard, 0.64, 0.943))
        raters = truth[:, None] ^ (rng.random((150, 2)) > np.where(hard, 0.75, 0.98)[:, None])
        word = {True: "yes", False: "no"}
        names = [f"i{i:03}" for i in range(150)]
        labels = tuple(world.label(names[i], word[bool(raters[i, r])], f"r{r}") for i in range(150) for r in range(2))
        judgements = [world.judgement(name, 0.9 if said else 0.1) for name, said in zip(names, judge, strict=True)]
        split = np.flatnonzero(raters[:, 0] != raters[:, 1])
        decisions = tuple(
            Adjudication(subject=names[i], criterion="grounded", answer=word[bool(truth[i])], by="c", at="t")
            for i in split
        )
        items = tuple(Item(id=name) for name in names)
        frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=labels, adjudications=decisions)
        found = validate(judgements, frozen, full=False).criteria[0].agreement
        covered += found.low <= 0.852 <= found.high
        loose = validate(judgements, labels, rubric=world.rubric, full=False)
        warned += any("flatters the judge" in line for line in loose.warnings)
    assert covered / 40 >= 0.95 - 3 * (0.95 * 0.05 / 40) ** 0.5
    assert warned == 40


def test_a_question_may_be_asked_of_several_criteria_with_other_options(world: Any):
    """Figures of one criterion do not depend on the others beside it."""
    other = Criterion(id="tone", question="Is it polite?", options=("rude", "plain", "polite"))
    judgements, labels = world.against(50, 60)
    more = [world.judgement(x.subject, (0.1, 0.2, 0.7), of=other) for x in judgements]
    tone = [world.label(x.subject, "polite", criterion="tone") for x in judgements]
    both = validate([*judgements, *more], [*labels, *tone], rubric=Rubric(id="r", criteria=(world.grounded, other)))
    alone = validate(judgements, labels, rubric=world.rubric)
    assert both.criteria[0] == alone.criteria[0]


@pytest.mark.skipif(not REAL.exists(), reason="the published sets are not on this machine")
@pytest.mark.parametrize(
    ("folder", "judge", "epsilon", "winning", "advantage"),
    [
        ("alttest_wax", "gpt-4o", 0.1, 0.50, 0.73),
        ("alttest_wax", "gemini_flash", 0.1, 0.38, 0.69),
        ("alttest_10k_prompts", "gpt-4o", 0.15, 0.69, 0.76),
        ("alttest_10k_prompts", "mistral-v03", 0.15, 0.15, 0.67),
    ],
)
def test_the_published_alternative_annotator_test(
    world: Any, folder: str, judge: str, epsilon: float, winning: float, advantage: float
):
    """Winning rate and advantage are those that the authors print, by equality and by distance."""
    duckdb = pytest.importorskip("duckdb")

    def rows(kind: str, columns: str) -> Any:
        where = f"{REAL / folder / kind}.parquet"
        return duckdb.sql(f"select {columns} from '{where}' where value is not null").fetchall()  # noqa: S608  our own text

    people = [(a, b, str(c)) for a, b, c in rows("human", "item_id, annotator_id, value")]
    said = [(a, str(c)) for a, b, c in rows("judge", "item_id, judge, value") if b == judge]
    options = tuple(sorted({x[-1] for x in (*people, *said)}))
    scale = "nominal" if folder == "alttest_wax" else "ordinal"
    criterion = Criterion(id="it", question="What is it?", options=options, scale=scale)
    judgements = [
        world.judgement(a, tuple(float(o == x) for o in options), of=criterion, source="point") for a, x in said
    ]
    labels = [world.label(a, x, b, criterion="it") for a, b, x in people]
    rubric = Rubric(id="r", criteria=(criterion,))
    found = validate(judgements, labels, rubric=rubric, epsilon=epsilon).criteria[0].alt_test
    assert found.winning_rate == pytest.approx(winning, abs=0.0051)
    assert found.advantage == pytest.approx(advantage, abs=0.0051)
