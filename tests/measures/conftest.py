"""What the tests of the measures share: short ways to write a judgement, a label, a criterion."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fiel.records import Criterion, Distribution, Judgement, Label, Rubric, Status

GROUNDED = Criterion(id="grounded", question="Does the context support the answer?")
POINTS = Criterion(
    id="points", question="How good is it?", options=("1", "2", "3"), passing=("2", "3"), scale="ordinal"
)
RUBRIC = Rubric(id="rag", criteria=(GROUNDED,))


def judgement(subject: str, passing: float | tuple[float, ...] | None, **changes: Any) -> Judgement:
    """What judge "house" says: P(yes), or the probability of each option, or None for a refusal."""
    criterion: Criterion = changes.pop("of", GROUNDED)
    status: Status = changes.pop("status", "refused")
    source = changes.pop("source", "logprobs")
    belief = None
    if passing is not None:
        probs = passing if isinstance(passing, tuple) else (1 - passing, passing)
        belief, status = Distribution(options=criterion.options, probs=probs, source=source), "ok"
    fields = {
        "subject": subject,
        "subject_digest": "s",
        "criterion": criterion.id,
        "criterion_digest": criterion.digest,
        "judge": "house",
        "identity": "1f" * 32,
        "status": status,
        "belief": belief,
    }
    return Judgement(**(fields | changes))


def label(subject: str, answer: str | None, rater: str = "ana", **changes: Any) -> Label:
    """What a rater answered about *grounded*; None is a skip."""
    skipped = "unclear" if answer is None else None
    fields = {"subject": subject, "criterion": "grounded", "rater": rater, "answer": answer, "skipped": skipped}
    return Label(**(fields | changes))


def against(hits: int, total: int, *, failing: int | None = None, seconds: int | None = None) -> Any:
    """Judgements and labels of `total` items, right on `hits` of them, spread evenly over both classes.

    `failing` items fail by gold (half when None). With `seconds`, a second rater agrees on that many items.
    """
    fails = total // 2 if failing is None else failing
    gold = ["no" if i < fails else "yes" for i in range(total)]
    other = {"no": "yes", "yes": "no"}
    order = sorted(range(total), key=lambda i: (i % 2, i))
    wrong = set(order[: total - hits])
    judgements = [judgement(f"i{i:03}", 0.9 if (gold[i] == "yes") != (i in wrong) else 0.1) for i in range(total)]
    labels = [label(f"i{i:03}", gold[i]) for i in range(total)]
    if seconds is not None:
        differ = set(order[seconds:])
        labels += [label(f"i{i:03}", other[gold[i]] if i in differ else gold[i], "ben") for i in range(total)]
    return judgements, labels


@pytest.fixture
def world() -> Any:
    """`judgement`, `label`, `against`, and the criteria *grounded* and *points*."""
    tools: dict[str, Callable[..., Any] | Criterion | Rubric] = {
        "judgement": judgement,
        "label": label,
        "against": against,
        "grounded": GROUNDED,
        "points": POINTS,
        "rubric": RUBRIC,
    }
    return SimpleNamespace(**tools)
