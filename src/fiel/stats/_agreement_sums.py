"""Coefficients of agreement as smooth functions of sums over items. Knows rows of codes, and no interval.

Each item gives a few numbers (its `features`), the coefficient is a function of their sums, and its gradient there
gives the influence of each item. A value, a standard error, a jackknife and a bootstrap are then products of matrices.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fiel.stats._agreement_codes import Matrix

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Coefficient(Protocol):
    """A coefficient: `features` of rows, shape (rows, width); `value` of sums, shape (..., width); its `gradient`."""

    @property
    def width(self) -> int:
        """How many numbers an item gives."""

    def features(self, rows: Rows) -> Floats:
        """What rows of codes, shape (rows, raters), -1 for missing, add to the sums."""

    def value(self, sums: Floats) -> Floats:
        """The coefficient, NaN where it is undefined."""

    def gradient(self, sums: Floats) -> Floats:
        """Its derivative by each of the sums, shape (width,)."""


class Kappa:
    """Cohen's kappa of the raters `first` and `second`: 1 - n (sum of distances) / (rows' distance columns).

    An item without both ratings gives zeros.
    """

    def __init__(self, distance: Matrix, first: int = 0, second: int = 1) -> None:
        self.distance, self.first, self.second = distance, first, second

    @property
    def width(self) -> int:
        """The distance, and the votes of either rater."""
        return 1 + 2 * len(self.distance)

    def features(self, rows: Rows) -> Floats:
        """The distance of the two codes, and one indicator for each rater and category."""
        a, b = rows[:, self.first], rows[:, self.second]
        both, order = (a >= 0) & (b >= 0), np.arange(len(self.distance))
        far = np.where(both, self.distance[a, b], 0.0) if len(order) else np.zeros(len(rows))
        return np.column_stack([far, (a[:, None] == order) & both[:, None], (b[:, None] == order) & both[:, None]])

    def value(self, sums: Floats) -> Floats:
        """Kappa."""
        far, a, b = self._split(sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = bilinear(a, self.distance, b)
            kappa = np.where(expected > 0, 1 - a.sum(axis=-1) * far / expected, np.nan)
        constant = (np.count_nonzero(a, axis=-1) == 1) | (np.count_nonzero(b, axis=-1) == 1)
        return np.where(constant & (expected > 0), 0.0, kappa)  # exactly, not but for rounding

    def gradient(self, sums: Floats) -> Floats:
        """By the distance, and by the votes."""
        far, a, b = self._split(sums)
        n, by_a, by_b = a.sum(), self.distance @ b, a @ self.distance
        expected = a @ by_a
        return np.concatenate(
            [[-n / expected], -far / expected + n * far * by_a / expected**2, n * far * by_b / expected**2]
        )

    def _split(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        count = len(self.distance)
        return sums[..., 0], sums[..., 1 : 1 + count], sums[..., 1 + count :]


class Pi:
    """Scott's pi: as kappa, with the votes of the two raters pooled."""

    def __init__(self, distance: Matrix) -> None:
        self.distance = distance

    @property
    def width(self) -> int:
        """The distance, and the pooled votes."""
        return 1 + len(self.distance)

    def features(self, rows: Rows) -> Floats:
        """The distance of the two codes, and the votes for each category."""
        pair = Kappa(self.distance).features(rows)
        count = len(self.distance)
        return np.column_stack([pair[:, 0], pair[:, 1 : 1 + count] + pair[:, 1 + count :]])

    def value(self, sums: Floats) -> Floats:
        """Pi."""
        far, votes = sums[..., 0], sums[..., 1:]
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = bilinear(votes, self.distance, votes)
            return np.where(expected > 0, 1 - 2 * votes.sum(axis=-1) * far / expected, np.nan)

    def gradient(self, sums: Floats) -> Floats:
        """By the distance, and by the votes."""
        far, votes = sums[0], sums[1:]
        total, drift = votes.sum(), self.distance @ votes + votes @ self.distance
        expected = votes @ self.distance @ votes
        return np.concatenate([[-2 * total / expected], -2 * far / expected + 2 * total * far * drift / expected**2])


class Pooled:
    """(share - chance) / (1 - chance), with the share of agreeing pairs within items, each item counting once.

    The mean share pi of each category is over all items with a rating, and chance is pi' M pi + l' pi + c: Fleiss
    M = weights; Gwet l = s and M = -s I with s = sum(weights) / (K (K - 1)); Brennan and Prediger
    c = sum(weights) / K^2; percent agreement none.
    """

    def __init__(
        self, weights: Matrix, *, square: Matrix | None = None, line: float = 0.0, constant: float = 0.0
    ) -> None:
        self.weights, self.square, self.line, self.constant = weights, square, line, constant

    @property
    def width(self) -> int:
        """Items with a pair, their share, items with a rating, and the shares of the categories."""
        return 3 + len(self.weights)

    def features(self, rows: Rows) -> Floats:
        """One item's share of agreement and of each category."""
        votes = votes_of(rows, len(self.weights))
        ratings = votes @ np.ones(len(self.weights))
        pairs = ratings > 1
        agreeing = along(votes, votes @ self.weights) - ratings
        share = np.where(pairs, agreeing / np.where(pairs, ratings * (ratings - 1), 1.0), 0.0)
        return np.column_stack([pairs, share, ratings > 0, votes / np.maximum(ratings, 1.0)[:, None]])

    def value(self, sums: Floats) -> Floats:
        """The coefficient; NaN without a pair, or where chance always agrees."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share, pi = sums[..., 1] / sums[..., 0], sums[..., 3:] / sums[..., 2:3]
            chance = self._chance(pi)
            left = np.where((sums[..., 0] > 0) & (chance < 1 - 1e-13), 1 - chance, np.nan)
            return 1 - (1 - share) / left

    def gradient(self, sums: Floats) -> Floats:
        """By the two parts of the share, and those of the categories."""
        share, pi = sums[1] / sums[0], sums[3:] / sums[2]
        left = 1 - self._chance(pi)
        by_pi = np.full(len(pi), self.line)
        if self.square is not None:
            by_pi += (self.square + self.square.T) @ pi
        by_pi *= (share - 1) / left**2 / sums[2]
        parts = [-share / sums[0] / left, 1 / sums[0] / left, -by_pi @ pi]
        return np.concatenate([parts, by_pi])

    def _chance(self, pi: Floats) -> Floats:
        chance = self.line * pi.sum(axis=-1) + self.constant
        if self.square is not None:
            chance = chance + bilinear(pi, self.square, pi)
        return np.asarray(chance)


class Conger:
    """Conger's kappa: the share of `Pooled`, and chance averaged over pairs of raters with shares of their own."""

    def __init__(self, weights: Matrix, raters: int) -> None:
        self.weights, self.raters = weights, raters

    @property
    def width(self) -> int:
        """Items with a pair, their share, and the votes of each rater."""
        return 2 + self.raters * len(self.weights)

    def features(self, rows: Rows) -> Floats:
        """One item's share of agreement, and one indicator for each rater and category."""
        share = Pooled(self.weights).features(rows)[:, :2]
        votes = rows[:, :, None] == np.arange(len(self.weights))
        return np.column_stack([share, votes.reshape(len(rows), self.width - 2)])

    def value(self, sums: Floats) -> Floats:
        """The coefficient; raters without a rating do not count."""
        shares, raters, _ = self._shares(sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = self._chance(shares, raters)
            left = np.where((sums[..., 0] > 0) & (chance < 1 - 1e-13), 1 - chance, np.nan)
            return 1 - (1 - sums[..., 1] / sums[..., 0]) / left

    def gradient(self, sums: Floats) -> Floats:
        """By the two parts of the share, and the votes of each rater."""
        shares, raters, votes = self._shares(sums)
        share, left = sums[1] / sums[0], 1 - float(self._chance(shares, raters))
        symmetric = self.weights + self.weights.T
        by_share = (shares.sum(axis=0) - shares) @ symmetric / (raters * (raters - 1))
        by_vote = by_share - (by_share * shares).sum(axis=1, keepdims=True)
        by_vote = np.where(votes > 0, by_vote / np.maximum(votes, 1e-300), 0.0) * (share - 1) / left**2
        return np.concatenate([[-share / sums[0] / left, 1 / sums[0] / left], by_vote.ravel()])

    def _shares(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        cells = sums[..., 2:].reshape(*sums.shape[:-1], self.raters, len(self.weights))
        votes = cells.sum(axis=-1, keepdims=True)
        present = votes > 0
        return np.where(present, cells / np.where(present, votes, 1.0), 0.0), present.sum(axis=(-1, -2)), votes

    def _chance(self, shares: Floats, raters: Floats) -> Floats:
        pooled = shares.sum(axis=-2)
        every = bilinear(pooled, self.weights, pooled)
        own = bilinear(shares, self.weights, shares).sum(axis=-1)
        return np.asarray((every - own) / (raters * (raters - 1)))


def bilinear(x: Floats, matrix: Matrix, y: Floats) -> Floats:
    """X' M y along the last axis."""
    return np.asarray(((x @ matrix) * y).sum(axis=-1))


def votes_of(rows: Rows, categories: int) -> Floats:
    """How many raters of each row gave each code, shape (rows, categories)."""
    places = np.arange(1, len(rows) * (categories + 1), categories + 1) + rows.T
    votes = np.bincount(places.ravel(order="K"), minlength=len(rows) * (categories + 1))
    return votes.reshape(len(rows), categories + 1)[:, 1:].astype(np.float64)


def along(x: Floats, y: Floats) -> Floats:
    """The sums of products along rows: quicker than a sum over a short axis."""
    return np.asarray(np.einsum("ij,ij->i", x, y))
