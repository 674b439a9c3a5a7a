"""What a judge has seen and what it took, asked of the database for few subjects or in sums. Makes no judgement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, case, func, select

from fiel.store import _judgement_tables as tables
from fiel.store._databases import parts


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What judgements took; None where nobody counted.

    Args:
        calls: different requests.
        input, output, cached: tokens.
        cost: of the `priced` judgements.
        priced: how many have a price.
    """

    calls: int
    input: int | None
    output: int | None
    cached: int | None
    cost: float | None
    priced: int


def orders_of(connection: Connection, judge: str, identity: str) -> set[Literal["ab", "ba"] | None]:
    """The orders in which a judge saw what it judged."""
    query = (
        select(tables.judgements.c.shown_order)
        .distinct()
        .where(tables.judgements.c.judge.in_(numbers_of(connection, judge, identity)))
    )
    orders = {number: word for word, number in tables.ORDERS.items()}
    return {orders[number] for number in connection.execute(query).scalars() if number in orders}


def texts_of(connection: Connection, judge: str, subjects: Collection[str]) -> dict[str, set[str]]:
    """By subject, the digests of its texts that a judge of this name has judged, under whatever identity."""
    rows, names = tables.judgements.c, tables.subjects.c
    judges = numbers_of(connection, judge)
    found: dict[str, set[str]] = {}
    for part in parts(sorted(set(subjects))):
        there = on_subjects(connection, part, judges=judges)
        query = select(names.name, rows.subject_digest).join(tables.subjects, names.id == rows.subject).where(*there)
        for name, digest in connection.execute(query.distinct()):
            found.setdefault(name, set()).add(digest)
    return found


def on_subjects(
    connection: Connection, subjects: Sequence[str], *, judges: Sequence[int]
) -> tuple[ColumnElement[bool], ...]:
    """What holds of the judgements of a few subjects by these judges, so that an index leads to them.

    The index goes by judge and criterion before it comes to the subject: every criterion is named.
    """
    rows, names = tables.judgements.c, tables.subjects.c
    criteria = connection.execute(select(tables.criteria.c.id)).scalars().all()
    numbers = connection.execute(select(names.id).where(names.name.in_(subjects))).scalars().all()
    return rows.judge.in_(judges), rows.criterion.in_(criteria), rows.subject.in_(numbers)


def wordings_of(connection: Connection, judge: str) -> dict[str, set[str]]:
    """By criterion, the digests of its wordings that a judge of this name has answered, under whatever identity."""
    columns, rows = tables.criteria.c, tables.judgements.c
    answered = select(rows.id).where(rows.judge.in_(numbers_of(connection, judge)), rows.criterion == columns.id)
    found: dict[str, set[str]] = {}
    for name, digest in connection.execute(select(columns.name, columns.digest).where(answered.exists())):
        found.setdefault(name, set()).add(digest)
    return found


def spent_on(connection: Connection, judge: str, identity: str, numbers: Sequence[int]) -> Spent:
    """What some judgements of a judge took.

    Args:
        connection: in a transaction.
        judge: its name; identity: which of its identities.
        identity: see above.
        numbers: of the rows, ascending.
    """
    rows = tables.judgements.c
    if not numbers:
        return Spent(calls=0, input=None, output=None, cached=None, cost=None, priced=0)
    between = rows.id.between(numbers[0], numbers[-1])
    mine: list[ColumnElement[bool]] = [(rows.judge + 0).in_(numbers_of(connection, judge, identity)), between]
    count = connection.execute(select(func.count()).where(*mine)).scalar()
    if count != len(numbers):
        those = func.json_each(msgspec.json.encode(numbers).decode()).table_valued("value")
        mine.append(rows.id.in_(select(those.c.value)))
    tokens = [func.sum(func.json_extract(rows.usage, f"$.{name}")) for name in ("input", "output", "cached")]
    paid = case((rows.usage.is_not(None), rows.cost))  # of a call that several criteria share, one row is paid
    query = select(func.count(rows.request.distinct()), *tokens, func.sum(paid), func.count(paid))
    calls, given, written, cached, cost, priced = connection.execute(query.where(*mine)).one()
    return Spent(calls=calls, input=given, output=written, cached=cached, cost=cost, priced=priced)


def numbers_of(connection: Connection, judge: str | None = None, identity: str | None = None) -> Sequence[int]:
    """The numbers of judges of a name and an identity, None being any."""
    columns = tables.judges.c
    query = select(columns.id)
    query = query if judge is None else query.where(columns.name == judge)
    query = query if identity is None else query.where(columns.identity == identity)
    return connection.execute(query).scalars().all()
