"""What an answer shares with its ground: words, numbers, names, the parts of the question. Knows no criterion.

The ground is the context, else the reference, else the question.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from fiel.judges._figures import Figure
from fiel.judges._lexicon import PARTS, WANTS_NAME, WANTS_NUMBER, Language
from fiel.judges._words import Name, Sentence, Text, abstains, bigrams, fold, language_of, read
from fiel.records import Item

_SENTENCES = (
    200  # of the answer that are matched one by one; of the ground that may share a word before it says nothing
)
_PARTS = 8  # of a question


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One of the things that a question asks.

    Args:
        asked: its words.
        answerable: in [0, 1], how far the ground seems to hold what is asked.
        abstained: whether the answer says that the ground does not tell.
        touched: in [0, 1], how far the answer says what the ground says about it, or something of the kind asked for.
    """

    asked: str
    answerable: float
    abstained: bool
    touched: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Features:
    """An answer beside its ground. Shares are in [0, 1]; 1 where there is nothing to find.

    Args:
        ground: which text it is held against.
        claims: sentences that claim something; abstentions: sentences that say that something is not told.
        words: share of the distinct content words of the claims that stand in the ground or the question.
        bigrams: share of neighbouring content words that are neighbours in the ground too.
        worst: the least such share of words of a single claim; worst_claim: that claim.
        numbers, names: how many distinct ones the claims hold.
        lost_numbers, lost_names: those that stand neither in the ground nor in the question.
        contradicted: the first claim that differs in negation from the sentence of the ground that is most like it.
        recall: share of the content words and numbers of the reference that the answer holds; None without a reference.
        lead: share of the content words of the ground's first sentence that the answer holds.
        parts: of the question.
    """

    ground: Literal["context", "reference", "question"]
    claims: tuple[Sentence, ...]
    abstentions: tuple[Sentence, ...]
    words: float
    bigrams: float
    worst: float
    worst_claim: Sentence | None
    numbers: int
    names: int
    lost_numbers: tuple[Figure, ...]
    lost_names: tuple[Name, ...]
    contradicted: Sentence | None
    recall: float | None
    lead: float
    parts: tuple[Part, ...]

    @property
    def refuses(self) -> bool:
        """Whether the answer does nothing but abstain."""
        return bool(self.abstentions) and not self.claims

    @property
    def soundness(self) -> float:
        """How far the claims stand in the ground, as one share."""
        return self.words * (0.5 if self.lost_numbers else 1.0) * (0.6 if self.lost_names else 1.0)


def features(item: Item, asked_language: str) -> Features | None:
    """What can be counted; None where the item has neither context nor reference nor input."""
    chosen = _ground(item)
    if chosen is None:
        return None
    source, held = chosen
    language = language_of(held[:2000] + " " + item.output[:2000], asked_language)
    ground, answer = read(held, language), read(item.output, language)
    question = read(item.input or "", language)
    claims, abstentions = _sorted_out(answer, ground)
    given = ground.stems | question.stems
    lost_numbers, numbers = _lost_numbers(claims, ground.numbers | question.numbers)
    lost_names, names = _lost_names(claims, given)
    worst, worst_claim = _worst(claims, given)
    stems = {stem for claim in claims for stem in claim.stems}
    pairs = {pair for claim in claims for pair in bigrams(claim)}
    first = next((sentence.content for sentence in ground.sentences if len(sentence.stems) > 1), set())
    return Features(
        ground=source,
        claims=claims,
        abstentions=abstentions,
        words=_share(stems, given),
        bigrams=_share(pairs, ground.bigrams),
        worst=worst,
        worst_claim=worst_claim,
        numbers=numbers,
        names=names,
        lost_numbers=lost_numbers,
        lost_names=lost_names,
        contradicted=_contradicted(claims, ground),
        recall=_recall(item, answer, language),
        lead=_share(first, answer.stems),
        parts=_parts(question, ground, claims, abstentions, language),
    )


def _ground(item: Item) -> tuple[Literal["context", "reference", "question"], str] | None:
    if item.context is not None and item.context.strip():
        return "context", item.context
    if item.reference is not None and item.reference.strip():
        return "reference", item.reference
    if item.input is not None and item.input.strip():
        return "question", item.input
    return None


def _share(wanted: set[str] | set[tuple[str, str]], held: frozenset[str] | frozenset[tuple[str, str]]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _sorted_out(answer: Text, ground: Text) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Claims and abstentions. What the ground itself says not to know is a claim when the answer repeats it."""
    claims: list[Sentence] = []
    abstentions: list[Sentence] = []
    for sentence in answer.sentences:
        if not abstains(answer, sentence):
            if sentence.stems or sentence.figures:
                claims.append(sentence)
            continue
        like = _most_like(sentence.content, ground)
        repeats = like is not None and like[1] >= 0.8 and abstains(ground, like[0])
        (claims if repeats else abstentions).append(sentence)
    return tuple(claims), tuple(abstentions)


def _most_like(stems: set[str], text: Text) -> tuple[Sentence, float] | None:
    """The sentence that shares most of `stems`, and the share."""
    counts = _counts(stems, text)
    if not counts:
        return None
    place = min(counts, key=lambda number: (-counts[number], number))
    return text.sentences[place], counts[place] / len(stems)


def _counts(stems: set[str], text: Text) -> Counter[int]:
    """For every sentence of `text` how many of `stems` it holds; a word of very many sentences says nothing."""
    counts: Counter[int] = Counter()
    for stem in stems:
        places = text.places.get(stem, [])
        if len(places) <= _SENTENCES:
            counts.update(places)
    return counts


def _lost_numbers(claims: tuple[Sentence, ...], held: frozenset[float]) -> tuple[tuple[Figure, ...], int]:
    seen: dict[float, Figure] = {}
    for claim in claims:
        for figure in claim.figures:
            if figure.readings[0] != 1.0:  # "one" is an article as often as a number
                seen.setdefault(figure.readings[0], figure)
    lost = (figure for figure in seen.values() if not any(value in held for value in figure.readings))
    return tuple(lost), len(seen)


def _lost_names(claims: tuple[Sentence, ...], held: frozenset[str]) -> tuple[tuple[Name, ...], int]:
    seen: dict[str, Name] = {}
    for claim in claims:
        for name in claim.names:
            seen.setdefault(name.stem, name)
    return tuple(name for name in seen.values() if name.stem not in held), len(seen)


def _worst(claims: tuple[Sentence, ...], held: frozenset[str]) -> tuple[float, Sentence | None]:
    shares = [(_share(claim.content, held), number) for number, claim in enumerate(claims) if len(claim.stems) > 2]
    if not shares:
        return 1.0, None
    share, number = min(shares)
    return share, claims[number]


def _contradicted(claims: tuple[Sentence, ...], ground: Text) -> Sentence | None:
    for claim in claims[:_SENTENCES]:
        if len(claim.content) < 2:
            continue
        like = _most_like(claim.content, ground)
        if like is not None and like[1] >= 0.6 and like[0].negated != claim.negated:
            return claim
    return None


def _recall(item: Item, answer: Text, language: Language) -> float | None:
    if item.reference is None or not item.reference.strip():
        return None
    reference = read(item.reference, language)
    wanted = len(reference.stems) + len(reference.numbers)
    held = len(reference.stems & answer.stems) + len(reference.numbers & answer.numbers)
    return held / wanted if wanted else None


def _parts(
    question: Text,
    ground: Text,
    claims: tuple[Sentence, ...],
    abstentions: tuple[Sentence, ...],
    language: Language,
) -> tuple[Part, ...]:
    made = []
    said = Text("", claims)
    unsaid = frozenset(stem for sentence in abstentions for stem in sentence.stems)
    pending = ""
    for piece in PARTS.split(question.raw[:2000]):
        asked = f"{pending} {piece}".strip()
        stems = set(read(asked, language).stems)
        pending = ""
        if not stems:
            pending = asked  # "when and where was it built": the first half asks with the words of the second
            continue
        folded = fold(asked)
        relevant, answerable = _relevant(stems, ground)
        numbers = frozenset(value for sentence in relevant for figure in sentence.figures for value in figure.readings)
        touched = _share(stems, said.stems) * 0.5
        news = frozenset(stem for sentence in relevant for stem in sentence.stems) - question.stems
        new = min(1.0, len(news & said.stems) / 2)
        if WANTS_NUMBER.search(folded):
            answerable *= 1.0 if numbers else 0.5
            told = any(claim.figures and stems & claim.content for claim in claims)
            touched = max(touched, 0.5 * new, 1.0 if numbers & said.numbers else 0.6 if told else 0.0)
        elif WANTS_NAME.search(folded):
            answerable *= 1.0 if any(sentence.names for sentence in relevant) else 0.6
            touched = max(touched, new)
        else:
            touched = max(touched, new)
        abstained = bool(abstentions) and (not claims or bool(stems & unsaid) or touched < 0.3)
        made.append(Part(asked=asked, answerable=answerable, abstained=abstained, touched=touched))
    return tuple(made[:_PARTS])


def _relevant(stems: set[str], ground: Text) -> tuple[list[Sentence], float]:
    """The sentences of the ground that share most with a part of the question, and how far they cover it together."""
    counts = _counts(stems, ground)
    top = sorted(counts, key=lambda number: (-counts[number], number))[:3]
    relevant = [ground.sentences[number] for number in top if counts[number] == counts[top[0]]]
    found = {stem for sentence in relevant for stem in sentence.stems}
    return relevant, len(stems & found) / len(stems)
