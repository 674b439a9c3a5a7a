"""A model in a GGUF file, run by llama.cpp in this process and asked like any other endpoint. Knows no judge.

The model is its file: the SHA-256 of the GGUF is in its logical name and is what it says it served, never a port.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec

from fiel.models import _llama
from fiel.models._endpoint import Endpoint, connect
from fiel.models._price import PriceLike, price_of
from fiel.records import EndpointError, FielError, Price, Reply, Request

_MAGIC = b"GGUF"


def local(
    gguf: str | Path,
    *,
    name: str | None = None,
    slots: int = 2,
    context: int = 4096,
    longest: int = 1024,
    threads: int | None = None,
    seconds: float = 600.0,
    price: PriceLike | None = None,
) -> Local:
    """A model in a GGUF file, run by llama.cpp in this process. Nothing is loaded before the first call.

    Loading takes seconds, during which llama.cpp lets no other Python code of this process run.

    Args:
        gguf: the file.
        name: shown before the digest in the logical name.
        slots: how many calls may run at once.
        context: tokens of one call, prompt and reply.
        longest: tokens of a reply where the request does not say max_tokens.
        threads: of computation; llama.cpp's own choice when None.
        seconds: that a call may take.
        price: per million tokens; unknown when absent.

    Raises:
        FielError: an argument that cannot be right.
    """
    for what, number in (("slots", slots), ("context", context), ("longest", longest), ("threads", threads)):
        if number is not None and number < 1:
            raise FielError(f"{what} is {number}; it must be at least 1.")
    if not seconds > 0:
        raise FielError(f"seconds is {seconds}; it must be above 0.")
    return Local(
        Path(gguf),
        label=name,
        settings=_llama.Settings(slots=slots, context=context, longest=longest, threads=threads),
        seconds=seconds,
        price=price_of(price),
    )


class Local:
    """A model in this process; made by `local`.

    Attributes:
        max_in_flight: how many calls may run at once.
        price: per million tokens, or None.
    """

    def __init__(
        self, gguf: Path, *, label: str | None, settings: _llama.Settings, seconds: float, price: Price | None
    ) -> None:
        self.max_in_flight = settings.slots
        self.price = price
        self._gguf = gguf
        self._label = label
        self._settings = settings
        self._seconds = seconds
        self._server: _llama.Server | None = None
        self._endpoint: Endpoint | None = None

    def __repr__(self) -> str:
        return f"Local({str(self._gguf)!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @cached_property
    def sha256(self) -> str:
        """Of the file, in hex; read once, when it is first asked for.

        Raises:
            FielError: no such file, or no GGUF.
        """
        try:
            with self._gguf.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise FielError("The file is not a GGUF.", where=str(self._gguf), fix="Give the weights as GGUF.")
                file.seek(0)
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise FielError(f"The model cannot be read: {error.strerror}.", where=str(self._gguf)) from error

    @property
    def name(self) -> str:
        """The digest of the file, "sha256:...", behind the given name where there is one: "tiny@sha256:..."."""
        return self._served if self._label is None else f"{self._label}@{self._served}"

    def check(self) -> None:
        """See before a run that package and file are there. Loads nothing.

        Raises:
            FielError: one of them is missing.
        """
        if not _llama.is_installed():
            raise FielError(
                f"A model in this process needs the package {_llama.PACKAGE}, which is not installed.",
                where=f"model {str(self._gguf)!r}",
                fix='Install it: python -m pip install "fiel[local]"',
            )
        _ = self.sha256

    async def __call__(self, request: Request) -> Reply:
        """Ask.

        Raises:
            CallError: this call failed for good.
            EndpointError: the model cannot be loaded, or fails every call.
            FielError: package or file are missing.
        """
        if self._server is None:
            self.check()
            self._server = _llama.Server(self._gguf, self._settings, alias=self._served)
        server = self._server
        if request.schema is not None:
            grammar = {"grammar": _llama.grammar_of(request.schema)}
            request = msgspec.structs.replace(request, schema=None, parameters=request.parameters | grammar)
        with server.call():
            endpoint = await self._connected(server)
            reply = await endpoint(request)
        return msgspec.structs.replace(reply, fingerprint=_llama.fingerprint())

    async def close(self) -> None:
        """Close the connections of the running event loop, and unload the model unless calls go on elsewhere."""
        endpoint, server = self._endpoint, self._server
        self._endpoint = self._server = None
        if endpoint is not None:
            await endpoint.close()
        if server is not None:
            await server.end()

    @property
    def _served(self) -> str:
        return f"sha256:{self.sha256}"

    async def _connected(self, server: _llama.Server) -> Endpoint:
        try:
            address = await server.address()
        except RuntimeError as error:
            raise EndpointError(
                f"llama.cpp cannot load the model: {error}",
                where=str(self._gguf),
                fix="See that the file is whole and that there is memory for it.",
            ) from error
        if self._endpoint is None:
            self._endpoint = connect(
                address,
                model=self._served,
                name=self.name,
                api_key=server.key,
                max_in_flight=self.max_in_flight,
                seconds=self._seconds,
                tries=2,
            )
        return self._endpoint
