"""A text as sentences of stems, numbers and names, in English and Spanish. Knows no judgement."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from fiel.judges._figures import Figure, figures
from fiel.judges._lexicon import (
    ABBREVIATIONS,
    ABSTAINS,
    ABSTAINS_OF_TEXT,
    ENDINGS,
    NEGATION,
    NUMBER_WORDS,
    SCALES,
    STOP,
    TEXT_WORD,
    Language,
)

_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*(?:['’][^\W_]+)?")
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'»”)\]*]*(?=\s|$)|\n")
_OPENING = tuple(':"“«(¿¡—•*#[|')  # a word after one of these opens a sentence too
_LONGEST = 40  # letters of a word that are looked at


@dataclass(frozen=True, slots=True)
class Name:
    """A capitalised word or a code as it is written, its stem, and its place."""

    text: str
    stem: str
    start: int
    end: int


@dataclass(slots=True)
class Sentence:
    """A sentence by its content: the stems of its content words in order, its numbers, its names."""

    start: int
    end: int
    stems: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    negated: bool = False

    @property
    def content(self) -> set[str]:
        """The distinct stems."""
        return set(self.stems)


@dataclass(frozen=True)
class Text:
    """What was read of a text."""

    raw: str
    sentences: tuple[Sentence, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of all content words."""
        return frozenset(stem for sentence in self.sentences for stem in sentence.stems)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every reading of every number."""
        return frozenset(
            value for sentence in self.sentences for figure in sentence.figures for value in figure.readings
        )

    @cached_property
    def bigrams(self) -> frozenset[tuple[str, str]]:
        """Neighbouring content stems."""
        return frozenset(pair for sentence in self.sentences for pair in bigrams(sentence))

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """For every stem the sentences that hold it."""
        found: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.sentences):
            for stem in sentence.content:
                found.setdefault(stem, []).append(number)
        return found


def bigrams(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """The neighbouring content stems of a sentence."""
    return zip(sentence.stems, sentence.stems[1:], strict=False)


def fold(word: str) -> str:
    """Without case, accents and compatibility forms.

    >>> fold("Año"), fold("ﬁn")
    ('ano', 'fin')
    """
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char)).replace("’", "'")


@lru_cache(maxsize=20_000)
def stem(word: str, language: Language) -> str:
    """A folded word without its plural and its commonest endings; not a linguist's stem, the same for both texts.

    >>> stem("closes", "en") == stem("closing", "en"), stem("abrieron", "es") == stem("abre", "es")
    (True, True)
    """
    word = _singular(word[:_LONGEST].removesuffix("'s").removesuffix("'"), language)
    for ending in ENDINGS[language]:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou"
    return word[:-1] if doubled else word


def _singular(word: str, language: Language) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    if language == "en":
        if word.endswith("ies"):
            return word[:-3] + "y"
        return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]
    if word.endswith("ces"):
        return word[:-3] + "z"
    return word[:-2] if word.endswith("es") and word[-3] not in "aeiou" else word[:-1]


def language_of(text: str, asked: str) -> Language:
    """The language of `text`: the one asked for, unless the small words are clearly those of the other."""
    sides = Counter(_side(match.group()) for match in _WORD.finditer(text[:4000]))
    english, spanish = sides["en"], sides["es"]
    if asked.lower().startswith("es"):
        return "en" if english > 2 * spanish + 2 else "es"
    if asked.lower().startswith("en"):
        return "es" if spanish > 2 * english + 2 else "en"
    return "es" if spanish > english else "en"


@lru_cache(maxsize=20_000)
def _side(token: str) -> Language | None:
    """The language whose small words a word is one of; None where it is of both or of neither."""
    folded = fold(token[:_LONGEST])
    english, spanish = folded in STOP["en"], folded in STOP["es"]
    return None if english == spanish else "en" if english else "es"


def read(raw: str, language: Language) -> Text:
    """`raw` taken apart. Offsets are of `raw`; time grows in step with its length."""
    sentences = tuple(_sentence(raw, start, end, language) for start, end in _spans(raw))
    _put_figures(raw, sentences)
    return Text(raw, sentences)


def abstains(text: Text, sentence: Sentence) -> bool:
    """Whether a sentence says that something is not in the text or not known."""
    folded = " ".join(fold(text.raw[sentence.start : sentence.end]).split())
    if ABSTAINS.search(folded):
        return True
    return bool(TEXT_WORD.search(folded) and ABSTAINS_OF_TEXT.search(folded))


def _spans(raw: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(raw):
        before = raw[max(start, match.start() - 7) : match.start()]
        last = fold(before.split()[-1]) if before.strip() else ""
        numbered = (
            match.start() - start < 8 and raw[start : match.start()].strip().isdigit()
        )  # "1." opens a line of a list
        if match.group() == "." and (numbered or last in ABBREVIATIONS or (len(last) == 1 and last.isalpha())):
            continue
        if raw[start : match.end()].strip():
            yield start, match.end()
        start = match.end()
    if raw[start:].strip():
        yield start, len(raw)


class _Entry(NamedTuple):
    """What a word is, wherever it stands."""

    stem: str | None  # None for a word without content, and for one that begins with a digit
    number: float | None
    negates: bool
    capital: bool
    shouts: bool


@lru_cache(maxsize=20_000)
def _entry(token: str, language: Language) -> _Entry:
    if token[0].isdigit():
        return _Entry(None, None, negates=False, capital=False, shouts=False)
    folded = fold(token)
    number = NUMBER_WORDS[language].get(folded)
    empty = number is not None or folded in STOP[language] or len(folded) < 2
    return _Entry(
        None if empty else stem(folded, language),
        number,
        negates=folded in NEGATION or folded.endswith("n't"),
        capital=token[0].isupper(),
        shouts=len(token) > 1 and token.isupper(),
    )


def _sentence(raw: str, start: int, end: int, language: Language) -> Sentence:
    made = Sentence(start, end)
    before: Name | None = None  # a capitalised word that opens the sentence: a name if another one follows it
    opens, shouted, seen = True, 0, 0
    for match in _WORD.finditer(raw, start, end):
        token = match.group()
        entry = _entry(token[:_LONGEST].rstrip("_"), language)
        seen += 1
        shouted += entry.shouts
        made.negated = made.negated or entry.negates
        if entry.number is not None:
            made.figures.append(Figure((entry.number,), match.start(), match.end()))
        if entry.stem is not None:
            made.stems.append(entry.stem)
        if entry.capital:
            opens = opens or raw[max(start, match.start() - 2) : match.start()].strip()[-1:] in _OPENING
            name = None if entry.stem is None else Name(token, entry.stem, match.start(), match.end())
            if name and not opens:
                made.names.extend([before, name] if before else [name])
            before = name if opens else None
        else:
            before = None
        opens = False
    if seen > 3 and shouted > seen / 2:
        made.names.clear()  # shouting, not names
    return made


def _put_figures(raw: str, sentences: tuple[Sentence, ...]) -> None:
    waiting = iter(sentences)
    sentence = next(waiting, None)
    for figure in figures(raw):
        while sentence is not None and figure.start >= sentence.end:
            sentence = next(waiting, None)
        if sentence is None:
            break
        if not _is_marker(raw, figure):
            sentence.figures.append(figure)
    for sentence in sentences:
        if sentence.figures:
            sentence.figures = [_scaled(raw, figure) for figure in sorted(sentence.figures, key=_start)]


def _start(figure: Figure) -> int:
    return figure.start


def _is_marker(raw: str, figure: Figure) -> bool:
    """Whether a figure is the number of a line in a list: "2. " or "2) "."""
    before = raw[max(0, figure.start - 4) : figure.start].rpartition("\n")
    at_start = not before[2].strip() and (bool(before[1]) or figure.start <= 4)
    return (
        at_start and raw[figure.end : figure.end + 1] in (".", ")") and raw[figure.end + 1 : figure.end + 2].isspace()
    )


def _scaled(raw: str, figure: Figure) -> Figure:
    """With the further reading that a word for thousands or millions after it gives."""
    after = _WORD.match(raw, figure.end + 1)
    scale = SCALES.get(fold(after.group())) if after else None
    if scale is None:
        return figure
    return figure._replace(readings=(*figure.readings, *(value * scale for value in figure.readings)))
