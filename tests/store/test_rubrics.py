from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiel.records import FielError, JSONSchema, Length, Regex
from fiel.store.rubrics import load_rubric

DESIGN = Path(__file__).resolve().parents[3] / "shared" / "docs" / "design.md"
CHECK = '{ kind = "json_schema", schema = "schemas/answer.json" }'


def changed(root: Path, old: str, new: str) -> Path:
    """The project's rubric with one text in place of another."""
    path = root / "rubrics" / "rag.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_whole_file(root: Path):
    """What the file says is what the rubric holds, the schema of a check read in."""
    rubric = load_rubric(root / "rubrics" / "rag.toml", root=root)
    assert (rubric.id, rubric.language) == ("rag", "en")
    assert rubric.guidance == "Judge the ANSWER\nagainst the CONTEXT."
    assert rubric["grounded"].passes == ("yes",)
    assert rubric["format"].checks == (JSONSchema(schema={"type": "object"}),)
    assert type(rubric).__name__ == "Rubric"
    assert {type(criterion).__name__ for criterion in rubric.criteria} == {"Criterion"}


def test_design_example(tmp_path: Path):
    """The example of the design page is read as it stands there."""
    if not DESIGN.exists():
        pytest.skip("the design page is not beside this checkout")
    block = re.findall(r"```toml\n(.*?)```", DESIGN.read_text(encoding="utf-8"), re.DOTALL)[1]
    (tmp_path / "rag.toml").write_text(block, encoding="utf-8")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "answer.json").write_text("{}", encoding="utf-8")
    assert [criterion.id for criterion in load_rubric(tmp_path / "rag.toml").criteria] == ["grounded", "format"]


@pytest.mark.parametrize(
    "written",
    [
        'checks = [{ kind = "length", maximum = 9 }]',
        'check = { kind = "length", maximum = 9 }',
        '[[criteria.checks]]\nkind = "length"\nmaximum = 9',
    ],
)
def test_three_ways_to_write_a_check(root: Path, written: str):
    """One check, a list of checks and a table of checks are the same criterion with the same digest."""
    rubric = load_rubric(changed(root, f"check = {CHECK}", written), root=root)
    assert rubric["format"].checks == (Length(maximum=9),)


def test_one_check_and_a_list(root: Path):
    """A single check comes before a list of them."""
    new = "check = { kind = 'regex', pattern = '^\\{' }\nchecks = [{ kind = 'length', minimum = 1 }]"
    rubric = load_rubric(changed(root, f"check = {CHECK}", new), root=root)
    assert rubric["format"].checks == (Regex(pattern=r"^\{"), Length(minimum=1))


def test_digest_covers_the_schema(root: Path):
    """A changed schema file is a changed rubric."""
    before = load_rubric(root / "rubrics" / "rag.toml", root=root).digest
    assert load_rubric(root / "rubrics" / "rag.toml", root=root).digest == before
    (root / "schemas" / "answer.json").write_text('{"type": "array"}', encoding="utf-8")
    assert load_rubric(root / "rubrics" / "rag.toml", root=root).digest != before


def test_schema_beside_the_rubric_comes_first(root: Path):
    """A schema beside the rubric is taken before one at the root."""
    (root / "rubrics" / "schemas").mkdir()
    (root / "rubrics" / "schemas" / "answer.json").write_text('{"title": "beside"}', encoding="utf-8")
    rubric = load_rubric(root / "rubrics" / "rag.toml", root=root)
    assert rubric["format"].checks == (JSONSchema(schema={"title": "beside"}),)


@pytest.mark.parametrize(
    ("old", "new", "what", "place", "fix"),
    [
        (
            'passing = ["yes"]',
            'options = ["yes"]',
            "two distinct options",
            "line 6, criteria[0], criterion 'grou",
            None,
        ),
        ('passing = ["yes"]', "options = [0, 1]", "must be text", "line 9, criteria[0].options[0]", '"0"'),
        ('passing = ["yes"]', 'passing = ["yse"]', "passing", "line 6, criteria[0], criterion", "options are"),
        ('passing = ["yes"]', 'passign = ["yes"]', "'passign'", "line 9, criteria[0].passign", "mean 'passing'"),
        ('passing = ["yes"]', 'scale = "ordnal"', "ordinal", "line 9, criteria[0].scale", "mean 'ordinal'"),
        ('id = "grounded"\n', "", "'id' is missing", "line 6, criteria[0]", "Add"),
        ('id = "format"', 'id = "grounded"', "Two criteria", "rubric 'rag'", None),
        ('"json_schema"', '"json_shema"', "json_schema", "line 15, criteria[1].check.kind", "mean 'json_schema'"),
        (CHECK, "{ pattern = 'x' }", "kind must be", "line 15, criteria[1].check", None),
        (CHECK, "{ kind = [] }", "kind must be", "line 15, criteria[1].check.kind", None),
        (CHECK, "{ kind = 'contains', any = 'x' }", "any must be a list", "line 15, criteria[1].check.any", None),
        (CHECK, "{ kind = 'json_schema', schema = 3 }", "schema must be", "line 15, criteria[1].check.schema", None),
        (CHECK, "'x'", "must be a table", "line 15, criteria[1].check", None),
        (CHECK, "{ kind = 'regex', patern = 'x' }", "'patern'", "criteria[1].check.patern", "mean 'pattern'"),
        (CHECK, "{ kind = 'number', value = nan }", "value = nan", "line 15, criteria[1].check", None),
        (CHECK, "{ kind = 'number', absolute = -1 }", "absolute = -1", "line 15, criteria[1].check", "0 or more"),
        ('passing = ["yes"]', 'passing = ["yes", "yes"]', "twice", "line 6, criteria[0]", None),
        ('passing = ["yes"]', 'options = ["", "yes"]', "empty", "line 6, criteria[0]", "Write it out"),
        ('id = "grounded"', 'id = "a\\nb"', "cannot be shown", "line 6, criteria[0]", "line breaks"),
        ('id = "grounded"', f'id = "{"x" * 201}"', "201 characters", "line 6, criteria[0]", "200"),
        (CHECK, "{ kind = 'regex', pattern = 'x', seconds = 0 }", "seconds", "line 15, criteria[1].check", None),
        (CHECK, "{ kind = 'length' }", "neither minimum", "line 15, criteria[1].check", "at least one"),
        ("answer.json", "none.json", "'format'", "line 15, criteria[1].check.schema", "Looked for"),
        ('id = "rag"', 'id = "rga"', "'rga'", "line 1, id", 'id = "rag"'),
        ("[[criteria]]", "[[criterias]]", "'criterias'", "line 6, criterias", "mean 'criteria'"),
    ],
)
def test_mistakes(root: Path, old: str, new: str, what: str, place: str, fix: str | None):
    """Each mistake is told with the line, the key and, where one is known, the remedy."""
    path = changed(root, old, new)
    with pytest.raises(FielError) as caught:
        load_rubric(path, root=root)
    assert what in caught.value.what
    assert f"{path}, " in (caught.value.where or "")
    assert place in (caught.value.where or "")
    assert (fix or "") in (caught.value.fix or "")
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize("content", ["{", "[]", ""])
def test_schema_that_is_none(root: Path, content: str):
    """A schema file that holds no JSON object is refused with its path and the criterion."""
    (root / "schemas" / "answer.json").write_text(content, encoding="utf-8")
    with pytest.raises(FielError, match="'format'") as caught:
        load_rubric(root / "rubrics" / "rag.toml", root=root)
    assert str(root / "schemas" / "answer.json") in (caught.value.where or "")


def test_toml_error_has_its_line(root: Path):
    """A syntax error names file, line and column."""
    path = changed(root, "[[criteria]]", "[[criteria]")
    with pytest.raises(FielError, match="Not TOML") as caught:
        load_rubric(path)
    assert (caught.value.where or "").startswith(f"{path}, line 6, column")


def test_missing_rubric(root: Path):
    """A missing file suggests its neighbour."""
    with pytest.raises(FielError, match=r"rag\.toml"):
        load_rubric(root / "rubrics" / "rga.toml")


def test_patterns_are_left_to_what_runs_them(root: Path):
    """A pattern of the library that matches it is no mistake of the file."""
    path = changed(root, CHECK, "{ kind = 'regex', pattern = '\\p{Lu}' }")
    assert load_rubric(path, root=root)["format"].checks == (Regex(pattern=r"\p{Lu}"),)


def test_schema_that_is_too_deep(root: Path):
    """A schema file nested beyond reading is refused with its path and the criterion."""
    (root / "schemas" / "answer.json").write_text('{"not":' * 100_000 + "{}" + "}" * 100_000, encoding="utf-8")
    with pytest.raises(FielError, match="'format'") as caught:
        load_rubric(root / "rubrics" / "rag.toml", root=root)
    assert str(root / "schemas" / "answer.json") in (caught.value.where or "")
