"""`fiel init`: a project from a file of answers. Overwrites nothing, writes all or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from fiel.cli._exits import say
from fiel.records import FielError, Item, encode_lines
from fiel.store.tables import guess_columns, items_from, read_table

ROLES = ("input", "context", "output", "reference", "id", "group", "author")

CONFIG = """\
#:schema .fiel/schemas/fiel.schema.json

[project]
name = {name}
items = "items/*.jsonl"
# labels = "labels/*.csv"            # columns: item, criterion, rater, answer

[[judges]]
name = "floor"                       # the embedded judge: word overlap, no model, no key, no network
kind = "baseline"
rubric = {rubric}

# [[gates]]
# name = "good enough to ship"
# judge = "floor"
# criterion = {criterion}
# rate = "corrected"                 # corrected for the judge's bias by the labels; or raw, agreement
# at_least = 0.90
# confidence = 0.95
# undecided = "fail"                 # thin evidence does not ship
"""


def run(folder: Path, file: Path | None, *, rubric: str, language: str, columns: Mapping[str, str | None]) -> None:
    """Set the project up and say what was guessed.

    Raises:
        FielError: a file is there already, the file of answers cannot be used, no such rubric.
    """
    text, first = _template(rubric, language)
    items: list[Item] = []
    files: dict[Path, str | bytes] = {}
    if file is not None:
        table = read_table(file)
        told = {role: column for role, column in columns.items() if column is not None}
        guess = guess_columns(table.columns, given=told)
        items = items_from(table, guess)
        files[Path("items") / f"{_stem(file)}.jsonl"] = encode_lines(items)
    name = folder.resolve().name or "project"
    files[Path("fiel.toml")] = CONFIG.format(name=_toml(name), rubric=_toml(rubric), criterion=_toml(first))
    files[Path("rubrics") / f"{rubric}.toml"] = f"#:schema ../.fiel/schemas/rubric.schema.json\n\n{text}"
    _write(folder, files)
    _hidden(folder)
    if file is not None:
        say(f"{file.name}: {len(items)} items, read as")
        for role in ROLES:
            column = getattr(guess, role)
            if column is not None:
                say(f"  {role:<9} from column {column!r}{', as you said' if role in told else ''}")
            elif role in {"input", "context", "reference"}:
                say(f"  {role:<9} not found; --{role} COLUMN if there is one")
        if guess.fields:
            say(f"  {'fields':<9} to slice by: {', '.join(guess.fields)}")
    else:
        say('Put your answers into items/*.jsonl: one {"id", "input", "context", "output"} a line.')
    for path in files:
        say(f"wrote {path}")
    say("Next: read the rubric and mend it, then fiel judge")


def _template(rubric: str, language: str) -> tuple[str, str]:
    """The text of a shipped rubric, and the id of its first criterion."""
    shelf = resources.files("fiel.cli") / "templates"
    found = shelf / f"{rubric}.{language}.toml"
    if not found.is_file():
        known = sorted({entry.name.split(".")[0] for entry in shelf.iterdir() if entry.name.endswith(".toml")})
        raise FielError(f"There is no shipped rubric {rubric!r}.", fix=f"There are: {', '.join(known)}.")
    text = found.read_text(encoding="utf-8")
    return text, text.split("[[criteria]]", 1)[1].split('"', 2)[1]


def _write(folder: Path, files: Mapping[Path, str | bytes]) -> None:
    """All files or none: what exists is found before anything is written."""
    there = [path for path in files if (folder / path).exists()]
    if there:
        raise FielError(
            f"{there[0]} exists already; nothing was written.",
            where=str(folder.resolve()),
            fix="Choose another folder with --project, or move it away.",
        )
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def _hidden(folder: Path) -> None:
    """The folder that git ignores, with the schemas for editors."""
    hidden = folder / ".fiel"
    (hidden / "schemas").mkdir(parents=True, exist_ok=True)
    (hidden / ".gitignore").write_text("*\n", encoding="utf-8")
    for entry in (resources.files("fiel.store") / "schemas").iterdir():
        if entry.name.endswith(".json"):
            (hidden / "schemas" / entry.name).write_bytes(entry.read_bytes())


def _stem(file: Path) -> str:
    """The file's name without its ending, fit for a file name of ours."""
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in file.stem) or "items"


def _toml(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
