from __future__ import annotations

from typing import Any

import pytest

from fiel.labelling import NOT_APPLICABLE, Entry, Mark
from fiel.labelling._entries import to_label, to_standing
from fiel.records import Assignment, Criterion, FielError, Given, Item, Pair, Span

ITEM = Item(id="i1", input="Wer?", context=None, output="Niño 👩‍👩‍👧 aquí", fields={"topic": "x"})
PAIR = Pair(id="p1", input="Q", a="left", b="right one")
PLAIN = Criterion(id="c", question="Is it?", options=("no", "yes"))
WHEN = Criterion(id="w", question="Is it?", options=("no", "yes"), applies_when="asked")


def entry(**fields: Any) -> Entry:
    """An entry with the usual rest."""
    return Entry(**({"key": "k", "version": 0, "seconds": 1.0} | fields))


def label(subject: Item | Pair = ITEM, criterion: Criterion = PLAIN, shown: Any = None, **fields: Any):
    """The label of an entry."""
    place = Assignment(rater="ana", place=3, subject=subject.id, shown=shown)
    return to_label(entry(**fields), place, subject, criterion, suggested=False)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"answer": "Yes"}, "answer"),
        ({"answer": " yes"}, "answer"),
        ({"answer": ""}, "answer"),
        ({"answer": "<b>x</b>"}, "answer"),
        ({"answer": "first"}, "answer"),
        ({"answer": "yes", "skipped": "unclear"}, "answer"),
        ({"skipped": " \n"}, "skipped"),
        ({"skipped": "x" * 1001}, "skipped"),
        ({"skipped": "Not applicable"}, "skipped"),
        ({"answer": "yes", "strength": 2}, "strength"),
        ({"strength": 1}, "strength"),
        ({"answer": "yes", "seconds": float("nan")}, "seconds"),
        ({"answer": "yes", "seconds": float("inf")}, "seconds"),
        ({"answer": "yes", "seconds": -0.1}, "seconds"),
        ({"answer": "yes", "seconds": 1e9}, "seconds"),
        ({"answer": "yes", "note": "x" * 10_001}, "note"),
        ({"answer": "yes", "key": ""}, "key"),
        ({"answer": "yes", "key": "a\0b"}, "key"),
        ({"answer": "yes", "key": "x" * 101}, "key"),
        ({"answer": "yes", "version": -1}, "version"),
        ({"answer": "yes", "version": 2**40}, "version"),
        ({"evidence": (Mark(part="output", start=0, end=0),)}, "evidence"),
        ({"evidence": (Mark(part="output", start=-1, end=2),)}, "evidence"),
        ({"evidence": (Mark(part="output", start=0, end=len(ITEM.output) + 1),)}, "evidence"),
        ({"evidence": (Mark(part="context", start=0, end=1),)}, "evidence"),
        ({"evidence": (Mark(part="topic", start=0, end=1),)}, "evidence"),
        ({"evidence": (Mark(part="first", start=0, end=1),)}, "evidence"),
        ({"evidence": (Mark(part="output", start=0, end=1),) * 201}, "evidence"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_its_field(fields, where):
    """Each wrong entry is refused, and the error names the field."""
    with pytest.raises(FielError) as caught:
        label(**fields)
    assert caught.value.where == where


@pytest.mark.parametrize("text", ["note", "skipped"])
def test_half_a_character_is_refused(text):
    """A lone surrogate, which no database can hold, is refused before it gets there."""
    with pytest.raises(FielError, match="surrogate"):
        label(**{text: "a\ud800b"})


def test_an_answer_is_kept_to_the_letter():
    """Options that read like numbers, nothing, truth or an emoji come out as the texts that they are."""
    for options in (("0", "1"), ("none", "false"), ("Ja", "Nein"), ("👎", "👍🏽"), ("null", "1.0"), ("é", "e\u0301")):
        asked = Criterion(id="c", question="?", options=options)
        assert [label(criterion=asked, answer=option).answer for option in options] == list(options)


def test_not_applicable_is_a_skip_where_it_may_be():
    """Where the criterion says when it applies, any spelling of "not applicable" is that skip."""
    assert label(criterion=WHEN, skipped=" Not Applicable").skipped == NOT_APPLICABLE


def test_neither_answer_nor_skip_clears():
    """An entry with neither is a label with neither, its note and flag kept."""
    made = label(flag=True, note="hm")
    assert (made.answer, made.skipped, made.flag, made.note) == (None, None, True, "hm")


def test_an_empty_note_is_none():
    """White space is no note."""
    assert label(answer="yes", note=" \n").note is None


def test_marks_count_code_points():
    """A mark counts characters, not the halves and bytes in which they are kept."""
    start = ITEM.output.index("aquí")
    made = label(answer="yes", evidence=(Mark(part="output", start=start, end=start + 4),))
    (span,) = made.evidence
    assert span == Span(field="answer", start=start, end=start + 4)
    assert ITEM.output[span.start : span.end] == "aquí"


@pytest.mark.parametrize(
    ("shown", "said", "meant"),
    [("ab", "first", "a"), ("ab", "second", "b"), ("ba", "first", "b"), ("ba", "second", "a"), ("ba", "tie", "tie")],
)
def test_a_pair_is_answered_by_side_and_kept_by_letter(shown, said, meant):
    """The page says first or second, the record a or b, and the page is told first or second again."""
    strength = None if said == "tie" else 2
    made = label(PAIR, shown=shown, answer=said, strength=strength)
    assert (made.answer, made.strength, made.shown) == (meant, strength, shown)
    assert to_standing(Given(label=made, place=3, version=1, at=""), is_pair=True).answer == said


@pytest.mark.parametrize(
    "fields", [{"answer": "a"}, {"answer": "yes"}, {"answer": "first"}, {"answer": "first", "strength": 3}]
)
def test_a_pair_takes_sides_with_a_strength_alone(fields):
    """A pair's own letters, the criterion's options, and a side without its strength are refused."""
    with pytest.raises(FielError):
        label(PAIR, shown="ab", **fields)


def test_a_tie_has_no_strength():
    """Nothing is clearly a tie."""
    with pytest.raises(FielError, match="strength"):
        label(PAIR, shown="ab", answer="tie", strength=1)


def test_a_mark_in_a_pair_follows_the_side():
    """A mark in the answer that stands first belongs to the answer that was shown first, within its length."""
    made = label(PAIR, shown="ba", evidence=(Mark(part="first", start=0, end=9),))
    assert made.evidence == (Span(field="b", start=0, end=9),)
    told = to_standing(Given(label=made, place=3, version=1, at=""), is_pair=True)
    assert told.evidence == (Mark(part="first", start=0, end=9),)
    with pytest.raises(FielError, match="does not lie"):
        label(PAIR, shown="ab", evidence=(Mark(part="first", start=0, end=9),))
