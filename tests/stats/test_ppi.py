"""Tests of fiel.stats._ppi."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.special import expit, ndtri

from fiel.stats import ppi_mean, rate_bound, wilson

METHODS = ("auto", "ess-beta", "ess-wilson", "ppi", "ppi++", "classical")
OURS = ("ess-beta", "ess-wilson", "classical")
Y = [1, 1, 0, 1, 1, 0, 1, 1]
F = [0.9, 0.8, 0.3, 0.7, 0.95, 0.4, 0.6, 0.85]
U = [0.9, 0.85, 0.1, 0.4, 0.7, 0.65, 0.95, 0.3, 0.8]

UNIT = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1)


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[float], list[float], list[float]]:
    """Few labels, a judge on the same items, and the judge on others: edges and ties are frequent."""
    n = draw(st.integers(1, 12))
    y = draw(st.lists(st.sampled_from([0.0, 1.0]) | UNIT, min_size=n, max_size=n))
    f = draw(st.lists(UNIT, min_size=n, max_size=n))
    return y, f, draw(st.lists(UNIT, max_size=12))


def limits(estimate: Any) -> tuple[float, float, float]:
    """The value and its two limits."""
    return estimate.value, estimate.low, estimate.high


def binormal(rng: np.random.Generator, y: Any, accuracy: float) -> Any:
    """The probability an over-confident judge gives, right as often as `accuracy` in both classes."""
    mu = ndtri(accuracy)
    return expit(4 * mu * ((2 * y - 1) * mu + rng.standard_normal(len(y))))


@pytest.mark.parametrize(("method", "case"), [("ppi", "ppi_lambda1_ddof0"), ("ppi++", "ppipp_ddof0_z")])
def test_published_formulas(ppi_reference: Any, method: Any, case: str):
    """PPI and PPI++ are those of another package."""
    inputs = ppi_reference["inputs"]
    estimate = ppi_mean(inputs["y"], inputs["f"], inputs["u"], method=method)
    assert limits(estimate) == pytest.approx(ppi_reference["cases"][case]["independent"], abs=1e-12)


def test_details_of_the_reference(ppi_reference: Any):
    """Lambda, the correlation and the smallest useful correlation are those of the reference."""
    inputs, efficiency = ppi_reference["inputs"], ppi_reference["efficiency"]
    details = ppi_mean(inputs["y"], inputs["f"], inputs["u"]).details
    assert details["lambda"] == pytest.approx(ppi_reference["lambda_ppipp"], abs=1e-12)
    assert details["rho"] ** 2 == pytest.approx(efficiency["rho2"], abs=1e-12)
    assert details["rho_min"] == pytest.approx(efficiency["no_free_lunch_rho_min"], abs=1e-12)
    assert details["bias"] == pytest.approx(-0.09166666666666667)
    assert details["judge_mean"] == pytest.approx(np.mean(inputs["f"] + inputs["u"]))
    plain = wilson(9, 12)
    assert [details[f"classical_{x}"] for x in ("value", "low", "high")] == list(limits(plain))


def test_ess_wilson_reference(ppi_reference: Any):
    """The jackknife variance, n_eff and limits of ESS-Wilson are those of the reference."""
    inputs, expected = ppi_reference["inputs"], ppi_reference["ess_wilson_jackknife"]
    estimate = ppi_mean(inputs["y"], inputs["f"], inputs["u"], method="ess-wilson")
    assert estimate.details["variance_labels"] == pytest.approx(expected["V_jack"], abs=1e-12)
    assert estimate.details["n_eff"] == pytest.approx(expected["n_eff"], abs=1e-10)
    assert (estimate.low, estimate.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-12)


def test_ess_beta_reference(ppi_reference: Any):
    """The variance, n_eff, limits and one-sided bounds of ess-beta are those of the reference."""
    inputs, expected = ppi_reference["inputs"], ppi_reference["ess_beta"]
    data = inputs["y"], inputs["f"], inputs["u"]
    estimate = ppi_mean(*data)
    details = estimate.details
    assert details["variance_labels"] + details["variance_judge"] == pytest.approx(expected["V"], abs=1e-12)
    assert details["n_eff"] == expected["n_eff"]
    assert (estimate.low, estimate.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-12)
    lower, upper = (ppi_mean(*data, side=side, method="ess-beta") for side in ("lower", "upper"))
    assert (lower.low, lower.high) == pytest.approx((expected["one_sided_lower_95"], 1), abs=1e-12)
    assert (upper.low, upper.high) == pytest.approx((0, expected["one_sided_upper_95"]), abs=1e-12)
    assert lower.low == rate_bound(estimate.value, details["n_eff"])


@pytest.mark.parametrize(
    ("example", "case"),
    [
        ("context_relevance", "ares_readme_context_relevance"),
        ("answer_relevance", "ares_nb_answer_relevance"),
    ],
)
def test_ares(ppi_reference: Any, ares_rows: Any, example: str, case: str):
    """The figures that ARES prints come out, and ours are no wider than the labels alone."""
    rows = [row for row in ares_rows if row["example"] == example]
    labelled = [row for row in rows if row["split"] == "labelled"]
    y, f = ([float(row[name]) for row in labelled] for name in ("y", "yhat"))
    u = [float(row["yhat"]) for row in rows if row["split"] == "unlabelled"]
    ares, ours = ppi_mean(y, f, u, method="ppi"), ppi_mean(y, f, u)
    assert limits(ares) == pytest.approx(ppi_reference["cases"][case]["independent"], abs=1e-12)
    assert ours.details["width_ratio"] < 1
    assert ours.high - ours.low < ares.high - ares.low


@settings(deadline=None, max_examples=300)
@given(data=samples(), method=st.sampled_from(OURS), side=st.sampled_from(["both", "lower", "upper"]))
def test_never_empty_never_outside(data: Any, method: Any, side: Any):
    """Whatever the labels and the judge, the interval has a width, stays on the scale and holds its point."""
    estimate = ppi_mean(*data, method=method, side=side)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.high - estimate.low > 1e-3


@settings(deadline=None, max_examples=200)
@given(data=samples(), method=st.sampled_from(["ppi", "ppi++"]))
def test_published_formulas_are_refused_where_they_see_nothing(data: Any, method: Any):
    """The published formulas never give an interval without a width; they say what to use."""
    estimate = ppi_mean(*data, method=method)
    if estimate.value is None:
        assert 'use method="ess-beta"' in str(estimate)
    else:
        assert 0 <= estimate.low < estimate.high <= 1


@pytest.mark.parametrize("method", OURS)
@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 20])
def test_all_labels_equal(method: Any, value: float, n: int):
    """A perfect sample is no perfect population: the limit away from the edge is near that of n labels."""
    estimate = ppi_mean([value] * n, np.linspace(0.1, 0.9, n), np.linspace(0, 1, 500), method=method)
    width = estimate.high - estimate.low
    assert 0.08 < width < 1
    assert value in (estimate.low, estimate.high)


@settings(deadline=None)
@given(data=samples(), method=st.sampled_from(METHODS), seed=st.integers(0, 99))
def test_order_of_items_does_not_matter(data: Any, method: Any, seed: int):
    """Shuffling the items changes nothing."""
    rng = np.random.default_rng(seed)
    y, f, u = (np.array(x) for x in data)
    order = rng.permutation(len(y))
    plain, shuffled = ppi_mean(y, f, u, method=method), ppi_mean(y[order], f[order], rng.permutation(u), method=method)
    if plain.value is not None and shuffled.value is not None:
        assert limits(shuffled) == pytest.approx(limits(plain), abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_another_scale(method: Any):
    """Scores from 1 to 5 give the interval of the same scores from 0 to 1, stretched."""
    unit = ppi_mean(Y, F, U, method=method)
    stretched = ppi_mean(*(1 + 4 * np.array(x) for x in (Y, F, U)), method=method, bounds=(1, 5))
    assert limits(stretched) == pytest.approx([1 + 4 * x for x in limits(unit)], abs=1e-12)
    for name, factor in (("bias", 4), ("variance_labels", 16), ("variance_judge", 16), ("n_eff", 1), ("lambda", 1)):
        assert stretched.details[name] == pytest.approx(factor * unit.details[name], abs=1e-12)


@pytest.mark.parametrize("method", ["ess-beta", "ess-wilson", "classical"])
def test_counting_failures(method: Any):
    """Estimating the rate of failures mirrors the interval."""
    one = ppi_mean(Y, F, U, method=method)
    other = ppi_mean(*(1 - np.array(x) for x in (Y, F, U)), method=method)
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-12)


def test_ties_are_labels_of_one_half():
    """The classical interval of labels with ties is Wilson's with half a success for each tie."""
    labels = [1, 0.5, 0, 1, 0.5]
    assert limits(ppi_mean(labels, labels, [], method="classical")) == pytest.approx(limits(wilson(3, 5)))


def test_without_unlabelled_items():
    """Without other items the judge has no weight, and the method says so."""
    assert limits(ppi_mean(Y, F, [])) == pytest.approx(limits(wilson(6, 8)))
    estimate = ppi_mean(Y, F, [], method="ess-beta")
    assert estimate.method == "ess-beta, labels alone"
    assert estimate.details["lambda"] == 0
    expected = scipy_stats.beta.ppf([0.025, 0.975], 6.5, 2.5)
    assert (estimate.low, estimate.high) == pytest.approx(expected)


def test_too_few_labels():
    """With one or two labels the labels stand alone, and the method says so; without any there is no value."""
    estimate = ppi_mean([1, 0], [0.9, 0.2], U)
    assert estimate.method == "classical, fewer than 3 labels"
    assert limits(estimate) == pytest.approx(limits(wilson(1, 2)))
    nothing = ppi_mean([], [], U)
    assert (nothing.value, nothing.reason, nothing.n) == (None, "no labels", 0)
    assert nothing.details["judge_mean"] == pytest.approx(np.mean(U))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": [*Y[:-1], float("nan")]}, "y holds 1 NaN or infinite"),
        ({"f_unlabelled": [float("inf")]}, "f_unlabelled holds 1 NaN or infinite"),
        ({"f": [*F[:-1], 1.2]}, "f holds 1.2 at position 7"),
        ({"y": [*Y[:-1], 5]}, "pass bounds="),
        ({"y": Y[:-1]}, "y has 7 entries and f has 8"),
        ({"f": [[x] for x in F]}, "f must have one dimension"),
        ({"y": [*Y[:-1], None]}, "y must hold numbers"),
        ({"method": "magic"}, "method must be one of"),
        ({"bounds": (1, 1)}, "bounds must be"),
        ({"confidence": 1}, "confidence"),
        ({"side": "larger"}, "side must be"),
        ({"clusters": [0] * 8}, "clusters_unlabelled is missing"),
        ({"clusters_unlabelled": [0] * 9}, "clusters is missing"),
        ({"clusters": [0] * 7, "clusters_unlabelled": [1] * 9}, "clusters has 7 entries"),
        ({"clusters": list("abcdefgh"), "clusters_unlabelled": [1] * 9}, "one namespace"),
        ({"clusters": range(8), "clusters_unlabelled": range(9), "method": "ppi"}, "knows no clusters"),
    ],
)
def test_wrong_input(changes: dict[str, Any], message: str):
    """Wrong input is refused, and the message names the argument and the fix."""
    with pytest.raises(ValueError, match=message):
        ppi_mean(**({"y": Y, "f": F, "f_unlabelled": U} | changes))


def clustered(seed: int = 0, groups: int = 10, others: int = 30) -> dict[str, Any]:
    """Clusters of 5 whose labels have correlation .3, with a judge of accuracy .9."""
    rng = np.random.default_rng(seed)
    spread = 1 / 0.3 - 1
    rates = rng.beta(0.8 * spread, 0.2 * spread, groups + others)
    y = (rng.random((groups + others, 5)) < rates[:, None]).ravel().astype(float)
    judge, names, cut = binormal(rng, y, 0.9), np.repeat(np.arange(groups + others), 5), 5 * groups
    return {
        "y": y[:cut],
        "f": judge[:cut],
        "f_unlabelled": judge[cut:],
        "clusters": names[:cut],
        "clusters_unlabelled": names[cut:],
    }


def test_clusters_count_once():
    """Clusters with a label are what n counts, the method says so, and both ess methods agree."""
    data = clustered()
    wilson_form, beta_form = ppi_mean(**data, method="ess-wilson"), ppi_mean(**data, method="ess-beta")
    assert limits(wilson_form) == limits(beta_form)
    assert (wilson_form.n, wilson_form.method) == (10, "ess-wilson, clusters, t(9)")


def test_copied_clusters():
    """Copying every item inside its cluster, in both samples, changes no interval with more than rounding."""
    data = clustered(3)
    copied = {name: np.repeat(x, 3) for name, x in data.items()}
    assert limits(ppi_mean(**copied)) == pytest.approx(limits(ppi_mean(**data)), abs=0.003)


def test_names_of_clusters_do_not_matter():
    """Clusters may be called anything, and one may hold items of both samples."""
    data = clustered(4)
    data["clusters_unlabelled"][:10] = data["clusters"][:10]
    named = data | {name: [f"topic {x}" for x in data[name]] for name in ("clusters", "clusters_unlabelled")}
    assert limits(ppi_mean(**named)) == pytest.approx(limits(ppi_mean(**data)), abs=1e-12)


def test_lone_clusters_are_nearly_independent_items():
    """A cluster for each item gives the interval of independent items, but for t in place of normal quantiles."""
    rng = np.random.default_rng(5)
    y = (rng.random(1500) < 0.7).astype(float)
    judge = binormal(rng, y, 0.9)
    data = y[:300], judge[:300], judge[300:]
    plain = ppi_mean(*data, method="ess-wilson")
    lone = ppi_mean(*data, clusters=np.arange(300), clusters_unlabelled=np.arange(300, 1500))
    assert limits(lone) == pytest.approx(limits(plain), abs=0.002)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_perfect_clusters(value: float):
    """Clusters without a miss leave at least the room of as many labels as there are clusters."""
    data = clustered() | {"y": np.full(50, value)}
    estimate, alone = ppi_mean(**data), wilson(10 * value, 10)
    assert estimate.high - estimate.low >= alone.high - alone.low


def test_one_cluster():
    """One cluster with a label has no interval."""
    data = clustered() | {"clusters": np.zeros(50, dtype=int)}
    assert ppi_mean(**data).reason == "labels from one cluster have no interval"


def test_many_labels_keep_their_digits():
    """At a hundred thousand labels the jackknife agrees with the influence of each label, lambda's share included."""
    rng = np.random.default_rng(6)
    y = (rng.random(200_000) < 0.9).astype(float)
    judge, n = binormal(rng, y, 0.9), 100_000
    labels, f, u = y[:n], judge[:n], judge[n:]
    details = ppi_mean(labels, f, u, method="ess-wilson").details
    on_weight = (labels - labels.mean()) * (f - f.mean()) / (2 * judge.var())
    influence = labels - details["lambda"] * f + (u.mean() - f.mean()) * on_weight
    assert details["variance_labels"] == pytest.approx(influence.var() / n, rel=1e-4)


@pytest.mark.parametrize("verdicts", [False, True])
@pytest.mark.parametrize(
    ("n", "rates", "base"),
    [
        (20, (0.95, 0.95), 0.98),
        (20, (0.8, 0.8), 0.5),
        (20, (0.95, 0.95), 0.9),
        (50, (0.95, 0.6), 0.9),
        (50, (0.6, 0.95), 0.5),
        (100, (0.95, 0.95), 0.9),
        (100, (0.8, 0.8), 0.98),
    ],
)
def test_coverage(n: int, rates: tuple[float, float], base: float, *, verdicts: bool):
    """By default coverage is at least .93 where published intervals fall to .21, and both bounds are seldom wrong."""
    rng, repeats = np.random.default_rng([n, *(int(100 * x) for x in (*rates, base))]), 200
    covered = passes = failures = 0
    width = plain = 0.0
    for _ in range(repeats):
        y = (rng.random(n + 1000) < base).astype(float)
        judge = lopsided(rng, y, *rates)
        judge = (judge > 0.5).astype(float) if verdicts else judge
        data = y[:n], judge[:n], judge[n:]
        estimate = ppi_mean(*data)
        covered += estimate.low <= base <= estimate.high
        passes += ppi_mean(*data, side="lower").low > base
        failures += ppi_mean(*data, side="upper").high < base
        width += estimate.high - estimate.low
        plain += estimate.details["classical_high"] - estimate.details["classical_low"]
    assert covered >= scipy_stats.binom.ppf(0.001, repeats, 0.93)
    assert max(passes, failures) <= scipy_stats.binom.ppf(0.999, repeats, 0.05)
    assert width <= 1.03 * plain


def lopsided(rng: np.random.Generator, y: Any, sensitivity: float, specificity: float) -> Any:
    """The probability an over-confident judge gives who errs more on one side."""
    up, down = ndtri(sensitivity), ndtri(specificity)
    return expit(2 * (up + down) * (np.where(y > 0, up, -down) + rng.standard_normal(len(y))))


def test_recalibration_pays():
    """At n = 100, accuracy .95, rate .9 and 10,000 others the mean width is at most .065, where Wilson has .118."""
    rng, widths = np.random.default_rng(7), []
    for _ in range(60):
        y = (rng.random(10_100) < 0.9).astype(float)
        judge = binormal(rng, y, 0.95)
        estimate = ppi_mean(y[:100], judge[:100], judge[100:])
        widths.append(estimate.high - estimate.low)
    assert np.mean(widths) <= 0.065


def test_coverage_with_clusters():
    """With clusters of 5 and correlation .3, 50 labels cover at least .93, where independence falls short."""
    repeats, covered = 400, np.zeros(2)
    for seed in range(repeats):
        data = clustered(seed, groups=10, others=200)
        aware, naive = ppi_mean(**data), ppi_mean(data["y"], data["f"], data["f_unlabelled"])
        covered += [x.low <= 0.8 <= x.high for x in (aware, naive)]
    assert covered[0] >= scipy_stats.binom.ppf(0.001, repeats, 0.93)
    assert covered[1] <= scipy_stats.binom.ppf(0.001, repeats, 0.95)


def test_a_bound_without_width_has_no_ratio():
    """At 50 % a lower bound of labels that all pass is 1: the ratio of widths is left out."""
    found = ppi_mean([1, 1, 1], [1, 1, 1], [1, 1], side="lower", confidence=0.5, method="classical")
    assert (found.low, found.high) == (1.0, 1.0)
    assert "width_ratio" not in found.details


def test_one_weighted_label():
    """A lone label of a weighted draw has an interval as wide as nothing known, and no warning."""
    found = ppi_mean([1], [0.5], [0.3, 0.4], weights=[2.0])
    assert found.value == 1
    assert found.low is not None
    assert found.low < 0.1
