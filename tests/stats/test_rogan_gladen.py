"""Tests of fiel.stats._rogan_gladen."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from fiel.stats import rogan_gladen, rogan_gladen_allocation


def test_it_corrects_labels_from_another_mixture():
    """Labels of half and half correct a rate of .9, in an interval that covers."""
    rng, repeats, covered = np.random.default_rng(1), 300, 0
    for _ in range(repeats):
        y, truth = np.repeat([1, 0], 100), rng.random(1000) < 0.9
        judge, others = (np.where(rng.random(len(x)) < 0.85, x, 1 - x) for x in (y, truth.astype(int)))
        found = rogan_gladen(y, judge, others)
        covered += found.low <= 0.9 <= found.high
    assert covered >= scipy_stats.binom.ppf(0.001, repeats, 0.93)


def test_a_perfect_judge():
    """A judge without an error says the rate itself, and the interval keeps a width."""
    found = rogan_gladen([1] * 20 + [0] * 20, [1] * 20 + [0] * 20, [1] * 30 + [0] * 70)
    assert found.value == pytest.approx(0.3)
    assert found.low < 0.2
    assert found.high > 0.4
    assert found.notes[0].startswith("the judge's sensitivity and specificity are taken to be the same")


@pytest.mark.parametrize(
    ("y", "f", "u", "reason"),
    [
        ([1, 1], [1, 0], [1, 0], "no label of one of the two classes"),
        ([], [], [1, 0], "no label of one of the two classes"),
        ([1, 0], [1, 0], [], "no judged item without a label"),
        ([1, 0, 1, 0], [0, 1, 1, 0], [1, 0], "no better than chance"),
    ],
)
def test_undefined(y: Any, f: Any, u: Any, reason: str):
    """Without both classes, others, or a judge better than chance there is no value, and the reason says so."""
    found = rogan_gladen(y, f, u)
    assert found.value is None
    assert reason in found.reason


def test_sides_and_ends():
    """Bounds lie inside the interval's limits, and what falls outside 0..1 is clipped and told."""
    y, f = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [0] * 45 + [1] * 5
    both, lower, upper = (rogan_gladen(y, f, [1] * 60 + [0] * 40, side=side) for side in ("both", "lower", "upper"))
    assert both.low < lower.low < upper.high < both.high
    edge = rogan_gladen(y, f, [1] * 99 + [0])
    assert (edge.value, edge.high) == (1, 1)
    assert edge.details["value_unclipped"] > 1


def test_wrong_input():
    """Probabilities are refused, and so are plans out of range."""
    with pytest.raises(ValueError, match=r"f holds 0\.5 at position 0; give 0 or 1"):
        rogan_gladen([1, 0], [0.5, 0], [1])
    plan = {"share": 0.4, "specificity": 0.7, "sensitivity": 0.9, "pilot": 10}
    for changes in ({"share": 0}, {"specificity": 2}, {"pilot": -1}):
        with pytest.raises(ValueError, match="must"):
            rogan_gladen_allocation(200, **(plan | changes))
