"""Pages, scripts and styles, read once into memory: no path of a request ever reaches a file system."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fiel.web._replies import refusal

_KINDS = {"css": "text/css", "js": "text/javascript", "html": "text/html"}


class _File(NamedTuple):
    content: bytes
    kind: str
    tag: str


class Files:
    """What the folder `static` of this package holds."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        for entry in files("fiel.web").joinpath("static").iterdir():
            kind = _KINDS.get(entry.name.rpartition(".")[2])
            if kind is not None:
                content = entry.read_bytes()
                self._files[entry.name] = _File(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')

    def page(self, name: str, status: int = 200, *, headers: dict[str, str] | None = None) -> Response:
        """One of our pages; there is nothing in it of a study or of a person."""
        return Response(self._files[f"{name}.html"].content, status, headers=headers, media_type="text/html")

    async def static(self, request: Request) -> Response:
        """A script or a style, with a tag so that a browser asks only whether it is still the same."""
        found = self._files.get(request.path_params["name"])
        if found is None or found.kind == _KINDS["html"]:
            return refusal(404, "There is no such file.")
        headers = {"etag": found.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers=headers, media_type=found.kind)
