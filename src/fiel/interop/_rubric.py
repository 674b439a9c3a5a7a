"""The rubric behind a table: what its description says, else what the values in it show. Knows no item and no file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fiel.interop._answers import folded, number, says_not_applicable, spelled
from fiel.interop._description import Described
from fiel.records import Criterion, FielError, Rubric
from fiel.records import Scale as Measure

_WIDEST = 20  # whole numbers from lowest to highest that are taken for a scale; more are taken for a measurement
_MOST = 50  # words that are taken for options; more are taken for free text
_WORSE = ("no", "false", "0", "incorrect", "wrong", "fail", "failed", "bad", "unsafe", "negative", "absent")
_BETTER = ("yes", "true", "1", "correct", "right", "pass", "passed", "good", "safe", "positive", "present")
_PREFERENCE = ("a", "b", "tie")
_ROUNDED = "The values were measured on a line; each was rounded to the nearest of these levels, halves upwards."
_APPLIES = "The question makes sense for this answer."


class Wish(NamedTuple):
    """What the user said of the scales, None where nothing.

    Args:
        options: of every criterion, worst first; scale: of every criterion.
        levels: what measured numbers are rounded to, worst first.
        not_applicable: the spellings that mean "not applicable".
    """

    options: tuple[str, ...] | None = None
    scale: Measure | None = None
    levels: tuple[str, ...] | None = None
    not_applicable: tuple[str, ...] = ()


@dataclass(slots=True)
class Seen:
    """The spellings that stand in the tables on one criterion, with how often, and whether it ever did not apply."""

    people: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    inapplicable: bool = False


def infer(name: str, seen: Seen, described: Described | None, wish: Wish) -> tuple[Criterion, str]:
    """A criterion, and the sentence that says where it comes from.

    The options are those of the wish, else of the description, else what people answered, else what judges said. Whole
    numbers are a scale from the lowest to the highest, every one between them included.

    Raises:
        FielError: numbers that are measured and not counted, free text, or one answer alone.
    """
    described = described or Described()
    beside = {*wish.not_applicable, *described.not_applicable}
    options, source = _options(name, seen, described, wish)
    options = tuple(option for option in options if option not in beside)
    if len(options) < 2:
        raise FielError(
            f"Only {list(options)} was ever answered to {name!r}.",
            fix='Say what else could have been, worst first: --options "no,yes".',
        )
    rounded = options == wish.levels and source == "--levels"
    scale = wish.scale or _scale(options, described, rounded=rounded)
    passing = described.passing or _passing(options, described)
    words_beside = any(map(says_not_applicable, {*seen.people, *seen.judges} - set(options)))
    criterion = Criterion(
        id=name,
        question=described.question or name,
        options=options,
        passing=passing,
        scale=scale,
        guidance=_ROUNDED if rounded else None,
        applies_when=_APPLIES if seen.inapplicable or words_beside or beside & {*seen.people, *seen.judges} else None,
    )
    source = f"{source}, each number rounded to the nearest" if rounded else f"from {source}"
    told = f"{name}: {scale}, {', '.join(options)} ({source}); a rate counts {', '.join(criterion.passes)}"
    return criterion, told


def check_wish(rubric: Rubric, wish: Wish, *, where: str) -> None:
    """Refuse a wish that says something else than the rubric that is used.

    Raises:
        FielError: other options, levels or scale.
    """
    for criterion in rubric.criteria:
        spellings = tuple(spelled(option) for option in criterion.options)
        known = ", ".join(criterion.options)
        for option, said in (("--options", wish.options), ("--levels", wish.levels)):
            if said is not None and spellings != said:
                raise FielError(
                    f"{option} is {', '.join(said)}, and criterion {criterion.id!r} has {known}.",
                    where=where,
                    fix=f"Change the options in this file, or take {option} out.",
                )
        if wish.scale is not None and criterion.scale != wish.scale:
            raise FielError(
                f"--scale is {wish.scale}, and criterion {criterion.id!r} is {criterion.scale}.",
                where=where,
                fix="Change the scale in this file, or take --scale out.",
            )


def rubric_text(rubric: Rubric) -> str:
    """The rubric as a TOML file, to be read and mended by its owner."""
    head = [
        "#:schema ../.fiel/schemas/rubric.schema.json",
        "# Made by fiel import. The tables do not say in which words people and judges were asked: write the questions",
        "# here, and check options (worst first) and passing (what a rate counts). After a change, run the same",
        "# fiel import again: the answers are then read by the new words.",
        "",
        f"id = {_toml(rubric.id)}",
        f"language = {_toml(rubric.language)}",
    ]
    return "\n".join([*head, *(line for criterion in rubric.criteria for line in _criterion_lines(criterion)), ""])


def _criterion_lines(criterion: Criterion) -> list[str]:
    lines = ["", "[[criteria]]", f"id = {_toml(criterion.id)}", f"question = {_toml(criterion.question)}"]
    lines.append(f"options = [{', '.join(map(_toml, criterion.options))}]")
    lines.append(f"passing = [{', '.join(map(_toml, criterion.passes))}]")
    lines.append(f"scale = {_toml(criterion.scale)}")
    if criterion.guidance is not None:
        lines.append(f"guidance = {_toml(criterion.guidance)}")
    if criterion.applies_when is not None:
        lines.append(f"applies_when = {_toml(criterion.applies_when)}")
    return lines


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _options(name: str, seen: Seen, described: Described, wish: Wish) -> tuple[tuple[str, ...], str]:
    if wish.options is not None:
        return wish.options, "--options"
    if described.kind == "continuous":
        return _levels(name, wish, described.span), "--levels"
    if described.levels:
        return described.levels, "dataset.json"
    beside = {*wish.not_applicable, *described.not_applicable}
    sources = (
        ("what people answered", seen.people),
        ("what judges said", seen.judges),
        ("what was answered", seen.people + seen.judges),
    )
    for source, counted in sources:
        words = _words(counted, beside)
        numbers = [value for word in words if (value := number(word)) is not None]
        if numbers and len(numbers) == len(words):
            lowest, highest = min(numbers), max(numbers)
            if highest - lowest > _WIDEST or not all(value.is_integer() for value in numbers):
                return _levels(name, wish, (lowest, highest)), "--levels"
            words = [str(value) for value in range(int(lowest), int(highest) + 1)]
        if len(words) > _MOST:
            raise FielError(
                f"{len(words)} different answers were given to {name!r}, which looks like free text.",
                fix='Name the column with the answers value, or say what they can be: --options "no,yes".',
            )
        if len(words) > 1:
            return tuple(words if numbers else _in_order(words)), source
    return tuple(_words(seen.people + seen.judges, beside)), "what was answered"


def _words(counted: Counter[str], beside: Collection[str]) -> list[str]:
    """The spellings without "not applicable"; of those that differ in capitals alone, the most frequent."""
    found: dict[str, str] = {}
    for word, _ in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])):
        if word not in beside and not says_not_applicable(word):
            found.setdefault(folded(word), word)
    return sorted(found.values())


def _levels(name: str, wish: Wish, span: tuple[float, float] | None) -> tuple[str, ...]:
    """The levels that measured numbers are rounded to.

    Raises:
        FielError: the user has named none.
    """
    if wish.levels is None:
        reach = "" if span is None else f" from {span[0]:g} to {span[1]:g}"
        raise FielError(
            f"The answers to {name!r} are measured numbers{reach}; people and judges answer one of some options here.",
            fix="Say to which levels each number is rounded, such as --levels 0,0.25,0.5,0.75,1; or, where each number "
            'is an answer of its own, all of them: --options "1,1.5,2".',
        )
    return wish.levels


def _scale(options: Sequence[str], described: Described, *, rounded: bool) -> Measure:
    if described.kind in {"ordinal", "interval"}:
        return "ordinal" if described.kind == "ordinal" else "interval"
    if described.kind in {"binary", "nominal", "pairwise"}:
        return "nominal"
    if rounded:
        return "interval"
    return "ordinal" if len(options) > 2 and all(number(option) is not None for option in options) else "nominal"


def _in_order(words: Sequence[str]) -> list[str]:
    """Words worst first where they are known, else by the alphabet."""
    if len(words) > 1 and {folded(word) for word in words} <= set(_PREFERENCE):
        return sorted(words, key=lambda word: _PREFERENCE.index(folded(word)))
    rank = {word: 0 if folded(word) in _WORSE else 2 if folded(word) in _BETTER else 1 for word in words}
    return sorted(words, key=lambda word: (rank[word], word))


def _passing(options: Sequence[str], described: Described) -> tuple[str, ...]:
    """What a rate counts: the first answer of a pair, the one good word, else the last option."""
    if described.kind == "pairwise" or {folded(option) for option in options} <= set(_PREFERENCE):
        return tuple(options[:1])
    good = [option for option in options if folded(option) in _BETTER]
    return tuple(good if len(good) == 1 and number(good[0]) is None else options[-1:])
