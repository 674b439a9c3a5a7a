"""Whether people and rubric speak of the same question. Knows no answer."""

from __future__ import annotations

from collections.abc import Mapping

from fiel.records import CalibrationSet, Criterion, FielError, Label

_MEANING = ("options", "passes", "scale")


def check_meaning(frozen: CalibrationSet, wanted: Mapping[str, Criterion]) -> None:
    """Raise where a calibration set answers a criterion whose meaning has changed: its options, passing or scale.

    Raises:
        FielError: it has, and which.
    """
    for before in frozen.rubric.criteria:
        now = wanted.get(before.id)
        if now is None or not any(label.criterion == before.id for label in frozen.labels):
            continue
        for name in _MEANING:
            old, new = getattr(before, name), getattr(now, name)
            if old != new:
                word = {"passes": "passing"}.get(name, name)
                raise FielError(
                    f"The meaning of {before.id!r} has changed since people answered: {word} was {_shown(old)} and is "
                    f"{_shown(new)}. Their answers are no gold for it.",
                    where=f"calibration set {frozen.name!r}",
                    fix="Label a new sample by the present rubric, or validate by the rubric of the set.",
                )


def wordings_of(frozen: CalibrationSet | None) -> dict[str, str]:
    """The digest of the wording of each criterion that people answered, as the set has it."""
    return {} if frozen is None else {criterion.id: criterion.digest for criterion in frozen.rubric.criteria}


def answered_other(label: Label, criterion: Criterion, wording: str | None) -> bool:
    """Whether a label answers another wording than the criterion's; a label that says nothing answers this one."""
    return (label.criterion_digest or wording or criterion.digest) != criterion.digest


def _shown(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else repr(value)
