from __future__ import annotations

import asyncio

import pytest

from fiel.models import ScriptedModel
from fiel.records import FielError, Message, Reply, Request


def ask(content: str) -> Request:
    """A request with one message."""
    return Request(model="m", messages=(Message(role="user", content=content),))


def test_replies_come_in_order_and_requests_are_kept():
    """Strings become replies, replies pass as they are, and what was asked can be looked at."""
    model = ScriptedModel(["one", Reply(text="two", served="tiny")], name="house")
    answers = [asyncio.run(model(ask(text))) for text in ("a", "b")]
    assert answers == [Reply(text="one"), Reply(text="two", served="tiny")]
    assert [request.messages[0].content for request in model.requests] == ["a", "b"]
    assert model.name == "house"


def test_an_exception_of_the_script_is_raised_in_its_turn():
    """A failing endpoint can be scripted, and the script goes on after it."""
    model = ScriptedModel([TimeoutError("slow"), "then"])
    with pytest.raises(TimeoutError, match="slow"):
        asyncio.run(model(ask("a")))
    assert asyncio.run(model(ask("a"))).text == "then"


def test_a_script_that_is_over_says_so():
    """The error counts what was there and what was asked."""
    model = ScriptedModel(["only"], name="house")
    asyncio.run(model(ask("a")))
    with pytest.raises(FielError, match="'house' is over: it holds 1 reply and this is request 2"):
        asyncio.run(model(ask("b")))


def test_a_function_answers_by_the_request():
    """A function sees the request; both kinds of its answers become replies."""
    model = ScriptedModel(lambda r: r.messages[0].content.upper() if r.sample == 0 else Reply(text="again"))
    assert asyncio.run(model(ask("yes"))).text == "YES"
    assert asyncio.run(model(Request(model="m", messages=(), sample=1))).text == "again"
    assert len(model.requests) == 2


def test_a_function_may_raise():
    """What the function raises comes through, and the request was seen."""

    def fail(request: Request) -> str:
        raise ConnectionError(request.model)

    model = ScriptedModel(fail)
    with pytest.raises(ConnectionError, match="m"):
        asyncio.run(model(ask("a")))
    assert len(model.requests) == 1


def test_concurrent_calls_use_the_script_up_once():
    """Two calls at a time take two different replies."""

    async def both() -> list[Reply]:
        model = ScriptedModel(["one", "two"])
        return await asyncio.gather(model(ask("a")), model(ask("b")))

    assert [reply.text for reply in asyncio.run(both())] == ["one", "two"]
