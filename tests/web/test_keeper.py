"""Group commit: writes that wait are kept together, and one that is refused takes nobody with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from fiel.records import FielError
from fiel.web._keeper import Keeper, NotKeptError


class Shelf:
    """Keeps words; a slow first commit, so that others gather behind it; refuses batches that hold `bad`."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.first = threading.Event()

    def keep(self, words: Sequence[str]) -> list[str]:
        if "bad" in words:
            raise OSError("the disk is full")
        if not self.batches:
            self.first.wait(5)
        self.batches.append(list(words))
        return [f"{word} kept" for word in words]


def refuse() -> str:
    """A check that fails."""
    raise FielError("No.")


def test_writes_that_wait_share_a_commit_in_their_order():
    """While one commit is under way the others gather, and each gets its own answer."""
    shelf = Shelf()

    async def run() -> list[str]:
        keeper = Keeper(shelf.keep)
        tasks = [asyncio.create_task(keeper.keep(lambda n=n: f"w{n}")) for n in range(20)]
        await asyncio.sleep(0.05)
        late = [asyncio.create_task(keeper.keep(lambda n=n: f"w{n}")) for n in range(20, 40)]
        await asyncio.sleep(0.05)
        shelf.first.set()
        answers = await asyncio.gather(*tasks, *late)
        await keeper.close()
        return answers

    assert asyncio.run(run()) == [f"w{n} kept" for n in range(40)]
    assert [word for batch in shelf.batches for word in batch] == [f"w{n}" for n in range(40)]
    assert len(shelf.batches) <= 3


def test_a_refused_or_failed_write_is_alone():
    """A check that fails, a store that fails and a write nobody waits for any more leave the others kept."""
    shelf = Shelf()

    async def run() -> list[object]:
        keeper = Keeper(shelf.keep)
        first = asyncio.create_task(keeper.keep(lambda: "first"))
        await asyncio.sleep(0.02)
        checks = [lambda: "good", refuse, lambda: "bad", lambda: "gone", lambda: "last"]
        tasks = [asyncio.create_task(keeper.keep(check)) for check in checks]
        await asyncio.sleep(0.02)
        tasks[3].cancel()
        shelf.first.set()
        answers = await asyncio.gather(first, *tasks, return_exceptions=True)
        await keeper.close()
        return answers

    first, good, refused, failed, gone, last = asyncio.run(run())
    assert (first, good, last) == ("first kept", "good kept", "last kept")
    assert isinstance(refused, FielError)
    assert isinstance(failed, NotKeptError)
    assert isinstance(gone, asyncio.CancelledError)
    assert ["gone"] in shelf.batches


def test_closing_keeps_what_still_waits():
    """Whoever stops the server waits for the commits under way."""
    shelf = Shelf()
    shelf.first.set()

    async def run() -> list[str]:
        keeper = Keeper(shelf.keep)
        tasks = [asyncio.create_task(keeper.keep(lambda n=n: f"w{n}")) for n in range(3)]
        await asyncio.sleep(0)
        await keeper.close()
        return [task.result() for task in tasks]

    assert asyncio.run(run()) == ["w0 kept", "w1 kept", "w2 kept"]


@pytest.mark.parametrize("count", [1, 3])
def test_a_store_that_fails_says_so_to_all(count):
    """Where nothing can be kept, every writer is told, and may send again."""

    def fail(_words: Sequence[str]) -> list[str]:
        raise OSError("the disk is full")

    async def run() -> list[object]:
        keeper: Keeper[str, str] = Keeper(fail)
        answers = await asyncio.gather(*(keeper.keep(lambda: "w") for _ in range(count)), return_exceptions=True)
        await keeper.close()
        return answers

    assert all(isinstance(answer, NotKeptError) for answer in asyncio.run(run()))
