"""Where an endpoint is, and what must never be shown of it. Knows no wire format and opens no connection."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from fiel.records import FielError

_PATH = "/chat/completions"
_SECRET_NAME = re.compile(r"key|token|auth|secret|cookie|password", re.IGNORECASE)
_HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_SHORTEST = 6  # a shorter "secret" is found everywhere, and hiding it would only damage texts
_HIDDEN = "[hidden]"


class Address(NamedTuple):
    """The URL that calls are posted to, its host, and the URL as it may be shown: without its query."""

    url: str
    host: str
    shown: str


def address_of(base_url: str) -> Address:
    """The address of chat completions under a base URL; "/chat/completions" is appended once, before any query.

    Raises:
        FielError: not an http or https URL with a host, or one that holds a password.

    >>> address_of("https://api.example.com/v1/").url
    'https://api.example.com/v1/chat/completions'
    """
    fix = 'Such as "https://api.example.com/v1" or "http://localhost:8080/v1".'
    try:
        parts = urlsplit(base_url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise FielError(f"base_url is not an address: {error}.", fix=fix) from None
    if parts.username is not None or parts.password is not None:
        raise FielError(
            "base_url holds a user name or a password (not shown here).",
            fix="Take it out and give api_key_env, the name of the environment variable that holds the key.",
        )
    if parts.scheme not in {"http", "https"} or not host:
        raise FielError("base_url must start with http:// or https:// and name a host.", fix=fix)
    path = parts.path.rstrip("/").removesuffix(_PATH).rstrip("/") + _PATH
    url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
    return Address(url=url, host=host, shown=urlunsplit((parts.scheme, parts.netloc, path, "", "")))


class Credentials:
    """The key and the headers of an endpoint, and the removal of both from what is shown.

    Args:
        address: of the endpoint.
        api_key: the key itself.
        api_key_env: the environment variable that holds it, read when it is needed.
        headers: sent with every call; they win over the header that is made of the key.

    Raises:
        FielError: both a key and a variable, an empty key, a name or value that no header can have.
    """

    def __init__(
        self, address: Address, *, api_key: str | None, api_key_env: str | None, headers: Mapping[str, str] | None
    ) -> None:
        if api_key is not None and api_key_env is not None:
            raise FielError("Both api_key and api_key_env are given.", fix="Give one of them.")
        if api_key is not None and not _HEADER_VALUE.fullmatch(api_key.strip()):
            raise FielError(
                "api_key is empty or holds a character that no key has (not shown here).", fix="Copy it again."
            )
        if api_key_env is not None and not re.fullmatch(r"[A-Za-z_]\w*", api_key_env):
            raise FielError(
                "api_key_env is not the name of an environment variable, and may be a key (not shown here).",
                fix="Give the name of the variable that holds the key.",
            )
        for name, value in (headers or {}).items():
            if not re.fullmatch(r"[\w-]+", name) or not _HEADER_VALUE.fullmatch(value):
                raise FielError(f"The header {name!r} has a name or a value (not shown here) that no header can have.")
        self.variable = api_key_env
        self._key = api_key
        self._headers = dict(headers or {})
        self._query = urlsplit(address.url).query
        self._secrets: list[str] = []
        self._learn(self._key)
        self._azure = address.host == "azure.com" or address.host.endswith(".azure.com")

    def __repr__(self) -> str:
        return f"Credentials({_HIDDEN})"

    @property
    def fix(self) -> str:
        """What to do when the endpoint does not take the key."""
        if self.variable:
            return f"Set the environment variable {self.variable} to a key that this endpoint takes."
        if self._key is not None:
            return "Give an api_key that this endpoint takes."
        return "Give api_key_env, the name of the environment variable that holds a key."

    def headers(self, *, where: str) -> dict[str, str]:
        """The headers of a call, with the key.

        Raises:
            FielError: the environment variable is not set, or holds nothing that can be a key.
        """
        key = self._read(where)
        named = {} if key is None else {"api-key": key} if self._azure else {"Authorization": f"Bearer {key}"}
        given = {name.lower() for name in self._headers}
        return {name: value for name, value in named.items() if name.lower() not in given} | self._headers

    def hide(self, text: str) -> str:
        """`text` without any secret."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def hide_in(self, body: bytes) -> bytes:
        """The same for what an endpoint sent: a server that echoes the headers of a request is no reason to keep it."""
        for secret in self._secrets:
            if secret.encode() in body:
                body = body.replace(secret.encode(), _HIDDEN.encode())
        return body

    def _read(self, where: str) -> str | None:
        if self.variable is None:
            return None if self._key is None else self._key.strip()
        key = os.environ.get(self.variable, "").strip()
        if not key:
            raise FielError(
                f"The environment variable {self.variable}, which should hold the key, is not set.",
                where=where,
                fix=f"Set it before the run: export {self.variable}=...",
            )
        if not _HEADER_VALUE.fullmatch(key):
            raise FielError(
                f"The environment variable {self.variable} holds a character that no key has (not shown here).",
                where=where,
                fix="Copy the key again.",
            )
        self._learn(key)
        return key

    def _learn(self, key: str | None) -> None:
        """List what is to be hidden, the longest first: one secret may be part of another."""
        named = [value for name, value in self._headers.items() if _SECRET_NAME.search(name)]
        query = [
            value for name, _, value in (p.partition("=") for p in self._query.split("&")) if _SECRET_NAME.search(name)
        ]
        found = [(key or "").strip(), *named, *(value.removeprefix("Bearer ") for value in named), *query]
        long_enough = {secret for secret in (*self._secrets, *found) if len(secret) >= _SHORTEST}
        self._secrets = sorted(long_enough, key=len, reverse=True)
