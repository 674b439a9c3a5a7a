"""Results in a terminal: the sentence first, then a quiet table, then why. Knows no file and computes nothing.

Texts from data are printed as data: no markup, no escape sequence and no reordering gets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fiel.measures import CriterionValidation, Decision, Rate, Validation
from fiel.reports._numbers import figure, full, given, probability, signed
from fiel.reports._text import marked, one_line, parts
from fiel.reports._view import against, asked_of, gates, look_at, name_of, steps

if TYPE_CHECKING:  # rich takes a while to load: only who prints pays for it
    from rich.console import Console

Cells: TypeAlias = Sequence[str]

_FOLDED = 12  # columns: what the first column of a table is folded to at the narrowest


def print_validation(validation: Validation, console: Console) -> None:
    """One judge against people: the headline, a line per criterion, then each criterion's why and denominators."""
    _sentence(validation.headline, console)
    head = ("criterion", "outcome", "agreement", "people", "n")
    _table(head, [_found(c) for c in validation.criteria], console)
    for part in validation.criteria:
        _criterion(part, validation, console)
    _warnings(validation.warnings, console)
    _line(
        f"judge {validation.judge} ({validation.identity[:12]}), rubric {validation.rubric} "
        f"({validation.rubric_digest[:12]}), {len(validation.raters)} raters, bar {given(validation.bar)}, "
        f"intervals at {100 * validation.confidence:g} %",
        console,
        style="dim",
        above=True,
    )


def print_rates(rates: Sequence[Rate], console: Console) -> None:
    """Passing rates: each in a sentence, then corrected beside raw and labels alone, then what was assumed."""
    if not rates:
        _sentence("There are no rates.", console)
        return
    for rate in rates:
        _sentence(rate.sentence, console)
    several = len({(rate.judge, rate.identity) for rate in rates}) > 1
    head = (*(["judge"] if several else []), "criterion", "corrected", "judge alone", "labels alone", "n")
    lines = [((rate.judge,) if several else ()) + _rate(rate) for rate in rates]
    _table(head, lines, console)
    shared = tuple(text for text in rates[0].assumptions if all(text in rate.assumptions for rate in rates))
    for rate in rates:
        name = f"{rate.judge}, {rate.criterion}" if several else rate.criterion
        _line(name, console, style="bold", above=True)
        for text in _rate_notes(rate, apart_from=shared):
            _line(text, console, indent=2)
    for place, text in enumerate(shared):
        _line(f"assumed: {text}", console, above=place == 0)


def print_decisions(decisions: Sequence[Decision], console: Console) -> None:
    """Gates: how they stand in a sentence, a line per gate, then why, with the items and the evidence."""
    _sentence(gates(decisions), console)
    if not decisions:
        return
    head = ("gate", "verdict", "estimate", "at least", "chance")
    lines = [
        (
            name_of(decision, place),
            f"{marked(decision.verdict)}, {decision.certainty}",
            full(decision.estimate),
            given(decision.at_least),
            probability(decision.probability),
        )
        for place, decision in enumerate(decisions, start=1)
    ]
    _table(head, lines, console)
    for place, decision in enumerate(decisions, start=1):
        _line(f"{marked(decision.verdict)}  {name_of(decision, place)}", console, style="bold", above=True)
        _line(asked_of(decision), console, indent=2, style="dim")
        _line(decision.why, console, indent=2)
        for text in filter(None, (look_at(decision), *decision.evidence)):
            _line(text, console, indent=2, style="dim")


def _found(part: CriterionValidation) -> Cells:
    ceiling = figure(part.ceiling, "one rater")
    return (part.criterion, marked(part.word), figure(part.agreement), ceiling, str(part.agreement.n))


def _criterion(part: CriterionValidation, validation: Validation, console: Console) -> None:
    _line(f"{marked(part.word)}  {part.criterion}", console, style="bold", above=True)
    _line(part.why, console, indent=2)
    _line(" · ".join(steps(part.funnel)), console, indent=2, style="dim")
    _line(" · ".join(against(part)), console, indent=2, style="dim")
    chance = f"chance that agreement is above {given(validation.bar)}: {probability(part.probability)}"
    difference = f" · judge minus people {figure(part.difference)}" if part.difference else ""
    _line(f"{chance} · kappa {figure(part.kappa)}{difference}", console, indent=2, style="dim")


def _rate(rate: Rate) -> tuple[str, ...]:
    return (
        rate.criterion,
        figure(rate.estimate),
        figure(rate.raw, "nothing scored"),
        figure(rate.classical, "no labels"),
        str(rate.estimate.n),
    )


def _rate_notes(rate: Rate, *, apart_from: Sequence[str]) -> Iterable[str]:
    yield f"share of {' or '.join(rate.passing)} · {rate.estimate.method}"
    yield " · ".join(steps(rate.funnel))
    if rate.bias is not None:
        yield f"judge's bias on the labelled items: {signed(rate.bias)}"
    yield from (f"assumed: {text}" for text in rate.assumptions if text not in apart_from)
    yield from (f"! {text}" for text in rate.warnings)


def _sentence(text: str, console: Console) -> None:
    _line(text, console, style="bold")


def _warnings(texts: Iterable[str], console: Console) -> None:
    for place, text in enumerate(texts):
        _line(f"! {text}", console, above=place == 0)


def _line(sentence: str, console: Console, *, indent: int = 0, style: str = "", above: bool = False) -> None:
    """A sentence, wrapped; the names that it emphasises in italics, everything else to the letter."""
    from rich.text import Text  # noqa: PLC0415  rich is loaded when something is printed

    if not sentence:
        return
    if above:
        console.print()
    text = Text(style=style)
    for piece, strong in parts(sentence):
        text.append(one_line(piece), style="italic" if strong else None)
    for line in text.wrap(console, max(console.width - indent, 1), overflow="fold"):
        line.rstrip()
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
