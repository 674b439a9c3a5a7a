"""Standard errors of kappa if it were 0: for tests, never for an interval. Knows counts alone."""

import math

import numpy as np

from fiel.stats._agreement_codes import Counts
from fiel.stats._agreement_sums import Floats, Rows, votes_of


def kappa_null_error(votes: Floats) -> float:
    """The standard error of Cohen's kappa were the raters independent, from the votes of one, then of the other.

    Fleiss, Cohen and Everitt (1969), equation 14.
    """
    first, second = np.split(votes, 2)
    n = float(first.sum())
    rows, columns = first / n, second / n
    chance = float(rows @ columns)
    variance = chance + chance**2 - float((rows * columns) @ (rows + columns))
    return math.sqrt(max(variance, 0.0) / n) / (1 - chance)


def fleiss_null_error(rows: Rows, counts: Counts) -> float | None:
    """The standard error of Fleiss' kappa were ratings independent, from patterns of codes with their counts.

    None where items differ in how many ratings they have. Fleiss, Nee and Landis (1979).
    """
    ratings = (rows >= 0).sum(axis=1)
    m, n = int(ratings.max()), float(counts.sum())
    if m < 2 or int(ratings.min()) != m:
        return None
    shares = counts @ votes_of(rows, int(rows.max()) + 1) / (n * m)
    spread = shares * (1 - shares)
    total = float(spread.sum())
    inner = total**2 - float(spread @ (1 - 2 * shares))
    return math.sqrt(2 / (n * m * (m - 1)) * max(inner, 0.0)) / total
