"""Any endpoint that speaks chat completions, asked with patience. Knows no judge, and of a reply only its outside."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any, Self

from fiel.models._address import Address, Credentials, address_of
from fiel.models._gate import Gate
from fiel.models._lane import Lane
from fiel.models._outcomes import Complaint, Trouble
from fiel.models._patience import Attempts, Patience
from fiel.models._price import PriceLike, price_of
from fiel.models._terms import Terms, revise
from fiel.models._wire import fields_of
from fiel.records import EndpointError, FielError, Price, Reply, Request, encode


def connect(  # noqa: PLR0913  each is a fact about the endpoint, all but the model by default
    base_url: str,
    *,
    model: str,
    name: str | None = None,
    api_key: str | None = None,
    api_key_env: str | None = None,
    price: PriceLike | None = None,
    max_in_flight: int = 64,
    seconds: float = 120.0,
    tries: int = 6,
    longest_wait: float = 60.0,
    headers: Mapping[str, str] | None = None,
    rng: random.Random | None = None,
) -> Endpoint:
    """An endpoint that speaks chat completions, at any address. Nothing is opened before the first call.

    Args:
        base_url: up to and including the version ("https://api.example.com/v1"); a query is kept.
        model: the name under which the endpoint knows the model.
        name: the logical name, which is part of every request's digest; the model's own by default.
        api_key: the key itself.
        api_key_env: the environment variable that holds the key, read at the first call or by `check`.
        price: per million tokens, {"input": ..., "output": ...}; unknown when absent.
        max_in_flight: how many calls may run at once; fewer do where the endpoint refuses some.
        seconds: that one attempt may take. There is no limit for a run.
        tries: attempts of one call; those that the server asks to make later do not count.
        longest_wait: seconds to which a Retry-After is cut; a call waits at most ten minutes on such words.
        headers: sent with every call.
        rng: of the back-off's jitter.

    Raises:
        FielError: an argument that cannot be right.

    >>> connect("http://localhost:8080/v1", model="small")
    Endpoint(name='small', model='small', url='http://localhost:8080/v1/chat/completions')
    """
    address = address_of(base_url)
    for what, value in (("model", model), ("name", model if name is None else name)):
        if not value.strip():
            raise FielError(f"The {what} of the endpoint {address.shown} is empty.")
    for what, number in (("max_in_flight", max_in_flight), ("tries", tries)):
        if number < 1:
            raise FielError(f"{what} is {number}; it must be at least 1.")
    for what, duration in (("seconds", seconds), ("longest_wait", longest_wait)):
        if not duration > 0:
            raise FielError(f"{what} is {duration}; it must be above 0.")
    return Endpoint(
        address,
        model=model,
        name=name or model,
        credentials=Credentials(address, api_key=api_key, api_key_env=api_key_env, headers=headers),
        price=price_of(price),
        max_in_flight=max_in_flight,
        seconds=seconds,
        patience=Patience(
            tries=tries,
            longest_wait=longest_wait,
            rng=rng or random.Random(),  # noqa: S311  jitter is no secret
        ),
    )


class Endpoint:
    """A model behind an address; made by `connect`.

    It may be used in several event loops, one after the other; `close` (or the end of `async with`) closes its
    connections in the running one.

    Attributes:
        name: the logical name.
        model: the name under which the endpoint knows the model.
        price: per million tokens, or None.
        max_in_flight: how many calls may run at once.
    """

    def __init__(
        self,
        address: Address,
        *,
        model: str,
        name: str,
        credentials: Credentials,
        price: Price | None,
        max_in_flight: int,
        seconds: float,
        patience: Patience,
    ) -> None:
        self.name = name
        self.model = model
        self.price = price
        self.max_in_flight = max_in_flight
        self._address = address
        self._credentials = credentials
        self._seconds = seconds
        self._patience = patience
        self._terms = Terms()
        self._lanes: dict[asyncio.AbstractEventLoop, Lane] = {}

    def __repr__(self) -> str:
        return f"Endpoint(name={self.name!r}, model={self.model!r}, url={self._address.shown!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def without(self) -> frozenset[str]:
        """What the endpoint refused so that it is no longer sent.

        Words: "logprobs", "schema" (not enforced), "json" (nor JSON), "temperature", "seed".
        """
        return self._terms.without

    @property
    def top_logprobs(self) -> int | None:
        """The largest number of alternatives that the endpoint takes; None while it has refused none."""
        return self._terms.most if self._terms.logprobs else 0

    def check(self) -> None:
        """See before a run that the key is there. Asks nobody.

        Raises:
            FielError: the environment variable of the key is not set.
        """
        self._credentials.headers(where=self._where)

    async def close(self) -> None:
        """Close the connections of the running event loop. A call that still waits fails."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        self._sweep()
        if lane is not None:
            lane.gate.shut(lambda: EndpointError("The endpoint was closed.", where=self._where), seconds=float("inf"))
            await lane.poster.close()

    async def __call__(self, request: Request) -> Reply:
        """Ask.

        Raises:
            CallError: this call failed for good.
            EndpointError: the endpoint cannot be used at all: unreachable, unauthorised, no such model, or ten calls in
                succession failed for good. The run should stop.
            FielError: the key is missing, or something in the request cannot be sent.
        """
        lane = self._lane()
        attempts = Attempts(patience=self._patience)
        again = False
        while True:
            await lane.gate.enter(again=again)
            again = True
            try:
                fields = self._fields(request)
                body = encode(fields)
                outcome = await lane.attempt(body)
            finally:
                lane.gate.leave()
            if isinstance(outcome, Reply):
                return outcome
            if isinstance(outcome, Trouble):
                await lane.wait(attempts, outcome)
            elif not self._revise(request, outcome, sent=fields, body=body):
                raise lane.failed(f"The endpoint refuses the request: {outcome}.")

    def _fields(self, request: Request) -> dict[str, Any]:
        return fields_of(request, model=self.model, terms=self._terms)

    def _revise(self, request: Request, complaint: Complaint, *, sent: dict[str, Any], body: bytes) -> bool:
        """Whether something else would be sent now, for what this refusal taught or for what another call learnt."""
        if encode(self._fields(request)) != body:
            return True
        revised = revise(self._terms, complaint, sent) if complaint.status in {400, 422} else None
        if revised is None:
            return False
        self._terms = revised
        return True

    def _lane(self) -> Lane:
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            from fiel.models._http import Poster  # noqa: PLC0415  aiohttp takes long to import and not all need it

            headers = self._credentials.headers(where=self._where)
            self._sweep()
            lane = self._lanes[loop] = Lane(
                Poster(self._address.url, headers=headers, seconds=self._seconds, most=self.max_in_flight),
                Gate(self.max_in_flight),
                patience=self._patience,
                address=self._address,
                credentials=self._credentials,
                model=self.model,
                where=self._where,
            )
        return lane

    def _sweep(self) -> None:
        """Let go of what belongs to closed event loops."""
        for loop in [loop for loop in self._lanes if loop.is_closed()]:
            self._lanes.pop(loop).poster.abandon()

    @property
    def _where(self) -> str:
        return f"model {self.name!r}, {self._address.shown}"
