"""Bins of probabilities, of equal width or of equal mass, and what fell into each. Knows no error measure."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from fiel.stats._calibration_inputs import Forecasts, check_whole
from fiel.stats._checks import Codes, Floats

Strategy = Literal["width", "mass"]

_MOST_BINS = 1_000_000
_ROUNDING = 1e-9


class Binned(NamedTuple):
    """The bins that hold something, in rising order, each of shape (bins in use,); `codes`, of shape (n,), says where.

    `number` is the place of a bin among those asked for, `weight` what fell into it.
    """

    codes: Codes
    number: Codes
    weight: Floats
    probability: Floats
    outcome: Floats


def binned(data: Forecasts, bins: int, strategy: Strategy) -> Binned:
    """Divide the items, of which there is at least one, by their probability, and take the means of each bin.

    - "width": bin i holds the probabilities above i / bins and up to (i + 1) / bins; 0 falls into the first.
    - "mass": bins of equal weight in the order of the probabilities. Equal probabilities are never parted: all fall
      where the first of them does, and a bin may stay empty for it.

    Raises:
        ValueError: when `bins` is not a whole number from 1 to 1,000,000, or `strategy` is another.
    """
    check_bins(bins, strategy)
    places = _by_width(data, bins) if strategy == "width" else _by_mass(data, bins)
    number, codes = np.unique(places, return_inverse=True)
    weight = _sums(codes, data.weights)
    return Binned(
        codes=codes,
        number=number,
        weight=weight,
        probability=_sums(codes, data.weights * data.probability) / weight,
        outcome=_sums(codes, data.weights * data.outcome) / weight,
    )


def check_bins(bins: int, strategy: Strategy) -> None:
    """Raise ValueError unless both can be had."""
    if check_whole("bins", bins, least=1) > _MOST_BINS:
        raise ValueError(f"bins must be at most {_MOST_BINS:,}, got {bins!r}")
    if strategy not in get_args(Strategy):
        raise ValueError(f'strategy must be "width" or "mass", got {strategy!r}')


def _by_width(data: Forecasts, bins: int) -> Codes:
    edges = np.arange(1, bins) / bins  # each the float nearest to i / bins; those of linspace are not
    places: Codes = np.searchsorted(edges, data.probability, side="left")
    return places


def _by_mass(data: Forecasts, bins: int) -> Codes:
    _, codes = np.unique(data.probability, return_inverse=True)
    weight = _sums(codes, data.weights)
    upto = np.cumsum(weight)
    places = np.floor((upto - weight) * bins / upto[-1] + _ROUNDING).astype(np.intp)
    chosen: Codes = np.minimum(places, bins - 1)[codes]
    return chosen


def _sums(codes: Codes, values: Floats) -> Floats:
    """The sum of `values` for each code from 0 to the highest."""
    return np.bincount(codes, weights=values).astype(np.float64)
