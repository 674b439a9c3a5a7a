"""One side of a race in a process of its own: `fiel.judge`, a bare loop over the same calls, or a local model.

Prints one JSON object. What is loaded and opened for the first time is loaded before the clock starts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

import fiel
from fiel.judges import LLMJudge
from fiel.models import Local, connect, local
from fiel.models._terms import Terms
from fiel.models._wire import fields_of
from fiel.records import Criterion, Item, Reply, Request, Rubric
from fiel.store.judgements import JudgementStore

IN_FLIGHT = 64
WARM = 64  # calls before the clock starts
RUBRIC = Rubric(
    id="support",
    criteria=(
        Criterion(
            id="grounded",
            question="Does the context support every statement of the answer?",
            guidance="Numbers, dates and names must stand in the context as they stand in the answer.",
        ),
    ),
)
CONTEXT = (
    "Report {number} of the bridge office. The crossing was opened in 1931 and carries two lanes and a footpath. Its "
    "piers stand on oak piles that were driven to a depth of nine metres; the deck was renewed in 1974 after a flood. "
    "Since then the office has measured the settlement of every pier twice a year, in March and in October, and no "
    "pier has moved by more than four millimetres. The paint of the girders is renewed every fifteen years. Lorries of "
    "more than twelve tonnes take the ford below the mill. In the winter of 1996 ice closed the footpath for eleven "
    "days, the longest closure on record. The office expects the next renewal of the deck not before the year 2034 and "
    "sets aside a twentieth of its income for it. Fishing from the piers is forbidden; from the banks it is allowed "
    "from June to November, with a licence of the parish, which costs four crowns a year and is sold at the mill. "
)
QUESTIONS = ("When was it opened?", "How deep are the piles?", "What do lorries do?", "Where may one fish?")
ANSWER = "According to report {number} the answer is found in its third sentence; the deck was renewed in 1974."


def items(count: int, *, first: int = 0, shared: bool = False) -> list[Item]:
    """Answers to judge, each with a context of its own, or with one that all share."""
    return [
        Item(
            id=f"item-{number:06}",
            input=QUESTIONS[number % len(QUESTIONS)],
            context=CONTEXT.format(number=0 if shared else number),
            output=ANSWER.format(number=number),
        )
        for number in range(first, first + count)
    ]


def ours(url: str, calls: int) -> dict[str, float]:
    """Judge with fiel, everything kept; seconds of the clock and of the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for name, subjects in (("warm", items(WARM, first=calls)), ("race", items(calls))):
            judge = LLMJudge(connect(url, model="stub", max_in_flight=IN_FLIGHT))
            with JudgementStore.open(Path(folder) / f"{name}.db") as store:
                clock, cpu = time.perf_counter(), time.process_time()
                said = fiel.judge(judge, subjects, RUBRIC, store=store)
                times = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - cpu}
                kept = sum(tally.count for tally in store.tally())
        read = sum(one.belief is not None and one.belief.source == "logprobs" for one in said)
        if not read == kept == calls:
            sys.exit(f"of {calls} calls {read} have a belief and {kept} are kept")
    return times


def theirs(url: str, calls: int) -> dict[str, float]:
    """Post the same bodies in a bare loop and decode the replies; seconds of the clock and of the CPU."""
    judge = LLMJudge(connect(url, model="stub"))
    times = {}
    for subjects in (items(WARM, first=calls), items(calls)):
        bodies = [_body(judge.requests(subject, RUBRIC)[0]) for subject in subjects]
        clock, cpu = time.perf_counter(), time.process_time()
        asyncio.run(_post(f"{url}/chat/completions", bodies))
        times = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - cpu}
    return times


def _body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(fields_of(request, model="stub", terms=Terms()))
    return body


async def _post(url: str, bodies: Sequence[dict[str, Any]]) -> None:
    work = iter(bodies)

    async def ask(session: aiohttp.ClientSession) -> None:
        for body in work:
            async with session.post(url, json=body) as response:
                reply = await response.json()
                if not reply["choices"][0]["logprobs"]["content"]:
                    sys.exit("a reply without log-probabilities")

    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(ask(session))


class Held:
    """A model that stays loaded when its judge is done with it."""

    def __init__(self, model: Local) -> None:
        self.model = model
        self.name = model.name
        self.max_in_flight = model.max_in_flight

    async def __call__(self, request: Request) -> Reply:
        """What the model says."""
        return await self.model(request)


def prefix(gguf: str, count: int) -> dict[str, int]:
    """Judge items of one context with a local model: how many tokens it took from its cache, of how many shared ones.

    Shared is what all prompts have in common, once for every item but the first. It is counted by sending just that,
    which adds the few tokens that close a turn.
    """
    model = local(gguf, slots=1)
    judge = LLMJudge(Held(model), reason="none")
    subjects = items(count, shared=True)
    said = fiel.judge(judge, subjects, RUBRIC)
    cached = [one.usage.cached for one in said if one.usage is not None and one.usage.cached is not None]
    if len(cached) != count:
        sys.exit(f"of {count} replies {len(cached)} say how much was cached")
    shared = asyncio.run(_tokens_in_common(model, judge, subjects))
    return {"cached": sum(cached), "shared": shared * (count - 1)}


async def _tokens_in_common(model: Local, judge: LLMJudge, subjects: Sequence[Item]) -> int:
    requests = [judge.requests(subject, RUBRIC)[0] for subject in subjects]
    system, user = requests[0].messages
    end = user.content.index("<<<QUESTION")
    begin = user.content[:end]
    if any(request.messages[1].content[:end] != begin for request in requests):
        sys.exit("the prompts have no beginning in common")
    turns = (system, msgspec.structs.replace(user, content=begin))
    async with model:
        reply = await model(Request(model=model.name, messages=turns, parameters={"max_tokens": 1}))
    return reply.usage.input or 0


def main() -> None:
    """Run the side that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("side", choices=("ours", "theirs", "prefix"))
    parser.add_argument("place", help="the base URL, or the file of the local model")
    parser.add_argument("count", type=int, help="calls, or items")
    told = parser.parse_args()
    print(json.dumps({"ours": ours, "theirs": theirs, "prefix": prefix}[told.side](told.place, told.count)))


if __name__ == "__main__":
    main()
