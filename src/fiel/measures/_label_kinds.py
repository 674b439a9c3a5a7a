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


def sorted_out(people: Sequence[Label], met: Collection[str], preferences: Collection[str]) -> Sorted:
    """The labels of subjects in `met`, sorted by whether they count; `preferences` names raters that are none."""
    found = Sorted(defaultdict(list), defaultdict(list), defaultdict(list), defaultdict(Counter))
    liked = {x.rater for x in people}
    liked = {x for x in liked if x in preferences or x == PREFERENCE or x.startswith(f"{PREFERENCE}:")}
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
