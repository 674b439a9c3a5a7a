from __future__ import annotations

from pathlib import Path

import pytest

from fiel.interop import rubric_text
from fiel.judges import Imported
from fiel.records import Criterion, Distribution, FielError, Item, Judgement, Label, Rubric
from fiel.store.additions import Addition, ImportedJudge, add
from fiel.store.project import Project

RUBRIC = Rubric(id="set", criteria=(Criterion(id="tone", question="Kind?", passing=("yes",)),))
ITEMS = tuple(Item(id=f"q{n}", output=f"Because {n}.") for n in range(3))
JUDGE = ImportedJudge("j", "c" * 64)


def judgement(item: Item, option: str = "yes") -> Judgement:
    """What the judge says of an item."""
    return Judgement(
        subject=item.id,
        subject_digest=item.digest,
        criterion="tone",
        criterion_digest=RUBRIC["tone"].digest,
        judge=JUDGE.name,
        identity=Imported(name=JUDGE.name, content=JUDGE.content).identity(RUBRIC),
        status="ok",
        belief=Distribution.point(option, ("no", "yes")),
    )


def label(subject: str, answer: str | None = "no", rater: str = "ana", repeat: int = 0) -> Label:
    """What a rater answered."""
    skipped = None if answer is not None else "blank"
    return Label(subject=subject, criterion="tone", rater=rater, answer=answer, skipped=skipped, repeat=repeat)


WHOLE = Addition(
    name="set",
    items=ITEMS,
    rubric=RUBRIC,
    rubric_text=rubric_text(RUBRIC).encode(),
    labels=(label("q0"), label("q1", "yes"), label("q1", None, "bo"), label("q0", "yes", repeat=1)),
    judges=(JUDGE,),
    judgements=tuple(map(judgement, ITEMS)),
)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file in a folder but the database's own two beside it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def test_a_new_project(tmp_path: Path):
    """What was added is what the project's own readers find, and adding it twice changes no byte of its files."""
    folder = tmp_path / "new" / "project"
    added = add(folder, WHOLE)
    assert (added.items, added.labels, added.judgements) == (3, 4, 3)
    project = Project.open(folder)
    assert tuple(project.items()) == ITEMS
    assert sorted(map(repr, project.labels(RUBRIC))) == sorted(map(repr, WHOLE.labels))
    assert [(entry.name, entry.kind, entry.content) for entry in project.config.judges] == [("j", "imported", "c" * 64)]
    with project.judgements() as store:
        assert tuple(store.read()) == WHOLE.judgements
    before = {name: data for name, data in tree(folder).items() if not name.endswith(".db")}
    assert add(folder, WHOLE) == ((), 0, 0, 0)
    assert {name: data for name, data in tree(folder).items() if not name.endswith(".db")} == before


def test_hostile_names_are_data(tmp_path: Path):
    """Ids, raters and judges with quotes, commas, escapes and formulas come back to the letter."""
    wild = 'a,"b"\t\r\x1b[31m = cmd() é\u2028c'
    items = (Item(id=wild, output="x"),)
    whole = WHOLE._replace(
        items=items,
        labels=(label(wild, rater=wild),),
        judges=(ImportedJudge(wild, "d" * 64),),
        judgements=(),
    )
    add(tmp_path, whole)
    project = Project.open(tmp_path)
    assert tuple(project.items()) == items
    assert project.labels(RUBRIC) == list(whole.labels)
    assert project.config.judges[0].name == wild


def test_more_of_it(tmp_path: Path):
    """New items, labels and judges go beside what is there; what was there stays."""
    add(tmp_path, WHOLE)
    more = WHOLE._replace(
        items=(Item(id="q9", output="More."),),
        labels=(label("q9"),),
        judges=(ImportedJudge("k", "d" * 64),),
        judgements=(),
    )
    added = add(tmp_path, more)
    assert (added.items, added.labels) == (1, 1)
    project = Project.open(tmp_path)
    assert [item.id for item in project.items()] == ["q0", "q1", "q2", "q9"]
    assert len(project.labels(RUBRIC)) == 5
    assert [entry.name for entry in project.config.judges] == ["j", "k"]


CONFLICTS: dict[str, tuple[Addition, str]] = {
    "an item with another text": (WHOLE._replace(items=(Item(id="q0", output="Other."),)), "an item 'q0' already"),
    "another answer": (WHOLE._replace(labels=(label("q0", "yes"),)), "has another answer"),
    "another table of the judge": (WHOLE._replace(judges=(ImportedJudge("j", "d" * 64),)), "its table has changed"),
    "another rubric": (
        WHOLE._replace(
            rubric=(other := Rubric(id="set", criteria=(Criterion(id="tone", question="Warm?", passing=("yes",)),))),
            rubric_text=rubric_text(other).encode(),
        ),
        "another rubric 'set' already",
    ),
}


@pytest.mark.parametrize("what", CONFLICTS)
def test_what_differs_is_refused_and_replaced_when_told(tmp_path: Path, what: str):
    """Nothing is written over what is there without a word, and nothing at all is written then."""
    add(tmp_path, WHOLE)
    before = tree(tmp_path)
    changed, words = CONFLICTS[what]
    changed = changed._replace(items=(*changed.items, Item(id="q9", output="New.")))
    with pytest.raises(FielError, match=words) as caught:
        add(tmp_path, changed)
    assert "--replace" in str(caught.value.fix)
    assert tree(tmp_path) == before
    add(tmp_path, changed, replace=True)
    assert tree(tmp_path) != before
    Project.open(tmp_path).items()


def test_beside_what_its_owner_wrote(root: Path):
    """A project keeps every line of its fiel.toml; judges go to the end."""
    before = (root / "fiel.toml").read_text(encoding="utf-8")
    add(root, WHOLE)
    after = (root / "fiel.toml").read_text(encoding="utf-8")
    assert after.startswith(before.rstrip("\n"))
    assert [entry.name for entry in Project.open(root).config.judges] == ["house", "floor", "j"]


def test_a_name_that_is_taken(root: Path):
    """A judge that is run keeps its name."""
    with pytest.raises(FielError, match="a judge 'house' already, which is not imported"):
        add(root, WHOLE._replace(judges=(ImportedJudge("house", "d" * 64),)))


CONFIGS: dict[str, tuple[str, str]] = {
    "judges in one line": ('[project]\nname = "x"\n', "cannot be added"),
    "items elsewhere": ('[project]\nname = "x"\nitems = "data/*.jsonl"\n', "none of them"),
    "labels elsewhere": ('[project]\nname = "x"\nlabels = "people/*.csv"\n', "none of them"),
    "judgements elsewhere": ('[project]\nname = "x"\n[store]\njudgements = "postgresql://host/db"\n', "PostgreSQL"),
}


@pytest.mark.parametrize("what", CONFIGS)
def test_where_it_cannot_be_added_nothing_is(tmp_path: Path, what: str):
    """Whatever the reason, and however late it is found, the folder is left as it was, folders and all."""
    text, words = CONFIGS[what]
    inline = "judges = []\n" if what == "judges in one line" else ""
    (tmp_path / "fiel.toml").write_text(inline + text, encoding="utf-8")
    with pytest.raises(FielError, match=words):
        add(tmp_path, WHOLE)
    assert [path.name for path in tmp_path.iterdir()] == ["fiel.toml"]


def test_a_late_failure_leaves_nothing(tmp_path: Path):
    """Where the database cannot be used, which is found out after the files are written, they are taken back."""
    database = tmp_path / ".fiel" / "judgements.db"
    database.parent.mkdir()
    database.write_bytes(b"This is no database. " * 100)
    before = tree(tmp_path)
    with pytest.raises(FielError, match="database"):
        add(tmp_path, WHOLE)
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == [".fiel"]
