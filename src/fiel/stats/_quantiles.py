"""Quantiles of the normal, t and beta distributions. The only module that knows SciPy.

SciPy is imported at the first call, and only `scipy.special`: it takes longer to load than numpy itself, and whoever
imports `fiel.stats` for a kappa should not wait for it.
"""

from functools import cache
from typing import Any


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
