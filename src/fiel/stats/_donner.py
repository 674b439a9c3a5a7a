"""Donner and Eliasziw's interval for the kappa of two raters and two categories. Knows counts alone."""

from collections.abc import Callable

_STEPS = 200


def donner_eliasziw_limits(both_zero: int, apart: int, both_one: int, criterion: float) -> tuple[float, float]:
    """The kappas at which the three counts still fit, by a chi-square of at most `criterion`.

    Under the common-correlation model with the share p of ones as observed, the cells are (1-p)^2 + k p (1-p),
    2 (1-k) p (1-p) and p^2 + k p (1-p). The chi-square is convex in k, so halving finds where it crosses.
    Donner and Eliasziw (1992), equation 3.
    """
    n = both_zero + apart + both_one
    p = (2 * both_one + apart) / (2 * n)
    variance = p * (1 - p)
    observed = (both_zero, apart, both_one)
    point = 1 - 2 * n * apart / ((2 * both_one + apart) * (2 * both_zero + apart))

    def misfit(kappa: float) -> float:
        expected = ((1 - p) ** 2 + kappa * variance, 2 * (1 - kappa) * variance, p**2 + kappa * variance)
        total = 0.0
        for seen, share in zip(observed, expected, strict=True):
            if share > 0:
                total += (seen - n * share) ** 2 / (n * share)
            elif seen:
                return float("inf")
        return total

    lowest = max(-p / (1 - p), -(1 - p) / p)
    return _crossing(misfit, point, lowest, criterion), _crossing(misfit, point, 1.0, criterion)


def _crossing(misfit: Callable[[float], float], inside: float, outside: float, criterion: float) -> float:
    if misfit(outside) <= criterion:
        return outside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if misfit(middle) <= criterion:
            inside = middle
        else:
            outside = middle
    return inside
