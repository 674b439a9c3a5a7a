"""Tests of fiel.stats._ppi_difference and fiel.stats._ppi_p_values."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.special import expit, ndtri
from statsmodels.stats.proportion import proportions_ztest

from fiel.stats import ppi_difference, wilson
from fiel.stats._ess import Sample
from fiel.stats._ppi_methods import solve
from fiel.stats._ppi_p_values import p_value


def limits(estimate: Any) -> tuple[float, float, float]:
    """The value and its two limits."""
    return estimate.value, estimate.low, estimate.high


def two_systems(
    seed: int, n: int, rates: tuple[float, float], *, accuracy: float = 0.9, shared: float = 0.5, others: int = 500
) -> dict[str, Any]:
    """Two systems on the same items under one judge."""
    rng = np.random.default_rng(seed)
    size = n + others
    common, mu = np.sqrt(shared) * rng.standard_normal(size), ndtri(accuracy)
    found: dict[str, Any] = {}
    for name, rate in zip("ab", rates, strict=True):
        y = (common + np.sqrt(1 - shared) * rng.standard_normal(size) < ndtri(rate)).astype(float)
        f = expit(4 * mu * ((2 * y - 1) * mu + rng.standard_normal(size)))
        found |= {f"y_{name}": y[:n], f"f_{name}": f[:n], f"f_{name}_unlabelled": f[n:]}
    return found


def swapped(data: dict[str, Any]) -> dict[str, Any]:
    """The two systems the other way round."""
    turn = {"a": "b", "b": "a"}
    return {"_".join(turn.get(part, part) for part in name.split("_")): x for name, x in data.items()}


@pytest.mark.parametrize("method", ["auto", "ess-wilson", "ppi++", "classical"])
def test_changing_places_mirrors_the_interval(method: Any):
    """B minus a is the mirror of a minus b, with the same p-value."""
    data = two_systems(1, 40, (0.8, 0.6))
    one, other = ppi_difference(**data, method=method), ppi_difference(**swapped(data), method=method)
    assert limits(other) == pytest.approx((-one.value, -one.high, -one.low), abs=1e-9)
    assert other.details["p_value"] == pytest.approx(one.details["p_value"], abs=1e-6)


def test_another_scale():
    """Scores from 1 to 5 give the differences of the same scores from 0 to 1, stretched."""
    data = two_systems(2, 30, (0.8, 0.6))
    unit = ppi_difference(**data)
    wide = ppi_difference(**{name: 1 + 4 * x for name, x in data.items()}, bounds=(1, 5))
    assert limits(wide) == pytest.approx([4 * x for x in limits(unit)], abs=1e-9)
    assert wide.details["variance_labels"] == pytest.approx(16 * unit.details["variance_labels"])


def test_the_judge_narrows():
    """With a good judge the interval is narrower than that of the labels alone, and pairing helps."""
    data = two_systems(3, 100, (0.8, 0.6), shared=0.9)
    found = ppi_difference(**data)
    assert found.details["width_ratio"] < 0.95
    assert found.method == "ess-score, paired, t(98)"
    apart = [wilson(float(data[f"y_{x}"].sum()), 100) for x in "ab"]
    unpaired = np.hypot(*(x.high - x.low for x in apart))
    assert found.high - found.low < unpaired


def test_two_that_never_differ():
    """Without a difference in any label the interval keeps the width of that many items."""
    same = [1, 0, 1, 1, 1, 0, 1, 1, 0, 1]
    found = ppi_difference(same, same, same, same, [1, 0, 1], [1, 0, 1])
    t = scipy_stats.t.ppf(0.975, 8) ** 2
    assert limits(found) == pytest.approx((0, -t / (10 + t), t / (10 + t)), abs=1e-9)
    assert found.details["p_value"] == 1
    assert found.notes
    published = ppi_difference(same, same, same, same, [1, 0, 1], [1, 0, 1], method="ppi++")
    assert (published.value, 'use method="ess-score"' in published.reason) == (None, True)


def test_the_p_value_is_where_the_interval_touches_nothing():
    """At confidence 1 - p the interval ends at 0; one-sided p-values add up to 1."""
    data = two_systems(4, 60, (0.85, 0.7))
    p = ppi_difference(**data).details["p_value"]
    assert ppi_difference(**data, confidence=1 - p).low == pytest.approx(0, abs=1e-6)
    better, worse = (ppi_difference(**data, side=side).details["p_value"] for side in ("lower", "upper"))
    assert better == pytest.approx(p / 2, rel=1e-6)
    assert better + worse == pytest.approx(1)


@settings(deadline=None, max_examples=50)
@given(k=st.integers(1, 29), null=st.floats(0.05, 0.95))
def test_p_value_of_a_score_interval(k: int, null: float):
    """The p-value that Wilson's limits imply is that of the score test in statsmodels."""
    expected = proportions_ztest(k, 30, null, prop_var=null)[1]
    found = solve(Sample(y=np.arange(30) < k, f=np.zeros(30), u=np.zeros(0)), "classical", recalibrated=None)
    assert p_value(found, null, "both") == pytest.approx(max(expected, 2e-9), rel=1e-5)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), side=st.sampled_from(["both", "lower", "upper"]))
def test_never_empty_never_outside(data: st.DataObject, side: Any):
    """Whatever the scores, the interval has a width, stays on the scale and holds its point."""
    n, rest = data.draw(st.integers(2, 10)), data.draw(st.integers(0, 10))
    unit = st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0, 1)
    sizes = (n, n, n, n, rest, rest)
    arrays = [data.draw(st.lists(unit, min_size=size, max_size=size)) for size in sizes]
    found = ppi_difference(*arrays, side=side)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 1e-3
    assert 0 <= found.details["p_value"] <= 1


def test_clusters():
    """Clusters are what n counts, and copying every item inside its cluster changes next to nothing."""
    data = two_systems(5, 100, (0.8, 0.6), others=400)
    names = {"clusters": np.arange(100) // 4, "clusters_unlabelled": np.arange(100, 500) // 4}
    plain = ppi_difference(**data, **names)
    copied = ppi_difference(**{name: np.repeat(x, 3) for name, x in (data | names).items()})
    assert (plain.n, plain.method) == (25, "ess-score, clusters, t(24)")
    assert limits(copied) == pytest.approx(limits(plain), abs=0.01)
    with pytest.raises(ValueError, match="knows no clusters"):
        ppi_difference(**data, **names, method="ppi++")


def test_too_few():
    """No labels and one label have no interval; two stand alone."""
    assert ppi_difference([], [], [], [], [1], [0]).reason == "no labels"
    assert ppi_difference([1], [0], [1], [0], [1], [0]).value is None
    assert ppi_difference([1, 1], [0, 1], [1, 1], [0, 1], [1], [0]).method == "classical, fewer than 3 labels"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y_b": [0, 1]}, "y_a has 3 entries and y_b has 2"),
        ({"f_a": [0, 1], "f_b": [0, 1]}, "y_a has 3 entries and f_a has 2"),
        ({"y_a": [0, 1, 7]}, "y_a holds 7.0 at position 2"),
        ({"method": "magic"}, "method must be one of"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused, and the message names the argument."""
    names = ("y_a", "y_b", "f_a", "f_b", "f_a_unlabelled", "f_b_unlabelled")
    with pytest.raises(ValueError, match=message):
        ppi_difference(**({name: [0, 1, 1] for name in names} | changes))


@pytest.mark.parametrize(("rates", "shared"), [((0.7, 0.6), 0.5), ((0.9, 0.8), 0.9), ((0.5, 0.5), 0.0)])
def test_coverage(rates: tuple[float, float], shared: float):
    """At 20 labels coverage is at least .94, also where the two seldom differ and t intervals fall to .87."""
    repeats = 400
    found = [ppi_difference(**two_systems(seed, 20, rates, accuracy=0.8, shared=shared)) for seed in range(repeats)]
    covered = sum(x.low <= rates[0] - rates[1] <= x.high for x in found)
    assert covered >= scipy_stats.binom.ppf(0.001, repeats, 0.94)
