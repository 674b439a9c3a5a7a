"""The calibration error that chance alone would show. Knows no judge that errs otherwise."""

import numpy as np
from numpy.typing import ArrayLike

from fiel.stats._calibration_bins import Binned, Strategy, binned, check_bins
from fiel.stats._calibration_error import ece
from fiel.stats._calibration_inputs import Forecasts, as_forecasts
from fiel.stats._checks import Floats, tail
from fiel.stats._estimate import Estimate, Side, undefined
from fiel.stats._poisson_binomial import poisson_binomial

_CELLS = 1 << 17
_NEGLIGIBLE = 1e-15


def ece_null_band(
    outcome: ArrayLike,
    probability: ArrayLike,
    *,
    bins: int = 15,
    strategy: Strategy = "width",
    confidence: float = 0.95,
    side: Side = "both",
) -> Estimate:
    """The `ece` that a perfectly calibrated judge would show who says these probabilities of so many items.

    The outcomes are then independent events with the probabilities that were said, and the error is a sum over bins
    of |events - their expected number| / n. The distribution of each part is exact (Poisson-binomial); that of their
    sum is put together on a grid of 131,072 cells, and the limits rounded outwards by its error, at most half a cell
    for each bin. Nothing is drawn at random.

    Args:
        outcome: shape (n,), 0 or 1: what happened; only `details` depend on it.
        probability: shape (n,), from 0 to 1.
        bins: how many.
        strategy: as in `ece`.
        confidence: with which the error of a calibrated judge falls between the limits.
        side: "both", or "upper" / "lower" for one limit at `confidence`; the other is then 0 or 1.

    Returns:
        Estimate: `value` is the mean error of a calibrated judge, `low` and `high` hold the share `confidence` of its
        errors (and the mean). Details: ece (that of `outcome`), p_value (the probability that a calibrated judge
        shows this error or a greater one). No value without items, or where every probability is 0 or 1: nothing is
        left to chance then, and a calibrated judge shows 0 always.

    Raises:
        ValueError: as `ece`, on a confidence out of range, or outcomes other than 0 and 1.

    Bröcker and Smith (2007) and Vaicenavicius et al. (2019) draw this distribution at random; here it is computed.

    >>> band = ece_null_band([1, 0] * 50, [0.5] * 100)
    >>> print(band)
    0.04 [0.00, 0.11] n=100
    >>> band.details["ece"], round(band.details["p_value"], 6)
    (0.0, 1.0)
    """
    upto = tail(confidence, side)
    check_bins(bins, strategy)
    data = as_forecasts(outcome, probability, None)
    y, p, _ = data
    if ((y != 0) & (y != 1)).any():
        raise ValueError("outcome must be 0 or 1 here: the chance of shares in between is not known")
    n, method = len(y), "poisson-binomial"
    if not n:
        return undefined("no items", confidence=confidence, method=method, n=0, side=side)
    found = binned(data, bins, strategy)
    shown = ece(y, p, bins=bins, strategy=strategy)
    parts = _parts(data, found)
    mean = min(float(sum(values @ chances for values, chances in parts)), 1.0)
    if all(len(values) == 1 for values, _ in parts):
        reason = "these probabilities leave nothing to chance: a calibrated judge shows one error always"
        details = {"ece": shown, "p_value": float(shown <= mean + _NEGLIGIBLE)}
        return undefined(reason, confidence=confidence, method=method, n=n, side=side, details=details)
    errors, chances, rounding = _sum(parts)
    sums = np.cumsum(chances)
    low = 0.0 if side == "upper" else float(errors[np.searchsorted(sums, 1 - upto)]) - rounding
    high = 1.0 if side == "lower" else float(errors[min(int(np.searchsorted(sums, upto)), len(sums) - 1)]) + rounding
    greater = float(chances[errors >= shown - rounding - _NEGLIGIBLE].sum())
    return Estimate(
        value=mean,
        low=min(max(low, 0.0), mean),
        high=max(min(high, 1.0), mean),
        confidence=confidence,
        method=method,
        n=n,
        side=side,
        details={"ece": shown, "p_value": min(greater, 1.0)},
    )


def _parts(data: Forecasts, found: Binned) -> list[tuple[Floats, Floats]]:
    """For each bin, the values that its part of the error may take, and their probabilities."""
    order = np.argsort(found.codes, kind="stable")
    members = np.split(data.probability[order], np.cumsum(np.bincount(found.codes))[:-1])
    parts = []
    for p in members:
        chances = poisson_binomial(p)
        likely = np.flatnonzero(chances > _NEGLIGIBLE)
        parts.append((np.abs(likely - p.sum()) / len(data.outcome), chances[likely] / chances[likely].sum()))
    return parts


def _sum(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats, float]:
    """The values that a sum of independent parts may take, on a grid, their probabilities, and the grid's error."""
    cells = max(_CELLS, 1 << (4 * len(parts)).bit_length())
    width = sum(float(values.max()) for values, _ in parts) / (cells - len(parts) - 1)
    product = np.ones(cells // 2 + 1, dtype=np.complex128)
    for values, chances in parts:
        places = np.rint(values / width).astype(np.intp)
        product *= np.fft.rfft(np.bincount(places, weights=chances, minlength=cells))
    sums: Floats = np.maximum(np.fft.irfft(product, cells), 0.0)
    return np.arange(cells, dtype=np.float64) * width, sums / sums.sum(), width * len(parts) / 2
