"""Results in a terminal: the sentence first, then a quiet table, then why. Knows no file and computes nothing.

Texts from data are printed as data: no markup, no escape sequence and no reordering gets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fiel.measures import CriterionValidation, Decision, Rate, Validation
from fiel.reports import _screen as screen
from fiel.reports._compared import print_slices, slices_of
from fiel.reports._numbers import count, figure, full, given, probability, signed
from fiel.reports._screen import Cells
from fiel.reports._text import listing, marked
from fiel.reports._view import (
    JUDGE_ALONE,
    against,
    asked_of,
    bias_of,
    first_sentences,
    gates,
    in_groups,
    look_at,
    name_of,
    only_checks,
    people_absent,
    simulated,
    steps,
    verdict_of,
    warnings_about,
)

if TYPE_CHECKING:  # rich takes a while to load: only who prints pays for it
    from rich.console import Console

_BLOCKS = 8  # criteria that are explained: more is no screen
_LINES = 28  # of a table that sets judges beside each other
_MATRIX = 240  # characters: three lines of a common terminal; a longer matrix is left to the pages


def print_validation(validation: Validation, console: Console) -> None:
    """One judge against people: the headline, a line per criterion, then each criterion's why and denominators."""
    screen.sentence(validation.headline, console)
    screen.line(simulated(validation.raters), console)
    head = ("criterion", "outcome", "agreement", "people", "n")
    criteria = validation.criteria
    screen.table(head, [_found(part) for part in criteria], console)
    screen.line(in_groups((part.criterion, part.agreement) for part in criteria), console, style="dim")
    gaps = [(part.criterion, part.ceiling) for part in criteria]
    gaps += [(part.criterion, part.agreement) for part in criteria if not only_checks(part.funnel)]
    screen.undefined(gaps, "\n".join(part.why for part in criteria), console)
    for part in criteria[:_BLOCKS]:
        _criterion(part, validation, console)
    left = len(criteria) - _BLOCKS
    screen.line(f"Why, of the other {count(left)}: the report." if left > 0 else "", console, style="dim", above=True)
    print_slices(slices_of((validation,)), "agreement", console)
    screen.warnings(validation.warnings, console)
    screen.line(
        f"judge {validation.judge} ({validation.identity[:12]}), rubric {validation.rubric} "
        f"({validation.rubric_digest[:12]}), {count(len(validation.raters))} "
        f"rater{'' if len(validation.raters) == 1 else 's'}, bar {given(validation.bar)}, "
        f"intervals at {100 * validation.confidence:g} %",
        console,
        style="dim",
        above=True,
    )


def print_validations(validations: Sequence[Validation], console: Console) -> None:
    """Judges against people: one in full; of several the headlines and one table, people first and each judge under."""
    if len(validations) == 1:
        print_validation(validations[0], console)
        return
    for sentence in first_sentences(validations):
        screen.sentence(sentence, console)
    screen.line(simulated(dict.fromkeys(rater for v in validations for rater in v.raters)), console)
    lines = list(_beside(validations))
    screen.table(("criterion", "judge", "outcome", "agreement", "n"), lines[:_LINES], console)
    left = len(lines) - _LINES
    screen.line(f"and {count(left)} more lines, in the report" if left > 0 else "", console, style="dim")
    figures = [(part.criterion, part.agreement) for v in validations for part in v.criteria]
    screen.line(in_groups(figures), console, style="dim")
    print_slices(slices_of(validations), "agreement", console)
    screen.warnings(warnings_about(validations), console)
    screen.line("Why, judge by judge: the report, or --judge NAME.", console, above=True)
    screen.line(
        f"judges {listing(tuple(f'{v.judge} ({v.identity[:12]})' for v in validations), _BLOCKS)}, "
        f"bar {given(validations[0].bar)}, intervals at {100 * validations[0].confidence:g} %",
        console,
        style="dim",
    )


def _beside(validations: Sequence[Validation]) -> Iterable[Cells]:
    """For each criterion a line of the people, and one of each judge."""
    criteria = dict.fromkeys(part.criterion for validation in validations for part in validation.criteria)
    for criterion in criteria:
        found = [(v.judge, part) for v in validations for part in v.criteria if part.criterion == criterion]
        people = found[0][1]
        n = "" if people.ceiling is None else count(people.ceiling.n)
        yield (criterion, "people", "", screen.cell(people.ceiling, people_absent(people)), n)
        yield from (("", judge, marked(part.word), _agreement(part), count(part.agreement.n)) for judge, part in found)


def print_rates(rates: Sequence[Rate], console: Console) -> None:
    """Passing rates: each in a sentence, then corrected beside raw and labels alone, then what was assumed.

    What all rates share is said once; a criterion has lines of its own for what it alone has.
    """
    if not rates:
        screen.sentence("There are no rates.", console)
        return
    several = len({(rate.judge, rate.identity) for rate in rates}) > 1
    for rate in rates:
        screen.sentence(f"{rate.judge}: {rate.sentence}" if several else rate.sentence, console)
    named = [(f"{rate.judge}, {rate.criterion}" if several else rate.criterion, rate) for rate in rates]
    head = (*(["judge"] if several else []), "criterion", "corrected", "judge alone", "labels alone", "n")
    screen.table(head, [((rate.judge,) if several else ()) + _rate(rate) for rate in rates], console)
    gaps = [(name, part) for name, rate in named for part in (rate.estimate, rate.raw, rate.classical)]
    screen.undefined(gaps, "\n".join(rate.sentence for rate in rates), console)
    made, assumed = _shared([_made(rate) for rate in rates]), _shared([rate.assumptions for rate in rates])
    for text in (*_about(named), " · ".join(made)):
        screen.line(text, console, style="dim")
    print_slices([(name, part) for name, rate in named for part in rate.slices], "rate", console)
    for name, rate in named:
        _block(name, tuple(_own(rate, apart_from=(*made, *assumed))), console)
    screen.line(f"assumed: {' '.join(assumed)}" if assumed else "", console, above=True)


def print_decisions(decisions: Sequence[Decision], console: Console) -> None:
    """Gates: how they stand in a sentence, a line per gate, then why, with the items and the evidence."""
    screen.sentence(gates(decisions), console)
    if not decisions:
        return
    head = ("gate", "verdict", "estimate", "at least", "confidence")
    named = [(name_of(decision, place), decision) for place, decision in enumerate(decisions, start=1)]
    lines = [
        (
            name,
            marked(decision.verdict, verdict_of(decision)),
            screen.cell(decision.estimate, "", full),
            given(decision.at_least),
            _confidence(decision.probability),
        )
        for name, decision in named
    ]
    screen.table(head, lines, console)
    screen.line(in_groups((name, decision.estimate) for name, decision in named), console, style="dim")
    for name, decision in named:
        screen.line(f"{marked(decision.verdict)}  {name}", console, style="bold", above=True)
        screen.line(asked_of(decision), console, indent=2, style="dim")
        screen.line(decision.why, console, indent=2)
        for text in filter(None, (look_at(decision), *decision.evidence)):
            screen.line(text, console, indent=2, style="dim")


def _found(part: CriterionValidation) -> Cells:
    ceiling = screen.cell(part.ceiling, people_absent(part))
    return (part.criterion, marked(part.word), _agreement(part), ceiling, count(part.agreement.n))


def _agreement(part: CriterionValidation) -> str:
    by_check = part.agreement.value is None and only_checks(part.funnel)
    return "by a check" if by_check else screen.cell(part.agreement)


def _criterion(part: CriterionValidation, validation: Validation, console: Console) -> None:
    """Why, of how many, and the figures that the table has not, each where it is known."""
    screen.line(f"{bias_of(part)}{part.why}", console, lead=f"{part.criterion}: ", above=True)
    screen.line(" · ".join(steps(part.funnel)), console, indent=2, style="dim")
    if part.agreement.value is None:
        return
    figures = [
        f"confidence that it is at least {given(validation.bar)}: {_confidence(part.probability)}",
        f"kappa {figure(part.kappa)}",
        f"agreement, judge minus people {figure(part.difference)}" if part.difference else "",
        _matrix(part),
    ]
    screen.line(" · ".join(filter(None, figures)), console, indent=2, style="dim")


def _matrix(part: CriterionValidation) -> str:
    """The confusion matrix in words, where that takes a few lines and no more."""
    text = " · ".join(against(part))
    return text if len(text) <= _MATRIX else ""


def _rate(rate: Rate) -> tuple[str, ...]:
    return (
        rate.criterion,
        screen.cell(rate.estimate),
        screen.cell(rate.raw, "nothing scored"),
        screen.cell(rate.classical, "no labels"),
        count(rate.estimate.n),
    )


def _about(named: Sequence[tuple[str, Rate]]) -> Iterable[str]:
    """What the columns of the rates mean, and the one figure that they have no room for."""
    yield in_groups((name, rate.estimate) for name, rate in named)
    yield f"judge alone: {JUDGE_ALONE}" if any(rate.raw for _, rate in named) else ""
    biases = [f"{name} {signed(rate.bias)}" for name, rate in named if rate.bias is not None]
    yield f"judge's bias on the labelled items: {', '.join(biases)}" if biases else ""


def _block(name: str, lines: Sequence[str], console: Console) -> None:
    """The lines that one criterion has to itself, under its name; nothing where there are none."""
    screen.line(name if lines else "", console, style="bold", above=True)
    for text in lines:
        screen.line(text, console, indent=2)


def _made(rate: Rate) -> tuple[str, ...]:
    """What the rate counts, and how it was made."""
    if rate.estimate.value is None:
        return ()
    return (f"share of {' or '.join(rate.passing)}", f"method {rate.estimate.method}")


def _shared(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """What stands in every list that holds anything."""
    some = [texts for texts in lists if texts]
    return tuple(text for text in some[0] if all(text in texts for texts in some)) if some else ()


def _own(rate: Rate, *, apart_from: Sequence[str]) -> Iterable[str]:
    """What one rate alone has: what it counts, its method, its assumptions, its warnings."""
    made = [text for text in _made(rate) if text not in apart_from]
    if made:
        yield " · ".join(made)
    yield from (f"assumed: {text}" for text in rate.assumptions if text not in apart_from)
    yield from (f"! {text}" for text in rate.warnings)


def _confidence(number: float | None) -> str:
    return screen.NOTHING if number is None else probability(number)
