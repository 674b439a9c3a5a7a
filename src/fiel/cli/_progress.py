"""One line of progress on stderr: done, failed, rate, cost, time left. Knows no verb."""

from __future__ import annotations

import sys
import time

from fiel.cli._short import short
from fiel.records import visible
from fiel.runner import Progress

EVERY = 0.2  # seconds between two lines on a terminal
EVERY_PLAIN = 10.0  # seconds between two lines elsewhere


class Line:
    """Shows progress on stderr: one line that is rewritten on a terminal, a plain line now and then elsewhere."""

    def __init__(self, name: str, *, live: bool = True) -> None:
        self.name = short(name)
        self.quiet = not live
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.shown = time.monotonic()
        self.last: Progress | None = None
        self.width = 0

    def __call__(self, progress: Progress) -> None:
        """Show where the run stands, if enough time has passed."""
        self.last = progress
        now = time.monotonic()
        if not self.quiet and now - self.shown >= (EVERY if self.live else EVERY_PLAIN):
            self.shown = now
            self._write(visible(words(self.name, progress)))

    def end(self) -> None:
        """Leave the line."""
        if self.live and self.width:
            self._write("")
            self._write("")

    def _write(self, text: str) -> None:
        """Progress is talk: where nobody listens any more, the run goes on in silence."""
        try:
            sys.stderr.write("\r" + text.ljust(self.width) if self.live else text + "\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            self.quiet, self.live = True, False
        self.width = len(text)


def words(name: str, progress: Progress) -> str:
    """Progress in a line.

    >>> words("floor", Progress(total=480, kept=80, done=100, failed=2, cost=None, seconds=4.0))
    'floor: 180 of 480 judgements, 2 failed, 25.0/s, cost unknown, 12 s left'
    """
    cost = "cost unknown" if progress.cost is None else f"cost {progress.cost:.2f}"
    left = "" if progress.left is None else f", {_time(progress.left)} left"
    done = progress.kept + progress.done
    return (
        f"{name}: {done} of {progress.total} judgements, {progress.failed} failed, {progress.rate:.1f}/s, {cost}{left}"
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
