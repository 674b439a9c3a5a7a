from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures import Rate, rates
from fiel.records import Adjudication, CalibrationSet, Criterion, Design, Item, Rubric


def lenient(world: Any, *, labelled: int = 60) -> Any:
    """A judge that passes 90 % of 120 items, where people pass 75 %, in the same order; the first are labelled."""
    order = np.random.default_rng(3).permutation(120)
    judgements = [world.judgement(f"i{i:03}", 0.95 if rank < 108 else 0.05) for i, rank in enumerate(order)]
    labels = [world.label(f"i{i:03}", "yes" if rank < 90 else "no") for i, rank in enumerate(order)]
    return judgements, labels[:labelled]


def one(world: Any, judgements: Any, labels: Any = (), **how: Any) -> Rate:
    """The rate of *grounded*."""
    return rates(judgements, labels, rubric=how.pop("rubric", world.rubric), **how)[0]


def test_the_sentence_says_it_all(world: Any):
    """Rate, interval, confidence, sources, the judge alone, its error and what it bought stand in one sentence."""
    found = one(world, *lenient(world))
    estimate, raw = found.estimate, found.raw
    assert raw is not None
    assert found.sentence.startswith(
        f"{estimate.value:.2f} of answers pass *grounded* [{estimate.low:.2f}, {estimate.high:.2f}] at 95 % confidence "
        "from 60 labels and 60 further judged answers; the judge alone says 0.86, which is "
    )
    distance = round(raw.value or 0, 2) - round(estimate.value or 0, 2)
    saved = 100 * (1 - estimate.details["width_ratio"])
    assert found.sentence.endswith(
        f"which is {distance:.2f} too high; the judge narrows the interval of the labels alone by {saved:.0f} %; "
        "method: ess-beta."
    )


def test_bias_raw_and_classical_stand_beside_it(world: Any):
    """The bias is the judge's mean minus people's on the labelled items, the classical rate is that of the labels."""
    judgements, labels = lenient(world)
    found = one(world, judgements, labels)
    people = np.mean([x.answer == "yes" for x in labels])
    judge = np.mean([x.belief.probs[1] for x in judgements[:60]])
    assert found.bias == pytest.approx(judge - people)
    assert found.classical is not None
    assert found.classical.value == pytest.approx(people)
    assert found.classical.low == pytest.approx(found.estimate.details["classical_low"])
    assert found.raw is not None
    assert found.raw.value == pytest.approx(np.mean([x.belief.probs[1] for x in judgements]))


def test_a_judge_that_adds_nothing_is_said_to(world: Any):
    """Where judge and people are uncorrelated, sentence and warning give |rho| and what it would have to reach."""
    judgements = [world.judgement(f"i{i:03}", 0.9 if i % 2 else 0.4) for i in range(200)]
    labels = [world.label(f"i{i:03}", "yes" if i % 4 < 2 else "no") for i in range(60)]
    found = one(world, judgements, labels)
    assert "adds nothing to the labels alone: |rho| = 0.00 < 0.13" in found.sentence
    assert any(line.startswith("The judge adds nothing") for line in found.warnings)


def test_a_constant_judge_adds_nothing(world: Any):
    """A judge that says the same of everything has no correlation, and the sentence says that instead of a number."""
    judgements = [world.judgement(f"i{i:03}", 0.9) for i in range(200)]
    labels = [world.label(f"i{i:03}", "yes" if i % 4 else "no") for i in range(60)]
    assert "adds nothing to the labels alone: one of the two says the same" in one(world, judgements, labels).sentence


def test_without_labels_the_judge_alone_is_told_with_its_caveat(world: Any):
    """No corrected rate, no bias, no assumptions; the judge's own figure with the warning that its bias is unknown."""
    found = one(world, lenient(world)[0])
    assert found.estimate.value is None
    assert (found.bias, found.classical, found.assumptions) == (None, None, ())
    assert found.sentence.endswith("the judge alone says 0.86, and its bias is unknown.")


def test_without_a_judge_the_labels_alone_are_told(world: Any):
    """Labels without any judgement give the classical rate, and sentence and warning say that nothing else is in it."""
    found = one(world, [], lenient(world)[1])
    assert (found.judge, found.raw, found.bias) == ("", None, None)
    assert "from 60 labels; method: classical, labels alone" in found.sentence
    assert "No labelled item has a belief of the judge: the rate is that of the labels alone." in found.warnings


def test_nothing_at_all_is_said_to_be_nothing(world: Any):
    """A criterion that nobody judged or labelled has an undefined rate and no more."""
    found = one(world, [], [])
    assert (found.estimate.value, found.raw, found.classical) == (None, None, None)
    assert "cannot be told (no labels" in found.sentence


def test_every_criterion_has_its_rate(world: Any):
    """Rates come in the order of the rubric, each with its own denominators."""
    other = Criterion(id="tone", question="Is it polite?")
    judgements, labels = lenient(world)
    found = rates(judgements, labels, rubric=Rubric(id="r", criteria=(other, world.grounded)))
    assert [(x.criterion, x.funnel.judged) for x in found] == [("tone", 0), ("grounded", 120)]
    assert found[1].identity == "1f" * 32


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (Design(), "not checked, nothing says how they were drawn."),
        (Design(kind="random", frame=120, seed=5), "drawn at random from 120 items, seed 5."),
        (Design(kind="census"), "every item of its frame was to be labelled."),
        (Design(kind="convenience"), "they were not, but picked at convenience."),
    ],
)
def test_how_the_labels_were_drawn_is_an_assumption(world: Any, design: Design, said: str):
    """What the correction rests on is printed with what the set says of it."""
    judgements, labels = lenient(world)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(), labels=tuple(labels), design=design)
    found = one(world, judgements, frozen)
    assert found.assumptions[0].endswith(said)
    assert any("not drawn at random" in line for line in found.warnings) is (design.kind == "convenience")


def test_each_assumption_stands_with_how_it_stands(world: Any):
    """A random draw of blind labels holds what can be checked; a convenience sample fails, whatever the caller says."""
    judgements, labels = lenient(world)
    digest = world.grounded.digest
    blind = [world.label(x.subject, x.answer, blind=True, criterion_digest=digest) for x in labels]
    design = Design(kind="random", frame=120)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(), labels=tuple(blind), design=design)
    found = {x.name: x.standing for x in one(world, judgements, frozen).checks}
    assert found == {
        "random draw": "holds",
        "labelled like the rest": "holds",
        "independent items": "cannot be checked",
        "gold": "cannot be checked",
        "same words": "holds",
        "blind": "holds",
        "unscored": "holds",
    }
    picked = CalibrationSet(
        name="s", rubric=world.rubric, items=(), labels=tuple(labels), design=Design(kind="convenience")
    )
    refused, told = one(world, judgements, picked), one(world, judgements, picked, as_random=True)
    assert (refused.estimate.value, refused.classical, refused.told) == (None, None, False)
    assert "picked at convenience" in refused.sentence
    assert told.told
    assert told.checks[0].standing == "fails"
    assert "You said that they may be read as a random draw." in told.checks[0].text
    assert {x.name: x.standing for x in told.checks}["blind"] == "cannot be checked"


def test_labels_that_do_not_look_like_the_rest_are_warned_of(world: Any):
    """Where people labelled what the judge passes, the assumption fails, and a warning says by how much."""
    judgements = [world.judgement(f"i{i:03}", 0.9 if i < 60 else 0.2 + 0.001 * i) for i in range(200)]
    labels = [world.label(f"i{i:03}", "yes" if i % 4 else "no") for i in range(60)]
    found = one(world, judgements, labels)
    assert {x.name: x.standing for x in found.checks}["labelled like the rest"] == "fails"
    assert any("do not look like the rest: the judge's mean is 0.57 higher" in line for line in found.warnings)


def test_the_terms_of_the_variance_are_told_in_words(world: Any):
    """With 60 labels and many judged items labels dominate, and 50 more would narrow the interval so."""
    rng = np.random.default_rng(11)
    truth = rng.random(2000) < 0.7
    judgements = [world.judgement(f"i{i:04}", 0.9 if t ^ (rng.random() < 0.1) else 0.2) for i, t in enumerate(truth)]
    labels = [world.label(f"i{i:04}", "yes" if t else "no") for i, t in enumerate(truth[:60])]
    found = one(world, judgements, labels)
    terms = found.terms
    width = found.estimate.high - found.estimate.low
    assert (terms.dominates, terms.more) == ("labels", 50)
    assert terms.labels == found.estimate.details["variance_labels"]
    share = (terms.labels * 60 / 110 + terms.judge) / (terms.labels + terms.judge)
    assert terms.width == pytest.approx(width * share**0.5)
    assert terms.sentence.startswith("Labels dominate: about 50 more labels would narrow the interval from ")
    then = one(world, judgements, [world.label(f"i{i:04}", "yes" if t else "no") for i, t in enumerate(truth[:110])])
    assert then.estimate.high - then.estimate.low == pytest.approx(terms.width, rel=0.2)


def test_what_the_judge_did_not_score_is_imputed_on_both_sides_and_counted(world: Any):
    """Ten labelled and ten other items without a belief take the judge's mean: none is dropped, all are counted."""
    judgements, labels = lenient(world)
    silent = {f"i{i:03}" for i in (*range(10), *range(70, 80))}
    judgements = [world.judgement(x.subject, None) if x.subject in silent else x for x in judgements]
    found = one(world, judgements, labels)
    assert found.imputed == 20
    assert found.estimate.details["n_labelled"] + found.estimate.details["n_unlabelled"] == 120
    mean = np.mean([x.belief.probs[1] for x in judgements if x.belief])
    assert found.estimate.details["judge_mean"] == pytest.approx(mean)


def test_soft_gold_is_said_to_be_soft(world: Any):
    """The rate over shares of raters is another one than that of the majority, and says which it is."""
    judgements, labels = lenient(world)
    three = [*labels, *(world.label(x.subject, "yes", r) for x in labels for r in ("ben", "cyd"))]
    hard, soft = (one(world, judgements, three, gold=gold) for gold in ("majority", "soft"))
    assert (hard.gold, soft.gold) == ("majority", "soft")
    assert hard.classical.value == 1.0
    passing = np.mean([x.answer == "yes" for x in labels])
    assert soft.classical.value == pytest.approx((2 + passing) / 3)


def test_a_stratified_draw_is_weighted_and_covers(world: Any):
    """Half of the labels from the few that the judge fails: the weighted rate covers that of all, without bias."""
    rng = np.random.default_rng(12)
    truth = rng.random(1000) < 0.85
    passed = truth ^ (rng.random(1000) < 0.12)
    names = [f"i{i:04}" for i in range(1000)]
    judgements = [world.judgement(name, 0.9 if x else 0.1) for name, x in zip(names, passed, strict=True)]
    strata = [np.flatnonzero(passed), np.flatnonzero(~passed)]
    items, covered, values = tuple(Item(id=name) for name in names), 0, []
    for _ in range(60):
        drawn = [(i, len(part) / 40) for part in strata for i in rng.choice(part, 40, replace=False)]
        frozen = CalibrationSet(
            name="s",
            rubric=world.rubric,
            items=items,
            labels=tuple(world.label(names[i], "yes" if truth[i] else "no") for i, _ in drawn),
            design=Design(kind="stratified", frame=1000, by="verdict", weights={names[i]: w for i, w in drawn}),
        )
        found = one(world, judgements, frozen)
        values.append(found.estimate.value)
        covered += found.estimate.low <= truth.mean() <= found.estimate.high
    assert found.weighted == "weights"
    assert np.mean(values) == pytest.approx(truth.mean(), abs=0.015)
    assert covered / 60 >= 0.95 - 3 * (0.95 * 0.05 / 60) ** 0.5


def test_gold_and_independence_are_assumptions(world: Any):
    """Whose answers are right, and what counts as one unit, is said."""
    judgements, labels = lenient(world)
    decision = Adjudication(subject="i000", criterion="grounded", answer="no", by="eva", at="2025-01-01")
    frozen = CalibrationSet(
        name="s",
        rubric=world.rubric,
        items=tuple(Item(id=f"i{i:03}", group=f"g{i % 30}") for i in range(120)),
        labels=(*labels, *(world.label(x.subject, x.answer, "ben") for x in labels)),
        adjudications=(decision,),
    )
    found = one(world, judgements, frozen)
    assert found.assumptions[1].endswith("60 labelled items count as 30 groups.")
    assert found.assumptions[2] == (
        "The right answer is the majority of up to 2 raters, and a tie counts one half; "
        "1 adjudicated answer took its place."
    )
    assert one(world, judgements, labels).assumptions[1:] == (
        "Items are independent of each other.",
        "The right answer is that of one rater.",
    )


def test_what_is_missing_is_warned_of(world: Any):
    """Few labels, unscored answers with their share, few groups and labelled items without a judgement are named."""
    judgements, labels = lenient(world, labelled=40)
    judgements = [world.judgement("i100", None, status="unparsed"), *(x for x in judgements[1:] if x.subject != "i100")]
    items = [Item(id=f"i{i:03}", group=f"g{i % 10}") for i in range(120)]
    text = "\n".join(one(world, judgements, labels, items=items).warnings)
    assert "Fewer than 50 labels (40): the interval is wide." in text
    assert "No verdict on 1 of 119 judged items (1 %): unparsed 1." in text
    assert "40 labelled items come from only 10 groups" in text
    assert "1 labelled item not judged: the judge's mean stands in." in text


def test_all_labelled_means_labels_alone(world: Any):
    """Where every judged item has a label the warning says that the judge had no part."""
    judgements, labels = lenient(world, labelled=120)
    found = one(world, judgements, labels)
    assert "No judged item is without a label: the rate is that of the labels alone." in found.warnings
    assert "from 120 labels; the judge alone says" in found.sentence
