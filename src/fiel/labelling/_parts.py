"""What raters see of a subject, and its names there and in the records. Knows no rater and no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from fiel.labelling._terms import Mark, Part
from fiel.records import Assignment, FielError, Item, Pair, Span, Subject, encode, nearest

Shown: TypeAlias = Literal["ab", "ba"] | None
Field: TypeAlias = Literal["answer", "context", "question", "a", "b"]

PARTS = ("input", "context", "output", "a", "b", "reference")
_SIDES = ("first", "second")
_FIELDS: dict[str, Field] = {"input": "question", "context": "context", "output": "answer"}
_HIDDEN = {"group", "author", "author_a", "author_b"}


def only_shown(subjects: Sequence[Subject], show: Sequence[str]) -> tuple[Subject, ...]:
    """The subjects with nothing left in them that raters do not see: these parts, and the item fields of these names.

    Who wrote an answer and which group it belongs to is never shown.

    Raises:
        FielError: `show` names what no subject has.
    """
    known = {*PARTS, *(name for subject in subjects for name in subject.fields)}
    for name in show:
        if name not in known:
            near = nearest(name, known)
            raise FielError(
                f"No item has {name!r} to be shown.",
                where="show",
                fix=f"Did you mean {near!r}?" if near else f"There are: {', '.join(sorted(known))}.",
            )
    return tuple(_stripped(subject, show) for subject in subjects)


def _stripped(subject: Subject, show: Sequence[str]) -> Subject:
    blank: dict[str, object] = {
        field.name: field.default
        for field in msgspec.structs.fields(subject)
        if field.name in _HIDDEN or (field.name in PARTS and field.name not in show)
    }
    fields = {name: value for name, value in subject.fields.items() if name in show and name not in PARTS}
    return msgspec.structs.replace(subject, **blank, fields=fields)


def parts(subject: Subject, shown: Shown) -> tuple[Part, ...]:
    """The texts of a stripped subject in the order in which they are shown, a pair's answers by their sides."""
    found: list[tuple[str, str | None]] = [("input", subject.input), ("context", subject.context)]
    if isinstance(subject, Pair):
        texts = {"a": subject.a, "b": subject.b}
        found += [(side, texts[_letter(side, shown)]) for side in _SIDES]
    else:
        found.append(("output", subject.output))
    found.append(("reference", subject.reference))
    made = [Part(name=name, text=text, markable=name != "reference") for name, text in found if text is not None]
    values = [(name, value) for name, value in subject.fields.items() if value is not None]
    return (*made, *(Part(name=name, text=_text(value), markable=False) for name, value in values))


def _text(value: object) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def side_of(subject: Subject, assignment: Assignment) -> Shown:
    """The order in which a pair is shown; None of an item."""
    return (assignment.shown or "ab") if isinstance(subject, Pair) else None


def to_own(answer: str, shown: Shown) -> str:
    """A pair's answer in the letters of its record: `first` is `a` where `a` was shown first.

    >>> to_own("first", "ba"), to_own("tie", "ba")
    ('b', 'tie')
    """
    return _letter(answer, shown) if answer in _SIDES else answer


def to_side(answer: str, shown: Shown) -> str:
    """The contrary of `to_own`.

    >>> to_side("b", "ba")
    'first'
    """
    return next((side for side in _SIDES if _letter(side, shown) == answer), answer)


def to_span(mark: Mark, shown: Shown) -> Span:
    """A mark of the page as the record has it."""
    if mark.part in _SIDES:
        letter = _letter(mark.part, shown)
        return Span(field="a" if letter == "a" else "b", start=mark.start, end=mark.end)
    return Span(field=_FIELDS[mark.part], start=mark.start, end=mark.end)


def to_mark(span: Span, shown: Shown) -> Mark:
    """The contrary of `to_span`."""
    names = {field: part for part, field in _FIELDS.items()}
    part = to_side(span.field, shown) if span.field in {"a", "b"} else names[span.field]
    return Mark(part=part, start=span.start, end=span.end)


def _letter(side: str, shown: Shown) -> str:
    return (shown or "ab")[_SIDES.index(side)]


def length(subject: Item | Pair) -> int:
    """How many characters there are to read."""
    return sum(len(part.text) for part in parts(subject, None))
