from __future__ import annotations

from typing import Any

import pytest

from fiel.measures import CriterionValidation, validate
from fiel.records import Item


def one(world: Any, hits: int, total: int, **how: Any) -> CriterionValidation:
    """The validation of a judge that is right on `hits` of `total`."""
    judgements, labels = world.against(hits, total, **how)
    return validate(judgements, labels, rubric=world.rubric).criteria[0]


@pytest.mark.parametrize(
    ("hits", "total", "how", "word"),
    [
        (57, 60, {}, "use"),
        (55, 60, {}, "not enough labels"),
        (37, 60, {}, "rewrite"),
        (37, 60, {"seconds": 59}, "leave out"),
        (92, 120, {"seconds": 80}, "rewrite"),
        (30, 30, {"failing": 5}, "use"),
        (30, 30, {"failing": 25}, "use"),
        (30, 30, {"failing": 4}, "not enough labels"),
        (30, 30, {"failing": 26}, "not enough labels"),
        (17, 17, {}, "not enough labels"),
        (19, 19, {"failing": 9}, "use"),
    ],
)
def test_the_word(world: Any, hits: int, total: int, how: dict[str, int], word: str):
    """The word follows from counts that one can check by hand: .05^(1/18) = .847 and .05^(1/19) = .854."""
    assert one(world, hits, total, **how).word == word


def test_use_says_how_often_and_above_what(world: Any):
    """The sentence names hits, items, share and bar, and with two raters nothing else."""
    found = one(world, 57, 60, seconds=60)
    assert found.why == "The judge agrees with people on 57 of 60 items (95 %), surely above 85 %."
    assert found.more is None


@pytest.mark.parametrize(("size", "groups"), [(2, 17), (2, 18), (2, 19), (5, 12), (5, 20), (10, 15)])
def test_one_error_more_never_gives_use(world: Any, size: int, groups: int):
    """In groups of items: once a judge with so many errors has not *use*, one with more has it not either."""
    items = [Item(id=f"i{i:03}", group=f"g{i // size}") for i in range(size * groups)]
    labels = [world.label(x.id, "yes" if i % 2 else "no") for i, x in enumerate(items)]
    words = []
    for errors in range(8):
        wrong = {j * size for j in range(errors)}
        judgements = [world.judgement(x.id, 0.9 if (i % 2 == 1) != (i in wrong) else 0.1) for i, x in enumerate(items)]
        found = validate(judgements, labels, rubric=world.rubric, items=items).criteria[0]
        words.append(found.word == "use")
    assert words == sorted(words, reverse=True)
    assert words[0] == (groups >= 19)  # .05^(1/18) = .847 and .05^(1/19) = .854


def test_few_groups_say_how_many_more(world: Any):
    """Sixteen groups of ten with two errors could not show it: three groups more, thirty labels, could."""
    items = [Item(id=f"i{i:03}", group=f"g{i // 10}") for i in range(160)]
    labels = [world.label(x.id, "yes" if i % 2 else "no") for i, x in enumerate(items)]
    judgements = [world.judgement(x.id, 0.9 if (i % 2 == 1) != (i in {0, 10}) else 0.1) for i, x in enumerate(items)]
    found = validate(judgements, labels, rubric=world.rubric, items=items).criteria[0]
    assert (found.word, found.more) == ("not enough labels", 25)
    assert "surely above 85 %, but in 16 groups only: so few could not show it even without an error" in found.why


@pytest.mark.parametrize(("tied", "word"), [(0, "use"), (4, "use"), (12, "not enough labels")])
def test_ties_that_nobody_decided_count_half(world: Any, tied: int, word: str):
    """Items on which two raters split stay out of agreement, but too many of them keep a judge from *use*."""
    judgements, labels = world.against(59, 60, seconds=60)
    for i in range(tied):
        judgements.append(world.judgement(f"t{i:02}", 0.9))
        labels += [world.label(f"t{i:02}", "yes", "ana"), world.label(f"t{i:02}", "no", "ben")]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert (found.word, found.agreement.value) == (word, pytest.approx(59 / 60))
    assert ("raters split on 12 more items that nobody decided" in found.why) == (tied == 12)


def test_one_rater_is_said_to_be_one(world: Any):
    """Agreement with one person has no known ceiling, and the sentence says so."""
    found = one(world, 57, 60)
    assert found.ceiling is None
    assert found.difference is None
    assert "the one rater" in found.why
    assert found.why.endswith("; agreement with one person; the ceiling is unknown.")


def test_two_raters_who_never_meet_have_no_ceiling(world: Any):
    """Where no item has two answers, how far people agree is unknown, and the sentence says so."""
    judgements, labels = world.against(57, 60)
    labels = [world.label(x.subject, x.answer, "ben" if i % 2 else "ana") for i, x in enumerate(labels)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert found.ceiling is None
    assert "no item has answers of two raters" in found.why


def test_more_labels_would_decide(world: Any):
    """At 55 of 60 the bound reaches 85 % with 26 labels more at the same share, and the sentence says so."""
    found = one(world, 55, 60)
    assert found.more == 26
    assert "about 26 more labels would decide" in found.why


def test_the_rarer_class_asks_for_its_own_labels(world: Any):
    """Where everything else is there, the sentence says how many of the rarer class are missing, and `more` is None."""
    found = one(world, 30, 30, failing=3)
    assert found.more is None
    assert "only 3 items do not pass by people's answers: 2 more of that kind must be labelled" in found.why
    assert "only 1 item passes" in one(world, 30, 30, failing=29).why


def test_a_constant_judge_is_never_used(world: Any):
    """A judge that always says yes agrees on 95 % where 95 % pass, and the sentence says why that is nothing."""
    judgements = [world.judgement(f"i{i:03}", 0.97) for i in range(200)]
    labels = [world.label(f"i{i:03}", "yes" if i < 190 else "no") for i in range(200)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert found.agreement.value == 0.95
    assert found.word == "not enough labels"
    assert found.constant == "yes"
    assert found.more is None
    assert "says *yes* to every one" in found.why


def test_a_constant_judge_where_people_are_constant_too(world: Any):
    """All pass and the judge passes all: kappa is undefined, and the word is not *use*."""
    found = one(world, 40, 40, failing=0)
    assert found.word == "not enough labels"
    assert found.kappa.value is None


def test_agreement_no_better_than_chance_is_not_used(world: Any):
    """High agreement on a rare class that the judge never finds is not surely more than chance."""
    fails, found_by_judge = set(range(10)), {50}
    judgements = [world.judgement(f"i{i:03}", 0.1 if i in found_by_judge else 0.9) for i in range(300)]
    labels = [world.label(f"i{i:03}", "no" if i in fails else "yes") for i in range(300)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert found.agreement.value == pytest.approx(289 / 300)
    assert found.word == "not enough labels"
    assert "not surely more often than chance" in found.why
    assert found.more is None


def test_kappa_above_0_but_not_surely_asks_for_labels(world: Any):
    """Where kappa is above 0 and its bound is not, the labels that would show it are counted."""
    fails, found_by_judge = set(range(10)), {0, 50, 51, 52}
    judgements = [world.judgement(f"i{i:03}", 0.1 if i in found_by_judge else 0.9) for i in range(300)]
    labels = [world.label(f"i{i:03}", "no" if i in fails else "yes") for i in range(300)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert found.kappa.value is not None
    assert found.kappa.value > 0
    assert found.word == "not enough labels"
    assert found.more
    assert f"about {found.more:,} more labels would show it" in found.why


def test_nothing_in_common_is_unknown(world: Any):
    """Without an item that has both a verdict and an answer there is no figure and no word but one."""
    found = validate([world.judgement("a", 0.9)], [world.label("b", "yes")], rubric=world.rubric).criteria[0]
    assert (found.word, found.agreement.value, found.probability) == ("not enough labels", None, None)
    assert found.why == "Agreement is unknown: no item has both a verdict and an answer of people."


def test_one_group_says_nothing_of_others(world: Any):
    """Sixty items of one document are one unit, and one unit has no interval."""
    judgements, labels = world.against(57, 60)
    items = [Item(id=x.subject, group="doc") for x in judgements]
    found = validate(judgements, labels, rubric=world.rubric, items=items).criteria[0]
    assert found.word == "not enough labels"
    assert found.why == "Agreement is unknown: 60 labelled items of one group say nothing of other groups."


def test_the_bar_itself_cannot_be_decided(world: Any):
    """At exactly 85 % no number of labels decides, and none is named."""
    found = one(world, 51, 60)
    assert found.more is None
    assert "would decide" not in found.why
