"""Which records belong together: one judge, one wording, one frame of items. Turns no word into a number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fiel.measures._arguments import check_kind
from fiel.measures._columns import Columns, other_wording
from fiel.measures._label_kinds import sorted_out
from fiel.measures._wording import check_meaning, wordings_of
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

_EVEN = 1.1  # weights within a tenth of each other: a proportional draw, rounded to whole items


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Checked records, by criterion, of the items in one frame.

    Args:
        judge, identity: the one that judged; None where nothing was judged.
        frame: ids of the items, sorted; place: the position of each; groups: the group of each, None for a lone item.
        clusters: shape (items,), the group of each as a number, a lone item by itself; None where all are alone.
        subjects: the items that were given, by id.
        judgements: by criterion and item, at most one each; empty where `columns` hold them.
        labels, adjudications: the same for people; labels that count alone.
        repeats: answers to hidden repeats; preferences: labels of another construct, which are never gold.
        set_aside: by criterion, how many labels do not count, by why.
        outside: by criterion, how many judgements and labels are of items outside the frame.
        columns: judgements that are no records; where: the place in the frame of each of their subjects, -1 outside it.
        design: how the labelled items were drawn; drawn: how many they are, None where nobody says.
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
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    repeats: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    preferences: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    set_aside: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    clusters: NDArray[np.int64] | None = None
    columns: Columns | None = None
    where: NDArray[np.int64] | None = None
    drawn: int | None = None

    @property
    def uneven(self) -> bool:
        """Whether the labelled items were drawn with unequal chances."""
        weights = self.design.weights.values()
        return bool(weights) and max(weights) > _EVEN * min(weights)

    def on(self, frame: Sequence[str]) -> Inputs:
        """The same records on a frame that holds this one, in the order given; what is added has no group."""
        known = dict(zip(self.frame, self.groups, strict=True))
        groups = tuple(known.get(subject) for subject in frame)
        place = {subject: i for i, subject in enumerate(frame)}
        return replace(
            self,
            frame=tuple(frame),
            place=place,
            groups=groups,
            clusters=_numbered(groups),
            where=None if self.columns is None else self.columns.places(place),
        )


def gather(
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet,
    *,
    criteria: Sequence[Criterion],
    items: Sequence[Subject],
    preferences: Collection[str] = (),
) -> Inputs:
    """The records of `criteria` on one frame.

    Records of other criteria are left out. The frame is `items`; without them, it is every subject that was judged,
    labelled or stands in the calibration set. Judgements and labels of subjects outside it are left out and counted.
    Hidden repeats of a question (`repeat` above 0), labels given with a judge's answer in reach (`blind` False) and
    preferences are no labels that count.

    Args:
        judgements: of one judge, as records or as columns.
        labels: of people, or a calibration set.
        criteria: which to look at.
        items: the frame.
        preferences: raters whose labels are preferences, beside those called "preference" or "preference:...".

    Raises:
        FielError: records of another kind, several judges, several identities of one, an answer to another wording,
            a set whose criterion has changed its meaning, several judgements or decisions for one cell, or two items
            with one id.
    """
    wanted = {criterion.id: criterion for criterion in criteria}
    frozen = labels if isinstance(labels, CalibrationSet) else None
    given = labels.labels if isinstance(labels, CalibrationSet) else _records("labels", labels, Label, "labels")
    people = [x for x in given if x.criterion in wanted]
    columns = judgements if isinstance(judgements, Columns) else None
    asked = (
        []
        if isinstance(judgements, Columns)
        else [x for x in _records("judgements", judgements, Judgement, "judgements") if x.criterion in wanted]
    )
    items = _records("items", items, (Item, Pair), "items")
    decisions = [x for x in frozen.adjudications if x.criterion in wanted] if frozen else []
    judge, identity = _one_judge(asked) if columns is None else (columns.judge, columns.identity)
    _check_wording(asked, wanted)
    if columns is not None:
        columns.check_wording(wanted)
    if frozen is not None:
        check_meaning(frozen, wanted)
    known: Sequence[Subject] = items or ((*frozen.items, *frozen.pairs) if frozen else ())
    subjects = {subject.id: subject for subject in known}
    if len(subjects) < len(known):
        _check_ids(known)
    met = set(subjects)
    if not items:
        met.update(x.subject for x in asked)
        met.update(x.subject for x in people)
        met.update(x.subject for x in decisions)
        met.update(() if columns is None else columns.met(tuple(wanted)))
    frame = tuple(sorted(met))
    place = {subject: i for i, subject in enumerate(frame)}
    groups = tuple(subjects[name].group if name in subjects else None for name in frame)
    sorted_labels = sorted_out(people, met, preferences)
    return Inputs(
        judge=judge,
        identity=identity,
        frame=frame,
        place=place,
        groups=groups,
        clusters=_numbered(groups),
        subjects=subjects,
        judgements=_cells([x for x in asked if x.subject in met]),
        labels=sorted_labels.counting,
        repeats=sorted_labels.repeats,
        preferences=sorted_labels.preferences,
        set_aside=sorted_labels.set_aside,
        adjudications=_decided([x for x in decisions if x.subject in met]),
        outside=_outside(wanted, met, asked, people, columns),
        design=frozen.design if frozen else Design(),
        wordings=wordings_of(frozen),
        columns=columns,
        where=None if columns is None else columns.places(place),
        drawn=len(frozen.items) + len(frozen.pairs) if frozen else None,
    )


def _outside(
    wanted: Collection[str],
    met: Collection[str],
    asked: Sequence[Judgement],
    people: Sequence[Label],
    columns: Columns | None,
) -> dict[str, tuple[int, int]]:
    """By criterion, how many judgements and how many labels are of subjects that are not in `met`."""
    away = [Counter(x.criterion for x in records if x.subject not in met) for records in (asked, people)]
    if columns is not None:
        away[0] = Counter(columns.outside(met))
    return {name: (away[0][name], away[1][name]) for name in wanted}


def _records(name: str, values: Iterable[T], kind: type | tuple[type, ...], words: str) -> list[T]:
    """All of `values`, each of one kind."""
    check_kind(name, values, Iterable, f"a sequence of {words}")
    found = list(values)
    if not all(isinstance(value, kind) for value in found):
        place = next(place for place, value in enumerate(found) if not isinstance(value, kind))
        check_kind(f"{name}[{place}]", found[place], kind, f"one of the {words}")
    return found


def _numbered(groups: Sequence[str | None]) -> NDArray[np.int64] | None:
    """Groups as numbers, a lone item in one of its own; None where all are alone."""
    if all(group is None for group in groups):
        return None
    seen: dict[str | int, int] = {}
    keys = (i if group is None else group for i, group in enumerate(groups))
    return np.fromiter((seen.setdefault(key, len(seen)) for key in keys), dtype=np.int64, count=len(groups))


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
        raise other_wording(judgements[0].judge, name, other[name])


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
