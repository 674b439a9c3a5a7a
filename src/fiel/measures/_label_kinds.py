"""Which labels count, and what others are: repeats, preferences, given with the judge in reach. Knows no judgement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fiel.records import Label

PREFERENCE = "preference"  # a rater of this name, or of one that begins with it and a colon, is a preference


@dataclass(frozen=True, slots=True)
class Sorted:
    """Labels by criterion: those that count, and those that do not."""

    counting: defaultdict[str, list[Label]]
    repeats: defaultdict[str, list[Label]]
    preferences: defaultdict[str, list[Label]]
    set_aside: defaultdict[str, Counter[str]]


def is_preference(rater: str, preferences: Collection[str] = ()) -> bool:
    """Whether the labels of a rater are preferences of users, by the rater's name or by being named in `preferences`.

    >>> is_preference("preference:thumbs"), is_preference("thumbs"), is_preference("thumbs", ["thumbs"])
    (True, False, True)
    """
    return rater in preferences or rater == PREFERENCE or rater.startswith(f"{PREFERENCE}:")


def sorted_out(people: Sequence[Label], met: Collection[str], preferences: Collection[str]) -> Sorted:
    """The labels of subjects in `met`, sorted by whether they count; `preferences` names raters that are none."""
    found = Sorted(defaultdict(list), defaultdict(list), defaultdict(list), defaultdict(Counter))
    liked = {x for x in {label.rater for label in people} if is_preference(x, preferences)}
    for label in people:
        name = label.criterion
        if label.subject not in met:
            continue
        if label.rater in liked:
            found.preferences[name].append(label)
            found.set_aside[name]["preference"] += 1
        elif label.blind is False:
            found.set_aside[name]["judge in reach"] += 1
        elif label.repeat:
            found.repeats[name].append(label)
            found.set_aside[name]["hidden repeat"] += 1
        else:
            found.counting[name].append(label)
    return found
