"""Logits, and logistic regression of a few coefficients by Newton's method. Knows no calibration."""

import numpy as np

from fiel.stats._checks import Floats

_MOST_STEPS = 200


def logit(p: Floats, clip: float) -> Floats:
    """log(p / (1 - p)), of `p` moved into [clip, 1 - clip].

    >>> logit(np.array([0.5, 1.0]), 0.25).round(6).tolist()
    [0.0, 1.098612]
    """
    inside = np.clip(p, clip, 1 - clip)
    logits: Floats = np.log(inside) - np.log1p(-inside)
    return logits


def expit(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow.

    >>> expit(np.array([-1e6, 0.0, 1e6])).tolist()
    [0.0, 0.5, 1.0]
    """
    small = np.exp(-np.abs(x))
    probabilities: Floats = np.where(x < 0, small, 1.0) / (1 + small)
    return probabilities


def has_finite_fit(x: Floats, y: Floats) -> bool:
    """Whether the likelihood of `y` has one finite maximum in intercept and slope.

    It has none where a threshold on `x` has every outcome above 0 on its one side and every outcome below 1 on the
    other, the threshold itself belonging to both (Albert and Anderson 1984).
    """
    some, short = x[y > 0], x[y < 1]
    if not (len(some) and len(short)):
        return False
    return bool(some.min() < short.max() and short.min() < some.max())


def fit_logistic(design: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The coefficients of greatest likelihood, shape (k,), and the inverse of their information, shape (k, k).

    Args:
        design: shape (n, k).
        y: shape (n,), from 0 to 1.
        weights: shape (n,), above 0.

    Raises:
        ValueError: when the maximum cannot be found; the caller sees to it that a finite one exists.

    Newton's method, a step halved until the likelihood does not fall: from 0 it cannot miss a concave maximum.
    """
    beta = np.zeros(design.shape[1])
    reached = _likelihood(design @ beta, y, weights)
    for _ in range(_MOST_STEPS):
        q = expit(design @ beta)
        gradient = design.T @ (weights * (y - q))
        information = design.T @ ((weights * q * (1 - q))[:, None] * design)
        step = _solve(information, gradient)
        if np.abs(step).max() <= 1e-10 * (1 + np.abs(beta).max()):
            return beta + step, _solve(information, np.eye(len(beta)))
        size = 1.0
        while size > 1e-12:
            found = _likelihood(design @ (beta + size * step), y, weights)
            if found >= reached - 1e-14 * abs(reached):
                break
            size /= 2
        beta, reached = beta + size * step, found
    raise ValueError("the logistic fit did not settle: the outcomes are all but separated; use a larger pseudo")


def _likelihood(eta: Floats, y: Floats, weights: Floats) -> float:
    return float(weights @ (y * eta - np.logaddexp(0.0, eta)))


def _solve(information: Floats, right: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(information, right), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ValueError("the logistic fit is singular: outcomes all but separated; use a larger pseudo") from error
