"""A study as the text of a database cell, and back. Knows no table."""

from __future__ import annotations

from msgspec import Struct

from fiel.records import FielError, Item, Pair, Rubric, Study, decode, encode
from fiel.records import Subject as AnySubject


class _Subject(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An item or a pair: JSON alone does not tell which."""

    item: Item | None = None
    pair: Pair | None = None


class _Study(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The fields of a `Study`, its subjects named by their kind."""

    name: str
    rubric: Rubric
    subjects: tuple[_Subject, ...]
    raters: tuple[str, ...]
    adjudicator: str | None
    per_item: int | None
    repeats: float
    show: tuple[str, ...]
    seed: int


def to_text(study: Study) -> str:
    """The study as JSON.

    Raises:
        FielError: a text in it is none that can be kept.
    """
    same = {name: getattr(study, name) for name in Study.__struct_fields__ if name != "subjects"}
    return encode(_Study(**same, subjects=tuple(map(_named, study.subjects)))).decode()


def to_study(text: str, *, where: str) -> Study:
    """The study that `to_text` has made a text of.

    Raises:
        FielError: the text is damaged.
    """
    kept = decode(text, _Study, where=where)
    same = {name: getattr(kept, name) for name in Study.__struct_fields__ if name != "subjects"}
    return Study(**same, subjects=tuple(_bare(subject, where) for subject in kept.subjects))


def _named(subject: AnySubject) -> _Subject:
    return _Subject(pair=subject) if isinstance(subject, Pair) else _Subject(item=subject)


def _bare(subject: _Subject, where: str) -> AnySubject:
    found = subject.item if subject.item is not None else subject.pair
    if found is None:
        raise FielError("A kept study has an item without content.", where=where)
    return found
