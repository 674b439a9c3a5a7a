"""The largest value of a linear function under linear equations, for a few dozen variables. Knows no statistic."""

import math

import numpy as np

from fiel.stats._checks import Floats

_ZERO = 1e-11


def largest(objective: Floats, rows: Floats, right: Floats) -> float:
    """The maximum of objective @ x over x >= 0 with rows @ x = right; NaN where no such x exists.

    The simplex method in two phases, with Bland's rule, which cannot cycle: the first phase drives one slack for each
    equation to 0, the second starts from there. The maximum must be finite.

    Args:
        objective: shape (variables,).
        rows: shape (equations, variables).
        right: shape (equations,).

    Dantzig (1963); Bland (1977).
    """
    sign = np.where(right < 0, -1.0, 1.0)
    equations, variables = rows.shape
    board = np.hstack([rows * sign[:, None], np.eye(equations), (right * sign)[:, None]])
    basis = list(range(variables, variables + equations))
    _improve(board, basis, np.append(np.zeros(variables), -np.ones(equations)), variables + equations)
    slack = sum(board[row, -1] for row, column in enumerate(basis) if column >= variables)
    if slack > _ZERO * max(1.0, float(np.abs(right).max(initial=0.0))):
        return math.nan
    _drive_out(board, basis, variables)
    value = np.append(objective, np.zeros(equations))
    _improve(board, basis, value, variables)
    return float(value[basis] @ board[:, -1])


def _improve(board: Floats, basis: list[int], value: Floats, columns: int) -> None:
    """Pivot until none of the first `columns` columns would raise the value."""
    while True:
        gain = value[:columns] - value[basis] @ board[:, :columns]
        better = np.flatnonzero(gain > _ZERO * max(1.0, float(np.abs(value).max())))
        if not better.size:
            return
        column = int(better[0])
        bound = np.flatnonzero(board[:, column] > _ZERO)
        ratios = board[bound, -1] / board[bound, column]
        tied = bound[ratios <= ratios.min() + _ZERO]
        _pivot(board, basis, min((int(row) for row in tied), key=lambda row: basis[row]), column)


def _drive_out(board: Floats, basis: list[int], variables: int) -> None:
    """Put a variable in the place of each slack that stands at 0 in the basis; a row without one is superfluous."""
    for row, column in enumerate(basis):
        usable = np.flatnonzero(np.abs(board[row, :variables]) > _ZERO)
        if column >= variables and usable.size:
            _pivot(board, basis, row, int(usable[0]))


def _pivot(board: Floats, basis: list[int], row: int, column: int) -> None:
    board[row] /= board[row, column]
    factors = board[:, column].copy()
    factors[row] = 0.0
    board -= factors[:, None] * board[row]
    basis[row] = column
