"""Work lists as files, and what is read in them when they come back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiel.interop import check_ending, read_decisions, worklist_file
from fiel.measures import revise, worklist
from fiel.records import (
    CalibrationSet,
    Criterion,
    Design,
    Distribution,
    Evidence,
    FielError,
    Item,
    Judgement,
    Label,
    Rubric,
)

SCALE = Criterion(id="=score", question="=How many?", options=("-1", "0", "+1"), applies_when="Is there a number?")
RUBRIC = Rubric(id="r", criteria=(SCALE,))
ITEMS = tuple(
    Item(id=name, input="@question", context="line\none", output='=HYPERLINK("http://x")')
    for name in ("007", "-2", "q3")
)
GOLD = dict(zip(("007", "-2", "q3"), ("-1", "0", "+1"), strict=True))
AT = "2026-01-01T00:00:00+00:00"


def judgement(subject: str, answer: str | None) -> Judgement:
    """What the judge says: all of its belief on one option, with a reason and two fragments; or nothing."""
    probs = tuple(0.9 if option == answer else 0.05 for option in SCALE.options)
    fragments = (Evidence(text="=HYPER", field="answer", start=0, end=6), Evidence(text="gone", field="context"))
    return Judgement(
        subject=subject,
        subject_digest="",
        criterion=SCALE.id,
        criterion_digest=SCALE.digest,
        judge="+judge",
        identity="x" * 64,
        status="ok" if answer else "refused",
        belief=Distribution(options=SCALE.options, probs=probs, source="logprobs") if answer else None,
        reason="-because" if answer else None,
        evidence=fragments if answer else (),
    )


@pytest.fixture
def frozen() -> CalibrationSet:
    """Three items with names and answers that a spreadsheet would run or change, two raters on each."""
    labels = [
        Label(subject=item.id, criterion=SCALE.id, criterion_digest=SCALE.digest, rater=rater, answer=GOLD[item.id])
        for item in ITEMS
        for rater in ("@ana", "ben")
    ]
    labels[-1] = Label(subject="q3", criterion=SCALE.id, criterion_digest=SCALE.digest, rater="ben", answer="0")
    return CalibrationSet(name="s", rubric=RUBRIC, design=Design(kind="census"), items=ITEMS, labels=tuple(labels))


@pytest.fixture
def listed(frozen: CalibrationSet) -> Any:
    """The judge is wrong on the first, silent on the second, and raters split on the third."""
    said = [judgement("007", "0"), judgement("-2", None), judgement("q3", "+1")]
    return worklist([said], frozen, share_of_agreements=1.0)


def sheet(data: bytes) -> list[dict[str, str]]:
    """The rows of a CSV."""
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def written(rows: list[dict[str, str]], path: Path) -> Path:
    """Rows as a spreadsheet saves them."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_no_cell_of_the_csv_runs(listed, frozen):
    """Ids, criteria, options, answers, reasons and texts may begin like formulas; no cell does, nor does a header."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    cells = [cell for row in rows for pair in row.items() for cell in pair]
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r") and cell]
    assert rows[0]["judge +judge: evidence"] == "“=HYPER” (in the answer)\n“gone” (not found in the context)"
    assert rows[0]["item answer"] == '\'=HYPERLINK("http://x")'


def test_what_a_spreadsheet_shows_is_what_was_said(listed, frozen):
    """Beside the apostrophes: gold, answers by rater, the judge's answer or why there is none."""
    rows = {row["item"]: row for row in sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))}
    assert list(rows) == ["'007", "q3"]
    first, split = rows["'007"], rows["q3"]
    assert (first["gold"], first["rater @ana"], first["judge +judge"]) == ("'-1", "'-1", "0")
    assert (first["judge +judge: probability"], first["judge +judge: reason"]) == ("0.9000", "'-because")
    assert (split["gold"], split["rater @ana"], split["rater ben"]) == ("", "'+1", "0")


def test_names_and_answers_come_back(listed, frozen, tmp_path):
    """With and without the apostrophe, as a number or as text: the decisions are on the items, in the options."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    rows[0] |= {"decision": rows[0]["gold"], "by": "@ana", "note": "=note"}
    rows[1] |= {"item": "q3", "decision": "1.0", "by": "kim"}
    found = read_decisions(written(rows, tmp_path / "w.csv"), frozen, at=AT)
    one, two = found.decisions
    assert (one.subject, one.criterion, one.answer, one.by, one.why) == ("007", "=score", "-1", "@ana", "=note")
    assert (one.own, two.own) == (True, False)
    assert (two.subject, two.answer) == ("q3", "+1")
    assert {x.subject: x.before for x in revise(frozen, found.decisions).adjudications} == {
        "007": ("-1", "-1"),
        "q3": ("+1", "0"),
    }


def test_splits_broken_items_and_what_does_not_apply(listed, frozen, tmp_path):
    """A true split keeps its answers, "n/a" is a decision where the criterion knows it, the rest stays empty."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    rows[0] |= {"decision": "N/A"}
    rows[1] |= {"reason": "True Split"}
    one, two = read_decisions(written(rows, tmp_path / "w.csv"), frozen, at=AT, by="kim").decisions
    assert (one.answer, one.skipped, one.reason, one.judge_seen) == (None, "not applicable", None, True)
    assert (two.answer, two.reason) == (None, "true split")
    rows[0] |= {"decision": "", "reason": "item broken"}
    found = read_decisions(written(rows[:1], tmp_path / "w.csv"), frozen, at=AT, by="kim")
    assert [(x.answer, x.reason) for x in found.decisions] == [(None, "item broken")]


def test_json_lines_hold_everything(listed, frozen, tmp_path):
    """Nested, with no apostrophe; read back as they are."""
    data = worklist_file(listed, ITEMS, parent=frozen.digest, ending=".jsonl")
    lines = [json.loads(line) for line in data.splitlines()]
    assert (lines[0]["item"], lines[0]["options"], lines[0]["gold"]) == ("007", ["-1", "0", "+1"], "-1")
    assert lines[0]["texts"] == {"question": "@question", "context": "line\none", "answer": '=HYPERLINK("http://x")'}
    assert lines[0]["judges"][0]["evidence"][0] == {"text": "=HYPER", "field": "answer", "start": 0, "end": 6}
    path = tmp_path / "w.jsonl"
    path.write_text("\n".join(json.dumps(line | {"decision": "-1"}) for line in lines), encoding="utf-8")
    found = read_decisions(path, frozen, at=AT, by="kim")
    assert [(x.subject, x.answer) for x in found.decisions] == [("007", "-1"), ("q3", "-1")]


def test_an_empty_list_has_its_columns(frozen):
    """Where nothing is in dispute the file has a header and no row."""
    said = [judgement(item.id, GOLD[item.id]) for item in ITEMS[:2]]
    nothing = worklist([said], CalibrationSet(name="s", rubric=RUBRIC, items=ITEMS[:2]), share_of_agreements=0)
    data = worklist_file(nothing, ITEMS, parent=None, ending=".csv").decode("utf-8-sig")
    assert data == '"set","item","criterion","decision","by","reason","note"\n'


@pytest.mark.parametrize(
    ("change", "column", "said"),
    [
        ({"decision": "2"}, "decision", "-1, 0, +1"),
        ({"set": ""}, "set", "plain labels"),
        ({"set": "f" * 64}, "set", "was made from set ffffffffffff"),
        ({"item": "7"}, "item", "a spreadsheet may have changed it"),
    ],
)
def test_a_row_is_named_as_a_spreadsheet_counts(listed, frozen, tmp_path, change, column, said):
    """Cells hold line breaks, so that lines of the file are no rows: the second item stands in row 3."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    rows[1] |= {"by": "kim"} | change
    with pytest.raises(FielError) as caught:
        read_decisions(written(rows, tmp_path / "w.csv"), frozen, at=AT)
    assert caught.value.where == f"{tmp_path / 'w.csv'}, row 3, column {column!r}"
    assert said in f"{caught.value.what} {caught.value.fix}"


@pytest.mark.parametrize(
    ("before", "row"),
    [
        (lambda head, rows: [head, "", *rows], 4),
        (lambda head, rows: [head, rows[0], "", "," * head.count(","), rows[1]], 5),
        (lambda head, rows: ["", head, *rows], 4),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_rows_are_numbered_too(
    listed, frozen, tmp_path, before: Callable[[str, list[str]], list[str]], row: int, end: str
):
    """Whether nothing or only commas stand in a row, a spreadsheet counts it; line breaks in cells make no row."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    rows[1] |= {"by": "kim", "decision": "2"}
    texts = []
    for cells in (list(rows[0]), *(list(one.values()) for one in rows)):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="", quoting=csv.QUOTE_ALL).writerow(cells)
        texts.append(text.getvalue())
    assert any("\n" in text for text in texts[1:])
    path = tmp_path / "w.csv"
    path.write_text(end.join(before(texts[0], texts[1:])), encoding="utf-8", newline="")
    with pytest.raises(FielError) as caught:
        read_decisions(path, frozen, at=AT)
    assert caught.value.where == f"{path}, row {row}, column 'decision'"


def test_no_two_columns_are_called_alike(frozen):
    """Judges whose names end like another's columns, and raters whose names differ in spaces, keep their own cells."""
    names = ("x", "x: probability", "x: reason", "“x: reason”", "y ", "y")
    said = [
        [msgspec.structs.replace(judgement(item.id, "0"), judge=name, reason=f"says {name}") for item in ITEMS]
        for name in names
    ]
    labels = [msgspec.structs.replace(x, rater=rater) for x in frozen.labels[::2] for rater in ("ana", "ana ")]
    data = worklist_file(
        worklist(said, msgspec.structs.replace(frozen, labels=tuple(labels))), ITEMS, parent=None, ending=".csv"
    )
    head = next(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len({column.strip() for column in head}) == len(head)
    first = sheet(data)[0]
    assert (first["judge x: probability"], first["judge “x: probability”"]) == ("0.9000", "0")
    reasons = [cell for column, cell in first.items() if column.endswith(": reason") and cell.startswith("says ")]
    assert sorted(reasons) == sorted(f"says {name}" for name in names)


def test_two_judges_of_one_name_have_no_columns(frozen):
    """A CSV could not tell who said what, and is refused; JSON Lines hold both."""
    said = [judgement(item.id, "0") for item in ITEMS]
    twice = worklist([said, said], frozen)
    with pytest.raises(FielError, match=r"Two judges are called '\+judge'"):
        worklist_file(twice, ITEMS, parent=None, ending=".csv")
    first = json.loads(worklist_file(twice, ITEMS, parent=None, ending=".jsonl").splitlines()[0])
    assert [one["judge"] for one in first["judges"]] == ["+judge", "+judge"]


def test_a_list_of_plain_labels_goes_with_the_set_frozen_of_them(listed, frozen, tmp_path):
    """It names no set: one of unknown design without a parent takes it, a drawn one and a later version do not."""
    rows = sheet(worklist_file(listed, ITEMS, parent=None, ending=".csv"))
    rows[0] |= {"decision": "0", "by": "kim"}
    path = written(rows, tmp_path / "w.csv")
    plain = msgspec.structs.replace(frozen, design=Design())
    (decided,) = read_decisions(path, plain, at=AT).decisions
    assert (decided.subject, decided.answer) == ("007", "0")
    for other in (frozen, msgspec.structs.replace(plain, parent=plain.digest)):
        with pytest.raises(FielError, match="was not frozen of plain labels"):
            read_decisions(path, other, at=AT)


@pytest.mark.parametrize(("rater", "named"), [("preference:thumbs", ()), ("thumbs", ("thumbs",))])
def test_a_preference_makes_no_split(listed, frozen, tmp_path, rater, named):
    """Where only a user preference differs nobody split, whether its rater is known by name or is named."""
    liked = Label(subject="007", criterion=SCALE.id, rater=rater, answer="0")
    there = msgspec.structs.replace(frozen, labels=(*frozen.labels, liked))
    rows = sheet(worklist_file(listed, ITEMS, parent=there.digest, ending=".csv"))
    rows[0] |= {"reason": "true split", "by": "kim"}
    path = written(rows, tmp_path / "w.csv")
    with pytest.raises(FielError, match="this is no split"):
        read_decisions(path, there, at=AT, preferences=named)


def test_a_cell_stands_once(listed, frozen, tmp_path):
    """A row that was copied is refused, decided or not."""
    rows = sheet(worklist_file(listed, ITEMS, parent=frozen.digest, ending=".csv"))
    with pytest.raises(FielError, match="stands twice"):
        read_decisions(written([*rows, rows[0]], tmp_path / "w.csv"), frozen, at=AT)


def test_endings():
    """Two are known, whatever their capitals."""
    assert (check_ending(Path("a.CSV")), check_ending(Path("b.jsonl"))) == (".csv", ".jsonl")
    with pytest.raises(FielError, match="xlsx"):
        check_ending(Path("a.xlsx"))
