"""The floors of the house are held by import-linter, and the contracts do catch what they forbid."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

VIOLATIONS = {
    "statistics that know a record": ("stats/_stray.py", "from fiel.records import Item", "stand alone"),
    "statistics that log": ("stats/_stray.py", "import logging", "stand alone"),
    "SciPy outside its one module": ("stats/_stray.py", "import scipy.special", "stand alone"),
    "labelling that knows a judge": ("labelling/_stray.py", "from fiel.judges import Judge", "Blindness"),
    "pages that read judgements": ("web/_stray.py", "import fiel.store.judgements", "Blindness"),
    "a judge that opens a file of the project": ("judges/_stray.py", "import fiel.store.project", "floors"),
    "a measure that prints a report": ("measures/_stray.py", "import fiel.reports", "floors"),
    "neighbours that know each other": ("reports/_stray.py", "import fiel.interop", "floors"),
    "an import hidden in a function": ("measures/_stray.py", "def f():\n    import fiel.runner", "floors"),
    "a database outside store": ("runner/_stray.py", "import sqlalchemy", "Databases"),
    "the network outside models": ("judges/_stray.py", "import socket", "network"),
    "drawing outside reports": ("measures/_stray.py", "import rich", "Drawing"),
    "a room that nobody planned": ("attic/__init__.py", "", "floors"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Import-linter over the sources in a folder."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": "src", "PATH": "", "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources and their configuration."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.house
def test_the_house_stands():
    """The sources as they are break no contract."""
    run = lint(ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.house
@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_caught(copy: Path, name: str):
    """A deliberate violation in a copy of the sources breaks the contract that forbids it, and is named."""
    file, code, contract = VIOLATIONS[name]
    target = copy / "src" / "fiel" / file
    target.parent.mkdir(exist_ok=True)
    target.write_text(f'"""A stray module."""\n\n{code}\n')
    run = lint(copy)
    assert run.returncode == 1, run.stdout + run.stderr
    broken = [line for line in run.stdout.splitlines() if " BROKEN" in line]
    assert any(contract in line for line in broken), run.stdout
