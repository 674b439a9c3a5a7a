"""A model that answers from what was kept, and keeps what it is told. Knows no judge."""

from __future__ import annotations

from typing import Any

from fiel.records import Model, Reply, Request
from fiel.runner._writer import Writer


class Kept:
    """A wrapper around a model, and a model itself: no request that was answered before is made again.

    A reply is handed on only once it is durable.
    """

    def __init__(self, model: Model, writer: Writer) -> None:
        self.model = model
        self.writer = writer
        self.known = writer.store.reply_digests(model.name) if writer.store is not None else set()
        self.reused = 0  # answered from the store

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def __getattr__(self, name: str) -> Any:
        """What else the model has: its price, how many calls it takes at once."""
        return getattr(self.model, name)

    async def __call__(self, request: Request) -> Reply:
        """The kept reply, or a new one that is kept."""
        digest = request.digest
        if digest in self.known and self.writer.store is not None:
            kept = self.writer.store.reply(digest)
            if kept is not None:
                self.reused += 1
                return kept
        reply = await self.model(request)
        await self.writer.put(replies=((request, reply),))
        self.known.add(digest)
        return reply
