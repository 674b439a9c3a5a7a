"""How far any number of raters agree, ratings missing or not. Knows no interval."""

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._agreement import total_of
from fiel.stats._agreement_codes import Matrix, Weights, agreement_weights, as_small_table, count_categories
from fiel.stats._agreement_sums import Conger, Pooled
from fiel.stats._patterns import tally


def fleiss_kappa(table: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Fleiss' kappa: chance is two votes drawn from all raters together.

    With missing ratings it is Gwet's form: agreement is averaged over items with two ratings or more, and the share of
    each category over all items with a rating, each item counting once.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale; declare it for weights.

    Returns:
        From below 0 to 1; NaN when no item has two ratings, or all of those have the same code (0/0).

    Raises:
        ValueError: when `table` does not hold two dimensions of integer codes from -1 to categories - 1, or on weights
            of another shape.

    Fleiss (1971); Gwet (2014), section 3.2, for missing ratings.

    >>> round(fleiss_kappa([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]]), 6)
    0.333333
    """
    codes = as_small_table(table)
    count = count_categories(categories, table=codes)
    form = fleiss_form(agreement_weights(weights, count))
    patterns = tally(codes, count, order="any")
    if one_code(patterns.codes):
        return float("nan")
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def gwet_ac(table: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Gwet's AC1, and AC2 with weights: chance is a vote at random where a vote is hard.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale, used or not: chance depends on it. Declare it.

    Returns:
        Up to 1; NaN when no item has two ratings, or the scale has one category.

    Raises:
        ValueError: as in `fleiss_kappa`.

    Gwet (2008), equation 6; Gwet (2014), section 4.4, with weights and missing ratings.

    >>> round(gwet_ac([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]], categories=2), 6)
    0.333333
    """
    codes = as_small_table(table)
    count = count_categories(categories, table=codes)
    form = gwet_form(agreement_weights(weights, count))
    patterns = tally(codes, count, order="any")
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def brennan_prediger(table: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Brennan and Prediger's coefficient: chance takes each category alike. With two it is PABAK.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale, used or not: chance depends on it. Declare it.

    Returns:
        Up to 1; NaN when no item has two ratings, or the scale has one category.

    Raises:
        ValueError: as in `fleiss_kappa`.

    Brennan and Prediger (1981); Gwet (2014), section 4.4, with weights and missing ratings.

    >>> round(brennan_prediger([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]], categories=2), 6)
    0.333333
    """
    codes = as_small_table(table)
    count = count_categories(categories, table=codes)
    form = brennan_prediger_form(agreement_weights(weights, count))
    patterns = tally(codes, count, order="any")
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def conger_kappa(table: ArrayLike, *, weights: Weights = None, categories: int | None = None) -> float:
    """Conger's kappa: chance is averaged over the pairs of raters, each with shares of his own.

    For two raters without missing ratings it is Cohen's kappa. Raters without any rating do not count.

    Args:
        table: shape (items, raters), integer codes from 0, -1 where a rater gave none.
        weights: as in `cohen_kappa`.
        categories: the number of categories of the scale; declare it for weights.

    Returns:
        From below 0 to 1; NaN when no item has two ratings, or all of those have the same code (0/0).

    Raises:
        ValueError: as in `fleiss_kappa`.

    Conger (1980); Gwet (2014), section 3.2, for missing ratings.

    >>> round(conger_kappa([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]]), 6)
    0.384615
    """
    codes = as_small_table(table)
    count = count_categories(categories, table=codes)
    form = Conger(agreement_weights(weights, count), codes.shape[1])
    patterns = tally(codes, count)
    if one_code(patterns.codes):
        return float("nan")
    return float(form.value(total_of(form, patterns.codes, patterns.counts)))


def fleiss_form(weights: Matrix) -> Pooled:
    """The form of `fleiss_kappa`."""
    return Pooled(weights, square=weights)


def gwet_form(weights: Matrix) -> Pooled:
    """The form of `gwet_ac`."""
    count = len(weights)
    scale = float(weights.sum()) / (count * (count - 1)) if count > 1 else float("nan")
    return Pooled(weights, square=-scale * np.eye(count), line=scale)


def brennan_prediger_form(weights: Matrix) -> Pooled:
    """The form of `brennan_prediger`."""
    return Pooled(weights, constant=float(weights.mean()) if len(weights) > 1 else float("nan"))


def one_code(codes: np.ndarray) -> bool:
    """Whether the items with two ratings or more hold one code alone, so that chance agrees always."""
    paired = codes[(codes >= 0).sum(axis=1) > 1]
    return not paired.size or bool(paired.max() == paired[paired >= 0].min())
