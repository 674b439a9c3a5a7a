"""An endpoint is asked for what it can do, found out once, and never shows a secret."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from aiohttp import web

from fiel.models import connect
from fiel.records import CallError, EndpointError, FielError, Reply

SCHEMA = {
    "type": "object",
    "properties": {"grounded": {"enum": ["no", "yes"]}},
    "required": ["grounded"],
    "additionalProperties": False,
}
KEY = "sk-very-secret-key"


def run(url: str, requests, **options: Any):
    """Ask all at once: what came of each, and the endpoint afterwards."""

    async def main() -> Any:
        async with connect(url, model="small", **options) as endpoint:
            return await asyncio.gather(*map(endpoint, requests), return_exceptions=True), endpoint

    return asyncio.run(main())


def test_nothing_happens_at_construction():
    """An endpoint that does not exist is made without a complaint, and importing the room loads no HTTP client."""
    endpoint = connect("http://127.0.0.1:9/v1", model="small", name="fast", price={"input": 1.0, "output": 2.0})
    assert (endpoint.name, endpoint.model, endpoint.max_in_flight, endpoint.price.output) == ("fast", "small", 64, 2.0)
    assert connect("http://127.0.0.1:9/v1", model="small").name == "small"
    code = "import fiel.models, sys; fiel.models.connect('http://x/v1', model='m'); print('aiohttp' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.parametrize(
    "wrong",
    [{"model": " "}, {"name": ""}, {"max_in_flight": 0}, {"tries": 0}, {"seconds": 0}, {"longest_wait": float("nan")}],
)
def test_arguments_that_cannot_be_right_are_refused(wrong):
    """A wrong argument is named at once."""
    with pytest.raises(FielError, match=next(iter(wrong))):
        connect("http://localhost/v1", **({"model": "small"} | wrong))


def test_a_question_is_answered_with_all_that_there_is(stub, question):
    """Text after the schema, tokens that spell it, their alternatives, usage, what was served, seconds: all come."""
    server = stub()
    request = question("[[stub p:grounded=yes:0.7,no:0.3]]", schema=SCHEMA, temperature=0, top_logprobs=20)
    ((reply,), endpoint) = run(server.url, [request])
    assert json.loads(reply.text) == {"grounded": "yes"}
    assert "".join(token.text for token in reply.tokens) == reply.text
    (decided,) = [token for token in reply.tokens if token.text == "yes"]
    assert {text for text, _ in decided.alternatives} == {"yes", "no"}
    assert (reply.served, reply.fingerprint, reply.finish) == ("small", "fp_stub", "stop")
    assert reply.usage.input > 0
    assert reply.usage.output > 0
    assert reply.latency > 0
    assert (endpoint.without, endpoint.top_logprobs) == (frozenset(), None)
    (body,) = server.log
    assert body["model"] == "small"
    assert not {"n", "stream"} & set(body)


@pytest.mark.parametrize("options", [("--logprobs", "omit"), ("--logprobs", "empty"), ()])
def test_absent_log_probabilities_are_none(stub, question, options: tuple[str, ...]):
    """Left out, empty or null, log-probabilities are None, the reply is whole, and the endpoint is asked only once."""
    server = stub(*options)
    text = "Judge it." if options else "Judge it. [[stub nologprobs]]"
    ((reply,), _) = run(server.url, [question(text, top_logprobs=5)])
    assert (reply.tokens, reply.finish) == (None, "stop")
    assert server.stats["requests"] == 1


@pytest.mark.parametrize(
    ("options", "without", "most"),
    [(("--logprobs", "reject"), {"logprobs"}, 0), (("--max-top-logprobs", "5"), set(), 5)],
)
def test_a_capability_is_found_out_once(stub, question, options, without, most):
    """The first round of calls learns from its refusals, no later call is refused, and all are answered."""
    server = stub(*options)

    async def main() -> Any:
        async with connect(server.url, model="small") as endpoint:
            first = await asyncio.gather(*(endpoint(question(f"Item {i}", top_logprobs=20)) for i in range(20)))
            refused = server.stats["http_400"]
            then = await asyncio.gather(*(endpoint(question(f"Item {i}", top_logprobs=20)) for i in range(20)))
            return first + then, refused, endpoint

    replies, refused, endpoint = asyncio.run(main())
    assert 1 <= refused <= 16  # those that were under way together before anything was known
    assert server.stats["http_400"] == refused
    assert (endpoint.without, endpoint.top_logprobs) == (without, most)
    assert all((reply.tokens is None) == (most == 0) for reply in replies)
    if most:
        assert max(len(token.alternatives) for reply in replies for token in reply.tokens) <= most


def test_what_an_endpoint_does_not_take_is_dropped_step_by_step(serving, completion, question):
    """Schema, temperature, seed and the name of max_tokens give way one refusal at a time, until there is an answer."""
    bodies = []

    async def picky(request: web.Request) -> web.Response:
        body = await request.json()
        bodies.append(body)
        form = body.get("response_format", {}).get("type")
        wrong = (
            f"Invalid parameter: 'response_format' of type '{form}' is not supported with this model."
            if form
            else "Unsupported value: 'temperature' does not support 0 with this model."
            if "temperature" in body
            else "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            if "max_tokens" in body
            else None
        )
        if wrong is None and "seed" in body:
            detail = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
            return web.json_response({"detail": detail}, status=422)
        if wrong is None:
            return web.json_response(completion("yes"))
        return web.json_response({"error": {"message": wrong}}, status=400)

    async def main() -> Any:
        async with serving(picky) as url, connect(url, model="small") as endpoint:
            request = question(schema=SCHEMA, temperature=0, max_tokens=50, seed=1, top_logprobs=5)
            return [await endpoint(request), await endpoint(request)], endpoint.without

    replies, without = asyncio.run(main())
    assert [reply.text for reply in replies] == ["yes", "yes"]
    assert without == {"schema", "json", "temperature", "seed"}
    assert len(bodies) == 7  # five refusals and an answer; the second call is answered at once
    assert bodies[-1] == {
        "model": "small",
        "messages": bodies[0]["messages"],
        "max_completion_tokens": 50,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_other_refusals_are_final(stub, question):
    """A request that is wrong in itself fails without another try, as the failure of one call."""
    server = stub()
    ends, _ = run(server.url, [question("[[stub status=422]]"), question("fine")])
    assert [type(end) for end in ends] == [CallError, Reply]
    assert "422" in str(ends[0])
    assert server.stats["requests"] == 2


def test_a_missing_key_is_told_before_the_run(monkeypatch: pytest.MonkeyPatch, question):
    """`check` names the variable without asking anybody, and so does the first call."""
    monkeypatch.delenv("JUDGE_API_KEY", raising=False)
    endpoint = connect("http://127.0.0.1:9/v1", model="small", name="fast", api_key_env="JUDGE_API_KEY")
    with pytest.raises(FielError, match=r"JUDGE_API_KEY(?s:.*)model 'fast'"):
        endpoint.check()
    with pytest.raises(FielError, match="JUDGE_API_KEY"):
        asyncio.run(endpoint(question()))
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    endpoint.check()


def test_secrets_do_not_leak(monkeypatch: pytest.MonkeyPatch, serving, completion, question):
    """The key is sent, and stands in no reply, error or representation, even where the server echoes it."""
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    seen = []

    async def echo(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        if len(seen) == 1:
            return web.json_response(completion(f"yes {request.headers['Authorization']}", model=KEY))
        status = {2: 400, 3: 401}[len(seen)]
        return web.json_response({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=status)

    async def main() -> Any:
        async with serving(echo) as url, connect(url, model="small", api_key_env="JUDGE_API_KEY") as endpoint:
            ends = [await asyncio.gather(endpoint(question()), return_exceptions=True) for _ in range(3)]
            return [end for (end,) in ends], repr(endpoint)

    (reply, refused, locked_out), shown = asyncio.run(main())
    assert seen == [f"Bearer {KEY}"] * 3
    assert reply.text == "yes Bearer [hidden]"
    assert [type(refused), type(locked_out)] == [CallError, EndpointError]
    assert "JUDGE_API_KEY" in str(locked_out)
    assert not any(KEY in text for end in (reply, refused, locked_out) for text in (str(end), repr(end)))
    assert KEY not in shown


def test_one_event_loop_after_another(stub, question):
    """An endpoint is used, closed, and used again in a new event loop; what it learnt stays."""
    server = stub("--max-top-logprobs", "5")
    endpoint = connect(server.url, model="small")

    async def once() -> Any:
        async with endpoint:
            return await endpoint(question(top_logprobs=20))

    replies = [asyncio.run(once()) for _ in range(2)]
    assert [reply.finish for reply in replies] == ["stop"] * 2
    assert server.stats["http_400"] == 1


def test_an_event_loop_that_ended_without_close_is_let_go(stub):
    """Whoever forgot to close in one event loop can still ask in the next, and nothing of the first is kept."""
    code = f"""
import asyncio
from fiel.models import connect
from fiel.records import Message, Request

endpoint = connect("{stub().url}", model="small")
request = Request(model="small", messages=(Message(role="user", content="Is it so?"),))

async def again():
    async with endpoint:
        return await endpoint(request), len(endpoint._lanes)

print(asyncio.run(endpoint(request)).finish)
reply, lanes = asyncio.run(again())
print(reply.finish, lanes)
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60) == "stop\nstop 1\n"


def test_cancelling_leaves_no_task(stub, question):
    """Cancelled in flight and in the queue, calls leave no task behind, and the endpoint goes on working."""
    server = stub()

    async def main() -> Any:
        async with connect(server.url, model="small", max_in_flight=2) as endpoint:
            calls = [asyncio.create_task(endpoint(question(f"[[stub latency=20000]] {i}"))) for i in range(6)]
            await asyncio.sleep(0.2)
            for call in calls:
                call.cancel()
            ends = await asyncio.gather(*calls, return_exceptions=True)
            reply = await endpoint(question())
            return ends, reply, asyncio.all_tasks() - {asyncio.current_task()}

    ends, reply, left = asyncio.run(main())
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 6
    assert reply.finish == "stop"
    assert left == set()


def test_closing_fails_what_still_runs(stub, question):
    """A call that is under way when the endpoint is closed ends with an error that says so."""

    async def main() -> Any:
        endpoint = connect(stub().url, model="small")
        call = asyncio.create_task(endpoint(question("[[stub latency=20000]]")))
        await asyncio.sleep(0.1)
        await endpoint.close()
        return (await asyncio.gather(call, return_exceptions=True))[0]

    end = asyncio.run(main())
    assert isinstance(end, EndpointError)
    assert "closed" in str(end)
