"""What the benchmarks share: arguments, repeated whole-process measurements, rows with a goal."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One line of a goal table: `ratio` is value / peer, and `ok` says whether the goal is met."""

    name: str
    value: float
    peer: float | None
    ratio: float | None
    goal: str
    ok: bool


def arguments(about: str, **more: str) -> argparse.Namespace:
    """`--quick` for a run under 50 seconds, `--json` for rows as JSON, and `more` options that take a value."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help="a shorter run, under 50 seconds")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    for name, text in more.items():
        parser.add_argument(f"--{name}", help=text)
    return parser.parse_args()


def show(rows: Sequence[Row], *, as_json: bool) -> None:
    """Print the rows; the exit code is for whoever runs them to decide."""
    if as_json:
        print(json.dumps([row._asdict() for row in rows]))
        return
    for row in rows:
        peer = "" if row.peer is None or row.ratio is None else f"  peer {row.peer:.4g}  ratio {row.ratio:.3g}"
        print(f"{'ok  ' if row.ok else 'MISS'} {row.name}: {row.value:.4g}{peer}  goal {row.goal}")


def cpu_seconds(command: Sequence[str]) -> float:
    """User and system seconds of one run of a command, its output thrown away."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def paired(one: Sequence[str], other: Sequence[str], *, runs: int) -> tuple[float, float, float]:
    """Median CPU seconds of two commands run in turn, and the median of their ratios pair by pair."""
    cpu_seconds(one), cpu_seconds(other)  # files in the cache, byte code written
    pairs = [(cpu_seconds(one), cpu_seconds(other)) for _ in range(runs)]
    first, second = (statistics.median(side) for side in zip(*pairs, strict=True))
    return first, second, statistics.median(a / b for a, b in pairs)
