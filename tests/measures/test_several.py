"""What is said where many words stand beside each other."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiel.measures import Validation, many_words, validate


@pytest.fixture
def found(world: Any) -> Validation:
    """One word that rests on bounds: 57 of 60."""
    judgements, labels = world.against(57, 60)
    return validate(judgements, labels, rubric=world.rubric)


def many(found: Validation, number: int, **change: Any) -> Validation:
    """The same word so many times, changed."""
    part = msgspec.structs.replace(found.criteria[0], **change)
    return msgspec.structs.replace(found, criteria=(part,) * number)


def test_from_twenty_words_their_number_is_said(found: Validation):
    """Nineteen say nothing; twenty name their number, their confidence, and how many of them chance may turn."""
    assert many_words([many(found, 19)]) is None
    said = many_words([many(found, 12), many(found, 8, word="not enough labels")])
    assert said is not None
    assert said.startswith("20 words were said, 12 of them more than “not enough labels”")
    assert "at 95 % confidence" in said
    assert "about 1.0 of the 20, on average and at most" in said


def test_words_without_a_bound_are_not_counted(world: Any, found: Validation):
    """Where nothing is labelled no bound was drawn that chance could turn."""
    silent = validate([world.judgement("a", 0.9)], (), rubric=world.rubric)
    assert silent.criteria[0].word == "not enough labels"
    assert many_words([many(found, 19), many(silent, 30)]) is None


def test_the_number_is_that_of_the_confidence(found: Validation):
    """At 99.9 % confidence forty words leave 0.04 to chance."""
    said = many_words([msgspec.structs.replace(many(found, 40), confidence=0.999)])
    assert said is not None
    assert "about 0.04 of the 40" in said
