from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from fiel.records import Design, FielError, Sample, Stratum
from fiel.store.project import Project
from fiel.store.samples import read_sample, sample_names, write_sample

SAMPLE = Sample(
    name="first",
    rubric="rag",
    rubric_digest="abc",
    subjects=("b", "ñ", "a\u2028"),
    design=Design(
        kind="stratified", frame=9, seed=3, strata=(Stratum(name="yes", size=9, drawn=3),), weights={"b": 3, "ñ": 1 / 3}
    ),
)


def test_a_sample_comes_back(tmp_path):
    """Every field is read as it was written, from a file that people can read."""
    path = write_sample(tmp_path / "samples", SAMPLE)
    assert path == tmp_path / "samples" / "first.json"
    assert read_sample(tmp_path / "samples", "first") == SAMPLE
    assert path.read_bytes().count(b"\n") > 10
    assert sample_names(tmp_path / "samples") == ["first"]


def test_a_drawn_sample_stays(tmp_path):
    """A second draw under the name is refused, unless it is to replace the first."""
    write_sample(tmp_path, SAMPLE)
    other = Sample(name="first", rubric="rag", rubric_digest="x", subjects=("a",), design=Design())
    with pytest.raises(FielError, match="drawn already"):
        write_sample(tmp_path, other)
    assert read_sample(tmp_path, "first") == SAMPLE
    write_sample(tmp_path, other, replace=True)
    assert read_sample(tmp_path, "first") == other
    assert [path.name for path in tmp_path.iterdir()] == ["first.json"]


def test_a_name_that_differs_in_capitals_alone_is_taken(tmp_path):
    """`First` beside `first` would be one file on many systems; neither is it a replacement of the other."""
    write_sample(tmp_path, SAMPLE)
    other = Sample(name="First", rubric="rag", rubric_digest="x", subjects=("a",), design=Design())
    for replace in (False, True):
        with pytest.raises(FielError, match="differs in capitals alone from the sample 'first'"):
            write_sample(tmp_path, other, replace=replace)
    assert [path.name for path in tmp_path.iterdir()] == ["first.json"]


def test_of_many_who_draw_at_once_one_does(tmp_path):
    """Eight threads draw under one name: one file is there, whole, and nothing beside it."""
    gate = Barrier(8)

    def draw(i: int) -> bool:
        gate.wait()
        made = Sample(name="first", rubric="rag", rubric_digest=f"{i}", subjects=("a",), design=Design())
        try:
            write_sample(tmp_path, made)
        except FielError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(draw, range(8)))
    assert done.count(True) == 1
    assert read_sample(tmp_path, "first").rubric_digest == f"{done.index(True)}"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "C:", "CON", "x" * 300, "a\0b", "%2e%2e", ".hidden"])
def test_names_that_leave_the_folder_are_refused(tmp_path, name):
    """Acceptance 33: such a sample is neither written nor read."""
    made = Sample(name=name, rubric="rag", rubric_digest="x", subjects=("a",), design=Design())
    with pytest.raises(FielError):
        write_sample(tmp_path / "samples", made)
    with pytest.raises(FielError):
        read_sample(tmp_path / "samples", name)
    assert list(tmp_path.iterdir()) == []


def test_a_sample_that_is_not_there_is_named_with_the_nearest(tmp_path):
    """A wrong name gets the right one."""
    write_sample(tmp_path, SAMPLE)
    with pytest.raises(FielError) as caught:
        read_sample(tmp_path, "frist")
    assert "'first'" in caught.value.fix


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"name": "other"}'])
def test_a_damaged_sample_is_refused_by_its_file(tmp_path, data):
    """What cannot be read is named by its file."""
    (tmp_path / "first.json").write_bytes(data)
    with pytest.raises(FielError) as caught:
        read_sample(tmp_path, "first")
    assert "first.json" in caught.value.where


def test_a_renamed_file_is_refused(tmp_path):
    """A sample is called like its file."""
    write_sample(tmp_path, SAMPLE).rename(tmp_path / "other.json")
    with pytest.raises(FielError, match="called 'first'"):
        read_sample(tmp_path, "other")


def test_a_project_has_its_samples(root):
    """Samples of a project lie in its folder of that name."""
    project = Project.open(root)
    assert project.sample_names() == []
    assert project.keep_sample(SAMPLE) == root / "samples" / "first.json"
    assert project.sample("first") == SAMPLE
    assert project.sample_names() == ["first"]
