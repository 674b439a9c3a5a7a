"""Many writes that wait become one durable transaction. Knows neither pages nor what is written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from fiel.records import FielError

W = TypeVar("W")
K = TypeVar("K")

_log = logging.getLogger("fiel.web")


class NotKeptError(Exception):
    """The store failed; nothing was kept, and the same write may be sent again."""


class _Waiting(NamedTuple, Generic[W, K]):
    check: Callable[[], W]
    answer: asyncio.Future[K]


class Keeper(Generic[W, K]):
    """Gathers writes while one commit is under way and keeps all of them in the next.

    Args:
        keep: checked writes -> what became of each, in their order; returns once they are durable.
    """

    def __init__(self, keep: Callable[[Sequence[W]], Sequence[K]]) -> None:
        self._keep = keep
        self._waiting: list[_Waiting[W, K]] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fiel-keeper")
        self._work: asyncio.Task[None] | None = None

    async def keep(self, check: Callable[[], W]) -> K:
        """What became of the write that `check` makes.

        Raises:
            FielError: `check` refused it; nothing of it was kept.
            NotKeptError: the store failed.
        """
        answer: asyncio.Future[K] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(check, answer))
        if self._work is None:
            self._work = asyncio.create_task(self._run())
        return await answer

    async def close(self) -> None:
        """Keep what still waits, and stop."""
        if self._work is not None:
            await self._work
        self._thread.shutdown()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                outcomes = await loop.run_in_executor(self._thread, self._together, [one.check for one in batch])
                for one, outcome in zip(batch, outcomes, strict=True):
                    _settle(one.answer, outcome)
        finally:
            self._work = None

    def _together(self, checks: Sequence[Callable[[], W]]) -> list[K | Exception]:
        """Check each, keep those that pass; one that is refused takes nobody with it."""
        outcomes: list[K | Exception | None] = [None] * len(checks)
        passed: list[tuple[int, W]] = []
        for place, check in enumerate(checks):
            try:
                passed.append((place, check()))
            except Exception as error:  # noqa: BLE001  whatever it is, it belongs to this write alone
                outcomes[place] = _told(error)
        try:
            kept: Sequence[K | Exception] = self._keep([write for _, write in passed]) if passed else []
        except Exception as error:  # noqa: BLE001  a batch that fails is tried one by one
            kept = [self._alone(write) for _, write in passed] if len(passed) > 1 else [_told(error)]
        for (place, _), result in zip(passed, kept, strict=True):
            outcomes[place] = result
        return [outcome for outcome in outcomes if outcome is not None]

    def _alone(self, write: W) -> K | Exception:
        try:
            return self._keep([write])[0]
        except Exception as error:  # noqa: BLE001  it is handed to whoever waits
            return _told(error)


def _told(error: Exception) -> Exception:
    """A refusal as it is; anything else as a failure of the store, with its cause in the log."""
    if isinstance(error, FielError):
        return error
    _log.error("A write failed.", exc_info=error)
    failure = NotKeptError()
    failure.__cause__ = error
    return failure


def _settle(future: asyncio.Future[K], outcome: K | Exception) -> None:
    if future.done():  # whoever waited has gone; what was kept stays
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
