"""How many labels a judge-corrected rate needs. Knows how well a judge goes with labels, and no data."""

import math
from typing import NamedTuple

from fiel.stats._checks import tail
from fiel.stats._ppi_methods import ENOUGH
from fiel.stats._proportions import rate_bound
from fiel.stats._quantiles import beta_quantile, binomial_tail
from fiel.stats._searching import check_power, smallest_whole, threshold

_FEWEST = 3  # labels below which `ppi_mean` does not use the judge


class _Study(NamedTuple):
    """What is expected of labels and judge; `spread` is the variance of labels by that of yes/no labels."""

    rate: float
    rho: float
    rho_recalibrated: float | None
    n_unlabelled: int
    spread: float


def ppi_sample_size(  # noqa: PLR0913  (what is expected of labels and judge, and one of two wishes)
    rate: float,
    *,
    rho: float,
    n_unlabelled: int,
    width: float | None = None,
    bar: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    rho_recalibrated: float | None = None,
    sd: float | None = None,
) -> int:
    """The smallest number of labels with which `ppi_mean` should know a rate well enough, beside a judge on all items.

    Give one of two wishes: `width`, of the interval to be expected, or `bar`, which the one-sided bound is to clear
    with the chance `power` (from above where `rate` lies above it, else from below).

    The variance of `method="ess-beta"` is projected: r (1 - r) / n times
    1 - rho^2 N / (n + N) + rho^2 (1 - 2 r)^2 / (n r (1 - r)) + 1 / (2 n r (1 - r)). The last term is the method's own;
    the third is what tuning lambda on few labels costs where r is near 0 or 1, as simulation shows it. The whole is
    never taken to exceed that of the labels alone. From 100 labels on `ppi_mean` recalibrates a judge's probabilities:
    with `rho_recalibrated` the plan counts on it there, without the third term. A projection is no promise: take
    correlations from a pilot or a judge like this one, and plan with less than you hope for; 0 is a judge that adds
    nothing. With fewer than 100 labels the one-sided bound of `method="auto"` is a little looser than the one planned.

    Args:
        rate: the rate that is expected, from 0 to 1.
        rho: the correlation of label and judge that is expected, from 0 to 1; below 0 the judge gets no weight.
        n_unlabelled: how many items the judge will have judged beyond the labelled ones.
        width: the widest interval wanted, of two sides at `confidence`, between 0 and 1.
        bar: the rate that a gate asks for, between 0 and 1.
        power: the chance wanted, for a bar.
        confidence: of the interval, or of the one-sided bound.
        rho_recalibrated: the correlation of label and recalibrated judge; by default the plan does without.
        sd: the standard deviation of the labels on the scale 0..1; by default that of yes/no labels.

    Returns:
        The number of labels, at least 3.

    Raises:
        ValueError: on both wishes or none, values out of range, a rate on the bar, or a wish for more than 1e12 labels.

    Angelopoulos, Duchi and Zrnic (2023) for the variance, arXiv:2311.01453.

    >>> [ppi_sample_size(0.9, rho=rho, n_unlabelled=10_000, width=0.1) for rho in (0, 0.5, 0.8)]
    [139, 113, 71]
    """
    if (width is None) == (bar is None):
        raise ValueError("give either width= (of an interval) or bar= (to be cleared with power=), not both")
    study = _study(rate, rho, rho_recalibrated, n_unlabelled, sd)
    if width is not None:
        if not 0 < width < 1:
            raise ValueError(f"width must lie between 0 and 1, got {width!r}")
        upto = tail(confidence, "both")
        return smallest_whole(lambda n: _width(n, study, upto) <= width, least=_FEWEST, what=f"width={width!r}")
    tail(confidence, "lower")
    check_power(power)
    if bar is None or not 0 < bar < 1:
        raise ValueError(f"bar must be a rate between 0 and 1, got {bar!r}")
    if rate == bar:
        raise ValueError(f"rate={rate!r} stands on the bar, where no number of labels decides; give another rate")
    if rate < bar:
        study, bar = study._replace(rate=1 - rate), 1 - bar
    wish = f"bar={bar!r}"
    return smallest_whole(lambda n: _power(n, study, bar, confidence) >= power, least=_FEWEST, what=wish)


def _study(rate: float, rho: float, recalibrated: float | None, n_unlabelled: int, sd: float | None) -> _Study:
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie from 0 to 1, got {rate!r}")
    for name, x in (("rho", rho), ("rho_recalibrated", recalibrated)):
        if x is not None and not -1 <= x <= 1:
            raise ValueError(f"{name} must be a correlation from -1 to 1, got {x!r}")
    if n_unlabelled < 0 or n_unlabelled != int(n_unlabelled):
        raise ValueError(f"n_unlabelled must be a whole number of items from 0, got {n_unlabelled!r}")
    rho, recalibrated = max(rho, 0.0), None if recalibrated is None else max(recalibrated, 0.0)
    largest = rate * (1 - rate)
    if sd is None or largest == 0:
        return _Study(rate, rho, recalibrated, n_unlabelled, 1.0)
    if not 0 < sd <= math.sqrt(largest) * (1 + 1e-9):
        raise ValueError(f"sd must lie above 0 and up to {math.sqrt(largest):.4g}, that of yes/no labels, got {sd!r}")
    return _Study(rate, rho, recalibrated, n_unlabelled, min(sd * sd / largest, 1.0))


def _relative_variance(n: int, study: _Study, rate: float) -> float:
    """The variance of the estimate by that of the rate of n yes/no labels; the method's own floor left out."""
    if not study.n_unlabelled:
        return study.spread
    share = study.n_unlabelled / (n + study.n_unlabelled)
    if study.rho_recalibrated is not None and n >= ENOUGH:
        return study.spread * (1 - study.rho_recalibrated**2 * share)
    gain, cost = study.rho**2 * share, study.rho**2 * (1 - 2 * rate) ** 2 / (n * rate * (1 - rate))
    return study.spread * min(1 - gain + cost, 1.0)


def _worth(n: int, study: _Study, rate: float) -> float:
    """The effective sample size at an estimate of `rate`, never below n."""
    if not 0 < rate < 1:
        return float(n)
    return n / min(_relative_variance(n, study, rate) + 0.5 / (n * rate * (1 - rate)), 1.0)


def _width(n: int, study: _Study, upto: float) -> float:
    rate, size = study.rate, _worth(n, study, study.rate)
    a, b = size * rate + 0.5, size * (1 - rate) + 0.5
    low = 0.0 if rate == 0 else beta_quantile(1 - upto, a, b)
    return (1.0 if rate == 1 else beta_quantile(upto, a, b)) - low


def _power(n: int, study: _Study, bar: float, confidence: float) -> float:
    """The chance that the lower bound reaches the bar, as if successes of the effective size were counted."""

    def clears(estimate: float) -> bool:
        return rate_bound(estimate, _worth(n, study, estimate), confidence=confidence) >= bar

    if not clears(1.0):
        return 0.0
    size = n if study.rate == 1 else n / _relative_variance(n, study, study.rate)
    needed = size * threshold(clears, bar, 1.0)
    return float(binomial_tail(min(needed + 0.5, size), size, study.rate))
