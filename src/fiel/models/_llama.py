"""A server of llama.cpp inside this process, and its end. Knows no request and no reply."""

from __future__ import annotations

import asyncio
import importlib
import json
import secrets
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

PACKAGE = "xllamacpp"
_CLOSING = 10.0  # seconds that the end of a server may take
_LOOK = 0.02  # seconds between two looks at whether all calls have ended


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is run.

    Args:
        slots: calls at once.
        context: tokens of one call, prompt and reply.
        longest: tokens of a reply where the request does not say.
        threads: of computation; llama.cpp's own choice when None.
    """

    slots: int
    context: int
    longest: int
    threads: int | None


@dataclass(kw_only=True)
class _State:
    """What the thread that holds the server and everybody else share."""

    address: Future[str] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)
    calls: int = 0


class Server:
    """A server of llama.cpp, held from its making to its end by a thread of its own.

    Its end waits for its calls and lets no other Python code run meanwhile, so that a call from this very process would
    never end, and no time limit could interfere. It is therefore ended only when no call is under way; otherwise it is
    left to the end of the process.

    Args:
        gguf: the weights.
        settings: how they are run.
        alias: what the server says it served.

    Attributes:
        key: without which the server answers nobody, so that other programs of this computer do not use it.
    """

    def __init__(self, gguf: Path, settings: Settings, *, alias: str) -> None:
        self.key = secrets.token_urlsafe(24)
        self._state = _State()
        self._thread = threading.Thread(
            target=_hold, args=(self._state, gguf, settings, alias, self.key), name="llama.cpp", daemon=True
        )
        self._thread.start()
        self._finalizer = weakref.finalize(self, _end, self._state, self._thread)  # at the latest when Python ends

    async def address(self) -> str:
        """The base URL, once the model is loaded.

        Raises:
            RuntimeError: it cannot be loaded.
        """
        loop = asyncio.get_running_loop()
        loaded = asyncio.Event()

        def tell(_: Future[str]) -> None:
            with suppress(RuntimeError):  # the event loop has ended meanwhile
                loop.call_soon_threadsafe(loaded.set)

        self._state.address.add_done_callback(tell)
        await loaded.wait()
        return self._state.address.result()

    @contextmanager
    def call(self) -> Iterator[None]:
        """A call is under way."""
        self._state.calls += 1
        try:
            yield
        finally:
            self._state.calls -= 1

    async def end(self) -> None:
        """Unload the model, unless calls do not end within some seconds. The connections must be closed before."""
        until = monotonic() + _CLOSING
        while self._state.calls and monotonic() < until:  # noqa: ASYNC110  calls may run in other event loops
            await asyncio.sleep(_LOOK)
        await asyncio.to_thread(self._finalizer)


def is_installed() -> bool:
    """Whether the package is there."""
    return find_spec(PACKAGE) is not None


def fingerprint() -> str:
    """The package and its version: another one may give other numbers."""
    return f"{PACKAGE} {version(PACKAGE)}"


def grammar_of(schema: dict[str, Any]) -> str:
    """A grammar of the JSON that a schema admits, without white space.

    The server's own way with a schema lets white space in everywhere, on which a small model may spend its whole reply.
    """
    compact = {"x-guidance": {"whitespace_flexible": False}} | schema
    grammar: str = importlib.import_module(PACKAGE).json_schema_to_grammar(json.dumps(compact, ensure_ascii=False))
    return grammar


def _hold(state: _State, gguf: Path, settings: Settings, alias: str, key: str) -> None:
    try:
        llama = importlib.import_module(PACKAGE)
        server = llama.Server(_parameters(llama, gguf, settings, alias=alias, key=key))
        address = server.listening_address
        _ask_health(address)  # a server that has answered nobody may never end
    except Exception as error:  # noqa: BLE001  whatever it is, those who wait for the address are told
        state.address.set_exception(RuntimeError(str(error)))
        return
    state.address.set_result(f"{address}/v1")
    state.stop.wait()
    del server


def _end(state: _State, thread: threading.Thread) -> None:
    if state.calls == 0:
        state.stop.set()
        thread.join(_CLOSING)


def _parameters(llama: Any, gguf: Path, settings: Settings, *, alias: str, key: str) -> Any:
    params = llama.CommonParams()
    params.model.path = str(gguf)
    params.model_alias = {alias}
    params.api_keys = [key]
    params.n_parallel = settings.slots
    params.n_ctx = settings.context * settings.slots  # the slots share it
    params.n_predict = settings.longest
    params.swa_full = True  # keep all of a sliding-window cache: prompts that begin alike share it
    params.warmup = False
    params.ui = False
    params.verbosity = 0
    if settings.threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    return params


def _ask_health(address: str) -> None:
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_CLOSING)
    try:
        connection.request("GET", "/health")
        connection.getresponse().read()
    finally:
        connection.close()
