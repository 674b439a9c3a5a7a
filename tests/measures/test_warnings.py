from __future__ import annotations

from typing import Any

import pytest

from fiel.measures import validate
from fiel.records import CalibrationSet, Criterion, Design, Item, Rubric


def warned(world: Any, judgements: Any, labels: Any, **how: Any) -> str:
    """The warnings of a validation, line by line."""
    return "\n".join(validate(judgements, labels, rubric=how.pop("rubric", world.rubric), **how).warnings)


def test_a_judge_that_tells_nothing_apart_is_named(world: Any):
    """Beliefs of .90 or .95 everywhere, where people find a third failing, discriminate nothing."""
    judgements = [world.judgement(f"i{i}", 0.9 + 0.05 * (i % 2)) for i in range(60)]
    labels = [world.label(f"i{i}", "no" if i % 3 == 0 else "yes") for i in range(60)]
    assert "*grounded*: the judge believes nearly the same of every item" in warned(world, judgements, labels)


def test_an_honest_pass_rate_is_no_fault(world: Any):
    """A judge that passes all is not blamed for narrow beliefs where people pass all as well."""
    judgements = [world.judgement(f"i{i}", 0.97) for i in range(60)]
    labels = [world.label(f"i{i}", "yes") for i in range(60)]
    assert "nearly the same" not in warned(world, judgements, labels)


@pytest.mark.parametrize(("spread", "named"), [(0.3, True), (0.31, False)])
def test_the_limit_is_three_tenths_on_a_scale_of_1_to_5(world: Any, spread: float, named: bool):  # noqa: FBT001  a parameter
    """A standard deviation of 0.3 on 1-5 is reported, one of 0.31 is not."""
    likert = Criterion(id="likert", question="How good?", options=("1", "2", "3", "4", "5"), scale="ordinal")
    judgements = [
        world.judgement(f"i{i}", (0, 0, 1 - spread, spread, 0) if i % 2 else (0, spread, 1 - spread, 0, 0), of=likert)
        for i in range(20)
    ]
    text = warned(world, judgements, (), rubric=Rubric(id="r", criteria=(likert,)))
    assert ("nearly the same of every item" in text) is named


def test_few_labels_and_few_answers_are_named_with_their_counts(world: Any):
    """Under 50 labels on a criterion, and under 10 answers of a rater, are said with the number."""
    judgements, labels = world.against(28, 30)
    text = warned(world, judgements, [*labels, world.label("i000", "no", "ben")])
    assert "Fewer than 50 labels on *grounded* (30): intervals are wide." in text
    assert "Raters with fewer than 10 answers, too few to say how they agree: ben (1)." in text


def test_answers_with_the_judge_in_reach_are_counted(world: Any):
    """What was answered after seeing the judge is counted; what was not given blind is left out, and counted too."""
    judgements, labels = world.against(57, 60)
    labels[0] = world.label("i000", "no", judge_seen=True)
    labels[1] = world.label("i001", "no", blind=False)
    text = warned(world, judgements, labels)
    assert "1 answer of people came with the judge's in reach" in text
    assert "1 label given with the judge's answer in reach does not count." in text
    assert validate(judgements, labels, rubric=world.rubric).criteria[0].funnel.set_aside == {"judge in reach": 1}


def test_records_outside_the_frame_are_counted(world: Any):
    """What was left out because its item is not in the frame is said, for judgements and for labels."""
    judgements, labels = world.against(57, 60)
    text = warned(world, judgements, labels, items=[Item(id=x.subject) for x in judgements[:58]])
    assert "2 judgements of items outside the frame were left out." in text
    assert "2 labels of items outside the frame were left out." in text


def test_a_draw_with_unequal_chances_is_said(world: Any):
    """Where chances were unequal the warnings say what is weighted and what is not."""
    judgements, labels = world.against(57, 60)
    frozen = CalibrationSet(
        name="s",
        rubric=world.rubric,
        items=tuple(Item(id=x.subject) for x in judgements),
        labels=tuple(labels),
        design=Design(kind="stratified", weights={x.subject: 1.0 + 9 * (i % 2) for i, x in enumerate(judgements)}),
    )
    assert "drawn with unequal chances" in "\n".join(validate(judgements, frozen).warnings)


def test_a_clean_sample_warns_of_nothing(world: Any):
    """Sixty blind labels of two raters and a judge that tells apart leave nothing to say."""
    judgements, labels = world.against(57, 60, seconds=59)
    assert warned(world, judgements, labels) == ""
