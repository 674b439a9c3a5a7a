"""Rubrics from their TOML files, with the schemas of their checks read in. Knows no judge and carries no check out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from fiel.records import Check, Criterion, FielError, JSONSchema, Rubric
from fiel.store._files import read_bytes
from fiel.store._json import decode_json
from fiel.store._secrets import carries_secret
from fiel.store._toml import Document, Place, read_toml, to_record


class CriterionEntry(Criterion, frozen=True, kw_only=True):
    """One question about an answer, as a rubric file writes it.

    Args:
        check: one check; `checks` for several.
    """

    check: Check | None = None


class RubricFile(Rubric, frozen=True, kw_only=True):
    """Criteria that are judged together, as a rubric file writes them.

    Args:
        id: the name of the file without its ending; judges name it.
        language: of questions and options, as a BCP 47 tag.
        criteria: the questions, one [[criteria]] table each.
        guidance: what holds for all of them.
    """

    criteria: tuple[CriterionEntry, ...]


def load_rubric(path: Path | str, *, root: Path | str | None = None) -> Rubric:
    """Read and check a rubric; its digest covers the schemas that its checks name.

    Args:
        path: the TOML file, whose name is the id of the rubric.
        root: the folder of the project; a schema is looked for beside the rubric, then here.

    Raises:
        FielError: no such file, not UTF-8, not TOML, an unknown or missing key, a criterion that cannot be asked, a
            schema that is missing or no JSON, an id that is not the file's name; with file, line and key. Patterns and
            schemas are compiled by `judges.check_rubric`, with what runs them.
    """
    document = read_toml(Path(path))
    file = to_record(document, RubricFile)
    if file.id != document.path.stem:
        raise FielError(
            f"The rubric is called {file.id!r} and its file {document.path.name!r}.",
            where=document.where(("id",)),
            fix=f'Write id = "{document.path.stem}", or name the file {file.id}.toml.',
        )
    folders = [document.path.parent, *([Path(root)] if root is not None else [])]
    criteria = tuple(_criterion(document, folders, entry, index) for index, entry in enumerate(file.criteria))
    return Rubric(id=file.id, language=file.language, criteria=criteria, guidance=file.guidance)


def _criterion(document: Document, folders: list[Path], entry: CriterionEntry, index: int) -> Criterion:
    place: Place = ("criteria", index)
    written = [((*place, "checks", n), check) for n, check in enumerate(entry.checks)]
    if entry.check is not None:
        written.insert(0, ((*place, "check"), entry.check))
    checks = tuple(_ready(document, folders, check, where, entry.id) for where, check in written)
    same = {name: getattr(entry, name) for name in Criterion.__struct_fields__ if name != "checks"}
    return Criterion(**same, checks=checks)


def _ready(document: Document, folders: list[Path], check: Check, place: Place, criterion: str) -> Check:
    """The check with its schema in place of a path; or an error, before any judge is asked."""
    if isinstance(check, JSONSchema) and isinstance(check.schema, str):
        where = document.where((*place, "schema"))
        return msgspec.structs.replace(check, schema=_schema(check.schema, folders, where, criterion))
    return check


def _schema(name: str, folders: list[Path], where: str, criterion: str) -> dict[str, object]:
    if carries_secret(name):
        raise FielError(
            f"The schema of criterion {criterion!r} is an address with a secret in it (not shown here).",
            where=where,
            fix="Name a file beside the rubric.",
        )
    tried = [folder / name for folder in folders]
    path = next((candidate for candidate in tried if candidate.exists() and not candidate.is_dir()), None)
    if path is None:
        raise FielError(
            f"The schema {name!r} of criterion {criterion!r} does not exist.",
            where=where,
            fix=f"Looked for: {', '.join(str(candidate) for candidate in tried)}.",
        )
    place = f"{path}, named in {where}"
    try:
        return decode_json(read_bytes(path), dict[str, object], where=place)
    except FielError as error:
        raise FielError(
            f"The schema {name!r} of criterion {criterion!r} is no JSON object that can be used: {error.what}",
            where=place,
            fix=error.fix,
        ) from error
