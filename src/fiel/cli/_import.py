"""`fiel import`: tidy tables of items, people and judges become a project, or part of one. Writes all or nothing."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fiel.cli._exits import say, warn
from fiel.cli._init import hidden
from fiel.cli._short import counted, line
from fiel.interop import (
    Content,
    Origin,
    Sources,
    Tables,
    Wish,
    find_tables,
    read_tables,
    rubric_text,
    spelled,
    understand,
)
from fiel.records import FielError, JSONSchema, Rubric, Scale
from fiel.store.additions import Added, Addition, ImportedJudge, add, plain_name
from fiel.store.rubrics import load_rubric

SHOWN = 12  # criteria that are told of one by one


class Files(NamedTuple):
    """What was named on the command line; None where nothing was."""

    folder: Path | None = None
    items: Path | None = None
    human: Path | None = None
    judge: Path | None = None
    rubric: Path | None = None


class How(NamedTuple):
    """How the tables are to be read, as it was typed."""

    name: str | None = None
    options: str | None = None
    scale: Scale | None = None
    levels: str | None = None
    not_applicable: Sequence[str] = ()
    probs_from: Origin = "stated"
    repeat: str | None = None


def run(project: Path, files: Files, how: How, *, replace: bool) -> None:
    """Read the tables, write the project, say what was understood.

    Raises:
        FielError: the tables cannot be used, or something else stands in the project under the same name.
    """
    wish = Wish(
        options=_listed("--options", how.options),
        scale=how.scale,
        levels=_levels(how.levels),
        not_applicable=tuple(filter(None, map(spelled, how.not_applicable))),
    )
    if wish.options is not None and wish.levels is not None:
        raise FielError("--options and --levels exclude each other.", fix="--levels rounds measured numbers.")
    sources = _sources(files)
    tables = read_tables(sources)
    name = plain_name(how.name or tables.description.name or _folder_name(sources, files))
    used, text = _rubric(project, files, name)
    content = understand(tables, name=name, rubric=used, wish=wish, probs_from=how.probs_from, repeat=how.repeat)
    if used is None:
        text = rubric_text(content.rubric).encode()
    addition = Addition(
        name=name,
        items=content.items,
        rubric=content.rubric,
        rubric_text=text,
        labels=content.labels,
        judges=[ImportedJudge(judge, digest) for judge, digest in content.contents.items()],
        judgements=[judgement for said in content.judgements.values() for judgement in said],
        extra=hidden(project),
    )
    added = add(project, addition, replace=replace)
    _tell(project, tables, content, added, used)


def _sources(files: Files) -> Sources:
    if files.folder is not None:
        found = find_tables(files.folder) if files.items is None else Sources(items=files.items)
        if files.items is not None:
            raise FielError("A folder and --items exclude each other.", fix="Name the folder, or the files.")
        return found._replace(human=files.human or found.human, judge=files.judge or found.judge)
    if files.items is None:
        raise FielError("Nothing is named.", fix="Say fiel import FOLDER, or fiel import --items FILE --judge FILE.")
    return Sources(items=files.items, human=files.human, judge=files.judge)


def _folder_name(sources: Sources, files: Files) -> str:
    folder = files.folder if files.folder is not None else sources.items.parent
    return files.rubric.stem if files.rubric is not None else folder.resolve().name or "imported"


def _rubric(project: Path, files: Files, name: str) -> tuple[tuple[Rubric, str] | None, bytes | None]:
    """The rubric to use and its file, None where one has to be made; and the bytes to write, where it comes along."""
    there = project / "rubrics" / f"{name}.toml"
    if files.rubric is None:
        return ((load_rubric(there, root=project), str(there)), None) if there.exists() else (None, None)
    rubric = load_rubric(files.rubric, root=project)
    inside = files.rubric.resolve() == (project / "rubrics" / files.rubric.name).resolve()
    if not inside and any(isinstance(check, JSONSchema) for one in rubric.criteria for check in one.checks):
        raise FielError(
            "This rubric names a JSON Schema, which does not come along.",
            where=str(files.rubric),
            fix=f"Copy both into {project / 'rubrics'} first, and name the rubric there.",
        )
    return (rubric, str(files.rubric)), None if inside else files.rubric.read_bytes()


def _listed(option: str, text: str | None) -> tuple[str, ...] | None:
    """The words of a list with commas, in one spelling."""
    if text is None:
        return None
    words = tuple(spelled(word) or "" for word in next(csv.reader([text], skipinitialspace=True), []))
    if len(words) < 2 or not all(words) or len(set(words)) < len(words):
        raise FielError(f"{option} is {text!r}.", fix='Give two or more, each once, worst first: "1,2,3,4,5".')
    return words


def _levels(text: str | None) -> tuple[str, ...] | None:
    levels = _listed("--levels", text)
    try:
        _ = [float(level) for level in levels or ()]
    except ValueError as error:
        raise FielError(
            f"--levels is {text!r}; levels are numbers.", fix="Such as --levels 0,0.25,0.5,0.75,1."
        ) from error
    return levels


def _tell(folder: Path, tables: Tables, content: Content, added: Added, used: tuple[Rubric, str] | None) -> None:
    raters = {label.rater for label in content.labels}
    said = [judgement for mine in content.judgements.values() for judgement in mine]
    people, judges = counted(len(raters), "rater"), counted(len(content.judgements), "judge")
    say(f"{counted(len(tables.items), 'item')}; {counted(len(content.labels), 'answer')} of {people}")
    say(f"{counted(len(said), 'judgement')} of {judges}: imported, and not to be run")
    if used is not None:
        say(f"read by the rubric {used[1]}")
    for told in content.scales[:SHOWN]:
        say(f"  {line(told)}")
    if len(content.scales) > SHOWN:
        say(f"  and {len(content.scales) - SHOWN} more")
    if content.scales:
        say(f"If that is not what was meant: mend rubrics/{content.rubric.id}.toml, then run the same import again.")
    for note in content.notes:
        warn(note)
    if not added.files and not added.judgements:
        say("All of it was there already.")
    for path in added.files:
        if path.parts[0] != ".fiel":
            say(f"wrote {path}")
    judged = counted(added.judgements, "judgement")
    say(f"new: {counted(added.items, 'item')}, {counted(added.labels, 'answer')}, {judged}")
    if said:
        where = "" if folder == Path() else f" -p {shlex.quote(str(folder))}"
        say(f"Next: fiel validate{where}" if content.labels else f"Next: fiel draw{where}, to label some of the items")
    else:
        say("No judge came along: add one to fiel.toml, or import its table.")
