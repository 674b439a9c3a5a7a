"""The difference of two rates on the same items: limits by inverting a score test. Knows no judge and no Estimate."""

import math

from fiel.stats._strata import root

_ROUNDING = 1e-24  # of a squared distance


def paired_limits(value: float, discordant: float, size: float, quantile: float) -> tuple[float, float]:
    """The differences that a score test with this `quantile` does not reject; they hold `value`.

    Args:
        value: the difference, from -1 to 1.
        discordant: the mean squared difference of two scores from 0 to 1 on one item: for rates the share of items
            where they differ.
        size: of how many items, perhaps an effective size.
        quantile: of the normal distribution, or of t.

    Tango (1998), with the share of items that speak for the smaller side at its likeliest under each difference. With
    nothing discordant the limits are q^2 / (size + q^2) to either side, never none.
    """
    discordant = min(max(discordant, abs(value)), 1.0)
    if quantile <= 0:
        return value, value

    def excess(theta: float) -> float:
        return (value - theta) ** 2 - quantile**2 * paired_variance(value, discordant, size, theta) - _ROUNDING

    low = -1.0 if value <= -1 or excess(-1.0) <= 0 else min(root(excess, value, -1.0), value)
    high = 1.0 if value >= 1 or excess(1.0) <= 0 else max(root(excess, value, 1.0), value)
    return low, high


def paired_variance(value: float, discordant: float, size: float, theta: float) -> float:
    """The variance of the observed difference, where the true one is `theta`."""
    behind = (discordant - value) / 2
    linear = (2 - value) * theta - discordant
    product = -behind * theta * (1 - theta)
    rate = (math.sqrt(max(linear * linear - 8 * product, 0.0)) - linear) / 4
    return max(2 * rate + theta * (1 - theta), 0.0) / size
