"""From a study to a calibration set: the last version of each answer and decision, in a fixed order. Knows no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from fiel.labelling._parts import PARTS, only_shown
from fiel.records import (
    Adjudication,
    CalibrationSet,
    Design,
    FielError,
    Given,
    Item,
    Label,
    Pair,
    Study,
    Subject,
    decode,
    encode,
)

S = TypeVar("S", Item, Pair)


def freeze(
    study: Study,
    givens: Iterable[Given],
    decisions: Iterable[Adjudication] = (),
    design: Design | None = None,
    *,
    name: str | None = None,
    subjects: Sequence[Subject] | None = None,
    pseudonyms: Mapping[str, str] | None = None,
    parent: str | None = None,
) -> CalibrationSet:
    """The calibration set of a study.

    Its labels are the answers and skips that stand, of each rater and each showing; a cleared cell leaves none. Labels
    that were given with a judge's answer in reach stay in it with `blind=False`: `CalibrationSet.counting` leaves them
    out. Decisions that stand are in it beside the labels and change none.

    Args:
        study: what was asked and shown.
        givens: what stands, or all versions: the last of each cell counts.
        decisions: those that stand; one without a reason was taken back.
        design: how the sample was drawn; unknown where it is None.
        name: of the set; that of the study where it is None.
        subjects: the whole items, with what raters did not see (groups, references, fields); as shown where it is None.
        pseudonyms: rater to the name in the set; a name that is not there stays.
        parent: the digest of the set that this one corrects.

    Raises:
        FielError: nobody has answered, a whole item is missing or is no longer what raters saw, or two raters get one
            pseudonym.
    """
    names = _names(study, pseudonyms or {})
    last: dict[tuple[str, str, str, int], Given] = {}
    for given in givens:
        label = given.label
        cell = (label.rater, label.subject, label.criterion, label.repeat)
        if cell not in last or last[cell].version < given.version:
            last[cell] = given
    labels = [given.label for given in last.values()]
    said = [label for label in labels if label.answer is not None or label.skipped is not None]
    if not said:
        raise FielError("Nobody has answered anything.", where=f"study {study.name!r}", fix="Label first: fiel label.")
    whole = study.subjects if subjects is None else _whole(study, subjects)
    made = CalibrationSet(
        name=study.name if name is None else name,
        rubric=study.rubric,
        design=design if design is not None else Design(),
        items=tuple(subject for subject in whole if isinstance(subject, Item)),
        pairs=tuple(subject for subject in whole if isinstance(subject, Pair)),
        labels=tuple(msgspec.structs.replace(label, rater=names.get(label.rater, label.rater)) for label in said),
        adjudications=tuple(
            msgspec.structs.replace(decision, by=names.get(decision.by, decision.by))
            for decision in decisions
            if decision.reason is not None
        ),
        parent=parent,
    )
    return in_order(made)


def in_order(calibration_set: CalibrationSet) -> CalibrationSet:
    """The same set with everything sorted by identity, as its files have it; its digest is that of the files."""
    design = msgspec.structs.replace(
        calibration_set.design, weights=dict(sorted(calibration_set.design.weights.items()))
    )
    made = msgspec.structs.replace(
        calibration_set,
        design=design,
        items=tuple(sorted(map(_with_sorted_fields, calibration_set.items), key=lambda item: item.id)),
        pairs=tuple(sorted(map(_with_sorted_fields, calibration_set.pairs), key=lambda pair: pair.id)),
        labels=tuple(sorted(calibration_set.labels, key=_identity)),
        adjudications=tuple(
            sorted(calibration_set.adjudications, key=lambda one: (one.subject, one.criterion, one.at))
        ),
    )
    return decode(encode(made), CalibrationSet)  # 3 and 3.0 are one number and two texts


def _identity(label: Label) -> tuple[str, str, str, int]:
    return label.rater, label.subject, label.criterion, label.repeat


def _cell(decision: Adjudication) -> tuple[str, str, str]:
    return decision.subject, decision.criterion, decision.at


def _with_sorted_fields(subject: S) -> S:
    return msgspec.structs.replace(subject, fields=dict(sorted(subject.fields.items())))


def _names(study: Study, pseudonyms: Mapping[str, str]) -> dict[str, str]:
    people = [*study.raters, *([study.adjudicator] if study.adjudicator not in {None, *study.raters} else [])]
    names = {person: pseudonyms.get(person, person) for person in people if person is not None}
    taken: dict[str, str] = {}
    for person, name in names.items():
        other = taken.setdefault(name, person)
        if other != person:
            raise FielError(
                f"{other!r} and {person!r} would both be {name!r} in the set.",
                where="pseudonyms",
                fix="Give each a name of its own.",
            )
    return names


def _whole(study: Study, subjects: Sequence[Subject]) -> list[Subject]:
    """The whole items, if what was shown of them is still what they are."""
    known = {subject.id: subject for subject in subjects}
    missing = next((shown.id for shown in study.subjects if shown.id not in known), None)
    if missing is not None:
        raise FielError(
            f"Item {missing!r} was labelled and is no longer there.",
            where=f"study {study.name!r}",
            fix="Bring the item back, or freeze with the items as they were shown.",
        )
    found = [known[shown.id] for shown in study.subjects]
    show = [name for name in study.show if name in PARTS or any(name in subject.fields for subject in found)]
    for shown, now in zip(study.subjects, only_shown(found, show), strict=True):
        if shown != now:
            raise FielError(
                f"Item {shown.id!r} has changed since it was shown to the raters.",
                where=f"study {study.name!r}",
                fix="Bring the item back as it was, or freeze with the items as they were shown.",
            )
    return found
