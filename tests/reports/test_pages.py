from __future__ import annotations

import msgspec
import pytest

from fiel.measures import Validation
from fiel.reports import to_html
from fiel.reports._charts import Dot, Group
from fiel.reports._lists import DOTS, asked_again, beginning_of, labellers, rests_on, silent_in, told_by, warnings_of
from fiel.reports._pages import MET, ROWS, depth_of, funnel_of, meaning, parts_of
from fiel.reports._place import Place, raw
from fiel.reports._view import rows


@pytest.fixture(scope="module")
def lines(full):
    """The lines of the report with everything in it."""
    return [line for part in parts_of(Place(full), rows(full)) for line in part.lines]


def many(report, judges: int):
    """A report of so many judges, each the first one under another name; no pictures of their beliefs."""
    first = report.validations[0]
    validations = tuple(
        msgspec.structs.replace(first, judge=f"judge{place}", identity=f"{place:064x}") for place in range(judges)
    )
    return msgspec.structs.replace(report, validations=validations, rates=(), decisions=(), cases=())


def test_a_part_holds_all_judges_of_a_criterion(full):
    """Four criteria with two judges each, people among themselves, and the disagreements of that criterion."""
    parts = parts_of(Place(full), rows(full))
    assert [[line.judge for line in part.lines] for part in parts] == [["house", "cheap"]] * 4
    assert [raw(part.people.criterion) for part in parts] == ["grounded", "complete", "polite", "helpful"]
    assert all(raw(case.work.criterion) == part.criterion for part in parts for case in part.cases)
    assert sum(len(part.cases) for part in parts) == len(full.cases)


def test_the_matrix_has_every_pair_once(full):
    """Two judges and three raters make ten pairs, each in the row of the one and the column of the other."""
    matrix = parts_of(Place(full), rows(full))[0].matrix
    assert matrix.names == ("ana", "luis", "mei", "house", "cheap")
    cells = [
        (row.name, name, pair) for row in matrix.rows for name, pair in zip(matrix.names[1:], row.pairs, strict=True)
    ]
    met = [(row, name, {raw(pair.a), raw(pair.b)}) for row, name, pair in cells if pair is not None]
    assert len(met) == 10
    assert all(pair == {row, name} for row, name, pair in met)
    assert not matrix.left


def test_a_matrix_of_many_raters_is_cut_and_says_so(full):
    """Of twenty raters those with most answers are shown, and that there are more."""
    part = full.people[0].criteria[0]
    crowd = tuple(msgspec.structs.replace(part.raters[0], rater=f"r{n:02}", n=n) for n in range(1, 21))
    people = msgspec.structs.replace(full.people[0], criteria=(msgspec.structs.replace(part, raters=crowd),))
    matrix = parts_of(Place(msgspec.structs.replace(full, people=(people,))), rows(full))[0].matrix
    assert len(matrix.names) == MET
    assert (matrix.names[0], *matrix.names[-3:]) == ("r07", "r20", "house", "cheap")
    assert matrix.left


def test_the_funnel_has_the_steps_that_lose_something(full, lines):
    """What is zero everywhere is no step; items, judged, labelled and both are always told."""
    names = [step.name for step in funnel_of(lines)]
    assert {"items", "judged", "labelled", "both", "unscored", "two", "agree"} <= set(names)
    assert "inapplicable" not in names
    assert funnel_of([]) == ()


@pytest.mark.parametrize(("judges", "depth"), [(3, "open"), (4, "folded"), (12, "folded"), (13, "compared")])
def test_the_more_judges_the_less_is_told_of_each(full, judges, depth):
    """Up to 12 lines of four criteria are all open, up to 48 folded, more only set beside each other."""
    found = rows(many(full, judges))
    assert len(found) == 4 * judges
    assert depth_of(found) == depth


def test_three_judges_share_a_grid(report):
    """With three judges or more the first table has a column for each, with its word and its agreement."""
    page = to_html(many(report, 3))
    grid = page[page.index('id="summary"') : page.index("</table>", page.index('id="summary"'))]
    assert [grid.count(f"<bdi>judge{place}</bdi>") for place in range(3)] == [1, 1, 1]
    assert grid.count("leave out") == 3
    assert "with any of" not in page


def test_a_page_ends_however_many_judges_there_are(report):
    """Thirty judges on four criteria: beside each other, the funnel cut, and the page says where the rest is."""
    page = to_html(many(report, 30))
    assert "The judges beside each other" in page
    assert "fiel validate --judge NAME" in page
    assert "the rest stands in report.json" in page
    assert "People down, judge across" not in page


def test_long_lists_end_and_say_so(full):
    """Of many raters and many repeats the first are shown."""
    part = full.people[0].criteria[0]
    crowd = tuple(msgspec.structs.replace(part.raters[0], rater=f"r{n:03}") for n in range(ROWS + 5))
    people = msgspec.structs.replace(full.people[0], criteria=(msgspec.structs.replace(part, raters=crowd),))
    root = Place(msgspec.structs.replace(full, people=(people,), reruns=()))
    for found in (labellers(root), asked_again(root)):
        assert len(found.shown) == ROWS
        assert found.left
    assert not labellers(Place(full)).left


def test_who_was_asked_again(full):
    """The rater with hidden repeats, criterion by criterion, then the judge that was asked twice."""
    found = asked_again(Place(full)).shown
    assert [(one.who, one.judge) for one in found] == [("ana", False)] * 4 + [("house", True)] * 4
    assert all(raw(one.estimate).n > 0 for one in found)


def test_what_fails_comes_first_and_once(full, lines):
    """Each assumption stands once with the rates that it is of; none is named where it is all of them."""
    found = rests_on(lines)
    standing = [raw(one.check.standing) for one in found]
    assert standing == sorted(standing, key=["fails", "cannot be checked", "holds"].index)
    texts = [(raw(one.check.name), raw(one.check.text)) for one in found]
    assert len(texts) == len(set(texts))
    assert any(one.of == "" for one in found)
    assert any("house" in one.of for one in found)


def test_no_confidence_is_said_once(full, lines):
    """Without a belief the reason is told once per judge and criterion, whatever it was asked for."""
    told = told_by(lines)
    assert silent_in(told) == ()
    bare = msgspec.structs.replace(raw(told[0].calibration), before=None, after=None, reason="no confidence given", n=0)
    twice = [told[0]._replace(calibration=Place(bare)), told[0]._replace(calibration=Place(bare))]
    assert [raw(one.calibration.reason) for one in silent_in(twice)] == ["no confidence given"]


def test_a_warning_names_the_judges_that_it_is_about(full):
    """One of all judges names none, one of some names them, and each stands once."""
    first, second = full.validations
    third = msgspec.structs.replace(second, judge="third", identity="3" * 64, warnings=("shared", "of all"))
    report = msgspec.structs.replace(
        full,
        validations=(
            msgspec.structs.replace(first, warnings=("of all",)),
            msgspec.structs.replace(second, warnings=("shared", "of all")),
            third,
        ),
        notes=("of the rubric",),
    )
    said = [([raw(judge) for judge in about], raw(text)) for about, text in warnings_of(Place(report))]
    assert said == [([], "of all"), (["cheap", "third"], "shared"), ([], "of the rubric")]


def test_a_picture_has_room_for_so_many_dots():
    """Groups are drawn while they fit, the first of them always."""
    dot = Dot(label="x", who="judge", estimate=None, absent="")
    groups = [Group(name=str(place), dots=(dot,) * 25) for place in range(5)]
    assert len(beginning_of(groups)) == DOTS // 25
    assert len(beginning_of([Group(name="all", dots=(dot,) * 100)])) == 1
    assert beginning_of([]) == ()


def test_a_word_is_told_in_plain_words(report):
    """Each outcome says what it asks for; where people differ too, the question is at fault."""
    criteria = report.validations[0].criteria
    assert [meaning(part) for part in criteria] == [
        "may move decisions",
        "this judge cannot answer it",
        "mend the question, then check again",
        "cannot tell yet",
    ]
    assert meaning(msgspec.structs.replace(criteria[2], at_ceiling=True)) == "people differ too: mend the question"


def test_a_page_does_not_grow_with_what_was_judged(full):
    """With eight thousand disagreements per criterion in place of a few, the page is as long, but for the counts."""
    crowd = tuple(f"item-{place:06}" for place in range(8000))
    validations = tuple(
        msgspec.structs.replace(
            one, criteria=tuple(msgspec.structs.replace(part, disagreements=crowd) for part in one.criteria)
        )
        for one in full.validations
    )
    short = msgspec.structs.replace(full, validations=tuple(_without_curves(one) for one in full.validations))
    long = msgspec.structs.replace(full, validations=tuple(_without_curves(one) for one in validations))
    page, longer = to_html(short), to_html(long)
    assert "7,988" in longer
    assert len(longer) < len(page) * 1.02


def _without_curves(validation: Validation) -> Validation:
    """The same without beliefs: their pictures take the time of a test."""
    criteria = tuple(msgspec.structs.replace(part, calibrations=()) for part in validation.criteria)
    return msgspec.structs.replace(validation, criteria=criteria)
