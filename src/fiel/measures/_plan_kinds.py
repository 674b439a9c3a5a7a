"""Each kind of plan: the number of labels for a wish, and its curve. Knows no record; the statistics are elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from fiel.measures._results_rates import PlanKind, PlanPoint
from fiel.stats import (
    expected_kappa_interval,
    kappa_interval_sample_size,
    kappa_sample_size,
    minimum_detectable_difference,
    ppi_difference,
    ppi_sample_size,
    proportion_sample_size,
)

MOST = 100_000
WIDTHS, POWERS = (0.3, 0.25, 0.2, 0.15, 0.1, 0.08, 0.05), (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SIZES = (20, 30, 50, 75, 100, 150, 200, 300, 500, 800, 1200, 2000)
_DRAWS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is wanted, how sure, and what is expected of the truth."""

    width: float
    bar: float
    margin: float
    power: float
    confidence: float
    expected: Mapping[str, float]


Curve = Callable[[Wish], tuple[PlanPoint, ...]]


def first_reaching(kind: PlanKind, wish: Wish) -> int | None:
    """The smallest number of independent labels that does it; None where none up to 100,000 does."""
    found = _COUNTS[kind](wish)
    return None if found is None or found > MOST else found


def _rate(wish: Wish, *, width: float | None = None, bar: float | None = None) -> int:
    rate, others = wish.expected["rate"], int(wish.expected["n_unlabelled"])
    rho = wish.expected["rho"]
    if not others or rho <= 0:
        return proportion_sample_size(rate, width=width, bar=bar, power=wish.power, confidence=wish.confidence)
    return ppi_sample_size(
        rate, rho=rho, n_unlabelled=others, width=width, bar=bar, power=wish.power, confidence=wish.confidence
    )


def _rate_width(wish: Wish) -> int:
    return _rate(wish, width=wish.width)


def _rate_bar(wish: Wish) -> int:
    return _rate(wish, bar=wish.bar)


def _kappa_width(wish: Wish) -> int | None:
    kappa, shares, raters = _kappa(wish)
    low, high = max(kappa - wish.width / 2, -0.99), min(kappa + wish.width / 2, 0.9999)
    return kappa_interval_sample_size(
        kappa, low=low, high=high, shares=shares, raters=raters, confidence=wish.confidence
    )


def _kappa_power(wish: Wish) -> int:
    kappa, shares, raters = _kappa(wish)
    return kappa_sample_size(
        wish.expected["least"],
        kappa,
        shares=shares,
        raters=raters,
        power=wish.power,
        confidence=wish.confidence,
        side="lower",
    )


def _kappa(wish: Wish) -> tuple[float, float, int]:
    return wish.expected["kappa"], wish.expected["prevalence"], int(wish.expected["raters"])


def _ceiling(wish: Wish) -> int | None:
    distance = abs(wish.expected["agreement"] - wish.expected["ceiling"])
    discordance = max(wish.expected["discordance"], distance)
    if distance == 0:
        return None

    def seen(n: int) -> bool:
        least = minimum_detectable_difference(
            n, discordance=min(discordance, 1.0), power=wish.power, confidence=wish.confidence
        )
        return bool(least <= distance)  # NaN is no

    return _smallest(seen)


def _equivalence(wish: Wish) -> int | None:
    return _smallest(lambda n: equivalence_power(n, wish) >= wish.power)


def equivalence_power(n: int, wish: Wish) -> float:
    """The chance that a judge that truly agrees as often as people is shown to be within the margin, by seeded draws.

    The interval that must lie within is the score interval for pairs at 1 - 2 (1 - confidence): two one-sided tests.
    """
    rng = np.random.default_rng(n)
    differ = wish.expected["discordance"]
    drawn = rng.multinomial(n, [differ / 2, differ / 2, 1 - differ], size=_DRAWS)
    counts = Counter((int(up), int(down)) for up, down, _ in drawn)
    hits = sum(times for (up, down), times in counts.items() if _within(n, up, down, wish))
    return hits / _DRAWS


def _within(n: int, up: int, down: int, wish: Wish) -> bool:
    a, b = np.zeros(n), np.zeros(n)
    a[:up], b[up : up + down] = 1.0, 1.0
    found = ppi_difference(a, b, a, b, [], [], method="classical", confidence=1 - 2 * (1 - wish.confidence))
    return found.low is not None and found.high is not None and -wish.margin < found.low and found.high < wish.margin


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number that is enough, where every larger one is too, to within one in fifty."""
    low, high = 2, 16
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _by_width(count: Callable[[Wish], int | None]) -> Curve:
    def curve(wish: Wish) -> tuple[PlanPoint, ...]:
        widths = sorted({*WIDTHS, wish.width}, reverse=True)
        found = [(count(replace(wish, width=width)), width) for width in widths]
        return tuple(PlanPoint(labels=n, width=width) for n, width in found if n is not None and n <= MOST)

    return curve


def _by_power(count: Callable[[Wish], int | None]) -> Curve:
    def curve(wish: Wish) -> tuple[PlanPoint, ...]:
        powers = sorted({*POWERS, wish.power})
        found = [(count(replace(wish, power=power)), power) for power in powers]
        return tuple(PlanPoint(labels=n, power=power) for n, power in found if n is not None and n <= MOST)

    return curve


def _kappa_curve(wish: Wish) -> tuple[PlanPoint, ...]:
    kappa, shares, raters = _kappa(wish)
    points = []
    for n in SIZES:
        found = expected_kappa_interval(kappa, n, shares=shares, raters=raters, confidence=wish.confidence)
        if found.low is not None and found.high is not None:
            points.append(PlanPoint(labels=n, width=found.high - found.low))
    return tuple(points)


def _equivalence_curve(wish: Wish) -> tuple[PlanPoint, ...]:
    points: list[PlanPoint] = []
    for n in SIZES:
        points.append(PlanPoint(labels=n, power=equivalence_power(n, wish)))
        if (points[-1].power or 0.0) >= 0.99:
            break
    return tuple(points)


_COUNTS: dict[PlanKind, Callable[[Wish], int | None]] = {
    "rate width": _rate_width,
    "rate bar": _rate_bar,
    "kappa width": _kappa_width,
    "kappa power": _kappa_power,
    "ceiling power": _ceiling,
    "equivalence": _equivalence,
}
KINDS: dict[PlanKind, tuple[tuple[str, ...], Curve]] = {
    "rate width": (("rate", "rho", "n_unlabelled"), _by_width(_rate_width)),
    "rate bar": (("rate", "rho", "n_unlabelled"), _by_power(_rate_bar)),
    "kappa width": (("kappa", "prevalence", "raters"), _kappa_curve),
    "kappa power": (("kappa", "least", "prevalence", "raters"), _by_power(_kappa_power)),
    "ceiling power": (("agreement", "ceiling", "discordance"), _by_power(_ceiling)),
    "equivalence": (("discordance",), _equivalence_curve),
}
