"""Results in a terminal: the sentence first, then a quiet table, then why. Knows no file and computes nothing.

Texts from data are printed as data: no markup, no escape sequence and no reordering gets through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fiel.measures import CriterionValidation, Decision, Rate, Validation
from fiel.records import one_line
from fiel.reports._numbers import count, figure, full, given, probability, signed
from fiel.reports._text import listing, marked, parts
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
from fiel.stats import Estimate

if TYPE_CHECKING:  # rich takes a while to load: only who prints pays for it
    from rich.console import Console

Cells: TypeAlias = Sequence[str]

_NOTHING = "–"
_UNBROKEN = re.compile(r" (?=%|×\d)")
_HELD = "\uffff"  # a space at which no line breaks, until it is wrapped; no text has this, as `visible` writes it out
_BLOCKS = 8  # criteria that are explained, and warnings that are told: more is no screen
_LINES = 28  # of a table that sets judges beside each other
_MATRIX = 240  # characters: three lines of a common terminal; a longer matrix is left to the pages
_FOLDED = 12  # columns: what the first column of a table is folded to at the narrowest


def print_validation(validation: Validation, console: Console) -> None:
    """One judge against people: the headline, a line per criterion, then each criterion's why and denominators."""
    _sentence(validation.headline, console)
    _line(simulated(validation.raters), console)
    head = ("criterion", "outcome", "agreement", "people", "n")
    criteria = validation.criteria
    _table(head, [_found(part) for part in criteria], console)
    _line(in_groups((part.criterion, part.agreement) for part in criteria), console, style="dim")
    gaps = [(part.criterion, part.ceiling) for part in criteria]
    gaps += [(part.criterion, part.agreement) for part in criteria if not only_checks(part.funnel)]
    _undefined(gaps, "\n".join(part.why for part in criteria), console)
    for part in criteria[:_BLOCKS]:
        _criterion(part, validation, console)
    left = len(criteria) - _BLOCKS
    _line(f"Why, of the other {count(left)}: the report." if left > 0 else "", console, style="dim", above=True)
    _warnings(validation.warnings, console)
    _line(
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
        _sentence(sentence, console)
    _line(simulated(dict.fromkeys(rater for v in validations for rater in v.raters)), console)
    lines = list(_beside(validations))
    _table(("criterion", "judge", "outcome", "agreement", "n"), lines[:_LINES], console)
    left = len(lines) - _LINES
    _line(f"and {count(left)} more lines, in the report" if left > 0 else "", console, style="dim")
    figures = [(part.criterion, part.agreement) for v in validations for part in v.criteria]
    _line(in_groups(figures), console, style="dim")
    _warnings(warnings_about(validations), console)
    _line("Why, judge by judge: the report, or --judge NAME.", console, above=True)
    _line(
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
        yield (criterion, "people", "", _cell(people.ceiling, people_absent(people)), n)
        yield from (("", judge, marked(part.word), _agreement(part), count(part.agreement.n)) for judge, part in found)


def print_rates(rates: Sequence[Rate], console: Console) -> None:
    """Passing rates: each in a sentence, then corrected beside raw and labels alone, then what was assumed.

    What all rates share is said once; a criterion has lines of its own for what it alone has.
    """
    if not rates:
        _sentence("There are no rates.", console)
        return
    for rate in rates:
        _sentence(rate.sentence, console)
    several = len({(rate.judge, rate.identity) for rate in rates}) > 1
    named = [(f"{rate.judge}, {rate.criterion}" if several else rate.criterion, rate) for rate in rates]
    head = (*(["judge"] if several else []), "criterion", "corrected", "judge alone", "labels alone", "n")
    _table(head, [((rate.judge,) if several else ()) + _rate(rate) for rate in rates], console)
    gaps = [(name, part) for name, rate in named for part in (rate.estimate, rate.raw, rate.classical)]
    _undefined(gaps, "\n".join(rate.sentence for rate in rates), console)
    made, assumed = _shared([_made(rate) for rate in rates]), _shared([rate.assumptions for rate in rates])
    for text in (*_about(named), " · ".join(made)):
        _line(text, console, style="dim")
    for name, rate in named:
        _block(name, tuple(_own(rate, apart_from=(*made, *assumed))), console)
    _line(f"assumed: {' '.join(assumed)}" if assumed else "", console, above=True)


def print_decisions(decisions: Sequence[Decision], console: Console) -> None:
    """Gates: how they stand in a sentence, a line per gate, then why, with the items and the evidence."""
    _sentence(gates(decisions), console)
    if not decisions:
        return
    head = ("gate", "verdict", "estimate", "at least", "confidence")
    named = [(name_of(decision, place), decision) for place, decision in enumerate(decisions, start=1)]
    lines = [
        (
            name,
            marked(decision.verdict, verdict_of(decision)),
            _cell(decision.estimate, "", full),
            given(decision.at_least),
            _confidence(decision.probability),
        )
        for name, decision in named
    ]
    _table(head, lines, console)
    _line(in_groups((name, decision.estimate) for name, decision in named), console, style="dim")
    for name, decision in named:
        _line(f"{marked(decision.verdict)}  {name}", console, style="bold", above=True)
        _line(asked_of(decision), console, indent=2, style="dim")
        _line(decision.why, console, indent=2)
        for text in filter(None, (look_at(decision), *decision.evidence)):
            _line(text, console, indent=2, style="dim")


def _found(part: CriterionValidation) -> Cells:
    ceiling = _cell(part.ceiling, people_absent(part))
    return (part.criterion, marked(part.word), _agreement(part), ceiling, count(part.agreement.n))


def _agreement(part: CriterionValidation) -> str:
    by_check = part.agreement.value is None and only_checks(part.funnel)
    return "by a check" if by_check else _cell(part.agreement)


def _criterion(part: CriterionValidation, validation: Validation, console: Console) -> None:
    """Why, of how many, and the figures that the table has not, each where it is known."""
    _line(f"{bias_of(part)}{part.why}", console, lead=f"{part.criterion}: ", above=True)
    _line(" · ".join(steps(part.funnel)), console, indent=2, style="dim")
    if part.agreement.value is None:
        return
    figures = [
        f"confidence that it is at least {given(validation.bar)}: {_confidence(part.probability)}",
        f"kappa {figure(part.kappa)}",
        f"agreement, judge minus people {figure(part.difference)}" if part.difference else "",
        _matrix(part),
    ]
    _line(" · ".join(filter(None, figures)), console, indent=2, style="dim")


def _matrix(part: CriterionValidation) -> str:
    """The confusion matrix in words, where that takes a few lines and no more."""
    text = " · ".join(against(part))
    return text if len(text) <= _MATRIX else ""


def _rate(rate: Rate) -> tuple[str, ...]:
    return (
        rate.criterion,
        _cell(rate.estimate),
        _cell(rate.raw, "nothing scored"),
        _cell(rate.classical, "no labels"),
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
    _line(name if lines else "", console, style="bold", above=True)
    for text in lines:
        _line(text, console, indent=2)


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


def _cell(estimate: Estimate | None, absent: str = "", shown: Callable[[Estimate], str] = figure) -> str:
    """A figure in a table; what is undefined is a dash, and the reason stands elsewhere, once."""
    if estimate is None:
        return absent
    return _NOTHING if estimate.value is None else shown(estimate)


def _confidence(number: float | None) -> str:
    return _NOTHING if number is None else probability(number)


def _undefined(figures: Iterable[tuple[str, Estimate | None]], said: str, console: Console) -> None:
    """Why there are dashes in the table above: each reason once, unless it is in what is said anyway."""
    reasons: dict[str, list[str]] = {}
    for name, estimate in figures:
        if estimate is not None and estimate.reason is not None and estimate.reason not in said:
            reasons.setdefault(estimate.reason, []).append(name)
    for reason, names in reasons.items():
        _line(f"{_NOTHING} {listing(tuple(dict.fromkeys(names)))}: {reason}", console, style="dim")


def _sentence(text: str, console: Console) -> None:
    _line(text, console, style="bold")


def _warnings(texts: Iterable[str], console: Console) -> None:
    said = list(texts)
    for place, text in enumerate(said[:_BLOCKS]):
        _line(f"! {text}", console, above=place == 0)
    left = len(said) - _BLOCKS
    _line(f"! and {count(left)} more, in the report" if left > 0 else "", console)


def _line(
    sentence: str, console: Console, *, lead: str = "", indent: int = 0, style: str = "", above: bool = False
) -> None:
    """A sentence, wrapped; the names that it emphasises in italics, everything else to the letter; a lead in bold."""
    from rich.text import Text  # noqa: PLC0415  rich is loaded when something is printed

    if not sentence:
        return
    if above:
        console.print()
    text = Text(style=style)
    text.append(one_line(lead), style="bold")
    for piece, strong in parts(sentence):
        text.append(_UNBROKEN.sub(_HELD, one_line(piece)), style="italic" if strong else None)
    for line in text.wrap(console, max(console.width - indent, 1), overflow="fold"):
        line.rstrip()
        line.plain = line.plain.replace(_HELD, " ")
        console.print(Text(" " * indent) + line, highlight=False, soft_wrap=True)


def _table(head: Cells, lines: Sequence[Cells], console: Console) -> None:
    """A table where it fits, its first column folded if need be; else a line or two for each of its rows."""
    from rich.table import Table  # noqa: PLC0415  rich is loaded when something is printed
    from rich.text import Text  # noqa: PLC0415  the same

    console.print()
    if _least(head, lines) > console.width:
        for line in lines:
            _line(line[0], console, style="bold")
            named = (f"{name} {cell}" for name, cell in zip(head[2:], line[2:], strict=True))
            _line(" · ".join((line[1], *named)), console, indent=2)
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", collapse_padding=True)
    for place, name in enumerate(head):
        last = place == len(head) - 1
        table.add_column(Text(name), justify="right" if last else "left", no_wrap=place > 0, overflow="fold")
    for line in lines:
        table.add_row(*(Text(one_line(cell)) for cell in line))
    console.print(table, highlight=False)


def _least(head: Cells, lines: Sequence[Cells]) -> int:
    """How many columns the table takes when its first one is folded and nothing is cut."""
    from rich.cells import cell_len  # noqa: PLC0415  rich is loaded when something is printed

    widths = [max(cell_len(one_line(line[place])) for line in (head, *lines)) for place in range(len(head))]
    return min(widths[0], _FOLDED) + sum(widths[1:]) + 2 * (len(head) - 1)
