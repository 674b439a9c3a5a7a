"""`fiel label`: make a study of a sample, hand out its links, serve its pages, close it. Knows no judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fiel.cli._book import has_book, kept, next_name, open_book, unasked
from fiel.cli._draw import sample_of
from fiel.cli._exits import say, tell, warn
from fiel.cli._pace import paces
from fiel.cli._short import listed, short, word
from fiel.cli._standing import check_finished, report, standing, states, unfinished
from fiel.labelling import Desk, Role
from fiel.records import FielError, Sample, Study
from fiel.store.labels import LabelStore, Link
from fiel.store.project import Project

RATER: Role = "rater"
ADJUDICATOR: Role = "adjudicator"


class Handed(NamedTuple):
    """A link, and the study that it opens."""

    study: str
    link: Link


class Wish(NamedTuple):
    """What was asked for of a study, absent where nothing was."""

    raters: tuple[str, ...]
    adjudicator: str | None
    per_item: int | None
    repeats: float | None
    show: tuple[str, ...]


def run(folder: Path, name: str | None, wish: Wish, *, host: str, port: int, new_links: tuple[str, ...]) -> None:
    """Make what is not there yet, and serve the pages until interrupted."""
    from fiel.web import exposure, serve  # here: only serving needs a server

    project = Project.open(folder)
    sample = sample_of(project, name)
    with open_book(project) as book:
        links = [*_made(project, book, sample, wish), *_replaced(book, sample, wish, new_links)]
        waiting = [study for study in kept(book, sample) if book.is_open(study)]
        if not waiting:
            raise FielError(
                f"The study {sample.name!r} is closed for good: results may have been looked at.",
                fix=f"Freeze it: fiel freeze {sample.name}",
            )
        if risk := exposure(host):
            warn(risk)
        serve(Desk(book), host=host, port=port, ready=lambda address: _serving(address, sample, waiting, links))
    say(f"Stopped. Every answer that a page showed as saved is kept; fiel label {sample.name} goes on.")


def close(folder: Path, name: str | None, *, anyway: bool) -> None:
    """Take no more answers, and say what is there; refused while something waits, unless it was asked for anyway."""
    project = Project.open(folder)
    sample = sample_of(project, name)
    with study_book(project, sample) as book:
        names = kept(book, sample)
        if not anyway:
            waiting = [study for study in names if book.is_open(study)]
            check_finished(book, sample, waiting, f"fiel label {word(sample.name)} --close --anyway")
        for study in names:
            book.close_study(study)
        for study, found in states(book, names).items():
            tell(*standing(study, found))
    say(f"{sample.name} is closed, for good. Next: fiel freeze {sample.name}")


def status(folder: Path, name: str | None) -> None:
    """Say how far everybody is, without a word of what they answered; it changes nothing, and may be asked any time."""
    project = Project.open(folder)
    sample = sample_of(project, name)
    with study_book(project, sample) as book:
        names = kept(book, sample)
        found = states(book, names)
        tell(*report(book, sample, found))
        for warning in paces(book, names, blind=True):
            warn(warning)
        called, is_open = word(sample.name), any(map(book.is_open, names))
        is_done = not (unfinished(found) or unasked(book, sample))
    if not is_open:
        say(f"Next: fiel freeze {called}")
        return
    say(f"Links are not kept, and not shown again; a new one: fiel label {called} --new-link NAME")
    say(f"Next: fiel label {called} --close" if is_done else f"Not done. fiel label {called} serves the pages.")


def check_options(wish: Wish, new_links: tuple[str, ...], *, close: bool, status: bool, anyway: bool) -> None:
    """Whether the options that were typed go together.

    Raises:
        FielError: two of them exclude each other, or one belongs to another that is missing.
    """
    if close and status:
        raise FielError("--close and --status exclude each other.", fix="Ask for the status first.")
    if anyway and not close:
        raise FielError("--anyway belongs to --close.", fix="Leave it out.")
    if (close or status) and (new_links or any(value not in (None, ()) for value in wish)):
        verb = "--close" if close else "--status"
        raise FielError(f"{verb} serves no pages, and takes no other options.", fix=f"Type it alone: fiel label {verb}")


def study_book(project: Project, sample: Sample) -> LabelStore:
    """The labels' database with a study of the sample in it, to be closed by the caller.

    Raises:
        FielError: nobody has been asked to label the sample.
    """
    if has_book(project):
        book = open_book(project, must_exist=True)
        if kept(book, sample):
            return book
        book.close()
    raise FielError(
        f"There is no study of sample {sample.name!r}.",
        fix=f"Start one: fiel label {sample.name} --rater NAME --rater NAME",
    )


def _made(project: Project, book: LabelStore, sample: Sample, wish: Wish) -> list[Handed]:
    """The links of a study of what nobody has been asked yet."""
    there, subjects = kept(book, sample), unasked(book, sample)
    before = book.study(there[-1]) if there else None
    if before is None and not wish.raters:
        raise FielError(
            f"Nobody is named to label {sample.name!r}.",
            fix=f"Name each: fiel label {sample.name} --rater ana --rater ben --adjudicator carla",
        )
    if not subjects:
        if before is not None:
            _check_same(before, wish)
        return []
    rubric = project.rubric(sample.rubric)
    if rubric.digest != sample.rubric_digest:
        warn("the rubric has changed since the sample was drawn; raters are asked what it says now.")
    items = {item.id: item for item in project.items()}
    gone = [subject for subject in subjects if subject not in items]
    if gone:
        raise FielError(
            f"Item {gone[0]!r} was drawn and is no longer there.",
            where=f"sample {sample.name!r}",
            fix="Bring it back, or draw another sample.",
        )
    shown, asked = tuple(items[subject] for subject in subjects), _asked(before, wish)
    study = Study(name=next_name(sample, there), rubric=rubric, subjects=shown, **asked)
    return [Handed(study.name, link) for link in book.create(study)]


def _asked(before: Study | None, wish: Wish) -> dict[str, Any]:
    """Who labels and what they see: as wished, else as in the stage before, else as a study has it by default."""
    names = ("raters", "adjudicator", "per_item", "repeats", "show")
    wished = {name: value for name in names if (value := getattr(wish, name)) not in (None, ())}
    return ({name: getattr(before, name) for name in names} if before else {}) | wished


def _check_same(before: Study, wish: Wish) -> None:
    """Raise where something else is wished of a study that is there: it never changes."""
    for name in ("raters", "per_item", "repeats", "show"):
        value = getattr(wish, name)
        if value not in (None, ()) and value != getattr(before, name):
            raise FielError(
                f"The study {before.name!r} is there already, with other {name.replace('_', ' ')}; that never changes.",
                fix="Leave the option out to serve it as it is, or draw another sample.",
            )


def _replaced(book: LabelStore, sample: Sample, wish: Wish, names: Sequence[str]) -> list[Handed]:
    """New links for those who are named, and the first one of an adjudicator who was named late."""
    links: list[Handed] = []
    for study in (book.study(name) for name in kept(book, sample)):
        for name in dict.fromkeys(names):
            roles = [role for role, people in _people(study) if name in people]
            links += [Handed(study.name, book.issue(study.name, name, role)) for role in roles or (RATER,)]
        if wish.adjudicator is not None and wish.adjudicator != study.adjudicator:
            links.append(Handed(study.name, book.issue(study.name, wish.adjudicator, ADJUDICATOR)))
    return links


def _people(study: Study) -> tuple[tuple[Role, tuple[str, ...]], ...]:
    adjudicators = () if study.adjudicator is None else (study.adjudicator,)
    return (RATER, study.raters), (ADJUDICATOR, adjudicators)


def _serving(address: str, sample: Sample, waiting: Sequence[str], links: Sequence[Handed]) -> None:
    """Print the links, once: they are kept as digests alone."""
    for study, link in links:
        where = f" ({study})" if len(waiting) > 1 else ""
        page = "l" if link.role == RATER else "adjudicate"
        tell(f"{short(link.name)}, {link.role}{where}: {address}/{page}/{link.token}")
    if links:
        say("Each link is secret and shown this once: whoever has it answers in that name.")
    else:
        say(f"The links are as they were; they are not kept. A new one: fiel label {sample.name} --new-link NAME")
    say(f"Serving {listed(waiting)} at {address}. Ctrl-C stops it.")
    say(f"How far it is, while this serves: fiel label {sample.name} --status")
    say(f"When all is answered and decided: fiel label {sample.name} --close")
