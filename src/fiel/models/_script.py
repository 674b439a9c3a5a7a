"""A model that says what it was told to say, for tests and examples. Knows no network and no file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from fiel.records import FielError, Reply, Request

Line: TypeAlias = str | Reply | Exception
Answer: TypeAlias = Callable[[Request], str | Reply]


class ScriptedModel:
    """Answers with the next reply of a script, or with what a function makes of the request.

    Args:
        replies: strings, replies and exceptions, used up in order (an exception is raised); or a function of the
            request, which may raise.
        name: under which it runs.

    Attributes:
        requests: every request that it saw, in order.

    >>> import asyncio
    >>> from fiel.records import Message
    >>> question = Request(model="m", messages=(Message(role="user", content="Is it so?"),))
    >>> asyncio.run(ScriptedModel(["yes"])(question)).text
    'yes'
    """

    def __init__(self, replies: Iterable[Line] | Answer, *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._answer = replies if callable(replies) else None
        self._script: tuple[Line, ...] = () if callable(replies) else tuple(replies)

    async def __call__(self, request: Request) -> Reply:
        """The next reply.

        Raises:
            FielError: the script is over.
        """
        self.requests.append(request)
        line = self._next() if self._answer is None else self._answer(request)
        if isinstance(line, Exception):
            raise line
        return Reply(text=line) if isinstance(line, str) else line

    def _next(self) -> Line:
        asked, told = len(self.requests), len(self._script)
        if asked > told:
            raise FielError(
                f"The script of model {self.name!r} is over: it holds {told} {'reply' if told == 1 else 'replies'} and "
                f"this is request {asked}.",
                fix="Give it one reply for every request, or a function of the request.",
            )
        return self._script[asked - 1]
