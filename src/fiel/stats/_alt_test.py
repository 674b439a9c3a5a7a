"""The alternative annotator test: may a judge stand in for one of the raters? Knows codes, not who made them."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fiel.stats._agreement_codes import as_codes
from fiel.stats._checks import Floats, as_vector
from fiel.stats._multiplicity import benjamini_yekutieli
from fiel.stats._quantiles import t_cdf

_TIE = 1e-12  # of the squared range of the values: squared distances that differ by less are rounding


@dataclass(frozen=True, kw_only=True, slots=True)
class AltTestRater:
    """The judge against one rater. A rater with a `reason` was not tested, and stays out of every average.

    Args:
        rater: the column of the rater.
        n: items that the rater, the judge and at least one other rater answered.
        rho_f: on how many of them the judge is at least as near to the others as the rater is, as a share.
        rho_h: on how many of them the rater is at least as near as the judge. Ties count for both.
        p: of the one-sided t test that rho_f >= rho_h - epsilon; 1 where no item differs and epsilon is 0 (0/0).
        p_adjusted: the same for all tested raters together, after Benjamini and Yekutieli.
        rejected: whether the test holds at q: the judge is the better stand-in, epsilon granted.
        reason: why there was no test; p, p_adjusted and rejected are then None.
    """

    rater: int
    n: int
    rho_f: float | None
    rho_h: float | None
    p: float | None
    p_adjusted: float | None
    rejected: bool | None
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AltTest:
    """The alternative annotator test over all raters.

    Args:
        omega: the share of tested raters for whom the judge may stand in: the winning rate.
        rho: the mean of rho_f over tested raters, to rank judges: the average advantage probability.
        passed: whether omega is at least one half.
        epsilon: what the judge is granted, for being cheaper than a rater.
        q: the level at which false discoveries are bounded.
        raters: one entry for each column.
        reason: why nothing could be tested; omega, rho and passed are then None.
    """

    omega: float | None
    rho: float | None
    passed: bool | None
    epsilon: float
    q: float
    raters: tuple[AltTestRater, ...]
    reason: str | None


class _Wins(NamedTuple):
    judge: NDArray[np.bool_]
    rater: NDArray[np.bool_]


def alt_test(
    llm: ArrayLike,
    humans: ArrayLike,
    *,
    scale: Literal["nominal", "interval"] = "nominal",
    values: ArrayLike | None = None,
    epsilon: float = 0.2,
    q: float = 0.05,
    min_items: int = 30,
    unscored: Literal["left out", "lost"] = "left out",
) -> AltTest:
    """The alternative annotator test: is the judge as near to the other raters as each rater is?

    Each rater is left out in turn. On every item, the judge and this rater are scored against the other raters: by the
    share of equal codes ("nominal"), or by minus the root of the mean squared distance ("interval"). The judge wins an
    item by scoring at least as well, and so does the rater. The test asks whether the judge wins more often than the
    rater less `epsilon`; the judge passes where that holds for half of the raters.

    Three raters or more, and some thirty items for each, are the test's own advice. Fewer items are not tested, and the
    reason says so; lower `min_items` to test them all the same. Where a judge repeats every rater on every item and
    `epsilon` is 0, nothing can be shown: omega is 0 though rho is 1.

    Args:
        llm: shape (items,), codes of the judge, -1 where it gave none.
        humans: shape (items, raters), codes of the raters, -1 where one gave none.
        scale: how near two codes are, see above.
        values: shape (categories,), for "interval", the number that each code stands for; by default the code itself.
        epsilon: from 0 to 1; the authors advise 0.2 beside experts, 0.15 beside skilled raters, 0.1 beside a crowd.
        q: the level of the step-up over raters.
        min_items: the fewest items on which a rater is tested, at least 2.
        unscored: "left out", as published: an item without a code of the judge does not count, which flatters a judge
            that gives up where it is hard; or "lost": it is one that the judge loses to every rater.

    Returns:
        AltTest, with one AltTestRater for each column of `humans`.

    Raises:
        ValueError: on shapes or codes that do not fit, or settings out of range.

    Calderon, Reichart and Dror (2025), section 3, arXiv:2501.10970.

    >>> people = [[0, 0, 1], [1, 1, 1]] * 30
    >>> result = alt_test([0, 1] * 30, people)
    >>> result.omega, result.rho, [x.rho_h for x in result.raters]
    (1.0, 1.0, [1.0, 1.0, 0.5])
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must lie from 0 to 1, got {epsilon!r}")
    if not 0 < q < 1:
        raise ValueError(f"q must lie between 0 and 1, got {q!r}")
    if min_items != int(min_items) or min_items < 2:
        raise ValueError(f"min_items must be a whole number from 2, got {min_items!r}")
    if unscored not in ("left out", "lost"):
        raise ValueError(f'unscored must be "left out" or "lost", got {unscored!r}')
    judge, table = as_codes("llm", llm).astype(np.int64), _as_humans(humans)
    if len(judge) != len(table):
        raise ValueError(f"llm has {len(judge)} codes and humans {len(table)} rows; give both for the same items")
    numbers = _numbers(judge, table, scale, values)
    counted = judge >= (0 if unscored == "left out" else -1)
    wins = [_wins(judge[counted], table[counted], column, numbers) for column in range(table.shape[1])]
    tested = [column for column, won in enumerate(wins) if len(won.judge) >= min_items]
    p_values = [_p_value(wins[column], epsilon) for column in tested]
    adjusted = benjamini_yekutieli(p_values).tolist()
    found = dict(zip(tested, zip(p_values, adjusted, strict=True), strict=True))
    raters = tuple(_rater(column, won, found.get(column), q, min_items) for column, won in enumerate(wins))
    if not tested:
        reason = f"no rater shares {min_items} items with the judge and another rater"
        return AltTest(omega=None, rho=None, passed=None, epsilon=epsilon, q=q, raters=raters, reason=reason)
    omega = sum(bool(rater.rejected) for rater in raters) / len(tested)
    rho = float(np.mean([wins[column].judge.mean() for column in tested]))
    return AltTest(omega=omega, rho=rho, passed=omega >= 0.5, epsilon=epsilon, q=q, raters=raters, reason=None)


def _as_humans(humans: ArrayLike) -> NDArray[np.int64]:
    try:
        array = np.asarray(humans)
    except ValueError as error:
        raise ValueError("humans must hold rows of one length, one column for each rater") from error
    if array.ndim != 2:
        raise ValueError(f"humans must be items x raters, got shape {array.shape}")
    return as_codes("humans", array.ravel()).reshape(array.shape).astype(np.int64)


def _numbers(judge: NDArray[np.int64], table: NDArray[np.int64], scale: str, values: ArrayLike | None) -> Floats | None:
    """The number that each code stands for; None for a nominal scale."""
    if scale not in ("nominal", "interval"):
        raise ValueError(f'scale must be "nominal" or "interval", got {scale!r}')
    used = max(int(judge.max(initial=-1)), int(table.max(initial=-1))) + 1
    if scale == "nominal":
        if values is not None:
            raise ValueError('values belong to scale="interval"; nominal codes stand for no number')
        return None
    numbers = np.arange(used, dtype=np.float64) if values is None else as_vector("values", values)
    if len(numbers) < used:
        raise ValueError(f"values has {len(numbers)} numbers, but code {used - 1} occurs; give one for each code")
    spread = float(np.ptp(numbers)) if len(numbers) else 0.0
    return (numbers - numbers.min()) / spread if spread > 0 else np.zeros_like(numbers)


def _wins(judge: NDArray[np.int64], table: NDArray[np.int64], column: int, numbers: Floats | None) -> _Wins:
    """Who wins each item that this rater and another rater answered; the rater where the judge did not."""
    others = np.delete(table, column, axis=1)
    usable = (table[:, column] >= 0) & (others >= 0).any(axis=1)
    mine, theirs, others = judge[usable, None], table[usable, column, None], others[usable]
    given, silent = others >= 0, mine[:, 0] < 0
    if numbers is None:
        lead = ((others == mine) & given).sum(axis=1) - ((others == theirs) & given).sum(axis=1)
        return _Wins((lead >= 0) & ~silent, (lead <= 0) | silent)
    far, near = (np.where(given, (numbers[others] - numbers[x]) ** 2, 0.0).sum(axis=1) for x in (theirs, mine))
    return _Wins((far - near >= -_TIE) & ~silent, (far - near <= _TIE) | silent)


def _p_value(won: _Wins, epsilon: float) -> float:
    """P that the judge wins less often than the rater less epsilon, by a t test."""
    lead = won.rater.astype(np.float64) - won.judge - epsilon
    if np.ptp(lead) == 0:
        return 0.0 if lead[0] < 0 else 1.0
    n = len(lead)
    return t_cdf(float(lead.mean()) / (float(lead.std(ddof=1)) / math.sqrt(n)), n - 1)


def _rater(column: int, won: _Wins, found: tuple[float, float] | None, q: float, min_items: int) -> AltTestRater:
    n = len(won.judge)
    reason = None if found else f"{n} items with the judge and another rater; the test needs {min_items}"
    return AltTestRater(
        rater=column,
        n=n,
        rho_f=float(won.judge.mean()) if n else None,
        rho_h=float(won.rater.mean()) if n else None,
        p=found[0] if found else None,
        p_adjusted=found[1] if found else None,
        rejected=found[1] <= q if found else None,
        reason=reason,
    )
