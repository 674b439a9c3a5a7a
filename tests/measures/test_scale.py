from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import cohen_kappa_score

from fiel.measures import validate
from fiel.records import Criterion, Rubric

LIKERT = Criterion(id="likert", question="How good?", options=("1", "2", "3", "4", "5"), scale="interval")


def on_a_scale(world: Any, truth: Any, said: Any, *, source: str = "point") -> Any:
    """The figures of a judge that says `said` where one rater says `truth`, both from 0."""
    judgements = [
        world.judgement(f"i{i:03}", tuple(float(j == x) for j in range(5)), of=LIKERT, source=source)
        for i, x in enumerate(said)
    ]
    labels = [world.label(f"i{i:03}", str(x + 1), criterion="likert") for i, x in enumerate(truth)]
    return validate(judgements, labels, rubric=Rubric(id="r", criteria=(LIKERT,))).criteria[0]


def test_a_judge_that_is_always_one_too_high_is_said_to_be_that(world: Any):
    """The bias stands first and is +1.0; quadratic kappa is low and the word is not *use*, though ranks are perfect."""
    truth = np.tile([0, 1, 1, 2, 2, 2, 3, 3], 10)
    found = on_a_scale(world, truth, truth + 1)
    errors = found.errors
    assert type(errors).__struct_fields__[0] == "bias"
    assert (errors.bias.value, errors.absolute_error.value) == (1.0, 1.0)
    assert errors.sentence == "The judge is 1.0 point too high on the average, on a scale from 1 to 5."
    assert errors.spearman.value == pytest.approx(1.0)
    kappa = found.coefficients[0]
    assert kappa.name == "Cohen's kappa, quadratic weights"
    assert kappa.value == pytest.approx(cohen_kappa_score(truth, truth + 1, weights="quadratic"))
    assert kappa.value < 0.7
    assert errors.ccc.value == pytest.approx(kappa.value)
    assert (found.word, found.agreement.value) == ("rewrite", 0.0)


def test_the_correlations_keep_ties_and_are_scipys(world: Any):
    """Spearman and Kendall's tau-b on many ties, with intervals that hold them."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 5, 120)
    said = np.clip(truth + rng.integers(-1, 2, 120), 0, 4)
    errors = on_a_scale(world, truth, said).errors
    assert errors.spearman.value == pytest.approx(spearmanr(truth, said).statistic)
    assert errors.kendall.value == pytest.approx(kendalltau(truth, said).statistic)
    for figure in (errors.spearman, errors.kendall, errors.ccc):
        assert figure.estimate.low < figure.value < figure.estimate.high
    assert errors.bias.value == pytest.approx((said - truth).mean())


def test_truth_is_the_mean_of_the_raters_so_that_ties_stay_in(world: Any):
    """Raters who say 2 and 5 make a truth of 3.5: a 4 is half a point too high."""
    labels = [world.label(f"i{i}", x, r, criterion="likert") for i in range(9) for r, x in (("ana", "2"), ("ben", "5"))]
    judgements = [world.judgement(f"i{i}", (0, 0, 0, 1, 0), of=LIKERT) for i in range(9)]
    found = validate(judgements, labels, rubric=Rubric(id="r", criteria=(LIKERT,))).criteria[0]
    assert found.funnel.unresolved == 9
    assert found.errors.bias.value == 0.5


def test_the_mean_of_a_belief_has_figures_of_its_own(world: Any):
    """A belief between two points is held against the truth by its mean; a point has no such figure."""
    judgements = [world.judgement(f"i{i}", (0, 0, 0.25, 0.75, 0), of=LIKERT) for i in range(12)]
    labels = [world.label(f"i{i}", "4" if i % 2 else "3", criterion="likert") for i in range(12)]
    errors = validate(judgements, labels, rubric=Rubric(id="r", criteria=(LIKERT,))).criteria[0].errors
    assert errors.bias.value == 0.5
    assert errors.mean_bias.value == pytest.approx(0.25)
    truth = np.arange(40) % 4
    assert on_a_scale(world, truth, truth).errors.mean_bias is None


def test_a_small_bias_that_is_not_sure_is_said_to_be_that(world: Any):
    """Where the interval of the bias holds 0 the sentence does not call the judge too high."""
    truth = np.tile([1, 2, 3], 10)
    said = truth.copy()
    said[0] += 1
    assert on_a_scale(world, truth, said).errors.sentence.startswith("The judge is not surely too high or too low")


def test_a_constant_judge_has_no_rank_correlation(world: Any):
    """0/0 has no value, and the reason says that one of the two does not vary."""
    errors = on_a_scale(world, np.arange(30) % 4, np.full(30, 2)).errors
    assert (errors.spearman.value, errors.spearman.reason) == (None, "one of the two does not vary")


def test_a_nominal_scale_has_no_distances(world: Any):
    """Named answers have no errors in points."""
    judgements, labels = world.against(50, 60)
    assert validate(judgements, labels, rubric=world.rubric).criteria[0].errors is None
