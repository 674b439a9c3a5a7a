"""The text of fiel.toml with judges and labels added, as its owner wrote the rest. Knows no item and no judgement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fiel.records import FielError, visible
from fiel.store._toml import parse_toml
from fiel.store.config import Config, check_config


class ImportedJudge(NamedTuple):
    """A judge that somebody else ran: its name, and the digest of all that was imported of it."""

    name: str
    content: str


def new_config(folder: Path, name: str) -> str:
    """The text of a new fiel.toml; the project is called as its folder is, else `name`."""
    called = " ".join(visible(folder.resolve().name).split()) or name
    return f'#:schema .fiel/schemas/fiel.schema.json\n[project]\nname = {_toml(called)}\nitems = "items/*.jsonl"\n'


def with_labels(text: str) -> str:
    """The text with the pattern of label files under [project]."""
    lines = text.splitlines(keepends=True)
    heads = [place for place, line in enumerate(lines) if line.split("#")[0].strip() == "[project]"]
    if len(heads) == 1:
        last = next((n for n in range(heads[0] + 1, len(lines)) if lines[n].lstrip().startswith("items")), heads[0])
        follows = all(not lines[n].lstrip().startswith("[") for n in range(heads[0] + 1, last + 1))
        lines.insert((last if follows else heads[0]) + 1, 'labels = "labels/*.csv"\n')
    return "".join(lines)


def with_judges(
    text: str, judges: Sequence[ImportedJudge], rubric: str, config: Config | None, *, replace: bool
) -> str:
    """The text with the judges that it does not have; a judge of another content is replaced or refused.

    Raises:
        FielError: the project has another judge of one of these names.
    """
    known = {entry.name: entry for entry in config.judges} if config is not None else {}
    tables = []
    for judge in judges:
        entry = known.get(judge.name)
        if entry is None:
            tables.append(
                f'\n[[judges]]\nname = {_toml(judge.name)}\nkind = "imported"\n'
                f"rubric = {_toml(rubric)}\ncontent = {_toml(judge.content)}\n"
            )
        elif entry.kind != "imported" or entry.rubric != rubric:
            raise FielError(
                f"The project has a judge {judge.name!r} already"
                + (f", by the rubric {entry.rubric!r}." if entry.kind == "imported" else ", which is not imported.")
                + " Nothing was written.",
                where=f"fiel.toml, judge {judge.name!r}",
                fix="Give the judge another name in the table, or use another project: -p FOLDER.",
            )
        elif entry.content is not None and entry.content != judge.content:
            if not replace:
                raise FielError(
                    f"The judge {judge.name!r} was imported before, and its table has changed since, or how it is read."
                    " Nothing was written.",
                    where=f"fiel.toml, judge {judge.name!r}",
                    fix="Say --replace: it is another judge then, and what it said before is no longer counted.",
                )
            text = text.replace(entry.content, judge.content)
    return text.rstrip("\n") + "\n" + "".join(tables) if tables else text


def checked(text: str, path: Path, judges: Sequence[ImportedJudge], *, labelled: bool, new: bool) -> Config:
    """The configuration that a text makes.

    Raises:
        FielError: it cannot be read, or has not become what was meant.
    """
    try:
        document = parse_toml(text, path)
    except FielError as error:
        if new:
            raise
        raise _by_hand(path, judges) from error
    made = check_config(document)
    there = {(judge.name, judge.content) for judge in made.judges}
    if not there.issuperset(judges) or (labelled and made.project.labels is None):
        raise _by_hand(path, judges)
    return made


def _by_hand(path: Path, judges: Sequence[ImportedJudge]) -> FielError:
    names = ", ".join(repr(judge.name) for judge in judges[:3])
    return FielError(
        f"The judges ({names}) cannot be added to this file as it is written. Nothing was written.",
        where=str(path),
        fix='Write judges as [[judges]] tables and labels = "labels/*.csv" under [project], or use -p FOLDER.',
    )


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
