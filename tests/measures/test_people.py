from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from fiel.measures import between, people, together, validate
from fiel.records import Adjudication, CalibrationSet, Design, FielError, Item, Rubric


def panel(world: Any, n: int = 80, *, seed: int = 3, raters: int = 3, right: float = 0.9) -> Any:
    """Labels of raters who are right with one chance, and judgements of a judge that is too, over half and half."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2 == 0
    labels = [
        world.label(f"i{i:03}", "yes" if truth[i] ^ (rng.random() > right) else "no", f"r{r}")
        for i in range(n)
        for r in range(raters)
    ]
    judgements = [world.judgement(f"i{i:03}", 0.9 if truth[i] ^ (rng.random() > right) else 0.1) for i in range(n)]
    return judgements, labels


def random_judge(world: Any, n: int = 80, *, seed: int = 9, **changes: Any) -> Any:
    """A judge that answers at random."""
    rng = np.random.default_rng(seed)
    return [world.judgement(f"i{i:03}", 0.9 if rng.random() < 0.5 else 0.1, **changes) for i in range(n)]


def test_two_raters_have_the_figures_of_a_hand_count(world: Any):
    """Agreement, kappa and each one's agreement with the other are those of sklearn on the shared items."""
    labels = panel(world, 60, raters=2)[1]
    found = people(labels, rubric=world.rubric).criteria[0]
    a, b = ([x.answer for x in labels if x.rater == rater] for rater in ("r0", "r1"))
    same = np.mean([x == y for x, y in zip(a, b, strict=True)])
    assert found.agreement is not None
    assert found.agreement.value == pytest.approx(same)
    assert found.coefficients[0].name == "Cohen's kappa"
    assert found.coefficients[0].value == pytest.approx(cohen_kappa_score(a, b))
    assert [(x.kind, x.a, x.b, x.n) for x in found.pairs] == [("human-human", "r0", "r1", 60)]
    assert [x.leave_one_out.value for x in found.raters if x.leave_one_out] == pytest.approx([same, same])
    assert sum(found.prevalence) == pytest.approx(1)


def test_a_random_judge_changes_no_figure_of_people(world: Any):
    """People's figures are made from labels alone: whichever judge is added, the ceiling and Fleiss' kappa stay."""
    judgements, labels = panel(world)
    alone = people(labels, rubric=world.rubric)
    noise = random_judge(world, judge="noise")
    good, bad = (validate(x, labels, rubric=world.rubric).criteria[0] for x in (judgements, noise))
    assert people(labels, rubric=world.rubric) == alone
    assert good.fleiss_people == bad.fleiss_people
    assert (good.ceiling, good.kappa_ceiling) == (bad.ceiling, bad.kappa_ceiling)
    (one,) = together(labels, [judgements], rubric=world.rubric)
    (two,) = together(labels, [judgements, noise], rubric=world.rubric)
    fleiss = next(x for x in alone.criteria[0].coefficients if x.name == "Fleiss' kappa")
    assert one.people == two.people
    assert one.people.value == fleiss.value
    assert two.with_judges[0] == one.with_judges[0]
    assert [x.name for x in two.with_judges] == [f"Fleiss' kappa, people and judge {x}" for x in ("house", "noise")]
    assert two.with_judges[1].value < two.people.value - 0.15


def test_a_rater_with_two_answers_hardly_moves_the_pooled_figure(world: Any):
    """Two wrong answers of a third rater move agreement by their weight, and stand with their n."""
    labels = panel(world, 100, raters=2)[1]
    before = people(labels, rubric=world.rubric).criteria[0]
    flip = {"yes": "no", "no": "yes"}
    extra = [world.label(x.subject, flip[x.answer], "late") for x in labels[:4:2]]
    after = people([*labels, *extra], rubric=world.rubric).criteria[0]
    assert after.agreement.value - before.agreement.value == pytest.approx(-2 * (2 / 3) / 100, abs=0.015)
    assert next(x for x in after.raters if x.rater == "late").n == 2
    assert abs(after.coefficients[0].value - before.coefficients[0].value) < 0.05


def test_skips_flags_time_and_repeats_of_a_rater(world: Any):
    """Each rate is of the items that the rater was shown; a hidden repeat is held against the own first answer."""
    labels = [
        world.label("a", "yes", seconds=4.0),
        world.label("b", "no", seconds=8.0, flag=True),
        world.label("c", None, seconds=2.0),
        world.label("d", "yes"),
        world.label("a", "yes", repeat=1),
        world.label("b", "yes", repeat=1),
    ]
    (line,) = people(labels, rubric=world.rubric).criteria[0].raters
    assert (line.n, line.skipped, line.flagged) == (3, 1, 1)
    assert (line.skip_rate, line.flag_rate, line.seconds) == (0.25, 0.25, 4.0)
    assert line.leave_one_out is None
    assert (line.self_consistency.value, line.self_consistency.n) == (0.5, 2)


def test_what_counts_is_blind_first_and_no_preference(world: Any):
    """Labels with the judge in reach, repeats and preferences are in no figure of people."""
    labels = panel(world, 40, raters=2)[1]
    alone = people(labels, rubric=world.rubric)
    extra = [
        world.label("i000", "no", "late", blind=False),
        world.label("i001", "no", "preference:thumbs"),
        world.label("i002", "no", "clicks"),
        world.label("i003", "yes", "r0", repeat=1),
    ]
    found = people([*labels, *extra], rubric=world.rubric, preferences=["clicks"])
    assert found.criteria[0].pairs == alone.criteria[0].pairs
    assert found.raters == ("r0", "r1")


def test_without_shared_items_there_is_no_agreement(world: Any):
    """Raters who never meet have no agreement and no coefficient, and nothing is made up."""
    labels = [world.label(f"i{i}", "yes", f"r{i % 2}") for i in range(20)]
    found = people(labels, rubric=world.rubric).criteria[0]
    assert (found.agreement, found.coefficients, found.pairs, found.shared) == (None, (), (), 0)


def test_extreme_answers_bring_gwets_coefficient(world: Any):
    """Where one option has nine tenths of the answers, AC stands beside a kappa near 0."""
    labels = [world.label(f"i{i:03}", "no" if i in {r, 50} else "yes", f"r{r}") for i in range(60) for r in range(3)]
    found = people(labels, rubric=world.rubric).criteria[0]
    named = {x.name: x.value for x in found.coefficients}
    assert found.extreme
    assert named["Gwet's AC1"] > 0.9 > named["Conger's kappa"]


def test_ordered_scales_have_weighted_coefficients(world: Any):
    """On three ordered points the kappa is quadratic and alpha is ordinal."""
    labels = [
        world.label(f"i{i}", "123"[min(2, i % 3 + (r if i % 5 == 0 else 0))], f"r{r}", criterion="points")
        for i in range(30)
        for r in range(2)
    ]
    found = people(labels, rubric=Rubric(id="r", criteria=(world.points,))).criteria[0]
    a, b = ([x.answer for x in labels if x.rater == rater] for rater in ("r0", "r1"))
    assert [x.name for x in found.coefficients] == [
        "Cohen's kappa, quadratic weights",
        "Krippendorff's alpha (ordinal)",
    ]
    assert found.coefficients[0].value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))


def test_groups_widen_the_intervals_of_people(world: Any):
    """Items of one group are one unit of people's agreement too."""
    labels = panel(world, 60, raters=2)[1]
    items = [Item(id=f"i{i:03}", group=f"d{i // 6}") for i in range(60)]
    alone = people(labels, rubric=world.rubric).criteria[0]
    found = people(labels, rubric=world.rubric, items=items).criteria[0]
    assert (alone.agreement.n, found.agreement.n) == (60, 10)
    assert found.coefficients[0].estimate.n == 10


def test_a_design_with_weights_weighs_people_too(world: Any):
    """Raters agree on all of a stratum that counts nine times and on none of the other: nine tenths, not one half."""
    labels = [
        world.label(f"i{i:02}", answer if i < 20 or r == 0 else {"yes": "no", "no": "yes"}[answer], f"r{r}")
        for i in range(40)
        for r in range(2)
        for answer in ["yes" if i % 2 else "no"]
    ]
    design = Design(kind="stratified", weights={f"i{i:02}": 9.0 if i < 20 else 1.0 for i in range(40)})
    items = tuple(Item(id=f"i{i:02}") for i in range(40))
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=tuple(labels), design=design)
    found = people(frozen)
    assert found.weighted
    assert found.criteria[0].agreement.value == pytest.approx(0.9)
    assert found.criteria[0].coefficients[0].value == pytest.approx(0.8)
    assert "unequal chances" in found.design


def test_decisions_are_counted_and_change_no_agreement(world: Any):
    """An adjudicated tie is no longer unresolved; how often people agreed stays what it was."""
    labels = [
        world.label("a", "yes"),
        world.label("a", "no", "ben"),
        world.label("b", "yes"),
        world.label("b", "yes", "ben"),
    ]
    items = (Item(id="a"), Item(id="b"))
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=tuple(labels))
    decision = Adjudication(subject="a", criterion="grounded", answer="yes", by="x", at="2026-01-01")
    decided = CalibrationSet(
        name="s", rubric=world.rubric, items=items, labels=tuple(labels), adjudications=(decision,)
    )
    before, after = (people(x).criteria[0] for x in (frozen, decided))
    assert (before.unresolved, before.adjudicated, after.unresolved, after.adjudicated) == (1, 0, 0, 1)
    assert before.agreement == after.agreement


def test_labels_alone_need_a_rubric(world: Any):
    """Nothing says what plain labels answer."""
    with pytest.raises(FielError, match="There is no rubric"):
        people([world.label("a", "yes")])


def test_two_judges_beside_each_other(world: Any):
    """Agreement of two judges is counted where both answered; neither is gold, and the flips are laid out."""
    a = [world.judgement(f"i{i}", 0.9 if i < 6 else 0.1) for i in range(10)]
    b = [world.judgement(f"i{i}", 0.9 if i < 5 else 0.1, judge="other") for i in range(9)]
    b.append(world.judgement("i9", None, judge="other"))
    found = between(a, b, rubric=world.rubric)
    pair = found.criteria["grounded"]
    assert (pair.kind, pair.a, pair.b, pair.n) == ("judge-judge", "house", "other", 9)
    assert pair.agreement.value == pytest.approx(8 / 9)
    assert found.flips["grounded"] == ((3, 0), (1, 5))
    assert found.differences == {}
    with pytest.raises(FielError, match="has no judgement"):
        between(a, [], rubric=world.rubric)


def test_two_versions_of_one_quality_are_seldom_told_apart(world: Any):
    """Two prompts that are right as often differ "surely" in at most about 5 % of 150 seeded trials."""
    differ = 0
    for trial in range(150):
        rng = np.random.default_rng([41, trial])
        truth = rng.random(57) < 0.6
        labels = [world.label(f"i{i:02}", "yes" if t else "no") for i, t in enumerate(truth)]
        sides = [
            [world.judgement(f"i{i:02}", 0.9 if t ^ (rng.random() > 0.8) else 0.1) for i, t in enumerate(truth)]
            for _ in range(2)
        ]
        found = between(sides[0], sides[1][: 57 - 10 * (trial % 2)], labels, rubric=world.rubric)
        limits = found.differences["grounded"]
        differ += not limits.low <= 0 <= limits.high
    assert differ / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
