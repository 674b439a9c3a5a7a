"""Probabilities in a cell, as a belief over options. Knows no row and no judge."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import msgspec

from fiel.interop._answers import Scale, number
from fiel.records import Distribution, FielError
from fiel.store.tables import as_text

Origin: TypeAlias = Literal["logprobs", "samples", "stated"]

_TOO_MUCH = 1.01  # what probabilities may sum to, rounded as they are


def belief_of(cell: Any, scale: Scale, *, source: Origin) -> Distribution | None:
    """The belief that a cell of probabilities holds; None where nothing of it falls on the options.

    Mass on other answers, and what is missing to 1, lowers `captured`; mass on "not applicable" is `inapplicable`.

    Args:
        cell: an object from answer to probability, or a list in the order of the options; as such or as JSON.
        scale: of the criterion.
        source: where the probabilities come from.

    Raises:
        FielError: the cell holds something else, or numbers that are no probabilities.
    """
    options = scale.criterion.options
    mass = dict.fromkeys(options, 0.0)
    beside = total = 0.0
    for name, share in _pairs(cell, options):
        total += share
        answer = scale.read(name)
        if answer.kind == "option":
            mass[answer.text] += share
        elif answer.kind == "inapplicable":
            beside += share
    if total > _TOO_MUCH:
        raise FielError(f"The probabilities sum to {total:.4g}.", fix="They sum to 1 or less.")
    captured = math.fsum(mass.values())
    if captured <= 0:
        return None
    return Distribution(
        options=options,
        probs=tuple(share / captured for share in mass.values()),
        source=source,
        captured=min(1.0, captured),
        inapplicable=min(1.0, beside),
    )


def _pairs(cell: Any, options: tuple[str, ...]) -> list[tuple[str, float]]:
    value = cell
    if isinstance(cell, str):
        try:
            value = msgspec.json.decode(cell)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FielError("The probabilities are no JSON.", fix='Such as {"no": 0.2, "yes": 0.8}.') from error
    if isinstance(value, list):
        if len(value) != len(options):
            raise FielError(
                f"{len(value)} probabilities for {len(options)} options.",
                fix=f"Give one for each of {', '.join(options)}, or name them in an object.",
            )
        value = dict(zip(options, value, strict=True))
    if not isinstance(value, dict):
        raise FielError("The probabilities are no object.", fix='Such as {"no": 0.2, "yes": 0.8}.')
    return [(str(name), _share(share)) for name, share in value.items() if share is not None]


def _share(value: Any) -> float:
    share = None if isinstance(value, (bool, list, dict)) else number(as_text(value) or "")
    if share is None or not 0 <= share <= _TOO_MUCH:
        raise FielError(f"A probability is {value!r}.", fix="Probabilities lie between 0 and 1; logarithms are none.")
    return share
