"""What the measures say, as records: reports print these and compute nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fiel.stats import Estimate

Word: TypeAlias = Literal["use", "rewrite", "leave out", "not enough labels"]
Verdict: TypeAlias = Literal["pass", "fail", "undecided"]
Certainty: TypeAlias = Literal["sure", "doubtful"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The base of every result: frozen, named fields, all of them in the JSON."""


class Funnel(Result, frozen=True, kw_only=True):
    """The denominators of a criterion, each a count of items.

    Args:
        items: in the frame.
        judged: that the judge was asked about, or that a check decided.
        scored: with a verdict; checked: of these, decided by a deterministic check.
        unscored: judged without a verdict, by reason ("abstained", "refused", "unparsed", "error",
            "tie between options").
        inapplicable: to which the criterion does not apply, by the judge; not among the judged, and in no rate.
        labelled: with at least one human answer.
        skipped: human cells without an answer.
        unresolved: labelled, but the raters tie and nobody decided.
        both: with a verdict of the judge and a gold answer: what agreement is counted on. Items that a check decided
            are among them only where checks decided every item.
    """

    items: int
    judged: int
    scored: int
    checked: int
    unscored: dict[str, int]
    labelled: int
    skipped: int
    unresolved: int
    both: int
    inapplicable: int = 0


class CriterionValidation(Result, frozen=True, kw_only=True):
    """One judge against people on one criterion.

    Args:
        criterion: its id; `question`, `options`, `passing` and `digest` say what was asked.
        funnel: the denominators.
        raters: how many people answered at least once.
        agreement: share of the items that the judge answered where its verdict is the gold answer;
            `details["n_eff"]` beside it. A check is no opinion: see `Funnel.both`.
        probability: P(agreement > bar); None where agreement is undefined.
        kappa: Cohen's kappa of verdict and gold.
        ceiling: how often two raters agree on the same items; None where no item has two raters.
        difference: judge-with-rater minus rater-with-rater agreement on the same items; None where no item has two.
        confusion: rows gold, columns verdict, in the order of `options`.
        constant: the one option that the judge always gave, if it gave two verdicts or more.
        word: what to do with the criterion; `why` in a sentence; `more`: about how many more labels, where they decide.
        disagreements: ids of items where verdict and gold differ, surest first.
    """

    criterion: str
    question: str
    options: tuple[str, ...]
    passing: tuple[str, ...]
    digest: str
    funnel: Funnel
    raters: int
    agreement: Estimate
    probability: float | None
    kappa: Estimate
    ceiling: Estimate | None
    difference: Estimate | None
    confusion: tuple[tuple[int, ...], ...]
    constant: str | None
    word: Word
    why: str
    more: int | None
    disagreements: tuple[str, ...]


class Validation(Result, frozen=True, kw_only=True):
    """One judge against people, criterion by criterion. There is no overall figure."""

    judge: str
    identity: str
    rubric: str
    rubric_digest: str
    bar: float
    confidence: float
    raters: tuple[str, ...]
    criteria: tuple[CriterionValidation, ...]
    warnings: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Which criteria may move decisions, in a sentence."""
        good = [c.criterion for c in self.criteria if c.word == "use"]
        total = len(self.criteria)
        if not good:
            return f"None of {_count(total)} {_criteria(total)} may move decisions yet."
        names = good[0] if len(good) == 1 else f"{', '.join(good[:-1])} and {good[-1]}"
        return f"{_count(len(good)).capitalize()} of {_count(total)} {_criteria(total)} may move decisions: {names}."


class Rate(Result, frozen=True, kw_only=True):
    """The passing rate of one criterion: corrected, beside what it was corrected from.

    Args:
        criterion: its id; passing: the options that the rate counts.
        judge, identity: who judged; both empty where nothing was judged at all.
        estimate: the corrected rate (labels alone where no unlabelled item was judged).
        raw: the judge's mean over everything, with an interval for sampling alone; None where nothing was scored.
        classical: the rate from the labels alone; None without labels.
        bias: the judge's mean minus the gold mean on the labelled items; None where the judge has no belief on them.
        funnel: the denominators.
        sentence: the result in words; assumptions: what had to be assumed; warnings: what to look at.
    """

    criterion: str
    passing: tuple[str, ...]
    judge: str
    identity: str
    estimate: Estimate
    raw: Estimate | None
    classical: Estimate | None
    bias: float | None
    funnel: Funnel
    sentence: str
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Decision(Result, frozen=True, kw_only=True):
    """What a gate says of one estimate.

    Args:
        verdict: pass, fail or undecided. An undefined estimate is undecided and never passes.
        certainty: `sure` when the probability of the stated side reaches the confidence, else `doubtful`.
        at_least: the bar; confidence: how sure one has to be.
        probability: P(true rate >= bar); None where the estimate is undefined.
        estimate: what was decided on.
        why: in a sentence.
        name, criterion, judge: which gate, where it stands in a project.
        items: ids to look at first; evidence: what was said of them, one line each.
    """

    verdict: Verdict
    certainty: Certainty
    at_least: float
    confidence: float
    probability: float | None
    estimate: Estimate
    why: str
    name: str | None = None
    criterion: str | None = None
    judge: str | None = None
    items: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def _count(number: int) -> str:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)


def _criteria(number: int) -> str:
    return "criterion" if number == 1 else "criteria"
