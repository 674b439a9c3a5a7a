"""How many labels it takes: for a width, a bar, a kappa, the ceiling, an equivalence. Knows no file and no cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

import msgspec

from fiel.measures._arguments import check_confidence, check_share
from fiel.measures._columns import Columns
from fiel.measures._plan_data import at_hand
from fiel.measures._plan_kinds import KINDS, Wish, first_reaching
from fiel.measures._results_rates import Plan, PlanKind
from fiel.measures._words import counted, share
from fiel.records import CalibrationSet, Criterion, FielError, Judgement, Label, Subject

GUESSES: dict[str, float] = {
    "rate": 0.5,
    "rho": 0.0,
    "n_unlabelled": 0.0,
    "kappa": 0.6,
    "least": 0.4,
    "prevalence": 0.5,
    "raters": 2.0,
    "agreement": 0.8,
    "ceiling": 0.9,
    "discordance": 0.1,
    "design_effect": 1.0,
}


def plan(  # noqa: PLR0913  (what is at hand, one wish out of six kinds, and how sure to be)
    judgements: Iterable[Judgement] | Columns = (),
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    kind: PlanKind = "rate width",
    criterion: Criterion | None = None,
    items: Sequence[Subject] = (),
    width: float = 0.1,
    bar: float = 0.85,
    margin: float = 0.1,
    power: float = 0.8,
    confidence: float = 0.95,
    expected: Mapping[str, float] | None = None,
) -> Plan:
    """How many labels it takes for one wish.

    - "rate width": the corrected rate known to `width`, by `ppi_sample_size` (expected: rate, rho, n_unlabelled).
    - "rate bar": its one-sided bound clears `bar` with the chance `power` (the same).
    - "kappa width": the expected interval of a kappa is no wider than `width` (kappa, prevalence, raters).
    - "kappa power": a kappa is shown to be above "least" (kappa, least, prevalence, raters).
    - "ceiling power": the difference of "agreement" and "ceiling" is seen, on the same items (agreement, ceiling,
      discordance: the share of items on which judge-with-rater and rater-with-rater differ).
    - "equivalence": a judge that agrees as often as people do is shown to be within `margin` of them (discordance).

    What is expected comes from `expected`, else from the data at hand where they tell, else from a guess that `notes`
    names. Where items come in groups, labels are multiplied by the design effect.

    Args:
        judgements: of one judge, where there are any; labels: of people.
        labels: see above.
        kind: see above.
        criterion: on which; needed with data.
        items: the frame.
        width: the widest interval wanted.
        bar: the rate asked for.
        margin: of equivalence.
        power: the chance wanted.
        confidence: of intervals and bounds.
        expected: what is known better than the data tell.

    Raises:
        FielError: no such kind, an expectation of another name, numbers out of range, or a wish that cannot be.
    """
    _check(kind, width=width, bar=bar, margin=margin, power=power, confidence=confidence, expected=expected)
    known, have, from_data = at_hand(judgements, labels, criterion=criterion, items=items, confidence=confidence)
    assumed = {**GUESSES, **known, **(expected or {})}
    wish = Wish(width=width, bar=bar, margin=margin, power=power, confidence=confidence, expected=assumed)
    needs, curve_of = KINDS[kind]
    try:
        points, independent = curve_of(wish), first_reaching(kind, wish)
    except ValueError as error:
        raise FielError(f"This cannot be planned: {error}.", where=f"plan {kind!r}") from error
    effect = assumed["design_effect"]
    wanted = None if independent is None else math.ceil(independent * effect)
    guessed = [name for name in needs if name not in known and name not in (expected or {})]
    return Plan(
        kind=kind,
        criterion=criterion.id if criterion else None,
        labels=wanted,
        more=None if wanted is None else max(0, wanted - have),
        have=have,
        expected={name: assumed[name] for name in (*needs, "design_effect")},
        from_data=from_data,
        confidence=confidence,
        power=None if kind in ("rate width", "kappa width") else power,
        curve=tuple(msgspec.structs.replace(x, labels=math.ceil(x.labels * effect)) for x in points),
        sentence=_sentence(kind, wish, wanted, have, needs),
        notes=_notes(guessed, assumed, effect),
    )


def _check(
    kind: str,
    *,
    width: float,
    bar: float,
    margin: float,
    power: float,
    confidence: float,
    expected: Mapping[str, float] | None,
) -> None:
    if kind not in get_args(PlanKind):
        raise FielError(f"There is no plan {kind!r}.", fix=f"One of: {', '.join(get_args(PlanKind))}.")
    for name, value in (("width", width), ("bar", bar), ("margin", margin), ("power", power)):
        check_share(name, value)
    check_confidence(confidence)
    other = sorted(set(expected or ()) - set(GUESSES))
    if other:
        raise FielError(f"Nothing is planned by {other[0]!r}.", fix=f"Known: {', '.join(GUESSES)}.")


def _sentence(kind: PlanKind, wish: Wish, wanted: int | None, have: int, needs: Sequence[str]) -> str:
    goals = {
        "rate width": f"an interval of the rate no wider than {share(wish.width)}",
        "rate bar": f"a rate that surely clears {share(wish.bar)} with a chance of {share(wish.power)}",
        "kappa width": f"an interval of kappa no wider than {share(wish.width)}",
        "kappa power": f"a kappa surely above {share(wish.expected['least'])} with a chance of {share(wish.power)}",
        "ceiling power": f"the difference from the ceiling seen with a chance of {share(wish.power)}",
        "equivalence": f"the judge surely within {share(wish.margin)} of people with a chance of {share(wish.power)}",
    }
    if wanted is None:
        return f"No number of labels up to 100,000 gives {goals[kind]}."
    beside = f" ({max(0, wanted - have):,} more than the {have:,} at hand)" if have and wanted > have else ""
    beside = beside or (f" (there are {have:,} already)" if have else "")
    truth = ", ".join(f"{name.replace('_', ' ')} {wish.expected[name]:.3g}" for name in needs)
    return f"About {counted(wanted, 'label')}{beside} for {goals[kind]}, if {truth}."


def _notes(guessed: Sequence[str], assumed: Mapping[str, float], effect: float) -> tuple[str, ...]:
    found = []
    if guessed:
        named = ", ".join(f"{name.replace('_', ' ')} {assumed[name]:.3g}" for name in guessed)
        found.append(f"Guessed, since nothing tells: {named}.")
    if effect > 1:
        found.append(f"Items come in groups: a label is worth 1/{effect:.2g} of an independent one.")
    found.append("A plan is a projection: labels differ from what is expected, so plan with a few more.")
    return tuple(found)
