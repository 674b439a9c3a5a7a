from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from fiel.labelling import Conflict, DecisionConflict, MissingError, freeze
from fiel.labelling._adjudication import spread
from fiel.records import Criterion, FielError

SPLIT = 9


def label_all(served, split: int = SPLIT) -> None:
    """Two raters answer 30 items, and split on the first so many."""
    names = [f"secret-id-{i:03}" for i in range(30)]
    served.give_all(("ana", name, {"answer": "yes"}) for name in names)
    served.give_all(("ben", name, {"answer": "no" if i < split else "yes"}) for i, name in enumerate(names))


def test_nine_splits_are_nine_decisions(office):
    """Acceptance 20: 30 items stay, 9 are split; decisions stand beside the labels and change no other cell."""
    served = office(adjudicator="eva")
    label_all(served)
    eva = served.who("eva", "adjudicator")
    before = freeze(served.store.study("helpful"), served.store.givens("helpful"))
    queue = served.desk.queue(eva)
    assert [entry.kinds for entry in queue] == [("split",)] * SPLIT
    for entry in queue:
        served.decided("eva", entry.n, answer="no", reason="rater slip")
    assert [entry.decided for entry in served.desk.queue(eva)] == [True] * SPLIT
    decisions = [one.decision for one in served.store.decisions("helpful")]
    after = freeze(served.store.study("helpful"), served.store.givens("helpful"), decisions)
    assert after.labels == before.labels
    assert len(after.items) == 30
    assert [one.subject for one in after.adjudications] == [f"secret-id-{i:03}" for i in range(SPLIT)]
    assert {(one.by, one.before, one.answer, one.reason) for one in after.adjudications} == {
        ("eva", ("yes", "no"), "no", "rater slip")
    }
    assert all(one.at for one in after.adjudications)


def test_names_come_after_the_decision(office):
    """Acceptance 46: before it no name and no id stands in anything that the page is told; after it the names do."""
    served = office(adjudicator="eva")
    label_all(served)
    eva = served.who("eva", "adjudicator")
    queue = served.desk.queue(eva)
    told = msgspec.json.encode([served.desk.opening(eva), queue, *(served.desk.cell(eva, one.n) for one in queue)])
    for name in (b"ana", b"ben", b"secret"):
        assert name not in told
    n = queue[0].n
    served.decided("eva", n, answer="yes", reason="rater slip")
    assert {card.name for card in served.desk.cell(eva, n).cards} == {"ana", "ben"}
    assert {card.name for card in served.desk.cell(eva, queue[1].n).cards} == {None}
    served.decided("eva", n, version=1)
    assert {card.name for card in served.desk.cell(eva, n).cards} == {None}


def test_letters_are_shuffled_per_cell(office):
    """Acceptance 46: over thirty cells each rater is sometimes A and sometimes B, and a cell keeps its letters."""
    served = office(adjudicator="eva")
    label_all(served, split=30)
    eva = served.who("eva", "adjudicator")
    first: Counter[str] = Counter()
    for entry in served.desk.queue(eva):
        cards = served.desk.cell(eva, entry.n).cards
        assert [card.letter for card in cards] == ["A", "B"]
        assert served.desk.cell(eva, entry.n).cards == cards
        first[cards[0].answer] += 1
    assert min(first["yes"], first["no"]) >= 5


def test_numbers_of_cells_encode_nothing(office):
    """The order of the queue is not that of the items."""
    served = office(adjudicator="eva")
    label_all(served, split=30)
    queue = served.desk.queue(served.who("eva", "adjudicator"))
    inputs = [served.desk.cell(served.who("eva", "adjudicator"), entry.n).parts[0].text for entry in queue]
    assert inputs != sorted(inputs, key=lambda text: int(text.strip("Question ?")))
    assert [entry.n for entry in queue] == sorted(entry.n for entry in queue)


def test_the_queue_holds_splits_flags_and_skips(office):
    """A flag, a skip and a split each bring a cell in; agreement, also on "not applicable", does not."""
    served = office(adjudicator="eva")
    for rater in ("ana", "ben"):
        served.give(rater, "secret-id-000", answer="yes")
        served.give(rater, "secret-id-001", answer="yes", flag=rater == "ben")
        served.give(rater, "secret-id-002", "help", skipped="not applicable")
    served.give("ana", "secret-id-003", skipped="broken")
    served.give("ana", "secret-id-004", "help", skipped="not applicable")
    served.give("ben", "secret-id-004", "help", answer="3", flag=True)
    served.give("ana", "secret-id-005", flag=True)
    queue = served.desk.queue(served.who("eva", "adjudicator"))
    assert Counter(entry.kinds for entry in queue) == {("flagged",): 2, ("skipped",): 1, ("split", "flagged"): 1}


def test_hidden_repeats_are_not_adjudicated(office):
    """A rater who differs from himself is no split."""
    served = office(adjudicator="eva", repeats=0.5)
    queue = served.store.assignments("helpful", "ana")
    again = next(one for one in queue if one.repeat)
    served.give("ana", again.subject, answer="yes")
    served.put("ana", again.place, answer="no", flag=True)
    assert served.desk.queue(served.who("eva", "adjudicator")) == []


def test_the_widest_split_comes_first(office):
    """The queue is sorted by spread: 1 against 3 before 1 against 2."""
    served = office(adjudicator="eva")
    for i, (one, other) in enumerate((("1", "2"), ("1", "3"), ("2", "3"))):
        served.give("ana", f"secret-id-{i:03}", "help", answer=one)
        served.give("ben", f"secret-id-{i:03}", "help", answer=other)
    assert [entry.spread for entry in served.desk.queue(served.who("eva", "adjudicator"))] == [1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("said", "scale", "is_pair", "expected"),
    [
        (("1", "1"), "ordinal", False, 0),
        (("1", "10"), "ordinal", False, 1),
        (("1", "2"), "ordinal", False, 0.5),
        (("1", "2"), "interval", False, 1 / 9),
        (("1", "2", "2", "2"), "nominal", False, 0.25),
        (("1", "not applicable"), "interval", False, 0.5),
        (("a", "b"), "nominal", True, 1),
        (("a", "tie"), "nominal", True, 0.5),
        ((), "nominal", False, 0),
    ],
)
def test_spread_is_that_of_the_scale(said, scale, is_pair, expected):
    """By hand: the range on an ordered scale, in its units where it has units; the share of the others elsewhere."""
    asked = Criterion(id="c", question="?", options=("1", "2", "10"), scale=scale)
    assert spread(said, asked, is_pair=is_pair) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"answer": "maybe", "reason": "rater slip"}, "answer"),
        ({"answer": "yes"}, "reason"),
        ({"reason": "rubric gap"}, "answer"),
        ({"answer": "yes", "reason": "true split"}, "answer"),
        ({"answer": "yes", "reason": "item broken"}, "answer"),
        ({"skipped": "unclear", "reason": "rater slip"}, "skipped"),
        ({"answer": "yes", "reason": "rater slip", "note": "x" * 10_001}, "note"),
        ({"answer": "yes", "reason": "rater slip", "key": ""}, "key"),
    ],
)
def test_what_is_no_decision_is_refused(office, fields, where):
    """Each wrong decision is refused with its field, and nothing is stored."""
    served = office(adjudicator="eva")
    label_all(served)
    n = served.desk.queue(served.who("eva", "adjudicator"))[0].n
    with pytest.raises(FielError) as caught:
        served.decide("eva", n, **fields)
    assert caught.value.where == where
    assert served.store.decision_history("helpful") == []


def test_nobodys_answer_needs_a_note(office):
    """An answer that no rater gave is taken with a note alone."""
    served = office(adjudicator="eva")
    served.give("ana", "secret-id-000", "help", answer="1")
    served.give("ben", "secret-id-000", "help", answer="2")
    (entry,) = served.desk.queue(served.who("eva", "adjudicator"))
    with pytest.raises(FielError, match="No rater gave this answer"):
        served.decide("eva", entry.n, answer="3", reason="rubric gap", note=" ")
    with pytest.raises(FielError, match="No rater gave this answer"):
        served.decide("eva", entry.n, skipped="not applicable", reason="rubric gap")
    kept = served.decided("eva", entry.n, answer="3", reason="rubric gap", note="It quotes the page.")
    assert (kept.decision.answer, kept.decision.why) == ("3", "It quotes the page.")
    kept = served.decided("eva", entry.n, version=1, skipped="not applicable", reason="rubric gap", note="Not asked.")
    assert (kept.decision.answer, kept.decision.skipped) == (None, "not applicable")


def test_a_true_split_keeps_a_soft_label(office):
    """A split between people who read the same words stays one: all answers with their shares."""
    served = office(adjudicator="eva", raters=("ana", "ben", "cid"))
    for rater, answer in (("ana", "yes"), ("ben", "no"), ("cid", "yes")):
        served.give(rater, "secret-id-000", answer=answer)
    (entry,) = served.desk.queue(served.who("eva", "adjudicator"))
    kept = served.decided("eva", entry.n, reason="true split")
    assert kept.decision.answer is None
    assert kept.decision.shares == pytest.approx({"yes": 2 / 3, "no": 1 / 3})


def test_nobody_splits_alone(office):
    """Where all gave one answer, a true split is refused."""
    served = office(adjudicator="eva")
    for rater in ("ana", "ben"):
        served.give(rater, "secret-id-000", answer="yes", flag=True)
    (entry,) = served.desk.queue(served.who("eva", "adjudicator"))
    with pytest.raises(FielError, match="Nobody split"):
        served.decide("eva", entry.n, reason="true split")


def test_a_broken_item_has_no_gold(office):
    """A broken item is decided without an answer, and has no soft label either."""
    served = office(adjudicator="eva")
    label_all(served)
    n = served.desk.queue(served.who("eva", "adjudicator"))[0].n
    kept = served.decided("eva", n, reason="item broken")
    assert (kept.decision.answer, kept.decision.shares) == (None, {})


def test_who_rated_is_warned_and_marked(office):
    """Acceptance 46: an adjudicator who is a rater is told so, and the decision says it."""
    served = office(adjudicator="ana")
    label_all(served)
    ana = served.who("ana", "adjudicator")
    n = served.desk.queue(ana)[0].n
    assert served.desk.cell(ana, n).own
    assert served.decided("ana", n, answer="yes", reason="rater slip").decision.own


def test_who_has_still_to_rate_does_not_see_the_others(office):
    """A cell that the adjudicator has to answer himself is out of reach until he has."""
    served = office(adjudicator="ana")
    ana = served.who("ana", "adjudicator")
    served.give("ben", "secret-id-000", skipped="unclear")
    assert served.desk.queue(ana) == []
    for n in range(60):
        with pytest.raises(MissingError):
            served.desk.cell(ana, n)
    served.give("ana", "secret-id-000", answer="yes")
    assert len(served.desk.queue(ana)) == 1


def test_a_cell_outside_the_queue_is_missing(office):
    """What raters agree on, and a number that no cell has, cannot be opened or decided."""
    served = office(adjudicator="eva")
    label_all(served)
    eva = served.who("eva", "adjudicator")
    inside = {entry.n for entry in served.desk.queue(eva)}
    for n in {*range(60), -1, 60, 10**9} - inside:
        with pytest.raises(MissingError):
            served.desk.cell(eva, n)
        with pytest.raises(MissingError):
            served.decide("eva", n, answer="yes", reason="rater slip")


def test_a_stale_decision_gets_a_conflict(office):
    """A decision on a version that no longer stands is not kept, and is told what stands; a retry is no second one."""
    served = office(adjudicator="eva")
    label_all(served)
    n = served.desk.queue(served.who("eva", "adjudicator"))[0].n
    first = served.decided("eva", n, key="one", answer="yes", reason="rater slip")
    assert served.decided("eva", n, key="one", answer="yes", reason="rater slip") == first
    found = served.decide("eva", n, answer="no", reason="rubric gap")
    assert isinstance(found, DecisionConflict)
    assert (found.standing.version, found.standing.answer, found.standing.reason) == (1, "yes", "rater slip")
    assert len(served.store.decision_history("helpful")) == 1


def test_undo_takes_a_decision_back(office):
    """Acceptance 46: a decision without a reason leaves the cell undecided; the history keeps both."""
    served = office(adjudicator="eva")
    label_all(served)
    eva = served.who("eva", "adjudicator")
    n = served.desk.queue(eva)[0].n
    served.decided("eva", n, answer="yes", reason="rater slip")
    served.decided("eva", n, version=1)
    assert not next(entry for entry in served.desk.queue(eva) if entry.n == n).decided
    assert [one.decision.reason for one in served.store.decision_history("helpful")] == ["rater slip", None]
    decisions = [one.decision for one in served.store.decisions("helpful")]
    assert freeze(served.store.study("helpful"), served.store.givens("helpful"), decisions).adjudications == ()


def test_an_answer_that_changes_later_is_told(office):
    """A rater who changes his mind after the decision leaves it standing, marked; also where they agree by then."""
    served = office(adjudicator="eva")
    label_all(served, split=1)
    eva = served.who("eva", "adjudicator")
    (entry,) = served.desk.queue(eva)
    served.decided("eva", entry.n, answer="yes", reason="rater slip")
    assert not served.desk.queue(eva)[0].changed
    served.give("ben", "secret-id-000", version=1, answer="yes")
    (entry,) = served.desk.queue(eva)
    assert (entry.kinds, entry.decided, entry.changed) == ((), True, True)
    assert served.desk.cell(eva, entry.n).changed


def test_a_pair_is_adjudicated_by_sides(office, made):
    """Cards and decision speak of the answers as they stand on the adjudicator's page, the record of a and b."""
    served = office(subjects=made.pairs(20), adjudicator="eva")
    eva = served.who("eva", "adjudicator")
    for one in served.store.assignments("helpful", "ana"):
        if one.repeat == 0:
            served.give("ana", one.subject, answer="first" if one.shown == "ab" else "second", strength=2)
            served.give("ben", one.subject, answer="tie")
    shown = set()
    for entry in served.desk.queue(eva):
        cell = served.desk.cell(eva, entry.n)
        side = next(part.name for part in cell.parts if part.text.startswith("A"))
        shown.add(side)
        assert {card.answer for card in cell.cards} == {side, "tie"}
        assert served.decided("eva", entry.n, answer=side, reason="rater slip").decision.answer == "a"
        assert served.desk.cell(eva, entry.n).decision.answer == side
    assert shown == {"first", "second"}


def test_an_answer_given_too_fast_is_marked(office, made):
    """A card says that nobody can have read the item in the time; all questions of the item count together."""
    long = tuple(msgspec.structs.replace(item, output="x" * 600) for item in made.items(2))
    served = office(subjects=long, adjudicator="eva")
    served.give("ana", "secret-id-000", answer="yes", seconds=1.0)
    served.give("ben", "secret-id-000", answer="no", seconds=1.0)
    served.give("ben", "secret-id-000", "help", answer="1", seconds=60.0)
    eva = served.who("eva", "adjudicator")
    (entry,) = served.desk.queue(eva)
    assert {(card.answer, card.fast) for card in served.desk.cell(eva, entry.n).cards} == {("yes", True), ("no", False)}


def test_who_has_seen_results_does_not_decide_blind(office):
    """A decision after the adjudicator's unblinding says that the judge was in reach."""
    served = office(adjudicator="eva")
    label_all(served)
    one, other = (entry.n for entry in served.desk.queue(served.who("eva", "adjudicator"))[:2])
    assert not served.decided("eva", one, answer="yes", reason="rater slip").decision.judge_seen
    served.store.unblind("helpful", "Eva", "fiel validate --unblind")
    assert served.decided("eva", other, answer="yes", reason="rater slip").decision.judge_seen


def test_a_conflict_of_raters_is_not_one_of_decisions(office):
    """Answers and decisions have versions of their own."""
    served = office(adjudicator="eva")
    label_all(served)
    n = served.desk.queue(served.who("eva", "adjudicator"))[0].n
    served.decided("eva", n, answer="yes", reason="rater slip")
    assert isinstance(served.put("ana", 0, version=0, answer="no"), Conflict)
