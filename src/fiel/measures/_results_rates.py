"""Corrected rates, what they rest on, and plans for more labels, as records. Computes nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fiel.measures._results_figures import Result, SliceTable
from fiel.measures._results_funnel import Funnel
from fiel.stats import Estimate

Standing: TypeAlias = Literal["holds", "fails", "cannot be checked"]
PlanKind: TypeAlias = Literal["rate width", "rate bar", "kappa width", "kappa power", "ceiling power", "equivalence"]


class Assumption(Result, frozen=True, kw_only=True):
    """One thing that a figure rests on.

    Args:
        name: in two or three words ("random draw", "independent items", "gold", "unscored", "labelled like the rest").
        standing: whether it holds, fails, or cannot be checked from what is known.
        text: in a sentence.
    """

    name: str
    standing: Standing
    text: str


class VarianceTerms(Result, frozen=True, kw_only=True):
    """Where the width of a corrected rate comes from.

    Args:
        labels: the variance that the labels leave; judge: that the finite number of judged items leaves.
        dominates: which is the larger.
        more: how many more labels `sentence` speaks of; width: the width that is then to be expected; None where the
            judged items dominate.
        sentence: "Labels dominate: about 50 more would narrow the interval from 0.21 to about 0.15."
    """

    labels: float
    judge: float
    dominates: Literal["labels", "judged items"]
    more: int | None
    width: float | None
    sentence: str


class Rate(Result, frozen=True, kw_only=True):
    """The passing rate of one criterion: corrected, beside what it was corrected from.

    Args:
        criterion: its id; passing: the options that the rate counts.
        judge, identity: who judged; both empty where nothing was judged at all.
        estimate: the corrected rate (labels alone where no unlabelled item was judged).
        raw: the judge's mean over everything, with an interval for sampling alone; None where nothing was scored.
        classical: the rate from the labels alone; None without labels.
        bias: the judge's mean minus the gold mean on the labelled items, by the weights of the design; None where the
            judge has no belief on them.
        funnel: the denominators.
        sentence: the result in words, with the method; assumptions: what had to be assumed, as sentences; warnings:
            what to look at.
        checks: the assumptions one by one, each with how it stands.
        terms: where the width comes from; None where there is no corrected estimate.
        gold: "majority" or "soft".
        slices: the rate by the fields that were asked for.
        weighted: how the design entered: "strata", "weights", or None for equal chances.
        told: the caller said that a convenience sample may be read as a random one.
        imputed: how many items got the judge's mean in place of a belief that it did not give.
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
    checks: tuple[Assumption, ...] = ()
    terms: VarianceTerms | None = None
    gold: Literal["majority", "soft"] = "majority"
    slices: tuple[SliceTable, ...] = ()
    weighted: Literal["strata", "weights"] | None = None
    told: bool = False
    imputed: int = 0


class RateDifference(Result, frozen=True, kw_only=True):
    """Two systems on the same questions, by one judge and labels on both: the rate of a minus that of b.

    Args:
        criterion: its id; passing: what the rate counts; judge, identity: who judged.
        a, b: the systems; field: that names them on the items ("author", or one of `fields`).
        pairs: questions with an answer of each; labelled: of these, with a gold answer on both.
        estimate: the paired difference, corrected; raw: of the judge alone; classical: of the labels alone.
        rate_a, rate_b: the corrected rate of each alone.
        sentence, checks, warnings: as in `Rate`.
    """

    criterion: str
    passing: tuple[str, ...]
    judge: str
    identity: str
    a: str
    b: str
    field: str
    pairs: int
    labelled: int
    estimate: Estimate
    raw: Estimate | None
    classical: Estimate | None
    rate_a: Estimate
    rate_b: Estimate
    sentence: str
    checks: tuple[Assumption, ...] = ()
    warnings: tuple[str, ...] = ()


class PlanPoint(Result, frozen=True, kw_only=True):
    """What a number of labels is expected to give: a width, or a chance."""

    labels: int
    width: float | None = None
    power: float | None = None


class Plan(Result, frozen=True, kw_only=True):
    """How many labels it takes.

    Args:
        kind: what was asked for; criterion: on which, where it came from data.
        labels: the number in all; more: beyond those that there are; None where no number up to 100,000 does it.
        have: labels at hand.
        expected: what is assumed of the truth, by name ("rate", "rho", "kappa", "agreement", "ceiling", ...).
        from_data: whether those come from data at hand.
        confidence, power: as asked.
        curve: what other numbers of labels give.
        sentence: in words; notes: what it rests on.
    """

    kind: PlanKind
    criterion: str | None
    labels: int | None
    more: int | None
    have: int
    expected: dict[str, float]
    from_data: bool
    confidence: float
    power: float | None
    curve: tuple[PlanPoint, ...]
    sentence: str
    notes: tuple[str, ...] = ()
