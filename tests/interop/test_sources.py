from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from fiel.interop import Content, Wish, find_tables, read_tables, understand
from fiel.records import Criterion, FielError, Item, Label, Rubric

ITEMS = [
    {
        "id": "q0",
        "group": "d1",
        "system": "m",
        "system_b": "n",
        "input": "Why?",
        "output": 'A;\n"b", ç',
        "output_b": "B",
        "turn": 1,
    },
    {
        "id": "q1",
        "group": "d1",
        "system": "m",
        "system_b": "n",
        "input": "How?",
        "output": "=cmd()",
        "output_b": "",
        "turn": 2,
    },
]
PEOPLE = [
    {"item_id": "q0", "annotator": "ana", "criterion": "tone", "label": 1},
    {"item_id": "q1", "annotator": "ana", "criterion": "tone", "label": 3},
]
JUDGES = [
    {"item": "q0", "model": "j", "criterion": "tone", "score": 2, "probs": '{"1": 0.25, "2": 0.75}'},
    {"item": "q1", "model": "j", "criterion": "tone", "score": 3, "probs": None},
]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """A table of the kind that the ending tells."""
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return
    if path.suffix == ".parquet":
        duckdb = pytest.importorskip("duckdb", reason="Parquet is read with DuckDB: pip install 'fiel[parquet]'")
        lines = path.with_name(f"{path.stem}-lines.json")
        lines.write_text(json.dumps(rows), encoding="utf-8")
        with duckdb.connect() as connection:
            connection.read_json(str(lines)).write_parquet(str(path))
        return
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(file.getvalue().encode())


def taken(folder: Path, **given: Any) -> Content:
    """What the tables in a folder are understood as."""
    return understand(read_tables(find_tables(folder)), name="set", **given)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_says_the_same(tmp_path: Path, ending: str):
    """The same rows are the same labels and judgements in each format; texts and names come through to the letter."""
    for name, rows in (("items", ITEMS), ("human", PEOPLE), ("judge", JUDGES)):
        write(tmp_path / f"{name}.{ending}", rows)
    content = taken(tmp_path)
    first = content.items[0]
    turn = "1" if ending in {"csv", "tsv"} else 1  # CSV has no numbers
    fields = {"system_b": "n", "output_b": "B", "turn": turn}
    assert first == Item(id="q0", group="d1", author="m", input="Why?", output='A;\n"b", ç', fields=fields)
    assert content.rubric["tone"].options == ("1", "2", "3")
    assert content.labels[1] == Label(subject="q1", criterion="tone", rater="ana", answer="3")
    said = content.judgements["j"]
    assert [(j.verdict, j.belief.probs if j.belief else None) for j in said] == [
        ("2", (0.25, 0.75, 0.0)),
        ("3", (0.0, 0.0, 1.0)),
    ]
    assert taken(tmp_path).contents == content.contents


def test_columns_that_nobody_needs(tmp_path: Path):
    """Without columns for criterion, rater and judge there is one of each, and items need no texts."""
    write(tmp_path / "items.csv", [{"item_id": "q0"}, {"item_id": "q1"}])
    write(tmp_path / "labels.csv", [{"id": "q0", "label": "no"}, {"id": "q1", "label": "yes"}])
    write(tmp_path / "judges.csv", [{"id": "q0", "label": "yes"}])
    content = taken(tmp_path)
    assert content.rubric.criteria[0].id == "verdict"
    assert {label.rater for label in content.labels} == {"human"}
    assert list(content.judgements) == ["judge"]
    assert "no column with the answers" in content.notes[0]


def test_of_two_answers_the_first_is_the_output(tmp_path: Path):
    """Of answer_a and answer_b the first is judged, and the other is a field."""
    write(tmp_path / "items.csv", [{"id": "q0", "answer_a": "x", "answer_b": "y"}])
    write(
        tmp_path / "judge.csv",
        [{"id": "q0", "verdict": "A", "order": "ab"}, {"id": "q0", "verdict": "B", "order": "ba"}],
    )
    content = taken(tmp_path)
    assert (content.items[0].output, content.items[0].fields) == ("x", {"answer_b": "y"})
    assert content.rubric.criteria[0].options == ("A", "B")


def test_a_rubric_that_is_given_is_used(tmp_path: Path):
    """With a rubric the values are read by it: its options, its words; other criteria are refused with the row."""
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}])
    write(tmp_path / "human.csv", [{"item": "q0", "criterion": "tone", "value": "YES"}])
    rubric = Rubric(id="r", criteria=(Criterion(id="tone", question="Kind?"),))
    assert taken(tmp_path, rubric=(rubric, "r.toml")).labels[0].answer == "yes"
    other = Rubric(id="r", criteria=(Criterion(id="tones", question="Kind?"),))
    with pytest.raises(FielError, match="no criterion 'tone'") as caught:
        taken(tmp_path, rubric=(other, "r.toml"))
    assert str(caught.value.where).endswith("human.csv, line 2")
    assert "Did you mean 'tones'?" in str(caught.value.fix)


def test_a_rubric_must_provide_for_what_does_not_apply(tmp_path: Path):
    """Where answers do not apply, a given rubric has to say when its criterion does."""
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}])
    write(tmp_path / "human.jsonl", [{"item": "q0", "criterion": "tone", "value": None, "status": "na"}])
    rubric = Rubric(id="r", criteria=(Criterion(id="tone", question="Kind?"),))
    with pytest.raises(FielError, match="did not apply") as caught:
        taken(tmp_path, rubric=(rubric, "r.toml"))
    assert "applies_when" in str(caught.value.fix)


def test_a_criterion_column_is_needed_where_there_are_several(tmp_path: Path):
    """With two criteria described, a table has to say which was answered."""
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}])
    write(tmp_path / "human.csv", [{"item": "q0", "value": "yes"}])
    (tmp_path / "dataset.json").write_text('{"criteria": {"a": {}, "b": {}}}', encoding="utf-8")
    with pytest.raises(FielError, match="No column says which criterion"):
        taken(tmp_path)


def test_levels_that_round_nothing_are_refused(tmp_path: Path):
    """An option that changes nothing is not passed over in silence."""
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}, {"id": "q1", "output": "x"}])
    write(tmp_path / "human.csv", [{"item": "q0", "value": "yes"}, {"item": "q1", "value": "no"}])
    with pytest.raises(FielError, match="--levels is given"):
        taken(tmp_path, wish=Wish(levels=("0", "1")))


def test_which_files(tmp_path: Path):
    """A folder without items, with two tables for one thing, or without any answer is refused."""
    with pytest.raises(FielError, match="no such folder"):
        find_tables(tmp_path / "nowhere")
    with pytest.raises(FielError, match="No file holds the items"):
        find_tables(tmp_path)
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}])
    with pytest.raises(FielError, match="no answer of a person and none of a judge"):
        read_tables(find_tables(tmp_path))
    write(tmp_path / "items.jsonl", [{"id": "q0", "output": "x"}])
    with pytest.raises(FielError, match=r"items.csv and items.jsonl"):
        find_tables(tmp_path)


def test_items_need_ids_of_their_own(tmp_path: Path):
    """Items without an id column, or with one id twice, are refused: nothing could be matched."""
    write(tmp_path / "human.csv", [{"item": "q0", "value": "yes"}])
    write(tmp_path / "items.csv", [{"output": "x"}])
    with pytest.raises(FielError, match="No column names the items"):
        read_tables(find_tables(tmp_path))
    write(tmp_path / "items.csv", [{"id": "q0", "output": "x"}, {"id": "q0", "output": "y"}])
    with pytest.raises(FielError, match="Two items have the id 'q0'"):
        read_tables(find_tables(tmp_path))
