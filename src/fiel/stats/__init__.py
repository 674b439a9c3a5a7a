"""Arrays in, numbers and Estimates out. Knows numpy, and SciPy when a quantile needs it; no other part of fiel.

Its names are loaded on first use: whoever wants a kappa does not wait for the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiel.stats._agreement import (
        bias_index,
        cohen_kappa,
        confusion_matrix,
        kappa_max,
        percent_agreement,
        prevalence_index,
        scott_pi,
    )
    from fiel.stats._agreement_intervals import agreement_interval
    from fiel.stats._agreement_many import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac
    from fiel.stats._alpha import krippendorff_alpha
    from fiel.stats._alt_test import AltTest, AltTestRater, alt_test
    from fiel.stats._bootstrap import bootstrap
    from fiel.stats._calibration_band import ece_null_band
    from fiel.stats._calibration_crossfit import CrossFit, crossfit
    from fiel.stats._calibration_error import ece, ece_debiased, max_calibration_error
    from fiel.stats._calibration_scores import (
        BrierDecomposition,
        CorpDecomposition,
        brier,
        brier_decomposition,
        corp_decomposition,
        log_loss,
    )
    from fiel.stats._clustered import cluster_standard_error
    from fiel.stats._correlation import kendall, lin_ccc, pearson, spearman
    from fiel.stats._differences import newcombe_difference, newcombe_paired_difference
    from fiel.stats._estimate import Estimate, Side
    from fiel.stats._icc import icc, icc_interval
    from fiel.stats._kappa_difference import kappa_difference
    from fiel.stats._means import mean_interval
    from fiel.stats._multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
    from fiel.stats._paired_tests import mcnemar
    from fiel.stats._planning_differences import minimum_detectable_difference
    from fiel.stats._planning_kappa import expected_kappa_interval, kappa_interval_sample_size, kappa_sample_size
    from fiel.stats._planning_ppi import ppi_sample_size
    from fiel.stats._planning_rates import minimum_detectable_rate, proportion_sample_size
    from fiel.stats._ppi import ppi_mean
    from fiel.stats._ppi_difference import ppi_difference
    from fiel.stats._ppi_quantile import ppi_quantile
    from fiel.stats._ppi_slices import Slice, ppi_strata
    from fiel.stats._proportions import clopper_pearson, rate_bound, rate_interval, rate_probability, wilson
    from fiel.stats._recalibration import (
        IsotonicMap,
        PlattMap,
        Recalibration,
        TemperatureMap,
        fit_isotonic,
        fit_platt,
        fit_temperature,
    )
    from fiel.stats._reliability import ReliabilityCurve, reliability_curve
    from fiel.stats._rogan_gladen import rogan_gladen, rogan_gladen_allocation
    from fiel.stats._sampling import Allocation, StratifiedSample, allocate, stratified_sample
    from fiel.stats._scores import ClassificationScores, bias, classification_scores, mcc, mean_absolute_error, rmse
    from fiel.stats._shift import ShiftCheck, shift_check
    from fiel.stats._smooth_ece import smooth_ece

_HOMES = {
    "_agreement": (
        "bias_index",
        "cohen_kappa",
        "confusion_matrix",
        "kappa_max",
        "percent_agreement",
        "prevalence_index",
        "scott_pi",
    ),
    "_agreement_intervals": ("agreement_interval",),
    "_agreement_many": ("brennan_prediger", "conger_kappa", "fleiss_kappa", "gwet_ac"),
    "_alpha": ("krippendorff_alpha",),
    "_alt_test": ("AltTest", "AltTestRater", "alt_test"),
    "_bootstrap": ("bootstrap",),
    "_calibration_band": ("ece_null_band",),
    "_calibration_crossfit": ("CrossFit", "crossfit"),
    "_calibration_error": ("ece", "ece_debiased", "max_calibration_error"),
    "_calibration_scores": (
        "BrierDecomposition",
        "CorpDecomposition",
        "brier",
        "brier_decomposition",
        "corp_decomposition",
        "log_loss",
    ),
    "_clustered": ("cluster_standard_error",),
    "_correlation": ("kendall", "lin_ccc", "pearson", "spearman"),
    "_differences": ("newcombe_difference", "newcombe_paired_difference"),
    "_estimate": ("Estimate", "Side"),
    "_icc": ("icc", "icc_interval"),
    "_kappa_difference": ("kappa_difference",),
    "_means": ("mean_interval",),
    "_multiplicity": ("benjamini_hochberg", "benjamini_yekutieli", "holm"),
    "_paired_tests": ("mcnemar",),
    "_planning_differences": ("minimum_detectable_difference",),
    "_planning_kappa": ("expected_kappa_interval", "kappa_interval_sample_size", "kappa_sample_size"),
    "_planning_ppi": ("ppi_sample_size",),
    "_planning_rates": ("minimum_detectable_rate", "proportion_sample_size"),
    "_ppi": ("ppi_mean",),
    "_ppi_difference": ("ppi_difference",),
    "_ppi_quantile": ("ppi_quantile",),
    "_ppi_slices": ("Slice", "ppi_strata"),
    "_proportions": ("clopper_pearson", "rate_bound", "rate_interval", "rate_probability", "wilson"),
    "_recalibration": (
        "IsotonicMap",
        "PlattMap",
        "Recalibration",
        "TemperatureMap",
        "fit_isotonic",
        "fit_platt",
        "fit_temperature",
    ),
    "_reliability": ("ReliabilityCurve", "reliability_curve"),
    "_rogan_gladen": ("rogan_gladen", "rogan_gladen_allocation"),
    "_sampling": ("Allocation", "StratifiedSample", "allocate", "stratified_sample"),
    "_scores": ("ClassificationScores", "bias", "classification_scores", "mcc", "mean_absolute_error", "rmse"),
    "_shift": ("ShiftCheck", "shift_check"),
    "_smooth_ece": ("smooth_ece",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Allocation",
    "AltTest",
    "AltTestRater",
    "BrierDecomposition",
    "ClassificationScores",
    "CorpDecomposition",
    "CrossFit",
    "Estimate",
    "IsotonicMap",
    "PlattMap",
    "Recalibration",
    "ReliabilityCurve",
    "ShiftCheck",
    "Side",
    "Slice",
    "StratifiedSample",
    "TemperatureMap",
    "agreement_interval",
    "allocate",
    "alt_test",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bias",
    "bias_index",
    "bootstrap",
    "brennan_prediger",
    "brier",
    "brier_decomposition",
    "classification_scores",
    "clopper_pearson",
    "cluster_standard_error",
    "cohen_kappa",
    "confusion_matrix",
    "conger_kappa",
    "corp_decomposition",
    "crossfit",
    "ece",
    "ece_debiased",
    "ece_null_band",
    "expected_kappa_interval",
    "fit_isotonic",
    "fit_platt",
    "fit_temperature",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "icc",
    "icc_interval",
    "kappa_difference",
    "kappa_interval_sample_size",
    "kappa_max",
    "kappa_sample_size",
    "kendall",
    "krippendorff_alpha",
    "lin_ccc",
    "log_loss",
    "max_calibration_error",
    "mcc",
    "mcnemar",
    "mean_absolute_error",
    "mean_interval",
    "minimum_detectable_difference",
    "minimum_detectable_rate",
    "newcombe_difference",
    "newcombe_paired_difference",
    "pearson",
    "percent_agreement",
    "ppi_difference",
    "ppi_mean",
    "ppi_quantile",
    "ppi_sample_size",
    "ppi_strata",
    "prevalence_index",
    "proportion_sample_size",
    "rate_bound",
    "rate_interval",
    "rate_probability",
    "reliability_curve",
    "rmse",
    "rogan_gladen",
    "rogan_gladen_allocation",
    "scott_pi",
    "shift_check",
    "smooth_ece",
    "spearman",
    "stratified_sample",
    "wilson",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'fiel.stats' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"fiel.stats.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
