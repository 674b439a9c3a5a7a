"""What was judged, how often and by whom, counted in SQL in a transaction that somebody else holds. Knows no reply."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Connection, Select, func, select

from fiel.records import FielError, Judgement, Status
from fiel.store import _judgement_tables as tables
from fiel.store._judgement_rows import checked, to_judgements

_SHOWN = 5  # names that an error lists


class Asked(NamedTuple):
    """What makes two judgements of one judge the same; equal to a plain tuple of the same six."""

    subject: str
    subject_digest: str
    criterion_digest: str
    replicate: int
    order: Literal["ab", "ba"] | None
    variant: str | None

    @classmethod
    def by(cls, judgement: Judgement) -> Asked:
        """The question that a judgement answers."""
        return cls(
            subject=judgement.subject,
            subject_digest=judgement.subject_digest,
            criterion_digest=judgement.criterion_digest,
            replicate=judgement.replicate,
            order=judgement.order,
            variant=judgement.variant,
        )


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many judgements ended in one way.

    Args:
        verdict: the option; None where there is no belief, or where two options share the first place.
    """

    judge: str
    identity: str
    criterion: str
    criterion_digest: str
    status: Status
    verdict: str | None
    count: int


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said that it served.

    Args:
        served: None where it did not say, or no model was asked.
        count: judgements.
        last: when the last of them was kept, in UTC; None where only rows from before version 3 are.
    """

    served: str | None
    count: int
    last: str | None


def asked(connection: Connection, identity: str, *, where: str) -> set[Asked]:
    """The questions that a judge of this identity has answered.

    Raises:
        FielError: a row is damaged.
    """
    columns = (
        tables.judgements.c.subject_digest,
        tables.judgements.c.replicate,
        tables.judgements.c.shown_order,
        tables.judgements.c.variant,
    )
    query = (
        select(tables.subjects.c.name, tables.criteria.c.digest, *columns)
        .select_from(tables.JOINED)
        .where(
            tables.judges.c.identity == identity,
            tables.judgements.c.subject_digest != "",
            tables.judgements.c.status != tables.STATUSES["error"],
        )
    )
    orders = {number: word for word, number in tables.ORDERS.items()}
    variants: dict[str, str | None] = {}
    found: set[Asked] = set()
    with checked("a judgement", where=where):
        for name, digest, subject_digest, replicate, order, variant in connection.execute(query):
            if variant not in variants:
                variants[variant] = tables.to_variant(variant)
            found.add(Asked(name, subject_digest, digest, replicate, orders[order], variants[variant]))
    return found


def tallies(connection: Connection, *, where: str) -> list[Tally]:
    """How many judgements there are per judge, identity, criterion, status and verdict.

    Raises:
        FielError: a row is damaged.
    """
    rows = tables.judgements.c
    codes = (rows.judge, rows.criterion, rows.status, rows.verdict)
    counts = select(*codes, func.count().label("count")).group_by(*codes).subquery()
    query = (
        select(
            tables.judges.c.name.label("judge_name"),
            tables.judges.c.identity,
            tables.criteria.c.name.label("criterion_name"),
            tables.criteria.c.digest,
            tables.criteria.c.options,
            counts.c.status,
            counts.c.verdict,
            counts.c.count.label("how_many"),
        )
        .select_from(counts)
        .join(tables.judges, tables.judges.c.id == counts.c.judge)
        .join(tables.criteria, tables.criteria.c.id == counts.c.criterion)
        .order_by(counts.c.judge, counts.c.criterion, counts.c.status, counts.c.verdict)
    )
    statuses = {number: word for word, number in tables.STATUSES.items()}
    with checked("a judgement", where=where):
        return [
            Tally(
                judge=row.judge_name,
                identity=row.identity,
                criterion=row.criterion_name,
                criterion_digest=row.digest,
                status=statuses[row.status],
                verdict=tables.to_options(row.options)[row.verdict] if row.verdict is not None else None,
                count=row.how_many,
            )
            for row in connection.execute(query)
        ]


def identities_of(connection: Connection, judge: str) -> list[str]:
    """The identities of a judge, the one that answered last at the end."""
    query = (
        select(tables.judges.c.identity)
        .join(tables.judgements, tables.judgements.c.judge == tables.judges.c.id)
        .where(tables.judges.c.name == judge)
        .group_by(tables.judges.c.id, tables.judges.c.identity)
        .order_by(func.max(tables.judgements.c.id))
    )
    return list(connection.execute(query).scalars())


def served_by(connection: Connection, identity: str) -> list[Served]:
    """What was served under an identity, the one that answered last at the end."""
    rows = tables.judgements.c
    judges = connection.execute(select(tables.judges.c.id).where(tables.judges.c.identity == identity)).scalars().all()
    mine = (rows.judge + 0).in_(judges)  # a sum: by an index, each row would be looked up on its own
    query = (select(rows.served, func.count(), func.max(rows.kept_at)).where(mine).group_by(rows.served)).order_by(
        func.max(rows.id)
    )
    found = connection.execute(query).all()
    words = tables.words.c
    named = select(words.id, words.word).where(words.id.in_([number for number, _, _ in found]))
    names = {row.id: row.word for row in connection.execute(named)}
    return [Served(served=names.get(number), count=count, last=last) for number, count, last in found]


def newest_last(connection: Connection, query: Select[Any], *, where: str) -> list[Judgement]:
    """The judgements of a query of `rows`, those of the identity that answered last at the end.

    Raises:
        FielError: a row is damaged.
    """
    found = to_judgements(connection.execute(query), where=where)
    newest = (
        select(tables.judges.c.name, tables.judges.c.identity, func.max(tables.judgements.c.id))
        .join(tables.judgements, tables.judgements.c.judge == tables.judges.c.id)
        .group_by(tables.judges.c.id, tables.judges.c.name, tables.judges.c.identity)
    )
    last = {(name, identity): number for name, identity, number in connection.execute(newest)}
    found.sort(key=lambda pair: (last[pair[1].judge, pair[1].identity], pair[0]))
    return [judgement for _, judgement in found]


def whole_id(connection: Connection, text: str, *, where: str) -> str:
    """The id of a judged subject that is `text` or alone begins with it; else `text`.

    Raises:
        FielError: several begin with it, and none is it.
    """
    name = tables.subjects.c.name
    query = select(name).where((name == text) | (func.substr(name, 1, len(text)) == text)).order_by(name)
    found: list[str] = list(connection.execute(query).scalars())
    if text in found or not found:
        return text
    if len(found) > 1:
        shown = ", ".join(repr(one) for one in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise FielError(
            f"{len(found)} judged subjects have an id that begins with {text!r}: {shown}{more}.",
            where=where,
            fix="Write the whole id.",
        )
    return found[0]
