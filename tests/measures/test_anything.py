from __future__ import annotations

import math
from random import Random
from typing import Any

import msgspec
import pytest

from fiel.measures import between, columns_of, people, rates, together, validate, worklist
from fiel.records import Adjudication, CalibrationSet, Criterion, Design, Item, Rubric

NUMBERS = Criterion(id="num", question="How many?", options=("1", "3", "10"), passing=("3", "10"), scale="interval")
ORDER = Criterion(id="ord", question="How well?", options=("bad", "so", "ok", "good"), scale="ordinal")


def anything(world: Any, seed: int) -> Any:
    """Judgements and a set of every odd kind: few items, no rater, constant, tied, clustered, weighted."""
    rng = Random(seed)  # noqa: S311  nothing is kept secret here
    n, raters, dense = rng.choice([1, 2, 3, 5, 12, 30]), rng.choice([0, 1, 2, 3, 4]), rng.choice([0.2, 0.6, 1])
    constant, source = rng.random() < 0.3, rng.choice(["logprobs", "point", "samples", "stated", "check"])
    judgements, labels, decisions = [], [], []
    for criterion in (world.grounded, NUMBERS, ORDER):
        options = criterion.options
        for i in range(n):
            name = f"i{i}"
            mass = [0.0 if constant else rng.choice([0.0, 0.5, 1.0, 2.0]) for _ in options]
            if not sum(mass) or source in ("point", "check"):
                mass = [float(j == (0 if constant else i % len(options))) for j in range(len(options))]
            failed = rng.choice(["error", "refused", "inapplicable"]) if rng.random() < 0.15 else None
            said = None if failed else tuple(x / sum(mass) for x in mass)
            judgements.append(world.judgement(name, said, of=criterion, source=source, status=failed or "ok"))
            for r in range(raters):
                answer = options[0] if constant else rng.choice(options)
                if rng.random() < dense:
                    given = None if rng.random() < 0.1 else answer
                    labels.append(world.label(name, given, f"r{r}", criterion=criterion.id, seconds=2.0))
                if rng.random() < 0.1:
                    labels.append(world.label(name, answer, f"r{r}", criterion=criterion.id, repeat=1))
            if rng.random() < 0.1:
                labels.append(world.label(name, options[0], "preference", criterion=criterion.id))
                answer = rng.choice([None, options[0]])
                reason = rng.choice([None, "item broken", "true split"]) if answer is None else None
                decisions.append(
                    Adjudication(subject=name, criterion=criterion.id, answer=answer, by="x", at="t", reason=reason)
                )
    groups = ("g0", "g1", None)
    items = tuple(Item(id=f"i{i}", group=rng.choice(groups), fields={"k": rng.choice("xy")}) for i in range(n))
    kind = rng.choice(["random", "convenience", "stratified"])
    weights = {x.id: rng.choice([1.0, 5.0, 40.0]) for x in items} if kind == "stratified" else {}
    return judgements, CalibrationSet(
        name="s",
        rubric=Rubric(id="r", criteria=(world.grounded, NUMBERS, ORDER)),
        items=items,
        labels=tuple(labels),
        adjudications=tuple(decisions),
        design=Design(kind=kind, weights=weights),
    )


def check_finite(value: Any) -> None:
    """Every number in plain values is one."""
    if isinstance(value, float):
        assert math.isfinite(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        check_finite(part)


@pytest.mark.parametrize("seed", range(24))
def test_any_set_gives_finite_figures_and_the_same_from_columns(world: Any, seed: int):
    """No odd set makes a NaN or an exception in any measure, and columns give what records give."""
    judgements, frozen = anything(world, seed)
    confidence = (0.5, 0.95, 0.999)[seed % 3]
    found = validate(judgements, frozen, slices=["k"], confidence=confidence)
    columns = columns_of(judgements)
    assert validate(columns, frozen, slices=["k"], confidence=confidence) == found
    made = [
        found,
        rates(judgements, frozen, rubric=frozen.rubric, slices=["k"], as_random=seed % 2 == 0, gold="soft"),
        worklist([judgements, columns], frozen),
        between(judgements, columns, frozen, rubric=frozen.rubric, items=frozen.items),
        people(frozen),
        together(frozen, [judgements]),
    ]
    for one in made:
        check_finite(msgspec.to_builtins(one))
    for criterion in found.criteria:
        funnel = criterion.funnel
        assert funnel.judged == funnel.scored + sum(funnel.unscored.values())
        assert sum(map(sum, criterion.confusion)) == funnel.both
        assert funnel.agree + len(criterion.disagreements) == funnel.both
