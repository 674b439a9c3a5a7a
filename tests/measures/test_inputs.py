from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from fiel.measures import estimate, gate, gate_evidence, rates, validate
from fiel.measures._inputs import gather
from fiel.records import Adjudication, CalibrationSet, Criterion, Design, FielError, Item, Rubric


def test_two_judges_are_refused_by_name(world: Any):
    """Judgements of two judges are never read as one."""
    both = [world.judgement("a", 0.9), world.judgement("b", 0.9, judge="floor")]
    with pytest.raises(FielError, match="2 judges are mixed: floor, house") as caught:
        validate(both, [world.label("a", "yes")], rubric=world.rubric)
    assert caught.value.fix == "Select one judge."


def test_two_identities_are_refused_by_their_first_characters(world: Any):
    """A judge whose model changed in between is two judges."""
    both = [world.judgement("a", 0.9, identity="aa" * 32), world.judgement("b", 0.9, identity="bb" * 32)]
    with pytest.raises(FielError, match=r"'house' has 2 identities \(aaaaaaaa, bbbbbbbb\)") as caught:
        estimate(both, criterion=world.grounded)
    assert "judge again" in str(caught.value.fix)


def test_an_answer_to_another_wording_is_refused(world: Any):
    """A judgement of an older wording of the criterion does not count for the present one."""
    older = world.judgement("a", 0.9, criterion_digest="other")
    with pytest.raises(FielError, match="another wording of 'grounded' in 1 judgements"):
        rates([older], rubric=world.rubric)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"replicate": 1}, "replicate 0, 1"),
        ({"variant": "b"}, "variant None, b"),
        ({"subject_digest": "t"}, "2 versions of its text"),
        ({}, "alike in replicate"),
    ],
)
def test_two_judgements_of_one_cell_are_refused(world: Any, change: dict[str, Any], named: str):
    """Replicates, variants and versions of a text are not averaged silently: the message says what differs."""
    cell = [world.judgement("a", 0.9), world.judgement("a", 0.8, **change)]
    with pytest.raises(FielError, match=named):
        estimate(cell, criterion=world.grounded)


def test_two_items_of_one_id_are_refused(world: Any):
    """An id that stands twice in the frame cannot be counted once."""
    with pytest.raises(FielError, match="Two items have the id 'a'"):
        estimate([], criterion=world.grounded, items=[Item(id="a"), Item(id="a", output="x")])


def test_two_decisions_on_one_cell_are_refused(world: Any):
    """Of two decisions that differ, nobody but the owner of the set knows which stands."""
    decisions = tuple(
        Adjudication(subject="a", criterion="grounded", answer=answer, by="eva", at="2025-01-01") for answer in "yn"
    )
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(Item(id="a"),), adjudications=decisions)
    with pytest.raises(FielError, match="two decisions on 'grounded': n and y"):
        validate([world.judgement("a", 0.9)], frozen)


@pytest.mark.parametrize("wrong", [0.0, 1.0, 95, -0.1, float("nan"), 0.49, 0.9999999, 1e-300, "x", None])
def test_a_confidence_that_is_no_share_is_refused(world: Any, wrong: Any):
    """95 is not 0.95, and NaN is nothing."""
    with pytest.raises(FielError, match=r"confidence must (lie between 0.5 and 0.999999|be a number)"):
        estimate([], criterion=world.grounded, confidence=wrong)


def test_the_frame_is_the_items_and_the_rest_is_counted(world: Any):
    """With items given, judgements and labels of others are left out and counted."""
    judgements = [world.judgement(x, 0.9) for x in "abc"]
    labels = [world.label(x, "yes") for x in "bcd"]
    inputs = gather(judgements, labels, criteria=[world.grounded], items=[Item(id="b"), Item(id="a")])
    assert inputs.frame == ("a", "b")
    assert set(inputs.judgements["grounded"]) == {"a", "b"}
    assert [x.subject for x in inputs.labels["grounded"]] == ["b"]
    assert inputs.outside["grounded"] == (1, 2)


def test_without_items_the_frame_is_all_that_was_met(world: Any):
    """Judged, labelled, decided and frozen items make the frame where no items are given."""
    decision = Adjudication(subject="d", criterion="grounded", answer="yes", by="eva", at="2025-01-01")
    frozen = CalibrationSet(
        name="s",
        rubric=world.rubric,
        items=(Item(id="c", group="g"),),
        labels=(world.label("b", "yes"),),
        adjudications=(decision,),
    )
    inputs = gather([world.judgement("a", 0.9)], frozen, criteria=[world.grounded], items=())
    assert inputs.frame == ("a", "b", "c", "d")
    assert inputs.groups == (None, None, "g", None)


def test_other_criteria_are_left_out(world: Any):
    """An estimate of one criterion looks at no other, whatever judge answered it."""
    other = Criterion(id="tone", question="Is it polite?")
    judgements = [world.judgement("a", 0.9), world.judgement("a", 0.1, of=other, judge="another")]
    inputs = gather(judgements, [], criteria=[world.grounded], items=())
    assert inputs.judge == "house"
    assert set(inputs.judgements) == {"grounded"}


def test_hidden_repeats_are_no_labels(world: Any):
    """A rater who is asked the same twice counts once, with the first answer."""
    labels = [world.label("a", "yes"), world.label("a", "no", repeat=1)]
    inputs = gather([], labels, criteria=[world.grounded], items=())
    assert [x.answer for x in inputs.labels["grounded"]] == ["yes"]


@pytest.mark.parametrize(
    ("weights", "uneven"), [({}, False), ({"a": 10.0, "b": 10.5}, False), ({"a": 10.0, "b": 2.0}, True)]
)
def test_unequal_chances_are_seen(world: Any, weights: dict[str, float], uneven: bool):  # noqa: FBT001  a parameter
    """A draw whose weights differ by more than rounding is uneven."""
    design = Design(kind="stratified", weights=weights)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(), design=design)
    assert gather([], frozen, criteria=[world.grounded], items=()).uneven is uneven


def test_a_rubric_beside_a_set_wins_and_the_wording_is_told(world: Any):
    """A set that was labelled on another wording may be used, and the warning says so."""
    older = Criterion(id="grounded", question="Is it grounded?")
    frozen = CalibrationSet(
        name="s", rubric=Rubric(id="rag", criteria=(older,)), items=(Item(id="a"),), labels=(world.label("a", "yes"),)
    )
    found = validate([world.judgement("a", 0.9)], frozen, rubric=world.rubric)
    assert any("1 label answered another wording" in line for line in found.warnings)


def test_an_argument_of_another_kind_is_named(world: Any):
    """What is no record, no criterion, no rubric, no estimate or no number is refused by the name of its argument."""
    judgements, labels = [world.judgement("a", 0.9)], [world.label("a", "yes")]
    calls: dict[str, Callable[[], object]] = {
        "bar": lambda: validate(judgements, labels, rubric=world.rubric, bar=cast("Any", "x")),
        "rubric": lambda: validate(judgements, labels, rubric=cast("Any", "rag")),
        r"judgements\[0\]": lambda: validate(cast("Any", labels), labels, rubric=world.rubric),
        r"labels\[1\]": lambda: validate(judgements, [*labels, cast("Any", None)], rubric=world.rubric),
        "judgements": lambda: validate(cast("Any", None), labels, rubric=world.rubric),
        "labels": lambda: validate(judgements, cast("Any", 3), rubric=world.rubric),
        r"items\[0\]": lambda: validate(judgements, labels, rubric=world.rubric, items=cast("Any", ["a"])),
        "estimate": lambda: gate(cast("Any", None), at_least=0.5),
        "at_least": lambda: gate(estimate(judgements, labels, criterion=world.grounded), at_least=cast("Any", "x")),
        "criterion": lambda: estimate(judgements, labels, criterion=cast("Any", "c")),
        "side": lambda: estimate(judgements, labels, criterion=world.grounded, side=cast("Any", "left")),
        "rubric ": lambda: rates(judgements, labels, rubric=cast("Any", "r")),
        "criterion ": lambda: gate_evidence(judgements, labels, criterion=cast("Any", "c")),
        "most": lambda: gate_evidence(judgements, labels, criterion=world.grounded, most=cast("Any", "x")),
    }
    for name, call in calls.items():
        with pytest.raises(FielError, match=name):
            call()
