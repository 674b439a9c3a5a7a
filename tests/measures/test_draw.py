"""Tests of fiel.measures._draw and fiel.measures._bands."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.measures import Drawn, draw
from fiel.records import Criterion, Distribution, FielError, Item, Judgement, Rubric

COMPLETE = Criterion(id="complete", question="Is it complete?")
BANDS = ("clear miss", "likely miss", "open", "likely hit", "clear hit")


@pytest.fixture
def frame(world: Any) -> Any:
    """500 items, most of them clear hits for the judge, and its judgements."""
    rng = np.random.default_rng(7)
    beliefs = np.where(rng.random(500) < 0.7, 0.97, rng.random(500))
    items = [Item(id=f"i{i:03}", output="x", fields={"route": "ab"[i % 2]}) for i in range(500)]
    judged = [world.judgement(item.id, float(p)) for item, p in zip(items, beliefs, strict=True)]
    return items, world.rubric, judged


def band(p: float) -> str:
    """The band of a belief, by the edges as they are documented."""
    return next(name for edge, name in zip((0.1, 0.35, 0.65, 0.9, 1.0), BANDS, strict=True) if p <= edge)


def test_the_default_takes_as_many_from_each_band_of_belief(frame: Any):
    """60 of 500 items come twelve from each of five bands, though seven in ten are clear hits."""
    sample, warnings = draw(*frame, name="first")
    design = sample.design
    assert [(s.name, s.drawn) for s in design.strata] == [(name, 12) for name in BANDS]
    assert sum(s.size for s in design.strata) == design.frame == 500
    assert (design.kind, design.by, design.planned, design.seed, design.stages) == ("stratified", "belief", 60, 0, ())
    beliefs = {j.subject: j.belief.probs[1] for j in frame[2]}
    assert {subject: band(beliefs[subject]) for subject in sample.subjects} == design.members
    assert warnings == ()


def test_weights_are_what_one_item_stands_for(frame: Any):
    """Each weight is size / drawn of its stratum, not normalised: all of them sum to the frame."""
    design = draw(*frame, name="first").sample.design
    by_name = {s.name: s for s in design.strata}
    for subject, weight in design.weights.items():
        stratum = by_name[design.members[subject]]
        assert weight == pytest.approx(stratum.size / stratum.drawn)
    assert sum(design.weights.values()) == pytest.approx(500)


def test_weighted_accuracy_is_the_truth(frame: Any):
    """Over 200 draws the weighted accuracy is off by less than 0.01 from that of the frame, the plain one by more."""
    beliefs = {j.subject: j.belief.probs[1] for j in frame[2]}
    rng = np.random.default_rng(1)
    right = {subject: rng.random() < max(p, 1 - p) for subject, p in beliefs.items()}
    truth = np.mean(list(right.values()))
    weighted, plain = [], []
    for seed in range(200):
        sample = draw(*frame, name="s", seed=seed).sample
        hits = np.array([right[subject] for subject in sample.subjects])
        weights = np.array([sample.design.weights[subject] for subject in sample.subjects])
        weighted.append((hits * weights).sum() / 500)
        plain.append(hits.mean())
    assert abs(np.mean(weighted) - truth) < 0.01
    assert abs(np.mean(plain) - truth) > 0.05


def test_the_same_seed_gives_the_same_sample_whatever_the_order_of_files(frame: Any):
    """One seed gives one sample, with items and judgements turned round too; another seed another."""
    items, rubric, judged = frame
    one = draw(items, rubric, judged, name="s", seed=4).sample
    assert draw(items[::-1], rubric, judged[::-1], name="s", seed=4).sample == one
    assert set(draw(items, rubric, judged, name="s", seed=5).sample.subjects) != set(one.subjects)


def test_the_order_of_subjects_tells_nothing(frame: Any):
    """Over 100 seeds the place of an item in the list does not follow its stratum (5 standard errors)."""
    places = {name: [] for name in BANDS}
    for seed in range(100):
        sample = draw(*frame, name="s", seed=seed).sample
        for place, subject in enumerate(sample.subjects):
            places[sample.design.members[subject]].append(place)
    for found in places.values():
        assert abs(np.mean(found) - 29.5) < 5 * np.sqrt((60**2 - 1) / 12 / len(found))


def test_an_item_counts_by_the_worst_that_is_believed_of_it(world: Any):
    """Over two criteria the lower P(passing) decides; with one of them named, that one."""
    rubric = Rubric(id="two", criteria=(world.grounded, COMPLETE))
    items = [Item(id=f"i{i}") for i in range(8)]
    judged = [world.judgement(item.id, 0.95) for item in items]
    judged += [world.judgement(item.id, 0.05 if i < 4 else 0.95, of=COMPLETE) for i, item in enumerate(items)]
    both = draw(items, rubric, judged, name="s", n=4).sample.design
    assert [(s.name, s.size, s.drawn) for s in both.strata] == [("clear miss", 4, 2), ("clear hit", 4, 2)]
    one = draw(items, rubric, judged, name="s", n=4, criterion="grounded").sample.design
    assert [s.name for s in one.strata] == ["clear hit"]
    assert one.by == "belief of grounded"
    assert one.weights == {}


def test_items_without_a_belief_are_a_stratum(world: Any):
    """What the judge refused or was never asked is drawn from as well."""
    items = [Item(id=f"i{i}") for i in range(9)]
    judged = [world.judgement(f"i{i}", 0.95 if i < 3 else None) for i in range(6)]
    strata = draw(items, world.rubric, judged, name="s", n=4).sample.design.strata
    assert [(s.name, s.size, s.drawn) for s in strata] == [("clear hit", 3, 2), ("no belief", 6, 2)]


def test_a_check_is_no_belief_unless_it_is_asked_for(world: Any):
    """An item that a check fails is not a clear miss of the judge, but is one of that criterion by name."""
    rubric = Rubric(id="two", criteria=(world.grounded, COMPLETE))
    items = [Item(id=f"i{i}") for i in range(4)]
    judged = [world.judgement(item.id, 0.95) for item in items]
    judged += [world.judgement(item.id, 0.0, of=COMPLETE, source="check") for item in items]
    assert [s.name for s in draw(items, rubric, judged, name="s", n=2).sample.design.strata] == ["clear hit"]
    asked = draw(items, rubric, judged, name="s", n=2, criterion="complete").sample.design
    assert [s.name for s in asked.strata] == ["clear miss"]


def test_by_verdict_and_by_uncertainty(world: Any, frame: Any):
    """Verdicts are the options of one criterion or whether all pass; uncertainty is cut at shares of full entropy."""
    names = [s.name for s in draw(*frame, name="s", by="verdict", criterion="grounded").sample.design.strata]
    assert names == ["no", "yes"]
    assert [s.name for s in draw(*frame, name="s", by="verdict").sample.design.strata] == [
        "fails one or more",
        "passes all",
    ]
    items = [Item(id=f"i{i}") for i in range(4)]
    judged = [world.judgement(f"i{i}", p) for i, p in enumerate((0.99, 0.5, 0.03, 0.85))]  # 0.08, 1, 0.19, 0.61 bits
    design = draw(items, world.rubric, judged, name="s", n=3, by="uncertainty").sample.design
    assert [(s.name, s.size) for s in design.strata] == [("sure", 2), ("unsure", 1), ("open", 1)]


def test_by_a_field_with_ten_of_three_equal_strata(world: Any):
    """Ten of three routes of a hundred are exactly ten, in proportion or in equal shares, and weighted."""
    items = [Item(id=f"i{i:03}", fields={"route": "abc"[i % 3]}) for i in range(300)]
    for allocation in ("equal", "proportional"):
        sample = draw(items, world.rubric, name="s", n=10, by="route", allocation=allocation).sample
        assert len(sample.subjects) == 10
        assert sorted(Counter(sample.design.members.values()).values()) == [3, 3, 4]
        assert set(sample.design.weights.values()) == {25.0, 100 / 3}


def test_by_group_and_by_nothing_else_that_items_lack(world: Any):
    """A field that is not there is answered with the nearest; items without a value are a stratum."""
    items = [Item(id=f"i{i}", group="g" if i < 3 else None, fields={"route": "a"}) for i in range(6)]
    design = draw(items, world.rubric, name="s", n=4, by="group").sample.design
    assert [(s.name, s.size) for s in design.strata] == [("g", 3), ("no value", 3)]
    with pytest.raises(FielError, match="did you mean 'route'"):
        draw(items, world.rubric, name="s", by="rout")


def test_optimal_takes_more_where_the_judge_is_open(frame: Any):
    """By size times spread, the rare open band gets more of its items than the clear hits do."""
    strata = {s.name: s for s in draw(*frame, name="s", allocation="optimal").sample.design.strata}
    chance = {name: s.drawn / s.size for name, s in strata.items()}
    assert chance["open"] > 1.5 * chance["clear hit"]
    assert all(s.drawn >= 2 for s in strata.values())


def test_random_has_no_strata_and_no_weights(world: Any):
    """Without judgements a simple random sample is drawn: kind, frame and seed say all of it."""
    items = [Item(id=f"i{i}") for i in range(50)]
    sample = draw(items, world.rubric, name="s", n=10, by="random", reason="a pilot").sample
    design = sample.design
    assert (design.kind, design.frame, design.planned, design.reason) == ("random", 50, 10, "a pilot")
    assert (design.by, design.strata, design.members, design.weights) == (None, (), {}, {})
    assert len(set(sample.subjects)) == 10


def test_more_than_the_frame_is_a_census(frame: Any):
    """Everything is taken, nothing is weighted, and it is said."""
    sample, warnings = draw(*frame, name="s", n=900)
    assert (sample.design.kind, len(sample.subjects), sample.design.weights) == ("census", 500, {})
    assert "a census" in warnings[0]
    assert "fewer than the 900 asked for" in warnings[0]


def test_too_few_of_a_class_is_said(world: Any):
    """Where fewer than five drawn items carry the rarer verdict, both numbers are told."""
    items = [Item(id=f"i{i:02}") for i in range(60)]
    judged = [world.judgement(item.id, 0.05 if i < 3 else 0.95) for i, item in enumerate(items)]
    _, warnings = draw(items, world.rubric, judged, name="s", n=20)
    assert [w for w in warnings if "grounded" in w] == [
        "*grounded*: 3 drawn items fail by the judge's verdict, of 3 in the frame: too few to tell how it does on them."
    ]
    judged = [world.judgement(item.id, 0.05 if i < 30 else 0.95) for i, item in enumerate(items)]
    assert draw(items, world.rubric, judged, name="s", n=20).warnings == ()


def test_several_of_one_group_are_said(world: Any):
    """Drawn items of one group are announced as clusters, with their number."""
    items = [Item(id=f"i{i}", group=f"g{i // 5}") for i in range(50)]
    _, warnings = draw(items, world.rubric, name="s", n=40, by="random")
    assert any("The 40 items come from 10 groups" in w for w in warnings)
    alone = [Item(id=f"i{i}", group=f"g{i}") for i in range(50)]
    assert draw(alone, world.rubric, name="s", n=40, by="random").warnings == ()


def test_a_top_up_is_a_stage_of_the_same_design(frame: Any):
    """The earlier items stay, in their order; the union has the chances of one draw, and both stages are declared."""
    first = draw(*frame, name="s", seed=3, reason="a start").sample
    more = draw(*frame, name="s", n=15, already=first, reason="the interval was wide").sample
    assert more.subjects[:60] == first.subjects
    assert len(set(more.subjects)) == 75
    assert [s.drawn for s in more.design.strata] == [15] * 5
    assert (more.design.planned, more.design.stages, more.design.seed) == (60, (15,), 3)
    assert more.design.reason == "a start; top-up of 15: the interval was wide"
    assert sum(more.design.weights.values()) == pytest.approx(500)
    again = draw(*frame, name="s", n=5, already=more).sample
    assert again.design.stages == (15, 5)
    assert again.subjects[:75] == more.subjects


def test_a_top_up_leaves_no_bias(frame: Any):
    """Over 200 draws of 30 and 30 more in other proportions, weighted accuracy is off by less than 0.01."""
    beliefs = {j.subject: j.belief.probs[1] for j in frame[2]}
    rng = np.random.default_rng(2)
    right = {subject: rng.random() < max(p, 1 - p) for subject, p in beliefs.items()}
    found = []
    for seed in range(200):
        first = draw(*frame, name="s", n=30, seed=seed).sample
        sample = draw(*frame, name="s", n=30, allocation="proportional", already=first).sample
        found.append(sum(right[subject] * weight for subject, weight in sample.design.weights.items()) / 500)
    assert abs(np.mean(found) - np.mean(list(right.values()))) < 0.01


def test_a_top_up_of_something_that_has_changed_is_refused(world: Any, frame: Any):
    """Other items, another rubric, other beliefs or another way to draw would make the stated chances wrong."""
    items, rubric, judged = frame
    first = draw(items, rubric, judged, name="s").sample
    moved = [world.judgement(j.subject, 0.5) for j in judged]
    other = Rubric(id="rag", criteria=rubric.criteria, guidance="Be strict.")
    for words, changed in (
        ("500 items then, 499 now", (items[:499], rubric, judged[:499])),
        ("The rubric has changed", (items, other, judged)),
        ("strata have changed", (items, rubric, moved)),
    ):
        if words.startswith("500"):
            kept = msgspec.structs.replace(first, subjects=tuple(s for s in first.subjects if s != "i499"))
            with pytest.raises(FielError, match=words):
                draw(*changed, name="s", already=kept)
        else:
            with pytest.raises(FielError, match=words):
                draw(*changed, name="s", already=first)
    with pytest.raises(FielError, match="drawn by belief, not by random"):
        draw(items, rubric, judged, name="s", by="random", already=first)
    with pytest.raises(FielError, match="Nothing can be added"):
        draw(items, rubric, judged, name="other", already=first)


def test_nothing_is_left_after_a_census(frame: Any):
    """A top-up up to the whole frame is a census, and after it there is nothing to add."""
    first = draw(*frame, name="s", by="random", n=495).sample
    whole, warnings = draw(*frame, name="s", by="random", n=10, already=first)
    assert (whole.design.kind, whole.design.stages, len(whole.subjects)) == ("census", (5,), 500)
    assert "fewer than the 10 asked for" in warnings[0]
    with pytest.raises(FielError, match="census"):
        draw(*frame, name="s", by="random", already=whole)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"items": []}, "nothing to draw from"),
        ({"n": 0}, "n is 0"),
        ({"n": 2.5}, "whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"allocation": "neyman"}, "no allocation 'neyman'"),
        ({"judgements": []}, "needs judgements"),
        ({"n": 3}, "3 items cannot come from 5 strata"),
        ({"by": "route", "criterion": "grounded"}, "looks at no criterion"),
        ({"criterion": "grounde"}, "has no criterion"),
    ],
)
def test_wrong_input_is_named(frame: Any, changes: dict[str, Any], words: str):
    """Each wrong argument is an error that names it."""
    arguments = dict(zip(("items", "rubric", "judgements"), frame, strict=True)) | {"name": "s"} | changes
    with pytest.raises(FielError, match=words):
        draw(**arguments)


@settings(deadline=None, max_examples=60)
@given(
    beliefs=st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 0.95, 1.0])), min_size=1),
    n=st.integers(1, 60),
    by=st.sampled_from(["belief", "verdict", "uncertainty", "random"]),
    allocation=st.sampled_from(["equal", "proportional", "optimal"]),
    seed=st.integers(0, 5),
)
def test_whatever_is_drawn_adds_up(beliefs: list[float | None], n: int, by: str, allocation: Any, seed: int):
    """As many as asked for, none twice, strata that add up to the frame, every stratum drawn from, weights that do."""
    sample = _drawn(beliefs, n=n, by=by, allocation=allocation, seed=seed)
    if sample is None:
        return
    design = sample.sample.design
    assert len(set(sample.sample.subjects)) == len(sample.sample.subjects) == min(n, len(beliefs))
    if design.kind == "stratified":
        assert sum(s.size for s in design.strata) == len(beliefs)
        assert Counter(design.members.values()) == {s.name: s.drawn for s in design.strata}
        assert all(s.drawn >= 1 for s in design.strata)
        assert sum(design.weights.values()) == pytest.approx(len(beliefs) if design.weights else 0)


def _drawn(beliefs: list[float | None], **how: Any) -> Drawn | None:
    """A draw from items with these beliefs, or None where it asks for fewer items than there are strata."""
    criterion = Criterion(id="grounded", question="Is it?")
    judged = [
        Judgement(
            subject=f"i{i:03}",
            subject_digest="s",
            criterion="grounded",
            criterion_digest=criterion.digest,
            judge="house",
            identity="1f",
            status="refused" if p is None else "ok",
            belief=None if p is None else Distribution(options=("no", "yes"), probs=(1 - p, p), source="logprobs"),
        )
        for i, p in enumerate(beliefs)
    ]
    items = [Item(id=f"i{i:03}") for i in range(len(beliefs))]
    try:
        return draw(items, Rubric(id="r", criteria=(criterion,)), judged, name="s", **how)
    except FielError as error:
        assert "cannot come from" in error.what  # noqa: PT017  the one refusal that such input may meet
        return None
