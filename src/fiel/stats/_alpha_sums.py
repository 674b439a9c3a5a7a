"""Krippendorff's alpha as a smooth function of sums over items, for each scale. Knows no interval.

With n_k the votes for category k in items with at least two ratings, n their sum, and delta^2 the squared difference of
two categories, alpha = 1 - (n - 1) A / D. A sums delta^2 / (m - 1) over the ordered pairs of ratings within items, each
of m ratings; D is the sum of n_c n_k delta^2. Krippendorff (2011), section 5.
"""

import numpy as np

from fiel.stats._agreement_codes import Matrix
from fiel.stats._agreement_sums import Floats, Rows, along, bilinear, votes_of

_ROUNDING = 1e-13


class FixedAlpha:
    """Alpha for squared differences that do not depend on the data."""

    def __init__(self, squares: Matrix) -> None:
        self.squares = squares

    @property
    def width(self) -> int:
        """A, and the votes."""
        return 1 + len(self.squares)

    def features(self, rows: Rows) -> Floats:
        """What items add to A, and their votes where they have at least two."""
        votes, others = paired_votes(rows, len(self.squares))
        return np.column_stack([along(votes, votes @ self.squares) / others, votes])

    def value(self, sums: Floats) -> Floats:
        """Alpha."""
        within, votes = sums[..., 0], sums[..., 1:]
        expected = bilinear(votes, self.squares, votes)
        return alpha_of(within, votes.sum(axis=-1), expected)

    def gradient(self, sums: Floats) -> Floats:
        """By A, and by the votes."""
        within, votes = sums[0], sums[1:]
        n, by_votes = votes.sum(), (self.squares + self.squares.T) @ votes
        expected = votes @ self.squares @ votes
        return np.concatenate([[-(n - 1) / expected], -within / expected + (n - 1) * within * by_votes / expected**2])


class IntervalAlpha:
    """Alpha for differences of numbers, from sums of squares: four numbers an item, however many values there are."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    @property
    def width(self) -> int:
        """A, the ratings, their sum and the sum of their squares."""
        return 4

    def features(self, rows: Rows) -> Floats:
        """The four sums of items with at least two ratings."""
        return interval_features(rows, self.values)

    def value(self, sums: Floats) -> Floats:
        """Alpha."""
        within, n, first, second = np.moveaxis(sums, -1, 0)
        spread = n * second - first * first
        return alpha_of(within, n, np.where(spread > _ROUNDING * n * second, 2 * spread, 0.0))

    def gradient(self, sums: Floats) -> Floats:
        """By A, the ratings, their sum and the sum of their squares."""
        within, n, first, second = sums
        expected = 2 * (n * second - first * first)
        by_expected = (n - 1) * within / expected**2
        return np.array(
            [
                -(n - 1) / expected,
                -within / expected + by_expected * 2 * second,
                -by_expected * 4 * first,
                by_expected * 2 * n,
            ]
        )


class OrdinalAlpha:
    """Alpha for ranks: the difference of two categories is that of their mid-ranks among all the votes.

    The mid-rank of category k is n_1 + ... + n_(k-1) + n_k / 2: their difference is Krippendorff's
    n_c / 2 + (all between) + n_k / 2.
    """

    def __init__(self, categories: int) -> None:
        self.categories = categories

    @property
    def width(self) -> int:
        """The votes, and the pairs of categories within items."""
        return self.categories * (self.categories + 1) // 2

    def features(self, rows: Rows) -> Floats:
        """The votes of items with at least two, and the ordered pairs of their votes over m - 1."""
        votes, others = paired_votes(rows, self.categories)
        low, high = np.triu_indices(self.categories, 1)
        return np.column_stack([votes, 2 * votes[:, low] * votes[:, high] / others[:, None]])

    def value(self, sums: Floats) -> Floats:
        """Alpha."""
        votes, pairs, ranks = self._split(sums)
        low, high = np.triu_indices(self.categories, 1)
        within = (pairs * (ranks[..., low] - ranks[..., high]) ** 2).sum(axis=-1)
        return alpha_of(within, votes.sum(axis=-1), spread_of(votes, ranks))

    def gradient(self, sums: Floats) -> Floats:
        """By the votes, which move the ranks too, and by the pairs."""
        votes, pairs, ranks = self._split(sums)
        low, high = np.triu_indices(self.categories, 1)
        gap = ranks[low] - ranks[high]
        n, within, expected = votes.sum(), float(pairs @ gap**2), float(spread_of(votes, ranks))
        first, second = votes @ ranks, votes @ ranks**2
        push = np.zeros(self.categories)
        np.add.at(push, low, 2 * pairs * gap)
        np.add.at(push, high, -2 * pairs * gap)
        by_rank = -(n - 1) / expected * push
        by_expected = (n - 1) * within / expected**2
        by_rank += by_expected * 4 * votes * (n * ranks - first)
        by_votes = by_expected * 2 * (second + n * ranks**2 - 2 * ranks * first) - within / expected
        later = np.cumsum(by_rank[::-1])[::-1]
        return np.concatenate([by_votes + later - by_rank / 2, -(n - 1) / expected * gap**2])

    def _split(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        votes = sums[..., : self.categories]
        return votes, sums[..., self.categories :], np.cumsum(votes, axis=-1) - votes / 2


def alpha_of(within: Floats, n: Floats, expected: Floats) -> Floats:
    """1 - (n - 1) A / D; NaN where all the votes are for one category, or there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * within / expected, np.nan)


def interval_features(rows: Rows, values: Floats) -> Floats:
    """For each row with at least two ratings: its part of A, its ratings, their sum and the sum of their squares."""
    rated = rows >= 0
    count = rated.sum(axis=1, dtype=np.float64)
    x = np.where(rated, values[rows], 0.0)
    first, second = x.sum(axis=1), (x * x).sum(axis=1)
    mean = first / np.maximum(count, 1.0)
    apart = np.where(rated, x - mean[:, None], 0.0)  # squares of differences: no digits lost far from zero
    within = 2 * count * (apart * apart).sum(axis=1) / np.maximum(count - 1, 1.0)
    kept: Floats = np.column_stack([within, count, first, second]) * (count > 1)[:, None]
    return kept


def paired_votes(rows: Rows, categories: int) -> tuple[Floats, Floats]:
    """The votes of rows with at least two ratings, zeros for the others, and the ratings less one (at least 1)."""
    votes = votes_of(rows, categories)
    ratings = votes @ np.ones(categories)
    votes[ratings < 2] = 0.0
    return votes, np.maximum(ratings - 1, 1.0)


def spread_of(votes: Floats, ranks: Floats) -> Floats:
    """The sum of squared differences of ranks over all ordered pairs of votes; 0 where one category has them all."""
    first, second = (votes * ranks).sum(axis=-1), (votes * ranks**2).sum(axis=-1)
    spread = votes.sum(axis=-1) * second - first**2
    several = np.count_nonzero(votes, axis=-1) > 1
    return np.where(several, 2 * spread, 0.0)
