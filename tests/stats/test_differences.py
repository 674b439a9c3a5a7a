"""Tests of fiel.stats._differences."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fiel.stats import newcombe_difference, newcombe_paired_difference

CONFIDENCE = st.floats(0.5, 0.999)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Two samples: successes and trials."""
    n, m = draw(st.integers(1, 300)), draw(st.integers(1, 300))
    return draw(st.integers(0, n)), n, draw(st.integers(0, m)), m


def outcomes(both: int, only_a: int, only_b: int, neither: int) -> tuple[list[int], list[int]]:
    """Two vectors with these counts of pairs."""
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    return a, [1] * both + [0] * only_a + [1] * only_b + [0] * neither


@settings(deadline=None)
@given(found=counts(), confidence=CONFIDENCE)
def test_independent_against_statsmodels(found: Any, confidence: float):
    """Newcombe's interval for two samples is that of statsmodels."""
    estimate = newcombe_difference(*found, confidence=confidence)
    theirs = confint_proportions_2indep(*found, method="newcomb", compare="diff", alpha=1 - confidence)
    assert (estimate.low, estimate.high) == pytest.approx(np.clip(theirs, -1, 1), abs=1e-9)


def test_published_values():
    """Worked examples: Newcombe (1998a) table II; Fagerland, Lydersen and Laake (2017), chapter 8; Altman et al."""
    independent = newcombe_difference(56, 70, 48, 80)
    assert (independent.low, independent.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    for found, low, high in (
        ((59, 6, 16, 80), -0.1186, -0.0046),  # complete response before and after consolidation therapy
        ((1, 1, 7, 12), -0.5069, -0.0256),  # airway hyper-responsiveness before and after transplantation
        ((14, 5, 0, 22), 0.0115, 0.2265),
    ):
        estimate = newcombe_paired_difference(*outcomes(*found))
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


@settings(deadline=None)
@given(found=st.tuples(*[st.integers(0, 40)] * 4).filter(any), confidence=CONFIDENCE)
def test_paired_by_its_formula(found: Any, confidence: float):
    """The paired interval is method 10 written down anew from the four counts and the Wilson limits of statsmodels."""
    both, only_a, only_b, neither = found
    n = sum(found)
    estimate = newcombe_paired_difference(*outcomes(*found), confidence=confidence)
    (la, ua), (lb, ub) = (
        proportion_confint(both + only, n, alpha=1 - confidence, method="wilson") for only in (only_a, only_b)
    )
    pa, pb = (both + only_a) / n, (both + only_b) / n
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    diagonal = both * neither - only_a * only_b
    diagonal = max(diagonal - n / 2, 0) if diagonal > 0 else diagonal
    phi = diagonal / math.sqrt(product) if product else 0.0
    low = pa - pb - math.sqrt(max((pa - la) ** 2 - 2 * phi * (pa - la) * (ub - pb) + (ub - pb) ** 2, 0))
    high = pa - pb + math.sqrt(max((ua - pa) ** 2 - 2 * phi * (ua - pa) * (pb - lb) + (pb - lb) ** 2, 0))
    assert (estimate.low, estimate.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-7)
    assert estimate.details["phi"] == pytest.approx(phi)
    assert -1 <= estimate.low < estimate.high <= 1


@settings(deadline=None)
@given(found=counts(), confidence=CONFIDENCE)
def test_sides_and_mirrors(found: Any, confidence: float):
    """Changing places mirrors the interval; a bound at c is the end of an interval at 2c - 1; a width is never zero."""
    a, n, b, m = found
    one, other = newcombe_difference(a, n, b, m), newcombe_difference(b, m, a, n)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert -1 <= one.low < one.high <= 1
    both = newcombe_difference(a, n, b, m, confidence=confidence)
    lower, upper = (
        newcombe_difference(a, n, b, m, confidence=(1 + confidence) / 2, side=side) for side in ("lower", "upper")
    )
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high))
    assert (lower.high, upper.low) == (1.0, -1.0)


def test_perfect_samples_keep_a_width():
    """Pairs that always agree, in whatever shares, leave the difference open by as much as Wilson's limits do."""
    for found in ((20, 0, 0, 0), (10, 0, 0, 10), (19, 0, 0, 1), (1, 0, 0, 0)):
        estimate = newcombe_paired_difference(*outcomes(*found))
        assert estimate.value == 0
        assert estimate.low < 0 < estimate.high


def test_coverage_of_pairs():
    """Paired intervals cover the true difference in some 95 of 100 samples, with rates near 1 too."""
    rng, draws = np.random.default_rng(5), 1500
    for cells in ((0.8, 0.1, 0.05, 0.05), (0.4, 0.15, 0.15, 0.3), (0.9, 0.06, 0.02, 0.02)):
        truth, hits = cells[1] - cells[2], 0
        for found in rng.multinomial(60, cells, size=draws):
            estimate = newcombe_paired_difference(*outcomes(*found.tolist()))
            hits += estimate.low <= truth <= estimate.high
        assert hits / draws >= 0.95 - 0.01 - 3 * math.sqrt(0.05 * 0.95 / draws)


def test_nothing_to_compare():
    """A sample without trials, and no pairs, give a reason."""
    assert newcombe_difference(0, 0, 1, 2).reason == "no trials of a"
    assert newcombe_difference(1, 2, 0, 0).reason == "no trials of b"
    assert newcombe_paired_difference([], []).reason == "no items"


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ((3, 2, 1, 2), "successes_a must lie between 0 and n_a=2"),
        ((1, 2, -1, 2), "successes_b"),
        ((1, 2.5, 1, 2), "n_a must be a whole number"),
        ((1, 2, math.nan, 2), "successes_b"),
    ],
)
def test_impossible_counts(given_: Any, message: str):
    """Counts that cannot be are refused by the name of the argument."""
    with pytest.raises(ValueError, match=message):
        newcombe_difference(*given_)
