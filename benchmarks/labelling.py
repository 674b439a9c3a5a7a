"""What labelling costs: many raters at once, one rater's key to the next item, and an answer beside a bare route.

The bare route is the same server with a Starlette route that reads the JSON and durably inserts a row for each answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from _common import Row, arguments, show
from fiel.labelling import Desk
from fiel.records import Criterion, Item, Rubric, Study
from fiel.store.labels import LabelStore
from fiel.web import app
from fiel.web._serve import bound, configured

RATERS = 50
ITEMS = 60
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


class Load(NamedTuple):
    """What many raters saw: answers acknowledged, errors, seconds of each, and CPU seconds of the server."""

    acknowledged: int
    errors: int
    seconds: list[float]
    cpu: float


def study(name: str, raters: int) -> Study:
    """A study of items as long as a short answer."""
    rubric = Rubric(id="r", criteria=(Criterion(id="good", question="Is it right?"),))
    items = tuple(Item(id=f"i{n}", input=f"Question {n}?", output=f"Answer {n}. " * 20) for n in range(ITEMS))
    return Study(name=name, rubric=rubric, subjects=items, raters=tuple(f"r{n}" for n in range(raters)), repeats=0.0)


def bare(path: str) -> Starlette:
    """One route that keeps an answer durably, in a thread, and nothing around it."""
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=full")
    connection.execute("create table answers (place integer, criterion integer, token text, body text)")
    turn = asyncio.Lock()

    def keep(row: tuple[int, int, str, str]) -> None:
        connection.execute("begin immediate")
        connection.execute("insert into answers values (?, ?, ?, ?)", row)
        connection.execute("commit")

    async def put(request: Request) -> JSONResponse:
        body = await request.json()
        token = request.headers["authorization"].removeprefix("Bearer ")
        row = request.path_params["place"], request.path_params["criterion"], token, json.dumps(body)
        async with turn:  # one connection, one transaction at a time
            await run_in_threadpool(keep, row)
        return JSONResponse({"version": 1})

    return Starlette(routes=[Route("/api/labels/{place:int}/{criterion:int}", put, methods=["PUT"])])


def side(kind: str, path: str) -> None:
    """Serve one side until standard input ends; say the port first and the CPU seconds last."""
    listening = bound("127.0.0.1", 0)
    served = app(Desk(LabelStore.open(path))) if kind == "fiel" else bare(path)
    server = uvicorn.Server(configured(served))

    async def run() -> None:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        print(listening.getsockname()[1], flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            usage = resource.getrusage(resource.RUSAGE_SELF)
            print(usage.ru_utime + usage.ru_stime if line else 0, flush=True)
        server.should_exit = True
        await serving

    asyncio.run(run())


class Server:
    """A side in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._say())

    @property
    def cpu(self) -> float:
        """CPU seconds that it has used."""
        if self._process.stdin is None:
            return 0.0
        self._process.stdin.write("cpu\n")
        self._process.stdin.flush()
        return float(self._say())

    def _say(self) -> str:
        return self._process.stdout.readline() if self._process.stdout is not None else ""


@contextmanager
def serving(kind: str, path: Path) -> Iterator[Server]:
    """A side that is served until the end of the block."""
    command = [sys.executable, str(Path(__file__).resolve()), "--side", f"{kind}:{path}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait(timeout=30)


async def opened(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
    """Read the first places, as the page does before the first answer."""
    headers = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
    writer.write(f"GET /api/places?start=0&count=50 HTTP/1.1\r\n{headers}".encode())
    await answered(reader)


async def answered(reader: asyncio.StreamReader) -> int:
    """The status of the next answer, its body read."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
    return int(head.split()[1])


async def put(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str, turn: int) -> int:
    """Send the answer of this turn over an open connection; the status."""
    version, place = divmod(turn, ITEMS)
    body = json.dumps({"key": uuid4().hex, "seconds": 2.5, "answer": "no" if version % 2 else "yes"}).encode()
    writer.write(
        f"PUT /api/labels/{place}/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f'If-Match: "{version}"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n'.encode()
        + body
    )
    return await answered(reader)


async def rater(port: int, token: str, until: float, pause: float, rng: random.Random) -> tuple[list[float], int]:
    """Answer until the time is up, pausing between answers about so long; seconds of each answer, and errors."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seconds, errors, turn = [], 0, 0
    if pause:
        await opened(reader, writer, token)
        await asyncio.sleep(rng.random() * pause)
    while time.perf_counter() < until:
        begun = time.perf_counter()
        errors += await put(reader, writer, token, turn) != 200
        seconds.append(time.perf_counter() - begun)
        turn += 1
        if pause:
            await asyncio.sleep(pause * (0.5 + rng.random()))
    writer.close()
    return seconds, errors


async def crowd(port: int, tokens: list[str], length: float, pause: float) -> tuple[list[float], int]:
    """All raters at once."""
    until = time.perf_counter() + length
    rng = random.Random(5)  # noqa: S311  pauses, not secrets
    done = await asyncio.gather(*(rater(port, token, until, pause, rng) for token in tokens))
    return [one for seconds, _ in done for one in seconds], sum(errors for _, errors in done)


def load(server: Server, tokens: list[str], length: float, pause: float) -> Load:
    """What raters with these tokens see of a server."""
    before = server.cpu
    seconds, errors = asyncio.run(crowd(server.port, tokens, length, pause))
    return Load(len(seconds) - errors, errors, seconds, server.cpu - before)


def p95(seconds: list[float]) -> float:
    """In milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=100)[94]


def busy(folder: Path, length: float) -> list[Row]:
    """Fifty raters who answer every second, far quicker than people read."""
    path = folder / "busy.db"
    with LabelStore.open(path) as store:
        tokens = [link.token for link in store.create(study("busy", RATERS))]
    with serving("fiel", path) as server:
        seen = load(server, tokens, length, pause=1.0)
    with LabelStore.open(path, must_exist=True) as store:
        lost = seen.acknowledged - len(store.history("busy"))
    return [
        Row(
            f"errors of {len(seen.seconds)} answers by {RATERS} raters", seen.errors, None, None, "0", seen.errors == 0
        ),
        Row("answers lost or twice", lost, None, None, "0", lost == 0),
        Row(
            f"ms of an answer at {RATERS} raters, p95",
            p95(seen.seconds),
            None,
            None,
            "<= 100",
            p95(seen.seconds) <= 100,
        ),
    ]


def beside_bare(folder: Path, length: float, rounds: int) -> list[Row]:
    """CPU and time of an answer, fiel and the bare route in turn, with raters who never pause."""
    costs: dict[str, list[tuple[float, float]]] = {"fiel": [], "bare": []}
    for turn in range(rounds):
        for kind, found in costs.items():
            path = folder / f"{kind}{turn}.db"
            tokens = [f"token-{n}" for n in range(RATERS)]
            if kind == "fiel":
                with LabelStore.open(path) as store:
                    tokens = [link.token for link in store.create(study("race", RATERS))]
            with serving(kind, path) as server:
                seen = load(server, tokens, length, pause=0.0)
            if seen.errors:
                sys.exit(f"{kind}: {seen.errors} errors")
            found.append((1000 * seen.cpu / seen.acknowledged, 1000 * length / seen.acknowledged))
    rows = []
    for column, name in enumerate(("ms of server CPU for a kept answer", "ms of server time for a kept answer")):
        mine, peer = (statistics.median(one[column] for one in costs[kind]) for kind in ("fiel", "bare"))
        ratio = statistics.median(a[column] / b[column] for a, b in zip(costs["fiel"], costs["bare"], strict=True))
        rows.append(Row(name, mine, peer, ratio, "<= 2 times a bare route", ratio <= 2))
    return rows


def in_the_page(folder: Path, keys: int) -> list[Row]:
    """From a key to the next item on the screen and painted, for one rater in Chromium."""
    name = "ms from a key to the next item, p95"
    if find_spec("playwright") is None or not CHROMIUM.exists():
        print("left out: the page's time needs playwright and Chromium", file=sys.stderr)
        return []
    path = folder / "page.db"
    with LabelStore.open(path) as store:
        token = store.create(study("page", 1))[0].token
    times: list[float] = []
    with serving("fiel", path) as server, import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page: Any = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"http://127.0.0.1:{server.port}/l/{token}")
        page.locator(".option").first.wait_for()
        page.evaluate(WATCH)
        for turn in range(keys):
            page.keyboard.press("12"[turn % 2])
            times.append(page.evaluate("window.painted") / 1000)
            time.sleep(0.05)
        browser.close()
    return [Row(name, p95(times), None, None, "<= 150", p95(times) <= 150)]


WATCH = """() => {
  addEventListener("keydown", (event) => {
    const text = document.querySelector(".part-output").textContent;
    window.painted = new Promise((done) => {
      const look = () => requestAnimationFrame(() => {
        const now = document.querySelector(".part-output")?.textContent;
        if (now === text) return look();
        requestAnimationFrame(() => done(performance.now() - event.timeStamp)); // the frame after it is on the screen
      });
      look();
    });
  }, { capture: true });
}"""


def main() -> None:
    """Measure, or be one side of a measurement."""
    options = arguments(__doc__ or "", side="serve one side: fiel or bare, a colon, and the path of its database")
    if options.side:
        kind, _, path = options.side.partition(":")
        side(kind, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        os.chmod(root, 0o700)  # noqa: PTH101  the labels of a study, though made up
        rows = [
            *busy(root, 10 if options.quick else 60),
            *beside_bare(root, 3 if options.quick else 10, 1 if options.quick else 3),
            *in_the_page(root, 55),
        ]
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
