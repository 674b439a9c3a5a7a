"""Judging with a language model from Python, as the documentation shows it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json

import pytest

from fiel import Criterion, Item, Judgement, LLMJudge, Rubric, judge
from fiel.models import BudgetError, ScriptedModel, connect
from fiel.records import Request
from fiel.store.judgements import JudgementStore

SHOWN = """
from fiel import Criterion, Item, LLMJudge, Rubric, judge
from fiel.models import connect

rubric = Rubric(id="r", criteria=(Criterion(id="score", question="How coherent is the answer?",
                                            options=("1", "2", "3", "4", "5"), scale="ordinal"),))
items = [Item(id="1", input="Why is the sky blue?", output="Rayleigh scattering.")]
for j in judge(LLMJudge(connect("{url}", model="stub")), items, rubric):
    print(j.belief.mean, j.belief.entropy, j.belief.captured, j.belief.probs, j.status)
"""

RUBRIC = Rubric(id="r", criteria=(Criterion(id="good", question="Is it good?"),))
ITEMS = [Item(id=str(n), output=f"Answer {n}.") for n in range(12)]


def yes(_: Request) -> str:
    """A reply."""
    return json.dumps({"good": {"reason": "r", "verdict": "yes"}})


def test_the_example_runs_as_it_is_shown(stub):
    """The first lines that a user types print one belief over the five options."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(SHOWN.replace("{url}", stub().url), {})  # noqa: S102  it is our own example
    assert printed.getvalue().rstrip().endswith("ok")
    assert printed.getvalue().count("\n") == 1


def test_it_works_inside_a_running_loop(stub):
    """In a notebook, whose loop is running already, the same call gives the same beliefs."""
    url = stub().url

    def ask() -> list[Judgement]:
        return judge(LLMJudge(connect(url, model="stub")), ITEMS, RUBRIC)

    async def notebook() -> list[Judgement]:
        return ask()

    assert [j.belief for j in asyncio.run(notebook())] == [j.belief for j in ask()]


def test_a_better_reading_of_kept_replies_asks_nothing(tmp_path):
    """Another floor or rule is another judge, whose judgements are made from the replies that are there."""
    model = ScriptedModel(yes)
    with JudgementStore.open(tmp_path / "j.db") as store:
        first = judge(LLMJudge(model), ITEMS, RUBRIC, store=store)
        second = judge(LLMJudge(model, strict=True), ITEMS, RUBRIC, store=store)
        assert len(model.requests) == len(ITEMS)
        assert {j.identity for j in first}.isdisjoint({j.identity for j in second})
        assert len(store.read()) == 2 * len(ITEMS)


def test_a_budget_hears_out_the_calls_under_way(tmp_path):
    """When the budget is used up, what was asked already is kept, and the error says so."""
    model = ScriptedModel(yes)
    with JudgementStore.open(tmp_path / "j.db") as store:
        with pytest.raises(BudgetError):
            judge(LLMJudge(model), ITEMS, RUBRIC, store=store, max_calls=5)
        assert len(store.read()) == len(model.requests) == 5
        assert len(judge(LLMJudge(model), ITEMS, RUBRIC, store=store)) == len(ITEMS)
    assert len(model.requests) == len(ITEMS)


def test_items_that_share_a_context_are_asked_after_each_other():
    """Whatever the order of the items, a server sees each context in one stretch."""
    mixed = [Item(id=str(n), context=f"Context {n % 3}.", output=f"Answer {n}.") for n in range(9)]
    model = ScriptedModel(yes)
    judge(LLMJudge(model), mixed, RUBRIC)
    seen = [request.messages[-1].content.split("Context ")[1][0] for request in model.requests]
    assert seen == sorted(seen)
