from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from fiel.measures import Verdict, estimate, gate
from fiel.measures._gate import worth
from fiel.records import FielError
from fiel.stats import Estimate, mean_interval, ppi_mean, rate_bound, rate_interval, rate_probability, wilson


def known(value: float, n: int) -> Estimate:
    """An estimate that is worth its `n` labels, with the exact limits of that many."""
    low, high = (rate_bound(value, n, confidence=0.975, side=side) for side in ("lower", "upper"))
    details = {"n_eff": float(n), "n_labelled": float(n)}
    return Estimate(value=value, low=low, high=high, confidence=0.95, method="test", n=n, details=details)


NOTHING = Estimate(value=None, low=None, high=None, confidence=0.95, method="corrected", n=0, reason="no labels")


@pytest.mark.parametrize(("hits", "n"), [(57, 60), (55, 60), (50, 60), (60, 60), (270, 300), (0, 5)])
@pytest.mark.parametrize("bar", [0.5, 0.85, 0.9, 0.95])
def test_sure_is_the_exact_bound_on_either_side(hits: int, n: int, bar: float):
    """Pass and fail follow statsmodels' exact limits at twice the error, and nothing else is sure."""
    low, high = proportion_confint(hits, n, alpha=0.1, method="beta")
    found = gate(rate_interval([1] * hits + [0] * (n - hits)), at_least=bar)
    expected = ("pass", "sure") if low >= bar else ("fail", "sure") if high < bar else ("undecided", "doubtful")
    assert (found.verdict, found.certainty) == expected
    assert found.probability == pytest.approx(sum(math.comb(n, k) * bar**k * (1 - bar) ** (n - k) for k in range(hits)))


def test_the_reason_names_the_numbers():
    """Pass and fail give the probability that made them sure, undecided what it lacks and what would decide."""
    assert gate(rate_interval([1] * 60), at_least=0.9).why == "P(rate >= 0.90) > 0.99, at least 0.95."
    assert gate(rate_interval([1] * 30 + [0] * 30), at_least=0.9).why == "P(rate < 0.90) > 0.99, at least 0.95."
    found = gate(rate_interval([1] * 57 + [0] * 3), at_least=0.9)
    assert found.why == "P(rate >= 0.90) = 0.86, short of 0.95; about 47 more labels would decide at the present rate."


def test_the_number_of_labels_named_does_decide():
    """With that many more labels of the same kind the gate passes, with one fewer it does not."""
    found = gate(rate_interval([1] * 57 + [0] * 3), at_least=0.9)
    more = int(found.why.split("about ")[1].split()[0])
    assert gate(known(0.95, 60 + more), at_least=0.9).verdict == "pass"
    assert gate(known(0.95, 60 + more - 1), at_least=0.9).verdict == "undecided"


@pytest.mark.parametrize("undecided", get_args(Verdict))
def test_an_undecided_gate_is_what_the_user_says_and_always_doubtful(undecided: Verdict):
    """Thin evidence may count as a failure or as a pass; it is never sure, and the reason says what it counts as."""
    found = gate(rate_interval([1] * 57 + [0] * 3), at_least=0.9, undecided=undecided)
    assert (found.verdict, found.certainty) == (undecided, "doubtful")
    assert ("counts as" in found.why) is (undecided != "undecided")


@pytest.mark.parametrize(
    ("undecided", "verdict"), [("undecided", "undecided"), ("fail", "fail"), ("pass", "undecided")]
)
def test_nothing_never_passes(undecided: Verdict, verdict: Verdict):
    """An undefined estimate never passes, whatever undecided counts as, and carries no probability."""
    found = gate(NOTHING, at_least=0.0, undecided=undecided)
    assert (found.verdict, found.certainty, found.probability) == (verdict, "doubtful", None)
    assert found.why == "There is no rate to decide on (no labels)."


def test_a_corrected_rate_is_decided_at_its_effective_size():
    """For `ppi_mean` on independent items the probability is that of the exact bound at n_eff."""
    rng = np.random.default_rng(5)
    belief = rng.random(1000)
    y = (rng.random(100) < belief[:100]).astype(float)
    found = ppi_mean(y, belief[:100], belief[100:])
    decision = gate(found, at_least=0.45)
    assert decision.probability == pytest.approx(rate_probability(found.value or 0, found.details["n_eff"], 0.45))


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
@pytest.mark.parametrize("count", [2, 4, 8, 30])
def test_a_clustered_rate_is_never_surer_than_its_own_limits(side: Any, count: int):
    """Whatever t makes of a few clusters, the gate is at most as sure of the estimate's own limits as they promise."""
    rng = np.random.default_rng(count)
    groups = np.repeat(np.arange(count), 10)
    y = (rng.random(10 * count) < np.repeat(rng.uniform(0.3, 0.9, count), 10)).astype(float)
    found = ppi_mean(y, np.zeros(len(y)), [], clusters=groups, clusters_unlabelled=[], side=side)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    below, above = worth(found, found.value)
    confidence = 0.975 if side == "both" else 0.95
    assert max(below, above) <= found.details["n_eff"]
    if side != "upper":
        assert rate_probability(found.value, below, found.low) <= confidence + 1e-9
    if side != "lower":
        assert rate_probability(1 - found.value, above, 1 - found.high) <= confidence + 1e-9
    if count <= 4:
        assert min(below, above) < found.details["n_eff"] - 1


def test_a_raw_mean_is_worth_what_its_t_interval_is():
    """An estimate without n_eff is decided at the size that gives its own limits."""
    found = mean_interval(np.linspace(0.6, 1.0, 50), bounds=(0, 1))
    assert found.low is not None
    assert gate(found, at_least=found.low - 0.001, confidence=0.975).verdict == "pass"
    assert gate(found, at_least=found.low + 0.001, confidence=0.975).verdict == "undecided"


def test_a_clustered_gate_keeps_its_promise_on_the_bar():
    """At a rate on the bar, labels in 12 clusters of 5 pass or fail surely in at most 5 % of trials each."""
    rng, trials, count = np.random.default_rng(11), 400, 12
    passed = failed = 0
    for _ in range(trials):
        rates = rng.beta(1.4, 0.6, count + 30)
        y = (rng.random((count + 30, 5)) < rates[:, None]).astype(float)
        f = np.where(rng.random(y.shape) < 0.85, y, 1 - y)
        groups = np.repeat(np.arange(count + 30), 5).reshape(y.shape)
        parts = (y[:count], f[:count], f[count:], groups[:count], groups[count:])
        flat = [part.ravel() for part in parts]
        found = ppi_mean(*flat[:3], clusters=flat[3], clusters_unlabelled=flat[4])
        verdict = gate(found, at_least=0.7).verdict
        passed += verdict == "pass"
        failed += verdict == "fail"
    most = 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5
    assert passed / trials <= most
    assert failed / trials <= most


def test_a_raw_gate_keeps_its_promise_on_the_bar(world: Any):
    """Thirty verdicts of a judge that passes 90 %: Student's t alone would surely pass in a fifth of the trials."""
    rng, trials = np.random.default_rng(12), 400
    yes, no = world.judgement("x", 1.0).belief, world.judgement("x", 0.0).belief
    passed = 0
    for _ in range(trials):
        judged = [
            world.judgement(f"i{i}", None, status="ok", belief=yes if x else no)
            for i, x in enumerate(rng.random(30) < 0.9)
        ]
        passed += gate(estimate(judged, criterion=world.grounded, rate="raw"), at_least=0.9).verdict == "pass"
    assert passed / trials <= 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.9, 0.1], [1.0, 1.0], [0.0, 0.0]])
def test_two_values_decide_nothing_in_the_middle(values: list[float]):
    """Limits that reach the ends of the scale are no knowledge."""
    found = gate(mean_interval(values, bounds=(0, 1)), at_least=0.5)
    assert found.verdict == "undecided"
    assert found.probability is not None
    assert 0 <= found.probability <= 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at_least": 90}, "at_least must lie"),
        ({"confidence": 1.0}, "confidence must lie"),
        ({"undecided": "skip"}, "undecided is 'skip'"),
    ],
)
def test_arguments_out_of_range_are_refused(change: dict[str, Any], said: str):
    """90 is not 0.90, certainty is not to be had, and there are three verdicts."""
    with pytest.raises(FielError, match=said):
        gate(wilson(57, 60), **({"at_least": 0.9} | change))


def test_a_difference_is_no_rate():
    """A difference below 0 has no place at a bar for rates."""
    with pytest.raises(FielError, match=r"rate from 0 to 1; the estimate is -0\.5"):
        gate(mean_interval([-0.4, -0.6, -0.5]), at_least=0.9)


@given(
    hits=st.integers(0, 40),
    misses=st.integers(0, 40),
    bar=st.floats(0, 1),
    confidence=st.floats(0.5, 0.999),
    side=st.sampled_from(["both", "lower", "upper"]),
)
def test_a_gate_never_passes_and_fails_at_once(hits: int, misses: int, bar: float, confidence: float, side: Any):
    """A sure pass has its value at or above the bar, a sure fail below, and a higher bar never turns fail into pass."""
    if hits + misses == 0:
        return
    found = rate_interval([1] * hits + [0] * misses, side=side)
    decision = gate(found, at_least=bar, confidence=confidence)
    assert found.value is not None
    assert decision.probability is not None
    assert 0 <= decision.probability <= 1
    if decision.verdict == "pass":
        assert found.value >= bar
        assert decision.probability >= confidence - 1e-9
    if decision.verdict == "fail":
        assert found.value < bar
        assert gate(found, at_least=min(1.0, bar + 0.1), confidence=confidence).verdict == "fail"


def test_too_much_unscored_is_undecided_and_never_a_pass():
    """Above the allowed share of unscored items a gate that would surely pass is undecided, or fails if told so."""
    sure = rate_interval(np.ones(400))
    assert gate(sure, at_least=0.5, unscored=0.1, max_unscored=0.1).verdict == "pass"
    for undecided, verdict in (("undecided", "undecided"), ("pass", "undecided"), ("fail", "fail")):
        found = gate(sure, at_least=0.5, undecided=undecided, unscored=0.11, max_unscored=0.1)
        assert (found.verdict, found.certainty, found.probability) == (verdict, "doubtful", None)
        assert "0.11" in found.why
