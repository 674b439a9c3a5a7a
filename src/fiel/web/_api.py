"""The API of the pages: reads a desk, and hands it answers and decisions together. Knows no store and no judge."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fiel.labelling import Conflict, DecisionConflict, Desk, Entrant, MissingError
from fiel.records import FielError
from fiel.web._bodies import read_decision, read_entry
from fiel.web._door import Door
from fiel.web._keeper import Keeper
from fiel.web._replies import refusal, reply

_MOST_PLACES = 50  # in one answer


class Api:
    """The endpoints; each asks the door first."""

    def __init__(self, desk: Desk, door: Door) -> None:
        self._desk = desk
        self._door = door
        self._criteria: dict[str, dict[int, str]] = {}
        self._labels = Keeper(desk.keep)
        self._decisions = Keeper(desk.decide)

    async def close(self) -> None:
        """Keep what still waits."""
        await self._labels.close()
        await self._decisions.close()

    async def opening(self, request: Request) -> Response:
        """What a page needs before the first place."""
        who = await self._door.bearer(request)
        return reply(await run_in_threadpool(self._desk.opening, who))

    async def places(self, request: Request) -> Response:
        """Some places of a rater's queue, with what stands there."""
        who = await self._door.bearer(request)
        start = _query(request, "start", default=0)
        count = min(_query(request, "count", default=1), _MOST_PLACES)
        return reply({"places": await run_in_threadpool(self._desk.places, who, start, count)})

    async def progress(self, request: Request) -> Response:
        """How far a rater is."""
        who = await self._door.bearer(request)
        return reply(await run_in_threadpool(self._desk.progress, who))

    async def label(self, request: Request) -> Response:
        """Take one answer; 200 once it is on the disk."""
        who = await self._door.bearer(request)
        place, criterion = _number(request, "place"), await self._criterion(who, _number(request, "criterion"))
        entry = read_entry(request.headers, await request.body())
        return _outcome(await self._labels.keep(lambda: self._desk.check(who, place, criterion, entry)))

    async def queue(self, request: Request) -> Response:
        """The cells that wait for a decision, and those decided."""
        who = await self._door.bearer(request)
        return reply({"queue": await run_in_threadpool(self._desk.queue, who)})

    async def cell(self, request: Request) -> Response:
        """One cell, with what was answered."""
        who = await self._door.bearer(request)
        return reply(await run_in_threadpool(self._desk.cell, who, _number(request, "n")))

    async def decision(self, request: Request) -> Response:
        """Take one decision; 200 once it is on the disk."""
        who = await self._door.bearer(request)
        n = _number(request, "n")
        decision = read_decision(request.headers, await request.body())
        return _outcome(await self._decisions.keep(lambda: self._desk.check_decision(who, n, decision)))

    async def _criterion(self, who: Entrant, number: int) -> str:
        """The id of the criterion of this number; a study's questions never change."""
        if who.study not in self._criteria:
            questions = (await run_in_threadpool(self._desk.opening, who)).questions
            self._criteria[who.study] = {question.number: question.id for question in questions}
        found = self._criteria[who.study].get(number)
        if found is None:
            raise MissingError(f"There is no question {number}.")
        return found


def _outcome(kept: Any) -> Response:
    if isinstance(kept, Conflict | DecisionConflict):
        return refusal(409, "Something else stands there by now.", fix="Choose one.", current=kept.standing)
    return reply({"version": kept.version})


def _number(request: Request, name: str) -> int:
    text = request.path_params[name]
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise MissingError("There is nothing here.")
    return int(text)


def _query(request: Request, name: str, *, default: int) -> int:
    text = request.query_params.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise FielError(f"{name} is no number.", fix=f"Give {name} as digits.")
    return int(text)
