from __future__ import annotations

from itertools import combinations
from typing import Any

import msgspec
import pytest

from fiel.labelling import Pace, assign, freeze, pace
from fiel.labelling._pace import run_chance
from fiel.records import Assignment, Given, Label, Study


def given(one: Assignment, criterion: str = "grounded", **fields: Any) -> Given:
    """An answer at a place."""
    usual = {"answer": "yes", "seconds": 30.0, "blind": True}
    label = Label(subject=one.subject, criterion=criterion, rater=one.rater, repeat=one.repeat, **(usual | fields))
    return Given(label=label, place=one.place, version=1, at="2026-01-01T00:00:00Z")


def paces(study: Study, givens: list[Given]) -> dict[str, Pace]:
    """The report by rater."""
    return {one.rater: one for one in pace(study, assign(study), givens)}


def queue(study: Study, rater: str = "ana") -> list[Assignment]:
    """A rater's places."""
    return [one for one in assign(study) if one.rater == rater]


def test_a_rater_with_two_answers_is_there_with_two(made):
    """Acceptance 21: few answers are reported as few, none as none, and the set keeps them as they are."""
    study = made.study(raters=("ana", "ben", "cid"))
    givens = [given(one) for one in queue(study)] + [given(one) for one in queue(study, "ben")[:2]]
    found = paces(study, givens)
    assert [(one.rater, one.answered, one.assigned) for one in found.values()] == [
        ("ana", 30, 30),
        ("ben", 2, 30),
        ("cid", 0, 30),
    ]
    assert (found["cid"].seconds, found["cid"].run, found["cid"].timed) == (None, None, 0)
    raters = [label.rater for label in freeze(study, givens).labels]
    assert raters.count("ben") == 2


def test_nobody_is_left_out(made):
    """However fast a rater was, all of his answers are frozen."""
    study = made.study(repeats=0)
    givens = [given(one, seconds=0.0) for one in queue(study)]
    assert paces(study, givens)["ana"].fast == 30
    assert len(freeze(study, givens).labels) == 30


def test_time_is_held_against_length(made):
    """600 characters cannot be read in nine seconds and can in eleven; all questions of an item count together."""
    items = tuple(msgspec.structs.replace(item, input=None, output="x" * 600) for item in made.items(3))
    study = made.study(subjects=items, repeats=0)
    one, two, three = queue(study)
    givens = [given(one, seconds=9.0), given(two, seconds=11.0), given(three, seconds=6.0)]
    givens.append(given(three, "help", answer="1", seconds=6.0))
    found = paces(study, givens)["ana"]
    assert (found.fast, found.timed, found.seconds) == (1, 3, 11.0)


def test_an_unknown_time_is_not_fast(made):
    """A label without a time is not among the timed ones."""
    study = made.study(repeats=0)
    found = paces(study, [given(one, seconds=None) for one in queue(study)])["ana"]
    assert (found.fast, found.timed, found.seconds, found.answered) == (0, 0, None, 30)


def test_a_run_follows_the_queue(made):
    """The longest run is counted in the order in which the rater saw the items, with its chance."""
    study = made.study(subjects=made.items(10), repeats=0)
    answers = ["no", "yes", "yes", "yes", "no", "yes", "no", "no", "yes", "no"]
    givens = [given(one, answer=answer) for one, answer in zip(queue(study), answers, strict=True)]
    run = paces(study, givens[::-1])["ana"].run
    assert (run.criterion, run.answer, run.length, run.given, run.of) == ("grounded", "yes", 3, 5, 10)
    assert run.chance == pytest.approx(run_chance(3, 5, 10))


@pytest.mark.parametrize(("of", "given_"), [(6, 3), (8, 5), (7, 7), (5, 1), (9, 4)])
def test_the_chance_of_a_run_is_that_of_all_orders(of, given_):
    """For every length the formula agrees with counting all orders."""
    orders = list(combinations(range(of), given_))
    for length in range(1, of + 1):
        long = sum(any(set(range(at, at + length)) <= set(order) for at in range(of)) for order in orders)
        assert run_chance(length, given_, of) == pytest.approx(long / len(orders))


def test_the_most_surprising_run_is_told(made):
    """Of two criteria the run is told that chance explains least, not the longer one."""
    study = made.study(subjects=made.items(20), repeats=0)
    places = queue(study)
    givens = [given(one) for one in places]
    givens += [given(one, "help", answer="1" if i < 10 else "2") for i, one in enumerate(places)]
    run = paces(study, givens)["ana"].run
    assert (run.criterion, run.length) == ("help", 10)
    assert run.chance < 1e-4


def test_repeats_tell_a_rater_from_himself(made):
    """Of the repeats that were answered both times, the changed ones are counted; a skip is no change."""
    study = made.study(repeats=0.2)
    repeats = [one for one in queue(study) if one.repeat]
    assert len(repeats) == 6
    answers = ["no", "yes", "yes", "yes", "yes"]
    givens = [given(one) for one in queue(study) if not one.repeat]
    givens += [given(one, answer=answer) for one, answer in zip(repeats, answers, strict=False)]
    givens.append(given(repeats[5], answer=None, skipped="unclear"))
    found = paces(study, givens)["ana"]
    assert (found.repeats, found.changed, found.answered) == (5, 1, 30)


def test_suggestions_taken_unread_are_counted(made):
    """C12: of the answers with a suggestion, those that are the suggestion, and those of them given too fast."""
    items = tuple(
        msgspec.structs.replace(item, output="x" * 600, fields={"pre_label.grounded": "yes"} if i < 8 else {})
        for i, item in enumerate(made.items(10))
    )
    study = made.study(subjects=items, repeats=0, show=("output", "pre_label.grounded"))
    suggested = [one for one in queue(study) if one.subject < "secret-id-008"]
    others = [one for one in queue(study) if one.subject >= "secret-id-008"]
    givens = [given(one, seconds=1.0) for one in suggested[:3]]
    givens += [given(one, seconds=20.0) for one in suggested[3:6]]
    givens += [given(one, seconds=1.0, answer="no") for one in suggested[6:]]
    givens += [given(one, seconds=1.0) for one in others]
    found = paces(study, givens)["ana"]
    assert (found.suggested, found.accepted, found.unread, found.fast) == (8, 6, 3, 7)


def test_flags_skips_and_answers_in_reach_are_counted(made):
    """What a rater skipped, flagged, and answered with the judge in reach, each on its own."""
    study = made.study(repeats=0)
    one, two, three, *_ = queue(study)
    givens = [given(one, answer=None, skipped="broken"), given(two, flag=True), given(three, blind=False)]
    found = paces(study, givens)["ana"]
    assert (found.answered, found.skipped, found.flagged, found.not_blind) == (2, 1, 1, 1)
