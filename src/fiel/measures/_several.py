"""What to keep in mind where many words stand beside each other. Changes none of them."""

from __future__ import annotations

from collections.abc import Iterable

from fiel.measures._results import Validation
from fiel.measures._words import given_percent

MANY = 20  # words from which their number is worth a sentence


def many_words(validations: Iterable[Validation]) -> str | None:
    """A sentence on the number of words that rest on bounds, one for each judge and criterion; None below `MANY`.

    A word is on the wrong side of the bar (*use* where agreement lies below it, *rewrite* or *leave out* where it does
    not) with a chance of at most 1 - confidence, by its one-sided bound. Over N words that is an expected number of at
    most N (1 - confidence), however they hang together; "not enough labels" says no side, and is one of the N. Words
    without any bound (a check decides all, or nothing is labelled) are not counted.

    Args:
        validations: of the judges, as `validate` gives them.
    """
    bounded = [
        (part, found.confidence) for found in validations for part in found.criteria if part.agreement.value is not None
    ]
    if len(bounded) < MANY:
        return None
    more = sum(part.word != "not enough labels" for part, _ in bounded)
    wrong = sum(1 - confidence for _, confidence in bounded)
    sure = " to ".join(given_percent(x) for x in sorted({confidence for _, confidence in bounded}))
    about = f"{wrong:,.1f}" if wrong >= 0.1 else f"{wrong:.1g}"
    return (
        f"{len(bounded):,} words were said, {more:,} of them more than “not enough labels”, and nothing corrects for "
        f"their number: each rests on one-sided bounds of its own at {sure} confidence, so that by chance alone about "
        f"{about} of the {len(bounded):,}, on average and at most, may be on the wrong side of the bar."
    )
