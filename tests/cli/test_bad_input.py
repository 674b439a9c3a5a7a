"""Bad input: a clear message that names the thing and the fix, exit code 2, nothing written."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def refused(fiel, folder: Path, *command: str) -> str:
    """The message of a command that must end with 2, not look like a crash, and write nothing."""
    before = tree(folder)
    result = fiel(*command)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert tree(folder) == before
    assert len(result.stderr.strip().splitlines()) <= 3
    return str(result.stderr)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "answers.csv"),
        (b"", "empty"),
        ("id,question,answer\n1,¿Qué?,Sí\n".encode("latin-1"), "UTF-8"),
        (b"id,question,answer\n1,q,a\n1,q,b\n", "'1'"),
        (b"id,question\n1,q\n", "--output"),
        (b"id,question,answer\n1,q\n", "line 2"),
        (b"id,question,answer\n", "no rows"),
    ],
)
def test_init_refuses_a_file_that_it_cannot_use(fiel, tmp_path, content, said):
    """A missing, empty, wrongly encoded, duplicated or columnless file is named, and no project is made."""
    if content is not None:
        (tmp_path / "answers.csv").write_bytes(content)
    assert said in refused(fiel, tmp_path, "init", "answers.csv")


def test_init_overwrites_nothing(fiel, project):
    """A second init in the same place is refused."""
    assert "exists already" in refused(fiel, project, "init", "answers.csv")


def test_init_names_the_nearest_column(fiel, tmp_path):
    """A mistyped column is answered with the nearest that exists."""
    (tmp_path / "a.csv").write_text("id,question,reply text\n1,q,a\n")
    assert "'reply text'" in refused(fiel, tmp_path, "init", "a.csv", "--output", "replytext")


def test_no_project(fiel, tmp_path):
    """Outside a project, a verb says how to make one."""
    assert "fiel init" in refused(fiel, tmp_path, "judge")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "baseline"', 'knid = "baseline"', "Did you mean 'kind'"),
        ('kind = "baseline"', "kind = baseline", "line "),
        ('rubric = "rag"', 'rubric = "rga"', "rag"),
        ('kind = "baseline"', 'kind = "llm"', "model"),
    ],
)
def test_a_wrong_project_file_is_explained(fiel, project, old, new, said):
    """An unknown key, a TOML error and a wrong name are told with their place or the nearest right one."""
    config = project / "fiel.toml"
    config.write_text(config.read_text().replace(old, new, 1))
    message = refused(fiel, project, "judge")
    assert said in message
    assert "fiel.toml" in message or "rubrics" in message


def test_a_rubric_with_one_option_is_refused(fiel, project):
    """A criterion with one option is named."""
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text().replace('options = ["no", "yes"]', 'options = ["yes"]', 1))
    message = refused(fiel, project, "judge")
    assert "grounded" in message
    assert "two distinct options" in message


def test_a_toml_error_of_a_rubric_has_its_line(fiel, project):
    """A syntax error in a rubric is told with file and line."""
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text() + "\n[[criteria]\n")
    line = len(rubric.read_text().splitlines())
    message = refused(fiel, project, "judge")
    assert "rag.toml" in message
    assert f"line {line}" in message


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q0,grounded,eva,perhaps", "'perhaps'"),
        ("q0,groundde,eva,yes", "grounded"),
        ("q0,grounded,ana,yes", "line 2"),
        ("x9,grounded,eva,yes", "'x9'"),
    ],
)
@pytest.mark.parametrize("verb", ["validate", "estimate"])
def test_a_wrong_label_is_named(fiel, project, verb, row, said):
    """An unknown option, criterion or item and a second answer to one cell are named with their line."""
    path = project / "labels.csv"
    path.write_text(path.read_text() + row + "\n")
    message = refused(fiel, project, verb, "labels.csv")
    assert said in message
    assert "labels.csv" in message


def test_labels_of_other_items_are_refused(fiel, project, table):
    """A label file that knows none of the items is for another project."""
    table("other.csv", ("item", "criterion", "rater", "answer"), [("z1", "grounded", "ana", "yes")])
    assert "other items" in refused(fiel, project, "validate", "other.csv")


def test_a_missing_label_file(fiel, project):
    """A label file that is not there is named, and so is the nearest that is."""
    assert "labels.csv" in refused(fiel, project, "validate", "lables.csv")


def test_nothing_judged_yet(fiel, tmp_path):
    """Before anything was judged, validate says what to run."""
    (tmp_path / "a.csv").write_text("id,question,answer\n1,q,a\n")
    (tmp_path / "l.csv").write_text("item,criterion,rater,answer\n1,grounded,ana,yes\n")
    fiel("init", "a.csv")
    assert "fiel judge" in refused(fiel, tmp_path, "validate", "l.csv")


def test_a_judge_whose_rubric_changed_must_judge_again(fiel, project):
    """After a word of the rubric changed, old judgements are not passed off as the new judge's."""
    rubric = project / "rubrics" / "rag.toml"
    rubric.write_text(rubric.read_text().replace("every factual claim", "each factual claim", 1))
    message = refused(fiel, project, "validate", "labels.csv")
    assert "changed" in message
    assert "fiel judge" in message


def test_a_newer_database_is_refused_and_left_alone(fiel, project):
    """A database of a newer fiel is refused, byte for byte as it was."""
    path = project / ".fiel" / "judgements.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert "newer" in refused(fiel, project, "judge")


def test_a_file_that_is_no_database_is_left_alone(fiel, project):
    """A file of another kind in the place of the database is refused and untouched."""
    for file in (project / ".fiel").glob("judgements.db*"):
        file.unlink()
    (project / ".fiel" / "judgements.db").write_text("my shopping list, which is longer than a header" * 30)
    assert "judgements.db" in refused(fiel, project, "judge")


def test_labels_are_asked_for(fiel, project):
    """Without a label file anywhere, the message says both ways to name one."""
    message = refused(fiel, project, "validate")
    assert "fiel.toml" in message


def test_no_gates(fiel, project):
    """Without gates, gate says where they go."""
    assert "[[gates]]" in refused(fiel, project, "gate", "labels.csv")


@pytest.mark.parametrize("value", ["0", "1", "1.5", "-0.1", "nan"])
def test_a_confidence_out_of_range(fiel, project, value):
    """A confidence outside (0, 1) is refused."""
    assert "--confidence" in refused(fiel, project, "validate", "labels.csv", "--confidence", value)


def test_a_demo_does_not_overwrite(fiel, tmp_path):
    """The demo wants a new or empty folder."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("dear")
    assert "not empty" in refused(fiel, tmp_path, "demo", "mine")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(fiel, tmp_path):
    """A read-only folder is named, not a crash."""
    (tmp_path / "ro").mkdir(mode=0o500)
    assert "ro" in refused(fiel, tmp_path, "demo", "ro/x")


@pytest.mark.parametrize("name", ["../templates/rag", "/etc/passwd", "RAG", "rag.en", ""])
def test_only_shipped_rubrics_have_names(fiel, tmp_path, name):
    """A path in place of a rubric's name is refused, wherever it leads."""
    (tmp_path / "a.csv").write_text("id,question,answer\n1,q,a\n")
    assert "no shipped rubric" in refused(fiel, tmp_path, "init", "a.csv", "--rubric", name)


@pytest.mark.parametrize("blocked", ["rubrics", "items", ".fiel"])
def test_init_writes_all_or_nothing(fiel, tmp_path, blocked):
    """Where a file stands in the place of a folder, init takes back what it had written."""
    (tmp_path / "a.csv").write_text("id,question,answer\n1,q,a\n")
    (tmp_path / blocked).write_text("in the way")
    refused(fiel, tmp_path, "init", "a.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.csv", blocked])


def test_init_does_not_write_through_a_link(fiel, tmp_path):
    """A dangling link in the place of fiel.toml counts as a file that exists."""
    (tmp_path / "fiel.toml").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "a.csv").write_text("id,question,answer\n1,q,a\n")
    assert "exists already" in refused(fiel, tmp_path, "init", "a.csv")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["trail ", "new\nline", "tab\there", "esc\x1b[31m"])
def test_any_folder_name_makes_a_project_that_works(fiel, tmp_path, name):
    """A project in a folder with an odd name can be judged."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "a.csv").write_text("id,question,answer\n1,q,a\n")
    assert fiel("init", str(folder / "a.csv"), "--project", str(folder)).exit_code == 0
    assert fiel("judge", "--project", str(folder)).exit_code == 0
