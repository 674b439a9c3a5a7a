"""Who labels what, and in which order: overlap, hidden repeats, the sides of pairs. Knows no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from fiel.labelling._seeded import below, shuffled
from fiel.records import Assignment, Pair, Study

APART = 20
"""How many other places lie at least between a showing and its repeat, where the queue is twice as long as that."""


def assign(study: Study) -> tuple[Assignment, ...]:
    """The queues of all raters, rater by rater in the order of the study, each by place from 0.

    Every subject is answered by all raters, or by `per_item` of them: then the raters' shares differ by one subject at
    the most, and pairs of raters meet about equally often. Each rater has an order of his own.

    A rater's hidden repeats are `repeats` times his subjects, rounded, at least one where the share is above 0 and his
    queue has two subjects; each stands at least `APART` places after the first showing, or half a short queue. Of a
    large share as many are shown as find room at that distance. A repeat has the side of the first showing.

    The same study gives the same queues, on every machine.
    """
    shares = _shares(study)
    sides = {subject.id for subject in study.subjects if isinstance(subject, Pair)}
    made: list[Assignment] = []
    for rater in study.raters:
        order = shuffled(shares[rater], study.seed, "order", rater)
        shown = _sides([name for name in order if name in sides], study.seed, rater)
        queue = _with_repeats(order, study, rater)
        made.extend(
            Assignment(rater=rater, place=place, subject=subject, repeat=repeat, shown=shown.get(subject))
            for place, (subject, repeat) in enumerate(queue)
        )
    return tuple(made)


def _shares(study: Study) -> Mapping[str, list[str]]:
    """The subjects of each rater."""
    names = [subject.id for subject in study.subjects]
    if study.per_item is None or study.per_item == len(study.raters):
        return dict.fromkeys(study.raters, names)
    shares: dict[str, list[str]] = {rater: [] for rater in study.raters}
    met: Counter[tuple[str, str]] = Counter()
    for name in shuffled(names, study.seed, "overlap"):
        chosen: list[str] = []
        for rater in _by_load(shuffled(study.raters, study.seed, "overlap", name), shares, study.per_item, met):
            met.update((rater, other) for other in chosen)
            met.update((other, rater) for other in chosen)
            chosen.append(rater)
            shares[rater].append(name)
    return shares


def _by_load(
    raters: list[str], shares: Mapping[str, list[str]], count: int, met: Mapping[tuple[str, str], int]
) -> list[str]:
    """The raters of one subject: those with the fewest so far, of them those who have met each other least."""
    chosen: list[str] = []
    for _ in range(count):
        free = [rater for rater in raters if rater not in chosen]
        chosen.append(min(free, key=lambda rater: (len(shares[rater]), sum(met[rater, other] for other in chosen))))
    return chosen


def _sides(pairs: list[str], seed: int, rater: str) -> dict[str, Literal["ab", "ba"]]:
    """Half of a rater's pairs, to one, in either order."""
    first = below(2, seed, "side", rater)
    order = shuffled(sorted(pairs), seed, "sides", rater)
    return {name: "ba" if (place + first) % 2 else "ab" for place, name in enumerate(order)}


def _with_repeats(order: list[str], study: Study, rater: str) -> list[tuple[str, int]]:
    """The queue with its repeats, as (subject, 0 or 1)."""
    n = len(order)
    apart = min(APART, n // 2)
    room = range(max(0, n - apart)) if n > 1 else range(0)
    wanted = max(1, round(study.repeats * n)) if study.repeats > 0 else 0
    after: dict[int, list[str]] = {}
    for place in shuffled(room, study.seed, "repeats", rater)[:wanted]:
        gaps = range(place + apart, n)  # a repeat follows the subject at one of these places
        gap = gaps[below(len(gaps), study.seed, "gap", rater, place)]
        after.setdefault(gap, []).append(order[place])
    queue: list[tuple[str, int]] = []
    for place, name in enumerate(order):
        queue.append((name, 0))
        queue.extend((repeated, 1) for repeated in after.get(place, ()))
    return queue
