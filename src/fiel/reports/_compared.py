"""What stands beside each other in a terminal: parts of a whole, two systems, a set and its next version.

Knows no file and computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fiel.measures import RateDifference, RevisedCriterion, Revision, SliceFigures, SliceTable, Validation
from fiel.reports import _screen as screen
from fiel.reports._numbers import count, figure, full, limits, signed
from fiel.reports._screen import Cells
from fiel.reports._text import marked
from fiel.reports._view import in_groups
from fiel.stats import Estimate

if TYPE_CHECKING:  # rich takes a while to load: only who prints pays for it
    from rich.console import Console

SLICED = "intervals allow for the number of parts that were looked at; too few: under 10 items"
_LINES = 28  # of a table of parts


def slices_of(validations: Sequence[Validation]) -> list[tuple[str, SliceTable]]:
    """The slices of agreement, each with its criterion, and its judge where there are several."""
    several = len(validations) > 1
    return [
        (f"{validation.judge}, {part.criterion}" if several else part.criterion, table)
        for validation in validations
        for part in validation.criteria
        for table in part.slices
    ]


def print_slices(named: Sequence[tuple[str, SliceTable]], what: str, console: Console) -> None:
    """A figure by the values of fields: what stands out first, then a table for each field; nothing without slices."""
    for field in dict.fromkeys(table.field for _, table in named):
        tables = [(name, table) for name, table in named if table.field == field]
        screen.line(f"By {field}", console, style="bold", above=True)
        for text in stands_out(tables):
            screen.line(text, console)
        lines = [_part(name, one) for name, table in tables for one in table.slices]
        if not lines:
            continue
        screen.table(("criterion", field, what, "unlike the rest", "items"), lines[:_LINES], console)
        left = len(lines) - _LINES
        screen.line(f"and {count(left)} more lines, in the report" if left > 0 else "", console, style="dim")
        screen.line(SLICED, console, style="dim")


def unlike(one: SliceFigures) -> str:
    """Whether a part differs from the whole, in words."""
    if one.small:
        return "too few to say"
    return "yes" if one.differs else "not surely"


def print_differences(differences: Sequence[RateDifference], console: Console) -> None:
    """Two systems: a sentence for each criterion, the paired differences, the rate of each, and what they rest on."""
    for one in differences:
        screen.sentence(one.sentence, console)
    several = len({(one.judge, one.identity) for one in differences}) > 1
    named = [(f"{one.judge}, {one.criterion}" if several else one.criterion, one) for one in differences]
    a, b = differences[0].a, differences[0].b
    head = ("criterion", f"{a} − {b}", "judge alone", "labels alone", "n")
    screen.table(head, [_difference(name, one) for name, one in named], console)
    gaps = [(name, part) for name, one in named for part in (one.estimate, one.raw, one.classical)]
    screen.undefined(gaps, "\n".join(one.sentence for one in differences), console)
    screen.line(in_groups((name, one.estimate) for name, one in named), console, style="dim")
    for place, (name, one) in enumerate(named):
        rates = f"{a} {figure(one.rate_a)} · {b} {figure(one.rate_b)}"
        screen.line(rates, console, lead=f"{name}: ", above=place == 0)
    open_to_doubt = [check for one in differences for check in one.checks if check.standing != "holds"]
    for place, text in enumerate(dict.fromkeys(f"{x.name}: {x.standing}. {x.text}" for x in open_to_doubt)):
        screen.line(text, console, style="dim", above=place == 0)
    screen.warnings(dict.fromkeys(text for one in differences for text in one.warnings), console)


def print_decided(revision: Revision, console: Console) -> None:
    """What the decisions of a second look did: how many, how many changed gold, how many agreements were upheld."""
    decided = [one for one in revision.criteria if one.decided]
    total, changed = sum(one.decided for one in decided), sum(one.changed for one in decided)
    upheld, looked = sum(one.confirmed for one in decided), sum(one.agreements for one in decided)
    drawn = f"{count(upheld)} of {count(looked)} agreements drawn at random were upheld"
    screen.sentence(
        f"{count(total)} decision{'' if total == 1 else 's'}, {count(changed)} of them changed gold; "
        f"{drawn if looked else 'no agreement drawn at random was decided'}.",
        console,
    )
    lines = [
        (
            one.criterion,
            count(one.decided),
            count(one.changed),
            f"{count(one.confirmed)} of {count(one.agreements)}" if one.agreements else screen.NOTHING,
        )
        for one in decided
    ]
    screen.table(("criterion", "decided", "changed gold", "agreements upheld"), lines, console)


def print_revisions(revisions: Sequence[Revision], console: Console) -> None:
    """Each judge on a calibration set and on its next version, where something was decided, and what that leans to."""
    several = len(revisions) > 1
    found = [
        (f"{revision.judge}, {one.criterion}" if several else one.criterion, one)
        for revision in revisions
        for one in revision.criteria
        if one.decided
    ]
    lines = [
        (name, screen.cell(one.before, "", full), screen.cell(one.after, "", full), _words(one)) for name, one in found
    ]
    screen.table(("criterion", "agreement before", "agreement after", "outcome"), lines, console)
    figures = [(name, part) for name, one in found for part in (one.before, one.after)]
    screen.undefined(figures, "", console)
    screen.line(in_groups(figures), console, style="dim")
    for place, note in enumerate(dict.fromkeys(revision.note for revision in revisions)):
        screen.line(note, console, above=place == 0)


def _words(one: RevisedCriterion) -> str:
    before, after = marked(one.word_before), marked(one.word_after)
    return f"{after}, as before" if before == after else f"{before} → {after}"


def stands_out(tables: Iterable[tuple[str, SliceTable]]) -> Iterable[str]:
    """A sentence for each table in which something stands out, or that says why it is none; else one for all."""
    said = [f"{name}: {x.sentence}" for name, x in tables if not x.slices or any(one.differs for one in x.slices)]
    return said or ["Nothing surely differs from the whole."]


def _part(name: str, one: SliceFigures) -> Cells:
    return (name, one.value, screen.cell(one.adjusted), unlike(one), count(one.n))


def _difference(name: str, one: RateDifference) -> Cells:
    gaps = [screen.cell(part, screen.NOTHING, _signed) for part in (one.estimate, one.raw, one.classical)]
    return (name, *gaps, count(one.estimate.n))


def _signed(estimate: Estimate) -> str:
    return f"{signed(estimate.value or 0.0)} {limits(estimate)}"
