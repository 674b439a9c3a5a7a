"""The answers that the JSON of a reply holds. Knows no free text, and takes nothing for a verdict inside a string."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from fiel.judges._asking import Answer, Asked
from fiel.judges._json_text import Found, Value
from fiel.judges._spelling import Spellings, fold, spellings

TWO_VERDICTS = "two verdicts"

_Role: TypeAlias = Literal["verdict", "reason", "evidence"]

_ROLES: dict[str, _Role] = {
    **dict.fromkeys(("verdict", "answer", "value", "score", "label", "rating"), "verdict"),
    **dict.fromkeys(("reason", "reasoning", "explanation", "rationale", "justification"), "reason"),
    **dict.fromkeys(("evidence", "fragment", "quote"), "evidence"),
}
_LONGEST = 40  # characters of what stood there that a problem tells


class _Field(NamedTuple):
    """A member of an entry that has a role in it."""

    role: _Role
    name: str
    value: Value


class _Told(NamedTuple):
    """What stands where a verdict should: the answer that it is, or what is wrong with it."""

    answer: str | None
    problem: str | None
    value: Value
    beside: list[_Field]


class _Context(NamedTuple):
    """What all the reading needs to know."""

    text: str
    asked: Sequence[Asked]
    known: list[Spellings]
    found: Found
    finish: str | None


def json_answers(
    text: str, found: Found, asked: Sequence[Asked], finish: str | None = None
) -> tuple[list[Answer], bool]:
    """The answers, one per criterion asked, and whether a criterion stands more than once.

    Args:
        text: the reply.
        found: the objects in it, none of them broken.
        asked: what was asked.
        finish: why it ended.
    """
    known = [spellings(question.keys, question.answers) for question in asked]
    context = _Context(text, asked, known, found, finish)
    entries, stray = _sorted(context)
    told = [
        [one for entry in mine for one in _told(entry, context.known[place], context)]
        for place, mine in enumerate(entries)
    ]
    for place, mine in enumerate(entries):
        if len(mine) > 1 and len({context.text[entry.start : entry.end] for entry in mine}) > 1:
            stray += [one.value for one in told[place] if _single(one.value)]
    answers = [
        _answer(mine, stray, context.known[place]) if mine else Answer(problem=_absent(place, context))
        for place, mine in enumerate(told)
    ]
    return answers, any(len(mine) > 1 for mine in entries)


def _sorted(context: _Context) -> tuple[list[list[Value]], list[Value]]:
    """For each criterion the values that stand under its id, and the verdicts that stand under no id."""
    places = _places(tuple(question.criterion.id for question in context.asked))
    entries: list[list[Value]] = [[] for _ in context.asked]
    stray: list[Value] = []

    def put(place: int, value: Value) -> None:
        stray.extend(_verdicts_in(value, own=True))
        if value.whole:  # what the end of the text cut off is as good as missing
            entries[place].append(value)

    for whole in context.found.objects:
        members = [(_place(name, places), name, value) for name, value in whole.content]
        if len(entries) == 1 and all(place is None for place, _, _ in members) and _has_verdict(whole):
            put(0, whole)
            continue
        for place, name, value in members:
            if place is not None:
                put(place, value)
            elif _role(name) == "verdict" and _single(value):
                stray.append(value)
            else:
                stray.extend(_verdicts_in(value, own=False))
    return entries, stray


@lru_cache(maxsize=256)
def _places(ids: tuple[str, ...]) -> dict[str, int | None]:
    """Which criterion a name means: by its id, else by its folded id where that is one alone."""
    places: dict[str, int | None] = {}
    for place, name in enumerate(ids):
        folded = fold(name)
        places[folded] = None if folded in places else place
    return {**places, **{name: place for place, name in enumerate(ids)}}


def _place(name: str, places: dict[str, int | None]) -> int | None:
    return places[name] if name in places else places.get(fold(name))


def _verdicts_in(value: Value, *, own: bool) -> Iterator[Value]:
    """The single values under the name of a verdict at any depth, without the object's own where they are its own."""
    if value.kind == "array":
        for member in value.content:
            yield from _verdicts_in(member, own=False)
    elif value.kind == "object":
        for name, member in value.content:
            if not _single(member):
                yield from _verdicts_in(member, own=False)
            elif not own and _role(name) == "verdict":
                yield member


def _single(value: Value) -> bool:
    return value.kind not in {"object", "array"}


def _role(name: str) -> _Role | None:
    return _ROLES.get(name) or _ROLES.get(name.strip().lower())


def _has_verdict(entry: Value) -> bool:
    return any(_role(name) == "verdict" for name, _ in entry.content)


def _told(entry: Value, known: Spellings, context: _Context) -> list[_Told]:
    """What an entry says: its "verdict", and what another field says that is an answer too."""
    if entry.kind != "object":
        return [_judge(entry, [], known, context)]
    fields = [_Field(role, name, value) for name, value in entry.content if (role := _role(name)) is not None]
    told = [(name, _judge(value, fields, known, context)) for role, name, value in fields if role == "verdict"]
    if not told:
        have = _listed(name for name, _ in entry.content)
        return [_Told(None, f'missing: there is no "verdict", only {have}', entry, fields)]
    counted = [one for name, one in told if name.strip().lower() == "verdict" or one.answer is not None]
    return counted or [told[0][1]]


def _judge(value: Value, beside: list[_Field], known: Spellings, context: _Context) -> _Told:
    """A value held against the scale."""
    if not _single(value):
        return _Told(None, f"off the scale: an {value.kind}", value, beside)
    written = value.content
    nothing = value.kind == "literal" and written not in {"true", "false"}  # null, NaN: whatever the options are
    answer = None if nothing else known.answer(written)
    if answer is None:
        shown = written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…"
        return _Told(None, f"off the scale: {repr(shown) if value.kind == 'string' else shown}", value, beside)
    cut = value.kind == "number" and value.end == context.found.loose
    if cut and (context.finish == "length" or known.grows(written)):
        return _Told(None, f"truncated: more may have followed {written}", value, beside)
    return _Told(answer, None, value, beside)


def _answer(told: list[_Told], stray: list[Value], known: Spellings) -> Answer:
    """What all that was told agrees on, unless a stray verdict further on contradicts it."""
    first = told[0]
    if any((one.answer, one.problem) != (first.answer, first.problem) for one in told):
        return Answer(problem=TWO_VERDICTS)
    if first.answer is not None:
        later = {known.answer(value.content) for value in stray if value.start > first.value.start}
        if later - {None, first.answer}:
            return Answer(problem=TWO_VERDICTS)
    return Answer(
        answer=first.answer,
        start=first.value.start if _single(first.value) else None,
        end=first.value.end if _single(first.value) else None,
        reason=_said(first.beside, "reason"),
        fragment=_said(first.beside, "evidence"),
        problem=first.problem,
    )


def _said(beside: list[_Field], wanted: _Role) -> str | None:
    """The first string in a role; of a list, its first."""
    for role, _, value in beside:
        if role == wanted:
            first = value.content[0] if value.kind == "array" and value.content else value
            if first.kind == "string":
                return str(first.content)
    return None


def _absent(place: int, context: _Context) -> str:
    name = context.asked[place].criterion.id
    if context.found.cut:
        return f'missing: the reply ends before "{name}" does'
    have = _listed(name for value in context.found.objects for name, _ in value.content)
    return f'missing: there is no "{name}", only {have}'


def _listed(names: Iterable[str]) -> str:
    known = list(dict.fromkeys(f'"{name[:_LONGEST]}"' for name in names))
    return ", ".join(known[:5]) + (", ..." if len(known) > 5 else "") if known else "an empty object"
