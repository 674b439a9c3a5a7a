"""How raters worked, in words, where it is worth one. Nobody is left out for it; knows no judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiel.cli._short import short
from fiel.labelling import Pace, pace
from fiel.store.labels import LabelStore

FAST = 0.05  # a share of items answered faster than they can be read that is worth a word
RARE = 0.001  # the chance of a run of equal answers that is


def paces(book: LabelStore, names: Iterable[str], *, blind: bool = False) -> Iterator[str]:
    """A sentence for each that is worth one, in the order of the studies and their raters.

    Args:
        book: the labels' database.
        names: of studies.
        blind: say nothing from which a rater's answers could be told: no option, no count of agreement.
    """
    for name in names:
        for found in pace(book.study(name), book.assignments(name), book.givens(name)):
            yield from _pace(found, blind=blind)


def _pace(found: Pace, *, blind: bool) -> Iterator[str]:
    who = short(found.rater)
    if found.fast > FAST * found.timed:
        yield (
            f"{who} answered {found.fast} of {found.timed} items in less time than it takes to read them "
            f"(median {found.seconds:.0f} s an item)."
        )
    run = found.run
    if run is not None and run.length < run.of and run.chance < RARE:
        times = f"{run.length} times in a row, of {run.of}"
        if blind:
            yield f"{who} gave one answer to {short(run.criterion)} {times}: rarely does so long a run come by chance."
        else:
            yield (
                f"{who} answered {short(run.answer)!r} to {short(run.criterion)} {times}; in a random order a run so "
                f"long has a chance of {run.chance:.2g}."
            )
    if found.changed:
        yield f"{who} answered {found.changed} of {found.repeats} hidden repeats otherwise than the first time."
    if found.unread:
        taken = "" if blind else f"{found.accepted} of {found.suggested} suggested answers, "
        some = f"{found.unread} suggested answers" if blind else f"{found.unread} of them"
        yield f"{who} took over {taken}{some} in less time than it takes to read the item."
