from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.proportion import proportion_confint

from fiel.measures import gate, rates, validate
from fiel.records import CalibrationSet, Criterion, Distribution, FielError, Item, Rubric

TRIVIA = Path(__file__).resolve().parents[3] / "shared" / "data" / "real" / "triviaqa_judges"


def test_the_figures_of_a_hand_count(world: Any):
    """Agreement, kappa and confusion are those of sklearn and statsmodels, P(agreement > bar) that of the binomial."""
    judgements, labels = world.against(50, 60, failing=20)
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    gold = [x.answer for x in labels]
    said = [x.verdict for x in judgements]
    low, high = proportion_confint(50, 60, method="beta")
    assert found.agreement.value == pytest.approx(50 / 60)
    assert (found.agreement.low, found.agreement.high) == (pytest.approx(low), pytest.approx(high))
    assert found.kappa.value == pytest.approx(cohen_kappa_score(gold, said))
    assert np.array_equal(found.confusion, confusion_matrix(gold, said, labels=["no", "yes"]))
    at_the_bar = sum(comb(60, k) * 0.85**k * 0.15 ** (60 - k) for k in range(50))
    assert found.probability == pytest.approx(at_the_bar)


def test_the_ceiling_is_on_the_same_items_and_never_with_gold(world: Any):
    """Two raters agree on 3 of 4 items; the judge agrees with 1, 1, 1/2 and 0 of them: a difference of -1/8."""
    answers = {"a": ("yes", "yes"), "b": ("no", "no"), "c": ("yes", "no"), "d": ("yes", "yes"), "e": ("yes", None)}
    labels = [world.label(x, y, f"r{i}") for x, both in answers.items() for i, y in enumerate(both)]
    judgements = [world.judgement(x, p) for x, p in zip("abcde", (0.9, 0.1, 0.9, 0.2, 0.9), strict=True)]
    found = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert found.ceiling is not None
    assert found.difference is not None
    assert found.ceiling.value == 0.75
    assert found.ceiling.n == 4
    assert found.difference.value == pytest.approx((0 + 0 + 0.5 - 1) / 4)
    assert (found.agreement.value, found.agreement.n) == (0.75, 4)


def test_unscored_judgements_and_tied_answers_never_become_a_verdict(world: Any):
    """They stay out of agreement and stand in the funnel with their reasons."""
    judgements = [
        world.judgement("a", 0.9),
        world.judgement("b", None, status="refused"),
        world.judgement("c", None, status="error"),
        world.judgement("d", 0.5),
        world.judgement("e", 0.9),
    ]
    labels = [world.label(x, "yes") for x in "abcdef"] + [world.label("e", "no", "ben"), world.label("g", None)]
    items = [Item(id=x) for x in "abcdefgh"]
    found = validate(judgements, labels, rubric=world.rubric, items=items).criteria[0]
    funnel = found.funnel
    assert (funnel.items, funnel.judged, funnel.scored, funnel.both) == (8, 5, 2, 1)
    assert funnel.unscored == {"refused": 1, "error": 1, "tie between options": 1}
    assert (funnel.labelled, funnel.unresolved, funnel.skipped) == (6, 1, 1)
    assert found.agreement.n == 1


def test_disagreements_come_surest_first(world: Any):
    """The ids of wrong verdicts stand in the order of the judge's belief in them, then of the ids."""
    beliefs = {"a": 0.6, "b": 0.99, "c": 0.05, "d": 0.6, "e": 0.95}
    gold = {"a": "no", "b": "no", "c": "yes", "d": "no", "e": "yes"}
    found = validate(
        [world.judgement(x, p) for x, p in beliefs.items()],
        [world.label(x, y) for x, y in gold.items()],
        rubric=world.rubric,
    )
    assert found.criteria[0].disagreements == ("b", "c", "a", "d")


def test_items_of_one_group_are_one_unit(world: Any):
    """Sixty items in twelve documents are twelve units, and the interval is wider when errors come by document."""
    judgements = [world.judgement(f"i{i:03}", 0.9 if i >= 10 else 0.1) for i in range(60)]
    labels = [world.label(f"i{i:03}", "yes") for i in range(60)]
    items = [Item(id=f"i{i:03}", group=f"doc{i // 5}") for i in range(60)]
    alone = validate(judgements, labels, rubric=world.rubric).criteria[0].agreement
    found = validate(judgements, labels, rubric=world.rubric, items=items)
    agreement = found.criteria[0].agreement
    assert (alone.n, agreement.n) == (60, 12)
    assert agreement.low is not None
    assert alone.low is not None
    assert agreement.low < alone.low
    assert any("60 labelled items come from only 12 groups" in line for line in found.warnings)


def test_a_calibration_set_brings_rubric_items_and_decisions(world: Any):
    """Nothing but judgements has to be passed beside a set, and judgements of other items are counted as left out."""
    judgements, labels = world.against(57, 60)
    items = tuple(Item(id=x.subject) for x in judgements)
    frozen = CalibrationSet(name="s", rubric=world.rubric, items=items, labels=tuple(labels))
    found = validate([*judgements, world.judgement("elsewhere", 0.9)], frozen)
    plain = validate(judgements, labels, rubric=world.rubric).criteria[0]
    drawn = msgspec.structs.replace(plain.funnel, drawn=60)
    assert found.criteria == (msgspec.structs.replace(plain, funnel=drawn),)
    assert (found.calibration_set, found.construct) == (frozen.digest, "adherence to rubric 'rag'")
    assert found.warnings == ("1 judgement of items outside the frame was left out.",)


def test_every_criterion_stands_alone(world: Any):
    """Each criterion has its figures, one without labels has none, and the headline names those that may be used."""
    other = Criterion(id="tone", question="Is it polite?")
    rubric = Rubric(id="rag", criteria=(world.grounded, other))
    judgements, labels = world.against(57, 60)
    found = validate(
        [*judgements, *(world.judgement(x.subject, 0.8, of=other) for x in judgements)], labels, rubric=rubric
    )
    assert [c.word for c in found.criteria] == ["use", "not enough labels"]
    assert found.headline == "One of two criteria may move decisions: grounded."
    assert "No labels on *tone*." in found.warnings
    assert (found.judge, found.identity, found.raters) == ("house", "1f" * 32, ("ana",))
    assert found.rubric_digest == rubric.digest


def test_no_rubric_and_no_judgements_are_refused(world: Any):
    """Without a rubric nothing says what was asked; without judgements there is nobody to validate."""
    with pytest.raises(FielError, match="no rubric"):
        validate([world.judgement("a", 0.9)], [world.label("a", "yes")])
    with pytest.raises(FielError, match="no judgements"):
        validate([], [world.label("a", "yes")], rubric=world.rubric)
    with pytest.raises(FielError, match="bar must lie between 0 and 1; it is 85"):
        validate([world.judgement("a", 0.9)], [], rubric=world.rubric, bar=85)


@pytest.mark.parametrize(("truth", "expected"), [(0.90, 0.27), (0.93, 0.59), (0.95, 0.82)])
def test_how_often_a_good_judge_is_used(world: Any, truth: float, expected: float):
    """At 60 items, judges that truly agree in .90, .93 and .95 are used in about .27, .59 and .82 of trials."""
    rng, trials, n = np.random.default_rng(20251130), 300, 60
    yes, no = world.judgement("x", 0.9).belief, world.judgement("x", 0.1).belief
    used = 0
    for _ in range(trials):
        gold = rng.random(n) < 0.6
        said = gold ^ (rng.random(n) > truth)
        judgements = [
            world.judgement(f"i{i:02}", None, status="ok", belief=yes if x else no) for i, x in enumerate(said)
        ]
        labels = [world.label(f"i{i:02}", "yes" if x else "no") for i, x in enumerate(gold)]
        used += validate(judgements, labels, rubric=world.rubric, full=False).criteria[0].word == "use"
    assert abs(used / trials - expected) < 3.3 * (expected * (1 - expected) / trials) ** 0.5 + 0.005


@pytest.mark.skipif(not TRIVIA.exists(), reason="the published sets are not on this machine")
@pytest.mark.parametrize(
    ("judge", "agreement", "kappa"), [("GPT-4", 91.2, 76.9), ("Contains", 84.8, 65.5), ("EM", 70.9, 42.9)]
)
def test_published_judges_of_trivia_answers(world: Any, judge: str, agreement: float, kappa: float):
    """Agreement and kappa, averaged over nine exam takers, are those that pandas gave beside the published set."""
    duckdb = pytest.importorskip("duckdb")

    def rows(kind: str, columns: str) -> Any:
        return duckdb.sql(f"select {columns} from '{TRIVIA / kind}.parquet'").fetchall()  # noqa: S608  our own text

    correct = Criterion(id="correct", question="Is it correct?", options=("incorrect", "correct"))
    rubric = Rubric(id="t", criteria=(correct,))
    judgements = [
        world.judgement(x, float(answer == "correct"), of=correct, source="point")
        for x, name, answer in rows("judge", "item_id, judge, value")
        if name == judge
    ]
    labels = [world.label(x, answer, criterion="correct") for x, answer in rows("human", "item_id, value")]
    takers: dict[str, list[Item]] = {}
    for x, taker in rows("items", "item_id, system"):
        takers.setdefault(taker, []).append(Item(id=x))
    found = [validate(judgements, labels, rubric=rubric, items=items).criteria[0] for items in takers.values()]
    assert (len(found), sum(c.funnel.both for c in found)) == (9, 3595)
    assert np.mean([c.agreement.value for c in found]) == pytest.approx(agreement / 100, abs=0.0005)
    assert np.mean([c.kappa.value for c in found]) == pytest.approx(kappa / 100, abs=0.0005)


def test_a_criterion_that_checks_decide_needs_no_labels(world: Any):
    """Where deterministic checks decided everything the word is use, the rate is theirs, and nobody asks for labels."""
    judgements = [
        msgspec.structs.replace(
            world.judgement(f"i{i:02}", 1.0),
            belief=Distribution.point("no" if i < 2 else "yes", ("no", "yes"), source="check"),
        )
        for i in range(40)
    ]
    rubric = Rubric(id="rag", criteria=(world.grounded,))
    found = validate(judgements, [], rubric=rubric).criteria[0]
    assert (found.word, found.more) == ("use", None)
    assert "check" in found.why
    (rate,) = rates(judgements, rubric=rubric)
    assert rate.estimate.value == pytest.approx(38 / 40)
    assert "check" in rate.estimate.method
    assert (rate.warnings, rate.bias) == ((), None)
    assert gate(rate.estimate, at_least=0.8).verdict == "pass"


def test_what_a_criterion_does_not_apply_to_is_in_no_denominator(world: Any):
    """Items that the judge calls inapplicable are counted apart: not judged, not unscored, in no rate."""
    judgements = [world.judgement(f"i{i:02}", 0.9) for i in range(10)]
    judgements += [msgspec.structs.replace(world.judgement(f"n{i}", None), status="inapplicable") for i in range(5)]
    rubric = Rubric(id="rag", criteria=(world.grounded,))
    funnel = validate(judgements, [], rubric=rubric).criteria[0].funnel
    assert (funnel.items, funnel.judged, funnel.inapplicable, funnel.unscored) == (15, 10, 5, {})
    assert rates(judgements, rubric=rubric)[0].raw.value == pytest.approx(0.9)


def some_checked(world: Any, judge_says: float) -> Any:
    """100 items of which 12 fail and a check decides; the judge gives all others one belief, and people pass them."""
    judgements = [
        world.judgement(f"i{i:03}", 0.0, source="check") if i < 12 else world.judgement(f"i{i:03}", judge_says)
        for i in range(100)
    ]
    labels = [world.label(f"i{i:03}", "no" if i < 12 else "yes") for i in range(100)]
    return validate(judgements, labels, rubric=world.rubric).criteria[0]


def test_what_a_check_decides_does_not_speak_for_the_judge(world: Any):
    """A judge that always says yes is never used, however many failures a check finds for it."""
    found = some_checked(world, 0.9)
    assert found.word == "not enough labels"
    assert found.constant == "yes"
    assert (found.agreement.value, found.agreement.n, found.funnel.both) == (1.0, 88, 88)
    assert (found.funnel.scored, found.funnel.checked) == (100, 12)
    assert found.confusion == ((0, 0), (0, 88))
    assert found.kappa.value is None


def test_a_wrong_judge_is_not_saved_by_a_check(world: Any):
    """What the check got right is no agreement of the judge."""
    found = some_checked(world, 0.1)
    assert (found.word, found.agreement.value, len(found.disagreements)) == ("rewrite", 0.0, 88)


def test_a_good_judge_beside_a_check_is_judged_on_its_own(world: Any):
    """Agreement, its sentence and the word are those of the items that the judge answered."""
    judgements, labels = world.against(57, 60)
    alone = validate(judgements, labels, rubric=world.rubric).criteria[0]
    judgements += [world.judgement(f"x{i}", 0.0, source="check") for i in range(9)]
    labels += [world.label(f"x{i}", "no", rater) for i in range(9) for rater in ("ana", "ben")]
    beside = validate(judgements, labels, rubric=world.rubric).criteria[0]
    assert (beside.word, beside.agreement, beside.confusion) == ("use", alone.agreement, alone.confusion)
    assert (beside.ceiling, beside.difference) == (None, None)
