"""What tests of several rooms share: the stub endpoint as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request as Get
from urllib.request import urlopen

import pytest
from hypothesis import settings

settings.register_profile("everywhere", deadline=None)  # the machines are noisy: no time is asserted
settings.register_profile("ci", parent=settings.get_profile("everywhere"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "everywhere")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores interrupts for what it runs in the background,
    signal.signal(signal.SIGINT, signal.default_int_handler)  # and the commands that tests interrupt would inherit that

STUB = Path(__file__).resolve().parents[2] / "shared" / "tools" / "stub_openai.py"


@dataclass(frozen=True)
class Stub:
    """A running stub."""

    root: str

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"{self.root}/v1"

    @property
    def stats(self) -> dict[str, Any]:
        """What it counted."""
        return self._get("/stats")

    @property
    def log(self) -> list[dict[str, Any]]:
        """The bodies that it was sent last."""
        return self._get("/log")

    def reset(self) -> None:
        """Set its counters to zero."""
        self._get("/reset", "POST")

    def _get(self, path: str, method: str = "GET") -> Any:
        while True:
            try:
                with urlopen(Get(self.root + path, method=method), timeout=10) as response:  # noqa: S310  our own server
                    return json.load(response)
            except HTTPError:  # it cannot count while its first call is under way
                time.sleep(0.01)


def _answers(port: Path) -> bool:
    """Whether the stub listens: it writes its port a little before."""
    try:
        return bool(Stub(f"http://127.0.0.1:{port.read_text()}").stats)
    except (OSError, ValueError):
        return False


@pytest.fixture(scope="session")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Stub]]:
    """The shared stub with these options; one process for each set of options, its counters at zero."""
    if not STUB.exists():
        pytest.skip(f"{STUB} is not there: the shared folder is laid beside the repository on some machines only")
    running: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], Stub]] = {}

    def start(*options: str) -> Stub:
        if options not in running:
            port = tmp_path_factory.mktemp("stub") / "port"
            process = subprocess.Popen(
                [sys.executable, str(STUB), "--port", "0", "--port-file", str(port), "--latency-ms", "5", *options],
                stdout=subprocess.DEVNULL,
            )
            until = time.monotonic() + 30
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > until:
                    process.kill()
                    pytest.fail("the stub did not start")
                time.sleep(0.02)
            running[options] = process, Stub(f"http://127.0.0.1:{port.read_text()}")
        found = running[options][1]
        found.reset()
        return found

    yield start
    for process, _ in running.values():
        process.kill()  # asked politely it would first wait for the calls that hang on purpose
    for process, _ in running.values():
        process.wait(timeout=10)
