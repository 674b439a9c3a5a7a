"""Tests of fiel.stats._scores."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from fiel.stats import bias, classification_scores, mcc, mean_absolute_error, pearson, rmse

ERRORS = (mean_absolute_error, rmse, bias)


@st.composite
def answers(draw: st.DrawFn) -> tuple[Any, Any]:
    """Truth and answers on one to five classes."""
    n, classes = draw(st.integers(1, 40)), draw(st.integers(1, 5))
    codes = st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)
    return np.array(draw(codes)), np.array(draw(codes))


@settings(deadline=None)
@given(pair=st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=50))
def test_errors_against_sklearn(pair: list[tuple[float, float]]):
    """Mean absolute and root mean squared error are those of scikit-learn, and bias is the difference of means."""
    y, f = np.array(pair).T
    scale = float(np.abs([y, f]).max())
    assert mean_absolute_error(y, f) == pytest.approx(metrics.mean_absolute_error(y, f), rel=1e-9, abs=1e-300)
    assert rmse(y, f) == pytest.approx(metrics.root_mean_squared_error(y, f), rel=1e-9, abs=1e-150)
    assert bias(y, f) == pytest.approx(f.mean() - y.mean(), abs=1e-12 * scale)
    assert abs(bias(y, f)) <= mean_absolute_error(y, f) * (1 + 1e-12) <= rmse(y, f) * (1 + 1e-9)


def test_the_sign_of_bias():
    """A judge that gives more than the truth has a bias above 0."""
    assert bias([1, 2], [2, 4]) == 1.5
    assert bias([2, 4], [1, 2]) == -1.5


@pytest.mark.parametrize("statistic", ERRORS)
def test_errors_at_the_edges(statistic: Any):
    """No items have no error; equal vectors have none to the last digit; units near the end of doubles are kept."""
    assert math.isnan(statistic([], []))
    assert statistic([0.1, 0.7], [0.1, 0.7]) == 0
    assert statistic([-1e308, -1e308], [0, 0]) == pytest.approx(1e308)
    assert statistic([0.0], [5e-324]) == 5e-324
    with pytest.raises(ValueError, match="y has 1 entries and f has 2"):
        statistic([1], [1, 2])


@settings(deadline=None)
@given(pair=answers())
def test_mcc_against_sklearn(pair: Any):
    """Matthews' correlation is that of scikit-learn where it is defined, and NaN where scikit-learn says 0 for 0/0."""
    y, f = pair
    if np.ptp(y) == 0 or np.ptp(f) == 0:
        assert math.isnan(mcc(y, f))
    else:
        assert mcc(y, f) == pytest.approx(metrics.matthews_corrcoef(y, f), abs=1e-12)
        assert mcc(f, y) == pytest.approx(mcc(y, f), abs=1e-12)
        top = max(y.max(), f.max())
        assert mcc(top - y, top - f) == pytest.approx(mcc(y, f), abs=1e-12)


def test_mcc_of_two_categories_is_pearson():
    """On 0 and 1 it is Pearson's correlation; a missing code leaves the pair out."""
    y, f = [0, 0, 1, 1, 1, 0, -1], [0, 1, 1, 1, 0, 0, 1]
    assert mcc(y, f) == pytest.approx(pearson(y[:-1], f[:-1]))
    assert mcc(y, f, categories=9) == mcc(y, f)


@settings(deadline=None)
@given(pair=answers())
def test_classification_against_sklearn(pair: Any):
    """Every score of every class is that of scikit-learn, with NaN for 0/0 and kept out of the means."""
    y, f = pair
    classes = list(range(max(y.max(), f.max()) + 1))
    found = classification_scores(y, f)
    scores = metrics.precision_recall_fscore_support(y, f, labels=classes, zero_division=np.nan)
    for ours, theirs in zip((found.precision, found.recall, found.f1, found.support), scores, strict=True):
        assert ours == pytest.approx(list(theirs), abs=1e-12, nan_ok=True)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, f))
    assert found.balanced_accuracy == pytest.approx(metrics.recall_score(y, f, average="macro", zero_division=np.nan))
    for name, value in (("precision", found.macro_precision), ("f1", found.macro_f1)):
        theirs = getattr(metrics, f"{name}_score")(y, f, labels=classes, average="macro", zero_division=np.nan)
        assert value == pytest.approx(theirs, abs=1e-12)
    for code in classes:
        others = metrics.recall_score(y != code, f != code, zero_division=np.nan)
        assert found.specificity[code] == pytest.approx(others, abs=1e-12, nan_ok=True)


def test_a_class_that_is_never_answered():
    """Precision of a class without answers is NaN, not 0, and its recall is 0."""
    found = classification_scores([0, 1, 1], [0, 0, 0], categories=3)
    assert found.support == (1, 2, 0)
    assert found.recall[:2] == (1.0, 0.0)
    assert math.isnan(found.recall[2])
    assert [math.isnan(x) for x in found.precision] == [False, True, True]
    assert found.specificity[2] == 1.0
    assert (found.balanced_accuracy, found.macro_f1) == (0.5, 0.25)


def test_nothing_to_classify():
    """Without a complete pair nothing is defined, and missing codes leave items out."""
    for y, f in (([], []), ([0, -1], [-1, 1])):
        found = classification_scores(y, f)
        assert found.n == 0
        assert all(math.isnan(x) for x in (found.accuracy, found.balanced_accuracy, found.macro_f1))
    assert classification_scores([0, 1, -1], [0, 1, 1]).n == 2


def test_wrong_codes():
    """Codes out of the declared scale, numbers that are no codes, and other lengths are refused."""
    for function in (classification_scores, mcc):
        with pytest.raises(ValueError, match="categories=2, but code 2 occurs"):
            function([0, 2], [0, 1], categories=2)
        with pytest.raises(ValueError, match="integer codes"):
            function([0.5, 1.0], [0, 1])
        with pytest.raises(ValueError, match="same items"):
            function([0, 1], [0])
