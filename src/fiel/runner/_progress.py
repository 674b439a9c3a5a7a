"""Where a run stands, in numbers. Knows no judge and prints nothing."""

from __future__ import annotations

import msgspec


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands.

    Args:
        total: cells (subject x criterion) of the whole run; kept: of these, there from an earlier run.
        done: answered in this run; failed: of these, without a verdict.
        calls: made to a model in this run; reused: replies that were there already.
        tokens: input, output and cached tokens of these calls, each None once one reply did not tell.
        cost: of these calls, None where it is unknown; seconds: since the start.
        served: how many judgements each served model gave, by "model@fingerprint".
    """

    total: int
    kept: int
    done: int
    failed: int
    cost: float | None
    seconds: float
    calls: int = 0
    reused: int = 0
    tokens: tuple[int | None, int | None, int | None] = (0, 0, 0)
    served: dict[str, int] = {}

    @property
    def rate(self) -> float:
        """Cells a second in this run."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end at the present rate; None before the first answer."""
        return (self.total - self.kept - self.done) / self.rate if self.rate else None
