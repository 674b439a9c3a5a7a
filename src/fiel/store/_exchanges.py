"""Raw replies read back with their requests, from a transaction that somebody else holds. Knows no judgement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from fiel.records import Reply, Request
from fiel.store._databases import parts
from fiel.store._judgement_tables import words
from fiel.store._reply_tables import replies, rows, texts, to_frame, to_reply, to_request


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A request and a reply to it.

    Args:
        kept_at: when the reply was kept, in UTC, such as "2026-03-01T12:00:00+00:00".
    """

    request: Request
    reply: Reply
    kept_at: str


def last_reply(connection: Connection, digest: str, *, where: str) -> Reply | None:
    """The reply in use to the request of this digest."""
    row = _last(connection, digest)
    return to_reply(row, where=where) if row is not None else None


def kept_request(connection: Connection, digest: str, *, where: str) -> Request | None:
    """The request of this digest."""
    row = _last(connection, digest)
    return _requests(connection, [row], where=where)[0] if row is not None else None


def kept_digests(connection: Connection, model: str) -> set[str]:
    """The digests of the requests to a model."""
    number = select(words.c.id).where(words.c.word == model).scalar_subquery()
    return set(connection.execute(select(replies.c.digest).where(replies.c.model == number)).scalars())


def exchanges_of(connection: Connection, digest: str, *, where: str) -> list[Exchange]:
    """All replies to the request of this digest and to its equals under other sample numbers."""
    asked = kept_request(connection, digest, where=where)
    if asked is None:
        return []
    number = select(words.c.id).where(words.c.word == asked.model).scalar_subquery()
    samples = connection.execute(select(replies.c.sample).where(replies.c.model == number).distinct()).scalars()
    digests = sorted(msgspec.structs.replace(asked, sample=sample).digest for sample in samples)
    found: list[Row[Any]] = []
    for part in parts(digests):
        found.extend(connection.execute(rows().where(replies.c.digest.in_(part))))
    found.sort(key=lambda row: (row.sample, row.id))
    requests = _requests(connection, found, where=where)
    return [
        Exchange(request=request, reply=to_reply(row, where=where), kept_at=row.kept_at)
        for request, row in zip(requests, found, strict=True)
    ]


def _last(connection: Connection, digest: str) -> Row[Any] | None:
    query = rows().where(replies.c.digest == digest).order_by(None).order_by(replies.c.id.desc()).limit(1)
    return connection.execute(query).first()


def _requests(connection: Connection, found: Sequence[Row[Any]], *, where: str) -> list[Request]:
    digests = sorted({digest for row in found for digest in to_frame(row).digests})
    contents: dict[str, bytes] = {}
    for part in parts(digests):
        cells = connection.execute(select(texts.c.digest, texts.c.content).where(texts.c.digest.in_(part)))
        contents.update((digest, content) for digest, content in cells)
    return [to_request(row, contents, where=where) for row in found]
