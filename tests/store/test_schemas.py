from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fiel.records import FielError
from fiel.store.schemas import FOLDER, as_file, schema

DESIGN = Path(__file__).resolve().parents[3] / "shared" / "docs" / "design.md"
REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "files.md"
NAMES = ("fiel", "rubric")


def examples(page: Path) -> dict[str, dict[str, Any]]:
    """The example of each kind of file that a page shows."""
    if not page.exists():
        pytest.skip(f"{page.name} is not beside this checkout")
    blocks = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return dict(zip(NAMES, map(tomllib.loads, blocks), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_packaged_file_is_what_the_records_say(name: str):
    """The packaged file is, to the byte, what is made of the records today."""
    assert (FOLDER / f"{name}.schema.json").read_bytes() == as_file(name)


@pytest.mark.parametrize("name", NAMES)
def test_is_a_schema(name: str):
    """The schema is one of its dialect."""
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", [DESIGN, REFERENCE], ids=["design", "reference"])
def test_examples_validate(name: str, page: Path):
    """The examples of the design page and of the reference are valid."""
    jsonschema.validate(examples(page)[name], schema(name))


@pytest.mark.parametrize(
    ("name", "place", "key", "value"),
    [
        ("fiel", (), "judge", []),
        ("fiel", ("judges", 0), "modle", "x"),
        ("fiel", ("models", "fast"), "api_key", "x"),
        ("fiel", ("gates", 0), "at_least", 1.5),
        ("fiel", ("gates", 0), "rate", "transported"),
        ("rubric", (), "criterias", []),
        ("rubric", ("criteria", 0), "qestion", "x"),
        ("rubric", ("criteria", 0), "options", [0, 1]),
        ("rubric", ("criteria", 1, "check"), "patern", "x"),
        ("rubric", ("criteria", 1, "check"), "kind", "jsonschema"),
    ],
)
def test_mistakes_do_not_validate(name: str, place: tuple[Any, ...], key: str, value: object):
    """An unknown key, a wrong word and a value out of range are invalid, wherever they stand."""
    data = examples(REFERENCE)[name]
    jsonschema.validate(data, schema(name))
    node: Any = data
    for step in place:
        node = node[step]
    node[key] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_described(name: str):
    """Every key of every table has a description, every table a title, and no table lets unknown keys in."""
    for definition in schema(name)["$defs"].values():
        assert definition["title"]
        assert definition["description"]
        assert definition["additionalProperties"] is False
        assert all(value["description"] for value in definition["properties"].values())


@pytest.mark.parametrize("name", NAMES)
def test_no_null(name: str):
    """TOML has no null, and neither have the schemas."""
    assert b"null" not in as_file(name)


def test_unknown_schema():
    """A schema that does not exist is refused with those that do."""
    with pytest.raises(FielError, match="fiel, rubric"):
        schema("labels")
