from __future__ import annotations

import pytest

from fiel.interop import Content
from fiel.judges import Imported
from fiel.records import FielError, Judgement

PEOPLE = [
    {"item": "q0", "criterion": "tone", "rater": "ana", "answer": "no"},
    {"item": "q1", "criterion": "tone", "rater": "ana", "answer": "yes"},
]


def row(item: str, value: object, judge: str = "j", **more: object) -> dict[str, object]:
    """A row of a judge's verdicts."""
    return {"item_id": item, "judge": judge, "criterion": "tone", "value": value, **more}


def only(content: Content) -> list[Judgement]:
    """The judgements of the one judge."""
    ((said),) = content.judgements.values()
    return said


def test_a_verdict_is_a_point(take):
    """A verdict without probabilities is all the mass on one option, of the text and wording as they stand."""
    content = take(PEOPLE, [row("q0", "YES", reason="It is \x1b[31mkind.")])
    (said,) = only(content)
    assert (said.status, said.verdict, said.written, said.reason) == ("ok", "yes", "yes", "It is \x1b[31mkind.")
    assert said.belief is not None
    assert (said.belief.source, said.belief.captured) == ("point", None)
    assert said.subject_digest == content.items[0].digest
    assert said.criterion_digest == content.rubric["tone"].digest
    assert said.identity == Imported(name="j", content=content.contents["j"]).identity(content.rubric)


def test_probabilities_are_a_belief_of_their_source(take):
    """Probabilities make the belief, and what was written stands beside it."""
    (said,) = only(take(PEOPLE, [row("q0", "no", probs='{"no": 0.3, "yes": 0.6}')], probs_from="logprobs"))
    assert said.belief is not None
    assert (said.belief.source, said.verdict, said.written) == ("logprobs", "yes", "no")
    assert said.belief.captured == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("more", "status", "reason"),
    [
        ({"value": None}, "unparsed", "no verdict"),
        ({"value": 85}, "unparsed", "off the scale: 85"),
        ({"value": 0}, "inapplicable", None),
        ({"value": None, "status": "refused"}, "refused", None),
        ({"value": None, "status": "N/A"}, "inapplicable", None),
        ({"value": "yes", "probs": '{"maybe": 1}'}, "unparsed", "no probability on the scale"),
        ({"value": 85, "probs": '{"yes": 1}'}, "unparsed", "off the scale: 85"),
    ],
)
def test_failures_are_data(take, more: dict[str, object], status: str, reason: str | None):
    """What is no verdict is kept with its status and why, and never becomes one."""
    (said,) = only(take(PEOPLE, [{**row("q0", None), **more}], not_applicable=("0",)))
    assert (said.status, said.reason, said.belief) == (status, reason, None)


def test_failures_are_counted(take):
    """Verdicts off the scale and rows without one are said with their first places."""
    content = take(PEOPLE, [row("q0", 85), row("q1", None), row("q2", "yes")])
    assert content.notes == (
        "verdicts of judges off the scale, counted as unparsed: 1; tone '85' once (judge.jsonl, line 1)",
        "rows of judges without a verdict, counted as unparsed: 1; j once (judge.jsonl, line 2)",
    )


def test_samples_and_orders(take):
    """Samples are replicates from 0 whatever they are counted from, and the order of a pair is kept."""
    rows = [row("q0", "yes", sample_idx=n, order=order) for n in (1, 2) for order in ("ab", "BA")]
    said = only(take(PEOPLE, rows))
    assert [(j.replicate, j.order) for j in said] == [(0, "ab"), (0, "ba"), (1, "ab"), (1, "ba")]


@pytest.mark.parametrize(
    ("bad", "what", "where"),
    [
        ({"sample_idx": "first"}, "The sample is 'first'", "line 1, column 'sample_idx'"),
        ({"sample_idx": -1}, "The sample is '-1'", "line 1, column 'sample_idx'"),
        ({"order": "sideways"}, "The order is 'sideways'", "line 1, column 'order'"),
        ({"probs": "{"}, "no JSON", "line 1, column 'probs'"),
        ({"criterion": ""}, "The cell is empty", "line 1, column 'criterion'"),
        ({"judge": "a\nb"}, "A name cannot be", "line 1, column 'judge'"),
    ],
)
def test_bad_cells_are_named(take, bad: dict[str, object], what: str, where: str):
    """An error names file, row and column."""
    with pytest.raises(FielError, match=what) as caught:
        take(PEOPLE, [{**row("q0", "yes"), **bad}])
    assert str(caught.value.where).endswith(f"judge.jsonl, {where}")


def test_the_same_cell_twice(take):
    """The same verdict twice is one; two verdicts on one cell are refused with both rows."""
    assert len(only(take(PEOPLE, [row("q0", "yes"), row("q0", "Yes")]))) == 1
    with pytest.raises(FielError, match="twice and differently") as caught:
        take(PEOPLE, [row("q0", "yes"), row("q1", "yes"), row("q0", "no")])
    assert str(caught.value.where).endswith("judge.jsonl, line 1, and line 3")


def test_identity_is_of_what_was_imported(take):
    """Rows in another order or spelling are the same judge; another cell, reading or judge's name is another one."""
    rows = [row("q0", "1", sample_idx=0), row("q1", 2.0, sample_idx=0)]
    people = [{**entry, "answer": place} for place, entry in enumerate(PEOPLE, start=1)]
    first = take(people, rows).contents["j"]
    assert take(people, [row("q1", "2"), row("q0", 1.0)]).contents["j"] == first
    assert take(people, [row("q0", 1), row("q1", 1)]).contents["j"] != first
    assert take(people, rows, probs_from="logprobs").contents["j"] != first
    assert take(people, [{**entry, "judge": "k"} for entry in rows]).contents["k"] != first
