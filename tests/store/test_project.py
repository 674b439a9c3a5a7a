from __future__ import annotations

from pathlib import Path

import pytest

from fiel.records import FielError
from fiel.store.project import Project


def test_found_from_anywhere_inside(root: Path, monkeypatch: pytest.MonkeyPatch):
    """The project is found from its folder, from below, by its file, and from the current folder."""
    for path in (root, root / "items", root / "fiel.toml", str(root)):
        assert Project.open(path).root == root
    monkeypatch.chdir(root / "rubrics")
    project = Project.open()
    assert (project.root, project.config.project.name) == (root, "support-bot")
    assert project.reports == root / "reports"


def test_no_project(tmp_path: Path):
    """Outside of any project the error says what to run."""
    with pytest.raises(FielError, match=r"no fiel\.toml here or above") as caught:
        Project.open(tmp_path)
    assert caught.value.fix == "Run fiel init FILE."


def test_rubric(root: Path):
    """A rubric is found by its id, its schemas from the root; an unknown one suggests the nearest."""
    project = Project.open(root)
    assert project.rubric("rag").id == "rag"
    with pytest.raises(FielError, match="'rag'") as caught:
        project.rubric("rga")
    assert "Did you mean 'rag'?" in (caught.value.fix or "")
    with pytest.raises(FielError, match="no rubric"):
        project.rubric("../rubrics/rag")


def test_items(root: Path):
    """Items come from all files that the pattern matches, in the order of their names."""
    (root / "items" / "0.jsonl").write_text('{"id": "z"}\n', encoding="utf-8")
    assert [item.id for item in Project.open(root).items()] == ["z", "a1", "a2"]


def test_no_items(root: Path):
    """A pattern that nothing matches is said with its key and what to run."""
    (root / "items" / "one.jsonl").unlink()
    with pytest.raises(FielError, match=r"items/\*\.jsonl") as caught:
        Project.open(root).items()
    assert caught.value.where == f"{root / 'fiel.toml'}, project.items"
    assert "fiel init" in (caught.value.fix or "")


def test_absolute_paths(root: Path, tmp_path_factory: pytest.TempPathFactory):
    """An absolute pattern or path is taken as it is."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "x.jsonl").write_text('{"id": "far"}\n', encoding="utf-8")
    text = (root / "fiel.toml").read_text(encoding="utf-8")
    text = text.replace("[project]\n", f"[project]\nitems = '{elsewhere}/*.jsonl'\n")
    (root / "fiel.toml").write_text(f"{text}\n[store]\njudgements = '{elsewhere}/j.db'\n", encoding="utf-8")
    project = Project.open(root)
    assert [item.id for item in project.items()] == ["far"]
    with project.judgements() as store:
        assert store.path == elsewhere / "j.db"


def test_labels(root: Path):
    """Labels come from the project's pattern, all files together; one cell in two files is refused."""
    project = Project.open(root)
    rubric = project.rubric("rag")
    (root / "labels" / "bo.csv").write_text("item,criterion,rater,answer\na1,format,bo,no\n", encoding="utf-8")
    assert [label.rater for label in project.labels(rubric)] == ["ana", "ana", "bo"]
    (root / "labels" / "more.csv").write_text("item,criterion,rater,answer\na1,format,bo,no\n", encoding="utf-8")
    with pytest.raises(FielError, match="Two labels") as caught:
        project.labels(rubric)
    assert all(name in (caught.value.where or "") for name in ("bo.csv", "more.csv"))


def test_labels_of_a_named_file(root: Path, monkeypatch: pytest.MonkeyPatch):
    """A named file is read in place of the pattern, from the current folder, and checked against the items."""
    project = Project.open(root)
    monkeypatch.chdir(root / "labels")
    assert len(project.labels(project.rubric("rag"), "ana.csv")) == 2
    with pytest.raises(FielError, match="other items"):
        project.labels(project.rubric("rag"), "ana.csv", items={"b1"})


def test_no_labels_named(root: Path):
    """Without a pattern and without a file the error says how to give either."""
    path = root / "fiel.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('labels = "labels/*.csv"\n', ""), encoding="utf-8")
    project = Project.open(root)
    with pytest.raises(FielError, match="names no label files"):
        project.labels(project.rubric("rag"))


def test_pattern_of_labels_that_matches_nothing(root: Path):
    """A label pattern that nothing matches is said with its key."""
    (root / "labels" / "ana.csv").unlink()
    project = Project.open(root)
    with pytest.raises(FielError) as caught:
        project.labels(project.rubric("rag"))
    assert caught.value.where == f"{root / 'fiel.toml'}, project.labels"


def test_judgements(root: Path):
    """The store is made below the root when it is wanted, and not when it must be there."""
    project = Project.open(root)
    with pytest.raises(FielError, match="Nothing is judged yet"):
        project.judgements(must_exist=True)
    assert not (root / ".fiel").exists()
    with project.judgements() as store:
        assert store.path == root / ".fiel" / "judgements.db"


def test_server_is_refused(root: Path):
    """A server's address in the configuration is refused for now, not taken for a path."""
    with (root / "fiel.toml").open("a", encoding="utf-8") as file:
        file.write('\n[store]\njudgements = "postgresql://host/db"\n')
    with pytest.raises(FielError, match=r"fiel\[postgres\]"):
        Project.open(root).judgements()
