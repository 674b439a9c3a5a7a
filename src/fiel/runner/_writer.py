"""Group commit: whoever wants something kept waits for one transaction that keeps all that waits. Knows no judge."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import NamedTuple, Protocol

from fiel.records import Judgement, Reply, Request

PAUSE = 0.015  # seconds in which more may come in: a transaction costs as much as many rows
BETWEEN_RIDES = 0.5  # seconds
MOST_RIDERS = 1000  # judgements; so many do not wait for a transaction of others


class Keeper(Protocol):
    """What a run needs of a store."""

    def keep(self, *, replies: Iterable[tuple[Request, Reply]] = (), judgements: Iterable[Judgement] = ()) -> object:
        """Keep them in one transaction; durable on return."""
        ...

    def read(self, *, identity: str | None = None) -> list[Judgement]:
        """What was kept for one judge identity."""
        ...

    def reply_digests(self, model: str, /) -> set[str]:
        """The digests of all requests to a model whose reply was kept."""
        ...

    def reply(self, digest: str, /) -> Reply | None:
        """The reply that was kept last for a request."""
        ...


class _Waiting(NamedTuple):
    replies: Sequence[tuple[Request, Reply]]
    judgements: Sequence[Judgement]
    durable: asyncio.Future[None]


class Writer:
    """Keeps what many workers hand in, in as few transactions as their pace allows. Used inside one event loop.

    Judgements that follow from kept replies can wait: they ride along with a later transaction, at the latest at the
    end.

    Args:
        store: where it is kept; None keeps nothing.
        workers: how many there are; once all of them wait, nothing more can come in.
    """

    def __init__(self, store: Keeper | None, *, workers: int) -> None:
        self.store = store
        self.workers = workers
        self.queue: asyncio.Queue[_Waiting | None] = asyncio.Queue()
        self.riders: list[Judgement] = []
        self.rode = monotonic()  # when riders were last taken along
        self.task = asyncio.create_task(self._write())

    def put(
        self, *, replies: Sequence[tuple[Request, Reply]] = (), judgements: Sequence[Judgement] = ()
    ) -> asyncio.Future[None]:
        """Hand in; the future is done once they are durable, or holds what the store raised."""
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.store is None:
            durable.set_result(None)
        else:
            self.queue.put_nowait(_Waiting(replies, judgements, durable))
        return durable

    async def put_by(self, judgements: Sequence[Judgement]) -> None:
        """Hand in what can be read anew from kept replies: it is durable at the latest after `close`.

        Raises:
            Exception: what the store raised, where so many had gathered that they were kept at once.
        """
        if self.store is None:
            return
        self.riders.extend(judgements)
        if len(self.riders) >= MOST_RIDERS:
            riders, self.riders = self.riders, []
            await self.put(judgements=riders)

    async def close(self) -> None:
        """Keep the rest and stop.

        Raises:
            Exception: what the store raised of the judgements that could wait.
        """
        rest = self.put(judgements=self.riders) if self.riders else None
        self.riders = []
        self.queue.put_nowait(None)
        await self.task
        if rest is not None:
            await rest

    async def _write(self) -> None:
        going = True
        while going:
            batch = [await self.queue.get(), *self._handed_in()]
            if None not in batch and len(batch) < self.workers:
                await asyncio.sleep(PAUSE)
                batch += self._handed_in()
            going = None not in batch
            waiting = [entry for entry in batch if entry is not None]
            if self.store is None or not waiting:
                continue
            error: Exception | None = None
            try:
                await asyncio.to_thread(
                    self.store.keep,
                    replies=[pair for entry in waiting for pair in entry.replies],
                    judgements=[*self._riding(), *(one for entry in waiting for one in entry.judgements)],
                )
            except Exception as failure:  # noqa: BLE001  whoever waits must hear of it, whatever it is
                error = failure
            for entry in waiting:
                if not entry.durable.done():
                    entry.durable.set_exception(error) if error else entry.durable.set_result(None)

    def _handed_in(self) -> list[_Waiting | None]:
        return [self.queue.get_nowait() for _ in range(self.queue.qsize())]

    def _riding(self) -> list[Judgement]:
        """Those that ride along with this transaction: many together, for each transaction of them costs anew."""
        if monotonic() - self.rode < BETWEEN_RIDES:
            return []
        riding, self.riders, self.rode = self.riders, [], monotonic()
        return riding
