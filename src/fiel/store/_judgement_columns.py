"""Judgements as plain arrays, straight from the numbers in their table: no record is made. Knows no label.

The database packs the numbers of a row into one and joins those of many rows to one text, which is read in one go: to
fetch a million rows one at a time takes longer than to count them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, String, and_, case, cast, func, not_, or_, select

from fiel.measures import ORDERS, SOURCES, STATUSES, Columns, Question
from fiel.records import FielError
from fiel.store import _judgement_tables as tables
from fiel.store._databases import parts as split

_ROW = tables.judgements.c
_TOLERANCE = 1e-6
_TIE = 1e-9  # as records have it
_CHUNK = 250_000  # rows joined to one text
_BITS = 63  # of a number that the database and numpy both hold
_DIGEST = 64  # characters of a digest of ours; the oldest rows have none, and another program may write other ones

_read_numbers = msgspec.json.Decoder(list[float]).decode
_read_names = msgspec.json.Decoder(list[str]).decode


def _places(words: Sequence[Any], numbers: Mapping[Any, int]) -> NDArray[np.int64]:
    """By the number that stands in the table, the place among the words of the measures."""
    return np.array([words.index(word) for word in sorted(numbers, key=lambda word: numbers[word])])


_STATUS = _places(STATUSES, tables.STATUSES)
_ORDER = _places(ORDERS, tables.ORDERS)
_SOURCE = np.append(_places(SOURCES, tables.SOURCES), -1)  # -1 finds the last one: none


class _Field(NamedTuple):
    """A whole number of each row, from `least` to `most`."""

    name: str
    value: ColumnElement[int]
    least: int
    most: int

    @property
    def width(self) -> int:
        """How many bits hold it, counted from `least`."""
        return max(self.most - self.least, 0).bit_length()


class _Subjects(NamedTuple):
    """All subjects, by their numbers: shape (n,), ascending."""

    numbers: NDArray[np.int64]
    names: list[str]


class _Texts(NamedTuple):
    """By the place of each subject: whether a text of it counts, and that text's digest as bytes. Shape (n,)."""

    known: NDArray[np.bool_]
    digests: NDArray[np.bytes_]


class _Words(NamedTuple):
    """What the numbers of a row stand for."""

    subjects: _Subjects
    questions: Mapping[int, Question]
    models: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of the table as arrays, each of shape (rows,).

    Args:
        number: of each row; fields: by name, the subject as its place.
        probs: flat, option after option of those rows that have a belief.
        current: which are of the text that counts.
    """

    number: NDArray[np.int64]
    fields: Mapping[str, NDArray[np.int64]]
    probs: NDArray[np.float64]
    current: NDArray[np.bool_]


def columns_of_judge(
    connection: Connection,
    *,
    judge: str,
    identity: str,
    criteria: Collection[str] | None,
    texts: Mapping[str, str] | None,
    replicate: int | None,
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
        replicate: only of this number; None for all.
        where: the database, for errors.

    Raises:
        FielError: a row is damaged.
    """
    columns = tables.criteria.c
    asked = connection.execute(select(columns.id, columns.name, columns.digest, columns.options).order_by(columns.id))
    mine = [_ROW.judge + 0 == _number_of(connection, judge, identity)]  # a sum: no index leads away from their order
    mine += [] if replicate is None else [_ROW.replicate == replicate]
    try:
        questions = {key: Question(name, digest, tables.to_options(options)) for key, name, digest, options in asked}
        subjects = _subjects(connection)
        fields = _fields(connection, subjects, questions)
        strange = [_misfits(fields), _without_belief(questions)]
        known = None if texts is None else _texts(subjects, texts)
        parts = list(_read(connection, fields, mine, strange, subjects, known))
        words = _Words(subjects, questions, _models(connection, parts))
        return _columns((judge, identity), words, parts, criteria=criteria)
    except (TypeError, ValueError, LookupError, msgspec.DecodeError, FielError) as error:
        why = error.what.rstrip(".") if isinstance(error, FielError) else error
        raise FielError(
            f"A judgement of {judge!r} is damaged: {why}.", where=where, fix="Judge again, into a new file."
        ) from error


def _number_of(connection: Connection, judge: str, identity: str) -> int | None:
    known = tables.judges.c
    return connection.execute(select(known.id).where(known.name == judge, known.identity == identity)).scalar()


def _subjects(connection: Connection) -> _Subjects:
    columns = tables.subjects.c
    joined = func.aggregate_strings(cast(columns.id, String), ","), func.json_group_array(columns.name)
    numbers, names = connection.execute(select(*joined)).one()
    found, said = np.fromstring(numbers or "", dtype=np.int64, sep=","), _read_names(names)
    order = np.argsort(found, kind="stable")  # the database may go by the index of the names
    return _Subjects(found[order], [said[place] for place in order.tolist()])


def _texts(subjects: _Subjects, texts: Mapping[str, str]) -> _Texts:
    known = np.fromiter((name in texts for name in subjects.names), dtype=bool, count=len(subjects.names))
    return _Texts(known, np.array([texts.get(name, "").encode() for name in subjects.names], dtype=np.bytes_))


def _fields(connection: Connection, subjects: _Subjects, questions: Mapping[int, Question]) -> list[_Field]:
    """What is read of each row, in the order in which it is packed."""
    words = connection.execute(select(func.max(tables.words.c.id))).scalar() or 0
    widest = max((len(question.options) for question in questions.values()), default=0)
    found = [
        _Field("subject", _ROW.subject, 1, int(subjects.numbers.max(initial=1))),
        _Field("criterion", _ROW.criterion, 1, max(questions, default=1)),
        _Field("status", _ROW.status, 0, len(_STATUS) - 1),
        _Field("source", func.coalesce(_ROW.source, -1), -1, len(_SOURCE) - 2),
        _Field("verdict", func.coalesce(_ROW.verdict, -1), -1, widest - 1),
        _Field("order", _ROW.shown_order, 0, len(_ORDER) - 1),
        _Field("served", _ROW.served, 0, words),
    ]
    if sum(field.width for field in found) > _BITS:
        raise ValueError("its numbers are too large")
    return found


def _read(
    connection: Connection,
    fields: Sequence[_Field],
    mine: Sequence[ColumnElement[bool]],
    strange: Sequence[ColumnElement[bool]],
    subjects: _Subjects,
    texts: _Texts | None,
) -> Iterator[_Rows]:
    """The rows, chunk by chunk."""
    packed: ColumnElement[int] = fields[0].value - fields[0].least
    for field in fields[1:]:
        packed = packed * (1 << field.width) + (field.value - field.least)
    wanted: list[Any] = [
        *(func.max(case((kind, _ROW.id))) for kind in strange),
        func.aggregate_strings(cast(packed, String), ","),
        func.aggregate_strings(_ROW.probs, ","),
    ]
    wanted += [] if texts is None else [func.aggregate_strings(_ROW.subject_digest, ",")]
    for start in _starts(connection):
        here = (_ROW.id >= start, _ROW.id < start + _CHUNK, *mine)
        misfit, unbelieved, numbers, probs, *digests = connection.execute(select(*wanted).where(*here)).one()
        if misfit is not None:
            raise ValueError(f"a number of row {misfit} is out of its range")
        if unbelieved is not None:
            raise ValueError(f"the belief of row {unbelieved} does not fit its status, its source or its options")
        if numbers is None:
            continue
        if "." in numbers:
            raise ValueError("a number is not whole")
        unpacked = _unpacked(numbers, fields)
        place = unpacked["subject"] = _placed(unpacked["subject"], subjects)
        size = len(place)
        number = np.arange(start, start + size)
        if size < _CHUNK:  # the last ones, or rows of others stand between
            ids = connection.execute(select(func.aggregate_strings(cast(_ROW.id, String), ",")).where(*here)).scalar()
            number = np.fromstring(ids or "", dtype=np.int64, sep=",")
        flat = np.array(_read_numbers("[" + (probs or "").replace("[", "").replace("]", "") + "]"))
        current = np.ones(size, dtype=bool)
        if texts is not None:
            current = texts.known[place] & (texts.digests[place] == _as_bytes(digests[0], size))
        yield _Rows(number, unpacked, flat, current)


def _starts(connection: Connection) -> Iterator[int]:
    """The number of the first row of each chunk; numbers may be far apart."""
    start = connection.execute(select(func.min(_ROW.id))).scalar()
    while start is not None:
        yield start
        start = connection.execute(select(func.min(_ROW.id)).where(_ROW.id >= start + _CHUNK)).scalar()


def _misfits(fields: Sequence[_Field]) -> ColumnElement[bool]:
    """Whether a number of a row is out of its range; its own number and that of a rerun too."""
    ranges = (not_(field.value.between(field.least, field.most)) for field in fields)
    return or_(*ranges, func.typeof(_ROW.replicate) != "integer", _ROW.replicate < 0, _ROW.id < 1)


def _without_belief(questions: Mapping[int, Question]) -> ColumnElement[bool]:
    """Whether a row has probabilities without a source, or the reverse; none though it was answered; or too many."""
    options = case({number: len(one.options) for number, one in questions.items()}, value=_ROW.criterion, else_=0)
    commas = func.length(_ROW.probs) - func.length(func.replace(_ROW.probs, ",", ""))
    return or_(
        _ROW.probs.is_(None) != _ROW.source.is_(None),
        and_(_ROW.status == tables.STATUSES["ok"], _ROW.probs.is_(None)),
        and_(_ROW.probs.is_not(None), commas + 1 != options),
    )


def _unpacked(numbers: str, fields: Sequence[_Field]) -> dict[str, NDArray[np.int64]]:
    rest = np.fromstring(numbers, dtype=np.int64, sep=",")
    found = {}
    for field in reversed(fields):
        found[field.name] = (rest & ((1 << field.width) - 1)) + field.least
        rest = rest >> field.width
    return found


def _placed(numbers: NDArray[np.int64], subjects: _Subjects) -> NDArray[np.int64]:
    """The place of each subject."""
    place = np.searchsorted(subjects.numbers, numbers)
    if (subjects.numbers[place] != numbers).any():
        raise LookupError("its subject is not there")
    return place


def _as_bytes(joined: str, size: int) -> NDArray[np.bytes_]:
    """Digests that were joined by commas; where all are as long as ours, without making a text of each."""
    data = joined.encode()
    step = _DIGEST + 1
    if len(data) == size * step - 1 and data[_DIGEST::step] == b"," * (size - 1):
        cells = np.frombuffer(data + b",", dtype=np.uint8).reshape(size, step)[:, :_DIGEST]
        return np.ascontiguousarray(cells).view(f"S{_DIGEST}").reshape(size)
    found = np.array(data.split(b","))
    if len(found) != size:
        raise ValueError("the digest of its text holds a comma")
    return found


def _columns(
    who: tuple[str, str],
    words: _Words,
    parts: Sequence[_Rows],
    *,
    criteria: Collection[str] | None,
) -> Columns:
    subjects, questions = words.subjects, words.questions
    fields = {
        name: np.concatenate([np.zeros(0, dtype=np.int64), *(part.fields[name] for part in parts)])
        for name in ("subject", "criterion", "status", "source", "verdict", "order", "served")
    }
    place = fields["subject"]
    sizes = np.zeros(max(questions, default=0) + 1, dtype=np.int64)
    for number, question in questions.items():
        sizes[number] = len(question.options)
    probs = np.concatenate([np.zeros(0), *(part.probs for part in parts)])
    held = fields["source"] >= 0
    beliefs = _beliefs(probs, held, sizes[fields["criterion"]])
    _check_verdicts(fields["verdict"], beliefs, held)
    kept = np.isin(
        fields["criterion"], [n for n, one in questions.items() if criteria is None or one.criterion in criteria]
    )
    kept &= np.concatenate([np.zeros(0, dtype=bool), *(part.current for part in parts)])
    used = np.zeros(len(subjects.names), dtype=bool)
    used[place[kept]] = True
    served = np.full(max(words.models, default=0) + 1, -1, dtype=np.int64)
    served[list(words.models)] = np.arange(len(words.models))
    return Columns(
        judge=who[0],
        identity=who[1],
        subjects=tuple(subjects.names[i] for i in np.flatnonzero(used).tolist()),
        questions=tuple(questions.values()),
        subject=(np.cumsum(used) - 1)[place[kept]],
        question=np.searchsorted(np.array(list(questions), dtype=np.int64), fields["criterion"][kept]),
        status=_STATUS[fields["status"][kept]],
        source=_SOURCE[fields["source"][kept]],
        verdict=fields["verdict"][kept],
        beliefs=beliefs[kept],
        order=_ORDER[fields["order"][kept]],
        models=tuple(words.models.values()),
        served=served[fields["served"][kept]],
        number=np.concatenate([np.zeros(0, dtype=np.int64), *(part.number for part in parts)])[kept],
    )


def _check_verdicts(verdict: NDArray[np.int64], beliefs: NDArray[np.float64], held: NDArray[np.bool_]) -> None:
    """Raise where a verdict is not the one most probable option of its belief."""
    first = beliefs.max(axis=1, keepdims=True) - beliefs <= _TIE
    expected = np.where(held & (first.sum(axis=1) == 1), first.argmax(axis=1), -1)
    if (expected != verdict).any():
        raise ValueError("a verdict is not the most probable option of its belief")


def _models(connection: Connection, parts: Sequence[_Rows]) -> dict[int, str]:
    """What was served, by number, in the order of the names."""
    met = {n for part in parts for n in np.flatnonzero(np.bincount(part.fields["served"])).tolist()} - {tables.NOT_SAID}
    columns = tables.words.c
    found = {
        number: word
        for some in split(sorted(met))
        for number, word in connection.execute(select(columns.id, columns.word).where(columns.id.in_(some)))
    }
    if len(found) < len(met):
        raise LookupError(f"no word has the number {min(met - set(found))}")
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


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
