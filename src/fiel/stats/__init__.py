"""Arrays in, numbers and Estimates out. Knows numpy, and SciPy when a quantile needs it; no other part of fiel."""

from fiel.stats._agreement import cohen_kappa, confusion_matrix, percent_agreement
from fiel.stats._agreement_intervals import agreement_interval
from fiel.stats._estimate import Estimate, Side
from fiel.stats._means import mean_interval
from fiel.stats._ppi import ppi_mean
from fiel.stats._proportions import clopper_pearson, rate_bound, rate_interval, rate_probability, wilson

__all__ = [
    "Estimate",
    "Side",
    "agreement_interval",
    "clopper_pearson",
    "cohen_kappa",
    "confusion_matrix",
    "mean_interval",
    "percent_agreement",
    "ppi_mean",
    "rate_bound",
    "rate_interval",
    "rate_probability",
    "wilson",
]
