"""What is said of people among themselves, and of judges among themselves, as records. Computes nothing."""

from __future__ import annotations

from fiel.measures._results_figures import Figure, PairFigures, Result
from fiel.records import Scale
from fiel.stats import Estimate


class RaterFigures(Result, frozen=True, kw_only=True):
    """One person on one criterion.

    Args:
        rater: who; n: items answered.
        skipped, flagged: how many items were; skip_rate, flag_rate: of the items shown to the rater.
        seconds: the median active time on an answer; None where no file says.
        leave_one_out: agreement with the majority of the others, on items where they have one; None where none has.
        self_consistency: agreement with the own first answer on hidden repeats; None where nothing was repeated.
    """

    rater: str
    n: int
    skipped: int
    flagged: int
    skip_rate: float
    flag_rate: float
    seconds: float | None
    leave_one_out: Estimate | None
    self_consistency: Estimate | None


class CriterionPeople(Result, frozen=True, kw_only=True):
    """People among themselves on one criterion. No judge has any part in it.

    Args:
        criterion: its id; `question`, `options`, `scale`, `digest`: what was asked.
        labelled: items with an answer or a decision; shared: with answers of two raters or more.
        unresolved: items whose raters tie and nobody decided; adjudicated: items with a decision.
        prevalence: of each option the share among all answers, each item counting once.
        extreme: whether one option has nine tenths of the answers or more: then kappa is fragile, and AC stands beside.
        agreement: how often two raters agree; None where no item is shared.
        coefficients: the first is the kappa that fits the scale: Cohen's of two raters, Conger's of more (pairs pooled
            by their items, so that a rater with few moves it little); then Fleiss' kappa where there are more than
            two, Krippendorff's alpha, and Gwet's AC where one option is `extreme`. Empty where no item is shared.
        pairs: pairs of raters with an item in common, each with its n; at most 300, those with most in common.
        raters: a line for each person.
    """

    criterion: str
    question: str
    options: tuple[str, ...]
    scale: Scale
    digest: str
    labelled: int
    shared: int
    unresolved: int
    adjudicated: int
    prevalence: tuple[float, ...]
    extreme: bool
    agreement: Estimate | None
    coefficients: tuple[Figure, ...]
    pairs: tuple[PairFigures, ...]
    raters: tuple[RaterFigures, ...]


class People(Result, frozen=True, kw_only=True):
    """People among themselves, criterion by criterion: the ceiling of what a judge can be asked for.

    Args:
        rubric, rubric_digest: what was asked; confidence: of the intervals.
        raters: who answered, sorted; design: how the items were drawn; weighted: whether figures use its weights.
        criteria: in the order of the rubric; warnings: what to know before relying on them.
    """

    rubric: str
    rubric_digest: str
    confidence: float
    raters: tuple[str, ...]
    design: str
    weighted: bool
    criteria: tuple[CriterionPeople, ...]
    warnings: tuple[str, ...] = ()


class Together(Result, frozen=True, kw_only=True):
    """Fleiss' kappa of the people, and of the people with one judge more, on one criterion; each says who is in it.

    Args:
        criterion: its id.
        people: over the people alone, as in `CriterionPeople`.
        with_judges: over the people and one judge, one for each judge; its name says which.
    """

    criterion: str
    people: Figure
    with_judges: tuple[Figure, ...]


class Between(Result, frozen=True, kw_only=True):
    """Two judges beside each other, on items that both answered; nobody's answer is gold here.

    Args:
        judge_a, judge_b: their names; identity_a, identity_b: which of theirs.
        criteria: by id, the pair with its figures.
        flips: by criterion, how many items got which two verdicts: rows `a`, columns `b`, in the order of options.
        differences: by criterion with labels, agreement of `a` with gold minus that of `b`, on the same items.
    """

    rubric: str
    judge_a: str
    identity_a: str
    judge_b: str
    identity_b: str
    confidence: float
    criteria: dict[str, PairFigures]
    flips: dict[str, tuple[tuple[int, ...], ...]]
    differences: dict[str, Estimate] = {}  # noqa: RUF012  a msgspec default: copied, never shared
