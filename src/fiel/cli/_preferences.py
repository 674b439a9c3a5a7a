"""Raters whose labels are user preferences: another construct, set beside the judge and never gold."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from fiel.cli._studies import Study
from fiel.records import FielError, nearest


def check_raters(found: Sequence[Study], preferences: Collection[str]) -> None:
    """Whether there are such raters.

    Raises:
        FielError: there is no label of one.
    """
    known = sorted({label.rater for study in found for label in study.labels})
    for name in preferences:
        if name not in known:
            near = nearest(name, known)
            raise FielError(
                f"There is no label of a rater {name!r}" + (f"; did you mean {near!r}?" if near else "."),
                where="--preference",
                fix=f"The raters are: {', '.join(known) or 'none'}.",
            )


def without(study: Study, preferences: Collection[str]) -> Study:
    """The study without the labels that are preferences: what rates, people and work lists rest on."""
    if not preferences:
        return study
    labels = [label for label in study.labels if label.rater not in preferences]
    frozen = study.frozen
    if frozen is not None:
        kept = tuple(label for label in frozen.labels if label.rater not in preferences)
        frozen = msgspec.structs.replace(frozen, labels=kept)
    return study._replace(labels=labels, frozen=frozen)
