from __future__ import annotations

import msgspec

from fiel.labelling import State, state
from fiel.records import Item


def found(office) -> State:
    """How far the office's study is."""
    store, name = office.store, office.name
    return state(store.study(name), store.assignments(name), store.givens(name), store.decisions(name))


def test_a_new_study_is_all_open(office):
    """Nobody has answered: every question of every rater is open, repeats aside, and nothing waits to be decided."""
    there = found(office(repeats=0.2))
    assert [(x.rater, x.asked, x.answered, x.skipped, x.open, x.flagged, x.last) for x in there.raters] == [
        ("ana", 60, 0, 0, 60, 0, None),
        ("ben", 60, 0, 0, 60, 0, None),
    ]
    assert (there.splits, there.decided, there.undecided, there.others) == ({}, 0, 0, 0)


def test_answers_skips_flags_and_splits_are_counted(office):
    """Of each rater what is answered, skipped, open and flagged; of each criterion how many cells are split."""
    room = office(subjects=tuple(Item(id=f"i{i}", output="x") for i in range(4)), adjudicator="eva", repeats=0.0)
    for subject, ana, ben in (("i0", "no", "yes"), ("i1", "yes", "yes"), ("i2", "no", "yes")):
        room.give("ana", subject, answer=ana)
        room.give("ben", subject, answer=ben, flag=subject == "i1")
    room.give("ana", "i0", "help", answer="1")
    room.give("ben", "i0", "help", skipped="not applicable")
    room.give("ana", "i1", "help", skipped="unclear")
    there = found(room)
    ana, ben = there.raters
    assert (ana.asked, ana.answered, ana.skipped, ana.open, ana.flagged) == (8, 4, 1, 3, 0)
    assert (ben.asked, ben.answered, ben.skipped, ben.open, ben.flagged) == (8, 3, 1, 4, 1)
    assert ana.last == max(given.at for given in room.store.givens(room.name, rater="ana"))
    assert there.splits == {"grounded": 2, "help": 1}
    assert (there.undecided, there.others, there.others_decided) == (3, 2, 0)


def test_decisions_are_counted_taken_back_and_outdated(office):
    """A decided split waits no more; one that was taken back does; one on answers that have changed is told."""
    room = office(subjects=tuple(Item(id=f"i{i}", output="x") for i in range(3)), adjudicator="eva", repeats=0.0)
    for subject in ("i0", "i1", "i2"):
        room.give("ana", subject, answer="no")
        room.give("ben", subject, answer="yes")
    queue = room.desk.queue(room.who("eva", "adjudicator"))
    for entry in queue[:2]:
        room.decided("eva", entry.n, answer="no", reason="rater slip")
    assert (found(room).decided, found(room).undecided, found(room).outdated) == (2, 1, 0)
    room.decided("eva", queue[0].n, version=1)
    assert (found(room).decided, found(room).undecided) == (1, 2)
    plan = {x.decision.subject for x in room.store.decisions(room.name) if x.decision.reason}
    (subject,) = plan
    room.give("ben", subject, answer="no", version=1)
    there = found(room)
    assert (there.decided, there.undecided, there.outdated) == (0, 2, 1)
    assert (there.others, there.others_decided) == (1, 1)


def test_it_is_the_queue_of_whoever_decides(office):
    """Splits and the other cells together are as many as the adjudicator finds in the queue."""
    room = office(adjudicator="eva", repeats=0.0)
    ids = [subject.id for subject in room.store.study(room.name).subjects]
    for i, subject in enumerate(ids):
        room.give("ana", subject, answer="yes", flag=i % 7 == 0)
        room.give("ben", subject, **({"skipped": "unclear"} if i % 5 == 0 else {"answer": "no" if i % 3 else "yes"}))
    there = found(room)
    queue = room.desk.queue(room.who("eva", "adjudicator"))
    assert sum(there.splits.values()) == sum("split" in entry.kinds for entry in queue) > 0
    assert there.others == sum("split" not in entry.kinds for entry in queue) > 0


def test_no_answer_is_told(office):
    """Two studies whose raters answered the contrary of each other look the same: no option can be read from it."""
    shown = []
    for one, other in (("no", "yes"), ("yes", "no")):
        room = office(repeats=0.0)
        for subject in room.store.study(room.name).subjects[:9]:
            room.give("ana", subject.id, answer=one)
            room.give("ben", subject.id, answer=other)
        plain = msgspec.to_builtins(found(room))
        shown.append(plain | {"raters": [{**rater, "last": None} for rater in plain["raters"]]})
    assert shown[0] == shown[1]
