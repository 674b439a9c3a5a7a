"""A rate from strata: limits by inverting the score test. Knows counts and shares; knows no judge and no Estimate."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_STEPS = 200
_CLOSE = 1e-12  # of the multiplier, relative
_ROUNDING = 1e-24  # of a squared distance
_MOST = 1e100  # a multiplier this large leaves no rate but 0 or 1


class Stratum(NamedTuple):
    """What was seen in one stratum: the sum of labels from 0 to 1, how many there are, the stratum's share."""

    passed: float
    size: float
    share: float


@dataclass(frozen=True, slots=True)
class StrataRate:
    """theta = sum of share times rate, over strata that each hold a label.

    Args:
        strata: their shares add up to 1.
        frame: of how many items the shares are the shares; infinite where they are known.
    """

    strata: Sequence[Stratum]
    frame: float

    @property
    def value(self) -> float:
        """The sum of share times observed rate: exactly 0 or 1 where every label is."""
        if all(s.passed == 0 for s in self.strata):
            return 0.0
        if all(s.passed == s.size for s in self.strata):
            return 1.0
        return min(max(sum(s.share * s.passed / s.size for s in self.strata), 0.0), 1.0)

    def variances(self) -> tuple[float, float]:
        """Of the labels, each stratum's variance with n - 1, plus 0.5 / n^2; and of the shares."""
        value, n = self.value, sum(s.size for s in self.strata)
        within, between = 0.5 / n**2, 0.0
        for stratum in self.strata:
            rate = stratum.passed / stratum.size
            within += stratum.share**2 * rate * (1 - rate) / max(stratum.size - 1, 0.5)
            between += stratum.share * (rate - value) ** 2
        return within, between / self.frame

    def limits(self, quantile: float) -> tuple[float, float]:
        """The values of theta that a score test with this normal `quantile` does not reject; they hold `value`.

        The test of theta = t takes the variance at the stratum rates that are likeliest under sum of share times rate
        = t. These satisfy (k - n p) = mu share p (1 - p) with one mu for all strata, so that mu itself is searched:
        theta falls as it rises.
        """
        value = self.value
        if quantile <= 0:
            return value, value
        low = 0.0 if value <= 0 else min(self._limit(value, quantile, 1.0), value)
        high = 1.0 if value >= 1 else max(self._limit(value, quantile, -1.0), value)
        return low, high

    def _limit(self, value: float, quantile: float, sign: float) -> float:
        def excess(multiplier: float) -> float:
            theta, variance = self._restricted(sign * multiplier)
            return (value - theta) ** 2 - quantile * quantile * variance - _ROUNDING

        inside, outside = 0.0, quantile * sum(s.size for s in self.strata)
        while outside < _MOST and excess(outside) <= 0:
            inside, outside = outside, outside * 8.0
        return self._restricted(sign * root(excess, inside, outside))[0]

    def _restricted(self, multiplier: float) -> tuple[float, float]:
        """Theta at a multiplier, and the variance of the estimate there."""
        theta = variance = spread = 0.0
        for passed, size, share in self.strata:
            rate = _restricted_rate(passed, size, multiplier * share)
            theta += share * rate
            spread += share * rate * rate
            variance += share * share * rate * (1 - rate) / size
        return theta, variance + max(spread - theta * theta, 0.0) / self.frame


def _restricted_rate(passed: float, size: float, pull: float) -> float:
    """The root from 0 to 1 of passed - size p = pull p (1 - p)."""
    if pull == 0:
        return passed / size
    total = size + pull
    root = math.sqrt(max(total * total - 4 * pull * passed, 0.0))
    rate = 2 * passed / (total + root) if total > 0 else (total - root) / (2 * pull)
    return min(max(rate, 0.0), 1.0)


def root(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Where `excess` changes its sign, between two arguments where it does: at `outside` it is above 0.

    Chandrupatla (1997): inverse quadratic interpolation where that is safe, else bisection.
    """
    a, b, fa, fb = outside, inside, excess(outside), excess(inside)
    c, fc, step = a, fa, 0.5
    for _ in range(_STEPS):
        new = a + step * (b - a)
        found = excess(new)
        if (found > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = new, found
        if abs(b - a) <= _CLOSE * max(abs(a), abs(b)):
            break
        ratio, level = (a - b) / (c - b), (fa - fb) / (fc - fb) if fc != fb else 1.0
        step = 0.5
        if level**2 < ratio and (1 - level) ** 2 < 1 - ratio:
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        least = _CLOSE * max(abs(a), abs(b)) / abs(b - a) / 2
        step = min(max(step, least), 1 - least)
    return a
