"""Group commit: durable when it says so, few transactions, nothing lost at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from fiel.records import Distribution, Judgement, Message, Reply, Request
from fiel.runner._writer import MOST_RIDERS, Writer

WORKERS = 8


def judgement(number: int) -> Judgement:
    """A judgement of a subject of its own."""
    return Judgement(
        subject=str(number),
        subject_digest="0" * 64,
        criterion="c",
        criterion_digest="1" * 64,
        judge="j",
        identity="2" * 64,
        status="ok",
        belief=Distribution.point("yes", ("no", "yes")),
    )


def exchange(number: int) -> tuple[Request, Reply]:
    """A request of its own, and its reply."""
    return Request(model="m", messages=(Message(role="user", content=str(number)),)), Reply(text="yes")


class Disk:
    """A store that remembers its transactions; the one of a number given is refused."""

    def __init__(self, *, full_at: int | None = None) -> None:
        self.full_at = full_at
        self.replies: list[list[tuple[Request, Reply]]] = []
        self.judgements: list[list[Judgement]] = []

    def keep(self, *, replies: Iterable[tuple[Request, Reply]] = (), judgements: Iterable[Judgement] = ()) -> None:
        if len(self.replies) == self.full_at:
            raise OSError(28, "No space left")
        self.replies.append(list(replies))
        self.judgements.append(list(judgements))

    def read(self, *, identity: str | None = None) -> list[Judgement]:
        return []

    def reply_digests(self, model: str, /) -> set[str]:
        return set()

    def reply(self, digest: str, /) -> Reply | None:
        return None


def test_replies_are_durable_when_it_says_so_and_share_transactions():
    """Whoever waits finds its reply kept; what many hand in at once is one transaction."""
    disk = Disk()

    async def work(writer: Writer, number: int) -> None:
        await writer.put(replies=(exchange(number),))
        assert any(exchange(number) in transaction for transaction in disk.replies)

    async def run() -> None:
        writer = Writer(disk, workers=WORKERS)
        await asyncio.gather(*(work(writer, number) for number in range(WORKERS)))
        await writer.close()

    asyncio.run(run())
    assert [len(transaction) for transaction in disk.replies] == [WORKERS]


def test_what_is_put_by_is_kept_at_the_end_and_once():
    """Judgements that wait are all kept after the close, in order, none twice, in fewer transactions than replies."""
    disk = Disk()

    async def run() -> None:
        writer = Writer(disk, workers=1)
        for number in range(20):
            await writer.put(replies=(exchange(number),))
            await writer.put_by([judgement(number)])
        await writer.close()

    asyncio.run(run())
    kept = [one.subject for transaction in disk.judgements for one in transaction]
    assert kept == [str(number) for number in range(20)]
    assert sum(map(bool, disk.judgements)) < 20


def test_many_that_wait_are_kept_without_a_reply():
    """Where nothing is asked, as with replies that are all there, judgements do not pile up until the end."""
    disk = Disk()

    async def run() -> None:
        writer = Writer(disk, workers=1)
        await writer.put_by([judgement(number) for number in range(MOST_RIDERS)])
        assert [len(transaction) for transaction in disk.judgements] == [MOST_RIDERS]
        await writer.close()

    asyncio.run(run())


def test_a_store_that_fails_at_the_end_is_an_error():
    """Judgements that waited and cannot be kept are not lost in silence."""

    async def run() -> None:
        writer = Writer(Disk(full_at=1), workers=1)
        await writer.put(replies=(exchange(0),))
        await writer.put_by([judgement(0)])
        await writer.close()

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(run())
