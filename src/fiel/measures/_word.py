"""The word for a criterion and the sentence that says why. Knows estimates and counts, no record and no array."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fiel.measures._bars import MOST, more_needed, surely_above, surely_below
from fiel.measures._results import Word
from fiel.measures._words import counted, given_percent, percent
from fiel.stats import Estimate

FEWEST = 5  # items of the rarer class, below which a judge's agreement on that class is unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the word for a criterion rests on.

    Args:
        agreement: of verdict and gold; hits: of how many items.
        items: with a verdict of the judge (not of a check) and a gold answer; passing, failing: of these, by gold.
        kappa_bound: one-sided lower bound of kappa at `confidence`, with its value; undefined where kappa is.
        difference_bound: one-sided upper bound of judge-with-rater minus rater-with-rater; None without two raters.
        ceiling: how often two raters agree on the same items; None without two raters.
        ceiling_bound: its one-sided upper bound at `confidence`; None without two raters.
        raters: how many people answered.
        constant: the verdict given to all these items, where there is only one.
        bar, confidence: as the user set them; fewest: items of the rarer class that *use* asks for.
        weighted: agreement is weighted by the design.
        tied: further items with a verdict of the judge on which raters split and nobody decided.
    """

    agreement: Estimate
    hits: int
    items: int
    passing: int
    failing: int
    kappa_bound: Estimate
    difference_bound: Estimate | None
    ceiling: Estimate | None
    raters: int
    constant: str | None
    bar: float
    confidence: float
    ceiling_bound: Estimate | None = None
    fewest: int = FEWEST
    weighted: bool = False
    tied: int = 0

    @property
    def least(self) -> float:
        """What the items are worth if those of a group are all alike: where there is no error, nothing shows more."""
        return self.agreement.details.get("n_least", float(self.agreement.n))

    @property
    def with_ties(self) -> float:
        """Agreement with every tie as half a hit."""
        value = self.agreement.value or 0.0
        return (value * self.items + self.tied / 2) / (self.items + self.tied)

    @property
    def at_ceiling(self) -> bool:
        """Whether people surely agree less than the bar asks for, and the judge not surely less than they."""
        if self.agreement.value is None or self.ceiling_bound is None or self.ceiling_bound.high is None:
            return False
        return self.ceiling_bound.high < self.bar and not self.surely_below_people

    @property
    def surely_below_people(self) -> bool:
        """Whether the judge surely agrees less with a rater than raters do with each other."""
        bound = self.difference_bound
        return bound is not None and bound.high is not None and bound.high < 0

    @property
    def rarer(self) -> int:
        """Items of the rarer gold class: of those that pass and those that do not."""
        return min(self.passing, self.failing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A word, its reason, and about how many more labels would decide where labels do."""

    word: Word
    why: str
    more: int | None = None


_AT_CEILING = (
    "The judge agrees with people as well as people agree with each other: the rubric is at fault, not the judge."
)

CHECKED = Ruling(word="use", why="A deterministic check decides this: no judge is asked, and no label is needed.")


def rule(evidence: Evidence) -> Ruling:
    """The word.

    *use*: agreement surely at or above the bar, also with ties as half a hit; kappa surely above 0; at least `fewest`
    items of the rarer class; and so many groups that all right would show it, else an error more could give the word.
    *leave out*: agreement surely below the bar, and the judge surely agrees less with a rater than raters do with each
    other. *rewrite*: agreement surely below the bar otherwise. Else *not enough labels*. "Surely" is by a one-sided
    bound at the confidence asked for.
    """
    value, bar, confidence = evidence.agreement.value, evidence.bar, evidence.confidence
    if value is None:
        return Ruling(word="not enough labels", why=f"Agreement is unknown: {_unknown(evidence)}.")
    n_eff = evidence.agreement.details["n_eff"]
    if surely_below(value, n_eff, bar, confidence):
        return _below(evidence)
    if surely_above(value, n_eff, bar, confidence):
        return _above(evidence)
    return _between(evidence, value, n_eff)


def _below(evidence: Evidence) -> Ruling:
    start = f"{_agrees(evidence)}, surely below {given_percent(evidence.bar)}{_always(evidence)}"
    ceiling = evidence.ceiling
    if ceiling is None or ceiling.value is None:
        return Ruling(word="rewrite", why=f"{start}{_alone(evidence)}.")
    people = f"two people agree on {percent(ceiling.value)} of the items that both answered"
    if evidence.surely_below_people:
        why = f"{start}, and surely less often than people agree with each other: {people}."
        return Ruling(word="leave out", why=why)
    if evidence.at_ceiling:
        why = f"{start}; {people}, surely below {given_percent(evidence.bar)} too. {_AT_CEILING}"
        return Ruling(word="rewrite", why=why)
    return Ruling(word="rewrite", why=f"{start}; {people}, so the judge is not surely worse than a second person.")


def _above(evidence: Evidence) -> Ruling:
    start = f"{_agrees(evidence)}, surely above {given_percent(evidence.bar)}"
    if evidence.constant is not None:
        why = f"{start}{_always(evidence)}: that does not show that it would notice a failure."
        return Ruling(word="not enough labels", why=why)
    if evidence.rarer < evidence.fewest:
        return Ruling(word="not enough labels", why=f"{start}, but {_missing(evidence)}.")
    kappa = evidence.kappa_bound
    if kappa.value is None or kappa.low is None or kappa.low <= 0:
        more = _more_for_kappa(evidence)
        rest = f"; {_about(more)} would show it if the present agreement held" if more else ""
        why = f"{start}, but not surely more often than chance would{rest}."
        return Ruling(word="not enough labels", why=why, more=more)
    doubt = _too_few_groups(evidence, start) or _undecided_ties(evidence, start)
    return doubt or Ruling(word="use", why=f"{start}{_alone(evidence)}.")


def _too_few_groups(evidence: Evidence, start: str) -> Ruling | None:
    """Where so few groups could not show it even without an error; one error must not give what none does not."""
    bar, confidence = evidence.bar, evidence.confidence
    if surely_above(1.0, evidence.least, bar, confidence):
        return None
    more = more_needed(1.0, evidence.least, evidence.items, bar, confidence)
    groups = counted(evidence.agreement.n, "group")
    why = f"{start}, but in {groups} only: so few could not show it even without an error"
    rest = f"; {_about(more)} in further groups would" if more else ""
    return Ruling(word="not enough labels", why=f"{why}{rest}.", more=more)


def _undecided_ties(evidence: Evidence, start: str) -> Ruling | None:
    """Where agreement is not surely above the bar any more with every tie as half a hit."""
    n_eff = evidence.agreement.details["n_eff"] * (evidence.items + evidence.tied) / evidence.items
    if not evidence.tied or surely_above(evidence.with_ties, n_eff, evidence.bar, evidence.confidence):
        return None
    why = f"{start}, but raters split on {counted(evidence.tied, 'more item')} that nobody decided"
    rest = f"with each as half a hit it is {percent(evidence.with_ties)}, and not surely above: decide them"
    return Ruling(word="not enough labels", why=f"{why}; {rest}.")


def _between(evidence: Evidence, value: float, n_eff: float) -> Ruling:
    bar = evidence.bar
    start = f"{_agrees(evidence)}: not surely above or below {given_percent(bar)}{_always(evidence)}"
    more = more_needed(value, n_eff, evidence.items, bar, evidence.confidence)
    if value > bar and more is not None:
        for_kappa = _more_for_kappa(evidence)
        more = None if for_kappa is None else max(more, for_kappa)
    rest = f"; {_about(more)} would decide if the present agreement held" if more else ""
    if value > bar and evidence.constant is None and evidence.rarer < evidence.fewest:
        rest += f"; besides, {_missing(evidence)}"
    why = f"{start}{rest}{_alone(evidence)}."
    return Ruling(word="not enough labels", why=f"{why} {_AT_CEILING}" if evidence.at_ceiling else why, more=more)


def _more_for_kappa(evidence: Evidence) -> int | None:
    """Labels until kappa is surely above 0, its bound closing in with the root of n; None where more would not do."""
    kappa = evidence.kappa_bound
    if kappa.value is None or kappa.low is None or kappa.value <= 0:
        return None
    if kappa.low > 0:
        return 0
    ratio = (kappa.value - kappa.low) / kappa.value
    more = math.floor(evidence.items * (ratio**2 - 1)) + 1
    return more if more <= MOST else None


def _unknown(evidence: Evidence) -> str | None:
    if evidence.items and evidence.agreement.n == 1:
        return f"{counted(evidence.items, 'labelled item')} of one group say nothing of other groups"
    return evidence.agreement.reason


def _agrees(evidence: Evidence) -> str:
    who = "the one rater" if evidence.raters == 1 else "people"
    share = percent(evidence.hits / evidence.items, apart_from=(evidence.bar,))
    said = f"The judge agrees with {who} on {evidence.hits:,} of {counted(evidence.items, 'item')} ({share})"
    if not evidence.weighted or evidence.agreement.value is None:
        return said
    return f"{said}, weighted by the design on {percent(evidence.agreement.value, apart_from=(evidence.bar,))}"


def _always(evidence: Evidence) -> str:
    if evidence.constant is None:
        return ""
    return f", but it says *{evidence.constant}* to every one of them"


def _alone(evidence: Evidence) -> str:
    if evidence.raters == 1:
        return "; agreement with one person; the ceiling is unknown"
    if evidence.ceiling is None:
        return "; no item has answers of two raters; the ceiling is unknown"
    return ""


def _missing(evidence: Evidence) -> str:
    rare = "pass" if evidence.passing < evidence.failing else "do not pass"
    count, missing = evidence.rarer, evidence.fewest - evidence.rarer
    verb = {"pass": "passes", "do not pass": "does not pass"}[rare] if count == 1 else rare
    have = f"only {counted(count, 'item')} {verb}" if count else f"no item {'passes' if rare == 'pass' else 'fails'}"
    return f"{have} by people's answers: {missing} more of that kind must be labelled"


def _about(more: int) -> str:
    return f"about {counted(more, 'more label', 'more labels')}"
