"""Serves a store in a child that is killed at each line on standard input, and started anew on the same port."""

from __future__ import annotations

import os
import signal
import socket
import sys

import uvicorn

from fiel.labelling import Desk
from fiel.store.labels import LabelStore
from fiel.web import app
from fiel.web._serve import bound, configured


def serve(path: str, listening: socket.socket) -> int:
    """The pid of a child that serves until it is killed."""
    child = os.fork()
    if not child:
        uvicorn.Server(configured(app(Desk(LabelStore.open(path))))).run(sockets=[listening])
        os._exit(0)
    return child


def main() -> None:
    """Say the port, then obey."""
    listening = bound("127.0.0.1", 0)
    child = serve(sys.argv[1], listening)
    print(listening.getsockname()[1], flush=True)  # noqa: T201  the parent reads it
    for _ in sys.stdin:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        child = serve(sys.argv[1], listening)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
