"""What tokens cost. Knows no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from fiel.records import FielError, Price, Usage


class Priced(Protocol):
    """Anything that names what a million tokens of the prompt and of the reply cost."""

    @property
    def input(self) -> float:
        """Of the prompt."""
        ...

    @property
    def output(self) -> float:
        """Of the reply."""
        ...


PriceLike: TypeAlias = Priced | Mapping[str, float]


def price_of(value: PriceLike | None) -> Price | None:
    """A price from a mapping with "input" and "output" (as in fiel.toml), or from anything that has both.

    Raises:
        FielError: a key is missing or unknown, or a price is below 0 or not finite.
    """
    if value is None or isinstance(value, Price):
        return value
    if not isinstance(value, Mapping):
        return Price(input=value.input, output=value.output)
    if set(value) != {"input", "output"}:
        raise FielError(
            f"A price has input and output, per million tokens; this one has {sorted(value)}.",
            fix='Such as {"input": 0.25, "output": 2.0}.',
        )
    return Price(input=value["input"], output=value["output"])


def cost_of(usage: Usage, price: PriceLike | None) -> float | None:
    """What a call cost, or None where the price or a token count is unknown: never 0 for want of a number.

    Cached tokens are counted at the full price of the prompt, so that the cost is an upper bound where the provider
    gives a discount.

    >>> cost_of(Usage(input=2000, output=500), {"input": 0.25, "output": 2.0})
    0.0015
    """
    known = price_of(price)
    return None if known is None else known.of(usage)
