"""Servers that tests of models talk to: the shared stub as a process of its own, and small ones made for a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from fiel.records import Message, Request


@pytest.fixture
def serving() -> Callable[[Callable[[web.Request], Awaitable[web.StreamResponse]]], Any]:
    """A server in the running event loop that has one handler for every path; it is entered and gives its base URL."""

    @asynccontextmanager
    async def serve(handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            await runner.cleanup()

    return serve


@pytest.fixture
def question() -> Callable[..., Request]:
    """A request, with a schema where `schema` is given and any other keyword as a parameter."""

    def make(text: str = "Is it so?", *, schema: dict[str, Any] | None = None, **parameters: Any) -> Request:
        return Request(model="m", messages=(Message(role="user", content=text),), schema=schema, parameters=parameters)

    return make


@pytest.fixture
def completion() -> Callable[..., dict[str, Any]]:
    """The body of a reply: message and the rest of its one choice, and anything else at the top."""

    def make(text: Any = "yes", *, choice: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
        message = text if isinstance(text, dict) else {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"} | (choice or {})]} | top

    return make
