"""Scores, tests and plans against published values and values confirmed by independent programs."""

import json
import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from fiel.stats import (
    AltTest,
    alt_test,
    benjamini_hochberg,
    cluster_standard_error,
    expected_kappa_interval,
    holm,
    icc,
    icc_interval,
    kappa_interval_sample_size,
    kappa_sample_size,
    kendall,
    lin_ccc,
    mcc,
    mean_absolute_error,
    mean_interval,
    pearson,
    rmse,
    spearman,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MODELS = {"1": "oneway", "2": "random", "3": "fixed"}
ALTTEST_SETS = ("wax", "mtbench", "framing", "summeval", "10k_prompts")


def load(name: str) -> Any:
    """The content of one file of reference values."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the reference values {name} are not kept here")
    return json.loads(path.read_text(encoding="utf-8"))


def values_of(core: Any, dataset: str) -> dict[str, Any]:
    """The reference values of one data set, by the name of the statistic."""
    return {value["statistic"]: value["value"] for value in core["values"] if value["dataset"] == dataset}


@pytest.fixture(scope="module")
def core():
    """The table of core values."""
    return load("agreement/reference_core.json")


def test_scores_of_two_vectors(core):
    """Errors, correlations and concordance of twenty scores are those of numpy, scipy and epiR."""
    data, values = core["datasets"]["scores20"], values_of(core, "scores20")
    named = {
        "mae": mean_absolute_error,
        "rmse": rmse,
        "pearson": pearson,
        "spearman": spearman,
        "kendall_b": kendall,
        "ccc": lin_ccc,
    }
    for name, function in named.items():
        assert function(data["a"], data["b"]) == pytest.approx(values[name], abs=1e-12), name
    pairs = list(zip(data["a"], data["b"], strict=True))
    for name in ("ICC2", "ICC3"):
        assert icc(pairs, model=MODELS[name[3]]) == pytest.approx(values[name], abs=1e-12), name


def test_mcc(core):
    """Matthews' correlation of a 2x2 table is that of scikit-learn; 0/0 is NaN where scikit-learn says 0."""

    def raters(name: str) -> tuple[list[int], list[int]]:
        table = np.array(core["datasets"][name]["table"])
        cells = [cell for cell, count in np.ndenumerate(table) for _ in range(count)]
        return [a for a, _ in cells], [b for _, b in cells]

    assert mcc(*raters("wiki2x2")) == pytest.approx(values_of(core, "wiki2x2")["mcc"], abs=1e-12)
    assert math.isnan(mcc(*raters("one_const"), categories=2))


@pytest.mark.parametrize("name", ["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"])
def test_intraclass_correlation(core, name: str):
    """The six forms of Shrout and Fleiss, and the intervals of the single ratings, are the published ones."""
    ratings, values = core["datasets"]["shrout_fleiss"]["ratings"], values_of(core, "shrout_fleiss")
    form = {"model": MODELS[name[3]], "unit": "average" if name.endswith("k") else "single"}
    estimate = icc_interval(ratings, **form)
    assert estimate.value == icc(ratings, **form) == pytest.approx(values[name], abs=1e-12)
    assert round(estimate.value, 2) == core["datasets"]["shrout_fleiss"]["paper"][name]
    if name + "_ci" in values:
        assert (estimate.low, estimate.high) == pytest.approx(values[name + "_ci"], abs=1e-9)


def test_interval_of_the_mean_of_random_raters(core):
    """The interval of ICC(2,k) is that of McGraw and Wong, where R's irr mixes in the constants of single ratings."""
    known = {entry["id"]: entry for entry in _disagreements()}["irr-icc-ak-ci"]
    estimate = icc_interval(core["datasets"]["shrout_fleiss"]["ratings"], model="random", unit="average")
    assert (estimate.low, estimate.high) == pytest.approx(known["right"], abs=1e-6)
    assert (estimate.low, estimate.high) != pytest.approx(known["wrong"], abs=1e-3)


def _disagreements() -> list[Any]:
    found = load("agreement/disagreements.json")
    return found if isinstance(found, list) else next(iter(found.values()))


@pytest.mark.parametrize("case", ["synthetic_nominal", "synthetic_nominal_eps.1", "synthetic_ordinal"])
def test_alt_test_worked(case: str):
    """Omega, rho and every rater's figures are those of the authors' code."""
    given = load("agreement/alt_test.json")[case]
    codes = {name: [-1 if x == "." else int(x) for x in text] for name, text in given["humans"].items()}
    scale = "nominal" if given["score"] == "accuracy" else "interval"
    found = alt_test(
        [int(x) for x in given["llm"]],
        np.array(list(codes.values())).T,
        scale=scale,
        epsilon=given["eps"],
        q=given["q"],
    )
    assert (found.omega, found.rho) == pytest.approx((given["authors_code"]["omega"], given["authors_code"]["rho"]))
    for rater, known in zip(found.raters, given["detail"]["per_human"], strict=True):
        assert (rater.n, rater.rejected, rater.reason) == (known["n"], known["win"], None)
        figures = (rater.rho_f, rater.rho_h, rater.p, rater.p_adjusted)
        assert figures == pytest.approx([known[x] for x in ("rho_f", "rho_h", "p", "p_BY")], rel=1e-9)


def test_alt_test_degenerate():
    """Identical raters give what the authors' code gives; too few items give a reason where that divides by zero."""
    identical, grant, nothing = (case.get("authors") for case in load("agreement/alt_test.json")["degenerate"])
    codes = [0, 1] * 20
    people = np.array([codes] * 3).T
    assert (identical, grant, nothing) == ([1.0, 1.0], [0.0, 1.0], None)
    assert _headline(alt_test(codes, people, epsilon=0.2)) == tuple(identical)
    assert _headline(alt_test(codes, people, epsilon=0.0)) == tuple(grant)
    few = alt_test(codes[:20], people[:20])
    assert _headline(few) == (None, None)
    assert few.reason == "no rater shares 30 items with the judge and another rater"


def _headline(found: AltTest) -> tuple[float | None, float | None]:
    return found.omega, found.rho


@pytest.mark.parametrize("name", ALTTEST_SETS)
def test_alt_test_on_the_authors_data(name: str):
    """On five of the authors' data sets, six judges each, omega and rho are the published ones to the last digit."""
    published = [x for x in load("agreement/alt_test.json")["repo_values"] if x["dataset"] == name]
    judges, people, numbers = _annotations(name)
    assert len(published) == 6
    for known in published:
        nominal = known["score"] == "accuracy"
        found = alt_test(
            judges[known["llm"]],
            people,
            scale="nominal" if nominal else "interval",
            values=None if nominal else numbers,
            epsilon=known["eps"],
        )
        assert _headline(found) == pytest.approx((known["omega"], known["rho"]), abs=1e-12)
        assert sum(rater.reason is None for rater in found.raters) == known["n_humans_tested"]


def _annotations(name: str) -> tuple[dict[str, Any], Any, list[Any]]:
    """Codes of each judge, the table of people, and what each code stands for."""
    folder = DATA / "real" / f"alttest_{name}"
    if not (folder / "human.parquet").is_file():
        pytest.skip(f"the annotations of {name} are not kept here")
    connection = duckdb.connect()
    people, judges = (
        connection.execute(
            f"SELECT (item_id, criterion)::VARCHAR, {who}, value FROM read_parquet(?)",  # noqa: S608  (who is ours)
            [str(folder / file)],
        ).fetchall()
        for who, file in (("annotator_id", "human.parquet"), ("judge", "judge.parquet"))
    )
    items = {item: row for row, item in enumerate(sorted({item for item, _, _ in people}))}
    columns = {rater: column for column, rater in enumerate(sorted({rater for _, rater, _ in people}))}
    numbers = sorted({value for _, _, value in people + judges if value is not None})
    table = np.full((len(items), len(columns)), -1)
    for item, rater, value in people:
        table[items[item], columns[rater]] = numbers.index(value)
    codes = {judge: np.full(len(items), -1) for _, judge, _ in judges}
    for item, judge, value in judges:
        if item in items and value is not None:
            codes[judge][items[item]] = numbers.index(value)
    return codes, table, numbers


def _planned(known: Any) -> float:
    """What we plan for a question that R's kappaSize or irr answered."""
    name, confidence = known["fn"], 1 - known["alpha"]
    if name.startswith("kappaSize::"):
        raters = {"shares": known["props"], "raters": known["raters"], "confidence": confidence}
        if name == "kappaSize::FixedNBinary":
            return expected_kappa_interval(known["kappa0"], known["n"], side="lower", **raters).low
        if name.startswith("kappaSize::CIBinary"):
            return kappa_interval_sample_size(known["kappa0"], low=known["kappaL"], high=known.get("kappaU"), **raters)
        return kappa_sample_size(known["kappa0"], known["kappa1"], power=known["power"], **raters)
    shares = known.get("mrg") or [[known[rate], 1 - known[rate]] for rate in ("rate1", "rate2")]
    side = "both" if "two" in name else "lower" if known["k1"] > known["k0"] else "upper"
    test = {"method": "wald", "side": side, "confidence": confidence, "power": known["power"]}
    return kappa_sample_size(known["k0"], known["k1"], shares=shares, **test)


def test_sample_sizes_of_kappa():
    """All 183 sizes and limits are those of kappaSize and irr, rounded up to whole items."""
    known = load("agreement/power.json")["values"]
    assert len(known) == 183
    for one in known:
        if one["fn"] == "kappaSize::FixedNBinary":
            assert _planned(one) == pytest.approx(one["independent"], abs=1e-9), one
        else:
            assert _planned(one) == math.ceil(one["N"]), one


def test_power_of_the_planned_sizes():
    """Donner and Eliasziw's test keeps its level and reaches the promised power at the planned sizes, by simulation."""
    rng, draws = np.random.default_rng(20251130), 20_000
    for known in load("agreement/power.json")["monte_carlo_gof_test"]:
        kappa0, kappa1, p, raters = (known[x] for x in ("kappa0", "kappa1", "p", "raters"))
        assert kappa_sample_size(kappa0, kappa1, shares=p, raters=raters) == known["N"]
        if raters == 2:  # the test with one degree of freedom; with more it has less power, as the docstring says
            margin = 4 * math.sqrt(0.25 / draws)
            rejected = {kappa: _rejected(rng, known["N"], kappa, kappa0, p, draws) for kappa in (kappa0, kappa1)}
            assert rejected[kappa0] == pytest.approx(known["size_at_k0"], abs=margin)
            assert rejected[kappa1] == pytest.approx(known["power_at_k1"], abs=margin)
            assert rejected[kappa1] > 0.8 - margin


def _rejected(rng: Any, n: int, kappa: float, kappa0: float, p: float, draws: int) -> float:
    """How often the goodness-of-fit test of kappa0 rejects, the rate estimated from the sample."""

    def cells(k: Any, rate: Any) -> Any:
        apart = 2 * rate * (1 - rate) * (1 - k)
        return np.stack([rate - apart / 2, apart, 1 - rate - apart / 2], axis=-1)

    counts = rng.multinomial(n, cells(kappa, p), size=draws)
    rate = (2 * counts[:, 0] + counts[:, 1]) / (2 * n)
    expected = n * cells(kappa0, rate)
    return float(((((counts - expected) ** 2) / expected).sum(axis=1) > 3.841459).mean())


def test_adjusted_p_values(ppi_reference: Any):
    """Holm's and Benjamini and Hochberg's adjusted p-values are those of statsmodels."""
    p = (0.001, 0.012, 0.03, 0.04, 0.2)
    for name, function in (("holm", holm), ("benjamini_hochberg", benjamini_hochberg)):
        assert function(p) == pytest.approx(ppi_reference["cases"][name]["independent"], abs=1e-15)


def test_clustered_standard_errors(ppi_reference: Any):
    """CR0 is that of statsmodels, and CR1 with t of G - 1 that of truescore."""
    cases, inputs = ppi_reference["cases"], ppi_reference["inputs"]
    y, clusters = np.array(inputs["y"]), inputs["clusters_labelled"]
    known = cases["clustered_se_CR0"]["independent"][0]
    assert cluster_standard_error(y, clusters, correction="CR0") == pytest.approx(known, abs=1e-12)
    shrunk = mean_interval(0.999 * y + 0.0005, clusters=clusters)
    assert (shrunk.high - shrunk.low) / 2 == pytest.approx(cases["clustered_se_CR1_t"]["independent"][0], abs=1e-12)
    assert cluster_standard_error(0.999 * y + 0.0005, clusters) == pytest.approx(shrunk.details["standard_error"])
