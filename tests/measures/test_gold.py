from __future__ import annotations

from typing import Any

import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from fiel.measures import validate
from fiel.records import Rubric


def test_the_scores_are_those_of_sklearn(world: Any):
    """Precision, recall, F1, balanced accuracy, true positive and negative rates, each share with its interval."""
    judgements, labels = world.against(50, 60, failing=20)
    scores = validate(judgements, labels, rubric=world.rubric).criteria[0].scores
    gold, said = [x.answer for x in labels], [x.verdict for x in judgements]
    yes = scores.classes[1]
    assert yes.option == "yes"
    assert yes.precision.value == pytest.approx(precision_score(gold, said, pos_label="yes"))
    assert yes.recall.value == scores.tpr.value == pytest.approx(recall_score(gold, said, pos_label="yes"))
    assert yes.specificity.value == scores.tnr.value == pytest.approx(recall_score(gold, said, pos_label="no"))
    assert yes.f1.value == pytest.approx(f1_score(gold, said, pos_label="yes"))
    assert scores.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(gold, said))
    assert scores.macro_f1.value == pytest.approx(f1_score(gold, said, average="macro"))
    right = sum(g == s == "yes" for g, s in zip(gold, said, strict=True))
    low, high = proportion_confint(right, 40, method="beta")
    assert (scores.tpr.low, scores.tpr.high, scores.tpr.n) == (pytest.approx(low), pytest.approx(high), 40)
    assert (yes.support, yes.answered) == (40, said.count("yes"))


def test_unscored_counts_as_wrong_beside(world: Any):
    """Of ten passing items nine got a verdict and all nine are right: accuracy 1, and 9/10 with the tenth as wrong."""
    judgements = [world.judgement(f"i{i}", 0.9) for i in range(9)] + [world.judgement("i9", None, status="unparsed")]
    judgements += [world.judgement("j0", 0.1), world.judgement("j1", 0.5)]
    labels = [world.label(f"i{i}", "yes") for i in range(10)] + [world.label(f"j{i}", "no") for i in range(2)]
    scores = validate(judgements, labels, rubric=world.rubric).criteria[0].scores
    assert (scores.accuracy.value, scores.accuracy.n, scores.unscored) == (1.0, 10, 2)
    assert (scores.accuracy_unscored_wrong.value, scores.accuracy_unscored_wrong.n) == (pytest.approx(10 / 12), 12)
    assert (scores.tpr.value, scores.tpr_unscored_wrong.value) == (1.0, 0.9)
    assert (scores.tnr.value, scores.tnr_unscored_wrong.value) == (1.0, 0.5)


def test_soft_gold_is_the_share_of_raters_that_give_the_verdict(world: Any):
    """Three of three and one of three raters: two thirds on the average; with one rater there is no soft gold."""
    labels = [world.label("a", "yes", f"r{r}") for r in range(3)]
    labels += [world.label("b", "yes" if r == 0 else "no", f"r{r}") for r in range(3)]
    judgements = [world.judgement("a", 0.9), world.judgement("b", 0.9)]
    scores = validate(judgements, labels, rubric=world.rubric).criteria[0].scores
    assert scores.soft.value == pytest.approx((1 + 1 / 3) / 2)
    assert scores.gold == "the majority of up to 3 raters"
    alone = validate(judgements, labels[::3], rubric=world.rubric).criteria[0].scores
    assert (alone.soft, alone.gold) == (None, "the answer of one rater")


def test_a_share_of_nothing_has_no_value(world: Any):
    """Where no item fails, the true negative rate has no value and says why; precision of what is never said too."""
    judgements = [world.judgement(f"i{i}", 0.9) for i in range(8)]
    labels = [world.label(f"i{i}", "yes") for i in range(8)]
    scores = validate(judgements, labels, rubric=world.rubric).criteria[0].scores
    assert (scores.tnr.value, scores.tnr.reason) == (None, "no such item")
    assert (scores.classes[0].precision.value, scores.classes[0].f1.value) == (None, None)
    assert validate(judgements, [], rubric=world.rubric).criteria[0].scores is None


def test_passing_of_several_options_is_what_the_rates_count(world: Any):
    """With 2 and 3 passing, a 2 for a 3 is wrong as an answer and right as a pass."""
    judgements = [world.judgement(f"i{i}", (0.1, 0.8, 0.1), of=world.points) for i in range(6)]
    labels = [world.label(f"i{i}", "3", criterion="points") for i in range(6)]
    scores = validate(judgements, labels, rubric=Rubric(id="r", criteria=(world.points,))).criteria[0].scores
    assert (scores.accuracy.value, scores.tpr.value) == (0.0, 1.0)
