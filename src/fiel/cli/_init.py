"""`fiel init`: a project from a file of answers, or more answers for one. Overwrites nothing, writes all or nothing."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shlex
import statistics
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from fiel.cli._exits import say
from fiel.cli._short import short
from fiel.records import FielError, Item, decode, encode_lines, split_lines, visible
from fiel.store.project import Project
from fiel.store.tables import Guess, Table, guess_columns, items_from, read_items, read_table

ROLES = ("input", "context", "output", "reference", "id", "group", "author")
LONG = 300  # characters, the median from which a column looks like a text
LANGUAGES = {"en": "English", "es": "Spanish"}
SMALL_WORDS = {  # frequent, and of no other language that is often written
    "en": frozenset({"the", "of", "and", "is", "are", "was", "that", "this", "with", "from", "it"}),
    "es": frozenset({"el", "los", "las", "y", "es", "está", "más", "pero", "muy", "también", "según"}),
}

CONFIG = """\
#:schema .fiel/schemas/fiel.schema.json
[project]
name = {name}
items = "items/*.jsonl"
# labels = "labels/*.csv"  # columns: item, criterion, rater, answer

[[judges]]
name = "floor"             # the embedded judge: word overlap, no model, no key, no network
kind = "baseline"
rubric = {rubric}
"""


class Answers(NamedTuple):
    """A file of answers as it was understood."""

    file: Path
    table: Table
    told: Mapping[str, str]
    guess: Guess
    items: Sequence[Item]


def run(folder: Path, file: Path | None, *, rubric: str, language: str, columns: Mapping[str, str | None]) -> None:
    """Set the project up and say what was guessed.

    Raises:
        FielError: a file is there already, the file of answers cannot be used, no such rubric.
    """
    text = _template(rubric, language)
    answers = _read(file, columns) if file is not None else None
    name = " ".join(visible(folder.resolve().name).split()) or "project"
    files: dict[Path, str | bytes] = {}
    if answers is not None:
        files[Path("items") / f"{_stem(answers.file)}.jsonl"] = encode_lines(answers.items)
    files[Path("fiel.toml")] = CONFIG.format(name=_toml(name), rubric=_toml(rubric))
    files[Path("rubrics") / f"{rubric}.toml"] = f"#:schema ../.fiel/schemas/rubric.schema.json\n\n{text}"
    more = f"To add to this project: fiel init {shlex.quote(str(file))} --add. For a new one: --project FOLDER."
    fix = more if file is not None and (folder / "fiel.toml").exists() else "Name another folder: --project FOLDER."
    _write(folder, {**files, **hidden(folder)}, fix=fix)
    if answers is not None:
        _explain(answers, path=next(iter(files)))
        other = _other_language(answers.items, language)
        if other is not None:
            spoken = LANGUAGES[other]
            say(f"The answers look {spoken}: fiel init --language {other} has the rubric in {spoken}.")
    else:
        say('Put your answers into items/*.jsonl: one {"id", "input", "context", "output"} a line.')
    for path in files:
        say(f"wrote {path}")
    say("Next: read the rubric and mend it, then fiel judge")


def add(folder: Path, file: Path | None, *, rubric: str, language: str, columns: Mapping[str, str | None]) -> None:
    """Write the items of a further file of answers into the project that is there, and nothing else.

    Raises:
        FielError: no file is named, a rubric is chosen, there is no project, the file cannot be used, an id exists
            already, or the file of items is there already.
    """
    if file is None:
        raise FielError("--add needs a file of answers.", fix="Say fiel init FILE --add.")
    if (rubric, language) != ("rag", "en"):
        raise FielError("--add writes no rubric.", fix="Take --rubric and --language out.")
    project = Project.open(folder)
    answers = _read(file, columns)
    shelf, there = _shelf(project, f"{_stem(file)}.jsonl")
    before = {item.id for item in read_items(there)}
    _check_new(answers, before, there)
    path = shelf / f"{_stem(file)}.jsonl"
    shown = path.relative_to(project.root) if path.is_relative_to(project.root) else path
    _write(project.root, {shown: encode_lines(answers.items)}, fix="Give the file of answers another name.")
    _explain(answers, path=shown)
    say(f"wrote {shown}; the project has {len(before) + len(answers.items)} items now")
    say("Next: fiel judge asks about the new ones and leaves the others as they are.")


def _read(file: Path, columns: Mapping[str, str | None]) -> Answers:
    """The items of a file.

    Raises:
        FielError: it cannot be used, or two columns could be the answers.
    """
    table = read_table(file)
    told = {role: column for role, column in columns.items() if column is not None}
    guess = guess_columns(table.columns, given=told)
    if "output" in guess.unclear:
        raise FielError(f"output: {_either(guess.unclear['output'])}? say --output COLUMN", where=str(file))
    if guess.id is not None and "id" not in told:
        _check_id(table, guess.id)
    return Answers(file, table, told, guess, items_from(table, guess))


def _check_new(answers: Answers, before: Collection[str], there: Sequence[Path]) -> None:
    """Refuse ids that the project has already, with the places of the first."""
    clashes = [index for index, item in enumerate(answers.items) if item.id in before]
    if clashes:
        key = answers.items[clashes[0]].id
        raise FielError(
            f"{len(clashes)} of the {len(answers.items)} ids exist already; the first is {key!r}. Nothing was written.",
            where=f"{answers.table.where(clashes[0])}, and {_place(there, key)}",
            fix="They are row numbers: give the rows ids of their own in a column, and say --id COLUMN."
            if answers.guess.id is None
            else "Take these rows out, or choose another id column: --id COLUMN.",
        )


def _check_id(table: Table, column: str) -> None:
    """Refuse a guessed id that stands twice, and say that it may be a group."""
    seen: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        key = str(row[column] or "").strip()
        if key and key in seen:
            raise FielError(
                f"The column {column!r} was taken for the id, and {key!r} stands in it twice.",
                where=f"{table.where(index)}, and {table.where(seen[key])}",
                fix=f"Say --id COLUMN; or, if rows with one value go together, --group {_typed(column)}.",
            )
        seen[key] = index


def _explain(answers: Answers, *, path: Path) -> None:
    """Say which column was taken for what, and what to say where it was not meant so."""
    guess = answers.guess
    say(f"{answers.file.name}: {len(answers.items)} items, read as")
    for role in ROLES:
        column = getattr(guess, role)
        if column is not None:
            say(f"  {role:<9} from column {short(column)!r}{', as you said' if role in answers.told else ''}")
        elif role in guess.unclear:
            rows = "row numbers for now; " if role == "id" else ""
            say(f"  {role:<9} {rows}{_either(guess.unclear[role])}? say --{role} COLUMN")
        elif role == "id":
            say(f"  {role:<9} row numbers; --id COLUMN if there is one")
        elif role in {"input", "context", "reference"}:
            say(f"  {role:<9} not found; --{role} COLUMN if there is one")
    if guess.fields:
        say(f"  {'fields':<9} to slice by: {', '.join(map(_shown, guess.fields))}")
    texts = list(_long_texts(answers))
    for column in texts:
        say(f"  {short(column)!r} looks like a text; {_perhaps(guess, column)}")
    if texts or guess.unclear:
        again = f"fiel init {shlex.quote(str(answers.file))} --add"
        say(f"To read it otherwise: delete {path}, then {again} with the options above.")


def _long_texts(answers: Answers) -> Iterator[str]:
    """The columns whose texts are long, and that have no role and are not asked about already."""
    told = {column for several in answers.guess.unclear.values() for column in several}
    for column in answers.guess.fields:
        lengths = [len(cell) for item in answers.items if isinstance(cell := item.fields.get(column), str)]
        if column not in told and lengths and statistics.median(lengths) > LONG:
            yield column


def _perhaps(guess: Guess, column: str) -> str:
    """What a column of texts may be: the first role, in the order of what a judge misses most, that is not played."""
    free = next((role for role in ("context", "input", "reference") if getattr(guess, role) is None), None)
    if free is None:
        return "no judge reads it"
    return f"if it is the {free}: --{free} {_typed(column)}"


def _other_language(items: Sequence[Item], language: str) -> str | None:
    """The language that the answers are clearly in, by some hundreds of them, where it is not the rubric's."""
    counts = dict.fromkeys(SMALL_WORDS, 0)
    for item in items[:: len(items) // 500 + 1]:
        words = re.findall(r"\w+", unicodedata.normalize("NFC", item.output[:2000]).lower())
        for spoken, small in SMALL_WORDS.items():
            counts[spoken] += sum(word in small for word in words)
    other = next(spoken for spoken in counts if spoken != language)
    return other if counts[other] >= 3 and counts[other] >= 4 * counts[language] else None


def _shelf(project: Project, name: str) -> tuple[Path, list[Path]]:
    """The folder in which the project looks for a file of items of this name, and the files that it finds there."""
    pattern = project.config.project.items
    parts = PurePath(pattern).parts
    plain = list(takewhile(lambda part: not set(part) & set("*?["), parts[:-1]))
    rest = parts[len(plain) :]
    shelf = project.root.joinpath(*plain)
    if not rest or set(rest[:-1]) - {"**"} or not PurePath(name).match(rest[-1]):
        raise FielError(
            f"The project's items are {pattern!r}, and {name} would not be one of them.",
            where=f"{project.root / 'fiel.toml'}, project.items",
            fix='Write items = "items/*.jsonl", or give the file of answers another name.',
        )
    return shelf, sorted(path for path in shelf.glob(str(PurePath(*rest))) if path.is_file())


def _place(files: Iterable[Path], key: str) -> str:
    """File and line of an item that is known to be in one of the files."""
    lines = ((path, number, line) for path in files for number, line in split_lines(path.read_bytes()))
    return next(f"{path}, line {number}" for path, number, line in lines if decode(line, Item).id == key)


def _template(rubric: str, language: str) -> str:
    """The text of a shipped rubric."""
    shelf = resources.files("fiel.cli") / "templates"
    known = sorted({entry.name.split(".")[0] for entry in shelf.iterdir() if entry.name.endswith(".toml")})
    if rubric not in known:
        raise FielError(f"There is no shipped rubric {rubric!r}.", fix=f"There are: {', '.join(known)}.")
    return (shelf / f"{rubric}.{language}.toml").read_text(encoding="utf-8")


def _write(folder: Path, files: Mapping[Path, Any], *, fix: str) -> None:
    """All files or none: what exists is found before anything is written, and a failure takes back what was."""
    there = [path for path in files if os.path.lexists(folder / path)]
    if there:
        raise FielError(f"{there[0]} exists already; nothing was written.", where=str(folder.resolve()), fix=fix)
    made: list[Path] = []
    try:
        for path, content in files.items():
            target = folder / path
            made.extend(_folders(target.parent))
            with target.open("xb") as file:
                made.append(target)
                file.write(content if isinstance(content, bytes) else content.encode())
    except OSError:
        for path in reversed(made):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise


def _folders(folder: Path) -> list[Path]:
    """Make a folder and those above it; the ones that were made, the outermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir()
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return list(reversed(missing))


def hidden(folder: Path) -> dict[Path, bytes]:
    """What goes into the folder that git ignores, where it is not there yet: the schemas for editors."""
    schemas = (resources.files("fiel.store") / "schemas").iterdir()
    files = {
        Path(".fiel", "schemas", entry.name): entry.read_bytes() for entry in schemas if entry.name.endswith("json")
    }
    files[Path(".fiel", ".gitignore")] = b"*\n"
    return {path: content for path, content in files.items() if not (folder / path).exists()}


def _either(columns: Sequence[str]) -> str:
    """Columns to choose from."""
    return f"{', '.join(map(_shown, columns[:-1]))} or {_shown(columns[-1])}"


def _shown(column: str) -> str:
    """A column's name in a sentence: quoted where it has a comma, a space at an end, or what no terminal should get."""
    plain = column.isprintable() and column == column.strip() and "," not in column
    return short(column) if plain else repr(short(column))


def _typed(column: str) -> str:
    """A column's name as it is typed in a shell."""
    return shlex.quote(column) if column.isprintable() else "COLUMN"


def _stem(file: Path) -> str:
    """The file's name without its ending, fit for a file name of ours."""
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in file.stem) or "items"


def _toml(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
