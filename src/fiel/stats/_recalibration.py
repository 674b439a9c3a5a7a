"""Maps from what a judge says to what happens: fitted on labels, plain values afterwards. Knows no judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_inputs import Forecasts, as_forecasts, as_shares, as_weights, check_clip
from fiel.stats._checks import Floats
from fiel.stats._isotonic import isotonic_steps
from fiel.stats._logistic import expit, fit_logistic, has_finite_fit, logit

_HOTTEST = 100.0
_UTMOST = 36.0  # the greatest whole logit whose probability is not rounded to 1
_PSEUDO_LOGITS = np.array([-1.0, -1.0, 1.0, 1.0])
_PSEUDO_OUTCOMES = np.array([0.0, 1.0, 0.0, 1.0])


class Recalibration(Protocol):
    """What takes probabilities of shape (n,) to recalibrated ones."""

    def __call__(self, probability: ArrayLike, /) -> Floats:
        """The recalibrated probabilities, of shape (n,)."""
        ...


@dataclass(frozen=True, slots=True)
class PlattMap:
    """p -> sigmoid(intercept + slope logit(p)), with p moved into [clip, 1 - clip] first.

    Args:
        intercept: in logits.
        slope: 1 leaves the judge's confidence, below 1 tames it, below 0 turns a judge round who is worse than chance.
        clip: how near to 0 and 1 a probability may come.
        covariance: of the fitted coefficients: of the intercept, of both, of the slope. Zeros where it is not known.

    >>> PlattMap(intercept=0.0, slope=1.0)([0.25, 0.5]).tolist()
    [0.25, 0.5]
    """

    intercept: float
    slope: float
    clip: float = 1e-6
    covariance: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _plain(self, "intercept", "slope")
        object.__setattr__(self, "clip", check_clip(self.clip))
        object.__setattr__(self, "covariance", _finite("covariance", self.covariance, 3))

    def __call__(self, probability: ArrayLike) -> Floats:
        """The recalibrated probabilities, of shape (n,); never quite 0 or 1."""
        return _inside(self.intercept + self.slope * logit(as_shares("probability", probability), self.clip))

    def leverage(self, probability: ArrayLike, *, weights: ArrayLike | None = None) -> Floats:
        """How far each of the items that the map was fitted on drew it to itself: h, of shape (n,).

        To first order, leaving item i out turns its residual e into e / (1 - h). Give the same probabilities and
        weights as to the fit; h lies in [0, 1), and is 0 where the covariance is not known.

        Pregibon (1981), equation 3: h = w v z' C z with z = (1, logit p), v = q (1 - q), q the recalibrated value.
        """
        p = as_shares("probability", probability)
        w = np.ones(len(p)) if weights is None else as_weights(weights, len(p))
        x, q = logit(p, self.clip), self(p)
        first, both, last = self.covariance
        return w * q * (1 - q) * (first + x * (2 * both + x * last))


@dataclass(frozen=True, slots=True)
class TemperatureMap:
    """p -> sigmoid(logit(p) / temperature), with p moved into [clip, 1 - clip] first.

    Args:
        temperature: above 0; 1 leaves p as it is, above 1 moves it towards one half.
        clip: how near to 0 and 1 a probability may come.

    >>> TemperatureMap(temperature=2.0)([0.1, 0.5, 0.9]).round(6).tolist()
    [0.25, 0.5, 0.75]
    """

    temperature: float
    clip: float = 1e-6

    def __post_init__(self) -> None:
        _plain(self, "temperature")
        if self.temperature <= 0:
            raise ValueError(f"temperature must lie above 0, got {self.temperature!r}")
        object.__setattr__(self, "clip", check_clip(self.clip))

    def __call__(self, probability: ArrayLike) -> Floats:
        """The recalibrated probabilities, of shape (n,); never quite 0 or 1."""
        return _inside(logit(as_shares("probability", probability), self.clip) / self.temperature)


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """A rising function through (knots, values), straight between them and level beyond them.

    Args:
        knots: rising probabilities, at least one.
        values: what each becomes, never falling; as many as there are knots.

    >>> IsotonicMap(knots=(0.2, 0.6), values=(0.1, 0.9))([0.0, 0.4, 1.0]).round(6).tolist()
    [0.1, 0.5, 0.9]
    """

    knots: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("knots", "values"):
            object.__setattr__(self, name, _finite(name, getattr(self, name), len(self.knots)))
        if not self.knots or (np.diff(self.knots) <= 0).any() or (np.diff(self.values) < 0).any():
            raise ValueError("knots must rise and values must not fall, with one value for each of at least one knot")

    def __call__(self, probability: ArrayLike) -> Floats:
        """The recalibrated probabilities, of shape (n,)."""
        return np.interp(as_shares("probability", probability), self.knots, self.values)


def fit_platt(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    pseudo: float = 0.5,
    clip: float = 1e-6,
) -> PlattMap:
    """Platt's map on the logits: intercept and slope of greatest likelihood.

    Four pseudo-points of weight `pseudo`, both outcomes at logit -1 and at logit 1, keep the fit finite where the
    judge separates the outcomes, where there is one outcome only, or one probability only. They weigh as much as two
    labels in all and pull towards one half; with `pseudo=0` the fit is that of plain logistic regression.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1; 0 and 1 count as `clip` and 1 - `clip`.
        weights: shape (n,), what each item counts; 1 by default.
        pseudo: the weight of each of the four pseudo-points, from 0.
        clip: how near to 0 and 1 a probability may come, from 1e-15 to below 0.5.

    Returns:
        The map; `leverage` of the map gives the leverages of the items that it was fitted on.

    Raises:
        ValueError: on no items, on `pseudo=0` where no finite fit exists, or on input out of range.

    Platt (1999), on logits as in Kull, Silva Filho and Flach (2017), section 2; the pseudo-points take the place of
    Platt's smoothed targets.

    >>> fit = fit_platt([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    >>> round(fit.slope, 3), fit([0.9]).round(3).tolist()
    (0.738, [0.835])
    """
    data = _some(outcome, probability, weights)
    x, y, w = _with_pseudo_points(data, pseudo, check_clip(clip))
    if not has_finite_fit(x, y):
        raise ValueError("pseudo=0 has no finite fit here: the probabilities separate the outcomes; use pseudo=0.5")
    (intercept, slope), covariance = fit_logistic(np.column_stack([np.ones(len(x)), x]), y, w)
    spread = (covariance[0, 0], covariance[0, 1], covariance[1, 1])
    return PlattMap(intercept=intercept, slope=slope, clip=clip, covariance=spread)


def fit_temperature(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    pseudo: float = 0.5,
    clip: float = 1e-6,
) -> TemperatureMap:
    """The temperature of greatest likelihood: one number that tames (or sharpens) a judge's confidence.

    It cannot move a judge's idea of how often something happens; `fit_platt` can. The temperature lies between 0 and
    100: a judge who is no better than chance gets 100, where all is close to one half.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1; 0 and 1 count as `clip` and 1 - `clip`.
        weights: shape (n,), what each item counts; 1 by default.
        pseudo: the weight of each of the four pseudo-points of `fit_platt`, from 0.
        clip: how near to 0 and 1 a probability may come, from 1e-15 to below 0.5.

    Raises:
        ValueError: on no items, on `pseudo=0` where no finite fit exists, or on input out of range.

    Guo, Pleiss, Sun and Weinberger (2017), section 4.2.

    >>> round(fit_temperature([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]).temperature, 3)
    1.354
    """
    data = _some(outcome, probability, weights)
    x, y, w = _with_pseudo_points(data, pseudo, check_clip(clip))
    if (w * x) @ (y - expit(x / _HOTTEST)) <= 0:  # the likelihood rises with the temperature up to there
        return TemperatureMap(temperature=_HOTTEST, clip=clip)
    if (x[y > 0] >= 0).all() and (x[y < 1] <= 0).all():
        raise ValueError("pseudo=0 has no finite fit here: the judge is always on the right side; use pseudo=0.5")
    (slope,), _ = fit_logistic(x[:, None], y, w)
    return TemperatureMap(temperature=1 / float(slope), clip=clip)


def fit_isotonic(outcome: ArrayLike, probability: ArrayLike, *, weights: ArrayLike | None = None) -> IsotonicMap:
    """The rising map that is nearest to the outcomes in weighted squares.

    It has no shape to be wrong about, and needs labels for it: below some hundreds `fit_platt` does better. Equal
    probabilities share one value; between two steps the map is straight, as scikit-learn's is.

    Args:
        outcome: shape (n,), 0 or 1, or a share in between.
        probability: shape (n,), from 0 to 1.
        weights: shape (n,), what each item counts; 1 by default.

    Raises:
        ValueError: on no items, or on input out of range.

    Zadrozny and Elkan (2002), by pooling adjacent violators (Ayer et al. 1955).

    >>> fit_isotonic([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])([0.1, 0.35, 0.8]).tolist()
    [0.0, 0.5, 1.0]
    """
    data = _some(outcome, probability, weights)
    steps = isotonic_steps(data.probability, data.outcome, data.weights)
    wide = steps.last > steps.first
    knots = np.concatenate([steps.first, steps.last[wide]])
    values = np.concatenate([steps.values, steps.values[wide]])
    order = np.argsort(knots)
    return IsotonicMap(knots=tuple(knots[order].tolist()), values=tuple(values[order].tolist()))


def _some(outcome: ArrayLike, probability: ArrayLike, weights: ArrayLike | None) -> Forecasts:
    data = as_forecasts(outcome, probability, weights)
    if not len(data.outcome):
        raise ValueError("outcome holds no item; a map needs at least one label")
    return data


def _with_pseudo_points(data: Forecasts, pseudo: float, clip: float) -> tuple[Floats, Floats, Floats]:
    """Logits, outcomes and weights, with the pseudo-points at their end."""
    if not 0 <= pseudo < np.inf:
        raise ValueError(f"pseudo must be a weight from 0, got {pseudo!r}")
    x = logit(data.probability, clip)
    if pseudo == 0:
        return x, data.outcome, data.weights
    weights = np.append(data.weights, np.full(4, float(pseudo)))
    return np.append(x, _PSEUDO_LOGITS), np.append(data.outcome, _PSEUDO_OUTCOMES), weights


def _inside(x: Floats) -> Floats:
    """The probabilities of logits, short of 0 and 1 by at least 2e-16."""
    return expit(np.clip(x, -_UTMOST, _UTMOST))


def _plain(record: object, *names: str) -> None:
    for name in names:
        (number,) = _finite(name, (getattr(record, name),), 1)
        object.__setattr__(record, name, number)


def _finite(name: str, numbers: Sequence[float], length: int) -> tuple[float, ...]:
    plain = tuple(float(number) for number in numbers)
    if len(plain) != length or not np.isfinite(plain).all():
        raise ValueError(f"{name} must be {length} finite number{'s' * (length != 1)}, got {numbers!r}")
    return plain
