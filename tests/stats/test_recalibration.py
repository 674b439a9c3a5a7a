"""Tests of fiel.stats._recalibration and _logistic."""

import json
import pickle
import warnings
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from fiel.stats import IsotonicMap, PlattMap, TemperatureMap, brier, fit_isotonic, fit_platt, fit_temperature, log_loss
from fiel.stats._logistic import has_finite_fit, logit

FITS = [fit_platt, fit_temperature, fit_isotonic]
SHARES = st.one_of(st.floats(0.01, 0.99), st.integers(0, 10).map(lambda k: k / 10))


@st.composite
def labels(draw: st.DrawFn, least: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcomes, probabilities and weights."""
    n = draw(st.integers(least, 40))
    columns = (st.integers(0, 1), SHARES, st.floats(0.2, 5))
    y, p, w = (np.array(draw(st.lists(column, min_size=n, max_size=n))) for column in columns)
    return y, p, w


@settings(max_examples=60)
@given(data=labels(least=6))
def test_platt_against_scikit_learn(data: Any):
    """Without pseudo-points it is the unpenalised logistic regression of scikit-learn, weights included."""
    y, p, w = data
    x = logit(p, 1e-3)
    some, short = x[y == 1], x[y == 0]
    assume(len(some) and len(short))
    assume(some.min() < short.max() - 0.5 and short.min() < some.max() - 0.5)
    found = fit_platt(y, p, weights=w, pseudo=0, clip=1e-3)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, solver="newton-cholesky")
    theirs.fit(x[:, None], y, sample_weight=w)
    assert (found.intercept, found.slope) == pytest.approx(
        (theirs.intercept_[0], theirs.coef_[0, 0]), rel=1e-5, abs=1e-5
    )


@settings(max_examples=60)
@given(data=labels())
def test_pseudo_points_are_items(data: Any):
    """Pseudo-points weigh as items at logit -1 and 1 do: adding these by hand gives the same fits."""
    y, p, w = data
    at = 1 / (1 + np.exp([1.0, 1.0, -1.0, -1.0]))
    more_y, more_p, more_w = np.append(y, [0, 1, 0, 1]), np.append(p, at), np.append(w, [0.5] * 4)
    for fit, names in ((fit_platt, ("intercept", "slope")), (fit_temperature, ("temperature",))):
        one, other = fit(y, p, weights=w), fit(more_y, more_p, weights=more_w, pseudo=0)
        for name in names:
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-6, abs=1e-6)


@settings(max_examples=60)
@given(data=labels())
def test_temperature_is_the_best_one(data: Any):
    """No temperature nearby has a greater likelihood of labels and pseudo-points."""
    y, p, w = data
    best = fit_temperature(y, p, weights=w).temperature
    at = 1 / (1 + np.exp([1.0, 1.0, -1.0, -1.0]))
    y, p, w = np.append(y, [0, 1, 0, 1]), np.append(p, at), np.append(w, [0.5] * 4)
    losses = [log_loss(y, TemperatureMap(t)(p), weights=w) for t in (best * 0.97, best, min(best * 1.03, 100.0))]
    assert losses[1] <= min(losses) + 1e-10


def test_temperature_against_scikit_learn():
    """Without pseudo-points it is the logistic regression of scikit-learn without an intercept."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 3, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-0.4 * x))).astype(int)
    theirs = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12).fit(x[:, None], y)
    found = fit_temperature(y, 1 / (1 + np.exp(-x)), pseudo=0, clip=1e-12)
    assert 1 / found.temperature == pytest.approx(theirs.coef_[0, 0], rel=1e-5)


@settings(max_examples=60)
@given(data=labels(), new=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_isotonic_against_scikit_learn(data: Any, new: list[float]):
    """Fit and prediction, between the steps and beyond them, are those of scikit-learn."""
    y, p, w = data
    p = np.round(p, 6)  # scikit-learn takes what is nearer than its rounding for equal
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=w)
    assert fit_isotonic(y, p, weights=w)(new) == pytest.approx(theirs.predict(new), abs=1e-9)


@settings(max_examples=40)
@given(data=labels(least=2))
def test_leverages(data: Any):
    """Leverages are the diagonal of the weighted hat matrix, and with the pseudo-points' they add up to 2."""
    y, p, w = data
    fit = fit_platt(y, p, weights=w)
    x = np.append(logit(p, fit.clip), [-1, -1, 1, 1])
    w = np.append(w, [0.5] * 4)
    q = 1 / (1 + np.exp(-(fit.intercept + fit.slope * x)))
    design = np.column_stack([np.ones(len(x)), x]) * np.sqrt(w * q * (1 - q))[:, None]
    hat = np.einsum("ij,jk,ik->i", design, np.linalg.inv(design.T @ design), design)
    found = fit.leverage(p, weights=w[:-4])
    assert found == pytest.approx(hat[:-4], rel=1e-5, abs=1e-7)
    assert hat.sum() == pytest.approx(2)
    assert ((found >= 0) & (found < 1)).all()


def test_leverage_is_what_leaving_out_does():
    """E / (1 - h) is, to first order, the residual of the item when the map is fitted without it."""
    rng = np.random.default_rng(2)
    p = rng.random(60)
    y = (rng.random(60) < p).astype(int)
    fit, all_but = fit_platt(y, p), np.arange(60)
    left_out = [y[i] - fit_platt(y[all_but != i], p[all_but != i])([p[i]])[0] for i in range(60)]
    swollen = (y - fit(p)) / (1 - fit.leverage(p))
    assert swollen == pytest.approx(np.array(left_out), abs=0.02)
    assert np.abs(swollen - left_out).max() < np.abs(y - fit(p) - left_out).max() / 3


@pytest.mark.parametrize("fit", FITS)
def test_recalibrating_helps(fit: Any):
    """On new items an over-confident judge is better after any of the maps, and nearly as good as the truth."""
    rng = np.random.default_rng(7)
    truth = rng.beta(1, 1, (2, 2000))
    y, p = (rng.random((2, 2000)) < truth).astype(int), 1 / (1 + (1 / truth - 1) ** 3)
    new = fit(y[0], p[0])(p[1])
    assert brier(y[1], new) < brier(y[1], p[1]) - 0.01
    assert brier(y[1], new) == pytest.approx(brier(y[1], truth[1]), abs=0.004)


@pytest.mark.parametrize("fit", FITS)
def test_maps_are_plain_values(fit: Any):
    """A map is comparable, hashable, survives pickling and JSON, and cannot be changed."""
    found = fit([0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.8, 0.9])
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301  (our own bytes)
    assert type(found)(**json.loads(json.dumps(asdict(found)))) == found
    assert hash(found) == hash(fit([0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.8, 0.9]))
    with pytest.raises(AttributeError):
        setattr(found, fields(found)[0].name, 0.1)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([1, 1], [1, 1]),
        ([0, 0], [1, 0]),
        ([0, 1], [0, 1]),
        ([1], [0.5]),
        ([0, 1], [0.5, 0.5]),
        ([0.5, 1], [0, 1]),
    ],
)
def test_degenerate_labels(fit: Any, y: list[float], p: list[float]):
    """One class, one probability, certainty, separated outcomes: a map that gives numbers from 0 to 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = fit(y, p)([0.0, 1e-300, 0.3, 0.5, 1.0])
    assert ((new >= 0) & (new <= 1)).all()
    if fit is not fit_isotonic:
        assert ((new > 0) & (new < 1)).all()


@settings(max_examples=60)
@given(data=labels())
def test_whatever_the_labels(data: Any):
    """Every fit gives a map into 0..1, and those of isotonic and temperature never fall."""
    y, p, _ = data
    for fit in FITS:
        new = fit(y, p)(np.linspace(0, 1, 21))
        assert ((new >= 0) & (new <= 1)).all()
        if fit is not fit_platt:
            assert (np.diff(new) >= 0).all()


def test_one_class_does_not_become_certain():
    """Five right of five at p = 0.5 are not worth certainty: the pseudo-points count two labels."""
    assert fit_platt([1] * 5, [0.5] * 5)([0.5])[0] == pytest.approx(6 / 7, abs=0.01)


def test_a_judge_turned_round():
    """Platt's map turns round a judge who is worse than chance; the temperature can only silence him."""
    y, p = [1, 1, 0, 0, 1, 0], [0.1, 0.2, 0.8, 0.9, 0.3, 0.7]
    assert fit_platt(y, p).slope < 0
    assert fit_temperature(y, p).temperature == 100.0
    assert fit_temperature(y, p, pseudo=0).temperature == 100.0


@given(x=st.lists(st.integers(0, 4), min_size=2, max_size=8), data=st.data())
def test_separation(x: list[int], data: Any):
    """A finite fit exists just where no threshold, itself on both sides, parts the outcomes."""
    y = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(x), max_size=len(x))))
    places = np.array(x, dtype=float)
    parted = any(
        ((y[places > cut] == one).all() and (y[places < cut] == 1 - one).all())
        for cut in np.arange(-0.5, 5, 0.5)
        for one in (0, 1)
    )
    assert has_finite_fit(places, y) is not parted


@pytest.mark.parametrize(("y", "p"), [([0, 1], [0.2, 0.8]), ([1, 1], [0.2, 0.8]), ([0, 1, 1], [0.5, 0.5, 0.5])])
def test_no_finite_fit(y: list[int], p: list[float]):
    """Without pseudo-points, labels that are separated have no fit, and the message says what helps."""
    with pytest.raises(ValueError, match=r"pseudo=0 has no finite fit here.*use pseudo=0.5"):
        fit_platt(y, p, pseudo=0)


def test_no_finite_temperature():
    """A judge who is always on the right side has no temperature without pseudo-points."""
    with pytest.raises(ValueError, match=r"always on the right side; use pseudo=0\.5"):
        fit_temperature([0, 1], [0.2, 0.8], pseudo=0)


@pytest.mark.parametrize("fit", FITS)
def test_nothing_to_learn_from(fit: Any):
    """No labels give no map."""
    with pytest.raises(ValueError, match="outcome holds no item"):
        fit([], [])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PlattMap(float("nan"), 1.0), "intercept must be 1 finite number"),
        (lambda: PlattMap(0.0, 1.0, clip=0.5), r"clip must be a number from 1e-15 to below 0\.5"),
        (lambda: PlattMap(0.0, 1.0, covariance=(1.0, 2.0)), "covariance must be 3 finite numbers"),
        (lambda: TemperatureMap(0.0), "temperature must lie above 0"),
        (lambda: IsotonicMap((0.1, 0.1), (0.0, 1.0)), "knots must rise"),
        (lambda: IsotonicMap((0.1, 0.2), (1.0, 0.0)), "values must not fall"),
        (lambda: IsotonicMap((), ()), "at least one knot"),
        (lambda: fit_platt([1], [0.5], pseudo=-1), "pseudo must be a weight from 0"),
        (lambda: fit_platt([1], [0.5], clip=0.0), "clip must be"),
        (lambda: PlattMap(0.0, 1.0)([1.2]), "probability holds 1.2 at position 0"),
    ],
)
def test_impossible_maps(make: Any, message: str):
    """Values that no map has are refused by name."""
    with pytest.raises(ValueError, match=message):
        make()
