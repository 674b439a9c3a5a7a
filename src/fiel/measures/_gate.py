"""A rate against a bar: pass, fail or undecided, sure or doubtful. Knows no record."""

from __future__ import annotations

import math

from fiel.measures._arguments import check_confidence, check_kind, check_share
from fiel.measures._bars import more_needed, surely_above, surely_below
from fiel.measures._results import Certainty, Decision, Verdict
from fiel.measures._words import chance, counted, given, share
from fiel.records import FielError
from fiel.stats import Estimate, Side, rate_bound, rate_probability

_SLACK = 1e-12  # a limit this close to the bound is the bound
_LEAST, _MOST = 1.0, 1e9  # whatever its limits say, an estimate is worth one item at least


def gate(
    estimate: Estimate,
    *,
    at_least: float,
    confidence: float = 0.95,
    undecided: Verdict = "undecided",
    unscored: float = 0.0,
    max_unscored: float = 1.0,
) -> Decision:
    """Whether a rate is surely at least `at_least`, surely below it, or neither.

    Pass when the one-sided lower bound at `confidence` reaches the bar, fail when the one-sided upper bound stays under
    it: Clopper and Pearson's bounds at the effective sample size of the estimate, which is `details["n_eff"]`, or the
    size at which that bound is the estimate's own limit at the estimate's own confidence, if that is smaller. It is
    smaller where few clusters give limits by Student's t, whose tails n_eff does not know. P(rate >= bar) is the
    confidence at which the lower bound meets the bar.

    Args:
        estimate: of a rate, on the scale 0..1.
        at_least: the bar, from 0 to 1.
        confidence: how sure one has to be.
        undecided: what an undecided outcome counts as, always doubtful. An undefined estimate may count as a failure
            and never as a pass.
        unscored: the share of the items on which the judge has no belief; more of it than `max_unscored` is undecided,
            whatever the rate, and never a pass.
        max_unscored: how much of it is allowed.

    Raises:
        FielError: an argument is out of range, or the estimate is no rate.
    """
    check_kind("estimate", estimate, Estimate, "an Estimate")
    check_share("at_least", at_least, ends=True)
    check_confidence(confidence)
    if undecided not in ("pass", "fail", "undecided"):
        raise FielError(f"undecided is {undecided!r}.", fix='Write "pass", "fail" or "undecided".')
    check_share("unscored", unscored, ends=True)
    check_share("max_unscored", max_unscored, ends=True)
    unready: Verdict = "fail" if undecided == "fail" else "undecided"
    if estimate.value is None:
        why = f"There is no rate to decide on ({estimate.reason})."
        return _decision(estimate, at_least, confidence, unready, "doubtful", None, why)
    if unscored > max_unscored:
        why = f"The judge has no verdict on {share(unscored)} of the items; at most {given(max_unscored)} is allowed."
        return _decision(estimate, at_least, confidence, unready, "doubtful", None, why)
    value = estimate.value
    if not 0 <= value <= 1:
        raise FielError(f"A gate decides on a rate from 0 to 1; the estimate is {value:.3g}.")
    below, above = worth(estimate, value)
    probability = float(rate_probability(value, below, at_least))
    claim = f"P(rate >= {given(at_least)}) {_chance(probability, confidence)}"
    if surely_above(value, below, at_least, confidence):
        why = f"{claim}, at least {given(confidence)}."
        return _decision(estimate, at_least, confidence, "pass", "sure", probability, why)
    if surely_below(value, above, at_least, confidence):
        against = float(rate_probability(1 - value, above, 1 - at_least))
        claim = f"P(rate < {given(at_least)}) {_chance(against, confidence)}"
        why = f"{claim}, at least {given(confidence)}."
        return _decision(estimate, at_least, confidence, "fail", "sure", probability, why)
    why = f"{claim}, short of {given(confidence)}{_more(estimate, value, at_least, confidence, (below, above))}"
    why += "." if undecided == "undecided" else f"; undecided counts as {undecided} here."
    return _decision(estimate, at_least, confidence, undecided, "doubtful", probability, why)


def _chance(probability: float, confidence: float) -> str:
    """In words, unless the confidence asked for is beyond what they tell apart."""
    if confidence > 0.99:
        return f"= {share(probability, apart_from=(confidence,))}"
    return chance(probability, apart_from=(confidence,))


def worth(estimate: Estimate, value: float) -> tuple[float, float]:
    """How many independent items the estimate is worth to its lower and to its upper bound.

    For each side, the smaller of `details["n_eff"]` and the size at which Clopper and Pearson's bound is the estimate's
    own limit. An estimate with one limit, or a value at the end of the scale, has the same worth for both.
    """
    confidence = (1 + estimate.confidence) / 2 if estimate.side == "both" else estimate.confidence
    lower = None if estimate.side == "upper" else _size(estimate, value, estimate.low, confidence, "lower")
    upper = None if estimate.side == "lower" else _size(estimate, value, estimate.high, confidence, "upper")
    n_eff = estimate.details.get("n_eff")
    known = [size for size in (lower, upper, n_eff) if size is not None]
    either = min(known, default=_LEAST)
    return lower or either, upper or either


def _size(estimate: Estimate, value: float, limit: float | None, confidence: float, side: Side) -> float | None:
    """What the estimate is worth by one of its limits; None where the limit would be the same at any size."""
    end = 0.0 if side == "lower" else 1.0
    if limit is None or value == end:
        return None
    sign = 1 if side == "lower" else -1

    def cautious(size: float) -> bool:
        return sign * (limit - rate_bound(value, size, confidence=confidence, side=side)) >= -_SLACK

    most = estimate.details.get("n_eff", _MOST)
    if cautious(most):
        return most
    low, high = math.log(min(_LEAST, most)), math.log(most)
    while high - low > _SLACK:
        middle = (low + high) / 2
        low, high = (middle, high) if cautious(math.exp(middle)) else (low, middle)
    return math.exp(low)


def _more(estimate: Estimate, value: float, bar: float, confidence: float, sizes: tuple[float, float]) -> str:
    """About how many more of what the estimate was made from would decide."""
    details = estimate.details
    what = "judged answer" if "n_judged" in details else "label"
    count = next((int(details[x]) for x in ("n_judged", "n_labelled", "n_items") if x in details), estimate.n)
    more = more_needed(value, sizes[0] if value > bar else sizes[1], max(count, 1), bar, confidence)
    if not more:
        return ""
    return f"; about {counted(more, f'more {what}')} would decide at the present rate"


def _decision(
    estimate: Estimate,
    at_least: float,
    confidence: float,
    verdict: Verdict,
    certainty: Certainty,
    probability: float | None,
    why: str,
) -> Decision:
    return Decision(
        verdict=verdict,
        certainty=certainty,
        at_least=at_least,
        confidence=confidence,
        probability=probability,
        estimate=estimate,
        why=why,
    )
