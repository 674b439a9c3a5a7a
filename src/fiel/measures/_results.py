"""What the measures say, as records: reports print these and compute nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fiel.measures._results_calibration import Calibration
from fiel.measures._results_figures import (
    AltTestFigures,
    Figure,
    GoldScores,
    PairFigures,
    Result,
    ScaleFigures,
    SliceTable,
)
from fiel.measures._results_funnel import Funnel
from fiel.records import Scale
from fiel.stats import Estimate

Word: TypeAlias = Literal["use", "rewrite", "leave out", "not enough labels"]
Verdict: TypeAlias = Literal["pass", "fail", "undecided"]
Certainty: TypeAlias = Literal["sure", "doubtful"]
Plain: TypeAlias = Literal["reaches the bar", "below the bar"]


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
        scale: nominal, ordinal or interval.
        plain: the plain reading of the point: whether agreement reaches the bar, intervals aside; None without it.
        at_ceiling: the ceiling is surely under the bar and the judge not surely below it: the rubric is at fault.
        prevalence: of each option the share by gold; extreme: one has nine tenths or more, so that kappa is fragile.
        coefficients: judge against gold; the first is the one that fits the scale. With a constant judge, Scott's pi
            is among them: kappa is 0 there whatever it agrees on.
        by_rater: judge against each rater, each with its n.
        kappa_ceiling: Conger's kappa of the people, by the scale's weights, on items that the judge answered too;
            kappa_difference: the mean kappa of the judge with each rater, minus the mean over pairs of raters. None
            where no item has two raters.
        fleiss_people: Fleiss' kappa of the people alone; fleiss_with_judge: of the people and this judge.
        alt_test: where three raters or more answered.
        scores: against gold as a classifier; None where no item has both.
        errors: on an ordered scale, the bias first; None on a nominal one.
        calibrations: one for each kind of belief that the judge gave, and for each target.
        slices: agreement by the fields that were asked for.
        preferences: judge and gold beside what users preferred: another construct, never gold.
        weighted: how the design entered: "strata", "weights", or None for equal chances; what is not weighted says so.
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
    scale: Scale = "nominal"
    plain: Plain | None = None
    at_ceiling: bool = False
    prevalence: tuple[float, ...] = ()
    extreme: bool = False
    coefficients: tuple[Figure, ...] = ()
    by_rater: tuple[PairFigures, ...] = ()
    kappa_ceiling: Estimate | None = None
    kappa_difference: Estimate | None = None
    fleiss_people: Figure | None = None
    fleiss_with_judge: Figure | None = None
    alt_test: AltTestFigures | None = None
    scores: GoldScores | None = None
    errors: ScaleFigures | None = None
    calibrations: tuple[Calibration, ...] = ()
    slices: tuple[SliceTable, ...] = ()
    preferences: tuple[PairFigures, ...] = ()
    weighted: Literal["strata", "weights"] | None = None


class Validation(Result, frozen=True, kw_only=True):
    """One judge against people, criterion by criterion. There is no overall figure.

    Args:
        judge, identity: who judged; rubric, rubric_digest: what was asked.
        bar, confidence: as given; fewest: items of the rarer class, below which no criterion is *use*.
        raters: the people whose answers count.
        criteria: in the order of the rubric; warnings: what to know before relying on them.
        construct: what agreement is agreement on: "adherence to rubric 'rag'".
        design: how the labelled items were drawn, in a sentence.
        calibration_set: the digest of the frozen set; None for plain labels.
    """

    judge: str
    identity: str
    rubric: str
    rubric_digest: str
    bar: float
    confidence: float
    raters: tuple[str, ...]
    criteria: tuple[CriterionValidation, ...]
    warnings: tuple[str, ...] = ()
    fewest: int = 5
    construct: str = ""
    design: str = ""
    calibration_set: str | None = None

    @property
    def headline(self) -> str:
        """Which criteria may move decisions, in a sentence."""
        good = [c.criterion for c in self.criteria if c.word == "use"]
        total = len(self.criteria)
        if total == 1:
            return f"{self.criteria[0].criterion} may {'' if good else 'not '}move decisions{'' if good else ' yet'}."
        if not good:
            return f"None of {_count(total)} {_criteria(total)} may move decisions yet."
        names = good[0] if len(good) == 1 else f"{', '.join(good[:-1])} and {good[-1]}"
        return f"{_count(len(good)).capitalize()} of {_count(total)} {_criteria(total)} may move decisions: {names}."


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
