"""Quantiles and probabilities of the usual distributions. The only module that knows SciPy.

SciPy is imported at the first call, and only `scipy.special`: it takes longer to load than numpy itself, and whoever
imports `fiel.stats` for a kappa should not wait for it.
"""

from functools import cache
from typing import Any

import numpy as np


@cache
def _special() -> Any:
    from scipy import special  # noqa: PLC0415  (loaded at the first quantile: see the module's docstring)

    return special


def normal_quantile(p: float) -> float:
    """The standard normal value with probability `p` below it.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    return float(_special().ndtri(p))


def t_quantile(p: float, df: float) -> float:
    """The value of Student's t with `df` degrees of freedom that has probability `p` below it.

    >>> round(t_quantile(0.975, 1), 4)
    12.7062
    """
    return float(_special().stdtrit(df, p))


def beta_quantile(p: float, a: float, b: float) -> float:
    """The value of a Beta(a, b) variable that has probability `p` below it; `a` and `b` are above 0.

    >>> round(beta_quantile(0.3, 1, 1), 6)
    0.3
    """
    return float(_special().betaincinv(a, b, p))


def beta_cdf(x: float, a: float, b: float) -> float:
    """The probability that a Beta(a, b) variable falls below `x`; `a` and `b` are above 0.

    >>> round(beta_cdf(0.3, 1, 1), 6)
    0.3
    """
    return float(_special().betainc(a, b, x))


def normal_cdf(x: float) -> float:
    """The probability that a standard normal value falls below `x`.

    >>> round(normal_cdf(1.959964), 6)
    0.975
    """
    return float(_special().ndtr(x))


def t_cdf(x: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom falls below `x`.

    >>> round(t_cdf(1.0, 1), 6)
    0.75
    """
    return float(_special().stdtr(df, x))


def f_quantile(p: float, above: float, below: float) -> float:
    """The value of F with `above` and `below` degrees of freedom that has probability `p` below it.

    >>> round(f_quantile(0.95, 1, 10), 4)
    4.9646
    """
    return float(_special().fdtri(above, below, p))


def binomial_tail(k: Any, n: Any, p: Any) -> Any:
    """P(X >= k) for X of Binomial(n, p), item by item; `k` may lie between whole numbers, and beyond 0 and n.

    >>> float(binomial_tail(1, 2, 0.5))
    0.75
    """
    k, n, p = np.broadcast_arrays(np.asarray(k, dtype=np.float64), n, p)
    inside = (k > 0) & (k <= n)
    tails = _special().betainc(np.where(inside, k, 1.0), np.where(inside, n - k, 0.0) + 1, p)
    return np.where(inside, tails, np.where(k <= 0, 1.0, 0.0))


def binomial_pmf(k: Any, n: Any, p: float) -> Any:
    """P(X = k) for X of Binomial(n, p), item by item; `k` from 0 to n.

    >>> float(binomial_pmf(1, 2, 0.5))
    0.5
    """
    special = _special()
    ways = special.gammaln(np.add(n, 1)) - special.gammaln(np.add(k, 1)) - special.gammaln(np.subtract(n, k) + 1)
    return np.exp(ways + special.xlogy(k, p) + special.xlog1py(np.subtract(n, k), -p))
