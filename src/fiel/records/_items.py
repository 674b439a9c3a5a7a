"""What is judged: one answer, or two beside each other. Text is data, never instruction."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

from fiel.records._errors import FielError
from fiel.records._lines import Record, digest_of_encoded

Scalar: TypeAlias = str | int | float | bool | None


class Item(Record, dict=True, frozen=True, kw_only=True):
    """One answer to be judged, with what it answers.

    Args:
        id: unique among the items of a project.
        input: the question or task that was put to the system.
        context: what the system was given to answer from.
        output: the answer under judgement.
        reference: a known good answer.
        group: the cluster that the item belongs to (document, conversation, user): items of one group are not
            independent.
        author: the system or person that wrote the answer.
        fields: further columns, to slice by.
    """

    id: str
    input: str | None = None
    context: str | None = None
    output: str = ""
    reference: str | None = None
    group: str | None = None
    author: str | None = None
    fields: dict[str, Scalar] = {}  # noqa: RUF012  a msgspec default: copied, never shared

    def __post_init__(self) -> None:
        _check_id(self.id)

    @cached_property
    def digest(self) -> str:
        """Of all that a judge may read."""
        return digest_of_encoded((self.id, self.input, self.context, self.output, self.reference))


class Pair(Record, dict=True, frozen=True, kw_only=True):
    """Two answers to the same question, to be compared."""

    id: str
    input: str | None = None
    context: str | None = None
    a: str = ""
    b: str = ""
    reference: str | None = None
    group: str | None = None
    author_a: str | None = None
    author_b: str | None = None
    fields: dict[str, Scalar] = {}  # noqa: RUF012  a msgspec default: copied, never shared

    def __post_init__(self) -> None:
        _check_id(self.id)

    @cached_property
    def digest(self) -> str:
        """Of all that a judge may read."""
        return digest_of_encoded((self.id, self.input, self.context, self.a, self.b, self.reference))


Subject: TypeAlias = Item | Pair


def _check_id(value: str) -> None:
    if not isinstance(value, str):
        raise FielError(f"An id is text; this one is {value!r}.", fix=f"Write {str(value)!r}.")
    if not value or value != value.strip() or "\n" in value:
        raise FielError(
            f"An id is empty, starts or ends with white space, or holds a line break: {value!r}.",
            fix="Give every item a short id of its own.",
        )
