from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fiel.labelling import freeze, in_order
from fiel.records import Adjudication, CalibrationSet, Design, FielError


def test_the_last_version_of_each_cell_is_frozen(office):
    """From all versions or from what stands, the set has the last answer of each cell and each showing once."""
    served = office(repeats=0.1)
    served.put("ana", 0, answer="yes")
    served.put("ana", 0, version=1, answer="no", note="second thought")
    served.put("ben", 0, answer="yes")
    repeated = next(one for one in served.store.assignments("helpful", "ana") if one.repeat)
    served.put("ana", repeated.place, answer="yes")
    study = served.store.study("helpful")
    frozen = freeze(study, served.store.history("helpful"))
    assert frozen == freeze(study, served.store.givens("helpful"))
    assert sorted((x.rater, x.answer, x.repeat) for x in frozen.labels) == [
        ("ana", "no", 0),
        ("ana", "yes", 1),
        ("ben", "yes", 0),
    ]


def test_a_cleared_cell_leaves_nothing(office):
    """What was undone down to nothing is no label; a skip is one."""
    served = office()
    served.put("ana", 0, answer="yes")
    served.put("ana", 0, version=1)
    served.put("ana", 1, skipped="broken")
    frozen = freeze(served.store.study("helpful"), served.store.givens("helpful"))
    assert [(label.answer, label.skipped) for label in frozen.labels] == [(None, "broken")]


def test_nothing_cannot_be_frozen(office):
    """A study without answers gives no set."""
    served = office()
    with pytest.raises(FielError, match="Nobody has answered"):
        freeze(served.store.study("helpful"), [])


def test_answers_after_unblinding_stay_and_do_not_count(office):
    """Acceptance 16: what a rater gives after having looked is in the set, not blind, and left out by default."""
    served = office()
    served.put("ana", 0, answer="yes")
    served.put("ben", 0, answer="yes")
    served.store.unblind("helpful", " ANA", "fiel validate --unblind")
    served.put("ana", 1, answer="yes")
    served.put("ben", 1, answer="yes")
    frozen = freeze(served.store.study("helpful"), served.store.givens("helpful"))
    assert sorted((label.rater, label.blind) for label in frozen.labels) == [
        ("ana", False),
        ("ana", True),
        ("ben", True),
        ("ben", True),
    ]
    assert sorted(label.rater for label in frozen.counting) == ["ana", "ben", "ben"]


def test_repeats_do_not_count(office):
    """A hidden repeat is kept for the rater's own consistency and is no second vote."""
    served = office()
    for one in served.store.assignments("helpful", "ana"):
        if one.repeat:
            served.put("ana", one.place, answer="yes")
    frozen = freeze(served.store.study("helpful"), served.store.givens("helpful"))
    assert len(frozen.labels) == 2
    assert frozen.counting == ()


def test_whole_items_come_back(office, made):
    """Groups, references and fields that raters did not see are in the set, where the items are given."""
    served = office()
    served.put("ana", 0, answer="yes")
    study = served.store.study("helpful")
    givens = served.store.givens("helpful")
    assert study.subjects[0].group is None
    frozen = freeze(study, givens, subjects=made.items(40))
    assert frozen.items == made.items(30)
    assert freeze(study, givens).items == study.subjects


def test_an_item_that_changed_is_refused(office, made):
    """Raters have answered another text than the one that would be frozen."""
    served = office()
    served.put("ana", 0, answer="yes")
    study = served.store.study("helpful")
    first, *others = made.items(30)
    for items in ([msgspec.structs.replace(first, output="New."), *others], others):
        with pytest.raises(FielError, match=first.id):
            freeze(study, served.store.givens("helpful"), subjects=items)
    unseen = [msgspec.structs.replace(first, reference="New.", fields={}), *others]
    assert freeze(study, served.store.givens("helpful"), subjects=unseen).items[0].reference == "New."


def test_pseudonyms_take_the_place_of_names(office):
    """With pseudonyms no given name stands anywhere in the set; two raters cannot get one."""
    served = office(adjudicator="eva")
    served.put("ana", 0, answer="yes")
    served.put("ben", 0, answer="yes")
    decision = Adjudication(
        subject="secret-id-000", criterion="grounded", answer="yes", by="eva", at="2026-01-01", reason="rater slip"
    )
    study, givens = served.store.study("helpful"), served.store.givens("helpful")
    frozen = freeze(study, givens, [decision], pseudonyms={"ana": "R1", "ben": "R2", "eva": "D"})
    assert [label.rater for label in frozen.labels] == ["R1", "R2"]
    assert [one.by for one in frozen.adjudications] == ["D"]
    with pytest.raises(FielError, match="would both be"):
        freeze(study, givens, pseudonyms={"ana": "ben"})


def test_the_order_of_things_does_not_matter(office, made):
    """The digest is the same however items, labels, weights and fields came."""
    served = office()
    for place in range(5):
        for rater in ("ana", "ben"):
            served.put(rater, place, answer="yes")
    study, givens = served.store.study("helpful"), served.store.givens("helpful")
    weights = {item.id: 2.0 for item in made.items(30)}
    one = freeze(study, givens, design=Design(kind="random", weights=weights), subjects=made.items(30))
    rng = np.random.default_rng(1)
    mixed = [msgspec.structs.replace(x, fields=dict(reversed(x.fields.items()))) for x in made.items(30)]
    rng.shuffle(mixed)
    rng.shuffle(givens)
    other_design = Design(kind="random", weights=dict(reversed(weights.items())))
    study = msgspec.structs.replace(study, subjects=tuple(study.subjects[i] for i in rng.permutation(30)))
    other = freeze(study, givens, design=other_design, subjects=mixed)
    assert one.digest == other.digest
    assert msgspec.json.encode(one) == msgspec.json.encode(other)


def test_numbers_are_what_a_file_gives_back(made):
    """A whole number where a share is meant has the digest that it has after it was read again."""
    items = made.items(2)
    whole = CalibrationSet(
        name="s",
        rubric=made.study().rubric,
        design=Design(kind="random", weights={items[0].id: 2, items[1].id: 2}),
        items=items,
    )
    ordered = in_order(whole)
    assert ordered.digest == msgspec.json.decode(msgspec.json.encode(ordered), type=CalibrationSet).digest


def test_name_parent_and_design_are_those_given(office):
    """The set has the study's name or another, its parent and its design; unknown where nobody says."""
    served = office()
    served.put("ana", 0, answer="yes")
    study, givens = served.store.study("helpful"), served.store.givens("helpful")
    assert freeze(study, givens).name == "helpful"
    assert freeze(study, givens).design.kind == "unknown"
    other = freeze(study, givens, design=Design(kind="census"), name="helpful-2", parent="abc")
    assert (other.name, other.parent, other.design.kind) == ("helpful-2", "abc", "census")
