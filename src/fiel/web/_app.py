"""The routes of the labelling pages. Reaches a Desk and nothing else: what is shown and taken is its business."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from fiel.labelling import ClosedError, Desk, MissingError
from fiel.records import FielError
from fiel.web._api import Api
from fiel.web._bodies import KindError, PreconditionError
from fiel.web._door import Door, StrangerError, TooOftenError
from fiel.web._files import Files
from fiel.web._guard import Guard, Hosts
from fiel.web._keeper import NotKeptError
from fiel.web._replies import refusal

_STATUS: dict[type[Exception], int] = {
    StrangerError: 401,
    ClosedError: 403,
    MissingError: 404,
    KindError: 415,
    PreconditionError: 428,
    TooOftenError: 429,
}


def app(desk: Desk, *, host: str = "127.0.0.1", allowed_hosts: Collection[str] | None = None) -> Starlette:
    """The pages over a desk, for any ASGI server.

    Args:
        desk: hands out the work and takes it in; it may be called from several threads.
        host: the address that is served; requests for other names are refused.
        allowed_hosts: further names.
    """
    files = Files()
    door = Door(desk, files)
    api = Api(desk, door)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await api.close()

    made = Starlette(
        routes=[
            Route("/l/{token}", door.rater, methods=["GET"]),
            Route("/adjudicate/{token}", door.adjudicator, methods=["GET"]),
            Route("/static/{name}", files.static, methods=["GET"]),
            Route("/api/opening", api.opening, methods=["GET"]),
            Route("/api/places", api.places, methods=["GET"]),
            Route("/api/progress", api.progress, methods=["GET"]),
            Route("/api/labels/{place}/{criterion}", api.label, methods=["PUT"]),
            Route("/api/queue", api.queue, methods=["GET"]),
            Route("/api/cells/{n}", api.cell, methods=["GET"]),
            Route("/api/cells/{n}", api.decision, methods=["PUT"]),
        ],
        exception_handlers={HTTPException: _refused, FielError: _told, NotKeptError: _not_kept},
        lifespan=lifespan,
    )
    made.router.redirect_slashes = False
    hosts = Hosts(host, allowed_hosts)
    made.add_middleware(_Guarded, hosts=hosts)
    return made


class _Guarded(Guard):
    """The guard under the name of its argument that Starlette passes."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        super().__init__(app, hosts)


async def _refused(_: Request, error: Exception) -> Response:
    """What the router itself refuses."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    told = {404: "There is nothing here.", 405: "This address does not take that."}
    return refusal(status, told.get(status, "The request cannot be read."))


async def _told(_: Request, error: Exception) -> Response:
    """What the desk, the door or the reading of a body refuses, in its words."""
    if not isinstance(error, FielError):
        raise error
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422)
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    if isinstance(error, TooOftenError):
        headers = {"retry-after": str(error.wait)}
    more = {"closed": True} if status == 403 else {}
    return refusal(status, error.what, fix=error.fix, headers=headers, **more)


async def _not_kept(_: Request, __: Exception) -> Response:
    return refusal(503, "It could not be kept.", fix="Send it again.", headers={"retry-after": "1"})
