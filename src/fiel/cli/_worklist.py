"""`fiel validate --worklist`: the list of what to look at again, as a file to be filled in. Computes no figure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fiel.cli._exits import say
from fiel.cli._plain import commands
from fiel.cli._preferences import named
from fiel.cli._short import listed, word
from fiel.cli._studies import Study
from fiel.interop import check_ending, worklist_file
from fiel.measures import worklist
from fiel.records import FielError
from fiel.store.writing import write_file


class Listing(NamedTuple):
    """A work list as it was asked for: its file, the share of agreements, the seed of their draw."""

    path: Path
    share: float
    seed: int
    replace: bool


def check(wish: Listing) -> None:
    """Whether the list can be written, before anything is read.

    Raises:
        FielError: another ending than .csv or .jsonl, or a file that is there and is not to be replaced.
    """
    check_ending(wish.path)
    if wish.path.exists() and not wish.replace:
        raise FielError(
            "There is a file of this name, which may be filled in already.",
            where=str(wish.path),
            fix="Name another, or say --replace to put the new list in its place.",
        )


def write(found: Sequence[Study], wish: Listing, *, plain: Path | None, preferences: Sequence[str] = ()) -> None:
    """Write the list of the judges of one rubric, and say where it is and what to do with it.

    Args:
        found: the judges, without labels that are preferences.
        wish: the list that was asked for.
        plain: the label file that was typed; None for a set, or for the files of fiel.toml.
        preferences: the raters whose labels are preferences, for the command that comes next.

    Raises:
        FielError: the judges have several rubrics.
    """
    rubrics = sorted({study.rubric.id for study in found})
    if len({study.rubric.digest for study in found}) > 1:
        raise FielError(
            f"The judges answer {len(rubrics)} rubrics ({listed(rubrics)}), and a work list is of one.",
            where="--worklist",
            fix=f"Name one judge: --judge {word(found[0].judge.name)}.",
        )
    first = found[0]
    subjects = {label.subject for label in first.labels}
    todo = worklist(
        [study.said_of(subjects) for study in found],
        first.people,
        rubric=first.rubric,
        items=[item for item in first.items if item.id in subjects],
        share_of_agreements=wish.share,
        seed=wish.seed,
    )
    data = worklist_file(todo, first.items, parent=first.set_digest, ending=check_ending(wish.path))
    try:
        write_file(wish.path, data, replace=wish.replace)
    except FileExistsError:
        check(wish)
    drawn = len(todo.items) - todo.disagreements
    say(
        f"Work list: {wish.path}: {todo.disagreements} to decide, the surest wrong verdicts first, and {drawn} of "
        f"{todo.agreements} agreements, drawn at random."
    )
    say("Fill in `decision` (one of the options) and `by`; where no answer is right, only a `reason`: item broken.")
    say(todo.note)
    if first.frozen is None:
        after = commands(first.project, plain, wish.path, judge=first.judge.name, more=named(preferences))
        say("It is made from plain labels, which take no decision: they are frozen first, as they are.")
    else:
        after = shlex.join(["fiel", "freeze", first.frozen.name, "--decisions", str(wish.path), *named(preferences)])
    say(f"Next, when it is filled in: {after}")
