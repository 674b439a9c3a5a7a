"""A metered model counts, and stops before the budget is broken."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from fiel.models import BudgetError, Metered, ScriptedModel, connect
from fiel.records import CallError, FielError, Reply, Usage

PRICE = {"input": 1.0, "output": 1.0}
REPLY = Reply(text="yes", usage=Usage(input=600_000, output=400_000, cached=100_000))  # costs 1


class Slow:
    """A model that answers when it is told to."""

    name = "slow"
    price = PRICE

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.closed = False

    async def __call__(self, request) -> Reply:
        await self.go.wait()
        return REPLY

    async def close(self):
        self.closed = True


def test_calls_tokens_and_cost_are_counted(question):
    """Every count is the sum over the replies, and the name is the model's."""
    model = Metered(ScriptedModel([REPLY, REPLY], name="m"), price=PRICE)
    for _ in range(2):
        assert asyncio.run(model(question())) == REPLY
    assert (model.name, model.calls, model.failed, model.in_flight) == ("m", 2, 0, 0)
    assert (model.input, model.output, model.cached, model.cost) == (1_200_000, 800_000, 200_000, 2.0)


@pytest.mark.parametrize(
    ("price", "usage"), [(None, REPLY.usage), (PRICE, Usage(input=5)), (PRICE, Usage(output=5)), (PRICE, Usage())]
)
def test_a_cost_once_unknown_stays_unknown(question, price, usage: Usage):
    """Without a price, or after one reply without counts, the cost is None: neither 0 nor the rest."""
    model = Metered(ScriptedModel([Reply(text="yes", usage=usage), REPLY]), price=price)
    asyncio.run(model(question()))
    asyncio.run(model(question()))
    assert model.cost is None


def test_a_failed_call_is_counted_and_costs_nothing_known(question):
    """An error passes through, counts as a call, and leaves the cost known."""
    model = Metered(ScriptedModel([CallError("broken"), REPLY]), price=PRICE)
    with pytest.raises(CallError, match="broken"):
        asyncio.run(model(question()))
    asyncio.run(model(question()))
    assert (model.calls, model.failed, model.cost) == (2, 1, 1.0)


def test_the_number_of_calls_is_kept(question):
    """The call after the last one allowed is refused, and the model is not asked."""
    asked = ScriptedModel([REPLY] * 5)
    model = Metered(asked, max_calls=2)
    for _ in range(2):
        asyncio.run(model(question()))
    with pytest.raises(BudgetError, match="2 calls"):
        asyncio.run(model(question()))
    assert (len(asked.requests), model.calls) == (2, 2)


def test_a_spent_budget_refuses_the_next_call(question):
    """As soon as the cost has reached the budget, nothing more is asked."""
    asked = ScriptedModel([REPLY] * 5)
    model = Metered(asked, price=PRICE, max_cost=2.0)
    for _ in range(2):
        asyncio.run(model(question()))
    with pytest.raises(BudgetError, match=r"budget of 2\.0"):
        asyncio.run(model(question()))
    assert len(asked.requests) == 2


def test_what_the_model_has_is_had():
    """A metered model is the model that it wraps, in what it tells of itself and in what it lacks; copies as well."""
    model = Metered(connect("http://localhost:8080/v1", model="small", max_in_flight=3))
    assert (model.max_in_flight, model.without, copy.copy(model).name) == (3, frozenset(), "small")
    assert getattr(Metered(ScriptedModel([])), "max_in_flight", None) is None


def test_calls_in_flight_are_reckoned_with(question):
    """Once the price of a call is known, so many are let out as the budget holds, though none of them has ended."""

    async def run() -> Any:
        slow = Slow()
        model = Metered(slow, max_cost=4.0)
        slow.go.set()
        await model(question())
        slow.go.clear()
        calls = [asyncio.create_task(model(question())) for _ in range(10)]
        await asyncio.sleep(0)
        in_flight = model.in_flight
        slow.go.set()
        ends = await asyncio.gather(*calls, return_exceptions=True)
        await model.close()
        return in_flight, ends, model.cost, slow.closed

    in_flight, ends, cost, closed = asyncio.run(run())
    assert in_flight == 3
    assert [type(end) for end in ends] == [Reply] * 3 + [BudgetError] * 7
    assert cost == 4.0
    assert closed


def test_a_budget_that_cannot_be_kept_is_refused(question):
    """A limit of cost needs a price, and stops when a reply does not tell its tokens."""
    with pytest.raises(FielError, match=r"price(?s:.*)max_calls"):
        Metered(ScriptedModel([]), max_cost=1.0)
    with pytest.raises(FielError, match="max_calls is -1"):
        Metered(ScriptedModel([]), max_calls=-1)
    model = Metered(ScriptedModel(["yes"]), price=PRICE, max_cost=1.0)
    asyncio.run(model(question()))
    with pytest.raises(BudgetError, match="unknown"):
        asyncio.run(model(question()))
