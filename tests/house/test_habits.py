"""The habits of the house: lint, types, strict tests, light imports."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import fiel

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """A tool of this environment over the repository."""
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.house
@pytest.mark.parametrize("command", [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)])
def test_lint_and_types_are_clean(command: tuple[str, ...]):
    """Ruff with all rules, its format, and mypy strict find nothing."""
    result = run(*command)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.house
def test_the_test_configuration_is_read(request: pytest.FixtureRequest):
    """These tests run under the configuration of pyproject.toml, where a warning is an error."""
    written = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert request.config.getini("filterwarnings") == written["filterwarnings"] == ["error"]
    assert request.config.getini("xfail_strict") is True
    with pytest.raises(UserWarning, match="an error here"):
        warnings.warn("an error here", stacklevel=1)


@pytest.mark.house
@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import fiel", {"numpy", "scipy", "aiohttp", "sqlalchemy", "msgspec", "typer", "rich", "duckdb"}),
        ("import fiel.cli", {"numpy", "scipy", "aiohttp", "sqlalchemy", "msgspec", "rich", "duckdb", "jinja2"}),
        ("import fiel.stats", {"scipy", "msgspec", "sqlalchemy"}),
    ],
)
def test_importing_is_light(statement: str, forbidden: set[str]):
    """Importing fiel, its command line or its statistics loads none of the heavy packages."""
    code = f"{statement}; import sys; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not forbidden & set(result.stdout.split())


@pytest.mark.house
def test_every_public_name_is_there():
    """Each name in `fiel.__all__` can be had, and a wrong one is an AttributeError that names it."""
    code = "import fiel; [getattr(fiel, n) for n in fiel.__all__]; print(len(fiel.__all__))"
    assert int(subprocess.check_output([sys.executable, "-c", code], text=True)) > 15
    with pytest.raises(AttributeError, match="no attribute 'jugde'"):
        fiel.jugde  # noqa: B018  the access is the test


@pytest.mark.house
def test_ci_calls_the_command_of_the_readme():
    """`.ci/run` runs the very test command that the README promises."""
    readme = (ROOT / "README.md").read_text()
    commands = [line for line in readme.splitlines() if "pytest" in line and line.startswith("python -m pip install")]
    assert len(commands) == 1
    assert commands[0] in (ROOT / ".ci" / "run").read_text().splitlines()
