from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.interop._description import Described
from fiel.interop._rubric import Seen, Wish, check_wish, infer, rubric_text
from fiel.records import Criterion, FielError, Rubric
from fiel.store.rubrics import load_rubric


def inferred(people: dict[str, int], judges: dict[str, int] | None = None, **wish: object) -> Criterion:
    """The criterion that counts of spellings make."""
    seen = Seen(people=Counter(people), judges=Counter(judges or {}))
    return infer("tone", seen, None, Wish(**wish))[0]  # type: ignore[arg-type]


def test_whole_numbers_are_a_whole_scale():
    """A scale of 1 to 5 has a 2 though nobody gave it."""
    criterion = inferred({"5": 9, "1": 2, "3": 1, "4": 1})
    assert (criterion.options, criterion.scale, criterion.passes) == (("1", "2", "3", "4", "5"), "ordinal", ("5",))


def test_people_decide_and_not_the_judge():
    """What only a judge said is no option where people have answered; without people it is."""
    assert inferred({"no": 2, "yes": 2}, {"85": 1}).options == ("no", "yes")
    assert inferred({}, {"yes": 1, "no": 1}).options == ("no", "yes")
    assert inferred({"yes": 3}, {"no": 1, "yes": 1}).options == ("no", "yes")


@pytest.mark.parametrize(
    ("words", "options", "passing"),
    [
        (("true", "false"), ("false", "true"), "true"),
        (("Correct", "Incorrect"), ("Incorrect", "Correct"), "Correct"),
        (("tie", "B", "A"), ("A", "B", "tie"), "A"),
        (("red", "blue"), ("blue", "red"), "red"),
        (("1", "0"), ("0", "1"), "1"),
        (("Unsure", "Yes", "No"), ("No", "Unsure", "Yes"), "Yes"),
    ],
)
def test_words_stand_worst_first(words: tuple[str, ...], options: tuple[str, ...], passing: str):
    """Known words are put worst first, a preference counts the first answer, and the rest goes by the alphabet."""
    criterion = inferred(dict.fromkeys(words, 1))
    assert (criterion.options, criterion.scale, criterion.passes) == (options, "nominal", (passing,))


def test_spellings_that_differ_in_capitals_are_one():
    """The most frequent spelling is the option."""
    assert inferred({"Yes": 5, "yes": 1, "no": 2}).options == ("no", "Yes")


def test_not_applicable_is_no_option():
    """Neither the words for it nor the value that the user named is an option, and the criterion provides for it."""
    assert inferred({"1": 1, "2": 1, "N/A": 1}).options == ("1", "2")
    criterion = inferred({"1": 1, "2": 1}, options=("0", "1", "2"), not_applicable=("0",))
    assert criterion.options == ("1", "2")
    assert inferred({"1": 1, "2": 1, "N/A": 1}).applies_when is not None
    assert inferred({"1": 1, "2": 1}).applies_when is None


def test_measured_numbers_need_levels():
    """Measured numbers are refused with what to do, and rounded to levels where the user says so; the rubric tells."""
    for numbers in ({"0.3": 1, "0.7": 1}, {"0": 1, "85": 1}):
        with pytest.raises(FielError, match="measured numbers") as caught:
            inferred(numbers)
        assert "--levels" in str(caught.value.fix)
    criterion = inferred({"0.3": 1, "0.7": 1}, levels=("0", "0.5", "1"))
    assert (criterion.options, criterion.scale) == (("0", "0.5", "1"), "interval")
    assert "rounded to the nearest" in str(criterion.guidance)


def test_free_text_and_one_answer_are_refused():
    """A column of texts is no scale, and neither is one answer."""
    with pytest.raises(FielError, match="looks like free text"):
        inferred({f"text {n}": 1 for n in range(60)})
    with pytest.raises(FielError, match="Only"):
        inferred({"yes": 9})


def test_a_description_wins_over_the_values():
    """Levels, type, question and what a rate counts come from the description; the wish wins over both."""
    entry = Described(kind="ordinal", levels=("bad", "fair", "good"), passing=("fair", "good"), question="How is it?")
    seen = Seen(people=Counter({"good": 3}))
    criterion, told = infer("tone", seen, entry, Wish())
    assert criterion == Criterion(
        id="tone", question="How is it?", options=("bad", "fair", "good"), passing=("fair", "good"), scale="ordinal"
    )
    assert "from dataset.json" in told
    assert infer("tone", seen, entry, Wish(scale="nominal"))[0].scale == "nominal"


def test_a_wish_must_fit_the_rubric_that_is_used():
    """Options and scale that contradict the rubric are refused, and those that repeat it are not."""
    rubric = Rubric(id="r", criteria=(Criterion(id="c", question="?", options=("1", "2"), scale="ordinal"),))
    check_wish(rubric, Wish(options=("1", "2"), scale="ordinal"), where="r.toml")
    for wish in (Wish(options=("1", "2", "3")), Wish(levels=("0", "1")), Wish(scale="nominal")):
        with pytest.raises(FielError, match="criterion 'c'"):
            check_wish(rubric, wish, where="r.toml")


line = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(id_=st.from_regex(r"\A[^\W_][\w .,\"'#\\\]\[-]{0,20}\Z"), question=line, options=st.sets(line, min_size=2))
def test_the_file_says_what_the_rubric_does(tmp_path_factory: pytest.TempPathFactory, id_: str, question: str, options):
    """Whatever the texts are, the file that is written is read back as the same rubric."""
    try:
        criterion = Criterion(id=id_, question=question, options=tuple(sorted(options)), passing=(min(options),))
    except FielError:
        return
    rubric = Rubric(id="r", criteria=(criterion,))
    path: Path = tmp_path_factory.mktemp("rubric") / "r.toml"
    path.write_bytes(rubric_text(rubric).encode())
    assert load_rubric(path) == rubric
