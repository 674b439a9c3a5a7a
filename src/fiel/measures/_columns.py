"""What one judge said as plain arrays, so that of a million judgements no record has to be made. Knows no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fiel.records import Criterion, FielError, Judgement, Source, Status

STATUSES: tuple[Status, ...] = get_args(Status)
SOURCES: tuple[Source, ...] = get_args(Source)
ORDERS: tuple[Literal["ab", "ba"] | None, ...] = (None, "ab", "ba")
Codes = NDArray[np.int64]


class Question(NamedTuple):
    """A criterion as it was asked: its id, the digest of its wording, and its options."""

    criterion: str
    digest: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Judgements of one judge under one identity: m of them, each at one place in every array.

    Args:
        judge, identity: who judged.
        subjects: the ids that `subject` counts through; questions: the criteria that `question` counts through.
        subject: shape (m,), the place of each judgement's subject in `subjects`.
        question: shape (m,), the same for `questions`.
        status: shape (m,), a place in `STATUSES` ("ok" is 0).
        source: shape (m,), a place in `SOURCES`; -1 without a belief.
        verdict: shape (m,), the place of the verdict in the question's options; -1 without one, or in a tie.
        beliefs: shape (m, K), K the most options of any question: the probability of each option, 0 beyond them and
            without a belief.
        order: shape (m,), a place in `ORDERS`; None where nobody says.
        served: shape (m,), a place in `models`, which names what servers said that they served; -1 where none did. None
            where nobody says.
        number: shape (m,), by which whoever keeps the judgements knows each; None where nobody does.

    Raises:
        FielError: arrays of different lengths, or places out of range.
    """

    judge: str
    identity: str
    subjects: Sequence[str]
    questions: tuple[Question, ...]
    subject: NDArray[Any]
    question: NDArray[Any]
    status: NDArray[Any]
    source: NDArray[Any]
    verdict: NDArray[Any]
    beliefs: NDArray[np.float64]
    order: NDArray[Any] | None = None
    served: NDArray[Any] | None = None
    models: tuple[str, ...] = ()
    number: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        size = len(self.subject)
        for name, least, most in (
            ("subject", 0, len(self.subjects)),
            ("question", 0, len(self.questions)),
            ("status", 0, len(STATUSES)),
            ("source", -1, len(SOURCES)),
            ("verdict", -1, self.beliefs.shape[1] if self.beliefs.ndim == 2 else 0),
            ("order", 0, len(ORDERS)),
            ("served", -1, len(self.models)),
            ("number", 0, np.inf),
        ):
            values = getattr(self, name)
            if values is None:
                continue
            if values.shape != (size,) or (size and not (least <= values.min() and values.max() < most)):
                raise FielError(f"Column {name!r} does not fit the others, or names a place that is not there.")
        if self.beliefs.shape[0] != size:
            raise FielError("Column 'beliefs' does not fit the others.")

    def __len__(self) -> int:
        return len(self.subject)

    def at(self, rows: NDArray[Any]) -> Columns:
        """The judgements at these places, or where a mask is true; the subjects stay as they are."""
        names = ("subject", "question", "status", "source", "verdict", "beliefs", "order", "served", "number")
        held = {name: values for name in names if (values := getattr(self, name)) is not None}
        return replace(self, **{name: values[rows] for name, values in held.items()})

    def one_order(self) -> Columns:
        """Of pairs that were judged in both orders, the judgement in the order ab."""
        if self.order is None:
            return self
        ab, ba = (self.order == ORDERS.index(word) for word in ("ab", "ba"))
        if not (ab.any() and ba.any()):
            return self
        names = [question.criterion for question in self.questions]
        cell = self.subject * len(names) + np.array([names.index(name) for name in names])[self.question]
        return self.at(~(ba & np.isin(cell, cell[ab])))

    def by_model(self) -> Counter[str]:
        """How many judgements each served model made, in the order in which they came first."""
        if self.served is None:
            return Counter()
        named = self.served[self.served >= 0]
        first = np.full(len(self.models), len(named))
        np.minimum.at(first, named, np.arange(len(named)))
        counts = np.bincount(named, minlength=len(self.models))
        met = sorted(np.flatnonzero(counts).tolist(), key=lambda place: int(first[place]))
        return Counter({self.models[place]: int(counts[place]) for place in met})

    def of_model(self, name: str) -> Columns:
        """The judgements of one served model, with those of which nobody said who served them."""
        return self if self.served is None else self.at((self.served < 0) | (self.served == self.models.index(name)))

    def places(self, place: Mapping[str, int]) -> Codes:
        """Where each of `subjects` stands by `place`, -1 outside it."""
        found = (place.get(name, -1) for name in self.subjects)
        return np.fromiter(found, dtype=np.int64, count=len(self.subjects))

    def of(self, criterion: Criterion) -> Codes:
        """The judgements on a criterion: their places here."""
        numbers = [i for i, question in enumerate(self.questions) if question.criterion == criterion.id]
        return np.flatnonzero(np.isin(self.question, numbers))

    def met(self, criteria: Sequence[str]) -> set[str]:
        """The subjects that were judged on any of these criteria."""
        numbers = [i for i, question in enumerate(self.questions) if question.criterion in criteria]
        used = np.zeros(len(self.subjects), dtype=bool)
        used[self.subject[np.isin(self.question, numbers)]] = True
        return {self.subjects[i] for i in np.flatnonzero(used).tolist()}

    def outside(self, met: Collection[str]) -> dict[str, int]:
        """By criterion, how many judgements are of subjects that are not in `met`."""
        known = np.fromiter((name in met for name in self.subjects), dtype=bool, count=len(self.subjects))
        away = self.question[~known[self.subject]]
        counts: Counter[str] = Counter()
        for number, count in enumerate(np.bincount(away, minlength=len(self.questions)).tolist()):
            counts[self.questions[number].criterion] += count
        return {name: count for name, count in counts.items() if count}

    def check_wording(self, wanted: Mapping[str, Criterion]) -> None:
        """Raise where the judge answered another wording than that of `wanted`.

        Raises:
            FielError: it did.
        """
        counts = Counter(dict(enumerate(np.bincount(self.question, minlength=len(self.questions)).tolist())))
        for number, question in enumerate(self.questions):
            criterion = wanted.get(question.criterion)
            if criterion is None or not counts[number]:
                continue
            if question.digest != criterion.digest:
                raise other_wording(self.judge, question.criterion, counts[number])
            if question.options and question.options != criterion.options:
                raise other_options(self.judge, self.subjects[0], question.options, criterion)


def columns_of(judgements: Sequence[Judgement]) -> Columns:
    """The same judgements as arrays: for judgements of one judge and identity that are there as records already.

    Raises:
        FielError: there are none, or of several judges or identities.
    """
    if len({(x.judge, x.identity) for x in judgements}) != 1:
        raise FielError("Columns hold judgements of one judge under one identity.", fix="Select one judge.")
    subjects = {name: i for i, name in enumerate(dict.fromkeys(x.subject for x in judgements))}
    asked = dict.fromkeys((x.criterion, x.criterion_digest) for x in judgements)
    options = {(x.criterion, x.criterion_digest): x.belief.options for x in judgements if x.belief is not None}
    questions = tuple(Question(*key, options.get(key, ())) for key in asked)
    number = {key: i for i, key in enumerate(asked)}
    models = tuple(sorted({x.served for x in judgements if x.served is not None}))
    wide = max((len(x) for x in options.values()), default=2)
    beliefs = np.zeros((len(judgements), wide))
    verdict, source = (np.full(len(judgements), -1, dtype=np.int64) for _ in range(2))
    for row, x in enumerate(judgements):
        if x.belief is not None:
            beliefs[row, : len(x.belief.probs)] = x.belief.probs
            source[row] = SOURCES.index(x.belief.source)
            verdict[row] = -1 if x.verdict is None else x.belief.options.index(x.verdict)
    return Columns(
        judge=judgements[0].judge,
        identity=judgements[0].identity,
        subjects=tuple(subjects),
        questions=questions,
        subject=np.array([subjects[x.subject] for x in judgements], dtype=np.int64),
        question=np.array([number[x.criterion, x.criterion_digest] for x in judgements], dtype=np.int64),
        status=np.array([STATUSES.index(x.status) for x in judgements], dtype=np.int64),
        source=source,
        verdict=verdict,
        beliefs=beliefs,
        order=np.array([ORDERS.index(x.order) for x in judgements], dtype=np.int64),
        served=np.array([-1 if x.served is None else models.index(x.served) for x in judgements], dtype=np.int64),
        models=models,
    )


def other_wording(judge: str, criterion: str, count: int) -> FielError:
    """That a judge answered another wording than the one that is asked about."""
    return FielError(
        f"Judge {judge!r} answered another wording of {criterion!r} in {count} judgements.",
        where=f"criterion {criterion!r}",
        fix="Judge again with the present rubric, or give the rubric that was judged.",
    )


def other_options(judge: str, subject: str, options: Sequence[str], criterion: Criterion) -> FielError:
    """That a belief is over other options than the criterion has."""
    return FielError(
        f"The belief of {judge!r} on {subject!r} is over {list(options)}.",
        where=f"criterion {criterion.id!r}",
        fix=f"The options are {list(criterion.options)}: judge again.",
    )
