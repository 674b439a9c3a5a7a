from __future__ import annotations

from typing import Any

from fiel.measures import gate_evidence
from fiel.records import Evidence, Item


def test_failures_by_people_come_first_then_those_that_the_judge_doubts(world: Any):
    """Gold failing first, by falling doubt; then unlabelled items below one half; what people pass is no evidence."""
    beliefs = {"a": 0.9, "b": 0.2, "c": 0.1, "d": 0.3, "e": 0.6, "f": 0.05, "g": None}
    gold = {"a": "no", "b": "no", "f": "yes", "g": "no"}
    ids, lines = gate_evidence(
        [world.judgement(x, p) for x, p in beliefs.items()],
        [world.label(x, y) for x, y in gold.items()],
        criterion=world.grounded,
        most=10,
    )
    assert ids == ("b", "a", "g", "c", "d")
    assert lines == (
        "b: people say that it fails; the judge says that it fails, P(passing) = 0.20",
        "a: people say that it fails; the judge lets it pass, P(passing) = 0.90",
        "g: people say that it fails; the judge gave no answer (refused)",
        "c: the judge says that it fails, P(passing) = 0.10",
        "d: the judge says that it fails, P(passing) = 0.30",
    )


def test_the_reason_comes_with_the_fragment_that_stands_in_the_text(world: Any):
    """The reason is given with its fragment, one that was found before one that was not."""
    lost, found = Evidence(text="made up", field="answer"), Evidence(text="in 1903", field="answer", start=0, end=7)
    judgements = [
        world.judgement("a", 0.1, evidence=(lost, found), reason="wrong year"),
        world.judgement("b", 0.2, reason="wrong year"),
    ]
    _, lines = gate_evidence(judgements, criterion=world.grounded)
    assert lines[0].endswith(': "wrong year [in 1903]"')
    assert lines[1].endswith(': "wrong year"')


def test_what_the_judge_wrote_cannot_move_the_cursor(world: Any):
    """Ids and reasons are data: control characters are escaped, and texts are cut at 120 characters."""
    hostile = world.judgement("a\x1b[2J", 0.1, reason="\x1b]0;owned\x07 ::error::\n" + "x" * 500)
    _, (line,) = gate_evidence([hostile], criterion=world.grounded)
    assert line.isprintable()
    quoted = line.split(': "')[1].removesuffix('"')
    assert len(quoted) == 120
    assert quoted.endswith("…")


def test_at_most_as_many_as_asked_and_only_of_the_frame(world: Any):
    """`most` items of `items`, and none where nothing fails."""
    judgements = [world.judgement(f"i{i}", 0.1) for i in range(9)]
    ids, lines = gate_evidence(
        judgements, criterion=world.grounded, items=[Item(id=f"i{i}") for i in range(3, 9)], most=2
    )
    assert ids == ("i3", "i4")
    assert len(lines) == 2
    assert gate_evidence([world.judgement("a", 0.9)], criterion=world.grounded) == ((), ())


def test_a_labelled_failure_that_was_not_judged_is_named(world: Any):
    """People's failures are evidence without a judge, and a check is not called a judge."""
    checked = world.judgement("b", 0.0, source="check", reason="not JSON")
    _, lines = gate_evidence([checked], [world.label("a", "no")], criterion=world.grounded)
    assert lines == (
        "a: people say that it fails; the judge was not asked",
        'b: a check says that it fails, P(passing) = 0.00: "not JSON"',
    )
