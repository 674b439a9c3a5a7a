"""From the tokens of a reply and their alternatives to a belief over a criterion's options. Knows no model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from fiel.judges._asking import NOT_APPLICABLE, Asked
from fiel.judges._belief_spelling import OFF_SCALE, Reading, closing_quote, is_ended, read_beginning, read_value
from fiel.records import Distribution, FielError, Token

_ABOVE_ONE = 0.02  # by how much the probabilities at one place may exceed 1 in sum: servers round and quantise
_ABOVE_ZERO = 1e-6  # the same for one log-probability
_BROKEN = "\ufffd"  # stands in a token for a part of a character: offsets in the text say nothing any more


def read_belief(
    tokens: Sequence[Token], start: int, end: int, asked: Asked, *, floor: float = 0.0
) -> Distribution | None:
    """The belief that the tokens of one written value hold.

    The path that was taken is walked token by token, from the one that holds the value's first character to the one
    that ends it. At every place the alternatives leave the path with the probability of having come there times their
    own, and go to the one answer that they begin or complete; what is left at the end goes to the written value. So
    the options may be any number of tokens long, and may share their beginnings.

    - Several answers begin so ("1" of "1" and "10"), or nothing of the value is written yet: `ambiguous`, with the
      bounds of the mean. Never the shorter answer.
    - No answer begins so ("85", "yesterday", "8/10", "08"), or the endpoint did not list it: it lowers `captured`.
    - "8.0", " 8", "８" are 8, "Yes" is yes, with or without quotes: `merged` says which and how much. Where two
      answers differ in nothing else, answers are compared to the letter. Yes is not read as true.
    - Inside quotes only the closing quote ends a value ("yes, but" is none); without them a comma, a bracket, white
      space and the like do.

    Args:
        tokens: of the whole reply, or of its beginning up to and including the value.
        start: where the value begins in the text that the tokens spell, in characters, without quotes.
        end: where it ends.
        asked: the criterion and how its answers are spelt.
        floor: alternatives whose probability (that of coming there included) is below it are `dropped`.

    Returns:
        None where nothing can be read: no tokens there, tokens that do not spell the text up to `end`, numbers that
        are no log-probabilities, no mass on any option (all on "not applicable" too).

    Raises:
        FielError: `floor` is not in [0, 1).
    """
    if not 0 <= floor < 1:
        raise FielError(f"The floor is a probability in [0, 1), not {floor}.", fix="0 drops nothing.")
    text = "".join([token.text for token in tokens])
    if not 0 <= start < end <= len(text) or _BROKEN in text[:end]:
        return None
    tally = _walk(tokens, text, _Value(start, end, asked.keys, closing_quote(text[:start])), floor)
    return None if tally is None else _belief(tally, asked)


def mix(distributions: Sequence[Distribution]) -> Distribution:
    """The mean of several beliefs from log-probabilities, each with the same weight.

    Captured, dropped, ambiguous, inapplicable and merged mass are means too; dropped tokens are counted together. The
    bounds of the mean are there as soon as one of the beliefs has them.

    Raises:
        FielError: there is none, one is not from log-probabilities, or their options differ.
    """
    if not distributions:
        raise FielError("There is no belief to take the mean of.")
    first = distributions[0]
    for other in distributions:
        if other.options != first.options:
            raise FielError(f"Beliefs over {list(first.options)} and over {list(other.options)} have no mean.")
        if other.source != "logprobs":
            raise FielError(
                f"A belief from {other.source} is not averaged with others.", fix="Give beliefs from log-probabilities."
            )
    merged: dict[tuple[str, str], float] = {}
    for spelling, option, mass in (entry for each in distributions for entry in each.merged):
        merged[spelling, option] = merged.get((spelling, option), 0.0) + mass / len(distributions)
    captured = [each.captured for each in distributions if each.captured is not None]
    bounded = any(each.mean_low is not None for each in distributions)
    lows = [each.mean if each.mean_low is None else each.mean_low for each in distributions]
    highs = [each.mean if each.mean_high is None else each.mean_high for each in distributions]
    return Distribution(
        options=first.options,
        probs=tuple(_mean(shares) for shares in zip(*(each.probs for each in distributions), strict=True)),
        source="mixture",
        captured=_mean(captured) if len(captured) == len(distributions) else None,
        dropped=_mean([each.dropped for each in distributions]),
        dropped_tokens=sum(each.dropped_tokens for each in distributions),
        ambiguous=_mean([each.ambiguous for each in distributions]),
        inapplicable=_mean([each.inapplicable for each in distributions]),
        merged=_sorted(merged),
        mean_low=_mean(lows) if bounded else None,
        mean_high=_mean(highs) if bounded else None,
    )


def from_samples(answers: Sequence[str | None], options: Sequence[str]) -> Distribution:
    """The shares of the options among several answers to the same question.

    Args:
        answers: each an option, "not applicable" (its share is `inapplicable`), or None where a sample has no readable
            answer, which lowers `captured`.
        options: of the criterion, worst first.

    Raises:
        FielError: an answer is none of these, or no answer is an option.

    >>> from_samples(("no", "yes", "yes", None), ("no", "yes")).captured
    0.75
    """
    for answer in answers:
        if answer is not None and answer not in options and answer != NOT_APPLICABLE:
            raise FielError(f"{answer!r} is not an answer.", fix=f"The options are {list(options)}.")
    counts = [sum(answer == option for answer in answers) for option in options]
    readable = sum(counts)
    if not readable:
        raise FielError(f"None of {len(answers)} samples is one of the options {list(options)}.")
    beside = 0 if NOT_APPLICABLE in options else sum(answer == NOT_APPLICABLE for answer in answers)
    return Distribution(
        options=tuple(options),
        probs=tuple(count / readable for count in counts),
        source="samples",
        captured=readable / len(answers),
        inapplicable=beside / len(answers),
    )


@dataclass(frozen=True, slots=True)
class _Value:
    """Where a value stands, how its answers are spelt, what closes it."""

    start: int
    end: int
    keys: tuple[str, ...]
    quote: str


@dataclass(slots=True)
class _Tally:
    """Mass by answer, by set of answers that stay possible, and by spelling."""

    mass: list[float]
    unresolved: dict[tuple[int, ...], float] = field(default_factory=dict)
    merged: dict[tuple[str, int], float] = field(default_factory=dict)
    dropped: float = 0.0
    dropped_tokens: int = 0

    def add(self, reading: Reading, mass: float) -> None:
        answers = reading.answers
        if len(answers) == 1:
            self.mass[answers[0]] += mass
            if not reading.as_asked:
                key = (reading.spelling, answers[0])
                self.merged[key] = self.merged.get(key, 0.0) + mass
        elif answers:
            self.unresolved[answers] = self.unresolved.get(answers, 0.0) + mass


def _walk(tokens: Sequence[Token], text: str, value: _Value, floor: float) -> _Tally | None:
    """The mass that leaves the written path, place by place, and what stays on it; None where a number is none."""
    keys, quote, end = value.keys, value.quote, value.end
    written = OFF_SCALE
    if is_ended(text[end : end + 40], quote):
        written = read_value(keys, quote, text[value.start : end])
    tally = _Tally([0.0] * len(keys))
    first, origin = _place_of(tokens, value.start)
    lead = text[origin : value.start]
    reach, at = 1.0, origin
    for token in tokens[first:]:
        path = text[origin:at]
        if at > end and text[end:at].strip():
            break  # the value has ended
        if not written.answers and at > value.start and not read_beginning(keys, quote, lead, path).answers:
            break  # the path has left the scale
        if not token.text and at < end:
            return None
        odds = _odds(token)
        if odds is None:
            return None
        own, others = odds
        for other, probability in others:
            mass = reach * probability
            if mass < floor:
                tally.dropped += mass
                tally.dropped_tokens += 1
                continue
            reading = read_beginning(keys, quote, lead, path + other)
            if reading.answers:
                tally.add(reading, mass)
        reach *= own
        at += len(token.text)
    tally.add(written, reach)
    return tally


def _place_of(tokens: Sequence[Token], start: int) -> tuple[int, int]:
    """The token that holds the character at `start`, and where that token begins."""
    at = 0
    for index, token in enumerate(tokens):
        after = at + len(token.text)
        if after > start:
            return index, at
        at = after
    raise AssertionError(f"{len(tokens)} tokens spell {at} characters, not {start + 1}")


def _odds(token: Token) -> tuple[float, list[tuple[str, float]]] | None:
    """The probability of the token that was taken, and of the others with their texts; None where they are none.

    An alternative of minus infinity is one that a grammar forbade: it has no mass.
    """
    if not -math.inf < token.logprob <= _ABOVE_ZERO:
        return None
    own = math.exp(token.logprob)
    others: list[tuple[str, float]] = []
    listed = False
    for text, logprob in token.alternatives:
        if not logprob <= _ABOVE_ZERO:
            return None
        if text == token.text and (not listed or abs(logprob - token.logprob) <= _ABOVE_ZERO):
            listed = True  # the token that was taken; another of the same text is an alternative
        else:
            others.append((text, math.exp(logprob)))
    total = own + sum([probability for _, probability in others])
    if total > 1 + _ABOVE_ONE:
        return None
    if total > 1:
        return own / total, [(text, probability / total) for text, probability in others]
    return own, others


def _belief(tally: _Tally, asked: Asked) -> Distribution | None:
    options = asked.criterion.options
    mass = tally.mass[: len(options)]
    captured = math.fsum(mass)
    if not captured > 0:
        return None
    ambiguous = math.fsum(tally.unresolved.values())
    belief = Distribution(
        options=options,
        probs=tuple(share / captured for share in mass),
        source="logprobs",
        captured=min(1.0, captured),
        dropped=min(1.0, tally.dropped),
        dropped_tokens=tally.dropped_tokens,
        ambiguous=min(1.0, ambiguous),
        inapplicable=min(1.0, math.fsum(tally.mass[len(options) :])),
        merged=_sorted({(spelling, asked.answers[a]): share for (spelling, a), share in tally.merged.items()}),
    )
    if not ambiguous:
        return belief
    low, high = _bounds(mass, tally.unresolved, belief.values)
    return msgspec.structs.replace(belief, mean_low=low, mean_high=high)


def _bounds(
    mass: Sequence[float], unresolved: dict[tuple[int, ...], float], values: tuple[float, ...]
) -> tuple[float, float]:
    """The lowest and the highest mean that the unresolved mass allows."""
    known = len(values)
    low, high = [], []
    for answers, share in unresolved.items():
        possible = [values[answer] for answer in answers if answer < known]
        free = answers[-1] >= known  # it may also mean "not applicable", and then it has no part in the mean
        low.append((min(possible), share, free))
        high.append((-max(possible), share, free))
    negative = tuple(-value for value in values)
    return _lowest(mass, values, low), -_lowest(mass, negative, high)


def _lowest(mass: Sequence[float], values: tuple[float, ...], more: list[tuple[float, float, bool]]) -> float:
    """The lowest mean once every (value, mass, free) of `more` is added; a free one only where it lowers the mean."""
    total = math.fsum(mass)
    weighted = math.fsum(share * value for share, value in zip(mass, values, strict=True))
    for value, share, free in sorted(more, key=lambda entry: (entry[2], entry[0])):
        if not free or value * total < weighted:
            total += share
            weighted += share * value
    return weighted / total


def _sorted(merged: dict[tuple[str, str], float]) -> tuple[tuple[str, str, float], ...]:
    """The largest mass first."""
    entries = [(spelling, option, mass) for (spelling, option), mass in merged.items()]
    return tuple(sorted(entries, key=lambda entry: (-entry[2], entry[0], entry[1])))


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)
