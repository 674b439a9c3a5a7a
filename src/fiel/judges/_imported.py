"""A judge whose judgements came in from a table: it has an identity, and answers nothing. Knows no table."""

from __future__ import annotations

from dataclasses import dataclass

from fiel.records import Criterion, FielError, Judgement, Rubric, Subject, digest


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """A judge that somebody else ran.

    Args:
        name: under which its judgements are kept.
        content: the digest of what was imported of it.
    """

    name: str
    content: str

    def identity(self, rubric: Rubric) -> str:
        """The digest of its name, of what was imported, and of the rubric by which that was read."""
        return digest(("imported", self.name, self.content, rubric.digest))

    async def __call__(
        self,
        subject: Subject,
        rubric: Rubric,  # noqa: ARG002  what every judge is given
        criteria: tuple[Criterion, ...] | None = None,  # noqa: ARG002  the same
    ) -> tuple[Judgement, ...]:
        """Answer nothing.

        Raises:
            FielError: always.
        """
        raise FielError(
            f"The judge {self.name!r} was imported: it is not run, and has said nothing more of {subject.id!r}.",
            fix="Import a table in which it has: fiel import.",
        )
