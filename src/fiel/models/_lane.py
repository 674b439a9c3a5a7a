"""What an endpoint has in one event loop: connections, a gate, and how well it does. Knows no capability."""

from __future__ import annotations

import re
from time import monotonic
from typing import Protocol

from fiel.models._address import Address, Credentials
from fiel.models._gate import Gate
from fiel.models._outcomes import Answer, Complaint, Lost, Trouble
from fiel.models._patience import Attempts, Patience, told_by
from fiel.models._wire import UnreadableError, complaint_of, excerpt, reply_of
from fiel.records import CallError, EndpointError, FielError, Reply

_FAILURES = 10  # calls in succession that fail for good before the endpoint counts as down
_PASSING = frozenset({408, 409, 425, 429})  # worth another attempt, as is everything from 500 on
_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_ABOUT_CONTENT = re.compile(r"moderat|flagged|polic|safety|content", re.IGNORECASE)


class Poster(Protocol):
    """Posts bytes to one URL."""

    async def post(self, body: bytes) -> Answer | Lost:
        """A failure is a value."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...

    def abandon(self) -> None:
        """Let go of them where the event loop is closed."""
        ...


class Lane:
    """One event loop's way to an endpoint.

    Args:
        poster: its connections.
        gate: who may call.
        patience: what a call may take.
        address: of the endpoint; credentials: what must not be shown; model: the name the endpoint knows.
        where: how errors name the endpoint.
    """

    def __init__(
        self,
        poster: Poster,
        gate: Gate,
        *,
        patience: Patience,
        address: Address,
        credentials: Credentials,
        model: str,
        where: str,
    ) -> None:
        self.poster = poster
        self.gate = gate
        self._patience = patience
        self._address = address
        self._credentials = credentials
        self._model = model
        self._where = where
        self._heard = 0  # responses of any kind
        self._answered = 0  # replies
        self._failures = 0  # calls that failed for good since the last reply

    async def attempt(self, body: bytes) -> Reply | Complaint | Trouble:
        """Post once, with a place at the gate.

        Returns:
            a reply, a complaint about the request, or trouble that may pass.

        Raises:
            EndpointError: nothing sent here will ever be answered.
        """
        began = monotonic()
        answer = await self.poster.post(body)
        if isinstance(answer, Lost):
            return self._lost(answer, began)
        self._heard += 1
        data = self._credentials.hide_in(answer.body)
        if answer.status == 200:
            try:
                reply = reply_of(data, latency=answer.seconds)
            except UnreadableError as error:
                return Trouble(what=str(error))
            self._answered += 1
            self._failures = 0
            self.gate.answered()
            return reply
        complaint = complaint_of(data, status=answer.status)
        self._stop_where_hopeless(answer, complaint)
        if answer.status not in _PASSING and answer.status < 500:
            return complaint
        told = told_by(
            after=answer.retry_after,
            after_ms=answer.retry_after_ms,
            date=answer.date,
            longest=self._patience.longest_wait,
        )
        if answer.status == 429 or told is not None:
            self.gate.refused(began, told=told)
        return Trouble(what=str(complaint), told=told)

    async def wait(self, attempts: Attempts, trouble: Trouble) -> None:
        """Wait for the next attempt.

        Raises:
            CallError: there is none.
            EndpointError: the endpoint counts as down.
        """
        if trouble.unreachable and attempts.lost(self._heard):
            raise self._down(f"The endpoint cannot be reached: {trouble.what}.")
        if trouble.told is not None:  # the gate is closed until then
            if attempts.wait(trouble.told):
                return
            raise self.failed(f"The server put the call off for {attempts.waited:.0f} s in all: {trouble.what}.")
        rest = attempts.rest()
        if rest is None:
            tries = "once" if attempts.failed == 1 else f"{attempts.failed} times"
            raise self.failed(f"The call failed {tries}, in the end with: {trouble.what}.")
        await self.gate.rest(rest)

    def failed(self, what: str) -> FielError:
        """The error of a call that failed for good; that of an endpoint when too many did in succession."""
        down = self.gate.down()
        if down is not None:
            return down
        self._failures += 1
        if self._failures < _FAILURES:
            return CallError(what, where=self._where)
        return self._down(
            f"The endpoint is down: {self._failures} calls in succession failed for good. The last: {what}"
        )

    def _lost(self, lost: Lost, began: float) -> Trouble:
        what = self._credentials.hide(excerpt(lost.what))
        if lost.why == "insecure":
            raise self._down(f"The endpoint cannot be reached: {what}.")
        if lost.why == "late":
            self.gate.refused(began, paced=False)
        return Trouble(what=what, unreachable=lost.why == "unreachable")

    def _stop_where_hopeless(self, answer: Answer, complaint: Complaint) -> None:
        status = answer.status
        if status == 401 or (status == 403 and not _ABOUT_CONTENT.search(complaint.message)):
            raise self._down(f"The endpoint does not let us in ({complaint}).", fix=self._credentials.fix)
        if status == 402 or complaint.code in _NO_CREDIT:
            raise self._down(f"The account has no credit left ({complaint}).", fix="Top it up, then start again.")
        if 300 <= status < 400:
            location = self._credentials.hide(excerpt((answer.location or "nowhere").partition("?")[0]))
            raise self._down(f"The endpoint has moved ({status}, to {location}).", fix="Give that address as base_url.")
        if status in {404, 405} and not self._answered:
            raise self._down(
                f"Nothing answers at {self._address.shown} for the model {self._model!r} ({complaint}).",
                fix='Check base_url (it ends in the version, such as "/v1") and the name of the model.',
            )

    def _down(
        self, what: str, *, fix: str = "See that it runs and that the address is right, then start again."
    ) -> EndpointError:
        """Fail all that wait, and give the error."""

        def make() -> EndpointError:
            return EndpointError(what, where=self._where, fix=fix)

        self._failures = 0
        self.gate.shut(make)
        return make()
