from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiel.interop._description import Described, read_description
from fiel.records import FielError


def described(folder: Path, data: Any) -> Any:
    """What a dataset.json says."""
    path = folder / "dataset.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return read_description(path)


def test_what_it_says(tmp_path: Path):
    """Levels and the rest are spelt in one way, and keys that mean nothing here are passed over."""
    found = described(
        tmp_path,
        {
            "name": "s",
            "language": "es",
            "bytes": {"items": 1},
            "criteria": {
                "a": {"type": "ordinal", "levels": [1, 2.0, "3"], "not_applicable": 0},
                "b": {"type": "continuous", "range": [0, 1]},
                "c": {"type": "binary", "levels": ["ham", "spam"], "positive": "spam", "question": "Spam?"},
            },
        },
    )
    assert (found.name, found.language) == ("s", "es")
    assert found.criteria["a"] == Described(kind="ordinal", levels=("1", "2", "3"), not_applicable=("0",))
    assert found.criteria["b"] == Described(kind="continuous", span=(0.0, 1.0))
    assert found.criteria["c"].passing == ("spam",)


def test_criteria_may_be_a_list(tmp_path: Path):
    """A list of criteria with ids is the same as an object by id."""
    assert list(described(tmp_path, {"criteria": [{"id": "a"}, {"id": "b"}]}).criteria) == ["a", "b"]


@pytest.mark.parametrize(
    ("criterion", "what"),
    [
        ({"type": "vibes"}, "no type 'vibes'"),
        ({"levels": [1]}, "levels is"),
        ({"levels": [1, 1.0]}, "levels is"),
        ({"levels": [{"a": 1}, 2]}, "texts or numbers"),
        ({"range": [1, 0]}, "lowest and the highest"),
        ({"range": "0-1"}, "lowest and the highest"),
        ({"question": 7}, "must be a text"),
        ("ordinal", "described by an object"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, criterion: Any, what: str):
    """An error names the file and the criterion."""
    with pytest.raises(FielError, match=what) as caught:
        described(tmp_path, {"criteria": {"tone": criterion}})
    assert str(caught.value.where).endswith("dataset.json, criteria.tone")


@pytest.mark.parametrize("data", [[1], {"criteria": 3}])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: Any):
    """A list, or criteria that are a number, are refused."""
    with pytest.raises(FielError):
        described(tmp_path, data)
