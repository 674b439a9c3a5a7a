"""Refusals as endpoints word them lead to less being asked, and to nothing else being dropped."""

from __future__ import annotations

import pytest

from fiel.models._outcomes import Complaint
from fiel.models._terms import Terms, revise

SENT = {
    "logprobs": True,
    "top_logprobs": 20,
    "temperature": 0,
    "seed": 1,
    "max_tokens": 100,
    "response_format": {"type": "json_schema"},
}


@pytest.mark.parametrize(
    ("message", "param", "expected"),
    [
        ("Invalid value for 'top_logprobs': must be less than or equal to 5.", None, Terms(most=5)),
        ("Requested sample logprobs of 20, which is greater than max allowed: 5", None, Terms(most=5)),
        ("('body', 'top_logprobs') Input should be less than or equal to 8", None, Terms(most=8)),
        ("Invalid value.", "top_logprobs", Terms(most=10)),
        ("top_logprobs is too large", None, Terms(most=10)),
        ("Unsupported parameter: 'logprobs' is not supported with this model.", None, Terms(logprobs=False)),
        ("This model does not support logprobs.", "logprobs", Terms(logprobs=False)),
        ("('body', 'logprobs') Extra inputs are not permitted", None, Terms(logprobs=False)),
        (
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            "response_format",
            Terms(form="json_object"),
        ),
        ("This model does not support structured outputs", None, Terms(form="json_object")),
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported.",
            "temperature",
            Terms(dropped=frozenset({"temperature"})),
        ),
        ("('body', 'seed') Extra inputs are not permitted", None, Terms(dropped=frozenset({"seed"}))),
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "max_tokens",
            Terms(renamed=True),
        ),
    ],
)
def test_each_wording_leads_to_its_revision(message: str, param: str | None, expected: Terms):
    """A refusal about one thing changes that thing alone."""
    assert revise(Terms(), Complaint(message=message, param=param), SENT) == expected


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, your messages resulted in 9024 tokens.",
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
        "The response was filtered due to the prompt triggering the content management policy.",
        "Invalid request",
    ],
)
def test_other_refusals_change_nothing(message: str):
    """A request that is wrong in itself is not made right by asking for less."""
    assert revise(Terms(), Complaint(message=message), SENT) is None


def test_what_was_not_sent_is_not_dropped():
    """A refusal that names what the request does not hold changes nothing."""
    complaint = Complaint(message="'logprobs', 'response_format' and 'temperature' are not supported", param="logprobs")
    assert revise(Terms(), complaint, {"messages": []}) is None


def test_every_series_of_refusals_ends():
    """The number of alternatives goes down in known steps and then away; a schema becomes JSON and then nothing."""
    terms, seen = Terms(), []
    while terms.logprobs:
        asked = 20 if terms.most is None else terms.most
        terms = revise(terms, Complaint(message="bad top_logprobs"), SENT | {"top_logprobs": asked})
        seen.append(terms.most)
    assert seen == [10, 5, 3, 1, 1]
    terms = revise(terms, Complaint(message="bad response_format"), SENT)
    assert terms.without == {"logprobs", "schema"}
    terms = revise(terms, Complaint(message="bad response_format"), SENT)
    assert terms.without == {"logprobs", "schema", "json"}


def test_nothing_is_missing_at_first():
    """An endpoint of which nothing is known is asked for everything."""
    assert Terms().without == frozenset()
