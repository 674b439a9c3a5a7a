"""TOML into records, with errors that name file, line and key. Knows no particular file."""

from __future__ import annotations

import re
import tomllib
import types
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from fiel.records import FielError, nearest
from fiel.store._files import read_text, suggestion
from fiel.store._json import DEEPEST, is_too_deep

R = TypeVar("R", bound=msgspec.Struct)
Place: TypeAlias = tuple[str | int, ...]

_LINE = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$")
_PIECE = re.compile(
    r'''
    """(?:\\.|.)*?"{3,5} | '{3}.*?'{3,5}         # texts of several lines; up to two quotes more belong to them
    | "(?:\\.|[^"\\\n])*" | '[^'\n]*' | [#][^\n]*  # texts of one line, a comment
    | [^\S\n]+ | \n | [^\s"'#\[\]{}]+ | .         # blanks, an end of line, words, a bracket
    ''',
    re.DOTALL | re.VERBOSE,
)
_OPENS, _CLOSES = ("[", "{"), ("]", "}")
_LARGEST = 2**63  # TOML promises whole numbers of 64 bits
_WORDS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    tuple: "a list",
    dict: "a table",
}


class MisplacedError(FielError):
    """A fault at a key of a TOML file, said by a record that does not know the file.

    Args:
        place: the keys and indices that lead there from the top of the record that says it.
    """

    def __init__(self, what: str, *, place: Place, fix: str | None = None) -> None:
        super().__init__(what, where=dotted(place), fix=fix)
        self.place = place


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A TOML file that has been read."""

    path: Path
    text: str
    data: dict[str, Any]

    def where(self, place: Place) -> str:
        """File, line where it can be found, and key."""
        line = line_of(self.text, place)
        parts = [str(self.path), f"line {line}" if line else "", dotted(place)]
        return ", ".join(part for part in parts if part)


def read_toml(path: Path) -> Document:
    """Read a TOML file.

    Raises:
        FielError: missing, empty, not UTF-8, or not TOML, with the line and column; nesting deeper than 100, or a
            whole number of more than 64 bits, with the line.
    """
    return parse_toml(read_text(path), path)


def parse_toml(text: str, path: Path) -> Document:
    """A TOML text that stands, or is to stand, in a file; as `read_toml`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        at = f"line {found[1]}, column {found[2]}" if found and found[1] else f"line {text.rstrip().count(chr(10)) + 1}"
        what = _LINE.sub("", str(error)).rstrip(".")
        raise FielError(f"Not TOML: {what}.", where=f"{path}, {at}", fix="Text stands in quotes.") from None
    except (RecursionError, ValueError) as error:  # a number of so many digits that Python reads none of it
        raise _bottomless(path, text) if isinstance(error, RecursionError) else _too_large(path, text) from None
    if is_too_deep(data):
        raise _bottomless(path, text)
    if _has_large(data):
        raise _too_large(path, text)
    return Document(path=path, text=text, data=data)


def _bottomless(path: Path, text: str) -> FielError:
    return FielError(
        f"Lists and tables are nested too deeply, more than {DEEPEST} inside each other.",
        where=_first(path, text, is_too_deep),
        fix="Take the brackets or the dots out.",
    )


def _too_large(path: Path, text: str) -> FielError:
    return FielError(
        "A whole number has more than 64 bits.",
        where=_first(path, text, _has_large),
        fix="Put it in quotes if it is a text, or write it with a decimal point.",
    )


def _first(path: Path, text: str, is_faulty: Callable[[Any], bool]) -> str:
    """The file and the line of its first statement that is faulty, or that cannot be read by itself for that fault."""
    lines = text.replace("\r\n", "\n").split("\n")
    for start, end in _statements("\n".join(lines)):
        try:
            faulty = is_faulty(tomllib.loads("\n".join(lines[start:end])))
        except tomllib.TOMLDecodeError:
            continue
        except (RecursionError, ValueError):
            faulty = True
        if faulty:
            return f"{path}, line {start + 1}"
    return str(path)


def _has_large(value: Any) -> bool:
    """Whether a whole number of more than 64 bits stands anywhere in a value that is not too deep."""
    if isinstance(value, (dict, list)):
        return any(map(_has_large, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -_LARGEST <= value < _LARGEST


def to_record(document: Document, kind: type[R]) -> R:
    """The record of type `kind` that the document holds.

    Raises:
        FielError: an unknown key (with the nearest known one), a missing key, a wrong type, a value that the record
            refuses; each with file, line and key.
    """
    try:
        return msgspec.convert(document.data, kind)
    except msgspec.ValidationError as error:
        _explain(document, document.data, kind, ())
        raise FielError(f"{error}.", where=str(document.path)) from error


def dotted(place: Place) -> str:
    """A place as people write it.

    >>> dotted(("judges", 0, "model"))
    'judges[0].model'
    """
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


def line_of(text: str, place: Place) -> int | None:
    r"""The line, from 1, on which the statement that makes `place` begins; None where nothing makes it.

    The statement is the last one of the shortest row of statements, from the first, that has the place: the reader of
    the standard library is all the grammar that is needed, beside where a statement ends.

    >>> line_of("a = 1\n[[judges]]\nname = 'x'", ("judges", 0, "name"))
    3
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not place:
        return None
    statements = _statements("\n".join(lines))
    index = bisect_left(
        statements, True, key=lambda statement: _holds(tomllib.loads("\n".join(lines[: statement[1]])), place)
    )
    return statements[index][0] + 1 if index < len(statements) else None


def _statements(text: str) -> list[tuple[int, int]]:
    r"""The statements of a TOML text, each as its first line and the line after its last, from 0.

    >>> _statements("a = 1 # one\n\n[b]\nc = [\n 2]")
    [(0, 1), (2, 3), (3, 5)]
    """
    found: list[tuple[int, int]] = []
    line = depth = 0
    start: int | None = None
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "\n" and depth == 0 and start is not None:
            found.append((start, line + 1))
            start = None
        elif start is None and not piece.isspace() and not piece.startswith("#"):
            start = line
        depth = max(0, depth + (piece in _OPENS) - (piece in _CLOSES))
        line += piece.count("\n")
    return found if start is None else [*found, (start, line + 1)]


def _holds(value: Any, place: Place) -> bool:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _explain(document: Document, value: Any, kind: Any, place: Place) -> None:
    """Raise the first fault of `value` as a `kind`, in the order of the file; return where there is none."""
    if get_origin(kind) is Annotated:
        base = get_args(kind)[0]
        if not isinstance(value, (dict, list)):
            _explain_leaf(document, value, kind, place)
    else:
        base = kind
    origin = get_origin(base)
    if origin in (Union, types.UnionType):
        base = _member(document, value, base, place)
        origin = get_origin(base)
    if isinstance(base, type) and issubclass(base, msgspec.Struct) and isinstance(value, dict):
        _explain_struct(document, value, base, place)
    elif origin is tuple and isinstance(value, list):
        for index, entry in enumerate(value):
            _explain(document, entry, get_args(base)[0], (*place, index))
    elif origin is dict and isinstance(value, dict):
        for key, entry in value.items():
            _explain(document, entry, get_args(base)[1], (*place, key))
    else:
        _explain_leaf(document, value, base, place)


def _explain_struct(document: Document, value: dict[str, Any], kind: type[msgspec.Struct], place: Place) -> None:
    tag = kind.__struct_config__.tag_field
    hints = get_type_hints(kind, include_extras=True)
    known = [*([tag] if tag else []), *kind.__struct_encode_fields__]
    for key in value:
        if key not in known:
            raise FielError(
                f"Unknown key {key!r}.",
                where=document.where((*place, key)),
                fix=suggestion(key, known, those="Known keys"),
            )
    for key, entry in value.items():
        if key != tag:
            _explain(document, entry, hints[key], (*place, key))
    for field in msgspec.structs.fields(kind):
        if field.required and field.encode_name not in value:
            raise FielError(f"The key {field.encode_name!r} is missing.", where=document.where(place), fix="Add it.")
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, MisplacedError):
            raise FielError(cause.what, where=document.where((*place, *cause.place)), fix=cause.fix) from None
        if isinstance(cause, FielError):
            where = ", ".join(part for part in (document.where(place), cause.where) if part)
            raise FielError(cause.what, where=where, fix=cause.fix) from None
        raise


def _member(document: Document, value: Any, union: Any, place: Place) -> Any:
    """The member of a union that `value` was meant to be; the union itself where that is not to be told."""
    members = [member for member in get_args(union) if member is not types.NoneType]
    if len(members) == 1:
        return members[0]
    structs = {m.__struct_config__.tag: m for m in members if isinstance(m, type) and issubclass(m, msgspec.Struct)}
    if not structs:
        return union
    if not isinstance(value, dict):
        raise FielError(f"It must be a table, not {_word(value)}.", where=document.where(place))
    tag = next(iter(structs.values())).__struct_config__.tag_field or "kind"
    named = value.get(tag)
    if isinstance(named, str) and named in structs:
        return structs[named]
    known = [str(name) for name in structs]
    raise FielError(
        f"{tag} must be one of {', '.join(known)}.",
        where=document.where((*place, tag) if tag in value else place),
        fix=_meant(str(named), known),
    )


def _explain_leaf(document: Document, value: Any, kind: Any, place: Place) -> None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        base = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        key = dotted(place[-2:] if isinstance(place[-1], int) else place[-1:])
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fix = None
        if get_origin(base) is Literal:
            words = [str(word) for word in get_args(base)]
            what = f"{key} must be one of {', '.join(words)}"
            what = f"{what}." if isinstance(value, str) else f"{what}, not {_word(value)}."
            fix = _meant(value, words) if isinstance(value, str) else f'Write it in quotes: {key} = "{words[0]}".'
        elif type(value) is base or (base is float and number):
            what = f"{key} is {_word(value)}; {str(error).lower().replace('`', '')}."
        else:
            kinds = get_args(base) if get_origin(base) in (Union, types.UnionType) else (base,)
            wanted = " or ".join(_WORDS.get(get_origin(kind) or kind, "a table") for kind in kinds)
            what = f"{key} must be {wanted}, not {_word(value)}."
            if base is str and number:
                fix = f'Put it in quotes: "{value}".'
            elif wanted == "a list" and isinstance(value, dict):
                fix = f"Write two brackets: [[{key}]]."
        raise FielError(what, where=document.where(place), fix=fix) from None


def _word(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"the number {value}"
    return _WORDS.get(type(value), "a date or time")


def _meant(word: str, known: list[str]) -> str | None:
    near = nearest(word, known)
    return f"Did you mean {near!r}?" if near else None
