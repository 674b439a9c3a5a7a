from __future__ import annotations

import math
from typing import Any

import pytest

from fiel.measures import plan
from fiel.measures._plan_kinds import Wish, equivalence_power
from fiel.records import FielError, Item
from fiel.stats import kappa_interval_sample_size, kappa_sample_size, ppi_sample_size, proportion_sample_size


def test_a_rate_without_a_judge_is_that_of_labels_alone():
    """Half a rate to within 0.1 takes as many labels as Wilson's interval asks for."""
    found = plan(width=0.1)
    assert found.labels == found.more == proportion_sample_size(0.5, width=0.1)
    assert (found.have, found.from_data, found.power) == (0, False, None)
    assert [x.width for x in found.curve] == [0.3, 0.25, 0.2, 0.15, 0.1, 0.08, 0.05]
    assert any("Guessed, since nothing tells: rate 0.5" in note for note in found.notes)


def test_a_judge_saves_labels():
    """With a judge on 1,000 items the number is that of `ppi_sample_size`, and smaller."""
    expected = {"rate": 0.8, "rho": 0.7, "n_unlabelled": 1000}
    found = plan(width=0.1, expected=expected)
    assert found.labels == ppi_sample_size(0.8, rho=0.7, n_unlabelled=1000, width=0.1)
    assert found.labels < proportion_sample_size(0.8, width=0.1)
    above = plan(kind="rate bar", bar=0.7, power=0.9, expected=expected)
    assert above.labels == ppi_sample_size(0.8, rho=0.7, n_unlabelled=1000, bar=0.7, power=0.9)


def test_kappas_are_planned_by_their_own_statistics():
    """Width by the expected interval, power by the test; the curves fall and rise as they should."""
    expected = {"kappa": 0.7, "least": 0.4, "prevalence": 0.3, "raters": 2}
    wide = plan(kind="kappa width", width=0.3, expected=expected)
    assert wide.labels == kappa_interval_sample_size(0.7, low=0.55, high=0.85, shares=0.3, raters=2)
    sure = plan(kind="kappa power", power=0.9, expected=expected)
    assert sure.labels == kappa_sample_size(0.4, 0.7, shares=0.3, raters=2, power=0.9, side="lower")
    widths = [x.width for x in wide.curve]
    assert widths == sorted(widths, reverse=True)
    labels = [x.labels for x in sure.curve]
    assert labels == sorted(labels)


def test_a_difference_from_the_ceiling_takes_more_labels_where_it_is_small():
    """Five points need more labels than ten, and no difference cannot be seen by any number."""
    wide = plan(kind="ceiling power", expected={"agreement": 0.8, "ceiling": 0.9, "discordance": 0.2})
    near = plan(kind="ceiling power", expected={"agreement": 0.85, "ceiling": 0.9, "discordance": 0.2})
    assert 100 < wide.labels < near.labels
    same = plan(kind="ceiling power", expected={"agreement": 0.9, "ceiling": 0.9, "discordance": 0.2})
    assert (same.labels, same.more) == (None, None)
    assert same.sentence.startswith("No number of labels up to 100,000")


@pytest.mark.parametrize(
    ("margin", "n", "power"),
    [(0.05, 100, 0.19), (0.05, 200, 0.77), (0.05, 300, 0.95), (0.10, 60, 0.75), (0.10, 100, 0.97)],
)
def test_the_power_of_equivalence_is_that_of_the_score_test(margin: float, n: int, power: float):
    """At 5 % discordance the chances are those of a simulation of Tango's test, within its and our error."""
    wish = Wish(width=0.1, bar=0.85, margin=margin, power=0.8, confidence=0.95, expected={"discordance": 0.05})
    assert equivalence_power(n, wish) == pytest.approx(power, abs=0.09)


def test_data_at_hand_say_what_to_expect(world: Any):
    """Rate, correlation, kappa, ceiling and discordance come from the data, and what is given beside them wins."""
    judgements, labels = world.against(55, 60, seconds=58)
    judgements += [world.judgement(f"x{i}", 0.9) for i in range(300)]
    found = plan(judgements, labels, criterion=world.grounded, width=0.1)
    assert (found.have, found.from_data) == (60, True)
    assert found.more == max(0, found.labels - 60)
    assert found.expected["n_unlabelled"] == 300
    assert found.expected["rho"] > 0.7
    assert found.sentence.startswith(f"About {found.labels} labels ({found.more} more than the 60 at hand)")
    other = plan(judgements, labels, criterion=world.grounded, width=0.1, expected={"rho": 0.0})
    assert other.labels > found.labels
    ceiling = plan(judgements, labels, kind="ceiling power", criterion=world.grounded)
    assert ceiling.expected["ceiling"] == pytest.approx(58 / 60)


def test_groups_ask_for_more_labels(world: Any):
    """Items that err by document are worth less, and the plan multiplies by what they lose."""
    judgements = [world.judgement(f"i{i:03}", 0.9 if i >= 20 else 0.1) for i in range(100)]
    labels = [world.label(f"i{i:03}", "yes") for i in range(100)]
    items = [Item(id=f"i{i:03}", group=f"d{i // 5}") for i in range(100)]
    alone = plan(judgements, labels, criterion=world.grounded, expected={"rate": 0.5, "rho": 0.0})
    found = plan(judgements, labels, criterion=world.grounded, items=items, expected={"rate": 0.5, "rho": 0.0})
    assert found.expected["design_effect"] > 2
    assert found.labels > 2 * alone.labels
    assert any("Items come in groups" in note for note in found.notes)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"kind": "mood"}, "no plan 'mood'"),
        ({"width": 10.0}, "width must lie between 0 and 1; it is 10"),
        ({"expected": {"rtae": 0.5}}, "Nothing is planned by 'rtae'"),
        ({"kind": "kappa power", "expected": {"kappa": 0.3, "least": 0.4}}, "This cannot be planned"),
        ({"kind": "rate bar", "bar": 0.5}, "This cannot be planned"),
    ],
)
def test_a_wish_that_cannot_be_is_refused(ask: dict[str, Any], message: str):
    """The message names what was asked."""
    with pytest.raises(FielError, match=message):
        plan(**ask)


def test_data_need_a_criterion(world: Any):
    """Labels of several criteria are no plan."""
    with pytest.raises(FielError, match="no criterion to plan for"):
        plan(labels=[world.label("a", "yes")])


def test_the_curve_counts_labels_as_the_sentence_does():
    """In groups of items both are multiplied by the design effect: the width asked for has the number asked for."""
    for kind, wish in (("rate width", {"width": 0.1}), ("rate bar", {"bar": 0.85})):
        found = plan(kind=kind, **wish, expected={"rate": 0.9, "design_effect": 1.42})
        alone = plan(kind=kind, **wish, expected={"rate": 0.9})
        assert [x.labels for x in found.curve] == [math.ceil(1.42 * x.labels) for x in alone.curve]
        assert found.labels == math.ceil(1.42 * alone.labels)
