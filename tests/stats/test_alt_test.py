"""Tests of fiel.stats._alt_test."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from fiel.stats import alt_test


@st.composite
def answers(draw: st.DrawFn) -> tuple[Any, Any]:
    """A judge and three to five raters on thirty to sixty items, some answers missing."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, raters = draw(st.integers(30, 60)), draw(st.integers(3, 5))
    truth = rng.integers(0, 4, n)

    def noisy(share: float) -> Any:
        codes = np.where(rng.random(n) < share, rng.integers(0, 4, n), truth)
        return np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.2])), -1, codes)

    return noisy(draw(st.floats(0, 0.6))), np.array([noisy(0.3) for _ in range(raters)]).T


def by_definition(judge: Any, people: Any, score: Any, epsilon: float) -> list[tuple[int, float, float, float]]:
    """For each rater: items, rho_f, rho_h and p, item by item and with scipy's t test."""
    found = []
    for rater in range(people.shape[1]):
        wins = []
        for mine, row in zip(judge.tolist(), people.tolist(), strict=True):
            others = [code for other, code in enumerate(row) if other != rater and code >= 0]
            if mine >= 0 and row[rater] >= 0 and others:
                ours, theirs = score(mine, others), score(row[rater], others)
                wins.append((ours >= theirs - 1e-12, theirs >= ours - 1e-12))
        won = np.array(wins, dtype=float)
        p = scipy_stats.ttest_1samp(won[:, 1] - won[:, 0], epsilon, alternative="less").pvalue
        found.append((len(won), *won.mean(axis=0), float(p)))
    return found


def equal(code: int, others: list[int]) -> float:
    """The share of others with this code."""
    return float(np.mean([code == other for other in others]))


def near(code: int, others: list[int]) -> float:
    """Minus the root mean squared distance from the others."""
    return -math.sqrt(np.mean([(code - other) ** 2 for other in others]))


@settings(deadline=None, max_examples=40)
@given(both=answers(), epsilon=st.sampled_from([0.1, 0.15, 0.2]))
@pytest.mark.parametrize(("scale", "score"), [("nominal", equal), ("interval", near)])
def test_against_its_definition(scale: Any, score: Any, both: Any, epsilon: float):
    """Every figure is that of the definition, item by item, with scipy's t test and statsmodels' step-up."""
    judge, people = both
    found = alt_test(judge, people, scale=scale, epsilon=epsilon, min_items=2)
    known = by_definition(judge, people, score, epsilon)
    if any(math.isnan(p) or rater.p in (0.0, 1.0) for (*_, p), rater in zip(known, found.raters, strict=True)):
        return
    for rater, (n, rho_f, rho_h, p) in zip(found.raters, known, strict=True):
        assert (rater.n, rater.rho_f, rater.rho_h) == (n, pytest.approx(rho_f), pytest.approx(rho_h))
        assert rater.p == pytest.approx(p, rel=1e-8)
    rejected, adjusted, _, _ = multipletests([p for *_, p in known], alpha=0.05, method="fdr_by")
    assert [rater.p_adjusted for rater in found.raters] == pytest.approx(adjusted.tolist(), rel=1e-8)
    assert found.omega == pytest.approx(rejected.mean())
    assert found.rho == pytest.approx(np.mean([rho_f for _, rho_f, _, _ in known]))
    assert found.passed == (found.omega >= 0.5)


def test_only_the_distances_count():
    """Renaming nominal codes, and shifting or stretching interval values, change nothing."""
    rng = np.random.default_rng(2)
    people = rng.integers(0, 4, (50, 3))
    judge = np.where(rng.random(50) < 0.7, people[:, 0], rng.integers(0, 4, 50))
    names = np.array([2, 0, 3, 1])
    assert alt_test(names[judge], names[people]) == alt_test(judge, people)
    plain = alt_test(judge, people, scale="interval")
    for values in ([1, 2, 3, 4], [0.0, 0.1, 0.2, 0.3], [-70, -50, -30, -10]):
        assert alt_test(judge, people, scale="interval", values=values) == plain
    assert alt_test(judge, people, scale="interval", values=[0, 1, 5, 100]) != plain


def test_ties_survive_rounding():
    """Equal distances count for both sides, though 0.3 - 0.2 and 0.2 - 0.1 differ in the last digit."""
    people = np.array([[2, 1]] * 40)
    found = alt_test([0] * 40, people, scale="interval", values=[0.1, 0.2, 0.3])
    assert (found.raters[0].rho_f, found.raters[0].rho_h) == (1.0, 1.0)


def test_a_judge_that_is_better_and_one_that_is_worse():
    """A judge that follows the truth passes beside noisy raters, and one that guesses does not."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, 200)
    people = np.where(rng.random((200, 4)) < 0.3, rng.integers(0, 3, (200, 4)), truth[:, None])
    good, bad = alt_test(truth, people, epsilon=0.1), alt_test(rng.integers(0, 3, 200), people, epsilon=0.1)
    assert (good.omega, good.passed) == (1.0, True)
    assert (bad.omega, bad.passed) == (0.0, False)
    assert good.rho > 0.85 > bad.rho


def test_who_is_not_tested():
    """A rater with too few shared items is left out of every average, with the reason; without any, so is all."""
    people = np.array([[0, 0, 0]] * 40)
    people[20:, 2] = -1
    found = alt_test([0] * 40, people)
    assert [rater.reason for rater in found.raters[:2]] == [None, None]
    assert found.raters[2].reason == "20 items with the judge and another rater; the test needs 30"
    assert (found.raters[2].p, found.raters[2].rejected, found.raters[2].rho_f) == (None, None, 1.0)
    assert alt_test([0] * 40, people, min_items=20).raters[2].rejected
    for judge, table in (([-1] * 40, people), ([0] * 40, people[:, :1]), ([], np.empty((0, 3), dtype=int))):
        empty = alt_test(judge, table)
        assert (empty.omega, empty.rho, empty.passed) == (None, None, None)
        assert empty.reason
        assert all(rater.rho_f is None for rater in empty.raters)


def test_nothing_differs():
    """Where judge and raters never differ, a grant above 0 shows it, and without one nothing can be shown."""
    codes = np.array([0, 1] * 20)
    people = np.tile(codes[:, None], 3)
    assert [rater.p for rater in alt_test(codes, people, epsilon=0.2).raters] == [0.0] * 3
    nothing = alt_test(codes, people, epsilon=0.0)
    assert [rater.p for rater in nothing.raters] == [1.0] * 3
    assert (nothing.omega, nothing.rho) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"llm": [0, 1, 0]}, "llm has 3 codes and humans 2 rows"),
        ({"llm": [0, 0.5]}, "llm must hold integer codes"),
        ({"humans": [0, 1]}, "humans must be items x raters"),
        ({"humans": [[0, 1], [0]]}, "humans must hold rows of one length"),
        ({"humans": [[0, 1], [0, -2]]}, "humans holds the code -2"),
        ({"scale": "ratio"}, "scale must be"),
        ({"values": [1, 2]}, "nominal codes stand for no number"),
        ({"scale": "interval", "values": [1]}, "values has 1 numbers, but code 1 occurs"),
        ({"epsilon": -0.1}, "epsilon must lie"),
        ({"q": 0}, "q must lie"),
        ({"min_items": 1}, "min_items must be"),
    ],
)
def test_wrong_input(given_: Any, message: str):
    """What does not fit is refused by the name of the argument."""
    arguments = {"llm": [0, 1], "humans": [[0, 1], [1, 1]], **given_}
    llm, humans = arguments.pop("llm"), arguments.pop("humans")
    with pytest.raises(ValueError, match=message):
        alt_test(llm, humans, **arguments)


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_lost_items_are_won_by_every_rater(scale: Any):
    """Where an item without a code counts as lost, the rater wins it alone, whatever the others said."""
    rng = np.random.default_rng(3)
    people = rng.integers(0, 3, (60, 4))
    judge = np.where(np.arange(60) < 20, -1, rng.integers(0, 3, 60))
    left_out, lost = (alt_test(judge, people, scale=scale, unscored=how) for how in ("left out", "lost"))
    for short, whole in zip(left_out.raters, lost.raters, strict=True):
        assert (short.n, whole.n) == (40, 60)
        assert whole.rho_f == pytest.approx(short.rho_f * 40 / 60)
        assert whole.rho_h == pytest.approx((short.rho_h * 40 + 20) / 60)
    with pytest.raises(ValueError, match="unscored"):
        alt_test(judge, people, unscored="won")  # type: ignore[arg-type]
