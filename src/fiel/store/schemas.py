"""JSON Schemas of the files that people write, for their editors; made from the records. Knows no project.

`python -m fiel.store.schemas` writes the packaged files again.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from fiel.records import FielError
from fiel.store.config import Config
from fiel.store.rubrics import RubricFile

FOLDER = Path(__file__).with_name("schemas")

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FILES: dict[str, tuple[str, type[msgspec.Struct]]] = {
    "fiel": ("fiel.toml: a project of fiel", Config),
    "rubric": ("rubrics/*.toml: a rubric of fiel", RubricFile),
}
_CHECK_KEYS = {
    "kind": "What kind of check this is.",
    "field": "The text of the item that is looked at.",
    "decides": "Both outcomes (no judge is asked), or only a fail or only a pass (the judge is asked otherwise).",
    "schema": "A path, beside the rubric or from the folder of fiel.toml, or the JSON Schema itself.",
    "pattern": "A regular expression; single quotes keep its backslashes.",
    "match": "The text holds it (search), is it (full), or lacks it (absent).",
    "ignore_case": "Whether capitals do not matter.",
    "seconds": "The longest that the search may take.",
    "value": "What the text must be; the reference of the item when absent.",
    "which": "Which number of the text counts.",
    "absolute": "The tolerance, as a number.",
    "relative": "The tolerance, as a share of the value.",
    "minimum": "At least so many.",
    "maximum": "At most so many.",
    "unit": "What is counted.",
    "all": "Texts that must all be there.",
    "any": "Texts of which one must be there.",
    "none": "Texts that must not be there.",
}
_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.MULTILINE)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of file: "fiel" or "rubric".

    The description of a key is its line under `Args` in the docstring of its record.

    Raises:
        FielError: there is no such kind.
    """
    if name not in _FILES:
        raise FielError(f"There is no schema {name!r}.", fix=f"There are: {', '.join(_FILES)}.")
    title, kind = _FILES[name]
    made = _without_null(msgspec.json.schema(kind))
    docstrings = {struct.__name__: struct for struct in _structs(kind)}
    for part, definition in made["$defs"].items():
        struct = docstrings[part]
        described = _descriptions(struct)
        definition["description"] = inspect.getdoc(struct).partition("\n")[0]  # type: ignore[union-attr]  # each has one
        for key, value in definition["properties"].items():
            definition["properties"][key] = _described(value, described[key])
    return {"$schema": _DIALECT, "title": title, **made}


def as_file(name: str) -> bytes:
    """The bytes of the packaged file: indented, in a fixed order, ended by a newline."""
    return msgspec.json.format(msgspec.json.encode(schema(name)), indent=2) + b"\n"


def write() -> None:
    """Write the packaged files."""
    FOLDER.mkdir(exist_ok=True)
    for name in _FILES:
        (FOLDER / f"{name}.schema.json").write_bytes(as_file(name))


def _structs(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """The records that a record is made of, itself among them."""
    information = msgspec.inspect.type_info(kind)
    todo: list[Any] = [information]
    seen: list[type[msgspec.Struct]] = []
    while todo:
        node = todo.pop()
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in seen:
                continue
            seen.append(node.cls)
            yield node.cls
            todo.extend(field.type for field in node.fields)
        elif isinstance(node, msgspec.inspect.Metadata):
            todo.append(node.type)
        elif isinstance(node, msgspec.inspect.UnionType):
            todo.extend(node.types)
        elif isinstance(node, msgspec.inspect.VarTupleType):
            todo.append(node.item_type)
        elif isinstance(node, msgspec.inspect.DictType):
            todo.append(node.value_type)


def _descriptions(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Key to description, from the docstrings of the record and of what it extends."""
    found: dict[str, str] = dict(_CHECK_KEYS) if struct.__struct_config__.tag_field else {}
    for base in reversed(struct.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            text = inspect.cleandoc(base.__doc__ or "").partition("Args:\n")[2]
            found |= {name: _sentence(words) for name, words in _ARGUMENT.findall(text)}
    return found


def _sentence(words: str) -> str:
    line = " ".join(words.split()).rstrip(".")
    return f"{line[0].upper()}{line[1:]}."


def _described(value: dict[str, Any], description: str) -> dict[str, Any]:
    """A schema with its description; a bare reference may carry one in this dialect."""
    return {"description": description, **value}


def _without_null(node: Any) -> Any:
    """The schema for TOML, which has no null: an absent key is an absent key."""
    if isinstance(node, list):
        return [_without_null(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    made = {key: _without_null(value) for key, value in node.items() if not (key == "default" and value is None)}
    options = [entry for entry in made.get("anyOf", ()) if entry != {"type": "null"}]
    if len(options) == 1:
        del made["anyOf"]
        return {**options[0], **made}
    return {**made, "anyOf": options} if options else made


if __name__ == "__main__":
    write()
