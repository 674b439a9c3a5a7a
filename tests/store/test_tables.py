from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.records import FielError, Item, encode_lines
from fiel.store.tables import Guess, Table, guess_columns, items_from, read_items, read_table

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with this content."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def parquet(folder: Path, query: str) -> Path:
    """A Parquet file with the rows of a query."""
    duckdb = pytest.importorskip("duckdb")
    path = folder / "t.parquet"
    duckdb.connect(":memory:").execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_csv(tmp_path: Path, delimiter: str, mark: bytes, ending: str):
    """A CSV file is read whatever its delimiter, mark and line ends; rows know their lines and empty cells are None."""
    lines = ["id,answer,note", '1,"two', 'lines",', "", "2,plain,x"]
    text = ending.join(line.replace(",", delimiter) for line in lines)
    table = read_table(write(tmp_path, "t.csv", mark + text.encode()))
    assert table.columns == ("id", "answer", "note")
    assert table.rows == [
        {"id": "1", "answer": f"two{ending}lines", "note": None},
        {"id": "2", "answer": "plain", "note": "x"},
    ]
    assert table.places == [2, 5]
    assert table.where(1).endswith("t.csv, line 5")


def test_delimiter_inside_quotes_does_not_count(tmp_path: Path):
    """The header decides the delimiter, and what stands in its quotes does not."""
    table = read_table(write(tmp_path, "t.csv", 'id;"a, b, c";d\n1;2;3\n'))
    assert table.columns == ("id", "a, b, c", "d")


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("id,answer\n1,a\n2,b,c\n", "row: 3; in the header: 2", 3),
        ("id,answer\n1,a\n\n2\n", "row: 1; in the header: 2", 4),
        ('id,answer\n1,a\n2,"b\nc', "not CSV", 3),
        ('id,answer\n1,"a"b\n', "not CSV", 2),
        ("id,id\n1,a\n", "Two columns are called 'id'", 1),
        ("id,answer\n1,a\0b\n", "NUL", 2),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, what: str, line: int):
    """A ragged, malformed or ambiguous CSV file is refused with the line."""
    with pytest.raises(FielError, match=what) as caught:
        read_table(write(tmp_path, "t.csv", text))
    assert caught.value.where == f"{tmp_path / 't.csv'}, line {line}"


def test_wrong_encoding(tmp_path: Path):
    """A CSV file in another encoding is refused with the byte and its line."""
    with pytest.raises(FielError, match="0xE9") as caught:
        read_table(write(tmp_path, "t.csv", "id,answer\n1,a\n2,caf\xe9\n".encode("latin-1")))
    assert (caught.value.where or "").endswith("line 3")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json", "t.parquet", "t.xlsx"])
def test_missing_and_empty(tmp_path: Path, name: str):
    """A missing file is missing and an empty one empty, in every format and before its ending is looked at."""
    with pytest.raises(FielError, match="no file"):
        read_table(tmp_path / name)
    with pytest.raises(FielError, match="empty"):
        read_table(write(tmp_path, name, ""))


def test_a_mark_alone_is_no_table(tmp_path: Path):
    """A CSV file of a byte order mark and white space has no header."""
    with pytest.raises(FielError, match="no header"):
        read_table(write(tmp_path, "t.csv", b"\xef\xbb\xbf\n \n"))


def test_unknown_ending(tmp_path: Path):
    """An ending that is no table's is refused with the ones that are."""
    with pytest.raises(FielError, match=r"\.parquet"):
        read_table(write(tmp_path, "t.xlsx", "x"))


def test_long_fields(tmp_path: Path):
    """A field of 9 MB is read, one over 10 MB refused, and the limit of the csv module is left as it was."""
    before = csv.field_size_limit()
    table = read_table(write(tmp_path, "t.csv", "id,answer\n1," + "x" * 9_000_000 + "\n"))
    assert len(table.rows[0]["answer"]) == 9_000_000
    with pytest.raises(FielError, match="not CSV"):
        read_table(write(tmp_path, "t.csv", "id,answer\n1," + "x" * 11_000_000 + "\n"))
    assert csv.field_size_limit() == before


def test_json_lines(tmp_path: Path):
    """JSON Lines end at newlines alone, and objects need not have the same keys."""
    table = read_table(write(tmp_path, "t.jsonl", '{"a": "x\u2028y"}\n\n{"b": [1], "a": null}\n'))
    assert table.columns == ("a", "b")
    assert table.rows == [{"a": "x\u2028y", "b": None}, {"a": None, "b": [1]}]
    assert table.places == [1, 3]


@pytest.mark.parametrize("line", ["[1]", "{", '{"a": NaN}', '{"a": "\\ud800"}', '{"a": "\x00"}'])
def test_bad_json_lines(tmp_path: Path, line: str):
    """A line that is no JSON object, or holds what no text can hold, is refused with its number."""
    with pytest.raises(FielError) as caught:
        read_table(write(tmp_path, "t.jsonl", '{"a": "x"}\n' + line + "\n"))
    assert (caught.value.where or "").endswith("t.jsonl, line 2")


def test_json(tmp_path: Path):
    """A .json file is a list of objects, and anything else is refused with the remedy."""
    table = read_table(write(tmp_path, "t.json", '[{"a": 1},\n {"a": 2}]'))
    assert ([row["a"] for row in table.rows], table.where(1)) == ([1, 2], f"{tmp_path / 't.json'}, row 2")
    with pytest.raises(FielError, match=r"\.jsonl"):
        read_table(write(tmp_path, "t.json", '{"a": 1}\n{"a": 2}'))


def test_parquet(tmp_path: Path):
    """Parquet cells come as they are; null and NaN are None, and bytes are text."""
    path = parquet(tmp_path, "SELECT 1 AS id, 'nan'::DOUBLE AS n, NULL AS z, encode('é') AS b, ['x', 'y'] AS l")
    assert read_table(path).rows == [{"id": 1, "n": None, "z": None, "b": "é", "l": ["x", "y"]}]


def test_parquet_name_is_no_pattern(tmp_path: Path):
    """A Parquet file whose name has pattern signs is read, and it alone."""
    path = parquet(tmp_path, "SELECT 1 AS id").rename(tmp_path / "t[1]*.parquet")
    parquet(tmp_path, "SELECT 2 AS id").rename(tmp_path / "t1.parquet")
    assert read_table(path).rows == [{"id": 1}]


def test_not_parquet(tmp_path: Path):
    """A file that is Parquet by name only is refused."""
    pytest.importorskip("duckdb")
    with pytest.raises(FielError, match="cannot be read as Parquet"):
        read_table(write(tmp_path, "t.parquet", "id,answer\n"))


def test_parquet_without_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without DuckDB the error says what to install."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(FielError, match=r"pip install 'fiel\[parquet\]'"):
        read_table(write(tmp_path, "t.parquet", "PAR1"))


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (["id", "question", "answer"], {"id": "id", "input": "question", "output": "answer"}),
        (
            ["uuid", "Pregunta", "Respuesta", "Contexto"],
            {"input": "Pregunta", "output": "Respuesta", "context": "Contexto"},
        ),
        (["user_input", "retrieved_contexts", "response", "reference"], {"input": "user_input", "output": "response"}),
        (["prompt", "gold_answer", "answer"], {"reference": "gold_answer", "output": "answer"}),
        (["reference_answer", "model_answer"], {"reference": "reference_answer", "output": "model_answer"}),
        (["respuesta_modelo", "respuesta_correcta"], {"output": "respuesta_modelo", "reference": "respuesta_correcta"}),
        (["doc_id", "article", "summary"], {"group": "doc_id", "output": "summary", "id": None, "context": None}),
        (["answer_length", "answer_score", "answer_id"], {"output": None, "id": "answer_id"}),
        (["itemId", "modelName", "finalAnswer"], {"id": "itemId", "author": "modelName", "output": "finalAnswer"}),
        (["Answer", "answer"], {"output": None}),
        (["system", "output", "output_b"], {"author": "system", "output": "output"}),
        (["a", "b"], {"output": None, "input": None}),
        (["Résumé"], {"output": None}),
        (["Predicción"], {"output": "Predicción"}),
    ],
)
def test_guess(columns: list[str], roles: dict[str, str | None]):
    """Usual names in English and Spanish find their roles; names that only look alike do not."""
    guess = guess_columns(columns)
    assert {role: getattr(guess, role) for role in roles} == roles


COLUMNS = ("id", "answer", "model_answer", "question", "source", "doc_id", "system", "gold", "note", "score")


@given(st.lists(st.sampled_from(COLUMNS), unique=True))
def test_each_column_has_one_role(columns: list[str]):
    """Every column plays one role or is a field, never both and never two."""
    guess = guess_columns(columns)
    roles = {role: value for role, value in msgspec.structs.asdict(guess).items() if role not in {"fields", "unclear"}}
    played = [value for value in roles.values() if value is not None]
    assert sorted([*played, *guess.fields]) == sorted(columns)


def test_given_roles_come_first():
    """A role that the user gave is kept, and its column is guessed into no other."""
    guess = guess_columns(["answer", "response"], given={"reference": "answer"})
    assert (guess.reference, guess.output, guess.fields) == ("answer", "response", ())


@pytest.mark.parametrize(
    ("given_roles", "what"),
    [
        ({"output": "anwser"}, "mean 'answer'"),
        ({"ouput": "answer"}, "mean 'output'"),
        ({"output": "q", "input": "q"}, "two"),
    ],
)
def test_given_roles_are_checked(given_roles: dict[str, str], what: str):
    """A column or role that does not exist is refused with the nearest, and so is a column given twice."""
    with pytest.raises(FielError, match=what):
        guess_columns(["answer", "q"], given=given_roles)


def table_of(rows: list[dict[str, Any]]) -> Table:
    """A table of these rows, on lines 2 and after."""
    return Table(name="t.csv", columns=tuple(rows[0]), rows=rows, places=list(range(2, len(rows) + 2)))


def test_items_from():
    """Cells become texts, keys and fields; absent ones are left out."""
    rows: list[dict[str, Any]] = [
        {
            "id": 7.0,
            "input": 3,
            "context": ["a", "b"],
            "output": True,
            "group": 1.0,
            "route": "x",
            "n": 0.5,
            "o": {"k": 1},
        },
        {
            "id": " b ",
            "input": None,
            "context": None,
            "output": None,
            "group": None,
            "route": None,
            "n": None,
            "o": None,
        },
    ]
    assert items_from(table_of(rows), guess_columns(rows[0])) == [
        Item(
            id="7",
            input="3",
            context="a\n\nb",
            output="true",
            group="1",
            fields={"route": "x", "n": 0.5, "o": '{"k":1}'},
        ),
        Item(id="b"),
    ]


def test_ids_are_row_numbers_without_a_column():
    """Without an id column the first row is "1"."""
    items = items_from(table_of([{"output": "x"}, {"output": "y"}]), Guess(output="output"))
    assert [item.id for item in items] == ["1", "2"]


def test_items_can_always_be_written():
    """Numbers that JSON cannot hold become text, so that every item made of a table can be written and read again."""
    items = items_from(
        table_of([{"output": "x", "n": float("inf"), "m": 2**80}]), Guess(output="output", fields=("n", "m"))
    )
    assert items[0].fields == {"n": "inf", "m": str(2**80)}
    assert encode_lines(items)


@pytest.mark.parametrize(
    ("rows", "mapping", "what", "where"),
    [
        (
            [{"id": "a", "o": "x"}, {"id": "b", "o": "x"}, {"id": "a", "o": "y"}],
            {},
            "id 'a'",
            "line 4, and t.csv, line 2",
        ),
        ([{"id": None, "o": "x"}], {}, "empty", "t.csv, line 2"),
        ([{"id": "a\nb", "o": "x"}], {}, "line break", "t.csv, line 2"),
        ([{"id": "a", "o": "x"}], {"output": None}, "--output COLUMN. Columns: id, o", "t.csv"),
    ],
)
def test_bad_items(rows: list[dict[str, Any]], mapping: dict[str, Any], what: str, where: str):
    """A duplicate, empty or impossible id names its lines; a missing output column lists the columns and the option."""
    with pytest.raises(FielError) as caught:
        items_from(table_of(rows), Guess(**{"id": "id", "output": "o", **mapping}))
    assert what in str(caught.value)
    assert (caught.value.where or "").endswith(where)


def test_table_without_rows(tmp_path: Path):
    """A header without rows makes no items."""
    table = read_table(write(tmp_path, "t.csv", "id,output\n"))
    with pytest.raises(FielError, match="no rows"):
        items_from(table, guess_columns(table.columns))


def test_read_items(tmp_path: Path):
    """Items files are read in the order given."""
    one = write(tmp_path, "1.jsonl", encode_lines([Item(id="a", output="x\x85y"), Item(id="b")]))
    two = write(tmp_path, "2.jsonl", encode_lines([Item(id="c")]))
    assert [item.id for item in read_items([two, one])] == ["c", "a", "b"]


def test_duplicate_across_files(tmp_path: Path):
    """An id in two files is refused with both places."""
    one, two = write(tmp_path, "1.jsonl", '{"id": "a"}\n'), write(tmp_path, "2.jsonl", '\n{"id": "a"}\n')
    with pytest.raises(FielError, match="'a'") as caught:
        read_items([one, two])
    assert caught.value.where == f"{two}, line 2, and {one}, line 1"


@pytest.mark.parametrize("line", ['{"id": "a", "question": "x"}', '{"output": "x"}', '{"id": ""}', '{"id": 3}'])
def test_bad_items_file(tmp_path: Path, line: str):
    """A line that is no item is refused with its number."""
    with pytest.raises(FielError) as caught:
        read_items([write(tmp_path, "1.jsonl", line)])
    assert (caught.value.where or "").endswith("1.jsonl, line 1")


@pytest.mark.parametrize("line", ['{"id": "a", "question": "x"}', '{"output": "x"}'])
def test_a_raw_table_among_the_items(tmp_path: Path, line: str):
    """A line with other fields than an item's, or without an id, is told how to make items of its file."""
    with pytest.raises(FielError) as caught:
        read_items([write(tmp_path, "raw.jsonl", line)])
    assert "fiel init raw.jsonl --add" in (caught.value.fix or "")


anything = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\0", "a\x85b", "a\u2028b", "שלום\u202e!", "\r"]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(anything, anything, anything), min_size=1, max_size=4))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str, str]]):
    """Items with any text (NUL, U+0085, U+2028, right-to-left) are read from JSON Lines as they were written."""
    items = [Item(id=str(n), input=a, output=b, fields={"f": c}) for n, (a, b, c) in enumerate(texts)]
    path = write(tmp_path_factory.mktemp("items"), "x.jsonl", encode_lines(items))
    assert read_items([path]) == items


def test_lone_surrogate(tmp_path: Path):
    """A lone surrogate is refused when items are written, and its escape when they are read."""
    with pytest.raises(FielError, match="surrogate"):
        encode_lines([Item(id="a", output="x\ud800")])
    with pytest.raises(FielError, match="surrogate"):
        read_items([write(tmp_path, "x.jsonl", '{"id": "a", "output": "\\ud800"}\n')])


def test_published_items():
    """The items of a published set are read with their columns guessed and none lost."""
    path = REAL / "basse_es" / "items.parquet"
    if not path.exists():
        pytest.skip("the published sets are not beside this checkout")
    pytest.importorskip("duckdb")
    table = read_table(path)
    guess = guess_columns(table.columns)
    assert (guess.id, guess.output, guess.group, guess.author) == ("item_id", "output", "group", "system")
    assert len(items_from(table, guess)) == 990
