"""Who may come in: tokens, and how often a wrong one may be tried. Writes no token anywhere."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fiel.labelling import Desk, Entrant
from fiel.records import FielError
from fiel.web._files import Files
from fiel.web._throttle import Throttle

_LONGEST_TOKEN = 200
_REMEMBERED = 5.0  # seconds that a token is not looked up again; so long a link that was replaced still opens
_MOST_REMEMBERED = 4096


class TooOftenError(FielError):
    """Wrong tokens came from there too often; `wait` seconds until the next may be tried."""

    def __init__(self, wait: float) -> None:
        super().__init__("Too many wrong links were tried from here.", fix=f"Wait {math.ceil(wait)} seconds.")
        self.wait = math.ceil(wait)


class StrangerError(FielError):
    """The token opens nothing."""

    def __init__(self) -> None:
        super().__init__("This link opens nothing here.", fix="Ask for the link again where you got it.")


class Door:
    """Asks the desk who has a token, within the throttle's bounds."""

    def __init__(self, desk: Desk, files: Files, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._desk = desk
        self._files = files
        self._clock = clock
        self._throttle = Throttle(clock=clock)
        self._known: dict[bytes, tuple[float, Entrant]] = {}

    async def entrant(self, request: Request, token: str) -> Entrant:
        """Who has this token.

        Raises:
            StrangerError: nobody.
            TooOftenError: it was not looked at.
        """
        address = request.client.host if request.client else ""
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        if wait := self._throttle.wait(address, digest):
            raise TooOftenError(wait)
        until, found = self._known.get(digest, (0.0, None))
        if found is None or self._clock() > until:
            found = await self._look_up(token)
            if found is None:
                self._throttle.wrong(address, digest)
                raise StrangerError
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[digest] = self._clock() + _REMEMBERED, found
            self._throttle.right(address, digest)
        return found

    async def _look_up(self, token: str) -> Entrant | None:
        possible = token.isascii() and token.isprintable() and 0 < len(token) <= _LONGEST_TOKEN
        return await run_in_threadpool(self._desk.entrant, token) if possible else None

    async def bearer(self, request: Request) -> Entrant:
        """Who sends this request to the API."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token:
            raise StrangerError
        return await self.entrant(request, token.strip())

    async def rater(self, request: Request) -> Response:
        """The labelling page."""
        return await self._page(request, "label", "rater")

    async def adjudicator(self, request: Request) -> Response:
        """The adjudication page."""
        return await self._page(request, "adjudicate", "adjudicator")

    async def _page(self, request: Request, name: str, role: str) -> Response:
        try:
            who = await self.entrant(request, request.path_params["token"])
        except TooOftenError as error:
            return self._files.page("gone", 429, headers={"retry-after": str(error.wait)})
        except StrangerError:
            return self._files.page("gone", 404)
        return self._files.page(name) if who.role == role else self._files.page("gone", 404)
