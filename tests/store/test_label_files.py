from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiel.records import Criterion, FielError, Label, Rubric
from fiel.store.label_files import read_label_files, read_labels

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
ITEMS = {"a1", "a2", "a3"}
ONE = Rubric(id="one", criteria=(Criterion(id="grounded", question="?"),))
TWO = Rubric(
    id="two",
    criteria=(
        Criterion(id="grounded", question="?", options=("No", "Yes"), applies_when="There is a context."),
        Criterion(id="clear", question="?", options=("1", "2", "3"), scale="ordinal"),
    ),
)


def write(folder: Path, text: str, name: str = "labels.csv") -> Path:
    """A label file with this content."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def label(subject: str, criterion: str, rater: str, answer: str | None = None, skipped: str | None = None) -> Label:
    """A label as a plain file gives it."""
    return Label(subject=subject, criterion=criterion, rater=rater, answer=answer, skipped=skipped)


def test_long(tmp_path: Path):
    """One answer a row: read with its note and seconds, an empty one as a skip; the wording stays unknown."""
    path = write(
        tmp_path,
        "item,criterion,rater,answer,note,seconds\na1,grounded,ana,Yes,good,3.5\na1,clear,ana,2,,\na2,clear,bo,,,\n",
    )
    labels = read_labels(path, TWO, items=ITEMS)
    assert labels == [
        Label(subject="a1", criterion="grounded", rater="ana", answer="Yes", note="good", seconds=3.5),
        label("a1", "clear", "ana", "2"),
        label("a2", "clear", "bo", None, "blank"),
    ]
    assert {made.criterion_digest for made in labels} == {None}


@pytest.mark.parametrize("item", ["item", "id", "item_id", "Subject"])
@pytest.mark.parametrize("rater", ["annotator", "annotator_id", "labeller", "Rater"])
@pytest.mark.parametrize("answer", ["value", "label", "answer"])
def test_names_of_columns(tmp_path: Path, item: str, rater: str, answer: str):
    """The columns go by their usual names, and one criterion needs no column."""
    path = write(tmp_path, f"{item},{rater},{answer}\na1,ana,yes\n")
    assert read_labels(path, ONE, items=ITEMS) == [label("a1", "grounded", "ana", "yes")]


def test_wide(tmp_path: Path):
    """One column per rater: an empty cell is no label."""
    path = write(tmp_path, "item,criterion,ana,bo\na1,grounded,Yes,No\na1,clear,1,\n")
    assert read_labels(path, TWO, items=ITEMS) == [
        label("a1", "grounded", "ana", "Yes"),
        label("a1", "grounded", "bo", "No"),
        label("a1", "clear", "ana", "1"),
    ]


def test_wide_with_one_criterion(tmp_path: Path):
    """A wide file for a rubric of one criterion needs no criterion column."""
    path = write(tmp_path, "item,ana,bo\na1,yes,no\n")
    assert [made.rater for made in read_labels(path, ONE, items=ITEMS)] == ["ana", "bo"]


def test_wide_by_criterion(tmp_path: Path):
    """One column per criterion: an empty cell is no label."""
    path = write(tmp_path, "item,rater,grounded,clear\na1,ana,Yes,3\na2,ana,,2\n")
    assert read_labels(path, TWO, items=ITEMS) == [
        label("a1", "grounded", "ana", "Yes"),
        label("a1", "clear", "ana", "3"),
        label("a2", "clear", "ana", "2"),
    ]


def test_a_criterion_called_label(tmp_path: Path):
    """A column that is a criterion is one, also where its name is usual for answers."""
    rubric = Rubric(id="r", criteria=(Criterion(id="label", question="?"), Criterion(id="tone", question="?")))
    path = write(tmp_path, "item,rater,label,tone\na1,ana,yes,no\n")
    assert [made.criterion for made in read_labels(path, rubric, items=ITEMS)] == ["label", "tone"]


@pytest.mark.parametrize(
    ("criterion", "written", "meant"),
    [
        ("grounded", " yes ", "Yes"),
        ("grounded", "NO", "No"),
        ("clear", "2.0", "2"),
        ("clear", 3, "3"),
        ("clear", 1.0, "1"),
    ],
)
def test_answers_that_are_meant(tmp_path: Path, criterion: str, written: str | float, meant: str):
    """White space, capitals and the way a number is written do not matter."""
    line = json.dumps({"item": "a1", "criterion": criterion, "rater": "ana", "answer": written})
    assert read_labels(write(tmp_path, line, "l.jsonl"), TWO, items=ITEMS)[0].answer == meant


def test_an_exact_answer_comes_first(tmp_path: Path):
    """Options that differ in capitals alone are told apart, and what fits both is refused."""
    rubric = Rubric(id="r", criteria=(Criterion(id="c", question="?", options=("a", "A")),))
    assert read_labels(write(tmp_path, "item,rater,answer\na1,ana,A\n"), rubric, items=ITEMS)[0].answer == "A"
    with pytest.raises(FielError, match="no option"):
        read_labels(write(tmp_path, "item,rater,answer\na1,ana,A \n"), rubric, items=ITEMS)


def test_not_applicable(tmp_path: Path):
    """Where a criterion may not apply, saying so is a skip of that name; where it always applies, it is no option."""
    path = write(tmp_path, f"{LONG}\na1,grounded,ana,n/a\n")
    assert read_labels(path, TWO, items=ITEMS) == [label("a1", "grounded", "ana", None, "not applicable")]
    with pytest.raises(FielError, match="no option"):
        read_labels(write(tmp_path, f"{LONG}\na1,clear,ana,n/a\n"), TWO, items=ITEMS)


LONG = "item,criterion,rater,answer"
SPANISH = Rubric(
    id="es", criteria=(Criterion(id="clara", question="?", options=("no", "en parte", "sí", "sí, del todo")),)
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("si", "sí"),
        ("SI.", "sí"),
        ("No.", "no"),
        ("n", "no"),
        ("parte", "en parte"),
        ("si, del tod", "sí, del todo"),
        ("en partes", "en parte"),
    ],
)
def test_a_near_miss_is_told_its_option(tmp_path: Path, written: str, meant: str):
    """A missing accent, a full stop, a beginning or a slip is no answer, and the error names the one that was meant."""
    line = json.dumps({"item": "a1", "rater": "ana", "answer": written})
    with pytest.raises(FielError) as caught:
        read_labels(write(tmp_path, line, "l.jsonl"), SPANISH, items=ITEMS)
    assert caught.value.what == f"{written!r} is no option of criterion 'clara'."
    assert caught.value.fix == f"Did you mean {meant!r}? Its options: no, en parte, sí, sí, del todo."


@pytest.mark.parametrize("written", ["s", "perhaps", "?", "4"])
def test_what_is_near_to_none_is_told_none(tmp_path: Path, written: str):
    """A beginning that several options share, another word, a sign and a number are near to no option."""
    line = json.dumps({"item": "a1", "rater": "ana", "answer": written})
    with pytest.raises(FielError) as caught:
        read_labels(write(tmp_path, line, "l.jsonl"), SPANISH, items=ITEMS)
    assert (caught.value.fix or "").startswith("Its options: no")


def test_an_accent_may_be_a_sign_of_its_own(tmp_path: Path):
    """The same letters in another Unicode form are the same answer."""
    path = write(tmp_path, "item,rater,answer\na1,ana,si\u0301\n")
    assert read_labels(path, SPANISH, items=ITEMS)[0].answer == "sí"


REMARKS = ("notes", "Notas", "comment", "Comments", "comentario", "Comentarios (opcional)", "notas de ana", "seconds")


@pytest.mark.parametrize("remark", REMARKS)
def test_remarks_are_no_rater_and_no_criterion(tmp_path: Path, remark: str):
    """In the wide layouts a column of notes, comments or seconds is passed over, whatever it holds."""
    wide = write(tmp_path, f"item,ana,{remark}\na1,yes,why not\n", "wide.csv")
    assert read_labels(wide, ONE, items=ITEMS) == [label("a1", "grounded", "ana", "yes")]
    by_criterion = write(tmp_path, f"item,rater,grounded,{remark}\na1,ana,yes,why not\n", "criterion.csv")
    assert read_labels(by_criterion, ONE, items=ITEMS) == [label("a1", "grounded", "ana", "yes")]


def test_a_criterion_may_be_called_comments(tmp_path: Path):
    """A column that is a criterion of the rubric is read as one, also where its name is usual for remarks."""
    rubric = Rubric(id="r", criteria=(Criterion(id="comments", question="?"), Criterion(id="tone", question="?")))
    path = write(tmp_path, "item,rater,comments,tone\na1,ana,yes,no\n")
    assert [made.criterion for made in read_labels(path, rubric, items=ITEMS)] == ["comments", "tone"]


@pytest.mark.parametrize("note", ["note", "Notes", "notas", "comments", "Comentario"])
def test_notes_of_the_long_layout_are_kept(tmp_path: Path, note: str):
    """In the long layout the remark of an answer is its note."""
    path = write(tmp_path, f"{LONG},{note}\na1,clear,ana,1,too long\n")
    assert read_labels(path, TWO, items=ITEMS)[0].note == "too long"


@pytest.mark.parametrize(
    ("text", "what", "where", "fix"),
    [
        (
            f"{LONG}\na1,grounded,ana,Yse\n",
            "'grounded'",
            "line 2",
            "mean 'Yes'? Its options: No, Yes",
        ),
        ("item,criterion,ana\na1,clear,4\n", "'4'", "line 2, column 'ana'", "1, 2, 3"),
        (f"{LONG}\na1,ground,ana,Yes\n", "'ground'", "line 2", "mean 'grounded'"),
        (
            f"{LONG}\nb1,clear,ana,1\nb2,clear,ana,1\n",
            "label file for other items",
            "labels.csv",
            "a1",
        ),
        (f"{LONG}\na1,clear,ana,1\nb2,clear,ana,1\n", "1 of the 2", "line 3", "rows out"),
        (
            f"{LONG}\na1,clear,ana,1\na1,clear,ana,1\n",
            "Two labels of rater 'ana'",
            "line 2",
            "Keep",
        ),
        (f"{LONG}\na1,clear,ana,1\na1,clear,ana,\n", "Two labels of rater 'ana'", "line 2", "Keep"),
        ("item,criterion,ana\na1,clear,1\na1,clear,2\n", "Two labels of rater 'ana'", "line 2, column 'ana'", "Keep"),
        ("item,rater,answer\na1,ana,1\n", "which criterion", "labels.csv", "grounded, clear"),
        ("item,criterion,answer\na1,clear,1\n", "who answered", "labels.csv", "annotator"),
        ("item,grounded,clear\na1,Yes,1\n", "who answered", "labels.csv", "annotator"),
        ("item,criterion,rater\na1,clear,ana\n", "holds the answers", "labels.csv", "label"),
        ("criterion,rater,answer\nclear,ana,1\n", "which item", "labels.csv", "item_id"),
        ("item,criterion\na1,clear\n", "holds the answers of a rater", "labels.csv", "label"),
        ("item,rater,grounded,claer\na1,ana,Yes,1\n", "'claer' is no criterion", "labels.csv", "mean 'clear'"),
        (f"{LONG}\na1,clear,,1\n", "'rater' is empty", "line 2", "Fill"),
        (f"{LONG}\n,clear,ana,1\n", "'item' is empty", "line 2", "Fill"),
        ("item,criterion,rater,answer,seconds\na1,clear,ana,1,soon\n", "seconds", "line 2", "number"),
        ("item,criterion,rater,answer,seconds\na1,clear,ana,1,-1\n", "seconds", "line 2", "number"),
        (f"{LONG}\n", "no rows", "labels.csv", "one answer"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, what: str, where: str, fix: str):
    """Each mistake names the file, the line where there is one, and the remedy."""
    with pytest.raises(FielError) as caught:
        read_labels(write(tmp_path, text), TWO, items=ITEMS)
    assert what in caught.value.what
    assert str(tmp_path / "labels.csv") in (caught.value.where or "")
    assert (caught.value.where or "").endswith(where)
    assert fix in (caught.value.fix or "")
    assert len(str(caught.value).splitlines()) <= 3


def test_both_lines_of_a_cell_that_stands_twice(tmp_path: Path):
    """Two labels of one rater for one cell are refused with both lines."""
    path = write(tmp_path, f"{LONG}\na1,clear,ana,1\na2,clear,ana,1\na1,clear,ana,3\n")
    with pytest.raises(FielError, match="'ana' for item 'a1', criterion 'clear'") as caught:
        read_labels(path, TWO, items=ITEMS)
    assert caught.value.where == f"{path}, line 4, and {path}, line 2"


def test_several_files(tmp_path: Path):
    """Files are read one after the other, and a cell that stands in two of them is refused with both places."""
    one = write(tmp_path, "item,rater,answer\na1,ana,yes\n", "1.csv")
    two = write(tmp_path, "item,rater,answer\na1,bo,no\n", "2.csv")
    assert [made.rater for made in read_label_files([one, two], ONE, items=ITEMS)] == ["ana", "bo"]
    three = write(tmp_path, "item,rater,answer\na2,bo,no\na1,bo,no\n", "3.csv")
    with pytest.raises(FielError, match="Two labels") as caught:
        read_label_files([one, two, three], ONE, items=ITEMS)
    assert caught.value.where == f"{three}, line 3, and {two}, line 2"


def test_published_labels():
    """The labels of a published set are read with every answer that its file has."""
    folder = REAL / "alttest_summeval"
    if not folder.exists():
        pytest.skip("the published sets are not beside this checkout")
    duckdb = pytest.importorskip("duckdb")
    human = (
        duckdb.connect(":memory:").execute("SELECT * FROM read_parquet(?)", [str(folder / "human.parquet")]).fetchall()
    )
    ids = sorted({row[2] for row in human})
    options = tuple("12345")
    rubric = Rubric(id="r", criteria=tuple(Criterion(id=name, question="?", options=options) for name in ids))
    labels = read_labels(folder / "human.parquet", rubric, items={row[0] for row in human})
    assert len(labels) == len(human)
    assert [float(made.answer or "nan") for made in labels] == [row[3] for row in human]


def test_repeats(tmp_path: Path):
    """A column repeat numbers a rater's answers to one question; two with one number are refused, as is no number."""
    path = write(tmp_path, "item,rater,answer,repeat\na1,ana,yes,\na1,ana,no,1\n")
    assert [made.repeat for made in read_labels(path, ONE, items=ITEMS)] == [0, 1]
    with pytest.raises(FielError, match="Two labels of rater 'ana'"):
        read_labels(write(tmp_path, "item,rater,answer,repeat\na1,ana,yes,1\na1,ana,no,1.0\n"), ONE, items=ITEMS)
    with pytest.raises(FielError, match="repeat is 'twice'"):
        read_labels(write(tmp_path, "item,rater,answer,repeat\na1,ana,yes,twice\n"), ONE, items=ITEMS)
