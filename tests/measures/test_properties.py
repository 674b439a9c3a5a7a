from __future__ import annotations

import math
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiel.measures import estimate, gate, gate_evidence, rates, validate
from fiel.records import (
    Adjudication,
    CalibrationSet,
    Criterion,
    Distribution,
    FielError,
    Item,
    Judgement,
    Label,
    Rubric,
)

TWO = Criterion(id="two", question="?")
THREE = Criterion(id="three", question="?", options=("bad", "fair", "good"), passing=("fair", "good"))
RUBRIC = Rubric(id="r", criteria=(TWO, THREE))
IDS = [f"i{i}" for i in range(14)]

weights = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=3, max_size=3).filter(lambda w: w[0] + w[1] > 0)


def belief(criterion: Criterion, parts: list[int]) -> Distribution:
    """A belief in proportion to `parts`."""
    used = parts[: len(criterion.options)]
    probs = tuple(part / sum(used) for part in used)
    return Distribution(options=criterion.options, probs=probs, source="logprobs")


@st.composite
def judgements(draw: Any) -> list[Judgement]:
    """At most one judgement for each item and criterion, some failed, some tied, of one judge."""
    cells = draw(st.sets(st.tuples(st.sampled_from(IDS), st.sampled_from(RUBRIC.criteria)), max_size=28))
    made = []
    for subject, criterion in sorted(cells, key=lambda cell: (cell[0], cell[1].id)):
        status = draw(st.sampled_from(["ok"] * 5 + ["refused", "abstained", "unparsed", "error"]))
        made.append(
            Judgement(
                subject=subject,
                subject_digest="s",
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge="house",
                identity="one",
                status=status,
                belief=belief(criterion, draw(weights)) if status == "ok" else None,
            )
        )
    return made


@st.composite
def labels(draw: Any) -> list[Label]:
    """Answers and skips of up to three raters, one of an item that nobody judged."""
    criteria = st.sampled_from(RUBRIC.criteria)
    cells = draw(st.sets(st.tuples(st.sampled_from([*IDS, "x"]), criteria, st.sampled_from("pqr")), max_size=40))
    return [
        Label(subject=subject, criterion=c.id, rater=rater, answer=draw(st.sampled_from([None, *c.options])))
        for subject, c, rater in sorted(cells, key=lambda cell: (cell[0], cell[1].id, cell[2]))
    ]


@st.composite
def items(draw: Any) -> list[Item]:
    """No items, or some of those that may have been judged, some in groups."""
    if draw(st.booleans()):
        return []
    groups = st.sampled_from([None, None, "g", "h"])
    return [Item(id=x, group=draw(groups)) for x in IDS[: draw(st.integers(1, len(IDS)))]]


def numbers(value: Any) -> list[float]:
    """Every number in a nest of plain values."""
    if isinstance(value, float):
        return [value]
    if isinstance(value, dict):
        return [x for part in value.values() for x in numbers(part)]
    if isinstance(value, list | tuple):
        return [x for part in value for x in numbers(part)]
    return []


def everything(given_judgements: Any, given_labels: Any, given_items: Any) -> Any:
    """What every public function says of the same records."""
    found: list[Any] = []
    found += rates(given_judgements, given_labels, rubric=RUBRIC, items=given_items)
    for criterion in RUBRIC.criteria:
        for rate in ("corrected", "raw"):
            figure = estimate(given_judgements, given_labels, criterion=criterion, items=given_items, rate=rate)
            found += [figure, gate(figure, at_least=0.6)]
        found.append(gate_evidence(given_judgements, given_labels, criterion=criterion, items=given_items))
    if given_judgements:
        found.append(validate(given_judgements, given_labels, rubric=RUBRIC, items=given_items))
    return found


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(judgements(), labels(), items())
def test_any_records_give_figures_without_nan_and_funnels_that_add_up(
    made: list[Judgement], answers: list[Label], frame: list[Item]
):
    """Nothing raises, no number is NaN or infinite, and every denominator is the sum of its parts."""
    found = everything(made, answers, frame)
    assert all(math.isfinite(x) for x in numbers(msgspec.to_builtins(found)))
    funnels = [result.funnel for result in found[: len(RUBRIC.criteria)]]
    if made:
        assert [c.funnel for c in found[-1].criteria] == funnels
    for criterion, funnel in zip(RUBRIC.criteria, funnels, strict=True):
        ids = {x.id for x in frame} or {x.subject for x in [*made, *answers]}
        of_this = {x.subject for x in made if x.criterion == criterion.id} & ids
        assert funnel.items == len(ids)
        assert funnel.judged == len(of_this)
        assert funnel.judged == funnel.scored + sum(funnel.unscored.values())
        assert funnel.checked <= funnel.scored
        assert funnel.unresolved <= funnel.labelled <= funnel.items
        assert funnel.both <= min(funnel.scored, funnel.labelled - funnel.unresolved)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(judgements(), labels(), items(), st.integers())
def test_the_order_of_the_records_changes_nothing(
    made: list[Judgement], answers: list[Label], frame: list[Item], seed: int
):
    """A permutation of judgements, labels and items gives the same bytes."""
    before = everything(made, answers, frame)
    random = Random(seed)  # noqa: S311  an order, not a secret
    for records in (made, answers, frame):
        random.shuffle(records)
    assert msgspec.json.encode(everything(made, answers, frame)) == msgspec.json.encode(before)


@settings(max_examples=40, deadline=None)
@given(labels(), st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from([None, "no", "yes"])), max_size=6))
def test_any_set_of_decisions_is_used_or_refused(answers: list[Label], decided: list[tuple[str, str | None]]):
    """Decisions on any cell give figures, or an error that the user can mend when two differ."""
    decisions = tuple(
        Adjudication(subject=x, criterion="two", answer=answer, by="eva", at="2025-01-01") for x, answer in decided
    )
    frozen = CalibrationSet(
        name="s", rubric=RUBRIC, items=tuple(Item(id=x) for x in IDS), labels=tuple(answers), adjudications=decisions
    )
    if len({x for x, _ in decided}) < len(set(decided)):
        with pytest.raises(FielError, match="two decisions"):
            rates([], frozen, rubric=RUBRIC)
        return
    found = rates([], frozen, rubric=RUBRIC)[0]
    assert all(math.isfinite(x) for x in numbers(msgspec.to_builtins(found)))


def test_two_identities_among_many_are_refused(world: Any):
    """One judgement of another identity among a hundred is enough to refuse them all."""
    made = [world.judgement(f"i{i}", 0.9, identity="b" if i == 57 else "a") for i in range(100)]
    with pytest.raises(FielError, match="2 identities"):
        validate(made, [], rubric=world.rubric)


def test_fifty_thousand_judgements_are_counted_exactly(world: Any):
    """A large run goes through the same arithmetic: every item is counted once, and the mean is the mean."""
    made = [world.judgement(f"i{i}", (i % 100) / 100) for i in range(50_000)]
    answers = [world.label(f"i{i}", "yes" if i % 100 > 40 else "no") for i in range(0, 50_000, 101)]
    found = rates(made, answers, rubric=world.rubric)[0]
    assert (found.funnel.judged, found.funnel.labelled) == (50_000, 496)
    assert found.funnel.unscored == {"tie between options": 500}
    assert found.raw is not None
    assert found.raw.value == pytest.approx(0.495)
