"""Answers as JSON, refusals with a reason. Knows no route."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

_encode = msgspec.json.Encoder().encode


def reply(content: Any, status: int = 200, *, headers: dict[str, str] | None = None) -> Response:
    """`content` as JSON."""
    return Response(_encode(content), status, headers=headers, media_type="application/json")


def refusal(
    status: int, error: str, *, fix: str | None = None, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Why not, and what to do about it."""
    return reply({"error": error, "fix": fix, **more}, status, headers=headers)
