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
        f"which is {distance:.2f} too high; the judge narrows the interval of the labels alone by {saved:.0f} %."
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
    assert "from 60 labels." in found.sentence
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
