from __future__ import annotations

import pytest

from fiel.interop._answers import Scale
from fiel.interop._beliefs import belief_of
from fiel.records import Criterion, FielError

SCALE = Scale(
    Criterion(id="c", question="?", options=("1", "2", "3"), scale="ordinal", applies_when="Sometimes."),
    not_applicable=["0"],
)


def test_mass_off_the_options_is_not_captured():
    """Mass on other answers, and what is missing to 1, lowers the captured mass and scales nothing away unseen."""
    belief = belief_of('{"1": 0.2, "3.0": 0.3, "banana": 0.4}', SCALE, source="logprobs")
    assert belief is not None
    assert belief.probs == pytest.approx((0.4, 0.0, 0.6))
    assert (belief.source, belief.captured) == ("logprobs", 0.5)


def test_mass_on_not_applicable_stands_outside():
    """Mass on "not applicable" is no mass on an option."""
    belief = belief_of({"0": 0.25, "2": 0.75}, SCALE, source="samples")
    assert belief is not None
    assert (belief.probs, belief.captured, belief.inapplicable) == ((0.0, 1.0, 0.0), 0.75, 0.25)


def test_a_list_is_in_the_order_of_the_options():
    """A bare list has one probability for each option."""
    belief = belief_of([0.1, 0.2, 0.7], SCALE, source="stated")
    assert belief is not None
    assert belief.probs == pytest.approx((0.1, 0.2, 0.7))
    with pytest.raises(FielError, match="2 probabilities for 3 options"):
        belief_of([0.5, 0.5], SCALE, source="stated")


def test_no_mass_is_no_belief():
    """Where nothing falls on the options there is no belief, and no division by zero."""
    assert belief_of({"9": 1.0}, SCALE, source="stated") is None
    assert belief_of({}, SCALE, source="stated") is None


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ('{"1": 0.9, "2": 0.9}', "sum to 1.8"),
        ('{"1": -0.1}', "A probability is -0.1"),
        ('{"1": "high"}', "A probability is 'high'"),
        ('{"1": true}', "A probability is True"),
        ("{'1': 1}", "no JSON"),
        ('"1"', "no object"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_what_is_no_probability_is_refused(cell: str, what: str):
    """Logarithms, sums above 1, words and bottomless nesting are refused with what was read."""
    with pytest.raises(FielError, match=what):
        belief_of(cell, SCALE, source="logprobs")
