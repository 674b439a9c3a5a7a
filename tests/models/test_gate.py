"""The gate lets as many through as the endpoint bears, and nobody is lost at it."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any

import pytest

from fiel.models._gate import Gate
from fiel.records import EndpointError


async def enter_all(gate: Gate, number: int) -> list[asyncio.Task[None]]:
    """So many calls at the gate, each as far as it comes by itself."""
    tasks = [asyncio.create_task(gate.enter()) for _ in range(number)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def inside(tasks) -> int:
    """How many were let in."""
    return sum(task.done() and not task.cancelled() and task.exception() is None for task in tasks)


async def cancel(tasks) -> None:
    """Take the rest away."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_it_starts_small_and_doubles():
    """Sixteen at first; every answer lets in its successor and one more, up to the most that may be."""

    async def run() -> Any:
        gate = Gate(40)
        tasks = await enter_all(gate, 128)
        seen = [inside(tasks)]
        for _ in range(2):
            for _ in range(16):
                gate.answered()
                gate.leave()
            await asyncio.sleep(0)
            seen.append(inside(tasks))
        await cancel(tasks)
        return seen

    assert asyncio.run(run()) == [16, 48, 72]  # 16 + 32 in flight, then 32 + 40


def test_a_round_of_refusals_halves_once():
    """All that were under way may be refused together: that is one piece of news, and afterwards growth is slow."""

    async def run() -> Any:
        gate = Gate(64)
        tasks = await enter_all(gate, 64)
        began = monotonic()
        for _ in range(16):
            gate.refused(began, paced=False)
            gate.leave()
        await asyncio.sleep(0)
        after_cut = inside(tasks)
        gate.answered()
        gate.leave()
        await asyncio.sleep(0)
        after_answer = inside(tasks)
        await cancel(tasks)
        return after_cut, after_answer

    assert asyncio.run(run()) == (16 + 8, 16 + 8 + 1)


def test_nobody_is_let_in_before_the_server_said():
    """Until the time that the server named the gate is closed, then it opens by itself."""

    async def run() -> Any:
        gate = Gate(64)
        await gate.enter()
        began = monotonic()
        gate.refused(began, told=0.2, paced=False)
        gate.leave()
        await gate.enter(again=True)
        return monotonic() - began

    assert asyncio.run(run()) >= 0.19


def test_calls_are_spaced_by_what_was_let_through():
    """After a refusal the next calls start at the pace at which answers came before it."""

    async def run() -> Any:
        gate = Gate(64)
        await gate.enter()
        await asyncio.sleep(0.2)
        for _ in range(4):
            gate.answered()
        gate.refused(monotonic())
        gate.leave()
        starts = []
        for _ in range(3):
            await gate.enter()
            starts.append(monotonic())
        return starts[2] - starts[0]

    assert asyncio.run(run()) >= 0.09  # two steps of a twentieth of a second


def test_a_call_again_goes_first():
    """A call that had a place before does not queue up behind those that had none."""

    async def run() -> Any:
        gate = Gate(1)
        await gate.enter()
        order = []

        async def come(name: str, *, again: bool) -> None:
            await gate.enter(again=again)
            order.append(name)
            gate.leave()

        tasks = [asyncio.create_task(come("new", again=False)), asyncio.create_task(come("old", again=True))]
        await asyncio.sleep(0)
        gate.leave()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["old", "new"]


def test_a_cancelled_call_gives_its_place_back():
    """Cancelled while it waits, or in the moment it is let in, a call leaves the gate as it was."""

    async def run() -> Any:
        gate = Gate(1)
        await gate.enter()
        waiting, chosen, last = await enter_all(gate, 3)
        waiting.cancel()
        await asyncio.sleep(0)
        gate.leave()  # lets `chosen` in, which has not run yet
        chosen.cancel()
        await asyncio.gather(waiting, chosen, return_exceptions=True)
        await asyncio.wait_for(last, 5)
        return waiting.cancelled(), chosen.cancelled()

    assert asyncio.run(run()) == (True, True)


def test_shutting_fails_all_that_wait():
    """Those in the queue, those that rest and those that come soon after all fail; later ones are let in again."""

    async def run() -> Any:
        gate = Gate(1)
        await gate.enter()
        waiting = [*await enter_all(gate, 2), asyncio.create_task(gate.rest(60))]
        await asyncio.sleep(0)
        gate.shut(lambda: EndpointError("down"), seconds=0.1)
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(EndpointError, match="down"):
            await gate.enter()
        with pytest.raises(EndpointError, match="down"):
            await gate.rest(60)
        gate.leave()
        await asyncio.sleep(0.12)
        await asyncio.wait_for(gate.enter(), 5)
        return ends

    ends = asyncio.run(run())
    assert [str(end) for end in ends] == ["down"] * 3
    assert len({id(end) for end in ends}) == 3


def test_a_rest_ends_by_itself():
    """A rest takes its time and leaves nothing behind."""

    async def run() -> Any:
        gate = Gate(1)
        began = monotonic()
        await gate.rest(0.05)
        return monotonic() - began, gate._resting

    seconds, resting = asyncio.run(run())
    assert seconds >= 0.04
    assert resting == set()
