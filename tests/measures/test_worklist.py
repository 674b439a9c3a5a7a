from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiel.measures import before_and_after, decisions_of, revise, validate, worklist
from fiel.records import Adjudication, CalibrationSet, Evidence, FielError, Item


def scene(world: Any) -> Any:
    """Three raters on five items: agreement, a judge's error, a split, a lone rater against all, another error."""
    answers = {
        "a": ("yes", "yes", "yes"),
        "b": ("yes", "yes", "yes"),
        "c": ("yes", "no", "no"),
        "d": ("yes", "yes", "no"),
        "e": ("no", "no", "no"),
    }
    labels = [world.label(x, y, r) for x, given in answers.items() for r, y in zip("rst", given, strict=True)]
    said = {"a": 0.9, "b": 0.2, "c": 0.9, "d": 0.2, "e": 0.99}
    judgements = [
        world.judgement(x, p, reason=f"because {x}", evidence=(Evidence(text=x, field="answer", start=0, end=1),))
        for x, p in said.items()
    ]
    return judgements, labels


def frozen_of(world: Any, labels: Any) -> CalibrationSet:
    """The set of these labels."""
    names = sorted({x.subject for x in labels})
    return CalibrationSet(name="s", rubric=world.rubric, items=tuple(Item(id=x) for x in names), labels=tuple(labels))


def test_sure_and_wrong_comes_first_with_all_that_was_said(world: Any):
    """Disagreements by falling surety; each with gold, every rater, the judge, its reason and its evidence."""
    judgements, labels = scene(world)
    found = worklist([judgements], labels, rubric=world.rubric, share_of_agreements=0)
    assert [x.item for x in found.items] == ["e", "c", "b", "d"]
    first = found.items[0]
    assert (first.gold, first.gold_from, first.surety) == ("no", "majority", pytest.approx(0.99))
    assert first.answers == {"r": "no", "s": "no", "t": "no"}
    (said,) = first.judges
    assert (said.judge, said.answer, said.reason) == ("house", "yes", "because e")
    assert said.evidence[0].start == 0
    assert (found.disagreements, found.agreements) == (4, 1)


def test_what_it_looks_like(world: Any):
    """Raters agree against the judge: its error. They split: the rubric. One stands against all others: a person."""
    judgements, labels = scene(world)
    looks = {x.item: x.looks_like for x in worklist([judgements], labels, rubric=world.rubric).items}
    assert looks == {"e": "judge error", "b": "judge error", "c": "rubric gap", "d": "rubric gap", "a": "agreement"}
    alone = [world.label("f", y, r) for r, y in zip("rst", ("no", "no", "yes"), strict=True)]
    decided = frozen_of(world, alone)
    decision = Adjudication(subject="f", criterion="grounded", answer="yes", by="x", at="t")
    decided = msgspec.structs.replace(decided, adjudications=(decision,))
    (line,) = worklist([[world.judgement("f", 0.1)]], decided).items
    assert (line.looks_like, line.gold_from) == ("person's error", "decision")
    assert line.why == "t stands alone against the others and the judge."


def test_with_one_rater_nobody_can_tell(world: Any):
    """One person against the judge is a disagreement without a cause."""
    (line,) = worklist([[world.judgement("a", 0.9)]], [world.label("a", "no")], rubric=world.rubric).items
    assert (line.looks_like, line.gold_from) == ("cannot tell", "one rater")


def test_ties_are_in_the_list_after_the_rest(world: Any):
    """An item on which two raters tie has no gold and no surety, and waits for a decision."""
    judgements, labels = scene(world)
    labels += [world.label("z", "yes", "r"), world.label("z", "no", "s")]
    found = worklist([[*judgements, world.judgement("z", 0.9)]], labels, rubric=world.rubric, share_of_agreements=0)
    last = found.items[-1]
    assert (last.item, last.gold, last.gold_from, last.surety) == ("z", None, "tie", None)


def test_a_seeded_share_of_agreements_is_in_it(world: Any):
    """A tenth of 55 agreements is six, the same ones for a seed and others for another, and they are marked."""
    judgements, labels = world.against(55, 60)
    found = [worklist([judgements], labels, rubric=world.rubric, seed=seed) for seed in (1, 1, 2)]
    drawn = [[x.item for x in one.items if x.drawn == "agreement"] for one in found]
    assert [len(x) for x in drawn] == [6, 6, 6]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(x.looks_like == "agreement" for x in found[0].items[5:])
    assert "judge in sight" in found[0].note or "with the judge in sight" in found[0].note


def test_several_judges_stand_beside_each_other(world: Any):
    """An item is disputed when any judge differs; the surest wrong one stands first."""
    a = [world.judgement("a", 0.4), world.judgement("b", 0.9)]
    b = [world.judgement("a", 0.05, judge="other"), world.judgement("b", None, judge="other")]
    labels = [world.label(x, "yes", r) for x in "ab" for r in "rs"]
    found = worklist([a, b], labels, rubric=world.rubric, share_of_agreements=1)
    first, second = found.items
    assert [x.judge for x in first.judges] == ["other", "house"]
    assert (second.item, second.drawn, second.judges[1].status) == ("b", "agreement", "refused")


def test_decisions_come_back_from_rows_and_name_what_is_wrong(world: Any):
    """A filled-in row is a decision that has seen the judge; an empty one is none; errors name the row."""
    judgements, labels = scene(world)
    found = worklist([judgements], labels, rubric=world.rubric)
    rows = [msgspec.to_builtins(x) for x in found.items]
    rows[1] |= {"decision": "no", "by": "kim", "note": "read again", "reason": "rater slip"}
    rows[2] |= {"reason": "item broken", "by": "kim"}
    decided = decisions_of(rows, at="2026-01-01T00:00:00Z")
    assert [(x.subject, x.answer, x.by, x.judge_seen, x.reason) for x in decided] == [
        ("c", "no", "kim", True, "rater slip"),
        ("b", None, "kim", True, "item broken"),
    ]
    for change, message in (
        ({"decision": "maybe", "by": "kim"}, "'maybe' is no option"),
        ({"decision": "no"}, "Nobody is named"),
        ({"decision": "no", "by": "kim", "reason": "mood"}, "no reason 'mood'"),
    ):
        with pytest.raises(FielError, match=message) as error:
            decisions_of([rows[3] | change], at="t")
        assert error.value.where == "work list, row 1"


def test_decisions_make_a_new_version_with_its_parent(world: Any):
    """The frozen set stays as it was; the next holds its digest, the decisions, and what raters had answered."""
    judgements, labels = scene(world)
    frozen = frozen_of(world, labels)
    digest = frozen.digest
    decision = Adjudication(subject="c", criterion="grounded", answer="yes", by="kim", at="t")
    after = revise(frozen, [decision])
    assert (frozen.digest, frozen.adjudications) == (digest, ())
    assert (after.parent, after.name, after.labels) == (digest, "s", frozen.labels)
    assert after.digest != digest
    (kept,) = after.adjudications
    assert (kept.judge_seen, kept.before) == (True, ("yes", "no", "no"))
    again = revise(after, [msgspec.structs.replace(decision, answer="no")])
    assert [x.answer for x in again.adjudications] == ["no"]
    assert again.parent == after.digest
    before, later = (validate(judgements, x).criteria[0] for x in (frozen, after))
    assert (before.agreement.value, later.agreement.value) == (0.2, 0.4)
    assert any("1 answer of people came with the judge's in reach" in x for x in validate(judgements, after).warnings)


@pytest.mark.parametrize(("rater", "named"), [("preference:thumbs", ()), ("thumbs", ("thumbs",))])
def test_preferences_are_no_gold_of_a_revision(world: Any, rater: str, named: tuple[str, ...]):
    """What a rater of preferences says is not what people had answered, and changes neither gold nor a figure."""
    judgements, labels = scene(world)
    liked = [world.label(x, y, rater) for x, y in (("b", "no"), ("c", "yes"), ("d", "no"))]
    decision = Adjudication(subject="d", criterion="grounded", answer="no", by="kim", at="t")
    found = []
    for given in (labels, [*labels, *liked]):
        frozen = frozen_of(world, given)
        after = revise(frozen, [decision], preferences=named)
        found.append((after.adjudications, before_and_after(judgements, frozen, after, preferences=named).criteria))
    assert found[0] == found[1]
    assert found[1][0][0].before == ("yes", "yes", "no")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subject": "zz"}, "no such item"),
        ({"answer": "maybe"}, "'maybe' is no option"),
        ({"criterion": "tone"}, "no criterion 'tone'"),
    ],
)
def test_decisions_on_what_is_not_there_are_refused(world: Any, change: dict[str, str], message: str):
    """Nothing half made: a wrong decision makes no version."""
    frozen = frozen_of(world, scene(world)[1])
    decision = Adjudication(subject="c", criterion="grounded", answer="yes", by="kim", at="t")
    with pytest.raises(FielError, match=message):
        revise(frozen, [msgspec.structs.replace(decision, **change)])
    with pytest.raises(FielError, match="two decisions"):
        revise(frozen, [decision, decision])
    with pytest.raises(FielError, match="Nothing is decided"):
        revise(frozen, [])


def test_figures_before_and_after_stand_beside_each_other(world: Any):
    """What changed, how many were decided with the judge in sight, and how many drawn agreements were upheld."""
    judgements, labels = scene(world)
    frozen = frozen_of(world, labels)
    decisions = [Adjudication(subject=x, criterion="grounded", answer="yes", by="kim", at="t") for x in ("a", "c")]
    after = revise(frozen, decisions)
    (line,) = before_and_after(judgements, frozen, after, agreements=[("a", "grounded")]).criteria
    assert (line.decided, line.changed, line.judge_seen) == (2, 1, 2)
    assert (line.confirmed, line.agreements) == (1, 1)
    assert (line.before.value, line.after.value) == (0.2, 0.4)
    with pytest.raises(FielError, match="no version of the first"):
        before_and_after(judgements, after, frozen)
