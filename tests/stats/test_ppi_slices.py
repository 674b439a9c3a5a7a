"""Tests of fiel.stats._ppi_slices."""

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from fiel.stats import ppi_mean, ppi_strata


def slices(seed: int = 0, *, rates: tuple[float, ...] = (0.9, 0.7, 0.5)) -> dict[str, Any]:
    """Subgroups with rates of their own, 40 labels and 400 other items in each."""
    rng = np.random.default_rng(seed)
    names = np.array(list("abcdefgh"[: len(rates)]))
    groups = np.repeat(names, 440)
    y = (rng.random(len(groups)) < np.repeat(rates, 440)).astype(float)
    f = expit(2 * (2 * y - 1) + rng.standard_normal(len(y)))
    labelled = np.tile(np.arange(440) < 40, len(rates))
    return {
        "y": y[labelled],
        "f": f[labelled],
        "f_unlabelled": f[~labelled],
        "strata": groups[labelled],
        "strata_unlabelled": groups[~labelled],
    }


def test_each_slice_is_ppi_mean_of_its_own():
    """A slice's estimate is `ppi_mean` of its items."""
    data = slices()
    for part in ppi_strata(**data):
        ours, others = data["strata"] == part.name, data["strata_unlabelled"] == part.name
        assert part.estimate == ppi_mean(data["y"][ours], data["f"][ours], data["f_unlabelled"][others])
        assert (part.p_value, part.p_adjusted) == (None, None)


def test_adjusted_intervals_hold_all_at_once():
    """Holm's adjusted intervals are those at 1 - .05 / 3."""
    data = slices()
    for part in ppi_strata(**data):
        ours, others = data["strata"] == part.name, data["strata_unlabelled"] == part.name
        expected = ppi_mean(data["y"][ours], data["f"][ours], data["f_unlabelled"][others], confidence=1 - 0.05 / 3)
        assert (part.adjusted.low, part.adjusted.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert part.adjusted.low < part.estimate.low < part.estimate.high < part.adjusted.high


@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_p_values(side: Any):
    """The p-value is where the interval touches the bar; adjusted ones are no smaller."""
    data = slices(1)
    for part in ppi_strata(**data, null=0.6, side=side):
        ours, others = data["strata"] == part.name, data["strata_unlabelled"] == part.name
        arrays = data["y"][ours], data["f"][ours], data["f_unlabelled"][others]
        assert part.p_value <= part.p_adjusted
        if 1e-9 < part.p_value < 0.4:
            touching = ppi_mean(*arrays, side=side, confidence=1 - part.p_value)
            near = min((touching.low, touching.high), key=lambda x: abs(x - 0.6))
            assert near == pytest.approx(0.6, abs=1e-5)


def test_benjamini_hochberg():
    """Its adjusted intervals depend on how many strata are rejected: all rejected, none is widened."""
    data = slices(2, rates=(0.9, 0.95, 0.92))
    found = ppi_strata(**data, null=0.4, adjust="benjamini-hochberg")
    assert all(part.p_adjusted < 0.05 for part in found)
    assert all(part.adjusted.low == pytest.approx(part.estimate.low) for part in found)
    none = ppi_strata(**slices(2, rates=(0.5, 0.5, 0.5)), null=0.5, adjust="benjamini-hochberg")
    assert all(part.p_adjusted > 0.05 for part in none)
    assert all(part.adjusted.confidence == pytest.approx(1 - 0.05 / 3) for part in none)


def test_a_slice_without_labels():
    """It has no value and does not count in the adjustment."""
    data = slices(3)
    data["strata_unlabelled"] = np.append(data["strata_unlabelled"][:-1], "z")
    found = ppi_strata(**data, null=0.5)
    assert (found[-1].name, found[-1].estimate.reason, found[-1].p_value) == ("z", "no labels", None)
    assert found[0].adjusted.confidence == pytest.approx(1 - 0.05 / 3)


def test_clusters():
    """Clusters count in each slice."""
    data = slices(4)
    names = np.arange(120) // 4, np.arange(120, 1320) // 4
    found = ppi_strata(**data, clusters=names[0], clusters_unlabelled=names[1], null=0.5)
    assert [part.estimate.n for part in found] == [10, 10, 10]


def test_one_false_rejection_in_twenty():
    """Where every slice sits on the bar, Holm rejects any of three in at most about one run of twenty."""
    repeats, rejected, missed = 200, 0, 0
    for seed in range(repeats):
        found = ppi_strata(**slices(100 + seed, rates=(0.8, 0.8, 0.8)), null=0.8)
        rejected += any(part.p_adjusted <= 0.05 for part in found)
        missed += any(not part.adjusted.low <= 0.8 <= part.adjusted.high for part in found)
    assert rejected <= 21  # the 0.999 quantile of Binomial(200, 0.05)
    assert missed <= 21


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"adjust": "bonferroni"}, "adjust must be one of"),
        ({"adjust": "benjamini-hochberg"}, "null is missing"),
        ({"strata": ["a"]}, "strata has 1 entries"),
        ({"strata_unlabelled": [1] * 1200}, "all names or all numbers"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused, and the message names the argument."""
    with pytest.raises(ValueError, match=message):
        ppi_strata(**(slices() | changes))
