"""What can come of one attempt, as values. Knows nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response, read whole.

    Args:
        status: of HTTP.
        body: as sent.
        retry_after, retry_after_ms, date, location: headers that count here.
        seconds: from the call to the end of the body.
    """

    status: int
    body: bytes
    retry_after: str | None
    retry_after_ms: str | None
    date: str | None
    location: str | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """No response: nobody there, no secure connection, too late, or broken off."""

    why: Literal["unreachable", "insecure", "late", "broken"]
    what: str


class Complaint(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint said when it refused a request.

    Args:
        message: in its words.
        param: the parameter that it names, if it names one.
        code: its code for it.
        status: of HTTP.
    """

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400

    def __str__(self) -> str:
        return f"{self.status}, {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An attempt failed in a way that may pass.

    Args:
        what: what happened.
        told: in how many seconds the server says to come back.
        unreachable: nobody was there.
    """

    what: str
    told: float | None = None
    unreachable: bool = False
