"""A judge without a model: what shared words, numbers and names tell. The floor that a paid judge has to beat.

It knows English and Spanish words and nothing of what they mean.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from fiel.judges._features import Features, features
from fiel.judges._kinds import Kind, kind_of, passes_on_fault, passes_on_no
from fiel.judges._words import Sentence, language_of, read
from fiel.records import Criterion, Distribution, Evidence, Item, Judgement, Pair, Rubric, Subject, digest

_VERSION = 1  # in the identity: raise it when any answer may change
_LOWEST, _HIGHEST = 0.02, 0.98
_LARGEST = 1029  # n up to which every binomial coefficient fits a float; above it goes by logarithms
_EMPTY = 0.05  # the probability of passing of an answer without words

# The logistic of each kind: log-odds of passing = bias + sum of coefficient x feature. Set by hand, fitted to nothing.
# Every feature lies in [0, 1]. Good signs: words (share of the answer's content words that stand in the ground), pairs
# (the same of neighbouring words), worst (the same of the least founded claim), found (share of its numbers and names
# that are in the ground; 0 without any), covered (how far the parts of the question are touched), right (how far
# abstaining, or not, suits what the ground seems to hold), recall (share of the reference that the answer holds, minus
# one half), hits (share of up to four words of the criterion that the text holds). Bad signs: numbers and names (0 when
# all are found, 0.6 to 1 by the share that is lost), negation (a claim denies what the ground says, or the other way),
# denied (how far the ground seems to hold what the answer says it does not tell).
# So an answer in the words of its ground has log-odds of about 3 of being supported, a free paraphrase of it about 0,
# and a number that is nowhere in the ground takes 3 or 4 away.
COEFFICIENTS: dict[Kind, dict[str, float]] = {
    "support": {
        "bias": -2.0, "words": 2.0, "pairs": 1.0, "worst": 2.0, "found": 0.7, "numbers": -4.0, "names": -3.0,
        "negation": -1.5, "denied": -4.0, "recall": 2.0,
    },
    "inventions": {
        "bias": -1.5, "words": 2.0, "pairs": 0.5, "worst": 2.5, "found": 0.5, "numbers": -5.0, "names": -4.0,
        "negation": -0.5,
    },
    "coverage": {"bias": -2.5, "covered": 5.0, "recall": 2.0, "negation": -0.5},
    "abstention": {"bias": -2.5, "right": 5.0, "numbers": -0.5, "names": -0.5},
    "lexical": {"bias": -2.0, "hits": 4.0},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """Judges an item by overlap with its context (else its reference, else its question), in English and Spanish.

    Every criterion is taken for one of four kinds by its words: support, inventions, coverage, abstention. Where the
    item has no ground at all, the answer is held against the words of the criterion. The probability of passing is a
    fixed logistic of what was counted (`COEFFICIENTS`), clipped to [0.02, 0.98]; an ordinal scale of k > 2 options
    spreads it as a binomial(k - 1, p) over the options, worst first. It is deterministic, asks no model and costs
    nothing. From a `Pair` it abstains.

    Args:
        name: under which it runs.
    """

    name: str = "baseline"

    def identity(self, rubric: Rubric) -> str:
        """The digest of its version and the rubric."""
        return digest(("baseline", _VERSION, rubric.digest))

    async def __call__(
        self, subject: Subject, rubric: Rubric, criteria: tuple[Criterion, ...] | None = None
    ) -> tuple[Judgement, ...]:
        """Answer `criteria` (all of the rubric's when None), in that order; latency is that of the call, in s."""
        begun = time.perf_counter()
        asked = rubric.criteria if criteria is None else criteria
        if isinstance(subject, Pair):
            found: list[_Opinion | None] = [None] * len(asked)
        else:
            counted = features(subject, rubric.language)
            found = [_opinion(criterion, subject, counted, rubric.language) for criterion in asked]
        identity, latency = self.identity(rubric), time.perf_counter() - begun
        return tuple(
            Judgement(
                subject=subject.id,
                subject_digest=subject.digest,
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge=self.name,
                identity=identity,
                status="ok" if opinion else "abstained",
                belief=_spread(criterion, opinion.probability) if opinion else None,
                evidence=opinion.evidence if opinion else (),
                reason=opinion.reason if opinion else "The baseline judges single answers, not pairs.",
                cost=0.0,
                latency=latency,
            )
            for criterion, opinion in zip(asked, found, strict=True)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Opinion:
    probability: float
    reason: str
    evidence: tuple[Evidence, ...] = ()


def _opinion(criterion: Criterion, item: Item, found: Features | None, language: str) -> _Opinion:
    if not any(char.isalnum() for char in item.output):
        return _Opinion(probability=_EMPTY, reason="The answer is empty.")
    if found is None:
        return _by_words(criterion, item, language)
    kind = kind_of(criterion)
    p = _logistic(kind, _values(found))
    reason = _reason(kind, found)
    evidence = _evidence(kind, found, item) if criterion.evidence_in == "answer" and p < 0.5 else ()
    return _Opinion(probability=1 - p if passes_on_fault(criterion) else p, reason=reason, evidence=evidence)


def _by_words(criterion: Criterion, item: Item, language: str) -> _Opinion:
    """Without a ground: how many words of the criterion the text holds."""
    wording = " ".join((criterion.question, criterion.guidance or "", *criterion.passes))
    spoken = language_of(wording, language)
    wanted, said = read(wording, spoken).stems, read(item.output, spoken).stems
    shared = sorted(wanted & said)
    p = _logistic("lexical", {"hits": min(1.0, len(shared) / 4)})
    number = f"{len(shared)} {'word' if len(shared) == 1 else 'words'}"
    reason = f"The text shares {number} with the criterion; there is nothing else to hold it against."
    return _Opinion(probability=1 - p if passes_on_no(criterion) else p, reason=reason)


def _values(found: Features) -> dict[str, float]:
    parts = found.parts
    covered = [max(part.touched, 1 - part.answerable) if part.abstained else part.touched for part in parts]
    right = [
        1 - part.answerable if part.abstained else part.answerable + (1 - part.answerable) * 0.5 * found.soundness
        for part in parts
    ]
    if not parts:
        covered, right = [found.lead], [0.2 if found.refuses else found.soundness]
    denied = [part.answerable**2 for part in parts if part.abstained]
    looked_for = found.numbers + found.names
    lost = len(found.lost_numbers) + len(found.lost_names)
    return {
        "words": found.words,
        "pairs": found.bigrams,
        "worst": found.worst,
        "numbers": _lost(len(found.lost_numbers), found.numbers),
        "names": _lost(len(found.lost_names), found.names),
        "negation": float(found.contradicted is not None),
        "found": 1 - lost / looked_for if looked_for else 0.0,
        "denied": math.fsum(denied) / len(denied) if denied else 0.0,
        "recall": 0.0 if found.recall is None else found.recall - 0.5,
        "covered": (math.fsum(covered) / len(covered) + min(covered)) / 2,
        "right": (math.fsum(right) / len(right) + min(right)) / 2,
    }


def _lost(lost: int, total: int) -> float:
    return 0.6 + 0.4 * lost / total if lost else 0.0


def _answerable(found: Features) -> float:
    return math.fsum(part.answerable for part in found.parts) / len(found.parts) if found.parts else 0.5


def _logistic(kind: Kind, values: dict[str, float]) -> float:
    odds = math.fsum(weight * (1.0 if name == "bias" else values[name]) for name, weight in COEFFICIENTS[kind].items())
    return min(_HIGHEST, max(_LOWEST, 1 / (1 + math.exp(-odds))))


def _spread(criterion: Criterion, p: float) -> Distribution:
    """`p` over the options: binomial on a scale of more than two, else split within the passing and within the rest."""
    options, k = criterion.options, len(criterion.options)
    if criterion.scale != "nominal" and k > 2:
        probs = [_binomial(k - 1, i, p) for i in range(k)]
    else:
        passing = len(criterion.passes)
        probs = [p / passing if option in criterion.passes else (1 - p) / (k - passing) for option in options]
    total = math.fsum(probs)
    return Distribution(options=options, probs=tuple(prob / total for prob in probs), source="baseline")


def _binomial(n: int, i: int, p: float) -> float:
    if n <= _LARGEST:
        return math.comb(n, i) * p**i * (1 - p) ** (n - i)
    ways = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
    return math.exp(ways + i * math.log(p) + (n - i) * math.log1p(-p))


def _reason(kind: Kind, found: Features) -> str:
    if kind == "coverage":
        return _reason_of_coverage(found)
    if kind == "abstention":
        return _reason_of_abstention(found)
    if found.lost_numbers:
        shown = ", ".join(f"{figure.readings[0]:.15g}" for figure in found.lost_numbers[:5])
        reason = _lost_words(len(found.lost_numbers), found.numbers, "number", found.ground, shown)
    elif found.lost_names:
        shown = ", ".join(name.text for name in found.lost_names[:5])
        reason = _lost_words(len(found.lost_names), found.names, "name", found.ground, shown)
    elif found.refuses:
        reason = f"The answer claims nothing; it says that the {found.ground} does not tell."
    elif found.contradicted is not None:
        reason = f"A claim denies what the {found.ground} says, or says what it denies."
    else:
        reason = f"{found.words:.0%} of the content words are in the {found.ground} or the question."
    return reason


def _lost_words(lost: int, total: int, what: str, ground: str, shown: str) -> str:
    things = what if total == 1 else f"{what}s"
    return f"{lost} of {total} {things} {'is' if lost == 1 else 'are'} not in the {ground}: {shown}."


def _reason_of_coverage(found: Features) -> str:
    if not found.parts:
        return f"{found.lead:.0%} of the words of the {found.ground}'s first sentence are in the answer."
    open_parts = [part for part in found.parts if part.touched < 0.5 and not (part.abstained and part.answerable < 0.5)]
    if not open_parts:
        return f"Every part of the question is touched ({len(found.parts)})."
    return (
        f"{len(open_parts)} of {len(found.parts)} parts of the question seem untouched: {open_parts[0].asked[:80]!r}."
    )


def _reason_of_abstention(found: Features) -> str:
    told = f"the {found.ground} seems to hold {_answerable(found):.0%} of what is asked"
    return f"The answer abstains and {told}." if found.abstentions else f"The answer does not abstain and {told}."


def _evidence(kind: Kind, found: Features, item: Item) -> tuple[Evidence, ...]:
    """The first number or name that is lost, else the sentence at fault."""
    places = [(figure.start, figure.end) for figure in found.lost_numbers]
    places += [(name.start, name.end) for name in found.lost_names]
    if kind == "abstention" and found.abstentions:
        places = [_span(item.output, found.abstentions[0])]
    elif not places:
        at_fault = found.contradicted or (found.worst_claim if found.worst < 0.7 else None)
        places = [_span(item.output, at_fault)] if at_fault else []
    if not places:
        return ()
    start, end = min(places)
    return (Evidence(text=item.output[start:end], field="answer", start=start, end=end),)


def _span(text: str, sentence: Sentence) -> tuple[int, int]:
    """The sentence without white space at its ends."""
    raw = text[sentence.start : sentence.end]
    start = sentence.start + len(raw) - len(raw.lstrip())
    return start, start + len(raw.strip())
