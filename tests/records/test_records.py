from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.records import (
    Contains,
    Criterion,
    Distribution,
    Evidence,
    FielError,
    Item,
    Judgement,
    Label,
    Length,
    Pair,
    Regex,
    Rubric,
    nearest,
    one_line,
)

ANSWERED = dict.fromkeys(("subject", "subject_digest", "criterion", "criterion_digest", "judge", "identity"), "x")


@pytest.mark.parametrize("kind", [Item, Pair])
@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "\t"])
def test_an_id_that_breaks_lists_is_refused(kind, name):
    """An id is one visible line."""
    with pytest.raises(FielError, match="id"):
        kind(id=name)


def test_items_do_not_share_their_fields():
    """The default of one item is not the default of another."""
    assert Item(id="a").fields is not Item(id="b").fields


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": " "}, "id"),
        ({"question": " "}, "question"),
        ({"options": ("yes",)}, "two distinct"),
        ({"options": ("yes", "yes")}, "two distinct"),
        ({"options": ("a", "b", "a")}, "two distinct"),
        ({"passing": ("maybe",)}, "passing"),
        ({"passing": ("no", "yes")}, "passing"),
        ({"scale": "interval"}, "numbers"),
        ({"scale": "interval", "options": ("1", "inf")}, "numbers"),
        ({"scale": "interval", "options": ("1", "nan")}, "numbers"),
    ],
)
def test_a_criterion_that_cannot_be_counted_is_refused(change, words):
    """Every way to write a criterion without a meaning is an error that names the fault."""
    with pytest.raises(FielError, match=words):
        Criterion(**{"id": "c", "question": "q"} | change)


def test_the_last_option_passes_unless_told():
    """Options stand worst first."""
    assert Criterion(id="c", question="q").passes == ("yes",)
    assert Criterion(id="c", question="q", passing=("no",)).passes == ("no",)


def test_a_rubric_finds_its_criteria_and_names_them():
    """A wrong name is answered with the right ones."""
    rubric = Rubric(id="r", criteria=(Criterion(id="a", question="q"), Criterion(id="b", question="q")))
    assert rubric["b"] is rubric.criteria[1]
    with pytest.raises(FielError, match="It has: a, b"):
        rubric["c"]


def test_a_rubric_needs_criteria_of_different_names():
    """An empty rubric and two criteria of one id are refused."""
    with pytest.raises(FielError, match="no criteria"):
        Rubric(id="r", criteria=())
    with pytest.raises(FielError, match="Two criteria"):
        Rubric(id="r", criteria=(Criterion(id="a", question="q"), Criterion(id="a", question="p")))


@pytest.mark.parametrize("make", [Length, Contains, lambda: Regex(pattern="a", seconds=0)])
def test_a_check_that_checks_nothing_is_refused(make):
    """A check needs a bound, a text, a limit of time."""
    with pytest.raises(FielError):
        make()


@pytest.mark.parametrize("status", ["abstained", "refused", "unparsed", "error"])
def test_a_failure_never_carries_a_belief(status):
    """A belief stands exactly with the status ok."""
    belief = Distribution.point("yes", ("no", "yes"))
    with pytest.raises(ValueError, match="belief"):
        Judgement(**ANSWERED, status=status, belief=belief)
    with pytest.raises(ValueError, match="belief"):
        Judgement(**ANSWERED, status="ok")
    assert Judgement(**ANSWERED, status=status).verdict is None
    assert Judgement(**ANSWERED, status="ok", belief=belief).verdict == "yes"


def test_evidence_is_found_where_it_has_a_place():
    """A fragment at offset 0 is found; one without offsets is not."""
    assert Evidence(text="a", field="answer", start=0, end=1).found
    assert not Evidence(text="a", field="answer").found


def test_a_label_is_an_answer_or_a_skip():
    """Never both."""
    with pytest.raises(FielError, match="both"):
        Label(subject="a", criterion="c", rater="p", answer="yes", skipped="unclear")


def test_records_are_frozen():
    """What is known does not change under the reader."""
    with pytest.raises(AttributeError):
        Item(id="a").output = "b"


def test_records_take_names_only():
    """No record is filled by position."""
    with pytest.raises(TypeError):
        Item("a")


@given(st.text(max_size=20), st.none() | st.text(max_size=20), st.none() | st.text(max_size=20))
def test_an_error_says_what_where_and_how(what, where, fix):
    """The message holds all that it was given, a part a line, with nothing that acts on a terminal."""
    error = FielError(what, where=where, fix=fix)
    assert all(one_line(part) in str(error) for part in (what, where, fix) if part)
    assert len(str(error).split("\n")) <= 3
    assert "\x1b" not in str(error)
    assert (error.what, error.where, error.fix) == (what, where, fix)


def test_the_nearest_word_is_offered_only_when_it_is_near():
    """A typing error is mended, a different word is not."""
    assert nearest("contxet", ["context", "output"]) == "context"
    assert nearest("zebra", ["context", "output"]) is None


def test_replacing_a_field_checks_again():
    """A changed record is held to the same rules."""
    with pytest.raises(FielError):
        msgspec.structs.replace(Item(id="a"), id="")
