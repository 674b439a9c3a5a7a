"""Which coefficient fits a scale, and under which name. Knows no item and no rater."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fiel.measures._results_figures import Figure
from fiel.measures._weighing import Codes, Floats, Part, coefficient
from fiel.records import Criterion
from fiel.stats import (
    Estimate,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    scott_pi,
)

EXTREME = 0.9  # the share of one option from which kappa is fragile


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A coefficient of one scale: its name in words, the statistic, and the options that it needs."""

    name: str
    statistic: Callable[..., float]
    options: dict[str, Any] = field(default_factory=dict)


def cohen(criterion: Criterion) -> Form:
    """Kappa of two: quadratic weights on ordered scales, by the numbers of an interval scale."""
    return _kappa("Cohen's kappa", cohen_kappa, criterion)


def conger(criterion: Criterion) -> Form:
    """Kappa of several, each with shares of the own: Cohen's where there are two."""
    return _kappa("Conger's kappa", conger_kappa, criterion)


def fleiss(criterion: Criterion) -> Form:
    """Kappa of several with pooled shares."""
    return _kappa("Fleiss' kappa", fleiss_kappa, criterion)


def scott(criterion: Criterion) -> Form:
    """Pi: chance is two votes from both together, so that a judge who says one thing only has a value."""
    return _kappa("Scott's pi", scott_pi, criterion)


def alpha(criterion: Criterion) -> Form:
    """Krippendorff's, on the scale."""
    options: dict[str, Any] = {"categories": len(criterion.options), "scale": criterion.scale}
    if criterion.scale == "interval":
        options["values"] = criterion.values
    return Form(name=f"Krippendorff's alpha ({criterion.scale})", statistic=krippendorff_alpha, options=options)


def ac(criterion: Criterion) -> Form:
    """Gwet's AC1, or AC2 with the scale's weights."""
    weights = weights_of(criterion)
    name = "Gwet's AC1" if weights is None else "Gwet's AC2, quadratic weights"
    return Form(name=name, statistic=gwet_ac, options={"categories": len(criterion.options), "weights": weights})


def plain_kappa(criterion: Criterion) -> Form:
    """Cohen's kappa of equal answers, whatever the scale."""
    return Form(name="Cohen's kappa", statistic=cohen_kappa, options={"categories": len(criterion.options)})


def weights_of(criterion: Criterion) -> Any:
    """What a near miss is worth: nothing on a nominal scale, else 1 - (distance / longest distance) squared."""
    if criterion.scale == "nominal" or len(criterion.options) == 2:
        return None
    if criterion.scale == "ordinal" or criterion.values is None:
        return "quadratic"
    values = np.array(criterion.values)
    return 1 - (np.subtract.outer(values, values) / np.ptp(values)) ** 2


def figure(form: Form, table: Codes, part: Part, *, confidence: float) -> Figure:
    """The coefficient of a table, shape (n, raters), with its interval."""
    found = coefficient(form.statistic, table, part, confidence=confidence, **form.options)
    return of_estimate(form.name, found, n=int((np.sum(table >= 0, axis=1) > 1).sum()))


def of_estimate(name: str, found: Estimate, *, n: int) -> Figure:
    """An estimate under its name."""
    return Figure(name=name, value=found.value, n=n, estimate=found, reason=found.reason)


def of_number(name: str, value: float, *, n: int, reason: str) -> Figure:
    """A number without an interval under its name; `reason` says why, where it is NaN."""
    if math.isnan(value):
        return Figure(name=name, value=None, n=n, reason=reason)
    return Figure(name=name, value=value, n=n)


def shares_of(codes: Codes, weights: Floats | None, options: int) -> tuple[float, ...]:
    """Of each option its share among answers, shape (n, raters) with -1 missing, each item counting once."""
    answers = codes if codes.ndim == 2 else codes[:, None]
    counts = np.stack([(answers == code).sum(axis=1) for code in range(options)], axis=1)
    given = counts.sum(axis=1)
    used = given > 0
    if not used.any():
        return ()
    each = counts[used] / given[used, None]
    mean = np.average(each, axis=0, weights=None if weights is None else weights[used])
    return tuple(float(x) for x in mean)


def _kappa(name: str, statistic: Callable[..., float], criterion: Criterion) -> Form:
    weights = weights_of(criterion)
    options: dict[str, Any] = {"categories": len(criterion.options), "weights": weights}
    return Form(name=name if weights is None else f"{name}, quadratic weights", statistic=statistic, options=options)
