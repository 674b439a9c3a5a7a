"""P-values adjusted for how many there are. Knows no test that made them."""

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._checks import Codes, Floats, as_vector


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p-values: those up to q are significant with a chance of any false one of at most q.

    The p-values may depend on each other in any way.

    Args:
        p: shape (m,), p-values.

    Returns:
        Shape (m,), in the order of `p`, each at least its own p-value and at most 1.

    Raises:
        ValueError: on p-values that are not from 0 to 1; leave out tests without one.

    Holm (1979).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = _p_values(p)
    order, m = np.argsort(values, kind="stable"), len(values)
    return _placed(np.maximum.accumulate(values[order] * np.arange(m, 0, -1)), order)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's adjusted p-values: of those up to q, a share of at most q is false on the average.

    The p-values are independent of each other, or depend positively.

    Args:
        p: shape (m,), p-values.

    Returns:
        Shape (m,), in the order of `p`, each at least its own p-value and at most 1.

    Raises:
        ValueError: on p-values that are not from 0 to 1; leave out tests without one.

    Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    return _step_up(_p_values(p), 1.0)


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's promise for p-values that depend on each other in any way.

    Their adjusted p-values, times 1 + 1/2 + ... + 1/m.

    Args:
        p: shape (m,), p-values.

    Returns:
        Shape (m,), in the order of `p`, each at least its own p-value and at most 1.

    Raises:
        ValueError: on p-values that are not from 0 to 1; leave out tests without one.

    Benjamini and Yekutieli (2001), theorem 1.3.

    >>> benjamini_yekutieli([0.01, 0.04]).round(6).tolist()
    [0.03, 0.06]
    """
    values = _p_values(p)
    return _step_up(values, float((1 / np.arange(1, len(values) + 1)).sum()))


def _p_values(p: ArrayLike) -> Floats:
    values = as_vector("p", p) if np.size(p) else np.empty(0)
    wrong = np.flatnonzero((values < 0) | (values > 1))
    if wrong.size:
        raise ValueError(f"p holds {float(values[wrong[0]])!r} at position {wrong[0]}; a p-value lies from 0 to 1")
    return values


def _step_up(values: Floats, factor: float) -> Floats:
    order, m = np.argsort(values, kind="stable"), len(values)
    grown = values[order] * (factor * m / np.arange(1, m + 1))
    return _placed(np.minimum.accumulate(grown[::-1])[::-1], order)


def _placed(ordered: Floats, order: Codes) -> Floats:
    adjusted = np.empty(len(ordered))
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted
