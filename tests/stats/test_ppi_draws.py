"""Tests of ppi_mean where labels were not drawn alike, and of what "auto" and recalibration do."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.special import expit, ndtri

from fiel.stats import fit_platt, ppi_mean, rate_bound, wilson
from fiel.stats._ess import Sample
from fiel.stats._ppi_recalibrated import recalibrate
from fiel.stats._ppi_uneven import by_weights

Y = [1, 1, 0, 1, 1, 0, 1, 1]
F = [0.9, 0.8, 0.3, 0.7, 0.95, 0.4, 0.6, 0.85]
U = [0.9, 0.85, 0.1, 0.4, 0.7, 0.65, 0.95, 0.3, 0.8]


def limits(estimate: Any) -> tuple[float, float, float]:
    """The value and its two limits."""
    return estimate.value, estimate.low, estimate.high


def frame(seed: int, size: int, *, accuracy: float = 0.9, base: float = 0.8) -> tuple[Any, Any]:
    """Labels of a whole frame, and an over-confident judge's probabilities."""
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < base).astype(float)
    mu = ndtri(accuracy)
    return y, expit(4 * mu * ((2 * y - 1) * mu + rng.standard_normal(size)))


@pytest.mark.parametrize(
    ("n", "verdicts", "side", "method"),
    [
        (20, False, "both", "ess-beta"),
        (20, True, "both", "strata-score"),
        (60, True, "both", "ess-beta"),
        (100, False, "both", "ess-beta, recalibrated"),
        (100, True, "both", "ess-beta, recalibrated"),
        (20, False, "lower", "ess-beta or strata-score"),
        (20, True, "upper", "strata-score"),
        (100, False, "lower", "ess-beta, recalibrated"),
        (100, True, "lower", "ess-beta, recalibrated or strata-score"),
    ],
)
def test_auto(n: int, side: Any, method: str, *, verdicts: bool):
    """Which method stands behind "auto", said in the result."""
    y, f = frame(1, 500)
    f = (f > 0.5).astype(float) if verdicts else f
    assert ppi_mean(y[:n], f[:n], f[n:], side=side).method == method


def test_graded_labels():
    """Labels between the ends have no verdicts to stratify: the effective size takes them."""
    y = np.linspace(0, 1, 30)
    assert ppi_mean(y, y > 0.5, [0, 1, 1]).method == "ess-beta"
    assert ppi_mean(y, y, [], method="auto").method == "ess-beta, labels alone"


@pytest.mark.parametrize("n", [20, 100, 300])
def test_one_sided_from_100_labels_is_rate_bound(n: int):
    """The bounds of ess-beta are `rate_bound` at n_eff; "auto" is never tighter."""
    y, f = frame(n, n + 1000)
    data = y[:n], f[:n], f[n:]
    for side, sign in (("lower", 1), ("upper", -1)):
        plain = ppi_mean(*data, side=side, method="ess-beta")
        bound = rate_bound(plain.value, plain.details["n_eff"], side=side)
        ours = ppi_mean(*data, side=side)
        assert (plain.low if side == "lower" else plain.high) == pytest.approx(bound, abs=1e-12)
        found = ours.low if side == "lower" else ours.high
        assert sign * (bound - found) >= -1e-12
        if n >= 100:
            assert found == pytest.approx(bound, abs=1e-12)


@pytest.mark.parametrize(("rho", "said"), [("none", True), ("some", False), ("constant", True)])
def test_the_warning_that_the_judge_adds_nothing(rho: str, *, said: bool):
    """A judge whose correlation is below 1 / sqrt(n - 2) earns a note; another does not."""
    y, f = frame(2, 300)
    f = {"none": np.random.default_rng(3).random(300), "some": f, "constant": np.full(300, 0.5)}[rho]
    found = ppi_mean(y[:30], f[:30], f[30:])
    assert bool(found.notes) is said
    if said:
        assert found.notes[0].startswith("the judge adds nothing to the labels alone")
    assert not ppi_mean(y[:30], f[:30], []).notes


def test_recalibration_by_hand():
    """The recalibrated estimate is the mean of Platt's map plus the mean residual, with its variance as written."""
    y, f = frame(4, 400)
    n = 120
    found = recalibrate(Sample(y=y[:n], f=f[:n], u=f[n:]))
    inside = np.clip(f, 1e-6, 1 - 1e-6)
    logits = np.log(inside) - np.log1p(-inside)
    x = (logits - logits.mean()) / logits.std()
    fit = fit_platt(y[:n], expit(x[:n]))
    g, h = fit(expit(x)), fit.leverage(expit(x[:n]))
    e = y[:n] - g[:n]
    assert found.value == pytest.approx(g.mean() + e.mean(), abs=1e-6)
    least = 0.5 - 4 * (found.value * (1 - found.value)) ** 2
    assert found.variance_labels == pytest.approx((((e / (1 - h)) ** 2).sum() + least) / n**2, rel=1e-4)
    assert found.variance_judge == pytest.approx(g.var() / 400, rel=1e-4)
    slope = fit.slope / logits.std()
    assert (found.slope, found.intercept) == pytest.approx((slope, fit.intercept - slope * logits.mean()), rel=1e-4)


def test_recalibration_makes_confidence_harmless():
    """However steep the judge's logits, the recalibrated interval stays the same."""
    y, f = frame(5, 1500)
    logits = np.log(f) - np.log1p(-f)
    calm, steep = (ppi_mean(y[:200], p[:200], p[200:]) for p in (expit(logits / 4), expit(logits / 3 + 0.5)))
    assert limits(steep) == pytest.approx(limits(calm), abs=1e-6)
    assert steep.details["recalibration_slope"] == pytest.approx(0.75 * calm.details["recalibration_slope"], rel=1e-6)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_recalibration_of_labels_that_agree(value: float):
    """Labels that all agree keep an interval of their number's width."""
    _, f = frame(6, 1000)
    found = ppi_mean(np.full(100, value), f[:100], f[100:])
    assert found.method == "ess-beta, recalibrated"
    assert 0.01 < found.high - found.low < 0.04


def test_strata_of_equal_chances():
    """Strata drawn in proportion give nearly the interval of an even draw that knows the verdicts."""
    y, f = frame(7, 1000)
    verdict = (f > 0.5).astype(float)
    n = 40
    even = ppi_mean(y[:n], verdict[:n], verdict[n:], method="strata-score")
    drawn = ppi_mean(y[:n], verdict[:n], verdict[n:], strata=verdict[:n], strata_unlabelled=verdict[n:])
    assert drawn.method == even.method == "strata-score"
    assert limits(drawn) == pytest.approx(limits(even), abs=1e-9)


def test_strata_put_an_uneven_draw_right():
    """Half of the labels from each verdict mislead as they are; with their strata they do not."""
    y, f = frame(8, 4000, base=0.9)
    verdict = f > 0.5
    drawn = np.concatenate([np.flatnonzero(verdict)[:150], np.flatnonzero(~verdict)[:150]])
    labelled = np.isin(np.arange(4000), drawn)
    data = y[labelled], f[labelled], f[~labelled]
    strata = {"strata": verdict[labelled], "strata_unlabelled": verdict[~labelled]}
    for method in ("auto", "ess-wilson"):
        found = ppi_mean(*data, **strata, method=method)
        assert abs(found.value - y.mean()) < 0.03
        assert found.high - found.low < 0.1
    weights = np.where(verdict[labelled], verdict.sum(), (~verdict).sum()) / 150
    assert abs(ppi_mean(*data, weights=weights).value - y.mean()) < 0.03
    assert abs(y[labelled].mean() - y.mean()) > 0.1


def test_shares_of_a_known_population():
    """Given shares take the place of those at hand, and need no other items."""
    y, strata = [1, 1, 0, 1, 0, 0, 0, 1], list("aaaabbbb")
    found = ppi_mean(y, y, [], strata=strata, shares={"a": 0.9, "b": 0.1})
    assert found.value == pytest.approx(0.9 * 0.75 + 0.1 * 0.25)


def test_graded_strata_by_hand():
    """The stratified point is the shares' mean of each stratum's own estimate."""
    rng = np.random.default_rng(9)
    y = rng.random(300)
    f = np.clip(y + rng.normal(0, 0.1, 300), 0, 1)
    strata = rng.integers(0, 3, 300)
    n = 90
    found = ppi_mean(y[:n], f[:n], f[n:], strata=strata[:n], strata_unlabelled=strata[n:])
    parts = [
        ppi_mean(y[:n][strata[:n] == h], f[:n][strata[:n] == h], f[n:][strata[n:] == h], method="ess-wilson").value
        for h in range(3)
    ]
    shares = np.bincount(strata) / 300
    assert found.value == pytest.approx(float(shares @ parts))
    assert found.method == "ess-wilson, stratified, t(87)"


def test_equal_weights_are_no_weights():
    """The same weight for all gives nearly the interval of an even draw, in any unit of the weights."""
    y, f = frame(10, 2000)
    data = y[:300], f[:300], f[300:]
    plain = ppi_mean(*data, method="ess-wilson")
    for weight in (1.0, 2000 / 300):
        assert limits(ppi_mean(*data, weights=np.full(300, weight))) == pytest.approx(limits(plain), abs=0.01)


def test_weighted_jackknife_by_brute_force():
    """The closed form of the weighted jackknife is the one that leaves out one label after the other."""
    rng = np.random.default_rng(11)
    y, f = frame(12, 200)
    y, f, u, w = y[:25], f[:25], f[25:], rng.uniform(1, 9, 25)
    centre = np.concatenate([f, u]).mean()

    def theta(keep: Any) -> float:
        weights = w[keep] / w[keep].sum()
        mean_y, mean_f = weights @ y[keep], weights @ f[keep]
        a, b = y[keep] - mean_y, f[keep] - mean_f
        tuned = np.clip((weights**2 @ (a * b)) / (weights**2 @ (b * b)), 0, 1)
        return float(mean_y - tuned * (mean_f - centre))

    found = by_weights(Sample(y=y, f=f, u=u, weights=w), w)
    left = np.array([theta(np.arange(25) != i) for i in range(25)])
    assert found.value == pytest.approx(theta(np.full(25, fill_value=True)), abs=1e-12)
    assert found.variance_labels == pytest.approx(24 / 25 * ((left - left.mean()) ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("drawn", ["weights", "strata"])
def test_clusters_with_weights_or_strata(drawn: str):
    """Copying every item inside its cluster changes next to nothing, and clusters are what n counts."""
    y, f = frame(13, 400)
    names = np.arange(400) // 4
    how: dict[str, Any] = {"weights": np.random.default_rng(1).uniform(1, 5, 100)}
    if drawn == "strata":
        how = {"strata": f[:100] > 0.5, "strata_unlabelled": f[100:] > 0.5}
    data = {"y": y[:100], "f": f[:100], "f_unlabelled": f[100:], "clusters": names[:100], **how}
    data["clusters_unlabelled"] = names[100:]
    plain = ppi_mean(**data)
    copied = ppi_mean(**{name: np.repeat(x, 3) for name, x in data.items()})
    assert plain.n == 25
    assert "clusters" in plain.method
    assert limits(copied) == pytest.approx(limits(plain), abs=0.004)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), drawn=st.sampled_from(["weights", "strata"]), side=st.sampled_from(["both", "lower", "upper"]))
def test_never_empty_never_outside(data: st.DataObject, drawn: str, side: Any):
    """Whatever the labels, the judge and the draw, the interval has a width, stays on the scale and holds its point."""
    n, rest = data.draw(st.integers(3, 12)), data.draw(st.integers(2, 12))
    unit = st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0, 1)
    y, f = (data.draw(st.lists(unit, min_size=n, max_size=n)) for _ in range(2))
    u = data.draw(st.lists(unit, min_size=rest, max_size=rest))
    how: dict[str, Any] = {"weights": data.draw(st.lists(st.floats(0.1, 50), min_size=n, max_size=n))}
    if drawn == "strata":
        how = {"strata": [i % 2 for i in range(n)], "strata_unlabelled": [i % 2 for i in range(rest)]}
    found = ppi_mean(y, f, u, side=side, **how)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 1e-3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": [1] * 7}, "weights has 7 entries for 8 labels"),
        ({"weights": [1] * 7 + [0]}, "weights holds 0.0 at position 7"),
        ({"weights": [1] * 8, "strata": [1] * 8}, "give weights or strata"),
        ({"strata": [1] * 8}, "strata_unlabelled is missing"),
        ({"strata_unlabelled": [1] * 9}, "strata is missing"),
        ({"shares": {"a": 1}}, "strata is missing"),
        ({"strata": [1] * 8, "strata_unlabelled": [1] * 8 + [2]}, "no label in stratum 2"),
        ({"strata": [1] * 8, "strata_unlabelled": [1] * 9, "shares": {1: 0.5}}, "shares add up to 0.5"),
        ({"strata": [1] * 8, "strata_unlabelled": [1] * 9, "shares": {2: 1.0}}, "no entry for stratum 1"),
        ({"weights": [1] * 8, "method": "ppi++"}, "knows no weights"),
        ({"strata": [1] * 8, "strata_unlabelled": [1] * 9, "method": "ppi"}, "knows no strata"),
        ({"weights": [1] * 8, "method": "strata-score"}, "knows no weights"),
        ({"weights": [1] * 8, "recalibrate": True}, "not known with weights"),
        ({"method": "ppi", "recalibrate": True}, "not known for method"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused, and the message names the argument and the fix."""
    with pytest.raises(ValueError, match=message):
        ppi_mean(**({"y": Y, "f": F, "f_unlabelled": U} | changes))


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 60), side=st.sampled_from(["both", "lower", "upper"]))
def test_published_formulas_against_ppi_py(seed: int, n: int, side: Any):
    """PPI and PPI++ are those of ppi_py, which is told lambda where it would forget the side."""
    with warnings.catch_warnings():  # its import silences every warning, its call divides by zero
        warnings.simplefilter("ignore")
        from ppi_py import ppi_mean_ci  # noqa: PLC0415  (an oracle of this test, slow to load)

        y, f = frame(seed, n + 200)
        wide = {"bounds": (-3.0, 4.0), "side": side, "confidence": 0.9}
        way = {"both": "two-sided", "lower": "larger", "upper": "smaller"}[side]
        for method in ("ppi", "ppi++"):
            ours = ppi_mean(y[:n], f[:n], f[n:], method=method, **wide)
            if ours.value is None:
                continue
            low, high = ppi_mean_ci(y[:n], f[:n], f[n:], alpha=0.1, alternative=way, lam=ours.details["lambda"])
            if side != "upper":
                assert ours.low == pytest.approx(float(low[0]), abs=1e-9)
            if side != "lower":
                assert ours.high == pytest.approx(float(high[0]), abs=1e-9)


@pytest.mark.parametrize("kind", ["strata", "weights"])
def test_coverage_of_uneven_draws(kind: str):
    """Half the labels from each verdict, or more where the judge doubts: simulated coverage is at least .93."""
    repeats, base, covered, n = 300, 0.9, 0, 60
    rng = np.random.default_rng(14)
    for seed in range(repeats):
        y, f = frame(1000 + seed, 600, base=base)
        if kind == "strata":
            verdict, order = f > 0.5, rng.permutation(600)
            yes, no = order[verdict[order]], order[~verdict[order]]
            drawn = np.isin(np.arange(600), np.concatenate([yes[:30], no[:30]]))
            how = {"strata": verdict[drawn], "strata_unlabelled": verdict[~drawn]}
        else:
            doubt = np.sqrt(f * (1 - f))
            chance = np.minimum(n * (0.5 / 600 + 0.5 * doubt / doubt.sum()), 1)
            drawn = rng.random(600) < chance
            how = {"weights": 1 / chance[drawn]}
        found = ppi_mean(y[drawn], f[drawn], f[~drawn], **how)
        covered += found.low <= base <= found.high
    assert covered >= scipy_stats.binom.ppf(0.001, repeats, 0.93)


def test_labels_alone_are_wilson():
    """Without other items "auto" is Wilson's interval of yes, no and ties."""
    assert limits(ppi_mean([1, 0.5, 0, 1, 0.5], [1] * 5, [])) == pytest.approx(limits(wilson(3, 5)))
