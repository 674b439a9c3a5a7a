"""The pages on a port of this machine. Prints nothing; no token reaches a log."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Collection

import uvicorn
from starlette.types import ASGIApp

from fiel.labelling import Desk
from fiel.records import FielError
from fiel.web._app import app
from fiel.web._guard import is_wildcard

_PATIENCE = 5  # seconds that requests under way have when the server is asked to stop


def serve(
    desk: Desk,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    allowed_hosts: Collection[str] | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the pages until interrupted; what was acknowledged by then is kept.

    Args:
        desk: hands out the work and takes it in.
        host: an address of this machine; only this machine reaches the default.
        port: 0 for any that is free.
        allowed_hosts: further names in a link, where a proxy stands in front.
        ready: called with the address once it is listened at, `http://127.0.0.1:8765`; links may be printed then.

    Raises:
        FielError: the address or the port cannot be had.
    """
    with bound(host, port) as listening:
        server = uvicorn.Server(configured(app(desk, host=host, allowed_hosts=allowed_hosts)))
        if ready is not None:
            ready(address(host, listening.getsockname()[1]))
        with contextlib.suppress(KeyboardInterrupt):  # it has stopped in good order by the time this is raised
            server.run(sockets=[listening])


def configured(served: ASGIApp) -> uvicorn.Config:
    """How the pages are served: no access log, for a page's address holds its token, and nothing told of the server."""
    return uvicorn.Config(
        served,
        http="h11",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_PATIENCE,
    )


def address(host: str, port: int) -> str:
    """What links begin with.

    >>> address("127.0.0.1", 8765), address("::1", 80)
    ('http://127.0.0.1:8765', 'http://[::1]:80')
    """
    name = socket.gethostname() if is_wildcard(host) else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def exposure(host: str) -> str | None:
    """What the owner should know before serving there; None where only this machine reaches it.

    >>> exposure("127.0.0.1") is None
    True
    """
    if host in {"127.0.0.1", "localhost", "::1"}:
        return None
    who = "everybody who can reach this machine" if is_wildcard(host) else f"everybody who can reach {host}"
    return f"{who} can open the pages, and links travel unencrypted; put a proxy with TLS in front."


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        FielError: it cannot.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio sets no TCP_NODELAY
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(1024)
    except (OSError, OverflowError) as error:
        listening.close()
        raise FielError(
            f"Cannot listen at {host}, port {port}: {getattr(error, 'strerror', None) or error}.",
            fix="Choose another with --port; 0 takes any that is free.",
        ) from error
    return listening
