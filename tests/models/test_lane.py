"""Faults pass, or end a call, or end the run; each where it should."""

from __future__ import annotations

import asyncio
import random
import socket
from email.utils import formatdate
from typing import Any

import pytest
from aiohttp import web

from fiel.models import connect
from fiel.records import CallError, EndpointError, Reply


class Steady(random.Random):
    """Chance that always gives the same rest."""

    def uniform(self, a: float, b: float) -> float:
        return 0.3


def run(url: str, requests, **options: Any):
    """Ask all at once and return what came of each."""

    async def main() -> Any:
        async with connect(url, model="small", **options) as endpoint:
            return await asyncio.gather(*map(endpoint, requests), return_exceptions=True)

    return asyncio.run(main())


def kinds(ends) -> set[type]:
    """The types of what came."""
    return {type(end) for end in ends}


def test_a_rate_limit_is_kept(stub, question):
    """Under a limit with Retry-After every call is answered, few are refused, and refusals use up no tries."""
    server = stub("--rate-limit", "20", "--retry-after", "1")
    ends = run(server.url, [question(f"Item {i}") for i in range(40)], tries=1)
    assert kinds(ends) == {Reply}
    assert server.stats["ok"] == 40
    assert server.stats["requests"] <= 120  # a bound against storms: how few it takes depends on the machine


def test_a_rate_limit_that_does_not_say_when_is_kept(stub, question):
    """Without Retry-After, back-off and spacing get every call through as well."""
    server = stub("--rate-limit", "30", "--burst", "4")
    ends = run(server.url, [question(f"Item {i}") for i in range(30)])
    assert kinds(ends) == {Reply}
    assert server.stats["requests"] <= 120  # a bound against storms: how few it takes depends on the machine


@pytest.mark.parametrize("status", ["500", "reset"])
def test_passing_errors_pass(stub, question, status: str):
    """One attempt in twenty fails, with an error or a broken connection, and no call does."""
    server = stub("--error-rate", "0.05", "--error-status", status)
    ends = run(server.url, [question(f"Item {i}") for i in range(80)])
    assert kinds(ends) == {Reply}
    assert server.stats["requests"] > server.stats["ok"] == 80


def test_planned_failures_are_outlived(stub, question):
    """A call that fails twice is answered the third time, and its seconds are those of that attempt."""
    server = stub()
    ((reply),) = run(server.url, [question("[[stub fail=2]]")])
    assert reply.finish == "stop"
    assert server.stats["requests"] == 3


def test_a_call_that_hangs_fails_alone(stub, question):
    """A call that takes too long is tried again and then fails as one call; the others are answered."""
    server = stub()
    hanging = question("[[stub latency=30000]]")
    ends = run(server.url, [hanging, *(question(f"Item {i}") for i in range(5))], seconds=0.5, tries=2)
    assert [type(end) for end in ends] == [CallError] + [Reply] * 5
    assert "no reply within 0.5 s" in str(ends[0])
    assert "2 times" in str(ends[0])


def test_when_every_call_fails_the_run_stops(stub, question):
    """Ten calls in succession that fail for good are an endpoint that is down: the rest fails without being sent."""
    server = stub()
    ends = run(server.url, [question(f"[[stub status=500]] {i}") for i in range(100)], tries=1)
    assert [sum(isinstance(end, kind) for end in ends) for kind in (CallError, EndpointError)] == [9, 91]
    assert "down" in str(ends[-1])
    assert server.stats["requests"] < 30


def test_a_success_in_between_keeps_the_run_going(stub, question):
    """Failures that are not in succession end their own calls only."""
    server = stub()
    texts = [f"[[stub status=500]] {i}" if i % 3 else f"Item {i}" for i in range(30)]
    ends = run(server.url, [question(text) for text in texts], tries=1, max_in_flight=1)
    assert [type(end) for end in ends] == [CallError if i % 3 else Reply for i in range(30)]


def test_nobody_there_stops_the_run(question):
    """A refused connection is tried a few times, and then all calls fail together, with the address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ends = run(f"http://127.0.0.1:{port}/v1", [question(f"Item {i}") for i in range(50)])
    assert kinds(ends) == {EndpointError}
    assert f"127.0.0.1:{port}" in str(ends[0])
    assert "cannot be reached" in str(ends[0])


def test_an_endpoint_that_comes_late_is_waited_for(serving, completion, question):
    """A connection that is refused at first and taken at the next attempt costs nothing but time."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response(completion("yes"))

    async def main() -> Any:
        async with serving(answer) as url:
            pass  # its port is free again, and nobody listens
        port = int(url.split(":")[2].split("/")[0])
        async with connect(url, model="small", rng=Steady()) as endpoint:
            call = asyncio.create_task(endpoint(question()))
            await asyncio.sleep(0.1)
            app = web.Application()
            app.router.add_post("/v1/chat/completions", answer)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", port).start()
            reply = await call
            await runner.cleanup()
            return reply

    assert asyncio.run(main()).text == "yes"


@pytest.mark.parametrize("status", [401, 403])
def test_a_locked_door_stops_the_run_at_once(stub, question, status: int):
    """Not authorised: no second attempt, and the error says what to set."""
    server = stub()
    (end,) = run(server.url, [question(f"[[stub status={status}]]")], api_key="k-123456")
    assert isinstance(end, EndpointError)
    assert "api_key" in str(end)
    assert server.stats["requests"] == 1


def reply_with(status: int, body, headers=None):
    """A handler that always says the same."""

    async def handler(_: web.Request) -> web.Response:
        return web.json_response(body, status=status, headers=headers)

    return handler


@pytest.mark.parametrize(
    ("status", "body", "headers", "words"),
    [
        (404, {"error": "model 'small' not found"}, None, r"'small'(?s:.*)base_url"),
        (405, {}, None, "base_url"),
        (302, {}, {"Location": "https://elsewhere.example/v1?key=secret"}, r"moved(?s:.*)elsewhere\.example/v1\)"),
        (402, {"error": {"message": "Insufficient credits"}}, None, "credit"),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, None, "credit"),
    ],
)
def test_what_no_second_try_would_mend_stops_the_run(serving, question, status: int, body, headers, words: str):
    """No such address or model, a redirect, no credit: the first call ends the run, and says what to do."""

    async def main() -> Any:
        async with serving(reply_with(status, body, headers)) as url, connect(url, model="small") as endpoint:
            await endpoint(question())

    with pytest.raises(EndpointError, match=words):
        asyncio.run(main())


def test_a_moderated_text_fails_alone(serving, question):
    """Where 403 is about what the text says, it is the failure of one call."""
    body = {"error": {"message": "Your input was flagged by moderation."}}

    async def main() -> Any:
        async with serving(reply_with(403, body)) as url, connect(url, model="small") as endpoint:
            await endpoint(question())

    with pytest.raises(CallError, match="flagged"):
        asyncio.run(main())


@pytest.mark.parametrize(
    "body", [{"error": {"message": "overloaded", "code": 502}}, {"choices": []}, {"object": "odd\x1b[31m"}]
)
def test_an_error_that_says_it_is_none_is_tried_again(serving, question, body):
    """A 200 without a reply is tried as often as any failure, and then shown, with nothing that moves a terminal."""
    asked = []

    async def handler(_: web.Request) -> web.Response:
        asked.append(1)
        return web.json_response(body)

    async def main() -> Any:
        async with serving(handler) as url, connect(url, model="small", tries=2) as endpoint:
            await endpoint(question())

    with pytest.raises(CallError, match="no reply, but") as caught:
        asyncio.run(main())
    assert len(asked) == 2
    assert "\x1b" not in str(caught.value)


def test_a_date_of_return_is_waited_for(serving, completion, question):
    """Retry-After as a date closes the gate until then, without using up a try."""
    asked = []

    async def handler(_: web.Request) -> web.Response:
        asked.append(asyncio.get_running_loop().time())
        if len(asked) > 1:
            return web.json_response(completion("yes"))
        now = 1_800_000_000
        headers = {"Date": formatdate(now, usegmt=True), "Retry-After": formatdate(now + 1, usegmt=True)}
        return web.json_response({}, status=503, headers=headers)

    async def main() -> Any:
        async with serving(handler) as url, connect(url, model="small", tries=1) as endpoint:
            return await endpoint(question())

    assert asyncio.run(main()).text == "yes"
    assert asked[1] - asked[0] > 0.9
