from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.records import Distribution, FielError


@st.composite
def numeric(draw: st.DrawFn) -> Distribution:
    """A belief over distinct whole numbers, in any order."""
    values = draw(st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True))
    weights = draw(st.lists(st.integers(0, 20), min_size=len(values), max_size=len(values)).filter(any))
    probs = tuple(weight / sum(weights) for weight in weights)
    return Distribution(options=tuple(map(str, values)), probs=probs, source="samples")


def arrays(belief: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Values and probabilities."""
    return np.array([float(option) for option in belief.options]), np.array(belief.probs)


@settings(deadline=None, max_examples=50)
@given(numeric())
def test_mean_and_variance_are_those_of_numpy(belief):
    """The moments agree with numpy's weighted average."""
    values, probs = arrays(belief)
    mean = np.average(values, weights=probs)
    assert belief.mean == pytest.approx(mean, abs=1e-9)
    assert belief.variance == pytest.approx(np.average((values - mean) ** 2, weights=probs), abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(numeric())
def test_the_normalised_mean_is_a_share_of_the_scale(belief):
    """0 is the lowest value, 1 the highest, wherever they stand."""
    values, _ = arrays(belief)
    assert -1e-9 <= belief.normalised_mean <= 1 + 1e-9
    assert belief.normalised_mean * np.ptp(values) + values.min() == pytest.approx(belief.mean, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(numeric())
def test_entropy_is_that_of_numpy(belief):
    """In bits, between 0 and log2 of the number of options."""
    _, probs = arrays(belief)
    held = probs[probs > 0]
    assert belief.entropy == pytest.approx(float(-(held * np.log2(held)).sum()), abs=1e-9)
    assert -1e-12 <= belief.entropy <= math.log2(len(probs)) + 1e-9
    assert math.copysign(1, belief.entropy) == 1


@settings(deadline=None, max_examples=50)
@given(numeric(), st.integers(1, 99))
def test_quantiles_are_those_of_numpy(belief, percent):
    """A quantile is numpy's inverted distribution function of a sample with those shares."""
    values, probs = arrays(belief)
    below = np.cumsum(probs[np.argsort(values)])
    share = percent / 100
    if np.any(np.abs(below - share) < 1e-6):
        return  # on a step, rounding decides
    expected = np.quantile(values, share, weights=probs, method="inverted_cdf")
    assert belief.quantile(share) == expected


@settings(deadline=None, max_examples=50)
@given(numeric(), st.integers(-60, 60))
def test_at_least_is_the_mass_from_there_on(belief, value):
    """The tail that a threshold asks for."""
    values, probs = arrays(belief)
    assert belief.at_least(value) == pytest.approx(float(probs[values >= value].sum()), abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(numeric())
def test_the_mode_is_numpys_unless_two_share_it(belief):
    """A tie for the first place is no mode."""
    _, probs = arrays(belief)
    ties = np.flatnonzero(np.isclose(probs, probs.max(), rtol=0, atol=1e-9))
    assert belief.mode == (belief.options[ties[0]] if len(ties) == 1 else None)


@settings(deadline=None, max_examples=50)
@given(numeric(), st.randoms())
def test_the_order_of_the_options_does_not_matter_to_numbers(belief, random):
    """Options that are numbers stand for themselves, in whatever order they are listed."""
    order = list(range(len(belief.options)))
    random.shuffle(order)
    other = Distribution(
        options=tuple(belief.options[i] for i in order), probs=tuple(belief.probs[i] for i in order), source="samples"
    )
    assert other.mean == pytest.approx(belief.mean, abs=1e-9)
    assert other.quantile(0.5) == belief.quantile(0.5)
    assert other.entropy == pytest.approx(belief.entropy, abs=1e-9)


def test_words_stand_for_their_places():
    """Options that are words count from 0, the worst."""
    belief = Distribution(options=("bad", "fair", "good"), probs=(0.2, 0.3, 0.5), source="logprobs")
    assert belief.values == (0.0, 1.0, 2.0)
    assert belief.mean == pytest.approx(1.3)
    assert belief.share_of(("fair", "good")) == pytest.approx(0.8)


@pytest.mark.parametrize(("share", "value"), [(0.0, 2.0), (1.0, 3.0), (0.4, 2.0), (0.41, 3.0)])
def test_quantiles_at_the_ends_and_on_a_step(share, value):
    """An option without mass is no quantile, and a step belongs to the value that reaches it."""
    belief = Distribution(options=("1", "2", "3", "4"), probs=(0.0, 0.4, 0.6, 0.0), source="logprobs")
    assert belief.quantile(share) == value


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_quantile_outside_the_unit_interval_is_refused(share):
    """A share is a share."""
    with pytest.raises(FielError, match="share"):
        Distribution.point("a", ("a", "b")).quantile(share)


def test_a_point_is_sure():
    """All mass on one option: no entropy, no variance, that mode."""
    belief = Distribution.point("b", ("a", "b", "c"), source="check")
    assert (belief.mode, belief.entropy, belief.variance, belief.source) == ("b", 0.0, 0.0, "check")


def test_a_point_on_an_unknown_option_is_refused():
    """A belief in an option that the criterion does not have is an error, not a belief in nothing."""
    with pytest.raises(FielError):
        Distribution.point("z", ("a", "b"))


@pytest.mark.parametrize(
    ("options", "probs"),
    [
        ((), ()),
        (("a",), (0.5, 0.5)),
        (("a", "b"), (0.5, 0.4)),
        (("a", "b"), (1.5, -0.5)),
        (("a", "b"), (math.nan, 1.0)),
        (("a", "b"), (math.inf, 0.0)),
    ],
)
def test_what_is_no_distribution_is_refused(options, probs):
    """Probabilities are finite, in [0, 1], one for each option, and sum to 1."""
    with pytest.raises(FielError):
        Distribution(options=options, probs=probs, source="logprobs")


@pytest.mark.parametrize(("top", "word"), [(0.9, "high"), (0.89, "medium"), (0.6, "medium"), (0.59, "low")])
def test_confidence_changes_at_its_thresholds(top, word):
    """The thresholds belong to the higher label."""
    assert Distribution(options=("a", "b"), probs=(top, 1 - top), source="stated").confidence() == word


@pytest.mark.parametrize("options", [("yes",), ("yes", "yes"), ("1", "1.0")])
def test_a_belief_needs_options_that_differ(options):
    """One option, or two that are the same word or number, are refused: nothing can be believed of them."""
    with pytest.raises(FielError, match="all different"):
        Distribution(options=options, probs=tuple(1 / len(options) for _ in options), source="point")
