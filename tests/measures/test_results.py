from __future__ import annotations

from typing import Any

import msgspec

from fiel.measures import gate, rates, validate


def test_results_are_plain_json(world: Any):
    """Every result can be written as JSON without NaN, and its figures come back as they were."""
    judgements, labels = world.against(55, 60, seconds=58)
    validation = validate(judgements, labels, rubric=world.rubric)
    rate = rates(judgements, labels, rubric=world.rubric)[0]
    decision = gate(rate.estimate, at_least=0.5)
    for result in (validation, rate, decision):
        text = msgspec.json.encode(result)
        assert b"NaN" not in text
        assert b"null" in text or result is validation
    plain = msgspec.json.decode(msgspec.json.encode(validation))
    assert plain["criteria"][0]["agreement"]["value"] == validation.criteria[0].agreement.value
    assert plain["criteria"][0]["funnel"]["both"] == validation.criteria[0].funnel.both


def test_the_headline_counts_in_words(world: Any):
    """None, one or several of the criteria may move decisions."""
    judgements, labels = world.against(30, 60)
    assert validate(judgements, labels, rubric=world.rubric).headline == "grounded may not move decisions yet."
