from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures import difference
from fiel.records import CalibrationSet, Design, FielError, Item
from fiel.stats import ppi_difference


def two_systems(world: Any, n: int = 200, *, labelled: int = 60, seed: int = 3, gap: float = 0.3) -> Any:
    """Answers of two systems to n questions, the first of which passes more often; a judge that is right on 90 %."""
    rng = np.random.default_rng(seed)
    judgements, labels, items = [], [], []
    for i in range(n):
        hard = rng.random()
        for system, level in (("new", 0.9), ("old", 0.9 - gap)):
            truth, name = bool(hard < level), f"{system}{i:03}"
            items.append(Item(id=name, author=system, group=f"q{i:03}"))
            judgements.append(world.judgement(name, 0.9 if truth ^ (rng.random() < 0.1) else 0.1))
            if i < labelled:
                labels.append(world.label(name, "yes" if truth else "no"))
    return judgements, labels, items


def test_the_paired_difference_is_that_of_stats(world: Any):
    """Pairs are questions, labels and judge on both sides; value and limits are those of `ppi_difference`."""
    judgements, labels, items = two_systems(world)
    found = difference(judgements, labels, criterion=world.grounded, items=items, a="new", b="old")
    f = np.array([x.belief.probs[1] for x in judgements])
    y = np.array([float(x.answer == "yes") for x in labels])
    direct = ppi_difference(y[::2], y[1::2], f[:120:2], f[1:120:2], f[120::2], f[121::2])
    assert found.estimate.value == pytest.approx(direct.value)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((direct.low, direct.high))
    assert (found.pairs, found.labelled) == (200, 60)
    assert found.sentence.startswith("new passes *grounded* more often: the rate of new minus that of old is 0.3")
    assert found.rate_a.value - found.rate_b.value == pytest.approx(found.estimate.value, abs=0.1)
    assert found.raw is not None
    assert found.classical.value == pytest.approx((y[::2] - y[1::2]).mean())


def test_turned_round_it_changes_its_sign(world: Any):
    """B against a is minus a against b."""
    judgements, labels, items = two_systems(world)
    ends = [("new", "old"), ("old", "new")]
    one, other = (
        difference(judgements, labels, criterion=world.grounded, items=items, a=a, b=b).estimate for a, b in ends
    )
    assert other.value == pytest.approx(-one.value)
    assert other.low == pytest.approx(-one.high)


def test_equal_systems_are_not_told_apart(world: Any):
    """Where both pass as often, the sentence prefers neither."""
    judgements, labels, items = two_systems(world, gap=0.0)
    found = difference(judgements, labels, criterion=world.grounded, items=items, a="new", b="old")
    assert found.sentence.startswith("Neither new nor old surely passes")


def test_without_labels_on_both_it_cannot_be_told(world: Any):
    """Labels of one system alone make no pair, and the reason says so."""
    judgements, labels, items = two_systems(world)
    found = difference(judgements, labels[::2], criterion=world.grounded, items=items, a="new", b="old")
    assert (found.estimate.value, found.labelled) == (None, 0)
    assert "no question has labels on both answers" in found.sentence


def test_what_makes_no_pairs_is_refused(world: Any):
    """An unknown system, two answers to one question, no shared question, unequal chances: each says what to do."""
    judgements, labels, items = two_systems(world, 20, labelled=10)
    ask = {"criterion": world.grounded, "a": "new", "b": "old"}
    with pytest.raises(FielError, match="No item has author 'newer'"):
        difference(judgements, labels, items=items, **(ask | {"a": "newer"}))
    with pytest.raises(FielError, match="two answers to the question"):
        difference(judgements, labels, items=[*items, Item(id="x", author="new", group="q000")], **ask)
    apart = [Item(id=x.id, author=x.author, group=x.id) for x in items]
    with pytest.raises(FielError, match="share no question"):
        difference(judgements, labels, items=apart, **ask)
    design = Design(kind="stratified", weights={x.id: 1.0 + i for i, x in enumerate(items)})
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=tuple(items), labels=tuple(labels), design=design)
    with pytest.raises(FielError, match="unequal chances"):
        difference(judgements, frozen, items=items, **ask)


def test_a_convenience_sample_is_refused_unless_told(world: Any):
    """The difference and both rates have no value, until the caller says that it may be read as a random draw."""
    judgements, labels, items = two_systems(world)
    frozen = CalibrationSet(
        name="s",
        rubric=world.rubric,
        items=tuple(items),
        labels=tuple(labels),
        design=Design(kind="convenience"),
    )
    ask = {"criterion": world.grounded, "items": items, "a": "new", "b": "old"}
    refused = difference(judgements, frozen, **ask)
    assert (refused.estimate.value, refused.rate_a.value, refused.classical) == (None, None, None)
    told = difference(judgements, frozen, as_random=True, **ask)
    assert told.estimate.value is not None
    assert "because you said so" in told.estimate.notes[-1]


def test_an_answer_without_a_key_has_no_pair(world: Any):
    """Where the field that tells questions apart is empty on either side, the two are not one question."""
    judgements, labels, items = two_systems(world, 20, labelled=0)
    for place in (6, 15):  # of one system on the fourth question, of the other on the eighth
        items[place] = Item(id=items[place].id, author=items[place].author)
    found = difference(judgements, labels, criterion=world.grounded, items=items, a="new", b="old")
    assert found.pairs == 18
