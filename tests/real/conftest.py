"""The published data sets, read as `fiel import` reads them, each once a session."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiel.interop import Content, Wish, find_tables, read_tables, understand
from fiel.measures import CriterionValidation, columns_of, validate

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
PASSES = {"llmrubric_synth": {"repeat": "key_round", "probs_from": "logprobs"}}


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of the data sets; tests that need it are skipped where it is not."""
    pytest.importorskip("duckdb", reason="Parquet is read with DuckDB: pip install 'fiel[parquet]'")
    if not REAL.is_dir():
        pytest.skip("the published data sets are not beside this repository")
    return REAL


@pytest.fixture(scope="session")
def published(real: Path) -> dict[str, list[dict[str, Any]]]:
    """The published numbers, by data set."""
    return dict(json.loads((real / "EXPECTED.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def taken(real: Path) -> Callable[..., Content]:
    """A set as records, by its name and by what `fiel import` would be told of its scales."""

    @functools.cache
    def take(name: str, **wish: Any) -> Content:
        tables = read_tables(find_tables(real / name))
        return understand(tables, name=name, wish=Wish(**wish), **PASSES.get(name, {}))

    return take


@pytest.fixture(scope="session")
def judged() -> Callable[..., CriterionValidation]:
    """One judge of a set with a single criterion against its people."""

    def against(content: Content, judge: str, **options: Any) -> CriterionValidation:
        said = columns_of(content.judgements[judge])
        (found,) = validate(said, content.labels, rubric=content.rubric, items=content.items, **options).criteria
        return found

    return against
