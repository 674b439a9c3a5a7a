"""What every interval returns: a value, its limits, and how they came about. Computes nothing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["both", "lower", "upper"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A number with its interval, or the reason why there is none. Numbers of numpy become plain ones.

    Args:
        value: the point estimate; None where it or its interval is undefined, and then `reason` says why.
        low: the lower limit; None where `value` is None, or where an "upper" bound has no other end.
        high: the upper limit; None where `value` is None, or where a "lower" bound has no other end.
        confidence: the coverage that the limits promise, between 0 and 1.
        method: how the limits were computed, in words a reader can look up.
        n: the number of independent units: items, or clusters of items.
        side: "both" for an interval; "lower" where `low` alone is the bound; "upper" where `high` alone is.
        reason: why `value` is None, as a sentence without a full stop.
        details: what the method measured on the way; what is undefined is left out.
        notes: what a reader has to know before he uses the number, as sentences without a full stop.

    Raises:
        ValueError: when the limits do not hold the value, or a number is NaN or infinite, or a reason is missing.

    >>> print(Estimate(value=0.714, low=0.62, high=0.79, confidence=0.95, method="wilson", n=200))
    0.71 [0.62, 0.79] n=200
    """

    value: float | None
    low: float | None
    high: float | None
    confidence: float
    method: str
    n: int
    side: Side = "both"
    reason: str | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("value", "low", "high", "confidence"):
            number = getattr(self, name)
            object.__setattr__(self, name, None if number is None else float(number))
        object.__setattr__(self, "n", int(self.n))
        object.__setattr__(self, "details", {name: float(x) for name, x in self.details.items()})
        object.__setattr__(self, "notes", tuple(self.notes))
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {self.confidence!r}")
        if self.side not in ("both", "lower", "upper"):
            raise ValueError(f'side must be "both", "lower" or "upper", got {self.side!r}')
        if self.n < 0:
            raise ValueError(f"n counts independent units and cannot be {self.n!r}")
        named = {"value": self.value, "low": self.low, "high": self.high, **self.details}
        for name, number in named.items():
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{name} is {number!r}; leave out what is undefined, or give value=None and a reason")
        if self.value is None:
            self._check_undefined()
        else:
            self._check_limits(self.value)

    def _check_undefined(self) -> None:
        if not self.reason:
            raise ValueError("value is None: say why in reason")
        if self.low is not None or self.high is not None:
            raise ValueError("value is None: low and high must be None too")

    def _check_limits(self, value: float) -> None:
        if self.reason is not None:
            raise ValueError(f"reason explains a missing value, but value is {value!r}; drop one of the two")
        if self.low is None and self.side != "upper":
            raise ValueError(f'low is None: side="{self.side}" needs it')
        if self.high is None and self.side != "lower":
            raise ValueError(f'high is None: side="{self.side}" needs it')
        if (self.low is not None and self.low > value) or (self.high is not None and self.high < value):
            raise ValueError(f"the limits [{self.low!r}, {self.high!r}] do not hold the value {value!r}")

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.reason}"
        if self.side == "lower":
            limits = f"(at least {_shown(self.low)})"
        elif self.side == "upper":
            limits = f"(at most {_shown(self.high)})"
        else:
            limits = f"[{_shown(self.low)}, {_shown(self.high)}]"
        return f"{_shown(self.value)} {limits} n={self.n}"


def undefined(
    reason: str, *, confidence: float, method: str, n: int, side: Side, details: Mapping[str, float] | None = None
) -> Estimate:
    """An Estimate that has no value, for `reason`."""
    return Estimate(
        value=None,
        low=None,
        high=None,
        confidence=confidence,
        method=method,
        n=n,
        side=side,
        reason=reason,
        details=details or {},
    )


def _shown(number: float | None) -> str:
    """Two decimals, a real minus sign, and no sign on what rounds to zero."""
    text = f"{number:.2f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")
