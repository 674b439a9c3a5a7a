"""How far a sample's studies are: what is answered, what waits, and whether they may be closed. Tells no answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fiel.cli._book import unasked
from fiel.cli._short import counted, short, word
from fiel.labelling import RaterState, State, state
from fiel.records import FielError, Sample
from fiel.store.labels import LabelStore


def states(book: LabelStore, names: Iterable[str]) -> dict[str, State]:
    """How far studies are, by name."""
    return {
        name: state(book.study(name), book.assignments(name), book.givens(name), book.decisions(name)) for name in names
    }


def standing(name: str, found: State) -> list[str]:
    """What has been answered in a study, per rater, and what raters split on."""
    study = short(name)
    lines = [f"{study}, {short(rater.rater)}: {_rater(rater)}" for rater in found.raters]
    apart = sum(found.splits.values())
    told = ", ".join(f"{short(criterion)} {count}" for criterion, count in found.splits.items())
    lines.append(f"{study}: raters split on {apart} answers{f' ({told})' if told else ''}")
    lines[-1] += f"; {found.decided} decided" if apart else ""
    if found.others:
        lines.append(f"{study}: {found.others} more were flagged or skipped; {found.others_decided} of them decided")
    return lines


def report(book: LabelStore, sample: Sample, found: Mapping[str, State]) -> Iterator[str]:
    """The same of all studies of a sample, with whether each takes answers, who decides, and who has looked."""
    lines = {line.name: line for line in book.studies()}
    for name, there in found.items():
        study, line = book.study(name), lines[name]
        ended = f"closed, for good, since {_time(line.closed_at)}" if line.closed_at else "takes answers"
        yield f"{short(name)}: {len(study.subjects)} items, made {_time(line.created_at)}, {ended}"
        yield from standing(name, there)
        if there.outdated:
            yield f"{short(name)}: {there.outdated} decided on answers that have changed since"
        yield f"{short(name)}: adjudicator {short(study.adjudicator) if study.adjudicator else 'not named'}"
        for look in book.unblindings(name):
            yield f"{short(name)}: {short(look.by)} looked at results at {_time(look.at)} ({short(look.command)})"
    if left := unasked(book, sample):
        yield f"{short(sample.name)}: {len(left)} items were drawn in a top-up, and nobody has been asked about them"


def unfinished(found: Mapping[str, State]) -> list[str]:
    """What waits in studies: a few words for each rater who has open questions, and for what nobody has decided."""
    waiting = []
    for name, there in found.items():
        of = f" of {short(name)}" if len(found) > 1 else ""
        waiting += [f"{short(x.rater)} has {counted(x.open, 'question')}{of} open" for x in there.raters if x.open]
        if there.undecided:
            waiting.append(f"{counted(there.undecided, 'split')}{of} undecided")
        if there.outdated:
            waiting.append(f"{counted(there.outdated, 'decision')}{of} on answers that have changed since")
    return waiting


def check_finished(book: LabelStore, sample: Sample, names: Sequence[str], command: str) -> None:
    """Whether studies can be closed with nothing lost: closing is for good.

    Args:
        book: the labels' database.
        sample: whose studies they are.
        names: of those that are open.
        command: what closes them all the same.

    Raises:
        FielError: somebody has still to answer, or something has still to be decided.
    """
    found = states(book, names)
    waiting = unfinished(found)
    if not waiting:
        return
    nobody = any(there.undecided and book.study(name).adjudicator is None for name, there in found.items())
    again = f"fiel label {word(sample.name)}" + (" --adjudicator NAME" if nobody else "")
    raise FielError(
        f"{short(sample.name)!r} is not done, and closing is for good: {_row(waiting)}.",
        fix=f"Go on: {again}. Or close it as it is: {command}",
    )


def _rater(found: RaterState) -> str:
    told = (
        f"{found.answered} of {found.asked} questions answered, {found.skipped} skipped, {found.open} open, "
        f"{found.flagged} flagged"
    )
    return told if found.last is None else f"{told}; last at {_time(found.last)}"


def _time(at: str) -> str:
    """ISO 8601 in UTC, to the minute."""
    return f"{at[:10]} {at[11:16]} UTC"


def _row(parts: Sequence[str], most: int = 8) -> str:
    rest = f"; and {len(parts) - most} more" if len(parts) > most else ""
    return "; ".join(parts[:most]) + rest
