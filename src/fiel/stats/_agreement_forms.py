"""Which coefficient a public function computes, and what its options mean. Knows no interval."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement import cohen_kappa, percent_agreement, scott_pi
from fiel.stats._agreement_codes import Codes, Matrix, Weights, agreement_weights, count_categories
from fiel.stats._agreement_many import (
    brennan_prediger,
    brennan_prediger_form,
    conger_kappa,
    fleiss_form,
    fleiss_kappa,
    gwet_ac,
    gwet_form,
    one_code,
)
from fiel.stats._agreement_sums import Coefficient, Conger, Kappa, Pi, Pooled, Rows
from fiel.stats._agreement_units import Form, Units
from fiel.stats._alpha import FEW, Scale, alpha_form, in_order, in_use, krippendorff_alpha, scale_of

Statistic = Callable[..., float]

_POOLED: dict[Statistic, Callable[[Matrix], Pooled]] = {
    percent_agreement: Pooled,
    fleiss_kappa: fleiss_form,
    gwet_ac: gwet_form,
    brennan_prediger: brennan_prediger_form,
}
_OF_TWO = (cohen_kappa, scott_pi)
_CHANCE_BY_VOTES = (cohen_kappa, scott_pi, fleiss_kappa, conger_kappa, krippendorff_alpha)


def has_form(statistic: Any) -> bool:
    """Whether a function is one of the coefficients of this room."""
    return any(statistic is one for one in (*_POOLED, *_OF_TWO, conger_kappa, krippendorff_alpha))


def form_of(
    statistic: Statistic,
    codes: Codes,
    *,
    weights: Weights = None,
    categories: int | None = None,
    scale: Scale | ArrayLike = "nominal",
    values: ArrayLike | None = None,
) -> tuple[Form, Codes]:
    """The form of a coefficient, and the codes that it counts: on an ordinal scale ranks, else those that came."""
    if statistic is krippendorff_alpha:
        if weights is not None:
            raise ValueError("weights belong to the other coefficients; krippendorff_alpha has scale=")
        count, numbers = scale_of(codes, scale, values, categories)
        codes, numbers = in_order(codes, scale, numbers)
        if isinstance(scale, str) and scale == "interval" and count > FEW:  # more numbers than a scale has: those given
            codes, numbers = in_use(codes, numbers)
        return Form(alpha_form(scale, numbers), len(numbers), ordered=False), codes
    if values is not None or not (isinstance(scale, str) and scale == "nominal"):
        raise ValueError("scale and values belong to krippendorff_alpha; the other coefficients have weights=")
    count = count_categories(categories, table=codes)
    agreement = agreement_weights(weights, count)
    if statistic in _OF_TWO:
        if codes.shape[1] != 2:
            raise ValueError(f"table has {codes.shape[1]} columns; {statistic.__name__} is of exactly two raters")
        pair: Coefficient = Kappa(1 - agreement) if statistic is cohen_kappa else Pi(1 - agreement)
        return Form(pair, count, ordered=True, counted=_whole), codes
    if statistic is conger_kappa:
        return Form(Conger(agreement, codes.shape[1]), count, ordered=True), codes
    return Form(_POOLED[statistic](agreement), count, ordered=False), codes


def _whole(rows: Rows) -> NDArray[np.bool_]:
    return np.asarray((rows >= 0).all(axis=1))


def why_undefined(statistic: Statistic, units: Units, value: float) -> str | None:
    """Why a coefficient has no value, or None where it has one."""
    paired = (units.rows >= 0).sum(axis=1) > 1
    if not paired.any():
        return "no item has both ratings" if statistic in _OF_TWO else "no item has two ratings"
    if statistic in _CHANCE_BY_VOTES:
        if one_code(units.rows):
            return "all ratings are the same code, so chance agrees always and the coefficient is 0/0"
    elif units.form.categories < 2 and statistic is not percent_agreement:
        return "a scale of one category leaves no room for chance; declare categories="
    return None if math.isfinite(value) else "chance agrees always, and the coefficient is 0/0"
