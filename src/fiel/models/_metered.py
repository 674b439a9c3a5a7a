"""A model that counts what it is asked and stops before it costs too much. Knows no network."""

from __future__ import annotations

from typing import Any

from fiel.models._price import PriceLike, cost_of, price_of
from fiel.records import FielError, Model, Reply, Request, Usage


class BudgetError(FielError):
    """The next call would go over what was allowed. Nothing was sent; the run can be resumed with a larger budget."""


class Metered:
    """A model around a model: it counts calls, tokens and cost, and refuses a call that the budget does not hold.

    What calls in flight will cost is taken to be the mean so far, so that many calls at once go over `max_cost` by
    no more than those that were in flight when the first price was known. What a failed call cost is told by nobody and
    is not counted.

    Args:
        model: who is asked.
        price: per million tokens; the model's own where it has one.
        max_calls: how many calls may be made, failed ones included.
        max_cost: in the currency of the price.

    Attributes:
        model: who is asked.
        price: per million tokens; None where it is unknown.
        calls: that were made; failed: that ended in an error (or were cancelled); in_flight: that have not ended.
        input, output, cached: tokens so far, None as soon as one reply did not tell.

    Raises:
        FielError: `max_cost` without a price, or a limit below 0.
    """

    def __init__(
        self,
        model: Model,
        *,
        price: PriceLike | None = None,
        max_calls: int | None = None,
        max_cost: float | None = None,
    ) -> None:
        self.model = model
        self.price = price_of(price if price is not None else getattr(model, "price", None))
        if max_cost is not None and self.price is None:
            raise FielError(
                f"max_cost is {max_cost}, but the price of model {model.name!r} is unknown.",
                fix='Give price={"input": ..., "output": ...} per million tokens, or max_calls instead.',
            )
        for name, limit in (("max_calls", max_calls), ("max_cost", max_cost)):
            if limit is not None and not limit >= 0:
                raise FielError(f"{name} is {limit}; it must be a number from 0 on.")
        self._max_calls = max_calls
        self._max_cost = max_cost
        self.calls = 0
        self.failed = 0
        self.in_flight = 0
        self.input: int | None = 0
        self.output: int | None = 0
        self.cached: int | None = 0

    def __getattr__(self, attribute: str) -> Any:
        """Whatever else the model has, such as `max_in_flight` and `check`."""
        if attribute == "model":  # not made yet, as in a copy that is being built
            raise AttributeError(attribute)
        return getattr(self.model, attribute)

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    @property
    def cost(self) -> float | None:
        """So far; None where the price is unknown or a reply did not tell its tokens, never 0 instead."""
        return cost_of(Usage(input=self.input, output=self.output), self.price)

    async def __call__(self, request: Request) -> Reply:
        """What the model says.

        Raises:
            BudgetError: the call would go over the budget; nothing was sent.
        """
        self._check()
        self.calls += 1
        self.in_flight += 1
        try:
            reply = await self.model(request)
        except BaseException:
            self.failed += 1
            raise
        finally:
            self.in_flight -= 1
        self.input = _plus(self.input, reply.usage.input)
        self.output = _plus(self.output, reply.usage.output)
        self.cached = _plus(self.cached, reply.usage.cached)
        return reply

    async def close(self) -> None:
        """Close the model, if it can be closed."""
        close = getattr(self.model, "close", None)
        if close is not None:
            await close()

    def _check(self) -> None:
        if self._max_calls is not None and self.calls >= self._max_calls:
            raise BudgetError(
                f"The budget of {self._max_calls} calls is used up.",
                where=f"model {self.name!r}",
                fix="Raise max_calls to go on from here.",
            )
        if self._max_cost is None:
            return
        cost = self.cost
        if cost is None:
            raise BudgetError(
                f"The cost is unknown, so max_cost = {self._max_cost} cannot be kept: a reply did not tell its tokens.",
                where=f"model {self.name!r}",
                fix="Use max_calls with this endpoint.",
            )
        answered = self.calls - self.failed - self.in_flight
        expected = cost + (cost / answered * self.in_flight if answered else 0.0)
        if expected >= self._max_cost:
            raise BudgetError(
                f"The budget of {self._max_cost} is used up: {cost:.6g} so far, {self.in_flight} calls in flight.",
                where=f"model {self.name!r}",
                fix="Raise max_cost to go on from here.",
            )


def _plus(total: int | None, tokens: int | None) -> int | None:
    return None if total is None or tokens is None else total + tokens
