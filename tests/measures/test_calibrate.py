from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures import validate
from fiel.measures._calibrate import error_beside_null
from fiel.records import Item, Rubric
from fiel.stats import brier, ece, smooth_ece


def world_of(world: Any, n: int, *, seed: int, bend: float = 1.0, source: str = "logprobs") -> Any:
    """A judge whose logit is `bend` times the true one, and labels drawn with the true probabilities."""
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.05, 0.95, n)
    said = 1 / (1 + np.exp(-bend * np.log(true / (1 - true))))
    judgements = [world.judgement(f"i{i:04}", float(p), source=source) for i, p in enumerate(said)]
    labels = [world.label(f"i{i:04}", "yes" if rng.random() < p else "no") for i, p in enumerate(true)]
    return judgements, labels


@pytest.mark.parametrize("n", [11, 30, 100])
def test_a_calibrated_judge_is_inside_the_null_band(n: int):
    """In at least 93 % of 80 seeds its calibration error is within what chance shows, however few the items."""
    inside = 0
    for seed in range(80):
        rng = np.random.default_rng([38, n, seed])
        said = rng.uniform(0.02, 0.98, n)
        _, _, within = error_beside_null((rng.random(n) < said).astype(float), said, confidence=0.95)
        inside += within is True
    assert inside / 80 >= 0.93


def test_the_figures_are_those_of_stats(world: Any):
    """Error, smooth error and Brier score of P(passing) against gold; bins hold every item once; the terms add up."""
    judgements, labels = world_of(world, 120, seed=1)
    (found,) = validate(judgements, labels, rubric=world.rubric).criteria[0].calibrations
    said = np.array([x.belief.probs[1] for x in judgements])
    gold = np.array([x.answer == "yes" for x in labels], dtype=float)
    before = found.before
    assert (found.source, found.name, found.target, found.n) == ("logprobs", "token probabilities", "passing", 120)
    assert before.ece == pytest.approx(ece(gold, said, bins=10))
    assert before.smooth_ece == pytest.approx(smooth_ece(gold, said))
    assert before.brier.value == pytest.approx(brier(gold, said))
    assert sum(x.count for x in before.bins) == 120
    assert all(x.low <= x.outcome <= x.high for x in before.bins)
    terms = before.terms
    total = terms.reliability - terms.resolution + terms.uncertainty
    assert total + terms.within_bin_variance - terms.within_bin_covariance == pytest.approx(before.brier.value)


def test_a_map_across_folds_mends_a_judge_that_is_too_sure(world: Any):
    """A judge that doubles and doubles its logits is outside the band, and its map has a slope near 1/4."""
    judgements, labels = world_of(world, 600, seed=2, bend=4.0)
    (found,) = validate(judgements, labels, rubric=world.rubric).criteria[0].calibrations
    assert found.before.within_null is False
    assert found.after.ece < found.before.ece / 2
    assert found.after.brier.value < found.before.brier.value
    assert found.slope == pytest.approx(0.25, abs=0.08)
    assert "after a map fitted across folds" in found.sentence


def test_a_calibrated_judge_is_told_to_show_no_fault(world: Any):
    """The words never call it badly calibrated."""
    judgements, labels = world_of(world, 200, seed=5)
    (found,) = validate(judgements, labels, rubric=world.rubric).criteria[0].calibrations
    assert found.before.within_null is True
    assert found.sentence.endswith("no fault is seen.")


def test_a_point_belief_has_no_confidence(world: Any):
    """Where the judge gave a verdict alone nothing is made up: "no confidence given"."""
    judgements, labels = world.against(50, 60)
    points = [world.judgement(x.subject, float(x.verdict == "yes"), source="point") for x in judgements]
    (found,) = validate(points, labels, rubric=world.rubric).criteria[0].calibrations
    assert (found.before, found.after, found.reason) == (None, None, "no confidence given")
    assert found.sentence == "No confidence given."


def test_kinds_of_belief_are_never_mixed(world: Any):
    """Stated confidences and vote shares of one judge have a calibration each, with their own n."""
    judgements, labels = world_of(world, 60, seed=3, source="samples")
    judgements = judgements[:40] + [
        world.judgement(x.subject, x.belief.probs[1], source="stated") for x in judgements[40:]
    ]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0].calibrations
    assert [(x.name, x.n) for x in found] == [("vote share", 40), ("stated confidence", 20)]


def test_several_options_have_the_confidence_of_the_verdict_too(world: Any):
    """On three points: P(passing) against passing, and P(verdict) against being right."""
    judgements = [world.judgement(f"i{i:02}", (0.1, 0.2, 0.7), of=world.points) for i in range(40)]
    labels = [world.label(f"i{i:02}", "3" if i < 28 else "1", criterion="points") for i in range(40)]
    found = validate(judgements, labels, rubric=Rubric(id="r", criteria=(world.points,))).criteria[0].calibrations
    assert [x.target for x in found] == ["passing", "mode"]
    assert [x.before.ece for x in found] == pytest.approx([0.2, 0.0])


def test_groups_are_never_parted_by_the_map_and_count_in_the_brier_score(world: Any):
    """The interval of the Brier score counts groups, and so does the calibration."""
    judgements, labels = world_of(world, 120, seed=4)
    items = [Item(id=x.subject, group=f"g{i // 4}") for i, x in enumerate(judgements)]
    (found,) = validate(judgements, labels, rubric=world.rubric, items=items).criteria[0].calibrations
    assert (found.n, found.clusters, found.before.brier.n) == (120, 30, 30)


def test_few_items_or_one_outcome_have_no_map(world: Any):
    """Nothing can be fitted to 19 items, nor where all pass; the figures before stand alone."""
    judgements, labels = world_of(world, 19, seed=6)
    (few,) = validate(judgements, labels, rubric=world.rubric).criteria[0].calibrations
    one = [world.label(x.subject, "yes") for x in judgements]
    more = [world.judgement(f"k{i}", 0.7) for i in range(30)]
    one += [world.label(f"k{i}", "yes") for i in range(30)]
    (same,) = validate([*judgements, *more], one, rubric=world.rubric).criteria[0].calibrations
    assert few.before is not None
    assert (few.after, few.slope, same.after) == (None, None, None)
