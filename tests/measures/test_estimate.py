from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from fiel.measures import estimate, gate
from fiel.records import CalibrationSet, Design, FielError, Item
from fiel.stats import ppi_mean, wilson


@pytest.fixture
def mixed(world: Any) -> Any:
    """Judgements of 200 items and labels of the first 60, drawn from one world, as records and as arrays."""
    rng = np.random.default_rng(7)
    belief = rng.uniform(0.02, 0.98, 200).round(3)
    truth = rng.random(200) < belief
    names = [f"i{i:03}" for i in range(200)]
    judgements = [world.judgement(x, float(p)) for x, p in zip(names, belief, strict=True)]
    labels = [world.label(x, "yes" if t else "no") for x, t in zip(names[:60], truth[:60], strict=True)]
    return judgements, labels, belief, truth.astype(float)


def test_the_corrected_rate_is_that_of_the_arrays(world: Any, mixed: Any):
    """Records give exactly what `ppi_mean` gives on labels and P(passing), the labelled never among the unlabelled."""
    judgements, labels, belief, truth = mixed
    found = estimate(judgements, labels, criterion=world.grounded)
    direct = ppi_mean(truth[:60], belief[:60], belief[60:])
    assert found.value == pytest.approx(direct.value)
    assert (found.low, found.high) == (pytest.approx(direct.low), pytest.approx(direct.high))
    assert found.details["n_unlabelled"] == 140
    assert found.details["bias"] == pytest.approx((belief[:60] - truth[:60]).mean())


def test_the_point_is_the_published_formula(world: Any, mixed: Any):
    """Theta = mean(y) + lambda (mean(u) - mean(f)), with the lambda that the estimate reports."""
    judgements, labels, belief, truth = mixed
    found = estimate(judgements, labels, criterion=world.grounded)
    weight = found.details["lambda"]
    assert found.value == pytest.approx(truth[:60].mean() + weight * (belief[60:].mean() - belief[:60].mean()))


def test_unscored_judgements_take_the_judges_mean_on_both_sides(world: Any, mixed: Any):
    """A judgement without a belief is never dropped and never a verdict: it takes the mean of all beliefs."""
    judgements, labels, belief, truth = mixed
    broken = [world.judgement(x.subject, None) if i in (3, 100, 101) else x for i, x in enumerate(judgements)]
    found = estimate(broken, labels, criterion=world.grounded)
    filled = belief.copy()
    filled[[3, 100, 101]] = np.delete(belief, [3, 100, 101]).mean()
    direct = ppi_mean(truth[:60], filled[:60], filled[60:])
    assert found.value == pytest.approx(direct.value)
    assert found.details["n_unlabelled"] == 140


def test_a_labelled_item_that_was_not_judged_keeps_its_label(world: Any, mixed: Any):
    """Its label counts, with the judge's mean beside it."""
    judgements, labels, belief, truth = mixed
    found = estimate(judgements[1:], labels, criterion=world.grounded)
    filled = belief.copy()
    filled[0] = belief[1:].mean()
    assert found.value == pytest.approx(ppi_mean(truth[:60], filled[:60], filled[60:]).value)
    assert found.details["n_labelled"] == 60


def test_a_tie_counts_one_half(world: Any, mixed: Any):
    """Two raters who differ leave an item at one half."""
    judgements, labels, belief, truth = mixed
    other = "no" if truth[0] else "yes"
    found = estimate(judgements, [*labels, world.label("i000", other, "ben")], criterion=world.grounded)
    y = truth[:60].copy()
    y[0] = 0.5
    assert found.value == pytest.approx(ppi_mean(y, belief[:60], belief[60:]).value)


def test_a_belief_tied_between_options_counts(world: Any):
    """Half and half is a belief of one half, not a missing one."""
    judgements = [world.judgement(x, 0.5) for x in "ab"] + [world.judgement("c", 0.8)]
    assert estimate(judgements, criterion=world.grounded, rate="raw").value == pytest.approx(0.6)


def test_without_further_items_the_labels_stand_alone(world: Any, mixed: Any):
    """When every judged item is labelled, the figure is the labels' mean and the method says so."""
    judgements, labels, _, truth = mixed
    found = estimate(judgements[:60], labels, criterion=world.grounded)
    assert found.value == pytest.approx(truth[:60].mean())
    assert "labels alone" in found.method


def test_nothing_judged_is_the_classical_interval(world: Any, mixed: Any):
    """Without a judge the figure is Wilson's, the method says so, and no detail speaks of a judge."""
    _, labels, _, truth = mixed
    found = estimate([], labels, criterion=world.grounded)
    direct = wilson(int(truth[:60].sum()), 60)
    assert (found.value, found.low, found.high) == (
        pytest.approx(direct.value),
        pytest.approx(direct.low),
        pytest.approx(direct.high),
    )
    assert "labels alone" in found.method
    assert not {"bias", "judge_mean", "lambda", "rho", "width_ratio"} & set(found.details)


def test_a_judge_that_never_saw_a_labelled_item_corrects_nothing(world: Any, mixed: Any):
    """Where judge and labels have no item in common, the labels stand alone."""
    judgements, labels, _, truth = mixed
    found = estimate(judgements[60:], labels, criterion=world.grounded)
    assert found.value == pytest.approx(truth[:60].mean())
    assert "no labelled item has a belief" in found.method


def test_no_labels_is_undefined(world: Any, mixed: Any):
    """Without labels the judge's bias is unknown: there is no corrected rate, and the reason says what to do."""
    found = estimate(mixed[0], criterion=world.grounded)
    assert found.value is None
    assert str(found.reason).startswith("no labels: label a random draw")


def test_unequal_chances_are_weighted(world: Any, mixed: Any):
    """With weights the estimate is that of `ppi_mean` with weights; a labelled item without one is refused."""
    judgements, labels, belief, truth = mixed
    weights = {x.subject: 1.0 + 8 * (i % 2) for i, x in enumerate(labels)}
    design = Design(kind="stratified", weights=weights)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(), labels=tuple(labels), design=design)
    found = estimate(judgements, frozen, criterion=world.grounded)
    y, w = truth[:60], [weights[x.subject] for x in labels]
    assert found == ppi_mean(y.astype(float), belief[:60], belief[60:], weights=w)
    assert "weighted" in found.method
    design = Design(kind="stratified", weights={"i000": 1.0, "i001": 9.0})
    with pytest.raises(FielError, match="'i002' is labelled and has no weight"):
        estimate(judgements, msgspec.structs.replace(frozen, design=design), criterion=world.grounded)


def test_a_sample_picked_at_convenience_is_refused_unless_told(world: Any, mixed: Any):
    """It gives no rate, and a gate on it never passes; told to read it as a random draw, the estimate says so."""
    judgements, labels, _, _ = mixed
    design = Design(kind="convenience")
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=(), labels=tuple(labels), design=design)
    refused = estimate(judgements, frozen, criterion=world.grounded)
    assert refused.value is None
    assert "picked at convenience" in str(refused.reason)
    assert gate(refused, at_least=0.01).verdict == "undecided"
    told = estimate(judgements, frozen, criterion=world.grounded, as_random=True)
    plain = estimate(judgements, labels, criterion=world.grounded)
    assert (told.value, told.low, told.high) == (plain.value, plain.low, plain.high)
    assert "because you said so" in " ".join(told.notes)


def test_soft_gold_counts_shares_of_raters(world: Any):
    """Two of three raters pass an item: 1 by majority, 2/3 by soft gold."""
    labels = [world.label(f"i{i}", "yes" if r < 2 else "no", f"r{r}") for i in range(30) for r in range(3)]
    assert estimate((), labels, criterion=world.grounded).value == 1.0
    assert estimate((), labels, criterion=world.grounded, gold="soft").value == pytest.approx(2 / 3)
    with pytest.raises(FielError, match="no gold 'hard'"):
        estimate((), labels, criterion=world.grounded, gold="hard")


def test_the_raw_rate_is_the_judges_mean_and_says_what_it_is(world: Any, mixed: Any):
    """The mean of P(passing) over everything with a belief, with limits that hold near 0 and 1."""
    judgements, labels, belief, _ = mixed
    found = estimate([*judgements, world.judgement("z", None)], labels, criterion=world.grounded, rate="raw")
    n, z = len(belief), 1.959963984540054
    spread = max(belief.var(ddof=1) / n, 0.5 / n**2)
    worth = max(n, 0.5028 * (1 - 0.5028) / spread)
    middle = (0.5028 + z * z / (2 * worth)) / (1 + z * z / worth)
    half = z / (1 + z * z / worth) * (0.5028 * (1 - 0.5028) / worth + z * z / (4 * worth * worth)) ** 0.5
    assert (found.value, found.low, found.high) == pytest.approx((belief.mean(), middle - half, middle + half))
    assert "bias is not corrected" in found.method
    assert found.details["n_judged"] == 200


def test_raw_without_a_belief_is_undefined(world: Any):
    """A judge that answered nothing has no mean."""
    found = estimate([world.judgement("a", None)], criterion=world.grounded, rate="raw")
    assert (found.value, found.reason) == (None, "no item has a belief of the judge")


def test_groups_are_clusters_on_both_sides(world: Any, mixed: Any):
    """The figure is that of `ppi_mean` with the clusters of labelled and unlabelled items from one namespace."""
    judgements, labels, belief, truth = mixed
    items = [Item(id=f"i{i:03}", group=f"g{i % 50}") for i in range(200)]
    found = estimate(judgements, labels, criterion=world.grounded, items=items)
    codes = np.arange(200) % 50
    direct = ppi_mean(truth[:60], belief[:60], belief[60:], clusters=codes[:60], clusters_unlabelled=codes[60:])
    assert (found.value, found.low) == (pytest.approx(direct.value), pytest.approx(direct.low))
    assert found.n == 50


def test_one_sided_estimates_are_one_sided(world: Any, mixed: Any):
    """A lower bound is higher than the lower limit of the interval, and says what it is."""
    judgements, labels, _, _ = mixed
    bound = estimate(judgements, labels, criterion=world.grounded, side="lower")
    both = estimate(judgements, labels, criterion=world.grounded)
    assert bound.side == "lower"
    assert bound.low is not None
    assert both.low is not None
    assert bound.low > both.low


def test_an_unknown_rate_is_refused(world: Any):
    """A rate that this version does not know is not quietly another."""
    with pytest.raises(FielError, match="no rate 'transported'"):
        estimate([], criterion=world.grounded, rate="transported")
