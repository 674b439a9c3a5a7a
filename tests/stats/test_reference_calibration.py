"""The calibration part of the reference values, to the precision that they are given with."""

import json
from pathlib import Path
from typing import Any

import pytest

from fiel.stats import (
    brier,
    brier_decomposition,
    corp_decomposition,
    ece,
    ece_debiased,
    log_loss,
    max_calibration_error,
    reliability_curve,
    smooth_ece,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "agreement"

STATISTICS: dict[str, Any] = {
    "brier": brier,
    "logloss_unclipped": log_loss,
    "mce_rc10": lambda y, p: max_calibration_error(y, p, bins=10),
    "ce2_debiased_rc10": lambda y, p: ece_debiased(y, p, bins=10),
    "ce2_debiased_m10": lambda y, p: ece_debiased(y, p, bins=10, strategy="mass"),
    "corp_MCB": lambda y, p: corp_decomposition(y, p).miscalibration,
    "corp_DSC": lambda y, p: corp_decomposition(y, p).discrimination,
    "corp_UNC": lambda y, p: corp_decomposition(y, p).uncertainty,
    "bin0of5_wilson95": lambda y, p: limits(y, p, 0, "low", "high"),
    "bin4of5_wilson95": lambda y, p: limits(y, p, 4, "low", "high"),
    "bin0of5_consistency95": lambda y, p: limits(y, p, 0, "expected_low", "expected_high"),
    "bin4of5_consistency95": lambda y, p: limits(y, p, 4, "expected_low", "expected_high"),
}
# Bins [lo, hi), the other convention, are bins (lo, hi] seen from the other end.
STATISTICS["ece_lc10"] = lambda y, p: ece([1 - x for x in y], [round(1 - x, 12) for x in p], bins=10)
for _bins in (5, 10, 15):
    STATISTICS[f"ece_rc{_bins}"] = lambda y, p, bins=_bins: ece(y, p, bins=bins)
    STATISTICS[f"ece_m{_bins}"] = lambda y, p, bins=_bins: ece(y, p, bins=bins, strategy="mass")
for _term in ("reliability", "resolution", "uncertainty", "within_bin_variance", "within_bin_covariance"):
    STATISTICS[f"murphy_rc10_{_term}"] = lambda y, p, term=_term: getattr(brier_decomposition(y, p, bins=10), term)


def load(name: str) -> Any:
    """One file of reference values; none where they are not kept."""
    path = DATA / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def cases() -> list[Any]:
    """The values for data of probabilities, or one skip."""
    core = load("reference_core.json")
    if core is None:
        return [pytest.param({}, marks=pytest.mark.skip(reason="the reference values are not kept here"))]
    return [
        pytest.param({**core["datasets"][value["dataset"]], **value}, id=f"{value['dataset']}-{value['statistic']}")
        for value in core["values"]
        if value["dataset"].startswith("cal")
    ]


def limits(y: list[int], p: list[float], number: int, low: str, high: str) -> list[float]:
    """The limits of one of five bins of equal width."""
    curve = reliability_curve(y, p, bins=5)
    place = curve.end.index((number + 1) / 5)
    return [getattr(curve, low)[place], getattr(curve, high)[place]]


@pytest.mark.parametrize("case", cases())
def test_core(case: dict[str, Any]):
    """The statistic of a data set is the one that two programs or a paper give."""
    expected = float("inf") if case["value"] == "Inf" else case["value"]
    assert STATISTICS[case["statistic"]](case["y"], case["p"]) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", ["cal30", "cal_edge1", "cal_same", "cal_pm", "cal60"])
def test_smooth_ece(name: str):
    """The smooth error is the fixed point of the brute-force kernel, and the brute-force error at a bandwidth."""
    core, values = load("reference_core.json"), load("smece.json")
    if core is None or values is None:
        pytest.skip("the reference values are not kept here")
    y, p = (core["datasets"][name][key] for key in ("y", "p"))
    (expected,) = [value for value in values if value["dataset"] == name]
    assert smooth_ece(y, p) == pytest.approx(expected["smece_fixed_point"], abs=1e-9)
    assert smooth_ece(y, p, bandwidth=0.05) == pytest.approx(expected["smece_sigma05_bruteforce"], abs=3e-9)


@pytest.fixture(scope="module")
def datasets() -> Any:
    """The data of the disagreements."""
    core = load("reference_core.json")
    if core is None:
        pytest.skip("the reference values are not kept here")
    return {name: (data["y"], data["p"]) for name, data in core["datasets"].items() if name.startswith("cal")}


def test_a_probability_of_one_is_in_the_last_bin(datasets: Any):
    """No hidden bin for p = 1 (torchmetrics-phantom, relplot-phantom), and its smoothed mass is whole."""
    y, p = datasets["cal_edge1"]
    assert ece(y, p, bins=10) == pytest.approx(0.475)
    assert max_calibration_error(y, p, bins=10) == pytest.approx(0.475)
    assert smooth_ece(y, p) == pytest.approx(0.475)
    assert ece([0, 0, 1, 1, 1], [1, 1, 1, 1, 0], bins=2) == pytest.approx(0.6)


def test_edges_are_exact(datasets: Any):
    """Edges are i/n: 0.6 of five bins falls into the third (linspace-edges), bins are (lo, hi] (open-side)."""
    assert ece(*datasets["cal_pm"], bins=5) == pytest.approx(0.05)
    assert ece(*datasets["cal30"], bins=10) == pytest.approx(0.169667, abs=5e-7)


def test_ties_stay_together(datasets: Any):
    """Bins of equal mass of five equal probabilities are one bin (netcal-ties)."""
    assert ece(*datasets["cal_same"], bins=10, strategy="mass") == pytest.approx(0.2)


def test_smooth_error_is_the_published_one(datasets: Any):
    """It is no kernel regression at a fixed bandwidth (pydantic-cal-smece)."""
    assert smooth_ece(*datasets["cal_pm"]) == pytest.approx(0.048116, abs=5e-7)


def test_five_terms_are_the_score(datasets: Any):
    """The terms add up to the Brier score (pydantic-cal-murphy)."""
    parts = brier_decomposition(*datasets["cal_edge1"], bins=10)
    murphy = parts.reliability - parts.resolution + parts.uncertainty
    total = murphy + parts.within_bin_variance - parts.within_bin_covariance
    assert (murphy, total, parts.brier) == pytest.approx((0.475625, 0.50125, 0.50125))


def test_log_loss_is_not_clipped(datasets: Any):
    """What was called impossible and happened costs infinitely much (sklearn-logloss-clip)."""
    assert log_loss(*datasets["cal30"]) == float("inf")
