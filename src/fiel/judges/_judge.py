"""What a judge is. Knows no label and no file."""

from __future__ import annotations

from typing import Protocol

from fiel.records import Criterion, Judgement, Rubric, Subject


class Judge(Protocol):
    """An async callable from a subject to judgements, one per criterion asked.

    A wrapper around a judge is a judge.
    """

    @property
    def name(self) -> str:
        """The name under which it runs."""
        ...

    def identity(self, rubric: Rubric) -> str:
        """The digest of everything that decides its answers: model, parameters, rubric, prompt, reading rule."""
        ...

    async def __call__(
        self, subject: Subject, rubric: Rubric, criteria: tuple[Criterion, ...] | None = None
    ) -> tuple[Judgement, ...]:
        """Answer `criteria` (all of them when None), in that order. A failure is a judgement with its status."""
        ...
