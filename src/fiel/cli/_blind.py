"""Who may look while people label: open studies, and the looks at results that are written down. Computes nothing."""

from __future__ import annotations

import getpass
import os

from fiel.cli._book import has_book, open_book
from fiel.cli._exits import warn
from fiel.cli._short import listed, short
from fiel.records import FielError
from fiel.store.project import Project


def person(who: str | None = None) -> str:
    """Who is at work: as told, else $FIEL_USER, else the user of this machine."""
    try:
        return who or os.environ.get("FIEL_USER") or getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in a container
        return f"user {os.getuid()}"


def open_studies(project: Project, *, subject: str | None = None) -> list[str]:
    """The names of the studies that take answers now; with a subject, of those that show it."""
    if not has_book(project):
        return []
    with open_book(project, must_exist=True) as book:
        names = [line.name for line in book.studies() if line.closed_at is None]
        if subject is None:
            return names
        return [name for name in names if subject in {shown.id for shown in book.study(name).subjects}]


def look(project: Project, *, unblind: bool, who: str | None, command: str, subject: str | None = None) -> None:
    """Refuse to show a judge's results while a study is open, or write down that somebody looks.

    Raises:
        FielError: a study is open, and nobody said that he wants to look all the same.
    """
    labelled = open_studies(project, subject=subject)
    if not labelled:
        return
    if not unblind:
        raise FielError(
            f"People are labelling {listed(labelled)}, and have to stay blind to the judge; nothing is shown.",
            fix=f"Close it first: fiel label {labelled[0]} --close. Or look all the same with --unblind: it is written "
            "down, and what you label afterwards is left out.",
        )
    by = person(who)
    with open_book(project, must_exist=True) as book:
        for name in labelled:
            book.unblind(name, by, command)
    warn(
        f"unblinded. It is written down that {short(by)} looked while {listed(labelled)} is open; labels that "
        f"{short(by)} gives from now on are kept apart and left out of the figures."
    )
