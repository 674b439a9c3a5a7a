"""Costs are known or None, never 0 for want of a number."""

from __future__ import annotations

import pytest

from fiel.models import cost_of
from fiel.models._price import price_of
from fiel.records import FielError, Price, Usage
from fiel.store.config import Price as ConfiguredPrice

PRICE = {"input": 0.25, "output": 2.0}


def test_a_cost_is_per_million_tokens():
    """A million tokens of each cost the two prices together."""
    assert cost_of(Usage(input=1_000_000, output=1_000_000), PRICE) == 2.25
    assert cost_of(Usage(input=0, output=0), PRICE) == 0.0


@pytest.mark.parametrize(
    ("usage", "price"), [(Usage(input=5), PRICE), (Usage(output=5), PRICE), (Usage(input=5, output=5), None)]
)
def test_an_unknown_cost_is_none(usage: Usage, price):
    """Without a price, or with a count that the server did not tell, the cost is None."""
    assert cost_of(usage, price) is None


def test_prices_come_in_three_forms():
    """A mapping, the price of fiel.toml and our own are the same price."""
    assert price_of(PRICE) == price_of(ConfiguredPrice(**PRICE)) == price_of(Price(**PRICE)) == Price(**PRICE)
    assert price_of(None) is None


@pytest.mark.parametrize(
    "price", [{"input": 1.0}, {"input": 1.0, "output": 1.0, "x": 1.0}, {"input": -1.0, "output": 1.0}]
)
def test_what_is_no_price_is_refused(price):
    """A price with a missing, unknown or negative part is an error."""
    with pytest.raises(FielError, match="price"):
        price_of(price)
    with pytest.raises(FielError, match="finite"):
        Price(input=1.0, output=float("nan"))
