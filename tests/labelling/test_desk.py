from __future__ import annotations

import msgspec
import pytest

from fiel.labelling import ClosedError, Conflict, Desk, Entrant, MissingError
from fiel.records import FielError, Given


def test_only_a_link_opens(office):
    """The token of a link tells who has come; anything else is nobody, and a new link closes the old one."""
    served = office()
    link = served.links[0]
    assert served.desk.entrant(link.token) == Entrant("helpful", "ana", "rater")
    for wrong in ("", link.token[:-1], link.token + "x", "ana", "\ud800", "\0", "x" * 10_000):
        assert served.desk.entrant(wrong) is None
    again = served.store.issue("helpful", "ana")
    assert served.desk.entrant(link.token) is None
    assert served.desk.entrant(again.token) == Entrant("helpful", "ana", "rater")


def test_what_a_page_is_told_encodes_nothing(office, made):
    """Acceptance 17: ids, groups, authors and fields that are not shown stand nowhere in what a page gets."""
    served = office(subjects=(*made.items(20), *made.pairs(20)), show=("input", "output", "a", "b", "topic"))
    who = served.who("ana")
    told = msgspec.json.encode([served.desk.opening(who), served.desk.places(who, 0, 100), served.desk.progress(who)])
    assert b"secret" not in told
    assert b"Reference" not in told
    assert b"ben" not in told
    assert b"topic 3" in told


def test_the_counter_is_of_the_sample(office):
    """Acceptance 18: both raters count to 30, whatever is repeated in secret."""
    served = office()
    for name in ("ana", "ben"):
        opening = served.desk.opening(served.who(name))
        assert (opening.total, opening.places) == (30, 32)
        assert served.desk.progress(served.who(name)).total == 30
        places = served.desk.places(served.who(name), 0, 100)
        assert [place.counted for place in places].count(False) == 2


def test_places_come_in_pieces(office):
    """A page asks for some places, in the order of the queue, and gets fewer at its end."""
    served = office()
    who = served.who("ana")
    whole = served.desk.places(who, 0, 100)
    assert served.desk.places(who, 10, 5) == whole[10:15]
    assert served.desk.places(who, 30, 50) == whole[30:]
    assert served.desk.places(who, 99, 5) == []
    assert served.desk.places(who, -3, -1) == []


def test_the_same_queue_after_a_restart(office):
    """Acceptance 7: another desk on the same store serves the same order with the same answers."""
    served = office()
    served.put("ana", 4, answer="yes")
    who = served.who("ana")
    assert Desk(served.store).places(who, 0, 100) == served.desk.places(who, 0, 100)
    assert served.desk.places(who, 4, 1)[0].given["grounded"].answer == "yes"


def test_undo_is_a_write_of_the_state_before(office):
    """Acceptance 5: three undos walk back over three states, and the history holds all of them."""
    served = office()
    for version, answer in enumerate(("no", "yes", None, "yes", "no")):
        kept = served.put("ana", 0, version=version, answer=answer)
        assert isinstance(kept, Given)
        assert kept.version == version + 1
    said = [given.label.answer for given in served.store.history("helpful")]
    assert said == ["no", "yes", None, "yes", "no"]
    (stands,) = served.store.givens("helpful")
    assert (stands.label.answer, stands.version) == ("no", 5)


def test_a_stale_page_gets_a_conflict(office):
    """Acceptance 10: a write on a version that no longer stands changes nothing and is told what stands."""
    served = office()
    served.put("ana", 0, answer="yes", note="mine")
    found = served.put("ana", 0, answer="no")
    assert isinstance(found, Conflict)
    assert (found.standing.version, found.standing.answer, found.standing.note) == (1, "yes", "mine")
    assert isinstance(served.put("ana", 1, version=3, answer="no"), Conflict)
    assert [given.label.answer for given in served.store.givens("helpful")] == ["yes"]


def test_a_retry_is_no_second_answer(office):
    """Acceptance 9: the same write again, whenever it comes, is answered with what was kept the first time."""
    served = office()
    who = served.who("ana")
    write = served.desk.check(who, 0, "grounded", served.entry(answer="yes"))
    first = served.desk.keep([write, write])
    served.put("ana", 0, version=1, answer="no")
    served.store.close_study("helpful")
    assert [*first, *served.desk.keep([write])] == [first[0]] * 3
    assert [given.version for given in served.store.history("helpful")] == [1, 2]


def test_a_key_with_another_answer_is_no_retry(office):
    """A key that comes again with another answer is not told that this one was kept."""
    served = office()
    who = served.who("ana")
    one, other = (served.entry(key="same", answer=answer) for answer in ("yes", "no"))
    kept = served.desk.keep([served.desk.check(who, 0, "grounded", entry) for entry in (one, other)])
    assert isinstance(kept[0], Given)
    assert isinstance(kept[1], Conflict)


def test_many_writes_are_settled_one_by_one(office):
    """In one transaction the second write on a cell sees the first, and a conflict does not undo its neighbours."""
    served = office()
    who = served.who("ana")
    writes = [
        served.desk.check(who, place, "grounded", served.entry(version=version, answer="yes"))
        for place, version in ((0, 0), (0, 1), (0, 0), (1, 0))
    ]
    kept = served.desk.keep(writes)
    assert [type(one) for one in kept] == [Given, Given, Conflict, Given]
    assert len(served.store.history("helpful")) == 3


def test_a_closed_study_takes_nothing(office):
    """After closing, answers and decisions are turned away and nothing is stored; reading goes on."""
    served = office(adjudicator="eva")
    served.put("ana", 0, answer="yes", flag=True)
    (entry,) = served.desk.queue(served.who("eva", "adjudicator"))
    served.store.close_study("helpful")
    assert isinstance(served.put("ana", 1, answer="yes"), ClosedError)
    assert isinstance(served.decide("eva", entry.n, answer="yes", reason="rater slip"), ClosedError)
    assert not served.desk.opening(served.who("ana")).open
    assert len(served.store.history("helpful")) == 1
    assert served.store.decision_history("helpful") == []


@pytest.mark.parametrize(("place", "criterion"), [(-1, "grounded"), (32, "grounded"), (0, "nothing"), (0, "")])
def test_what_is_not_there_is_missing(office, place, criterion):
    """A place outside the queue and a question that is not asked are missing, not wrong."""
    served = office()
    with pytest.raises(MissingError):
        served.desk.check(served.who("ana"), place, criterion, served.entry(answer="yes"))


def test_each_link_opens_its_own_page(office):
    """A rater cannot adjudicate, and an adjudicator cannot rate."""
    served = office(adjudicator="eva")
    rater, eva = served.who("ana"), served.who("eva", "adjudicator")
    for call in (
        lambda: served.desk.queue(rater),
        lambda: served.desk.cell(rater, 0),
        lambda: served.desk.places(eva, 0, 1),
        lambda: served.desk.progress(eva),
        lambda: served.desk.check(eva, 0, "grounded", served.entry(answer="yes")),
    ):
        with pytest.raises(ClosedError):
            call()


def test_a_wrong_entry_stores_nothing(office):
    """What is refused leaves no trace in the history."""
    served = office()
    with pytest.raises(FielError):
        served.put("ana", 0, answer="maybe")
    assert served.store.history("helpful") == []


def test_progress_counts_whole_places(office):
    """A place is answered when all its questions are; a skip and a flag are counted apart, repeats not at all."""
    served = office()
    queue = served.store.assignments("helpful", "ana")
    first = [one.place for one in queue if one.repeat == 0]
    repeated = next(one.place for one in queue if one.repeat)
    served.put("ana", first[0], "grounded", answer="yes")
    served.put("ana", first[0], "help", answer="2")
    served.put("ana", first[1], "grounded", answer="yes", flag=True)
    served.put("ana", first[2], "grounded", skipped="unclear")
    served.put("ana", first[2], "help", skipped="not applicable")
    served.put("ana", repeated, "grounded", answer="yes")
    served.put("ana", repeated, "help", answer="1", flag=True)
    told = served.desk.progress(served.who("ana"))
    assert (told.answered, told.skipped, told.flagged, told.total) == (1, 1, 1, 30)


def test_raters_do_not_see_each_other(office):
    """What one rater answers changes nothing of what another is told."""
    served = office()
    who = served.who("ben")
    before = (served.desk.opening(who), served.desk.places(who, 0, 100), served.desk.progress(who))
    served.put("ana", 0, answer="yes", note="mine", flag=True)
    assert (served.desk.opening(who), served.desk.places(who, 0, 100), served.desk.progress(who)) == before


def test_an_empty_text_is_shown_and_an_absent_one_is_not(office, made):
    """An empty answer is a part of its own; what the item does not have is left out."""
    served = office(subjects=tuple(msgspec.structs.replace(item, output="") for item in made.items(2)))
    (place,) = served.desk.places(served.who("ana"), 0, 1)
    assert [part.name for part in place.parts] == ["input", "output"]
    assert place.parts[1].text == ""


def test_a_shown_suggestion_is_not_blind(office, made):
    """Where a pre-label is shown, the label says that an answer was in reach; hidden, it is in no store at all."""
    items = tuple(msgspec.structs.replace(item, fields={"pre_label.grounded": "yes"}) for item in made.items(3))
    shown = office(subjects=items, show=("input", "output", "pre_label.grounded"))
    hidden = office(subjects=items)
    for served, seen in ((shown, True), (hidden, False)):
        kept = served.put("ana", 0, answer="yes")
        assert (kept.label.judge_seen, kept.label.blind) == (seen, not seen)
        assert served.put("ana", 0, "help", answer="1").label.blind
    assert all(not subject.fields for subject in hidden.store.study("helpful").subjects)
