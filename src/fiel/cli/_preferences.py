"""Raters whose labels are user preferences: another construct, set beside the judge and never gold, in any verb."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from fiel.cli._exits import say
from fiel.cli._short import counted, listed
from fiel.cli._studies import Study
from fiel.records import FielError, Label, nearest


def check_raters(labels: Iterable[Label], preferences: Collection[str]) -> None:
    """Whether there are such raters.

    Raises:
        FielError: there is no label of one.
    """
    if not preferences:
        return
    known = sorted({label.rater for label in labels})
    for name in preferences:
        if name not in known:
            near = nearest(name, known)
            raise FielError(
                f"There is no label of a rater {name!r}" + (f"; did you mean {near!r}?" if near else "."),
                where="--preference",
                fix=f"The raters are: {listed(known) or 'none'}.",
            )


def set_apart(found: Sequence[Study], preferences: Collection[str], *, quiet: bool = False) -> list[Study]:
    """The studies without the labels that are preferences, and a line on how many these are unless `quiet`.

    Raises:
        FielError: there is no label of such a rater.
    """
    if not preferences:
        return list(found)
    check_raters((label for study in found for label in study.labels), preferences)
    if not quiet:
        liked = {(x.rater, x.subject, x.criterion, x.repeat) for s in found for x in s.labels if x.rater in preferences}
        what = f"{counted(len(liked), 'label')} of {listed(dict.fromkeys(preferences))}"
        say(f"Left out as user preferences, which are never gold: {what}.")
    return [_without(study, preferences) for study in found]


def named(preferences: Collection[str]) -> tuple[str, ...]:
    """The options that name them, as words of a command."""
    return tuple(word for name in preferences for word in ("--preference", name))


def _without(study: Study, preferences: Collection[str]) -> Study:
    """The study without them: what rates, people, gates, plans and work lists rest on."""
    labels = [label for label in study.labels if label.rater not in preferences]
    frozen = study.frozen
    if frozen is not None:
        kept = tuple(label for label in frozen.labels if label.rater not in preferences)
        frozen = msgspec.structs.replace(frozen, labels=kept)
    return study._replace(labels=labels, frozen=frozen)
