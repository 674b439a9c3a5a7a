"""Every case of the reference values of prediction-powered inference, each against the package that confirmed it."""

from typing import Any

import numpy as np
import pytest

from fiel.stats import (
    benjamini_hochberg,
    holm,
    mean_interval,
    ppi_difference,
    ppi_mean,
    rogan_gladen,
    rogan_gladen_allocation,
    wilson,
)
from fiel.stats._proportions import wilson_limits
from fiel.stats._quantiles import normal_quantile

WIDE = (-2.0, 3.0)  # the published formulas are clipped to the bounds; these leave them as they are


def arrays(inputs: Any, tail: str = "") -> tuple[Any, Any, Any]:
    """One of the two systems of the examples."""
    y, f, u = (np.array(inputs[name + tail], dtype=float) for name in "yfu")
    return y, f, u


def limits(estimate: Any) -> list[float]:
    """The value and its limits."""
    return [estimate.value, estimate.low, estimate.high]


def test_standard_error_with_ddof_1(ppi_reference: Any):
    """The standard error of PPI++ in truescore follows from our two variance terms."""
    y, f, u = arrays(ppi_reference["inputs"])
    found = ppi_mean(y, f, u, method="ppi++")
    details, n, rest = found.details, len(y), len(u)
    squared = details["variance_labels"] * n / (n - 1) + details["variance_judge"] * rest / (rest - 1)
    expected = ppi_reference["cases"]["ppipp_ddof1_standard_error"]["independent"]
    assert [details["lambda"], found.value, squared**0.5] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", ["aipw_pooled_point", "aipw_linear_calibrated_point"])
def test_aipw(ppi_reference: Any, case: str):
    """AIPW is the weighted form with one weight for all, on the judge as it is or on a calibrated one."""
    y, f, u = arrays(ppi_reference["inputs"])
    if "linear" in case:
        slope, start = np.polyfit(f, y, 1)
        f, u = (np.clip(start + slope * x, 0, 1) for x in (f, u))
    found = ppi_mean(y, f, u, method="ppi", weights=np.full(12, 32 / 12), bounds=WIDE)
    assert found.value == pytest.approx(ppi_reference["cases"][case]["independent"][0], abs=1e-12)


def test_cross_ppi(ppi_reference: Any):
    """Cross-PPI is PPI on cross-fitted values of the labelled items and mean values of the others."""
    y, f, u = arrays(ppi_reference["inputs"])
    fold, ours, others = np.arange(12) % 2, np.empty(12), np.zeros(20)
    for k in (0, 1):
        slope, start = np.polyfit(f[fold != k], y[fold != k], 1)
        ours[fold == k] = start + slope * f[fold == k]
        others += (start + slope * u) / 2
    found = ppi_mean(y, ours, others, method="ppi", bounds=WIDE)
    assert limits(found) == pytest.approx(ppi_reference["cases"]["crossppi_linear_K2"]["independent"], abs=1e-12)


def test_strat_ppi(ppi_reference: Any):
    """PPI++ with strata is the stratified form of another package."""
    y, f, u = arrays(ppi_reference["inputs"])
    drawn = {"strata": np.arange(12) % 2, "strata_unlabelled": np.arange(20) % 2, "shares": {0: 0.5, 1: 0.5}}
    found = ppi_mean(y, f, u, method="ppi++", bounds=WIDE, **drawn)
    assert limits(found) == pytest.approx(ppi_reference["cases"]["strat_ppipp_2strata"]["independent"], abs=1e-12)


def test_active(ppi_reference: Any):
    """PPI with weights is active inference with lambda 1, here with a chance of .3 for every label."""
    y, f, u = arrays(ppi_reference["inputs"])
    found = ppi_mean(y, f, u, method="ppi", weights=np.full(12, 1 / 0.3), bounds=WIDE)
    assert limits(found) == pytest.approx(ppi_reference["cases"]["active_ipw_lambda1"]["independent"], abs=1e-12)


def test_rogan_gladen(ppi_reference: Any):
    """The rate, its adjusted interval and the split of the labels are those of the paper's examples."""
    y, f = [1] * 200 + [0] * 200, [1] * 180 + [0] * 20 + [0] * 140 + [1] * 60
    found = rogan_gladen(y, f, [1] * 400 + [0] * 600)
    assert limits(found) == pytest.approx(ppi_reference["cases"]["rogan_gladen_lee"]["independent"], abs=1e-12)
    plan = ppi_reference["lee_allocation"]
    asked = {"share": plan["p"], "specificity": plan["q0_pilot"], "sensitivity": plan["q1_pilot"]}
    assert rogan_gladen_allocation(plan["m"], **asked, pilot=plan["m_pilot"]) == (plan["m1"], plan["m0"])


def test_clusters(ppi_reference: Any):
    """The cluster-robust standard error, without and with the small-sample factor, is that of two packages."""
    inputs, cases = ppi_reference["inputs"], ppi_reference["cases"]
    y, names = np.array(inputs["y"], dtype=float), inputs["clusters_labelled"]
    plain = mean_interval(y, clusters=names).details["standard_error"] * (4 / 5) ** 0.5
    assert plain == pytest.approx(cases["clustered_se_CR0"]["independent"][0], abs=1e-12)
    found = mean_interval(0.999 * y + 0.0005, clusters=names)
    assert found.high - found.value == pytest.approx(cases["clustered_se_CR1_t"]["independent"][0], abs=1e-12)


def test_paired_difference(ppi_reference: Any):
    """The published paired form and its p-value are those of another package."""
    (y_a, f_a, u_a), (y_b, f_b, u_b) = (arrays(ppi_reference["inputs"], tail) for tail in ("", "_b"))
    found = ppi_difference(y_a, y_b, f_a, f_b, u_a, u_b, method="ppi++")
    expected = ppi_reference["cases"]["paired_ppipp_difference"]["independent"]
    assert [*limits(found), found.details["p_value"]] == pytest.approx(expected, abs=1e-10)


def test_efficiency(ppi_reference: Any):
    """The asymptotic gain of tuning follows from the correlation."""
    y, f, u = arrays(ppi_reference["inputs"])
    rho = ppi_mean(y, f, u).details["rho"]
    expected = ppi_reference["efficiency"]["asymptotic_variance_ratio"]
    assert 1 - rho**2 * len(u) / (len(y) + len(u)) == pytest.approx(expected, abs=1e-12)


def test_ess_wilson_in_closed_form(ppi_reference: Any):
    """With the closed-form variance in the place of the jackknife's, Wilson at n_eff is that of the simulation."""
    y, f, u = arrays(ppi_reference["inputs"])
    value, size, low, high = ppi_reference["cases"]["esswilson_s_k0.5"]["independent"]
    details = ppi_mean(y, f, u, method="ppi++").details
    variance = max(details["variance_labels"] * 12 / 10, 0.5 / 144) + details["variance_judge"]
    assert value * (1 - value) / variance == pytest.approx(size, abs=1e-10)
    assert wilson_limits(value, size, normal_quantile(0.975), "both") == pytest.approx((low, high), abs=1e-12)


def test_multiplicity(ppi_reference: Any):
    """Adjusted p-values are those of statsmodels."""
    p = [0.001, 0.012, 0.03, 0.04, 0.2]
    cases = ppi_reference["cases"]
    assert holm(p).tolist() == pytest.approx(cases["holm"]["independent"], abs=1e-12)
    assert benjamini_hochberg(p).tolist() == pytest.approx(cases["benjamini_hochberg"]["independent"], abs=1e-12)


def test_wilson(ppi_reference: Any):
    """Wilson's interval is that of statsmodels."""
    found = wilson(9, 12)
    expected = ppi_reference["cases"]["wilson_9_of_12"]["independent"]
    assert [found.low, found.high] == pytest.approx(expected, abs=1e-12)
