from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures._inputs import gather
from fiel.measures._tables import Table, passing_mask, tabulate, unit_values
from fiel.records import Adjudication, CalibrationSet, Criterion, FielError, Item, Rubric


def table(world: Any, judgements: Any, labels: Any, items: Any = (), criterion: Any = None) -> Table:
    """The table of *grounded*, or of another criterion."""
    criterion = criterion or world.grounded
    return tabulate(gather(judgements, labels, criteria=[criterion], items=items), criterion)


def test_verdicts_and_beliefs_become_codes_and_probabilities(world: Any):
    """A verdict is the place of its option, a missing one is -1, and P(passing) is that of the belief."""
    found = table(
        world,
        [world.judgement("a", 0.9), world.judgement("b", 0.2), world.judgement("c", None)],
        (),
        [Item(id=x) for x in "abcd"],
    )
    assert found.judge.codes.tolist() == [1, 0, -1, -1]
    assert found.judge.judged.tolist() == [True, True, True, False]
    assert found.judge.believed.tolist() == [True, True, False, False]
    assert found.probability.tolist() == pytest.approx([0.9, 0.2, 0, 0])
    assert found.judge.unscored == {"refused": 1}


def test_a_belief_tied_between_options_is_unscored_and_still_believed(world: Any):
    """Half and half is no verdict; its P(passing) counts in estimates all the same."""
    found = table(world, [world.judgement("a", 0.5)], [world.label("a", "yes")])
    assert found.judge.unscored == {"tie between options": 1}
    assert found.judge.believed.tolist() == [True]
    assert found.probability.tolist() == [0.5]
    assert found.funnel.both == 0


def test_passing_sums_over_the_passing_options(world: Any):
    """On three options of which two pass, P(passing) is the sum of their probabilities."""
    found = table(world, [world.judgement("a", (0.25, 0.25, 0.5), of=world.points)], (), criterion=world.points)
    assert passing_mask(world.points).tolist() == [False, True, True]
    assert found.probability.tolist() == [0.75]
    assert found.judge.codes.tolist() == [2]


def test_gold_is_the_majority_and_a_tie_is_unresolved(world: Any):
    """Two against one is gold, one against one is a tie that counts one half."""
    answers = {"a": ["yes", "yes", "no"], "b": ["yes", "no"], "c": ["no"], "d": [None]}
    labels = [world.label(x, answer, f"r{i}") for x, given in answers.items() for i, answer in enumerate(given)]
    found = table(world, (), labels)
    assert found.people.gold.tolist() == [1, -1, 0, -1]
    assert found.people.passing.tolist() == [1, 0.5, 0, 0]
    assert found.people.labelled.tolist() == [True, True, True, False]
    assert found.people.codes.tolist() == [[1, 1, 0], [1, 0, -1], [0, -1, -1], [-1, -1, -1]]
    assert (found.funnel.labelled, found.funnel.unresolved, found.funnel.skipped) == (3, 1, 1)


@pytest.mark.parametrize(
    ("answers", "passing"), [(("2", "3"), 1.0), (("1", "3"), 0.5), (("1", "2", "3"), 0.5), (("1", "1", "3"), 0.0)]
)
def test_a_tie_among_options_that_all_pass_passes(world: Any, answers: tuple[str, ...], passing: float):
    """Raters who differ on which passing option it is agree that it passes."""
    labels = [world.label("a", answer, f"r{i}", criterion="points") for i, answer in enumerate(answers)]
    found = table(world, (), labels, criterion=world.points)
    assert found.people.passing.tolist() == [passing]


def test_a_decision_wins_over_the_majority(world: Any):
    """The adjudicated answer is gold, makes an item labelled, and may leave it open."""
    decided = {"a": "no", "b": None, "c": "yes"}
    frozen = CalibrationSet(
        name="s",
        rubric=world.rubric,
        items=tuple(Item(id=x) for x in "abcd"),
        labels=(world.label("a", "yes"), world.label("b", "yes"), world.label("d", "yes")),
        adjudications=tuple(
            Adjudication(subject=x, criterion="grounded", answer=y, by="eva", at="2025-01-01")
            for x, y in decided.items()
        ),
    )
    found = table(world, (), frozen)
    assert found.people.gold.tolist() == [0, -1, 1, 1]
    assert found.people.passing.tolist() == [0, 0.5, 1, 1]
    assert found.people.adjudicated.tolist() == [True, False, True, False]
    assert found.people.labelled.all()


def test_an_answer_that_is_no_option_is_refused(world: Any):
    """A misspelt answer is named with rater and item."""
    with pytest.raises(FielError, match="'ana' answered 'Yes' to item 'a', which is no option") as caught:
        table(world, (), [world.label("a", "Yes")])
    assert caught.value.fix == "The options are ['no', 'yes']."


def test_a_rater_who_answers_twice_in_different_ways_is_refused(world: Any):
    """Nobody but the owner of the labels knows which answer stands."""
    with pytest.raises(FielError, match="Rater 'ana' answered 'a' twice: no and yes"):
        table(world, (), [world.label("a", "yes"), world.label("a", "no")])


def test_an_answer_after_a_skip_is_an_answer(world: Any):
    """A cell that was skipped first and answered later is answered, in either order of the lines."""
    lines = [world.label("a", None), world.label("a", "yes")]
    for labels in (lines, lines[::-1]):
        found = table(world, (), labels)
        assert (found.people.gold.tolist(), found.people.skipped) == ([1], 0)


def test_a_belief_over_other_options_is_refused(world: Any):
    """A belief must be over the options of the criterion, in their order."""
    other = Criterion(id="grounded", question="?", options=("yes", "no"))
    strange = world.judgement("a", 0.9, of=other, criterion_digest=world.grounded.digest)
    with pytest.raises(FielError, match=r"over \['yes', 'no'\]"):
        table(world, [strange], ())


def test_groups_are_clusters_and_lone_items_their_own(world: Any):
    """Items of one group share a code; items without a group share none."""
    items = [Item(id="a", group="g"), Item(id="b", group="g"), Item(id="c"), Item(id="d"), Item(id="e", group="2")]
    found = table(world, (), (), items)
    assert found.groups[0] == found.groups[1]
    assert len(set(found.groups.tolist())) == 4
    assert found.clusters(np.array([True, False, True, True, True])) is None
    clusters = found.clusters(np.array([True, True, True, False, False]))
    assert clusters is not None
    assert len(set(clusters.tolist())) == 2


def test_a_check_counts_as_scored_and_checked(world: Any):
    """What a deterministic check decided is judged, scored, and told apart."""
    found = table(world, [world.judgement("a", 1.0, source="check"), world.judgement("b", 0.9)], ())
    assert (found.funnel.judged, found.funnel.scored, found.funnel.checked) == (2, 2, 1)


def test_options_have_places_from_0_to_1():
    """Numbers keep their distances, and words are evenly spaced."""
    cases = {("1", "2", "5"): [0, 0.25, 1], ("bad", "fair", "good"): [0, 0.5, 1]}
    for options, expected in cases.items():
        assert unit_values(Criterion(id="c", question="?", options=options)).tolist() == expected


def test_a_table_of_nothing_is_a_table(world: Any):
    """Nothing judged and nothing labelled is counted as nothing."""
    rubric = Rubric(id="rag", criteria=(world.grounded,))
    found = table(world, (), (), criterion=rubric["grounded"])
    assert found.funnel.items == found.funnel.judged == found.funnel.labelled == found.funnel.both == 0
