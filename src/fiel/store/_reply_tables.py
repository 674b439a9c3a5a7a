"""The tables that raw replies are kept in, and an exchange as a row of them. Knows no file and no judgement.

A request is kept without its texts: each message, schema and set of parameters stands once in `texts`, under the
SHA-256 of its JSON, however many requests have it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, Select, Table, Text, select

from fiel.records import FielError, Message, Reply, Request, decode, encode
from fiel.store._judgement_tables import metadata, words
from fiel.store._packing import pack, to_json, unpack

_Role: TypeAlias = Literal["system", "user", "assistant"]

texts = Table(
    "texts",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
replies = Table(
    "replies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", Text, nullable=False),  # of the request; several replies may have it, and the last one is used
    Column("model", ForeignKey("words.id"), nullable=False),
    Column("sample", Integer, nullable=False),
    Column("request", Text, nullable=False),  # a JSON object, with digests in place of texts
    Column("reply", LargeBinary, nullable=False),
    Column("kept_at", Text, nullable=False),  # UTC
)
Index("reply_key", replies.c.digest, replies.c.model, replies.c.sample)


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request without model and sample, with digests in place of its texts."""

    messages: tuple[tuple[_Role, str], ...]
    schema: str | None = None
    parameters: str | None = None

    @property
    def digests(self) -> Iterator[str]:
        """Of all its texts."""
        yield from (digest for _, digest in self.messages)
        yield from (digest for digest in (self.schema, self.parameters) if digest is not None)


class Parcel(NamedTuple):
    """An exchange that is ready to be kept.

    Args:
        model: its logical name.
        digest: of the request.
        cells: the sample number, the request without its texts, the reply.
        texts: the JSON of every text of the request, by digest.
    """

    model: str
    digest: str
    cells: tuple[int, str, bytes]
    texts: dict[str, bytes]


def to_parcel(request: Request, reply: Reply) -> Parcel:
    """Everything that can be made without the database.

    Raises:
        FielError: the request has no digest, because a text of it holds a lone surrogate.
    """
    known: dict[str, bytes] = {}

    def put(value: Any) -> str:
        data = to_json(value)
        digest = hashlib.sha256(data).hexdigest()
        known[digest] = data
        return digest

    digest = request.digest
    frame = Frame(
        messages=tuple((message.role, put(message.content)) for message in request.messages),
        schema=put(request.schema) if request.schema is not None else None,
        parameters=put(request.parameters) if request.parameters else None,
    )
    cells = (request.sample, encode(frame).decode(), pack(reply))
    return Parcel(model=request.model, digest=digest, cells=cells, texts=known)


def rows() -> Select[Any]:
    """All exchanges with what `to_request` and `to_reply` need, in the order of keeping."""
    return (
        select(replies, words.c.word.label("model_name"))
        .select_from(replies.join(words, words.c.id == replies.c.model))
        .order_by(replies.c.id)
    )


def to_frame(row: Any) -> Frame:
    """What a row of `replies` says of its request."""
    return decode(row.request, Frame)


def to_request(row: Any, contents: Mapping[str, bytes], *, where: str) -> Request:
    """The request of one of `rows`, with the cells of `texts` by digest.

    Raises:
        FielError: a text is missing or damaged: the request is not the one that was kept.
    """
    frame = to_frame(row)
    missing = [digest for digest in frame.digests if digest not in contents]
    if missing:
        raise FielError(f"The text {missing[0]} of request {row.digest} is missing.", where=where)

    def get(digest: str, kind: Any) -> Any:
        return unpack(contents[digest], kind, where=where)

    request = Request(
        model=row.model_name,
        messages=tuple(Message(role=role, content=get(digest, str)) for role, digest in frame.messages),
        schema=get(frame.schema, dict) if frame.schema is not None else None,
        parameters=get(frame.parameters, dict) if frame.parameters is not None else {},
        sample=row.sample,
    )
    if request.digest != row.digest:
        raise FielError(f"The request {row.digest} is not the one that was kept.", where=where)
    return request


def to_reply(row: Any, *, where: str) -> Reply:
    """The reply of one of `rows`.

    Raises:
        FielError: it is damaged.
    """
    return unpack(row.reply, Reply, where=where)
