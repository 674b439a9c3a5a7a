from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures import rates, validate
from fiel.records import CalibrationSet, Design, FielError, Item


def routed(world: Any, shares: dict[str, float], each: int = 60) -> Any:
    """Judgements, labels and items of several routes, on each of which the judge is right on a share of the items."""
    judgements, labels, items = [], [], []
    for route, share in shares.items():
        for i in range(each):
            name = f"{route}{i:03}"
            right = i < share * each
            judgements.append(world.judgement(name, 0.9 if right == (i % 2 == 0) else 0.1))
            labels.append(world.label(name, "yes" if i % 2 == 0 else "no"))
            items.append(Item(id=name, fields={"route": route}))
    return judgements, labels, items


def test_a_slice_that_differs_is_found_and_named(world: Any):
    """Of four routes one is at 60 % where the others are at 95 %: it alone surely differs, and is named."""
    judgements, labels, items = routed(world, {"a": 0.95, "b": 0.95, "c": 0.95, "d": 0.6})
    (table,) = validate(judgements, labels, rubric=world.rubric, items=items, slices=["route"]).criteria[0].slices
    assert [(x.value, x.n) for x in table.slices] == [("a", 60), ("b", 60), ("c", 60), ("d", 60)]
    assert [x.differs for x in table.slices] == [False, False, False, True]
    assert table.overall == pytest.approx((3 * 57 + 36) / 240)
    assert "d (60 %, n=60)" in table.sentence
    for line in table.slices:
        assert line.p_adjusted >= line.p_value
        assert line.adjusted.high - line.adjusted.low > line.estimate.high - line.estimate.low


def test_a_long_value_is_cut_in_the_sentence(world: Any):
    """The slice has the whole value, the sentence its beginning, with nothing in it that acts on a screen."""
    judgements, labels, items = routed(world, {"a": 0.95, "b": 0.95, "c": 0.95, "d": 0.6})
    long = "\x1b[31m" + "d" * 500
    items = [Item(id=x.id, fields={"route": long if x.fields["route"] == "d" else x.fields["route"]}) for x in items]
    (table,) = validate(judgements, labels, rubric=world.rubric, items=items, slices=["route"]).criteria[0].slices
    assert long in {one.value for one in table.slices}
    assert "ddd… (60 %, n=60)" in table.sentence
    assert "\x1b" not in table.sentence
    assert len(table.sentence) < 200


def test_the_slice_that_differs_most_is_named_first(world: Any):
    """Not the one whose name comes first."""
    judgements, labels, items = routed(world, {"a": 0.75, "b": 1.0, "c": 0.95, "d": 0.95, "e": 0.95, "f": 0.4})
    (table,) = validate(judgements, labels, rubric=world.rubric, items=items, slices=["route"]).criteria[0].slices
    assert table.sentence.index("f (40 %") < table.sentence.index("b (100 %")


def test_many_looks_at_nothing_seldom_find_something(world: Any):
    """Ten slices of one quality: some slice is called different in at most about 5 % of 40 seeded trials."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng([51, seed])
        judgements = [world.judgement(f"i{i:03}", 0.9 if rng.random() < 0.85 else 0.1) for i in range(300)]
        labels = [world.label(f"i{i:03}", "yes") for i in range(300)]
        items = [Item(id=f"i{i:03}", fields={"k": i % 10}) for i in range(300)]
        one = validate(judgements, labels, rubric=world.rubric, items=items, slices=["k"]).criteria[0].slices[0]
        found += any(x.differs for x in one.slices)
    assert found / 40 <= 0.05 + 3 * (0.05 * 0.95 / 40) ** 0.5


def test_the_smallest_are_marked_and_what_has_no_value_stands_last(world: Any):
    """Nine items are small, ten are not; items without the field are "no value" at the end."""
    judgements, labels, items = routed(world, {"a": 1.0}, each=29)
    items = [Item(id=x.id, fields={"k": "few" if i < 9 else None if i < 19 else "ten"}) for i, x in enumerate(items)]
    (table,) = validate(judgements, labels, rubric=world.rubric, items=items, slices=["k"]).criteria[0].slices
    assert [(x.value, x.n, x.small) for x in table.slices] == [
        ("few", 9, True),
        ("ten", 10, False),
        ("no value", 10, False),
    ]
    assert table.sentence.startswith("No value of k surely differs")


def test_a_field_that_is_not_there_is_refused_with_what_is(world: Any):
    """The message offers the name that was meant, and says to pass items where there are none."""
    judgements, labels, items = routed(world, {"a": 1.0}, each=10)
    with pytest.raises(FielError, match="did you mean 'route'"):
        validate(judgements, labels, rubric=world.rubric, items=items, slices=["rout"])
    with pytest.raises(FielError, match="No item has a field 'route'"):
        validate(judgements, labels, rubric=world.rubric, slices=["route"])


def test_more_values_than_one_can_look_at_are_no_slices(world: Any):
    """A field of ids is not sliced by."""
    judgements, labels, items = routed(world, {"a": 1.0}, each=70)
    items = [Item(id=x.id, fields={"id": x.id}) for x in items]
    (table,) = validate(judgements, labels, rubric=world.rubric, items=items, slices=["id"]).criteria[0].slices
    assert table.slices == ()
    assert "70 values" in table.sentence


def test_weights_weigh_each_slice(world: Any):
    """With unequal chances the share of a slice is weighted, and whether it differs is read from its interval."""
    judgements, labels, items = routed(world, {"a": 0.95, "b": 0.5})
    weights = {x.id: 9.0 if i % 60 < 30 else 1.0 for i, x in enumerate(items)}
    design = Design(kind="stratified", weights=weights)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=tuple(items), labels=tuple(labels), design=design)
    (table,) = validate(judgements, frozen, slices=["route"]).criteria[0].slices
    assert [x.estimate.value for x in table.slices] == pytest.approx([297 / 300, 0.9])
    assert all(x.p_value is None for x in table.slices)


def test_rates_by_a_field_are_corrected_each_from_its_own_items(world: Any):
    """Each slice has the corrected rate of its items, labels counted, and stands against the rate over all."""
    rng = np.random.default_rng(6)
    judgements, labels, items = [], [], []
    for i in range(600):
        route, truth = "ab"[i % 2], rng.random() < (0.9 if i % 2 else 0.4)
        judgements.append(world.judgement(f"i{i:03}", 0.85 if truth ^ (rng.random() < 0.1) else 0.2))
        items.append(Item(id=f"i{i:03}", fields={"route": route}))
        if i < 200:
            labels.append(world.label(f"i{i:03}", "yes" if truth else "no"))
    (rate,) = rates(judgements, labels, rubric=world.rubric, items=items, slices=["route"])
    (table,) = rate.slices
    assert table.overall == rate.estimate.value
    assert [(x.value, x.n, x.differs) for x in table.slices] == [("a", 100, True), ("b", 100, True)]
    assert table.slices[0].estimate.low < 0.4 < table.slices[0].estimate.high
    assert table.slices[1].estimate.low < 0.9 < table.slices[1].estimate.high
