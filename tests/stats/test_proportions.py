"""Tests of fiel.stats._proportions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from fiel.stats import clopper_pearson, rate_bound, rate_interval, rate_probability, wilson

CONFIDENCE = st.floats(0.5, 0.999)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    """Successes and trials."""
    n = draw(st.integers(1, 2000))
    return draw(st.integers(0, n)), n


def test_wilson_reference(ppi_reference: Any):
    """Wilson's interval of 9 in 12 is the published one."""
    low, high = ppi_reference["cases"]["wilson_9_of_12"]["independent"]
    assert (wilson(9, 12).low, wilson(9, 12).high) == pytest.approx((low, high), abs=1e-12)


@settings(deadline=None)
@given(counts=counts(), confidence=CONFIDENCE)
def test_against_statsmodels(counts: tuple[int, int], confidence: float):
    """Wilson and Clopper-Pearson are those of statsmodels, also at none and at all."""
    k, n = counts
    for ours, theirs in ((wilson, "wilson"), (clopper_pearson, "beta")):
        estimate = ours(k, n, confidence=confidence)
        limits = proportion_confint(k, n, alpha=1 - confidence, method=theirs)
        assert (estimate.low, estimate.high) == pytest.approx(limits, rel=1e-8, abs=1e-10)
        assert estimate.high > estimate.low


@settings(deadline=None)
@given(counts=counts(), confidence=CONFIDENCE)
def test_one_sided_limits_are_those_of_a_wider_interval(counts: tuple[int, int], confidence: float):
    """A one-sided bound at c is that of the two-sided interval at 2c - 1, and the other limit the end of the scale."""
    k, n = counts
    one = (1 + confidence) / 2
    for interval in (wilson, clopper_pearson):
        both = interval(k, n, confidence=confidence)
        lower, upper = (interval(k, n, confidence=one, side=side) for side in ("lower", "upper"))
        assert (lower.low, upper.high) == pytest.approx((both.low, both.high), rel=1e-9, abs=1e-12)
        assert (lower.high, upper.low) == (1.0, 0.0)


@settings(deadline=None)
@given(counts=counts(), confidence=CONFIDENCE)
def test_failures_mirror_successes(counts: tuple[int, int], confidence: float):
    """Counting failures in place of successes mirrors the interval."""
    k, n = counts
    for interval in (wilson, clopper_pearson):
        one, other = interval(k, n, confidence=confidence), interval(n - k, n, confidence=confidence)
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), rel=1e-8, abs=1e-9)


def test_ties_count_one_half():
    """Half a success lies between none and one."""
    assert wilson(0, 10).high < wilson(0.5, 10).high < wilson(1, 10).high


def test_no_trials():
    """No trials give no value, and the reason."""
    for estimate in (wilson(0, 0), clopper_pearson(0, 0), rate_interval([])):
        assert (estimate.value, estimate.n, estimate.reason) == (None, 0, "no trials")


@pytest.mark.parametrize(("k", "n"), [(-1, 10), (11, 10), (float("nan"), 10), (1, -2), (1, 2.5)])
def test_impossible_counts(k: float, n: Any):
    """Counts that cannot be are refused."""
    with pytest.raises(ValueError, match=r"successes|n must"):
        wilson(k, n)


def test_bound_of_everything():
    """Ten successes in ten are sure at 95 % of 0.05 to the power of a tenth, by hand."""
    assert rate_bound(1.0, 10) == pytest.approx(0.05**0.1, abs=1e-12)
    assert rate_bound(0.0, 10, side="upper") == pytest.approx(1 - 0.05**0.1, abs=1e-12)
    assert (rate_bound(0.0, 10), rate_bound(1.0, 10, side="upper")) == (0.0, 1.0)


@settings(deadline=None)
@given(value=st.floats(0.01, 1), n_eff=st.floats(1, 5000), confidence=st.floats(0.51, 0.999))
def test_probability_is_the_confidence_at_which_the_bound_meets_the_bar(value: float, n_eff: float, confidence: float):
    """rate_probability inverts rate_bound."""
    bar = rate_bound(value, n_eff, confidence=confidence)
    if bar > 1e-12:
        assert rate_probability(value, n_eff, bar) == pytest.approx(confidence, abs=1e-8)


@given(k=st.integers(0, 300), n=st.integers(1, 300), bar=st.floats(0.01, 1))
@settings(deadline=None)
def test_probability_against_the_binomial(k: int, n: int, bar: float):
    """For counts, P(rate >= bar) is one minus the p-value of the exact binomial test."""
    k = min(k, n)
    expected = 1 - scipy_stats.binom.sf(k - 1, n, bar)
    assert rate_probability(k / n, n, bar) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "n_eff", "bar", "message"),
    [(1.2, 10, 0.5, "value"), (0.5, 0, 0.5, "n_eff"), (0.5, float("inf"), 0.5, "n_eff"), (0.5, 10, 1.5, "bar")],
)
def test_impossible_rates(value: float, n_eff: float, bar: float, message: str):
    """Rates and sizes out of range are refused by name."""
    with pytest.raises(ValueError, match=message):
        rate_probability(value, n_eff, bar)


def test_a_bound_has_one_side():
    """A bound with two sides is refused."""
    with pytest.raises(ValueError, match="one side"):
        rate_bound(0.5, 10, side="both")


@given(counts=counts())
@settings(deadline=None)
def test_independent_rate_is_exact(counts: tuple[int, int]):
    """Independent 0/1 values have the interval of Clopper and Pearson, and are worth n."""
    k, n = counts
    estimate, exact = rate_interval([1] * k + [0] * (n - k)), clopper_pearson(k, n)
    assert (estimate.low, estimate.high) == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert estimate.details["n_eff"] == n


def test_clusters_that_speak_with_one_voice():
    """Items copied within their clusters are worth their clusters, and copying them again changes nothing."""
    values = np.array([1, 1, 1, 0, 1, 1, 0, 1, 1, 1])
    names = np.array(list("abcdefghij"))
    once, many = (rate_interval(np.repeat(values, k), clusters=np.repeat(names, k)) for k in (3, 9))
    assert once.details["n_eff"] == pytest.approx(10)
    assert (once.n, once.low, once.high) == pytest.approx((10, many.low, many.high))


@pytest.mark.parametrize("value", [0, 1])
def test_perfect_clusters(value: int):
    """Clusters without a miss are worth the number of clusters, and their interval has a width."""
    estimate = rate_interval([value] * 20, clusters=np.repeat(np.arange(4), 5))
    exact = clopper_pearson(4 * value, 4)
    assert (estimate.low, estimate.high) == pytest.approx((exact.low, exact.high))


def test_one_cluster():
    """One cluster has no interval."""
    assert rate_interval([1, 0, 1], clusters=["a"] * 3).reason == "one cluster has no interval"


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_rate_interval_is_the_bound_at_n_eff(side: Any):
    """The one-sided limit is rate_bound at the n_eff that the details give, with clusters too."""
    values, names = [1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    estimate = rate_interval(values, clusters=names, side=side, confidence=0.9)
    bound = rate_bound(estimate.value, estimate.details["n_eff"], side=side, confidence=0.9)
    assert bound == (estimate.low if side == "lower" else estimate.high)


@pytest.mark.parametrize(("groups", "base"), [(10, 0.5), (20, 0.9)])
def test_clustered_rates_are_sure_as_often_as_promised(groups: int, base: float):
    """With clusters of 5 and correlation .3, a false pass and a false fail stay near 5 %, as independence would not."""
    rng, repeats, wrong = np.random.default_rng(20), 600, np.zeros(3)
    names, spread = np.repeat(np.arange(groups), 5), 1 / 0.3 - 1
    for _ in range(repeats):
        rates = rng.beta(base * spread, (1 - base) * spread, groups)
        values = rng.random((groups, 5)) < rates[:, None]
        lower = rate_interval(values.ravel(), clusters=names, side="lower")
        upper = rate_interval(values.ravel(), clusters=names, side="upper")
        alone = rate_interval(values.ravel(), side="upper")
        wrong += (lower.low > base, upper.high < base, alone.high < base)
    most = scipy_stats.binom.ppf(0.999, repeats, 0.05)
    assert max(wrong[:2]) <= most < wrong[2]


@pytest.mark.parametrize("confidence", [0.9999999999999999, 1e-300, 0.0, 0.4999, 1.0, float("nan")])
@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_a_confidence_out_of_range_is_refused(interval: Any, confidence: float):
    """Beyond 0.5 and 1 - 1e-9 there is no interval, and the message names the range."""
    with pytest.raises(ValueError, match=r"confidence must lie from 0.5 to 1 - 1e-9"):
        interval(3, 10, confidence=confidence)


@pytest.mark.parametrize("confidence", [0.5, 1 - 1e-9])
@pytest.mark.parametrize("n", [1, 10**6, 10**12])
def test_the_ends_of_the_range_have_intervals(confidence: float, n: int):
    """At the ends of the range, for one trial and for 10^12, the limits hold the rate and lie within 0 and 1."""
    for interval in (wilson, clopper_pearson):
        found = interval(1, n, confidence=confidence)
        assert 0 <= found.low <= 1 / n <= found.high <= 1
        assert found.low < found.high


@pytest.mark.parametrize("n", [10**300, 10**13, float("inf"), float("nan"), -1, 2.5])
def test_a_number_of_trials_out_of_range_is_refused(n: Any):
    """The message names the range."""
    with pytest.raises(ValueError, match=r"n must be a whole number of trials from 0 to 1e\+12"):
        clopper_pearson(0, n)
    with pytest.raises(ValueError, match="n_eff must be"):
        rate_bound(0.5, 1e300)
