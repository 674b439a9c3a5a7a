"""The small results that others are made of: a figure, two raters, a scale's errors, scores by gold. Computes none."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fiel.stats import Estimate

PairKind: TypeAlias = Literal["human-human", "judge-human", "judge-judge", "judge-preference", "human-preference"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The base of every result: frozen, named fields, all of them in the JSON."""


class Figure(Result, frozen=True, kw_only=True):
    """A number under its name, with an interval where one exists.

    Args:
        name: in words, as it may be printed: "Cohen's kappa, quadratic weights".
        value: None where it is undefined, and then `reason` says why, without a full stop.
        n: the number of items that it was counted on.
        estimate: the same value with its interval (`Estimate.n` then counts clusters, where there are any); None where
            no interval is known for it.
        reason: why there is no value.
    """

    name: str
    value: float | None
    n: int
    estimate: Estimate | None = None
    reason: str | None = None


class PairFigures(Result, frozen=True, kw_only=True):
    """Two who answered, on the items that both answered. They are never pooled over kinds.

    Args:
        kind: who they are; "preference" is another construct than the rubric's and is never gold.
        a, b: their names; of a judge and a person, the judge is `a`.
        n: how many items both answered.
        agreement: the share of these on which they agree.
        coefficient: the coefficient of agreement that fits the scale, with its name.
    """

    kind: PairKind
    a: str
    b: str
    n: int
    agreement: Estimate
    coefficient: Figure


class ScaleFigures(Result, frozen=True, kw_only=True):
    """How far the judge is off on an ordered scale, in points of the scale, the bias first.

    The truth of an item is the decision where there is one, else the mean of its raters, so that ties stay in.

    Args:
        bias: the mean of judge minus truth; above 0 where the judge is too generous. In words: `sentence`.
        absolute_error: the mean distance of judge and truth.
        spearman, kendall: rank correlations of verdict and truth, ties kept.
        ccc: Lin's concordance of verdict and truth: what a shift of the scale lowers too.
        spearman_mean: Spearman's of the belief's mean and the truth; None where no belief is more than a point.
        mean_bias: the mean of the belief's mean minus truth; None in the same case.
        sentence: "The judge is 1.0 points too high on the average, on a scale from 1 to 5".
    """

    bias: Estimate
    absolute_error: Estimate
    spearman: Figure
    kendall: Figure
    ccc: Figure
    sentence: str
    spearman_mean: Figure | None = None
    mean_bias: Estimate | None = None


class ClassScores(Result, frozen=True, kw_only=True):
    """One option of a criterion: how well the judge finds it.

    Args:
        option: which; support: how many items have it by gold; answered: how many by the judge.
        precision: of those that the judge calls so, the share that is; recall: of those that are, the share that it
            calls so; specificity: of those that are not, the share that it does not call so. A share of nothing has no
            value.
        f1: 2 right / (answered + support).
    """

    option: str
    support: int
    answered: int
    precision: Estimate
    recall: Estimate
    specificity: Estimate
    f1: Figure


class GoldScores(Result, frozen=True, kw_only=True):
    """Judge against gold, as a classifier.

    Args:
        gold: what gold is here: "adjudicated, else the majority of up to 3 raters".
        accuracy: the share of items with a verdict and a gold answer on which they are equal.
        accuracy_unscored_wrong: the same over all items that were judged and have a gold answer, an item without a
            verdict counting as wrong.
        unscored: how many of those there are.
        soft: accuracy against soft gold: per item, the share of raters that give the judge's answer. Intervals hold for
            these raters. None where one rater answered.
        tpr: of the items that pass by gold, the share that the judge lets pass; tnr: of those that do not, the share
            that it stops.
        tpr_unscored_wrong, tnr_unscored_wrong: the same with an item without a verdict counting as wrong.
        balanced_accuracy, macro_f1: means over the options that occur.
        classes: one for each option, in the order of the criterion.
    """

    gold: str
    accuracy: Estimate
    accuracy_unscored_wrong: Estimate
    unscored: int
    soft: Estimate | None
    tpr: Estimate
    tnr: Estimate
    tpr_unscored_wrong: Estimate
    tnr_unscored_wrong: Estimate
    balanced_accuracy: Figure
    macro_f1: Figure
    classes: tuple[ClassScores, ...]


class AltTestLine(Result, frozen=True, kw_only=True):
    """The judge in the place of one rater.

    Args:
        rater: who was left out; n: items that the rater, the judge and another rater answered.
        judge_wins: on which share of them the judge is at least as near to the others as the rater; rater_wins: the
            reverse. Ties count for both.
        p: of the one-sided test; p_adjusted: for all raters together (Benjamini and Yekutieli).
        replaces: whether the judge may stand in for the rater; None where it was not tested, and `reason` says why.
    """

    rater: str
    n: int
    judge_wins: float | None
    rater_wins: float | None
    p: float | None
    p_adjusted: float | None
    replaces: bool | None
    reason: str | None = None


class AltTestFigures(Result, frozen=True, kw_only=True):
    """The alternative annotator test (Calderon, Reichart and Dror 2025), where there are three raters or more.

    Args:
        winning_rate: the share of tested raters whom the judge may replace (omega); advantage: the mean share of items
            on which it is at least as near to the others as a rater (rho).
        passed: whether the winning rate is one half or more; None where nothing was tested, and `reason` says why.
        epsilon: what the judge is granted for being cheaper; q: the level.
        scale: how nearness is counted: "nominal" by equal answers, "interval" by distance.
        raters: a line for each.
        unscored: items that two raters or more answered and the judge did not: the test leaves them out, as published.
        winning_rate_unscored_lost, advantage_unscored_lost: the same where the judge loses them.
    """

    winning_rate: float | None
    advantage: float | None
    passed: bool | None
    epsilon: float
    q: float
    scale: Literal["nominal", "interval"]
    raters: tuple[AltTestLine, ...]
    reason: str | None = None
    unscored: int = 0
    winning_rate_unscored_lost: float | None = None
    advantage_unscored_lost: float | None = None


class SliceFigures(Result, frozen=True, kw_only=True):
    """One value of a field: agreement with gold there, or the rate there.

    Args:
        value: of the field; "no value" where an item has none.
        n: how many items it was counted on.
        estimate: by itself; adjusted: with the interval that allows for the number of values looked at (Bonferroni).
        p_value, p_adjusted: that it is as over all values (taken as known), alone and with Holm's correction; None
            where there is no estimate.
        differs: whether it surely does, after the correction.
        small: fewer than 10 items: shown grey, not coloured.
    """

    value: str
    n: int
    estimate: Estimate
    adjusted: Estimate
    p_value: float | None
    p_adjusted: float | None
    differs: bool
    small: bool


class SliceTable(Result, frozen=True, kw_only=True):
    """The slices by one field.

    Args:
        field: of the items ("group", "author", or one of `fields`).
        overall: the figure over all values, which each slice is held against; None where there is none.
        slices: sorted by value.
        sentence: what stands out, or that nothing surely does.
    """

    field: str
    overall: float | None
    slices: tuple[SliceFigures, ...]
    sentence: str
