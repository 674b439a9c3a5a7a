"""A way to write tables as people have them, and to read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fiel.interop import Content, Wish, find_tables, read_tables, understand
from fiel.records import Rubric

ITEMS = [{"item_id": f"q{n}", "input": "Why?", "output": f"Because {n}."} for n in range(4)]


def as_lines(rows: Sequence[dict[str, Any]]) -> str:
    """JSON Lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


@pytest.fixture
def lay(tmp_path: Path) -> Callable[..., Path]:
    """Lay tables into a folder as JSON Lines, and the description if one is given."""

    def write(
        human: Sequence[dict[str, Any]] = (),
        judge: Sequence[dict[str, Any]] = (),
        *,
        items: Sequence[dict[str, Any]] = ITEMS,
        description: dict[str, Any] | None = None,
    ) -> Path:
        (tmp_path / "items.jsonl").write_text(as_lines(items), encoding="utf-8")
        for name, rows in (("human", human), ("judge", judge)):
            if rows:
                (tmp_path / f"{name}.jsonl").write_text(as_lines(rows), encoding="utf-8")
        if description is not None:
            (tmp_path / "dataset.json").write_text(json.dumps(description), encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def take(lay: Callable[..., Path]) -> Callable[..., Content]:
    """What such tables are understood as."""

    def read(
        human: Sequence[dict[str, Any]] = (),
        judge: Sequence[dict[str, Any]] = (),
        *,
        items: Sequence[dict[str, Any]] = ITEMS,
        description: dict[str, Any] | None = None,
        rubric: Rubric | None = None,
        repeat: str | None = None,
        probs_from: str = "stated",
        **wish: Any,
    ) -> Content:
        folder = lay(human, judge, items=items, description=description)
        given = None if rubric is None else (rubric, "rubrics/given.toml")
        return understand(
            read_tables(find_tables(folder)),
            name="set",
            rubric=given,
            wish=Wish(**wish),
            probs_from=probs_from,
            repeat=repeat,
        )

    return read
