"""One line of progress on stderr: done, failed, rate, cost, time left. Knows no verb."""

from __future__ import annotations

import sys
import time

from fiel.runner import Progress

EVERY = 0.2  # seconds between two lines on a terminal
EVERY_PLAIN = 10.0  # seconds between two lines elsewhere


class Line:
    """Shows progress on stderr: one line that is rewritten on a terminal, a plain line now and then elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.live = sys.stderr.isatty()
        self.last = time.monotonic()
        self.width = 0

    def __call__(self, progress: Progress) -> None:
        """Show where the run stands, if enough time has passed."""
        now = time.monotonic()
        if now - self.last >= (EVERY if self.live else EVERY_PLAIN):
            self.last = now
            self._write(words(self.name, progress))

    def end(self) -> None:
        """Leave the line."""
        if self.live and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()

    def _write(self, text: str) -> None:
        if self.live:
            sys.stderr.write("\r" + text.ljust(self.width))
            self.width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


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
