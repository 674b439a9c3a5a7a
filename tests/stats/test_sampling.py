"""Tests of fiel.stats._sampling."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.stats import allocate, stratified_sample

SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=8).filter(any)
METHODS = st.sampled_from(["proportional", "equal", "optimal"])


def spreads_for(method: str, sizes: list[int], seed: int = 0) -> np.ndarray | None:
    """Seeded spreads, some of them 0, for the method that wants them."""
    rng = np.random.default_rng(seed)
    return rng.choice([0.0, 0.1, 0.3, 0.5], len(sizes)) if method == "optimal" else None


def test_ten_of_three_equal_strata_is_exactly_ten():
    """Ten of three strata of a hundred are four, three and three, not nine."""
    assert allocate([100, 100, 100], 10).tolist() == [4, 3, 3]


def test_the_sixty_four_cities():
    """The published example of 24 of 64 cities in two strata: 6 and 18 in proportion, 12 and 12 at best.

    Cochran (1977), Sampling Techniques: 16 and 48 cities with variances 53,843 and 5,581.
    """
    assert allocate([16, 48], 24).tolist() == [6, 18]
    assert allocate([16, 48], 24, method="optimal", spreads=np.sqrt([53843, 5581])).tolist() == [12, 12]


@settings(deadline=None)
@given(sizes=SIZES, n=st.integers(0, 400), method=METHODS, least=st.integers(0, 3), seed=st.integers(0, 99))
def test_counts_are_whole_complete_and_possible(sizes: list[int], n: int, method: str, least: int, seed: int):
    """They sum to n or to the whole frame, none is above its stratum, none below what was asked for at least."""
    floors = np.minimum(least, sizes)
    n = max(n, int(floors.sum()))
    counts = allocate(sizes, n, method=method, spreads=spreads_for(method, sizes, seed), least=least)
    assert counts.dtype.kind == "i"
    assert counts.sum() == min(n, sum(sizes))
    assert (counts <= sizes).all()
    assert (counts >= floors).all()


@settings(deadline=None)
@given(sizes=SIZES, share=st.floats(0, 1), method=METHODS)
def test_no_count_is_one_away_from_its_share(sizes: list[int], share: float, method: str):
    """Where no stratum is full, each count is the share of its stratum, rounded up or down."""
    spreads = spreads_for(method, sizes)
    n = math.floor(share * sum(sizes))
    weights = {"proportional": np.array(sizes), "equal": np.array(sizes) > 0}.get(method)
    if weights is None:
        weights = np.array(sizes) * spreads
    exact = n * weights / max(weights.sum(), 1e-9)
    if (exact > sizes).any() or not weights.any():
        return
    assert (np.abs(allocate(sizes, n, method=method, spreads=spreads) - exact) < 1 + 1e-9).all()


@settings(deadline=None)
@given(sizes=SIZES, n=st.integers(1, 400), method=METHODS)
def test_the_order_of_strata_moves_no_count_by_more_than_a_tie(sizes: list[int], n: int, method: str):
    """Strata in another order get the same counts, but for who gets the odd item of a tie."""
    spreads = spreads_for(method, sizes)
    turned = None if spreads is None else spreads[::-1]
    one = allocate(sizes, n, method=method, spreads=spreads)
    other = allocate(sizes[::-1], n, method=method, spreads=turned)[::-1]
    assert np.abs(one - other).max() <= 1
    assert one.sum() == other.sum()


def test_surplus_is_handed_on():
    """What a small stratum cannot take goes to the others; one without spread gets it only when all are full."""
    assert allocate([900, 80, 20], 100, method="equal").tolist() == [40, 40, 20]
    assert allocate([5, 5, 50], 30, method="optimal", spreads=[1, 1, 0]).tolist() == [5, 5, 20]
    assert allocate([50, 50, 50], 30, method="optimal", spreads=[1, 1, 0]).tolist() == [15, 15, 0]
    assert allocate([50, 50], 30, method="optimal", spreads=[0, 0]).tolist() == [15, 15]


def test_what_was_drawn_before_counts():
    """A floor for each stratum is kept, and the rest evens it out."""
    assert allocate([50, 50, 50], 30, method="equal", least=[20, 2, 0]).tolist() == [20, 5, 5]


@settings(deadline=None)
@given(n=st.integers(2, 60), spread=st.lists(st.floats(0.05, 1), min_size=3, max_size=3))
def test_neyman_beats_the_others(n: int, spread: list[float]):
    """The optimal counts, before rounding to whole items matters, have no larger variance than the other two."""
    sizes = np.array([60_000, 30_000, 10_000])

    def variance(counts: np.ndarray) -> float:
        return float((sizes**2 * np.square(spread) / counts).sum())

    optimal = variance(allocate(sizes, n * 1000, method="optimal", spreads=spread))
    for method in ("proportional", "equal"):
        counts = allocate(sizes, n * 1000, method=method)
        assert (counts < sizes).all() or n * 1000 > 29_999
        assert optimal <= variance(counts) * 1.001 or (counts == sizes).any()


@settings(deadline=None)
@given(
    strata=st.lists(st.sampled_from("abcd"), min_size=1, max_size=80),
    n=st.integers(0, 100),
    allocation=st.sampled_from(["proportional", "equal"]),
    seed=st.integers(0, 9),
)
def test_a_sample_has_each_item_once_with_its_own_chance(strata: list[str], n: int, allocation: str, seed: int):
    """No item twice; each chance is drawn / held of its stratum; the weights of a stratum add up to its size."""
    drawn = stratified_sample(strata, n, allocation=allocation, rng=np.random.default_rng(seed))
    assert len(drawn.indices) == min(n, len(strata)) == len(np.unique(drawn.indices))
    names = np.array(strata)[drawn.indices]
    for name in set(names.tolist()):
        mine = drawn.probabilities[names == name]
        assert mine == pytest.approx((names == name).sum() / strata.count(name))
        assert (1 / mine).sum() == pytest.approx(strata.count(name))


def test_the_same_seed_gives_the_same_sample():
    """One seed, one sample; another seed, another."""
    strata = np.arange(300) % 3
    one, same, other = (
        stratified_sample(strata, 30, rng=np.random.default_rng(seed)).indices.tolist() for seed in (5, 5, 6)
    )
    assert one == same != other


def test_every_item_of_a_stratum_is_as_likely():
    """Over 4,000 draws of 3 from 10, each item comes as often as the binomial allows (5 standard errors)."""
    rng = np.random.default_rng(20261130)
    seen = np.zeros(10)
    for _ in range(4000):
        seen[stratified_sample(np.zeros(10), 3, rng=rng).indices] += 1
    assert (np.abs(seen / 4000 - 0.3) < 5 * math.sqrt(0.3 * 0.7 / 4000)).all()


def test_weights_are_unbiased():
    """With equal shares of unequal strata, the weighted mean is off by less than 0.01; the plain mean by more than 0.1.

    2,000 draws of 60: one standard error is about 0.0015.
    """
    rng = np.random.default_rng(20261130)
    strata = np.repeat([0, 1, 2], [700, 200, 100])
    right = rng.random(1000) < np.array([0.95, 0.6, 0.2])[strata]
    weighted, plain = [], []
    for _ in range(2000):
        drawn = stratified_sample(strata, 60, allocation="equal", rng=rng)
        values = right[drawn.indices]
        weighted.append((values / drawn.probabilities).sum() / 1000)
        plain.append(values.mean())
    assert abs(np.mean(weighted) - right.mean()) < 0.01
    assert abs(np.mean(plain) - right.mean()) > 0.1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sizes": [], "n": 1}, "sizes holds no stratum"),
        ({"sizes": [3, -1], "n": 1}, "sizes must be whole numbers"),
        ({"sizes": [3, 1.5], "n": 1}, "sizes must be whole numbers"),
        ({"sizes": [3, 3], "n": 2.5}, "n must be whole numbers"),
        ({"sizes": [3, 3], "n": 1, "least": 1}, "draw more"),
        ({"sizes": [3, 3], "n": 3, "least": [1]}, "least has 1 entries"),
        ({"sizes": [3, 3], "n": 3, "method": "optimal"}, "spreads belongs to"),
        ({"sizes": [3, 3], "n": 3, "spreads": [1, 1]}, "spreads belongs to"),
        ({"sizes": [3, 3], "n": 3, "method": "optimal", "spreads": [1]}, "spreads has 1 entries"),
        ({"sizes": [3, 3], "n": 3, "method": "optimal", "spreads": [1, -1]}, "must not be negative"),
        ({"sizes": [3, 3], "n": 3, "method": "neyman"}, "method must be"),
    ],
)
def test_wrong_input_is_named(arguments: dict, words: str):
    """Each wrong argument is named, with what to do."""
    with pytest.raises(ValueError, match=words):
        allocate(**arguments)


def test_strata_are_flat():
    """A frame without items, or with two dimensions, is refused."""
    for strata in ([], [[1, 2]]):
        with pytest.raises(ValueError, match="flat sequence"):
            stratified_sample(strata, 1, rng=np.random.default_rng(0))
