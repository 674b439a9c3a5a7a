"""Judgements from the rows of their tables, each checked, since files are edited. Knows no file and no transaction.

Rows repeat themselves: options, and often whole beliefs, are decoded once for all rows that have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Column, Select, select

from fiel.records import Distribution, Evidence, FielError, Judgement, Usage
from fiel.store import _judgement_tables as tables
from fiel.store._collecting import uncollected

_Belief: TypeAlias = tuple[str, int, str, str | None]

_SERVED = tables.words.alias("served_words")
_WRITTEN = tables.words.alias("written_words")
_ROW = tables.judgements.c

_TEXT, _NUMBER, _WHOLE = frozenset({str}), frozenset({float, int}), frozenset({int})
_NONE = frozenset({type(None)})
_COLUMNS: tuple[tuple[Column[Any], frozenset[type]], ...] = (
    (_ROW.id, _WHOLE),
    (tables.subjects.c.name, _TEXT),
    (_ROW.subject_digest, _TEXT),
    (tables.criteria.c.name, _TEXT),
    (tables.criteria.c.digest, _TEXT),
    (tables.judges.c.name, _TEXT),
    (tables.judges.c.identity, _TEXT),
    (_SERVED.c.word, _TEXT | _NONE),
    (_ROW.status, _WHOLE),
    (tables.criteria.c.options, _TEXT | _NONE),
    (_ROW.source, _WHOLE | _NONE),
    (_ROW.probs, _TEXT | _NONE),
    (_ROW.losses, _TEXT | _NONE),
    (_WRITTEN.c.word, _TEXT | _NONE),
    (_ROW.evidence, _TEXT | _NONE),
    (_ROW.reason, _TEXT | _NONE),
    (_ROW.replicate, _WHOLE),
    (_ROW.shown_order, _WHOLE),
    (_ROW.variant, _TEXT),
    (_ROW.usage, _TEXT | _NONE),
    (_ROW.cost, _NUMBER | _NONE),
    (_ROW.latency, _NUMBER | _NONE),
    (_ROW.request, _TEXT | _NONE),
)
"""What a judgement needs, and what SQLite must give for each; a column's type is a wish to it."""

_STATUSES = {number: word for word, number in tables.STATUSES.items()}
_SOURCES = {number: word for word, number in tables.SOURCES.items()}
_ORDERS = {number: word for word, number in tables.ORDERS.items()}
_read_probs = msgspec.json.Decoder(tuple[float, ...]).decode
_read_losses = msgspec.json.Decoder(tables.Losses).decode
_read_evidence = msgspec.json.Decoder(tuple[Evidence, ...]).decode
_read_usage = msgspec.json.Decoder(Usage).decode


def rows() -> Select[Any]:
    """All judgements with everything that `to_judgements` needs, in no order: the database would sort whole rows."""
    joined = tables.JOINED.outerjoin(_SERVED, _SERVED.c.id == _ROW.served)
    joined = joined.outerjoin(_WRITTEN, _WRITTEN.c.id == _ROW.written)
    return select(*(column for column, _ in _COLUMNS)).select_from(joined)


def to_judgements(found: Iterable[Any], *, where: str) -> list[tuple[int, Judgement]]:
    """The judgements of `rows`, each with its number.

    Raises:
        FielError: a row is damaged, with its number.
    """
    with uncollected():
        return _judgements(found, where)


def _judgements(found: Iterable[Any], where: str) -> list[tuple[int, Judgement]]:
    options: dict[str | None, tuple[str, ...]] = {}
    variants: dict[str, str | None] = {}
    beliefs: dict[_Belief, Distribution] = {}
    sound: set[tuple[type, ...]] = set()
    made: list[tuple[int, Judgement]] = []
    for row in found:
        with_types = tuple(map(type, row))
        (number, subject, subject_digest, criterion, criterion_digest, judge, identity, served, status, words) = row[
            :10
        ]
        (words, source, probs, losses, written, evidence, reason, replicate, order, variant, usage) = row[9:20]
        try:
            if with_types not in sound:
                _check_types(with_types)
                sound.add(with_types)
            belief = None
            if probs is not None:
                key = (words, source, probs, losses)
                belief = beliefs.get(key)
                if belief is None:
                    if words not in options:
                        options[words] = tables.to_options(words)
                    belief = beliefs[key] = _belief(options[words], source, probs, losses)
            if variant not in variants:
                variants[variant] = tables.to_variant(variant)
            judgement = Judgement(
                subject=subject,
                subject_digest=subject_digest,
                criterion=criterion,
                criterion_digest=criterion_digest,
                judge=judge,
                identity=identity,
                served=served,
                status=_STATUSES[status],
                belief=belief,
                written=written,
                evidence=_read_evidence(evidence) if evidence is not None else (),
                reason=reason,
                replicate=replicate,
                order=_ORDERS[order],
                variant=variants[variant],
                usage=_read_usage(usage) if usage is not None else None,
                cost=row[20],
                latency=row[21],
                request=row[22],
            )
        except (LookupError, ValueError, TypeError, RecursionError) as error:
            raise damaged(f"judgement {number!r}", error, where=where) from error
        made.append((number, judgement))
    return made


@contextmanager
def checked(what: str, *, where: str) -> Iterator[None]:
    """Say that the database is damaged where what stands in it cannot be understood.

    Raises:
        FielError: so.
    """
    try:
        yield
    except (LookupError, ValueError, TypeError, RecursionError) as error:
        raise damaged(what, error, where=where) from error


def damaged(what: str, error: Exception, *, where: str) -> FielError:
    """The error for something in the database that cannot be understood."""
    if isinstance(error, FielError):
        why = error.what.rstrip(".")
    elif isinstance(error, KeyError):
        why = f"no word has the number {error}"
    else:
        why = str(error).rstrip(".")
    return FielError(
        f"The database is damaged: {what} cannot be read: {why}.",
        where=where,
        fix="Restore it from a copy, or move it away and run fiel judge again.",
    )


def _belief(options: tuple[str, ...], source: int, probs: str, losses: str | None) -> Distribution:
    if losses is None:
        return Distribution(options=options, probs=_read_probs(probs), source=_SOURCES[source])
    lost = _read_losses(losses)
    return Distribution(
        options=options,
        probs=_read_probs(probs),
        source=_SOURCES[source],
        captured=lost.captured,
        dropped=lost.dropped,
        dropped_tokens=lost.dropped_tokens,
        ambiguous=lost.ambiguous,
        inapplicable=lost.inapplicable,
        merged=lost.merged,
        mean_low=lost.mean_low,
        mean_high=lost.mean_high,
    )


def _check_types(types: tuple[type, ...]) -> None:
    for kind, (column, allowed) in zip(types, _COLUMNS, strict=True):
        if kind not in allowed:
            raise TypeError(f"its {column.name} is of type {kind.__name__}")
