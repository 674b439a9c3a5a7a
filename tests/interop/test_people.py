from __future__ import annotations

import pytest

from fiel.records import FielError, Label


def row(item: str, value: object, rater: str = "ana", **more: object) -> dict[str, object]:
    """A row of people's answers."""
    return {"item_id": item, "annotator_id": rater, "criterion": "tone", "value": value, **more}


def test_labels(take):
    """Answers become options whatever their type, an empty one a skip, and what does not apply a skip of that name."""
    content = take(
        [row("q0", 1.0), row("q1", "2"), row("q2", None), row("q3", 0), row("q0", 3, "bo")], not_applicable=("0",)
    )
    assert content.labels == [
        Label(subject="q0", criterion="tone", rater="ana", answer="1"),
        Label(subject="q1", criterion="tone", rater="ana", answer="2"),
        Label(subject="q2", criterion="tone", rater="ana", skipped="blank"),
        Label(subject="q3", criterion="tone", rater="ana", skipped="not applicable"),
        Label(subject="q0", criterion="tone", rater="bo", answer="3"),
    ]
    assert content.rubric["tone"].options == ("1", "2", "3")


def test_a_status_says_why_there_is_no_answer(take):
    """An empty answer whose status is "na" does not apply; one that is missing is blank."""
    rows = [
        row("q0", 1, status="ok"),
        row("q1", 2, status="ok"),
        row("q2", None, status="na"),
        row("q3", None, status="missing"),
    ]
    content = take(rows)
    assert [label.skipped for label in content.labels] == [None, None, "not applicable", "blank"]
    assert content.rubric["tone"].applies_when is not None


def test_off_the_scale_is_kept_out_and_said(take):
    """An answer off the scale is no label: it is counted, with its file and row."""
    content = take([row("q0", 1), row("q1", 5), row("q2", 85), row("q3", 85)], options=("1", "2", "3", "4", "5"))
    assert [label.answer for label in content.labels] == ["1", "5"]
    (note,) = content.notes
    assert note == "answers of people off the scale, kept out: 2; tone '85' 2 times (human.jsonl, line 3)"


def test_the_same_row_twice_counts_once(take):
    """The same answer twice, in whatever spelling, is one label, and that is said."""
    content = take([row("q0", 1), row("q0", "1.0"), row("q1", 2)])
    assert len(content.labels) == 2
    assert content.notes == ("rows of people that say what an earlier row says, left out: 1",)


def test_two_answers_of_one_rater_are_refused(take):
    """Both rows are named, and the column in which they differ is offered for the passes of the rater."""
    rows = [row("q0", 1, round="r1"), row("q0", 2, round="r2"), row("q1", 2, round="r1")]
    with pytest.raises(FielError, match="twice and differently") as caught:
        take(rows)
    assert str(caught.value.where).endswith("human.jsonl, line 1, and line 2")
    assert "--repeat round" in str(caught.value.fix)


def test_passes_are_numbered_by_a_column(take):
    """With the column of the passes the first is the label and the others are its repeats, in the order of numbers."""
    rows = [row("q0", 1, round="10"), row("q0", 2, round="9"), row("q1", 2, round="10")]
    labels = take(rows, repeat="round").labels
    assert [(label.subject, label.answer, label.repeat) for label in labels] == [
        ("q0", "1", 1),
        ("q0", "2", 0),
        ("q1", "2", 0),
    ]
    with pytest.raises(FielError, match="no column 'rund'"):
        take(rows, repeat="rund")


@pytest.mark.parametrize(
    ("rows", "what", "where"),
    [
        ([{"item": "q0", "criterion": "c"}], "No column holds the answers", "human.jsonl"),
        ([{"value": 1, "criterion": "c"}], "No column says which item", "human.jsonl"),
        ([row("q0", 1), row("", 2)], "The cell is empty", "human.jsonl, line 2, column 'item_id'"),
        ([row("q0", 1, rater="a\0b")], "A name cannot be", "human.jsonl, line 1, column 'annotator_id'"),
        ([row("q0", 1), row("zz", 2)], "the first is 'zz'", "human.jsonl, line 2, column 'item_id'"),
    ],
)
def test_bad_rows_are_named(take, rows, what: str, where: str):
    """An error names file, row and column."""
    with pytest.raises(FielError, match=what) as caught:
        take(rows)
    assert str(caught.value.where).endswith(where)
