"""Arguments that people give, checked in words that name them. Knows no record."""

from __future__ import annotations

from numbers import Real

from fiel.records import FielError

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999999


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
