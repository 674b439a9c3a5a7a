"""Disagreements to be decided, and what decisions changed, as records. Computes nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fiel.measures._results_figures import Result
from fiel.records import Evidence, Reason
from fiel.stats import Estimate

Looks: TypeAlias = Literal["rubric gap", "judge error", "person's error", "agreement", "cannot tell"]
GoldFrom: TypeAlias = Literal["decision", "majority", "one rater", "tie"]


class JudgeSaid(Result, frozen=True, kw_only=True):
    """What one judge said of an item.

    Args:
        judge: its name; answer: its verdict, None where it gave none, and then `status` says why.
        probability: of its verdict, by its belief.
        reason: in its words; evidence: the fragments that it quotes, with their places in the text.
    """

    judge: str
    answer: str | None
    status: str
    probability: float | None
    reason: str | None
    evidence: tuple[Evidence, ...] = ()


class WorkItem(Result, frozen=True, kw_only=True):
    """An item to look at again, on one criterion.

    Args:
        item: its id; criterion: which; question, options: what was asked.
        drawn: "disagreement", or "agreement" for one of the random share of agreements.
        looks_like: what it looks like, before anybody decides: "rubric gap" where raters split, "person's error" where
            one rater stands against the judge and all others, "judge error" where two raters or more agree against the
            judge, "cannot tell" with one rater.
        gold: the answer that counted so far, None where raters tie; gold_from: where it came from.
        answers: of each rater, by name; judges: of each judge, the surest wrong one first.
        surety: the probability of the surest verdict that differs from gold; None for agreements.
        why: what it looks like, in a sentence.
        decision: empty, to be filled in: one of `options`; by: who decides; note: why; reason: one of the fixed ones.
    """

    item: str
    criterion: str
    question: str
    options: tuple[str, ...]
    drawn: Literal["disagreement", "agreement"]
    looks_like: Looks
    gold: str | None
    gold_from: GoldFrom
    answers: dict[str, str]
    judges: tuple[JudgeSaid, ...]
    surety: float | None
    why: str
    decision: str | None = None
    by: str | None = None
    note: str | None = None
    reason: Reason | None = None


class Worklist(Result, frozen=True, kw_only=True):
    """Items to be decided by somebody who sees the judges: surest wrong verdicts first, then agreements at random.

    Args:
        rubric, rubric_digest: what was asked; parent: the digest of the calibration set, None for plain labels.
        disagreements: how many there are in all; agreements: how many there are to draw from.
        share: the share of agreements that was drawn, with `seed`.
        items: the list.
        note: what whoever decides has to know: that decisions count as made with the judge in sight.
    """

    rubric: str
    rubric_digest: str
    parent: str | None
    disagreements: int
    agreements: int
    share: float
    seed: int
    items: tuple[WorkItem, ...]
    note: str


class RevisedCriterion(Result, frozen=True, kw_only=True):
    """One criterion before and after decisions.

    Args:
        criterion: its id; decided: how many decisions; changed: how many changed gold; judge_seen: how many were made
            with the judge in sight.
        confirmed: of decided agreements, how many were upheld, of `agreements` decided ones.
        before, after: agreement of the judge with gold.
        word_before, word_after: the words.
    """

    criterion: str
    decided: int
    changed: int
    judge_seen: int
    confirmed: int
    agreements: int
    before: Estimate
    after: Estimate
    word_before: str
    word_after: str


class Revision(Result, frozen=True, kw_only=True):
    """A calibration set and its next version, with one judge's figures on both.

    Args:
        judge, identity: whose figures; parent, digest: of the set before and after.
        criteria: in the order of the rubric.
        note: that decisions by somebody who saw the judge lean towards it.
    """

    judge: str
    identity: str
    parent: str
    digest: str
    criteria: tuple[RevisedCriterion, ...]
    note: str
