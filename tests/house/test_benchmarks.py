"""The benchmarks speak one form."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
PROGRAMS = sorted(path.name for path in BENCHMARKS.glob("[!_]*.py"))


def test_rows_have_one_form(monkeypatch, capsys):
    """As JSON, rows are a list of objects with the same six fields; as text, a missed goal says so."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    common = importlib.import_module("_common")
    rows = [common.Row("quick", 1.5, 3.0, 0.5, "<= 1", True), common.Row("light", 2, None, None, "0", False)]
    common.show(rows, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [list(row) for row in told] == [["name", "value", "peer", "ratio", "goal", "ok"]] * 2
    assert told[0]["ratio"] == 0.5
    assert told[1]["peer"] is None
    common.show(rows, as_json=False)
    met, missed = capsys.readouterr().out.splitlines()
    assert met.startswith("ok")
    assert missed.startswith("MISS light")


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_benchmark_can_be_quick_and_speak_json(program):
    """Each program says what it measures and takes --quick and --json."""
    run = subprocess.run(
        [sys.executable, program, "--help"], cwd=BENCHMARKS, capture_output=True, text=True, check=True
    )
    assert "--quick" in run.stdout
    assert "--json" in run.stdout
