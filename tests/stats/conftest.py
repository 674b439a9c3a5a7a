"""Published reference values, kept beside the repository; the tests that need them are skipped without."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def load(name: str) -> Any:
    """The content of one file of reference values."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the reference values {name} are not kept here")
    with path.open(encoding="utf-8", newline="") as file:
        return json.load(file) if path.suffix == ".json" else list(csv.DictReader(file))


@pytest.fixture(scope="session")
def ppi_reference() -> Any:
    """Inputs and values of the prediction-powered estimators."""
    return load("ppi/reference_values.json")


@pytest.fixture(scope="session")
def ares_rows() -> Any:
    """The two examples of ARES, rebuilt from the figures that it prints."""
    return load("ppi/ares_readme_reconstructed.csv")


@pytest.fixture(scope="session")
def agreement_reference() -> Any:
    """Coefficients of agreement, each confirmed by two programs or a paper."""
    return load("agreement/reference_core.json")


@pytest.fixture(scope="session")
def interval_reference() -> Any:
    """Intervals for coefficients of agreement."""
    return load("agreement/ci_reference.json")["values"]
