"""Where a promise begins to hold, found by halving. Knows no statistic."""

from collections.abc import Callable

MOST = 10**12  # items beyond which no plan is made

_HALVINGS = 200


def check_power(power: float) -> None:
    """Raise ValueError unless `power` lies from 0.5 to 1 - 1e-9."""
    if not 0.5 <= power <= 1 - 1e-9:
        raise ValueError(f"power must lie from 0.5 to 1 - 1e-9 (0.8 means 80 %), got {power!r}")


def smallest_whole(holds: Callable[[int], bool], *, least: int, what: str) -> int:
    """The smallest n from `least` with holds(n), for a promise that goes on holding once it holds.

    Raises:
        ValueError: where it does not hold for 1e12, naming `what` is to be eased.
    """
    high = least
    while not holds(high):
        if high >= MOST:
            raise ValueError(f"{what} asks for more than {MOST:,} items; ask for less")
        least, high = high + 1, min(2 * high, MOST)
    low = least
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def threshold(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The smallest x with holds(x), to the last digit; it is taken to hold at `high` and above the result."""
    if holds(low):
        return low
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
