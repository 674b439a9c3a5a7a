"""The published and cross-checked values of agreement, reproduced."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiel.stats import (
    agreement_interval,
    bias_index,
    bootstrap,
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    kappa_difference,
    kappa_max,
    krippendorff_alpha,
    prevalence_index,
    scott_pi,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
OF_TWO = {"kappa": cohen_kappa, "scott_pi": scott_pi}
OF_MANY = {
    "ac": gwet_ac,
    "acG": gwet_ac,
    "bp": brennan_prediger,
    "bpG": brennan_prediger,
    "pabak": brennan_prediger,
    "fleiss": fleiss_kappa,
    "fleissG": fleiss_kappa,
    "congerG": conger_kappa,
}
OTHER_PAIRS = {"kappa_max": kappa_max, "pindex": prevalence_index, "bindex": bias_index}
OTHERS = {"mcc", "mae", "rmse", "pearson", "spearman", "kendall_b", "ccc"}  # tested with the scores


def load(name: str) -> Any:
    """One file of reference values."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the reference values {name} are not kept here")
    return json.loads(path.read_text(encoding="utf-8"))


def unfold(counts: Any) -> np.ndarray:
    """The items x raters table behind a table of counts."""
    return np.repeat(np.argwhere(np.ones_like(counts)), np.ravel(counts), axis=0)


def table_of(data: dict[str, Any]) -> tuple[np.ndarray, int, np.ndarray]:
    """Codes, the number of categories, and the numbers that the codes stand for."""
    if data["kind"] == "table":
        counts = np.array(data["table"])
        return unfold(counts), len(counts), np.arange(len(counts))
    if data["kind"] == "counts_items_by_categories":
        counts = np.array(data["counts"])
        rows = [np.repeat(np.arange(counts.shape[1]), row) for row in counts]
        return np.array(rows), counts.shape[1], np.arange(counts.shape[1])
    if data["kind"] == "paired_scores":
        return np.column_stack([data["a"], data["b"]]) - 1, 5, np.arange(1, 6)
    rows = np.array([[math.nan if x is None else x for x in row] for row in data["ratings"]])
    lowest = min(int(np.nanmin(rows)), 1)
    count = int(np.nanmax(rows)) - lowest + 1
    codes = np.where(np.isnan(rows), -1, rows - lowest).astype(int)
    return codes, count, np.arange(count) + lowest


def coefficient(entry: dict[str, Any], data: dict[str, Any]) -> float | None:
    """Our value of one entry of the reference, None for what is no plain coefficient of agreement."""
    statistic = entry["statistic"]
    if data["kind"] == "prob" or statistic in OTHERS or statistic.startswith("ICC"):
        return None
    if statistic.endswith(("_se", "_se0", "_ci")):
        return None
    table, count, values = table_of(data)
    if statistic in OTHER_PAIRS:
        return OTHER_PAIRS[statistic](table[:, 0], table[:, 1])
    name, _, weights = (statistic, "", "") if statistic == "scott_pi" else statistic.partition("_")
    if name == "alpha":
        return krippendorff_alpha(table, scale=weights or "nominal", values=values)
    used = data["weights"] if weights == "custom" else weights or None
    if name in OF_TWO:
        return OF_TWO[name](table[:, 0], table[:, 1], weights=used, categories=count)
    return OF_MANY[name](table, weights=used, categories=count)


def test_core_coefficients():
    """All 94 coefficients of agreement in the core reference come out, to the precision that they are given with."""
    core, checked = load("agreement/reference_core.json"), 0
    for entry in core["values"]:
        ours = coefficient(entry, core["datasets"][entry["dataset"]])
        if ours is None:
            continue
        tolerance = 5e-6 if entry["statistic"] == "congerG" else 1e-12
        assert ours == pytest.approx(float(entry["value"]), abs=tolerance, nan_ok=True), entry
        checked += 1
    assert checked == 94


def test_core_standard_errors():
    """All standard errors of the core reference come out: delta, jackknife, and those under the null."""
    core, checked = load("agreement/reference_core.json"), 0
    for entry in core["values"]:
        statistic = entry["statistic"]
        if not statistic.endswith(("_se", "_se0", "kappa_ci")) or statistic.startswith("ICC"):
            continue
        data = core["datasets"][entry["dataset"]]
        table, count, _ = table_of(data)
        name, _, rest = statistic.partition("_")
        used = {"linear": "linear", "quadratic": "quadratic", "custom": data.get("weights")}.get(rest.split("_")[0])
        chosen = {"kappa": cohen_kappa, "fleiss": fleiss_kappa, "alpha": krippendorff_alpha}[name]
        method = "jackknife" if "jackknife" in statistic else "delta"
        ours = agreement_interval(chosen, table, method=method, categories=count, weights=used)
        checked += 1
        if entry["dataset"] == "perfect":  # given as 2e-11
            assert "standard error is 0" in str(ours)
        elif statistic == "kappa_ci":
            assert (ours.low, ours.high) == pytest.approx(entry["value"], abs=1e-9)
        else:
            key = "standard_error_null" if statistic.endswith("se0") else "standard_error"
            assert ours.details[key] == pytest.approx(entry["value"], abs=1e-9), entry
    assert checked == 16


def test_intervals():
    """All 25 intervals come out: smoothed, delta, jackknife, Donner and Eliasziw; of degenerate ones the smoothed."""
    core, checked = load("agreement/reference_core.json"), 0
    for key, expected in load("agreement/ci_reference.json")["values"].items():
        name, statistic = key.split(":")
        table, count, _ = table_of(core["datasets"][name])
        chosen: Any = krippendorff_alpha if statistic.startswith("alpha") else cohen_kappa
        given = {"categories": count, "weights": "quadratic" if statistic.endswith("quadratic") else None}
        ours = agreement_interval(chosen, table, **given)
        low, high = expected["fisher_t_add1 (recommended)"]
        assert ours.n == expected["n"]
        assert (ours.low, ours.high) == pytest.approx((min(low, ours.value), max(high, ours.value)), abs=1e-9), key
        assert ours.details["se_smoothed"] == pytest.approx(expected["smoothed_se"], abs=1e-9), key
        assert ours.details["value_smoothed"] == pytest.approx(expected["smoothed_estimate"], abs=1e-9), key
        if expected["se_delta"] > 1e-8:
            delta = agreement_interval(chosen, table, method="delta", **given)
            assert delta.details["standard_error"] == pytest.approx(expected["se_delta"], abs=1e-8), key
            assert (delta.low, delta.high) == pytest.approx(np.clip(expected["wald"], -1, 1), abs=1e-8), key
            jackknife = agreement_interval(chosen, table, method="jackknife", **given)
            assert jackknife.details["standard_error"] == pytest.approx(expected["se_jackknife"], abs=1e-9), key
        if "donner_eliasziw" in expected:
            ours = agreement_interval(chosen, table, method="donner-eliasziw", **given)
            low, high = expected["donner_eliasziw"]
            assert (ours.low, ours.high) == pytest.approx((min(low, ours.value), max(high, ours.value)), abs=1e-9), key
        checked += 1
    assert checked == 25


def test_bootstrap_intervals():
    """Percentile and BCa limits of the reference come out to the noise of resampling discrete values."""
    core, rng, checked = load("agreement/reference_core.json"), np.random.default_rng(11), 0
    for key, expected in load("agreement/ci_reference.json")["values"].items():
        if "boot_percentile" not in expected or expected["se_delta"] < 1e-8:
            continue
        name, statistic = key.split(":")
        table, count, _ = table_of(core["datasets"][name])
        chosen: Any = krippendorff_alpha if statistic.startswith("alpha") else cohen_kappa
        given = {"categories": count, "replicates": 20_000, "rng": rng}
        if statistic.endswith("quadratic"):
            given["weights"] = "quadratic"
        percentile = bootstrap(chosen, table, **given)
        assert (percentile.low, percentile.high) == pytest.approx(expected["boot_percentile"], abs=0.012), key
        bca = bootstrap(chosen, table, method="bca", **given)
        assert (bca.low, bca.high) == pytest.approx(expected["boot_bca"], abs=0.02), key
        assert bca.details["z0"] == pytest.approx(expected["bca_z0"], abs=0.03), key
        assert bca.details["acceleration"] == pytest.approx(expected["bca_accel"], abs=1e-9), key
        checked += 1
    assert checked == 22


def test_donner_eliasziw():
    """The eight closed forms of Donner and Eliasziw come out to 13 digits."""
    cases = load("agreement/donner_eliasziw_ci.json")
    for case in cases:
        table = unfold([[case["n00"], case["n01"]], [case["n10"], case["n11"]]])
        ours = agreement_interval(scott_pi, table, method="donner-eliasziw")
        assert ours.value == pytest.approx(case["kappa_intraclass"], abs=1e-13)
        assert (ours.low, ours.high) == pytest.approx(case["ci_numeric"], abs=1e-13)
    assert len(cases) == 8


def test_irrcac():
    """All 75 coefficients that the package of Gwet's book computes for its data sets come out to its five digits."""
    functions = {"fleiss": fleiss_kappa, "conger": conger_kappa, "gwet": gwet_ac, "bp": brennan_prediger}
    checked = 0
    for data in load("irrcac_reference.json")["sets"].values():
        names = sorted({x for row in data["data"] for x in row if x is not None})
        table = np.array([[-1 if x is None else names.index(x) for x in row] for row in data["data"]])
        steps = np.abs(np.subtract.outer(np.arange(len(names)), np.arange(len(names)))) + 0.0
        squares = {"identity": steps > 0, "ordinal": steps * (steps + 1), "quadratic": steps**2}
        for weights, values in data["coefficients"].items():
            used = None if weights == "identity" else weights
            for name, expected in values.items():
                if name == "krippendorff":
                    ours = krippendorff_alpha(table, scale=squares[weights].astype(float), categories=len(names))
                else:
                    ours = functions[name](table, weights=used, categories=len(names))
                assert ours == pytest.approx(expected["value"], abs=6e-6), (weights, name)
                checked += 1
    assert checked == 75


def dependent_cases() -> list[tuple[str, Any, Any, Any, str | None, dict[str, Any]]]:
    """Tables, pairs, weights and values of the dependent kappas."""
    data = load("agreement/dependent_kappas.json")
    cells = re.findall(r"\((\d),(\d),(\d)\):(\d+)", data["depression"]["cells_diag_BDI_GHQ"])
    depression = [[int(x) for x in row] for *row, times in cells for _ in range(int(times))]
    judge = [[int(x) for x in row] for row in data["judge3"]["ratings_judge_h1_h2"]]
    three = data["judge3"]
    return [
        ("depression", depression, [(0, 1)], [(0, 2)], None, data["depression"]["ours"]),
        ("quadratic", judge, [(0, 1)], [(1, 2)], "quadratic", three["quad_J_H1_minus_H1_H2"]),
        ("mean", judge, [(0, 1), (0, 2)], [(1, 2)], "quadratic", three["quad_meanJH_minus_HH"]),
        ("nominal", judge, [(0, 1)], [(1, 2)], None, three["nominal_J_H1_minus_H1_H2"]),
    ]


@pytest.mark.parametrize("case", range(4))
def test_dependent_kappas(case: int):
    """Differences of kappas on the same items come out, with their standard errors, correlation, T2 and intervals."""
    _, table, first, second, weights, expected = dependent_cases()[case]
    given = {"first": first, "second": second, "weights": weights, "categories": int(np.max(table)) + 1}
    delta = kappa_difference(table, method="delta", **given)
    found = delta.details
    ours = [found[x] for x in ("value_first", "value_second", "se_first", "se_second", "correlation")]
    assert ours == pytest.approx([expected[x] for x in ("kA", "kB", "se_A", "se_B", "corr")], abs=1e-9)
    assert delta.value == pytest.approx(expected["diff"], abs=1e-12)
    assert found["standard_error"] == pytest.approx(expected["se_diff_delta"], abs=1e-9)
    assert found["standard_error_unpaired"] == pytest.approx(expected["se_diff_if_independent"], abs=1e-9)
    assert (delta.value / found["standard_error"]) ** 2 == pytest.approx(expected["hotelling_T2"], abs=1e-8)
    assert found["p_value"] == pytest.approx(expected["hotelling_p"], abs=1e-9)
    reach = 1.959963984540054 * found["standard_error"]
    assert (delta.value - reach, delta.value + reach) == pytest.approx(expected["wald_ci"], abs=1e-9)
    jackknife = kappa_difference(table, method="jackknife", **given)
    assert jackknife.details["standard_error"] == pytest.approx(expected["jack_se"], abs=1e-9)
    rng = np.random.default_rng(5)
    percentile = kappa_difference(table, method="bootstrap", rng=rng, **given)
    assert (percentile.low, percentile.high) == pytest.approx(expected["boot_pct"], abs=0.012)
    assert percentile.details["standard_error"] == pytest.approx(expected["boot_se"], rel=0.03)
    assert percentile.details["p_value"] == pytest.approx(expected["boot_p_two_sided"], abs=0.025)
    bca = kappa_difference(table, method="bootstrap-bca", rng=rng, **given)
    assert (bca.low, bca.high) == pytest.approx(expected["bca"], abs=0.016)


def test_multiagree():
    """On the depression data the interval and test are those of the R package multiagree."""
    expected = load("agreement/dependent_kappas.json")["depression"]["multiagree_delta_pair"]
    _, table, first, second, _, _ = dependent_cases()[0]
    ours = kappa_difference(table, first=first, second=second, method="delta")
    assert (ours.low, ours.high) == pytest.approx(expected["ci"], abs=1e-7)
    assert ours.details["p_value"] == pytest.approx(expected["p"], abs=1e-7)


def test_right_side_of_disagreements():
    """Where packages disagree on agreement, we stand on the right side."""
    core = load("agreement/reference_core.json")["datasets"]
    right = {entry["id"]: entry.get("right") for entry in load("agreement/disagreements.json")}
    fce, _, _ = table_of(core["fce1969"])
    shrout, _, numbers = table_of(core["shrout_fleiss"])
    missing, five, _ = table_of(core["kripp2011_C"])
    empty, four, _ = table_of(core["fastk15"])
    wiki, _, _ = table_of(core["wiki2x2"])
    diagnoses, _, _ = table_of(core["fleiss1971"])

    def error(statistic: Any, table: Any, method: Any = "delta", **options: Any) -> float:
        return agreement_interval(statistic, table, method=method, **options).details["standard_error"]

    assert error(cohen_kappa, fce, weights="quadratic") == pytest.approx(right["psych-weighted-se"], abs=1e-8)
    alpha = krippendorff_alpha(shrout, scale="interval", values=numbers)
    assert alpha == pytest.approx(right["irr-kripp-complete"], abs=1e-6)
    assert error(gwet_ac, missing, categories=five) == pytest.approx(0.124737, abs=1e-6)
    assert error(gwet_ac, missing, "jackknife", categories=five) == pytest.approx(0.125224, abs=1e-6)
    assert gwet_ac(empty, categories=four) == pytest.approx(0.709164, abs=1e-6)
    assert fleiss_kappa(empty, categories=four) == pytest.approx(0.68602, abs=1e-5)
    assert krippendorff_alpha(missing) == pytest.approx(right["iaa-kit-alpha-missing"], abs=1e-6)
    paradox, _, _ = table_of(core["gwet_paradox"])
    assert gwet_ac(paradox, weights="linear") == pytest.approx(right["iaa-kit-ac2"], abs=1e-6)
    a, b = np.array([1, 2, 10, 10, 2, 1]) - 1, np.array([1, 10, 10, 2, 2, 1]) - 1
    assert cohen_kappa(a, b, weights="quadratic", categories=10) == pytest.approx(right["label-order"], abs=1e-8)
    units = np.array([[0, 1, 2, 2, 1], [0, 2, 2, 1, 1], [1, 1, 2, 2, 0]]).T
    alpha = krippendorff_alpha(units, scale="interval", values=[1, 2, 10])
    assert alpha == pytest.approx(right["rater-agreement-interval"], abs=1e-9)
    assert cohen_kappa([0, 0, 1, -1, 1], [0, 1, 1, 0, -1]) == pytest.approx(0.4)
    assert error(fleiss_kappa, diagnoses) == pytest.approx(0.054199, abs=1e-6)
    assert error(cohen_kappa, wiki) == pytest.approx(right["epir-watson"], abs=1e-6)
    three = (fleiss_kappa(missing), krippendorff_alpha(missing), gwet_ac(missing, categories=five))
    assert three == pytest.approx((0.761169, 0.743421, 0.775444), abs=1e-6)
    low, _, _ = table_of(core["fc_p1_lo"])
    assert prevalence_index(low[:, 0], low[:, 1]) == pytest.approx(right["iaa-kit-pindex"])
    assert all(math.isnan(f([[1, 1]] * 9, categories=2)) for f in (fleiss_kappa, krippendorff_alpha, conger_kappa))
    assert (gwet_ac([[1, 1]] * 9, categories=2), brennan_prediger([[1, 1]] * 9, categories=2)) == (1, 1)
