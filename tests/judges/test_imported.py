from __future__ import annotations

import asyncio

import pytest

from fiel.judges import Imported, Judge
from fiel.records import Criterion, FielError, Item, Rubric


def test_is_a_judge_that_answers_nothing():
    """It has the identity of its name, its content and its rubric, and whoever asks it is told where it came from."""
    judge: Judge = Imported(name="j", content="c0ffee")
    rubric = Rubric(id="r", criteria=(Criterion(id="c", question="Kind?"),))
    other = Rubric(id="r", criteria=(Criterion(id="c", question="Polite?"),))
    identities = {
        judge.identity(rubric),
        judge.identity(other),
        Imported(name="k", content="c0ffee").identity(rubric),
        Imported(name="j", content="decaf").identity(rubric),
    }
    assert len(identities) == 4
    assert Imported(name="j", content="c0ffee").identity(rubric) == judge.identity(rubric)
    with pytest.raises(FielError, match="was imported"):
        asyncio.run(judge(Item(id="q"), rubric))  # type: ignore[arg-type]
