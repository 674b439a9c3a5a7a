"""Two systems on the same questions, by one judge and labels on both: the paired difference. Knows no bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fiel.measures._arguments import check_confidence, check_kind
from fiel.measures._assumptions import standings
from fiel.measures._columns import Columns
from fiel.measures._estimate import PICKED, GoldKind, Samples, check_gold, corrected_of, samples, told, undefined
from fiel.measures._inputs import Inputs, gather
from fiel.measures._results_rates import RateDifference
from fiel.measures._slices import NO_VALUE, field_of
from fiel.measures._tables import Table, tabulate
from fiel.measures._weighing import Codes, Flags, Floats
from fiel.measures._words import counted, percent, share
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Subject
from fiel.stats import Estimate, ppi_difference


def difference(  # noqa: PLR0913  (what was said, which two of what, and how to read it)
    judgements: Iterable[Judgement] | Columns,
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    criterion: Criterion,
    items: Sequence[Subject],
    a: str,
    b: str,
    field: str = "author",
    key: str = "group",
    confidence: float = 0.95,
    gold: GoldKind = "majority",
    as_random: bool = False,
) -> RateDifference:
    """The passing rate of system a minus that of system b, from answers of both to the same questions.

    Questions that both have an answer to are pairs; a pair is labelled where people answered on both. Each pair counts
    once.

    Args:
        judgements: of one judge under one identity, of items of both systems.
        labels: of people, or a calibration set.
        criterion: what was asked.
        items: the items of both systems, with the fields that tell system and question.
        a: the first system; b: the second, values of `field`.
        b: see above.
        field: the field of the items that names the system.
        key: the field that two answers to one question share: "group", "input", or a field.
        confidence: of the intervals.
        gold: as in `rates`.
        as_random: as in `rates`.

    Raises:
        FielError: no such field or system, two answers of one system to one question, no pair, or unequal chances,
            which the paired difference does not know.
    """
    check_confidence(confidence)
    check_gold(gold)
    check_kind("criterion", criterion, Criterion, "a Criterion")
    inputs = gather(judgements, labels, criteria=(criterion,), items=items)
    if inputs.uneven:
        raise FielError(
            "The labelled items were drawn with unequal chances, which a paired difference does not know.",
            fix="Compare the two weighted rates, or draw questions with equal chances.",
        )
    table = tabulate(inputs, criterion)
    parts = samples(table, gold=gold)
    pairs = _pairs(inputs, _systems(inputs, field, (a, b)), key, (a, b))
    both = _Both.of(table, parts, pairs)
    picked = inputs.design.kind == "convenience" and bool(both.labelled.any())
    refused = picked and not as_random
    estimate = _estimated(both, confidence, refused=refused)
    sides = [parts.where(_mask(len(table.subjects), pairs[:, side])) for side in (0, 1)]
    rate_a, rate_b = (
        undefined(PICKED, "corrected", "both", confidence)
        if refused
        else corrected_of(side, side="both", confidence=confidence)
        for side in sides
    )
    return RateDifference(
        criterion=criterion.id,
        passing=criterion.passes,
        judge=inputs.judge or "",
        identity=inputs.identity or "",
        a=a,
        b=b,
        field=field,
        pairs=len(pairs),
        labelled=int(both.labelled.sum()),
        estimate=told(estimate) if picked and as_random and estimate.value is not None else estimate,
        raw=_raw(both, confidence),
        classical=None if refused or not both.labelled.any() else _classical(both, confidence),
        rate_a=rate_a,
        rate_b=rate_b,
        sentence=_sentence(estimate, criterion.id, a, b, len(pairs), int(both.labelled.sum())),
        checks=standings(inputs, table, parts, shift=None, was_told=picked and as_random),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Both:
    """m pairs: labels and judge on each side, shape (m, 2), and which pairs are labelled on both, shape (m,)."""

    y: Floats
    f: Floats
    labelled: Flags

    @classmethod
    def of(cls, table: Table, parts: Samples, pairs: Codes) -> _Both:
        """The pairs of a table."""
        n = len(table.subjects)
        y, f = np.zeros(n), np.zeros(n)
        y[parts.labelled], f[parts.labelled], f[parts.others] = parts.y, parts.f, parts.f_unlabelled
        used = (parts.labelled | parts.others)[pairs].all(axis=1)
        kept = pairs[used]
        return cls(y=y[kept], f=f[kept], labelled=np.asarray(parts.labelled[kept].all(axis=1), dtype=bool))


def _systems(inputs: Inputs, field: str, names: tuple[str, str]) -> np.typing.NDArray[np.object_]:
    systems = np.array(field_of(inputs.frame, inputs.subjects, field), dtype=object)
    for name in names:
        if not (systems == name).any():
            known = ", ".join(sorted(set(systems.tolist()))[:8])
            raise FielError(f"No item has {field} {name!r}.", fix=f"There are: {known}.")
    return systems


def _pairs(inputs: Inputs, systems: np.typing.NDArray[np.object_], key: str, names: tuple[str, str]) -> Codes:
    """The places of the two answers to each question, shape (pairs, 2)."""
    keys = (
        [getattr(inputs.subjects[name], "input", None) for name in inputs.frame]
        if key == "input"
        else field_of(inputs.frame, inputs.subjects, key)
    )
    found: list[dict[str, int]] = [{}, {}]
    for place, (system, value) in enumerate(zip(systems.tolist(), keys, strict=True)):
        if system not in names or value in (None, NO_VALUE):
            continue
        side = found[names.index(system)]
        if value in side:
            raise FielError(
                f"{system!r} has two answers to the question {value!r}.",
                fix="Name another key, the field that tells questions apart (--key on the command line).",
            )
        side[value] = place
    shared = sorted(set(found[0]) & set(found[1]))
    if not shared:
        raise FielError(f"{names[0]!r} and {names[1]!r} share no question by {key!r}.", fix="Name another key.")
    return np.array([[found[0][value], found[1][value]] for value in shared], dtype=np.int64)


def _mask(n: int, places: Codes) -> Flags:
    mask = np.zeros(n, dtype=bool)
    mask[places] = True
    return mask


def _estimated(both: _Both, confidence: float, *, refused: bool) -> Estimate:
    n = int(both.labelled.sum())
    if refused:
        return undefined(PICKED, "paired difference", "both", confidence, n=n)
    if not n:
        return undefined("no question has labels on both answers", "paired difference", "both", confidence)
    some, rest = both.labelled, ~both.labelled
    return ppi_difference(
        both.y[some, 0],
        both.y[some, 1],
        both.f[some, 0],
        both.f[some, 1],
        both.f[rest, 0],
        both.f[rest, 1],
        confidence=confidence,
    )


def _raw(both: _Both, confidence: float) -> Estimate | None:
    if len(both.f) < 2:
        return None
    a, b = both.f[:, 0], both.f[:, 1]
    return ppi_difference(a, b, a, b, [], [], method="classical", confidence=confidence)


def _classical(both: _Both, confidence: float) -> Estimate:
    a, b = both.y[both.labelled, 0], both.y[both.labelled, 1]
    return ppi_difference(a, b, a, b, [], [], method="classical", confidence=confidence)


def _sentence(estimate: Estimate, name: str, a: str, b: str, pairs: int, labelled: int) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return f"Whether {a} or {b} passes *{name}* more often cannot be told ({estimate.reason})."
    limits = f"[{share(estimate.low)}, {share(estimate.high)}] at {percent(estimate.confidence)} confidence"
    if estimate.low <= 0 <= estimate.high:
        start = f"Neither {a} nor {b} surely passes *{name}* more often"
    else:
        start = f"{a if estimate.value > 0 else b} passes *{name}* more often"
    return (
        f"{start}: the rate of {a} minus that of {b} is {share(estimate.value)} {limits}, "
        f"from {counted(pairs, 'pair')}, {labelled:,} of them labelled; method: {estimate.method}."
    )
