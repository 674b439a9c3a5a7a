"""A sample to be labelled, drawn with known chances by what a judge believes. Knows no file, and shows nobody a belief.

What leaves this module for the labelling rooms is a list of ids; the design beside it stays with the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import NamedTuple, get_args

import msgspec
import numpy as np

from fiel.measures._arguments import check_kind
from fiel.measures._bands import BY_JUDGE, Bands, bands
from fiel.measures._columns import Columns
from fiel.measures._inputs import gather
from fiel.measures._tables import Codes, Table, passing_mask, tabulate
from fiel.measures._words import counted
from fiel.records import Design, FielError, Judgement, Rubric, Sample, Stratum, Subject
from fiel.stats import Allocation, allocate, stratified_sample

LEAST_OF_A_CLASS = 5


class Drawn(NamedTuple):
    """A sample, and what to know before labelling it."""

    sample: Sample
    warnings: tuple[str, ...]


class _Stage(NamedTuple):
    """What is drawn now, from what: positions in the frame before it, and the counts of the whole per stratum."""

    before: Codes
    counts: Codes


def draw(  # noqa: PLR0913  a design has as many parts
    items: Sequence[Subject],
    rubric: Rubric,
    judgements: Iterable[Judgement] | Columns = (),
    *,
    name: str,
    n: int = 60,
    by: str = "belief",
    criterion: str | None = None,
    allocation: Allocation = "equal",
    seed: int = 0,
    reason: str | None = None,
    already: Sample | None = None,
) -> Drawn:
    """Draw items to be labelled.

    Strata by "belief" are bands of the judge's lowest P(passing) over the criteria: [0, 0.1] clear miss, (0.1, 0.35]
    likely miss, (0.35, 0.65] open, (0.65, 0.9] likely hit, (0.9, 1] clear hit, and a band for items that it has no
    belief on. "uncertainty" cuts the highest entropy, as a share of its maximum, at 0.25, 0.5 and 0.75. "verdict" is
    the option chosen of one criterion, or whether all pass. In each stratum every item is as likely as another;
    at least two are drawn from each where n allows, and one always, so that weighted means have no bias.

    `Design.weights` are 1 / P(drawn), as they are and not normalised: those of a stratum sum to its size, all of them
    to the frame. They are left out where all are equal. More than the frame holds is a census.

    A top-up (`already`) draws n more from what is left of the same strata. A simple random draw from a stratum and
    another from its rest are together a simple random draw from the stratum, so that the chance of each item of the
    union is again drawn / size, whenever it was drawn; counts are chosen so that the union comes as near to
    `allocation` as the earlier draw lets it. This holds only where the strata are what they were: it is checked. The
    stage goes on from the seed of its sample, and is declared in `Design.stages`.

    Args:
        items: the frame, each with its own id.
        rubric: what will be asked.
        judgements: of one judge under one identity, at most one for each item and criterion.
        name: of the sample.
        n: how many to draw, or to draw more.
        by: "belief", "random", "verdict", "uncertainty", "group", "author", or a field of the items.
        criterion: the id of the one whose beliefs count; None for all.
        allocation: "equal", "proportional", or "optimal" by sqrt(p(1 - p)), p the mean P(passing) of the stratum.
        seed: 0 or more; the same seed gives the same sample.
        reason: why so many.
        already: the earlier sample of this name, for a top-up.

    Raises:
        FielError: nothing to draw from, no judgements to draw by, judgements that do not belong together, fewer items
            than strata, or a top-up of a frame or strata that have changed.

    Neyman (1934) for the counts; Horvitz and Thompson (1952) for the weights.
    """
    judgements = judgements if isinstance(judgements, Columns) else list(judgements)
    _check(items, judgements, n=n, by=by, allocation=allocation, seed=seed)
    chosen = None if criterion is None else rubric[criterion]
    if chosen is not None and by not in BY_JUDGE:
        raise FielError(f"A draw by {by!r} looks at no criterion.", fix="Leave the criterion out, or draw by belief.")
    inputs = gather(judgements, (), criteria=rubric.criteria, items=items)
    tables = [tabulate(inputs, each) for each in rubric.criteria]
    subjects = {subject.id: subject for subject in items}
    parts = bands(tables, subjects, by=by, criterion=chosen)
    stated = None if by == "random" else by if criterion is None else f"{by} of {criterion}"
    if already is not None:
        _check_unchanged(already, name=name, rubric=rubric, by=stated, parts=parts, place=inputs.place)
        seed = already.design.seed or 0
    stage = _stage(parts, n, allocation, [inputs.place[subject] for subject in already.subjects] if already else [])
    order = _drawn_now(parts, stage, seed=seed, number=len(already.design.stages) + 1 if already else 0)
    sample = Sample(
        name=name,
        rubric=rubric.id,
        rubric_digest=rubric.digest,
        subjects=(*(already.subjects if already else ()), *(inputs.frame[row] for row in order)),
        design=_design(parts, stage, inputs.frame, [*stage.before, *order], by=stated),
    )
    design = _history(sample.design, already, n=n, new=len(order), seed=seed, reason=reason)
    sample = msgspec.structs.replace(sample, design=design)
    return Drawn(sample, tuple(_warnings(sample, tables, subjects, n=n, new=len(order))))


def _check(items: Sequence[Subject], judgements: Sized, *, n: int, by: str, allocation: str, seed: int) -> None:
    if not items:
        raise FielError("There is nothing to draw from: the project has no items.", fix="Run fiel init FILE.")
    for what, value, least in (("n", n, 1), ("seed", seed, 0)):
        check_kind(what, value, int, "a whole number")
        if value < least:
            raise FielError(f"{what} is {value}; it must be {least} or more.")
    if allocation not in get_args(Allocation):
        raise FielError(f"There is no allocation {allocation!r}.", fix=f"One of: {', '.join(get_args(Allocation))}.")
    if by in BY_JUDGE and not len(judgements):
        raise FielError(
            f"A draw by {by} needs judgements, and there are none.", fix="Judge the items first, or draw by random."
        )


def _check_unchanged(
    already: Sample, *, name: str, rubric: Rubric, by: str | None, parts: Bands, place: Mapping[str, int]
) -> None:
    """Raise where a top-up would not be one: its chances would not be those of the union."""
    design, where = already.design, f"sample {already.name!r}"
    again = "Draw a new sample under another name."
    if already.name != name or design.kind not in ("random", "stratified"):
        raise FielError(f"Nothing can be added to a {design.kind} sample called {already.name!r}.", where=where)
    if already.rubric_digest != rubric.digest:
        raise FielError("The rubric has changed since it was drawn.", where=where, fix=again)
    if design.by != by:
        raise FielError(f"It was drawn by {design.by or 'random'}, not by {by or 'random'}.", where=where)
    gone = [subject for subject in already.subjects if subject not in place]
    if gone or design.frame != len(place):
        what = f"{gone[0]!r} is no longer there" if gone else f"{design.frame} items then, {len(place)} now"
        raise FielError(f"The items have changed since it was drawn: {what}.", where=where, fix=again)
    if by is None:
        return
    now = {name: int(size) for name, size in zip(parts.names, parts.sizes, strict=True)}
    members = {subject: parts.names[parts.codes[place[subject]]] for subject in already.subjects}
    if {stratum.name: stratum.size for stratum in design.strata} != now or design.members != members:
        raise FielError(
            f"Its strata have changed since it was drawn: by {by}, items stand in other ones now.",
            where=where,
            fix=f"Give the judge and the criterion that it was drawn by. Otherwise: {again}",
        )


def _stage(parts: Bands, n: int, allocation: Allocation, before: Sequence[int]) -> _Stage:
    """How many of each stratum the sample holds in the end, those of `before` among them."""
    earlier = np.array(before, dtype=np.int64)
    had = np.bincount(parts.codes[earlier], minlength=len(parts.names))
    total, strata = n + len(before), len(parts.names)
    if total < strata:
        raise FielError(
            f"{total} items cannot come from {strata} strata: a stratum without any would bias every estimate.",
            fix=f"Draw {strata} or more, or by something with fewer values.",
        )
    least = had if len(before) else np.full(strata, min(2, total // strata))
    spreads = parts.spreads if allocation == "optimal" else None
    return _Stage(earlier, allocate(parts.sizes, total, method=allocation, spreads=spreads, least=least))


def _drawn_now(parts: Bands, stage: _Stage, *, seed: int, number: int) -> Codes:
    """Positions of what is new, in an order that tells nothing."""
    rest = np.setdiff1d(np.arange(len(parts.codes)), stage.before)
    wanted = stage.counts - np.bincount(parts.codes[stage.before], minlength=len(parts.names))
    if not wanted.any():
        raise FielError("Nothing is left to draw: the sample holds every item already.")
    rng = np.random.default_rng([seed, number])
    left = np.unique(parts.codes[rest])
    found = stratified_sample(parts.codes[rest], int(wanted.sum()), least=wanted[left], rng=rng)
    return rng.permutation(rest[found.indices])


def _design(parts: Bands, stage: _Stage, frame: Sequence[str], rows: Sequence[int], *, by: str | None) -> Design:
    """What holds of the sample as a whole."""
    sizes, counts = parts.sizes.tolist(), stage.counts.tolist()
    if sum(counts) == sum(sizes):
        return Design(kind="census", frame=len(frame))
    if by is None:
        return Design(kind="random", frame=len(frame))
    codes = {frame[row]: int(parts.codes[row]) for row in sorted(rows)}
    even = len({size / count for size, count in zip(sizes, counts, strict=True)}) == 1
    return Design(
        kind="stratified",
        frame=len(frame),
        by=by,
        strata=tuple(
            Stratum(name=name, size=size, drawn=count)
            for name, size, count in zip(parts.names, sizes, counts, strict=True)
        ),
        members={subject: parts.names[code] for subject, code in codes.items()},
        weights={} if even else {subject: sizes[code] / counts[code] for subject, code in codes.items()},
    )


def _history(design: Design, already: Sample | None, *, n: int, new: int, seed: int, reason: str | None) -> Design:
    """The design with what was planned, why, and in which stages."""
    if already is None:
        return msgspec.structs.replace(design, seed=seed, planned=n, reason=reason)
    first = already.design
    reasons = [first.reason, reason and f"top-up of {new}: {reason}"]
    return msgspec.structs.replace(
        design,
        seed=seed,
        planned=first.planned,
        reason="; ".join(each for each in reasons if each) or None,
        stages=(*first.stages, new),
    )


def _warnings(
    sample: Sample, tables: Sequence[Table], subjects: Mapping[str, Subject], *, n: int, new: int
) -> list[str]:
    found = []
    if sample.design.kind == "census":
        short = "" if new == n else f", fewer than the {n} asked for"
        found.append(f"Every item of the frame is in the sample ({len(sample.subjects)} in all{short}): a census.")
    drawn = set(sample.subjects)
    rows = np.array([subject in drawn for subject in tables[0].subjects], dtype=bool)
    for table in tables:
        said = table.judge.codes >= 0
        passes = said & passing_mask(table.criterion)[table.judge.codes]
        if not said.any():
            continue
        for verb, those in (("fail", said & ~passes), ("pass", passes)):
            here, all_ = int((those & rows).sum()), int(those.sum())
            if here < LEAST_OF_A_CLASS:
                found.append(
                    f"*{table.criterion.id}*: {counted(here, 'drawn item')} {verb}{'s' if here == 1 else ''} by the "
                    f"judge's verdict, of {all_} in the frame: too few to tell how it does on them."
                )
    groups = Counter(subjects[subject].group for subject in sample.subjects)
    lone = groups.pop(None, 0)
    if groups and max(groups.values()) > 1:
        found.append(
            f"The {counted(len(sample.subjects), 'item')} come from {counted(len(groups) + lone, 'group')}: items of "
            "one group count once where intervals are made, so that these are as wide as with fewer items."
        )
    return found
