"""Judgements as plain arrays, straight from the numbers in their table: no record is made. Knows no label.

The database joins the numbers of many rows to one text, which is read in one go: to fetch a million rows one at a time
takes longer than to count them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, String, cast, func, select

from fiel.measures import SOURCES, STATUSES, Columns, Question
from fiel.records import FielError
from fiel.store import _judgement_tables as tables

_ROW = tables.judgements.c
_TOLERANCE = 1e-6
_CHUNK = 500_000  # rows joined to one text
_STATES, _KINDS, _OPTIONS = 8, 16, 4096  # more than there are statuses, sources, options
_STATUS = np.array([STATUSES.index(word) for word, _ in sorted(tables.STATUSES.items(), key=lambda pair: pair[1])])
_SOURCE = np.array([*(SOURCES.index(word) for word, _ in sorted(tables.SOURCES.items(), key=lambda pair: pair[1])), -1])
"""The numbers of the table as places in the words of the records; -1 finds the last of `_SOURCE`: none."""

_read_numbers = msgspec.json.Decoder(list[float]).decode


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of the table as arrays; `probs` is flat, option after option of those rows that have a belief."""

    subject: NDArray[np.int64]
    criterion: NDArray[np.int64]
    status: NDArray[np.int64]
    source: NDArray[np.int64]
    verdict: NDArray[np.int64]
    probs: NDArray[np.float64]
    texts: list[str]


def columns_of_judge(
    connection: Connection,
    *,
    judge: str,
    identity: str,
    criteria: Collection[str] | None,
    texts: Mapping[str, str] | None,
    where: str,
) -> Columns:
    """The judgements of one judge under one identity, in the order in which they were added.

    Args:
        connection: in a transaction.
        judge: its name; identity: which of its identities.
        identity: see above.
        criteria: only on criteria with these ids; None for all.
        texts: by subject, the digest of the text that counts: judgements of other texts, and of subjects that are not
            there, are left out; None takes all.
        where: the database, for errors.

    Raises:
        FielError: a row is damaged.
    """
    number = connection.execute(
        select(tables.judges.c.id).where(tables.judges.c.name == judge, tables.judges.c.identity == identity)
    ).scalar()
    columns = tables.criteria.c
    asked = connection.execute(select(columns.id, columns.name, columns.digest, columns.options).order_by(columns.id))
    questions = {key: Question(name, digest, tables.to_options(options)) for key, name, digest, options in asked}
    pairs = connection.execute(select(tables.subjects.c.id, tables.subjects.c.name).order_by(tables.subjects.c.id))
    names: dict[int, str] = {row.id: row.name for row in pairs}
    try:
        return _columns(
            (judge, identity),
            names,
            questions,
            list(_read(connection, number, max(questions, default=0) + 1, with_texts=texts is not None)),
            criteria=criteria,
            texts=texts,
        )
    except (TypeError, ValueError, LookupError, msgspec.DecodeError) as error:
        raise FielError(
            f"A judgement of {judge!r} is damaged: {error}.", where=where, fix="Judge again, into a new file."
        ) from error


def _read(connection: Connection, judge: int | None, criteria: int, *, with_texts: bool) -> Iterator[_Rows]:
    """The rows of a judge, chunk by chunk; `criteria` is more than the largest number of one."""
    last = connection.execute(select(func.max(_ROW.id))).scalar() or 0
    bounded = (_ROW.subject, _ROW.criterion, _ROW.status, _ROW.source, _ROW.verdict)
    packed = _ROW.subject * criteria + _ROW.criterion
    packed = (packed * _STATES + _ROW.status) * _KINDS + func.coalesce(_ROW.source, -1) + 1
    packed = packed * _OPTIONS + func.coalesce(_ROW.verdict, -1) + 1
    wanted: list[Any] = [func.aggregate_strings(cast(packed, String), ","), func.aggregate_strings(_ROW.probs, ",")]
    wanted += [bound(column) for column in bounded for bound in (func.min, func.max)]
    wanted += [func.aggregate_strings(_ROW.subject_digest, ",")] if with_texts else []
    for start in range(1, last + 1, _CHUNK):
        mine = _ROW.judge + 0 == judge  # a sum, so that no index leads away from the order of the rows
        query = select(*wanted).where(_ROW.id >= start, _ROW.id < start + _CHUNK, mine)
        numbers, probs, *rest = connection.execute(query).one()
        if numbers is not None:
            _check_bounds(rest[: 2 * len(bounded)], criteria)
            flat = np.array(_read_numbers("[" + (probs or "").replace("[", "").replace("]", "") + "]"))
            yield _unpacked(numbers, criteria, flat, rest[-1].split(",") if with_texts else [])


def _check_bounds(found: list[Any], criteria: int) -> None:
    """Raise where a column holds what is no whole number of its range: rows would be taken for others."""
    limits = ((1, None), (1, criteria), (0, len(_STATUS)), (0, len(_SOURCE) - 1), (0, _OPTIONS - 1))
    for (low, high), least, most in zip(limits, found[::2], found[1::2], strict=True):
        if least is None and most is None:
            continue
        if type(least) is not int or type(most) is not int or least < low or (high is not None and most >= high):
            raise ValueError(f"a number from {least!r} to {most!r} stands where there are {low} to {high}")


def _unpacked(numbers: str, criteria: int, probs: NDArray[np.float64], texts: list[str]) -> _Rows:
    rest = np.fromstring(numbers, dtype=np.int64, sep=",")
    rest, verdict = np.divmod(rest, _OPTIONS)
    rest, source = np.divmod(rest, _KINDS)
    rest, status = np.divmod(rest, _STATES)
    subject, criterion = np.divmod(rest, criteria)
    return _Rows(subject, criterion, status, source - 1, verdict - 1, probs, texts)


def _columns(
    who: tuple[str, str],
    names: Mapping[int, str],
    questions: Mapping[int, Question],
    parts: list[_Rows],
    *,
    criteria: Collection[str] | None,
    texts: Mapping[str, str] | None,
) -> Columns:
    subject, criterion, status, source, verdict = (
        np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(part, name) for part in parts)])
        for name in ("subject", "criterion", "status", "source", "verdict")
    )
    sizes = np.zeros(max(questions, default=0) + 1, dtype=np.int64)
    for number, question in questions.items():
        sizes[number] = len(question.options)
    beliefs = _beliefs(np.concatenate([np.zeros(0), *(part.probs for part in parts)]), source >= 0, sizes[criterion])
    kept = np.isin(criterion, [n for n, one in questions.items() if criteria is None or one.criterion in criteria])
    if texts is not None:
        said = [text for part in parts for text in part.texts]
        ours = (texts.get(names[number]) == text for number, text in zip(subject.tolist(), said, strict=True))
        kept &= np.fromiter(ours, dtype=bool, count=len(subject))
    numbers = np.unique(subject[kept])
    order = np.array(list(questions), dtype=np.int64)
    return Columns(
        judge=who[0],
        identity=who[1],
        subjects=tuple(names[number] for number in numbers.tolist()),
        questions=tuple(questions.values()),
        subject=np.searchsorted(numbers, subject[kept]),
        question=np.searchsorted(order, criterion[kept]),
        status=_STATUS[status[kept]],
        source=_SOURCE[source[kept]],
        verdict=verdict[kept],
        beliefs=beliefs[kept],
    )


def _beliefs(probs: NDArray[np.float64], held: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probabilities, shape (m, K): those of a row sum to 1, or are 0 where there is no belief."""
    beliefs = np.zeros((len(held), max(int(sizes.max(initial=2)), 2)))
    counts = sizes[held]
    if counts.sum() != len(probs):
        raise ValueError("its belief is not over the options of its criterion")
    rows = np.repeat(np.flatnonzero(held), counts)
    beliefs[rows, np.arange(len(probs)) - np.repeat(np.cumsum(counts) - counts, counts)] = probs
    if (np.abs(beliefs[held].sum(axis=1) - 1) > _TOLERANCE).any() or probs.min(initial=0.0) < -_TOLERANCE:
        raise ValueError("its probabilities do not sum to 1")
    return np.clip(beliefs, 0.0, 1.0)
