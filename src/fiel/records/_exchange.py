"""What is said to a model and what it says back. Knows no wire format."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal, Protocol

from fiel.records._errors import FielError
from fiel.records._lines import Record, digest_of_encoded


class CallError(FielError):
    """One call failed for good: refused by the endpoint, out of time, or broken after every retry. Others may work."""


class EndpointError(FielError):
    """The endpoint cannot be used at all: unreachable, unauthorised, or failing every call. The run should stop."""


class Message(Record, frozen=True, kw_only=True, gc=False):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record, dict=True, frozen=True, kw_only=True):
    """One question to a model, as exact as its digest has to be.

    Args:
        model: the logical name of the endpoint and model, never an address or a port.
        messages: what is said.
        schema: the JSON Schema that the reply must follow; None for free text.
        parameters: temperature, top_logprobs, max_tokens, seed: what changes the answer.
        sample: which of several equal requests.
    """

    model: str
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    parameters: dict[str, Any] = {}  # noqa: RUF012  a msgspec default: copied, never shared
    sample: int = 0

    @cached_property
    def digest(self) -> str:
        """The key under which its reply is kept."""
        return digest_of_encoded(self)


class Token(Record, frozen=True, kw_only=True, gc=False):
    """One token of a reply, with the alternatives at its place as (text, natural-log probability)."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


class Usage(Record, frozen=True, kw_only=True, gc=False):
    """Tokens that a call took; None is unknown."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None


class Price(Record, frozen=True, kw_only=True):
    """Of a million tokens, in the currency of the price list."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            if not 0 <= getattr(self, name) < math.inf:
                raise FielError(
                    f"The price of {name} is {getattr(self, name)}; it must be a finite number from 0 on.",
                    fix="Leave the price out where it is unknown.",
                )

    def of(self, usage: Usage) -> float | None:
        """What a call cost; None where a count is unknown, never 0. Cached tokens count in full.

        >>> Price(input=0.25, output=2.0).of(Usage(input=4000, output=1000))
        0.003
        """
        if usage.input is None or usage.output is None:
            return None
        return (usage.input * self.input + usage.output * self.output) / 1e6


class Reply(Record, frozen=True, kw_only=True, gc=False):
    """What came back, raw.

    Args:
        text: the content, to the letter.
        tokens: with log-probabilities, where the endpoint gives them; None where it does not.
        finish: why it ended ("stop", "length", "content_filter", ...).
        usage: tokens.
        served: the model that the server says answered; fingerprint: of its configuration.
        latency: seconds.
    """

    text: str
    tokens: tuple[Token, ...] | None = None
    finish: str | None = None
    usage: Usage = Usage()
    served: str | None = None
    fingerprint: str | None = None
    latency: float | None = None


class Model(Protocol):
    """Whoever answers a prompt: an async callable from a request to a reply."""

    @property
    def name(self) -> str:
        """Its logical name, which is part of every request's digest."""
        ...

    async def __call__(self, request: Request) -> Reply:
        """Answer."""
        ...
