"""The parts of a frame that a sample is drawn from: bands of a judge's belief, its verdicts, a field. Draws nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fiel.measures._tables import Codes, Flags, Floats, Table, passing_mask
from fiel.records import Criterion, FielError, Subject, nearest

BY_JUDGE = ("belief", "verdict", "uncertainty")
BY_HAND = ("group", "author")
BELIEF_EDGES, BELIEF_NAMES = (0.1, 0.35, 0.65, 0.9), ("clear miss", "likely miss", "open", "likely hit", "clear hit")
UNCERTAINTY_EDGES, UNCERTAINTY_NAMES = (0.25, 0.5, 0.75), ("sure", "fairly sure", "unsure", "open")
NO_BELIEF, NO_VERDICT, NO_VALUE = "no belief", "no verdict", "no value"
_SURE = 0.05  # a judge that is surer than this is still taken to be wrong so often, when counts are made to follow it


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """A frame of n items in H parts, none of them empty.

    Args:
        names: of the H strata, from miss to hit where they have an order.
        codes: shape (n,), the stratum of each item.
        sizes: shape (H,), how many items each holds.
        spreads: shape (H,), the standard deviation of a pass or miss expected in each: sqrt(p(1 - p)) with p the mean
            of the judge's P(passing), held between 0.05 and 0.95; 0.5 where it has no belief.
    """

    names: tuple[str, ...]
    codes: Codes
    sizes: Codes
    spreads: Floats


def bands(tables: Sequence[Table], subjects: Mapping[str, Subject], *, by: str, criterion: Criterion | None) -> Bands:
    """The strata of a frame.

    Over several criteria an item counts by the worst that the judge says of it: its lowest P(passing), a verdict that
    fails, its highest uncertainty (entropy as a share of its maximum). What a check decides is no belief, unless its
    criterion was asked for by name.

    Args:
        tables: of every criterion, on one frame.
        subjects: the items by id.
        by: "random" for one stratum, "belief", "verdict", "uncertainty", "group", "author", or a field of the items.
        criterion: the one to look at; None for all.

    Raises:
        FielError: no item has such a field.
    """
    chosen = [table for table in tables if criterion is None or table.criterion.id == criterion.id]
    known = [_opinions(table, checks=criterion is not None) for table in chosen]
    lowest = np.min([np.where(k, table.probability, np.inf) for k, table in zip(known, chosen, strict=True)], axis=0)
    if by == "random":
        names = ["all"] * len(lowest)
        return _bands(names, ["all"], lowest)
    if by == "belief":
        return _bands(_cut(lowest, BELIEF_EDGES, BELIEF_NAMES), (*BELIEF_NAMES, NO_BELIEF), lowest)
    if by == "uncertainty":
        parts = [np.where(k, _uncertainty(table), -np.inf) for k, table in zip(known, chosen, strict=True)]
        highest = np.max(parts, axis=0)
        highest[~np.isfinite(highest)] = np.inf
        return _bands(_cut(highest, UNCERTAINTY_EDGES, UNCERTAINTY_NAMES), (*UNCERTAINTY_NAMES, NO_BELIEF), lowest)
    if by == "verdict":
        names, order = _verdicts(chosen, known, criterion)
        return _bands(names, order, lowest)
    names = _field(tables[0].subjects, subjects, by)
    return _bands(names, (*sorted(set(names) - {NO_VALUE}), NO_VALUE), lowest)


def _opinions(table: Table, *, checks: bool) -> Flags:
    return table.judge.believed if checks else table.judge.believed & ~table.judge.checked


def _cut(values: Floats, edges: Sequence[float], names: Sequence[str]) -> list[str]:
    """The band of each value, an edge belonging to the band below it; infinite where there is no belief."""
    places = np.digitize(values, edges, right=True)
    return [
        names[place] if known else NO_BELIEF for place, known in zip(places, np.isfinite(values).tolist(), strict=True)
    ]


def _uncertainty(table: Table) -> Floats:
    """Entropy of each belief as a share of the largest that its options allow, shape (n,)."""
    beliefs = table.judge.beliefs
    logs = np.log(np.where(beliefs > 0, beliefs, 1.0))
    return np.asarray(-(beliefs * logs).sum(axis=1) / np.log(beliefs.shape[1]), dtype=np.float64)


def _verdicts(
    tables: Sequence[Table], known: Sequence[Flags], criterion: Criterion | None
) -> tuple[list[str], tuple[str, ...]]:
    if criterion is not None:
        names = [criterion.options[code] if code >= 0 else NO_VERDICT for code in tables[0].judge.codes.tolist()]
        return names, (*criterion.options, NO_VERDICT)
    said = [opinion & (table.judge.codes >= 0) for opinion, table in zip(known, tables, strict=True)]
    fails = [s & ~passing_mask(table.criterion)[table.judge.codes] for s, table in zip(said, tables, strict=True)]
    order = ("fails one or more", "passes all", NO_VERDICT)
    places = np.where(np.any(fails, axis=0), 0, np.where(np.any(said, axis=0), 1, 2))
    return [order[place] for place in places], order


def _field(ids: Sequence[str], subjects: Mapping[str, Subject], by: str) -> list[str]:
    if by in BY_HAND:
        values = [getattr(subjects[name], by, None) for name in ids]
    else:
        values = [subjects[name].fields.get(by) for name in ids]
    if all(value is None for value in values):
        fields = sorted({field for subject in subjects.values() for field in subject.fields})
        known = ["random", *BY_JUDGE, *BY_HAND, *fields]
        near = nearest(by, known)
        raise FielError(
            f"No item has a field {by!r}" + (f"; did you mean {near!r}?" if near else "."),
            fix=f"Draw by one of: {', '.join(known)}.",
        )
    return [NO_VALUE if value is None else str(value) for value in values]


def _bands(names: Sequence[str], order: Sequence[str], passing: Floats) -> Bands:
    held = set(names)
    kept = tuple(name for name in dict.fromkeys(order) if name in held)
    place = {name: code for code, name in enumerate(kept)}
    codes = np.fromiter((place[name] for name in names), dtype=np.int64, count=len(names))
    sizes = np.bincount(codes, minlength=len(kept))
    known = np.isfinite(passing)
    sums = np.bincount(codes[known], weights=passing[known], minlength=len(kept))
    counts = np.bincount(codes[known], minlength=len(kept))
    p = np.where(counts > 0, sums / np.maximum(counts, 1), 0.5)
    p = np.clip(p, _SURE, 1 - _SURE)
    return Bands(names=kept, codes=codes, sizes=sizes, spreads=np.sqrt(p * (1 - p)))
