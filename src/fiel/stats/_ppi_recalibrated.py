"""A corrected mean from recalibrated beliefs. Knows samples from 0 to 1; knows no names of methods, no Estimate."""

from typing import NamedTuple

import numpy as np

from fiel.stats._checks import Floats
from fiel.stats._ess import Sample
from fiel.stats._logistic import fit_logistic

_CLIP = 1e-6
_UTMOST = 36.0  # a logit beyond which the probability is rounded to 1
_PSEUDO = 0.5  # the weight of each of four points: both outcomes, one standard deviation to either side
_SIDES, _OUTCOMES = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])


class Recalibrated(NamedTuple):
    """A corrected mean from 0 to 1, the parts of its variance, its effective size, and Platt's map on the logits."""

    value: float
    variance_labels: float
    variance_judge: float
    n_eff: float
    intercept: float
    slope: float


def recalibrate(sample: Sample) -> Recalibrated:
    """Theta = mean of g over all judged + mean(y - g), g being Platt's map of the judge, fitted on all labels.

    V = sum (e / (1 - h))^2 / n^2 + c / n^2 + var(g) / (n + N), with the residuals e of the labels and their leverages
    h, and c = 1/2 - 4 theta^2 (1 - theta)^2: 1/2 near the ends of the scale, where errors are skewed and may be
    unseen, 1/4 in its middle. n_eff = max(n, theta (1 - theta) / V). The map is fitted on standardised logits, so that
    neither an over-confident judge nor a timid one changes anything, with four pseudo-points of weight 1/2. Independent
    labels only, and enough of them: with few the residuals flatter the fit.
    """
    n, judged = len(sample.y), np.concatenate([sample.f, sample.u])
    np.clip(judged, _CLIP, 1 - _CLIP, out=judged)
    logits = np.log(judged / (1 - judged))
    centre, scale = float(logits.mean()), float(logits.std())
    x = (logits - centre) / (scale or 1.0)
    design = np.column_stack([np.ones(n + 4), np.append(x[:n], _SIDES)])
    weights = np.append(np.ones(n), np.full(4, _PSEUDO))
    (a, b), covariance = fit_logistic(design, np.append(sample.y, _OUTCOMES), weights)
    g = _expit(a + b * x)
    residuals = sample.y - g[:n]
    left = residuals / (1 - _leverages(design[:n], g[:n], covariance))
    value = min(max(float(g.mean() + residuals.mean()), 0.0), 1.0)
    spread = value * (1 - value)
    labels = (float(left @ left) + 0.5 - 4 * spread**2) / n**2
    judge = float(g.var()) / len(g)
    n_eff = max(spread / (labels + judge), float(n))
    slope = float(b) / (scale or 1.0)
    return Recalibrated(value, labels, judge, n_eff, float(a) - slope * centre, slope)


def _expit(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) in place: there may be millions."""
    np.clip(x, -_UTMOST, _UTMOST, out=x)
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1.0
    np.reciprocal(x, out=x)
    return x


def _leverages(design: Floats, g: Floats, covariance: Floats) -> Floats:
    """Pregibon (1981), equation 3."""
    found: Floats = g * (1 - g) * ((design @ covariance) * design).sum(axis=1)
    return found
