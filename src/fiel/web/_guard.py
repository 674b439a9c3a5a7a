"""What every request passes first: its Host, its Origin, its size; and the headers of every answer. Knows no token."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fiel.web._replies import refusal

_log = logging.getLogger("fiel.web")

LARGEST = 256 * 1024  # bytes of a body; a note and a hundred spans are a tenth of it
_READ = 8 * 1024 * 1024  # of a body that is too large this much is read, so that the sender sees the answer
_LONGEST_PATH = 1024
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-robots-tag": "noindex",
}


class Hosts:
    """The names under which the pages may be asked for.

    Args:
        host: the address that is served.
        more: further names, where a proxy stands in front; None for none.
    """

    def __init__(self, host: str = "127.0.0.1", more: Collection[str] | None = None) -> None:
        self._names = {"127.0.0.1", "localhost", "::1", host.lower(), *(name.lower() for name in more or ())}
        self._any_address = is_wildcard(host)
        if self._any_address:
            self._names.add(socket.gethostname().lower())

    def __contains__(self, header: str) -> bool:
        """Whether a Host header names one of them, whatever its port."""
        try:
            name = urlsplit(f"//{header}").hostname
        except ValueError:
            return False
        if name is None or "@" in header or "/" in header:
            return False
        return name in self._names or (self._any_address and _is_address(name))


class Guard:
    """Refuses foreign hosts and origins and bodies that are too large; sets the headers of every answer."""

    def __init__(self, inner: ASGIApp, hosts: Hosts) -> None:
        self._inner = inner
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return

        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        answer = self._refused(scope)
        if answer is None and scope["method"] not in {"GET", "HEAD"}:
            body = await _body(Headers(scope=scope), receive)
            if body is None:
                answer = refusal(413, "The body is too large.", fix=f"Send at most {LARGEST} bytes.")
            else:
                receive = _again(body, receive)
        try:
            await (answer or self._inner)(scope, receive, guarded)
        except Exception:  # a store that fails is said as such, and the page tries again
            _log.exception("A request failed.")
            if started:
                raise
            failed = refusal(503, "The server has a problem.", fix="Try again.", headers={"retry-after": "1"})
            await failed(scope, receive, guarded)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return refusal(421, "These pages are not served under that name.", fix="Use the link as it was printed.")
        for origin in headers.getlist("origin"):
            if urlsplit(origin).netloc.lower() != hosts[0].lower():
                return refusal(403, "The request comes from a page of another site.")
        if len(scope["path"]) > _LONGEST_PATH:
            return refusal(414, "The address is too long.")
        return None


def is_wildcard(host: str) -> bool:
    """Whether everybody who reaches the machine reaches what is served there.

    >>> is_wildcard("0.0.0.0"), is_wildcard("::"), is_wildcard("127.0.0.1")
    (True, True, False)
    """
    return host in {"", "0.0.0.0", "::", "[::]"}  # noqa: S104  compared, not bound


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body, or None where it is too large."""
    said = headers.get("content-length", "0")
    if not said.isdecimal() or len(said) > 12 or int(said) > _READ:
        return None
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":  # gone
            return b""
        size += len(message.get("body", b""))
        if size <= LARGEST:
            parts.append(message.get("body", b""))
        if not message.get("more_body") or size > _READ:
            return b"".join(parts) if size <= LARGEST else None


def _again(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body that was read, then what comes after it."""
    given = False

    async def once() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
