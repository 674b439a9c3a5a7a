"""Lines, tables and warnings as a terminal has them: wrapped, never cut. Knows no result.

Texts from data are printed as data: no markup, no escape sequence and no reordering gets through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fiel.records import one_line
from fiel.reports._numbers import count, figure
from fiel.reports._text import listing, parts
from fiel.stats import Estimate

if TYPE_CHECKING:  # rich takes a while to load: only who prints pays for it
    from rich.console import Console

Cells: TypeAlias = Sequence[str]

NOTHING = "–"
_UNBROKEN = re.compile(r" (?=%|×\d)")
_HELD = "\uffff"  # a space at which no line breaks, until it is wrapped; no text has this, as `visible` writes it out
_WARNINGS = 8  # that are told: more is no screen
_FOLDED = 12  # columns: what the first column of a table is folded to at the narrowest


def cell(estimate: Estimate | None, absent: str = "", shown: Callable[[Estimate], str] = figure) -> str:
    """A figure in a table; what is undefined is a dash, and the reason stands elsewhere, once."""
    if estimate is None:
        return absent
    return NOTHING if estimate.value is None else shown(estimate)


def undefined(figures: Iterable[tuple[str, Estimate | None]], said: str, console: Console) -> None:
    """Why there are dashes in the table above: each reason once, unless it is in what is said anyway."""
    reasons: dict[str, list[str]] = {}
    for name, estimate in figures:
        if estimate is not None and estimate.reason is not None and estimate.reason not in said:
            reasons.setdefault(estimate.reason, []).append(name)
    for reason, names in reasons.items():
        line(f"{NOTHING} {listing(tuple(dict.fromkeys(names)))}: {reason}", console, style="dim")


def sentence(text: str, console: Console) -> None:
    """What answers first, in bold."""
    line(text, console, style="bold")


def warnings(texts: Iterable[str], console: Console) -> None:
    """What to know, the first of it; more is in the report."""
    said = list(texts)
    for place, text in enumerate(said[:_WARNINGS]):
        line(f"! {text}", console, above=place == 0)
    left = len(said) - _WARNINGS
    line(f"! and {count(left)} more, in the report" if left > 0 else "", console)


def line(
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
    for part in text.wrap(console, max(console.width - indent, 1), overflow="fold"):
        part.rstrip()
        part.plain = part.plain.replace(_HELD, " ")
        console.print(Text(" " * indent) + part, highlight=False, soft_wrap=True)


def table(head: Cells, lines: Sequence[Cells], console: Console) -> None:
    """A table where it fits, its first column folded if need be; else a line or two for each of its rows."""
    from rich.table import Table  # noqa: PLC0415  rich is loaded when something is printed
    from rich.text import Text  # noqa: PLC0415  the same

    console.print()
    if _least(head, lines) > console.width:
        for row in lines:
            line(row[0], console, style="bold")
            named = (f"{name} {cell}" for name, cell in zip(head[2:], row[2:], strict=True) if cell)
            line(" · ".join((row[1], *named)), console, indent=2)
        return
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", collapse_padding=True)
    for place, name in enumerate(head):
        last = place == len(head) - 1
        made.add_column(Text(one_line(name)), justify="right" if last else "left", no_wrap=place > 0, overflow="fold")
    for row in lines:
        made.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(made, highlight=False)


def _least(head: Cells, lines: Sequence[Cells]) -> int:
    """How many columns the table takes when its first one is folded and nothing is cut."""
    from rich.cells import cell_len  # noqa: PLC0415  rich is loaded when something is printed

    widths = [max(cell_len(one_line(row[place])) for row in (head, *lines)) for place in range(len(head))]
    return min(widths[0], _FOLDED) + sum(widths[1:]) + 2 * (len(head) - 1)
