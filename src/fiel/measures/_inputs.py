"""Which records belong together: one judge, one wording, one frame of items. Turns no word into a number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypeVar

from fiel.records import (
    Adjudication,
    CalibrationSet,
    Criterion,
    Design,
    FielError,
    Item,
    Judgement,
    Label,
    Pair,
    Subject,
)

T = TypeVar("T")

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999999
_EVEN = 1.1  # weights within a tenth of each other: a proportional draw, rounded to whole items


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Checked records, by criterion, of the items in one frame.

    Args:
        judge, identity: the one that judged; None where nothing was judged.
        frame: ids of the items, sorted; place: the position of each; groups: the group of each, None for a lone item.
        judgements: by criterion and item, at most one each; labels, adjudications: the same for people.
        outside: by criterion, how many judgements and labels are of items outside the frame.
        design: how the labelled items were drawn.
        wordings: the digests of the wording that people answered, where labels alone do not say.
    """

    judge: str | None
    identity: str | None
    frame: tuple[str, ...]
    place: Mapping[str, int]
    groups: tuple[str | None, ...]
    judgements: Mapping[str, Mapping[str, Judgement]]
    labels: Mapping[str, Sequence[Label]]
    adjudications: Mapping[str, Mapping[str, Adjudication]]
    outside: Mapping[str, tuple[int, int]]
    design: Design
    wordings: Mapping[str, str]

    @property
    def uneven(self) -> bool:
        """Whether the labelled items were drawn with unequal chances."""
        weights = self.design.weights.values()
        return bool(weights) and max(weights) > _EVEN * min(weights)


def gather(
    judgements: Iterable[Judgement],
    labels: Iterable[Label] | CalibrationSet,
    *,
    criteria: Sequence[Criterion],
    items: Sequence[Subject],
) -> Inputs:
    """The records of `criteria` on one frame.

    Records of other criteria are left out. The frame is `items`; without them, it is every subject that was judged,
    labelled or stands in the calibration set. Judgements and labels of subjects outside it are left out and counted.
    Hidden repeats of a question (`repeat` above 0) are no labels of their own.

    Raises:
        FielError: records of another kind, several judges, several identities of one, an answer to another wording,
            several judgements or decisions for one cell, or two items with one id.
    """
    wanted = {criterion.id: criterion for criterion in criteria}
    frozen = labels if isinstance(labels, CalibrationSet) else None
    given = labels.labels if isinstance(labels, CalibrationSet) else _records("labels", labels, Label, "labels")
    people = [x for x in given if x.criterion in wanted]
    asked = [x for x in _records("judgements", judgements, Judgement, "judgements") if x.criterion in wanted]
    items = _records("items", items, (Item, Pair), "items")
    decisions = [x for x in frozen.adjudications if x.criterion in wanted] if frozen else []
    judge, identity = _one_judge(asked)
    _check_wording(asked, wanted)
    known: Sequence[Subject] = items or ((*frozen.items, *frozen.pairs) if frozen else ())
    group = {subject.id: subject.group for subject in known}
    _check_ids(known)
    met = set(group)
    if not items:
        met.update(x.subject for x in asked)
        met.update(x.subject for x in people)
        met.update(x.subject for x in decisions)
    frame = tuple(sorted(met))
    answered: defaultdict[str, list[Label]] = defaultdict(list)
    for label in people:
        if label.subject in met and label.repeat == 0:
            answered[label.criterion].append(label)
    away = [Counter(x.criterion for x in records if x.subject not in met) for records in (asked, people)]
    return Inputs(
        judge=judge,
        identity=identity,
        frame=frame,
        place={subject: i for i, subject in enumerate(frame)},
        groups=tuple(group.get(subject) for subject in frame),
        judgements=_cells([x for x in asked if x.subject in met]),
        labels=answered,
        adjudications=_decided([x for x in decisions if x.subject in met]),
        outside={name: (away[0][name], away[1][name]) for name in wanted},
        design=frozen.design if frozen else Design(),
        wordings={criterion.id: criterion.digest for criterion in frozen.rubric.criteria} if frozen else {},
    )


def check_share(name: str, value: float, *, ends: bool = False) -> None:
    """Raise unless `value` lies between 0 and 1; `ends` says whether 0 and 1 themselves will do.

    Raises:
        FielError: it does not, or is no number.
    """
    check_kind(name, value, Real, "a number")
    if not (0 < value < 1 or (ends and value in (0, 1))):
        raise FielError(f"{name} must lie between 0 and 1; it is {value}.", fix="Write 85 % as 0.85.")


def check_confidence(value: float) -> None:
    """Raise unless a confidence lies from 0.5 to 0.999999: below, an interval says nothing; above, no data can bear it.

    Raises:
        FielError: it does not, or is no number.
    """
    check_kind("confidence", value, Real, "a number")
    if not LEAST_CONFIDENCE <= value <= MOST_CONFIDENCE:
        raise FielError(
            f"confidence must lie between {LEAST_CONFIDENCE} and {MOST_CONFIDENCE}; it is {value}.",
            fix="Write 95 % as 0.95.",
        )


def check_kind(name: str, value: object, kind: type | tuple[type, ...], words: str) -> None:
    """Raise unless the argument called `name` is of a kind, which `words` name.

    Raises:
        FielError: it is not.
    """
    if not isinstance(value, kind):
        raise FielError(f"{name} must be {words}; it is of type {type(value).__name__}.")


def _records(name: str, values: Iterable[T], kind: type | tuple[type, ...], words: str) -> list[T]:
    """All of `values`, each of one kind."""
    check_kind(name, values, Iterable, f"a sequence of {words}")
    found = list(values)
    for place, value in enumerate(found):
        check_kind(f"{name}[{place}]", value, kind, f"one of the {words}")
    return found


def _one_judge(judgements: Sequence[Judgement]) -> tuple[str | None, str | None]:
    judges = sorted({x.judge for x in judgements})
    if len(judges) > 1:
        raise FielError(f"Judgements of {len(judges)} judges are mixed: {', '.join(judges)}.", fix="Select one judge.")
    identities = sorted({x.identity for x in judgements})
    if len(identities) > 1:
        shown = ", ".join(_short(x, identities) for x in identities)
        raise FielError(
            f"Judge {judges[0]!r} has {len(identities)} identities ({shown}): its model, parameters, rubric or prompt "
            "changed in between.",
            fix="Select the judgements of one identity, or judge again.",
        )
    return (judges[0], identities[0]) if judges else (None, None)


def _check_wording(judgements: Sequence[Judgement], wanted: Mapping[str, Criterion]) -> None:
    other = Counter(x.criterion for x in judgements if x.criterion_digest != wanted[x.criterion].digest)
    if other:
        name = min(other)
        raise FielError(
            f"Judge {judgements[0].judge!r} answered another wording of {name!r} in {other[name]} judgements.",
            where=f"criterion {name!r}",
            fix="Judge again with the present rubric, or give the rubric that was judged.",
        )


def _check_ids(subjects: Sequence[Subject]) -> None:
    twice = sorted(name for name, count in Counter(x.id for x in subjects).items() if count > 1)
    if twice:
        raise FielError(f"Two items have the id {twice[0]!r}.", fix="Give every item an id of its own.")


def _cells(judgements: Sequence[Judgement]) -> dict[str, dict[str, Judgement]]:
    cells: defaultdict[str, dict[str, Judgement]] = defaultdict(dict)
    for judgement in judgements:
        cells[judgement.criterion][judgement.subject] = judgement
    if sum(map(len, cells.values())) < len(judgements):
        counts = Counter((x.subject, x.criterion) for x in judgements)
        subject, criterion = min(cell for cell, count in counts.items() if count > 1)
        raise _several([x for x in judgements if (x.subject, x.criterion) == (subject, criterion)])
    return cells


def _several(cell: Sequence[Judgement]) -> FielError:
    first = cell[0]
    texts = len({x.subject_digest for x in cell})
    what = f"Item {first.subject!r} has {len(cell)} judgements of {first.judge!r} on {first.criterion!r}"
    if texts > 1:
        return FielError(f"{what}, of {texts} versions of its text.", fix="Select those of the present text.")
    differ = [
        f"{name} {', '.join(sorted({str(getattr(x, name)) for x in cell}))}"
        for name in ("replicate", "order", "variant")
        if len({getattr(x, name) for x in cell}) > 1
    ]
    return FielError(
        f"{what} ({'; '.join(differ) or 'alike in replicate, order and variant'}).",
        fix="Select one judgement for each item and criterion, such as replicate 0.",
    )


def _decided(decisions: Sequence[Adjudication]) -> dict[str, dict[str, Adjudication]]:
    cells: defaultdict[str, dict[str, Adjudication]] = defaultdict(dict)
    for decision in decisions:
        before = cells[decision.criterion].setdefault(decision.subject, decision)
        if before.answer != decision.answer:
            both = " and ".join(sorted((str(before.answer), str(decision.answer))))
            raise FielError(
                f"Item {decision.subject!r} has two decisions on {decision.criterion!r}: {both}.",
                where="adjudications",
                fix="Keep the one that stands, in a new version of the set.",
            )
    return cells


def _short(digest: str, among: Sequence[str]) -> str:
    """The first characters of a digest, as many as tell it from the others."""
    size = next((n for n in (8, 16, 32) if len({x[:n] for x in among}) == len(among)), len(digest))
    return digest[:size]
