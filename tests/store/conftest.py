"""A small project on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFIG = """\
[project]
name = "support-bot"
labels = "labels/*.csv"

[models.fast]
base_url = "https://api.example.com/v1"
model = "small-judge-2026"
api_key_env = "JUDGE_API_KEY"
price = { input = 0.25, output = 2.0 }

[models.tiny]
kind = "local"
gguf = "models/tiny.gguf"

[[judges]]
name = "house"
model = "fast"
rubric = "rag"

[[judges]]
name = "floor"
kind = "baseline"
rubric = "rag"

[[gates]]
name = "grounded enough"
judge = "house"
criterion = "grounded"
at_least = 0.90
"""

RUBRIC = """\
id = "rag"
guidance = \"\"\"
Judge the ANSWER
against the CONTEXT.\"\"\"

[[criteria]]
id = "grounded"
question = "Does the CONTEXT support the ANSWER?"
passing = ["yes"]

[[criteria]]
id = "format"
question = "Is the ANSWER a JSON object?"
options = ["no", "yes"]
check = { kind = "json_schema", schema = "schemas/answer.json" }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a whole project: configuration, rubric, schema, items and labels."""
    for folder in ("rubrics", "schemas", "items", "labels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "fiel.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "rubrics" / "rag.toml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "schemas" / "answer.json").write_text('{"type": "object"}', encoding="utf-8")
    (tmp_path / "items" / "one.jsonl").write_text('{"id": "a1", "output": "x"}\n{"id": "a2"}\n', encoding="utf-8")
    (tmp_path / "labels" / "ana.csv").write_text(
        "item,criterion,rater,answer\na1,grounded,ana,yes\na2,grounded,ana,no\n", encoding="utf-8"
    )
    return tmp_path
