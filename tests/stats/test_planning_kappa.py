"""Tests of fiel.stats._planning_kappa."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats import expected_kappa_interval, kappa_interval_sample_size, kappa_sample_size
from fiel.stats._planning_kappa import _cells


def patterns(kappa: float, shares: Any, raters: int) -> dict[tuple[int, ...], float]:
    """Chances of every sequence of answers under the model of the raters, by a mixture or an urn."""
    found = {}
    for answers in itertools.product(range(len(shares)), repeat=raters):
        if len(shares) == 2:
            chance = (1 - kappa) * math.prod(shares[x] for x in answers)
            chance += kappa * shares[answers[0]] * (len(set(answers)) == 1)
        else:
            chance, seen = 1.0, [0] * len(shares)
            for i, x in enumerate(answers):
                chance *= (shares[x] * (1 - kappa) + seen[x] * kappa) / (1 - kappa + i * kappa)
                seen[x] += 1
        found[answers] = chance
    return found


@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.2, 0.3, 0.5), (0.1, 0.2, 0.3, 0.4)])
@pytest.mark.parametrize("raters", [2, 3, 4])
@pytest.mark.parametrize("kappa", [0.0, 0.35, 0.8])
def test_the_models_have_their_margins_and_kappa(shares: Any, raters: int, kappa: float):
    """Cells sum to one; any two raters have the shares and the kappa asked for; full agreement has its cells."""
    chances = patterns(kappa, shares, raters)
    pair: dict[tuple[int, int], float] = {}
    for answers, chance in chances.items():
        pair[answers[:2]] = pair.get(answers[:2], 0.0) + chance
    table = np.array([[pair[i, j] for j in range(len(shares))] for i in range(len(shares))])
    assert table.sum(axis=0) == pytest.approx(shares)
    expected = sum(x * x for x in shares)
    assert (np.trace(table) - expected) / (1 - expected) == pytest.approx(kappa)
    cells = _cells(kappa, np.array(shares), raters)
    assert cells.sum() == pytest.approx(1)
    full = [chances[(x,) * raters] for x in range(len(shares))]
    assert (cells[[-1, 0]] if len(shares) == 2 else cells[:-1]) == pytest.approx(full)


def test_worked_values():
    """Sizes of the power tables: two and three raters, and Cohen's kappa of raters with other shares."""
    assert kappa_sample_size(0.4, 0.6, shares=0.3) == 191
    assert kappa_sample_size(0.4, 0.6, shares=0.3, raters=3) == 106
    assert kappa_sample_size(0.6, 0.8, shares=0.3) == 149
    assert kappa_sample_size(0.85, 0.7, shares=0.5, method="wald", side="upper") == 96


@settings(deadline=None)
@given(p=st.floats(0.05, 0.95), kappa0=st.floats(0.05, 0.6), gap=st.floats(0.05, 0.35), raters=st.integers(2, 6))
def test_two_categories_have_no_order(p: float, kappa0: float, gap: float, raters: int):
    """The share of one category or of the other, or both: one size; more items for more power, and for less a gap."""
    kappa1 = kappa0 + gap
    size = kappa_sample_size(kappa0, kappa1, shares=p, raters=raters)
    assert kappa_sample_size(kappa0, kappa1, shares=1 - p, raters=raters) == size
    assert kappa_sample_size(kappa0, kappa1, shares=[p, 1 - p], raters=raters) == size
    assert kappa_sample_size(kappa0, kappa1, shares=p, raters=raters, power=0.9) >= size
    assert kappa_sample_size(kappa0, kappa1, shares=p, raters=raters, side="lower") <= size
    assert kappa_sample_size(kappa0, kappa0 + gap / 2, shares=p, raters=raters) >= size


@pytest.mark.parametrize("case", [(0.4, 0.65, (0.3, 0.7), (0.4, 0.6)), (0.3, 0.55, (0.5, 0.5), (0.5, 0.5))])
def test_wald_reaches_its_power(case: Any):
    """At the size planned for Cohen's kappa, its Wald test finds kappa1 about as often as promised."""
    kappa0, kappa1, first, second = case
    n = kappa_sample_size(kappa0, kappa1, shares=[first, second], method="wald", side="lower")
    expected = first[0] * second[0] + first[1] * second[1]
    observed = kappa1 * (1 - expected) + expected
    both = (observed - 1 + first[0] + second[0]) / 2
    table = [both, first[0] - both, second[0] - both, observed - both]
    draws = np.random.default_rng(6).multinomial(n, table, size=20_000) / n
    a, b = draws[:, 0] + draws[:, 1], draws[:, 0] + draws[:, 2]
    chance = a * b + (1 - a) * (1 - b)
    kappa = (draws[:, 0] + draws[:, 3] - chance) / (1 - chance)
    cells = draws.reshape(-1, 2, 2)
    agree = cells[:, 0, 0] + cells[:, 1, 1]
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    spread = np.zeros(len(draws))
    for i, j in itertools.product(range(2), repeat=2):
        part = (1 - chance) - (columns[:, i] + rows[:, i]) * (1 - agree) if i == j else None
        off = (1 - agree) * (columns[:, i] + rows[:, j])
        spread += cells[:, i, j] * (part**2 if part is not None else off**2)
    error = np.sqrt(np.maximum(spread - (agree * chance - 2 * chance + agree) ** 2, 1e-12) / n) / (1 - chance) ** 2
    found = ((kappa - kappa0) / error > scipy_stats.norm.ppf(0.95)).mean()
    assert found == pytest.approx(0.8, abs=0.06)


@settings(deadline=None, max_examples=30)
@given(p=st.floats(0.1, 0.9), kappa=st.floats(0.2, 0.9), n=st.integers(10, 500), raters=st.integers(2, 5))
def test_size_and_expected_limits_belong_together(p: float, kappa: float, n: int, raters: int):
    """The size planned for the limits that n items are expected to have is n; limits narrow as n grows."""
    found = expected_kappa_interval(kappa, n, shares=p, raters=raters)
    size = kappa_interval_sample_size(kappa, low=found.low, high=found.high, shares=p, raters=raters)
    assert size in (n, n + 1)  # limits are rounded
    wider = expected_kappa_interval(kappa, max(n // 2, 1), shares=p, raters=raters)
    assert wider.low < found.low < kappa < found.high < wider.high


def test_perfect_agreement_keeps_a_limit():
    """A kappa of 1 is expected to have a lower limit below 1, with two categories and with three."""
    for shares in (0.3, (0.2, 0.3, 0.5)):
        found = expected_kappa_interval(1.0, 30, shares=shares, raters=3)
        assert found.low < 1 == found.high


@pytest.mark.parametrize(
    ("kappas", "given_", "message"),
    [
        ((0.4, 0.4), {}, "must differ"),
        ((1.0, 0.4), {}, "kappa0 be below 1"),
        ((0.4, 1.4), {}, "kappa1 must lie"),
        ((0.4, 0.2), {"side": "lower"}, "use the other side"),
        ((0.4, 0.6), {"shares": 1.2}, "shares must lie above 0"),
        ((0.4, 0.6), {"shares": [0.5, 0.6]}, "sum to 1"),
        ((0.4, 0.6), {"shares": [1.0]}, "two or more categories"),
        ((0.4, 0.6), {"raters": 1}, "raters must be"),
        ((0.4, 0.6), {"raters": 3, "method": "wald"}, "two raters"),
        ((0.4, 0.6), {"method": "z"}, "method must be"),
        ((0.4, 0.6), {"power": 0.2}, "power must lie"),
        ((0.4, 0.6), {"confidence": 95}, "confidence must lie"),
        ((-0.9, 0.6), {"shares": 0.1}, "cannot have a kappa of -0.9"),
        ((0.6, 0.9), {"shares": [[0.9, 0.1], [0.2, 0.8]], "method": "wald"}, "cannot have a kappa"),
        ((0.4, 0.6), {"shares": [[0.5, 0.5], [0.2, 0.3, 0.5]], "method": "wald"}, "rows of one length"),
        ((0.4, 0.6), {"shares": [[0.5, 0.5]], "method": "wald"}, "one row for each of two raters"),
    ],
)
def test_wrong_plans(kappas: Any, given_: Any, message: str):
    """Plans that cannot be are refused with what is wrong."""
    with pytest.raises(ValueError, match=message):
        kappa_sample_size(*kappas, **given_)


def test_wrong_limits():
    """Limits that do not hold kappa, none at all, and no items are refused."""
    for low, high in ((None, None), (0.8, None), (None, 0.6), (0.5, 0.7)):
        with pytest.raises(ValueError, match="give low below kappa"):
            kappa_interval_sample_size(0.7, low=low, high=high)
    with pytest.raises(ValueError, match="n must be a whole number"):
        expected_kappa_interval(0.7, 0)
    with pytest.raises(ValueError, match="cannot have a kappa"):
        expected_kappa_interval(-0.9, 10, shares=0.1)
