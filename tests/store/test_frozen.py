from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.labelling import in_order
from fiel.records import (
    Adjudication,
    CalibrationSet,
    Criterion,
    Design,
    FielError,
    Item,
    Label,
    Pair,
    Rubric,
    Span,
    Stratum,
)
from fiel.store._names import check_name, file_stems
from fiel.store.frozen import check_free, count_look, damaged_looks, looks, read_set, set_names, write_set
from fiel.store.project import Project

RUBRIC = Rubric(
    id="rag",
    language="es",
    guidance="Juzga\nla respuesta.",
    criteria=(
        Criterion(id="grounded", question="¿Se apoya | en el *contexto*?", options=("no", "sí")),
        Criterion(id="help", question="How helpful?", options=("1", "2", "3"), scale="ordinal"),
    ),
)
HOSTILE = (
    "../x",
    "CON",
    "nul.txt",
    "a/b",
    "C:\\x",
    "ñandú 🦩",
    "x" * 200,
    ".",
    "..",
    "Ana",
    "ana",
    "%2e%2e",
    "a.",
    " ",
    "日本",
)


def calibration_set(**fields: Any) -> CalibrationSet:
    """A set with something of everything in it."""
    items = tuple(
        Item(id=f"i{i}", input=f"Q{i}", output="A\u2028\x85\n", group=f"g{i % 2}", fields={"z": 1, "a": 0.5, "n": None})
        for i in range(6)
    )
    labels = [
        Label(subject=f"i{i}", criterion="grounded", rater=rater, answer="sí", seconds=3, blind=True, repeat=repeat)
        for rater in ("ben", "ana")
        for i in range(6)
        for repeat in ((0, 1) if i == 3 else (0,))
    ]
    labels.append(Label(subject="i1", criterion="help", rater="ana", skipped="unclear", note="€", flag=True))
    labels.append(
        Label(
            subject="p",
            criterion="grounded",
            rater="ana",
            answer="b",
            strength=2,
            shown="ba",
            evidence=(Span(field="b", start=0, end=1),),
            blind=False,
        )
    )
    usual: dict[str, Any] = {
        "name": "helpful",
        "rubric": RUBRIC,
        "design": Design(
            kind="stratified",
            frame=100,
            seed=7,
            strata=(Stratum(name="sí", size=60, drawn=3), Stratum(name="no", size=40, drawn=3)),
            weights={f"i{i}": 20 if i < 3 else 40 / 3 for i in range(6)},
            planned=6,
            reason="for the test",
            stages=(2,),
        ),
        "items": items,
        "pairs": (Pair(id="p", a="x", b="y"),),
        "labels": tuple(labels),
        "adjudications": (
            Adjudication(
                subject="i1",
                criterion="help",
                answer=None,
                by="eva",
                at="2026-01-02T03:04:05+00:00",
                before=("1", "2"),
                reason="true split",
            ),
        ),
    }
    return CalibrationSet(**(usual | fields))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the set goes."""
    return tmp_path / "calibration" / "helpful"


def files_of(folder: Path) -> dict[str, bytes]:
    """Path in the folder to bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_set_comes_back_with_its_digest(folder):
    """What is read is what was written, whatever order it came in."""
    made = calibration_set()
    written = write_set(folder, made)
    found = read_set(folder)
    assert found == written == in_order(made)
    assert found.digest == written.digest
    assert len(found.labels) == len(made.labels)
    assert found.design.weights == made.design.weights


def test_the_files_are_those_of_the_design(folder):
    """One rater per file sorted by identity, items by id, a manifest with the SHA-256 of each."""
    write_set(folder, calibration_set())
    files = files_of(folder)
    assert set(files) == {
        ".gitattributes",
        "README.md",
        "adjudication.jsonl",
        "design.json",
        "items.jsonl",
        "labels/ana.jsonl",
        "labels/ben.jsonl",
        "manifest.json",
        "pairs.jsonl",
        "rubric.json",
    }
    ana = [json.loads(line) for line in files["labels/ana.jsonl"].split(b"\n") if line]
    assert {label["rater"] for label in ana} == {"ana"}
    keys = [(label["subject"], label["criterion"], label.get("repeat", 0)) for label in ana]
    assert keys == sorted(keys)
    manifest = json.loads(files["manifest.json"])
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    assert all(data.endswith(b"\n") and b"\r" not in data for data in files.values())
    assert all(b"2026-01-02" not in data for name, data in files.items() if name != "adjudication.jsonl")


def test_the_same_set_is_the_same_bytes(tmp_path):
    """Frozen twice from the same data in another order, every byte is the same."""
    made = calibration_set()
    other = msgspec.structs.replace(
        made,
        items=made.items[::-1],
        labels=made.labels[::-1],
        design=msgspec.structs.replace(made.design, weights=dict(reversed(made.design.weights.items()))),
    )
    write_set(tmp_path / "one" / "helpful", made)
    write_set(tmp_path / "two" / "helpful", other)
    assert files_of(tmp_path / "one" / "helpful") == files_of(tmp_path / "two" / "helpful")


def test_an_edited_byte_is_refused_by_the_files_name(folder):
    """A byte changed, added or taken from any file is refused, naming that file."""
    write_set(folder, calibration_set())
    for name, data in files_of(folder).items():
        middle = len(data) // 2
        for edited in (
            data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            data + b"\n",
            data[:-1],
            data.replace(b"\n", b"\r\n"),
            b"",
        ):
            (folder / name).write_bytes(edited)
            with pytest.raises(FielError) as caught:
                read_set(folder)
            assert name in f"{caught.value.what} {caught.value.where}"
        (folder / name).write_bytes(data)
    read_set(folder)


def test_every_byte_of_the_manifest_counts(folder):
    """No single changed byte of the manifest goes unnoticed."""
    write_set(folder, calibration_set())
    path = folder / "manifest.json"
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(FielError):
            read_set(folder)


def test_a_file_edited_with_its_hash_is_refused(folder):
    """Who changes a label and the hash in the manifest has still another set than the digest says."""
    write_set(folder, calibration_set())
    path, manifest = folder / "labels" / "ana.jsonl", folder / "manifest.json"
    before = path.read_bytes()
    path.write_bytes(before.replace("sí".encode(), b"no", 1))
    old, new = (sha256(data).hexdigest() for data in (before, path.read_bytes()))
    listed = json.loads(manifest.read_text().replace(old, new)) | {"seal": ""}
    unsealed = f"{json.dumps(listed, indent=2)}\n"
    seal = sha256(unsealed.encode()).hexdigest()
    manifest.write_text(unsealed.replace('"seal": ""', f'"seal": "{seal}"'))
    with pytest.raises(FielError, match="its digest is another one"):
        read_set(folder)


@pytest.mark.parametrize(
    "name", ["items.jsonl", "labels/ana.jsonl", "README.md", "adjudication.jsonl", "manifest.json"]
)
def test_a_missing_file_is_refused_by_name(folder, name):
    """A file that was taken out is named."""
    write_set(folder, calibration_set())
    (folder / name).unlink()
    with pytest.raises(FielError) as caught:
        read_set(folder)
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ["extra.txt", "labels/zoe.jsonl", "labels/ana.jsonl.bak", "more/x.jsonl", ".DS_Store"])
def test_an_extra_file_is_refused_by_name(folder, name):
    """A file that does not belong there is named, in whatever folder."""
    write_set(folder, calibration_set())
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"{}\n")
    with pytest.raises(FielError, match=name.partition("/")[0] if name.startswith("more") else name):
        read_set(folder)


def test_a_link_is_no_file_of_a_set(folder):
    """A file that is a link to somewhere else is refused, also where its bytes are right."""
    write_set(folder, calibration_set())
    away = folder.parent / "items.jsonl"
    shutil.move(folder / "items.jsonl", away)
    (folder / "items.jsonl").symlink_to(away)
    with pytest.raises(FielError, match="not a regular file"):
        read_set(folder)


def test_a_frozen_name_is_taken(folder):
    """A second set under the name is refused, and the first one stays to the byte; an empty folder is taken too."""
    write_set(folder, calibration_set())
    before = files_of(folder)
    with pytest.raises(FielError, match="calibration/helpful is frozen"):
        write_set(folder, calibration_set(parent="other"))
    assert files_of(folder) == before
    empty = folder.parent / "empty"
    empty.mkdir()
    with pytest.raises(FielError, match="is frozen"):
        write_set(empty, calibration_set(name="empty"))
    assert sorted(path.name for path in folder.parent.iterdir()) == ["empty", "helpful"]


def test_of_many_who_freeze_at_once_one_does(folder):
    """Eight threads freeze eight sets under one name: one folder is there, whole, and nothing beside it."""
    gate = Barrier(8)

    def freeze(i: int) -> bool:
        gate.wait()
        try:
            write_set(folder, calibration_set(parent=f"{i}"))
        except FielError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(freeze, range(8)))
    assert done.count(True) == 1
    assert read_set(folder).parent == f"{done.index(True)}"
    assert [path.name for path in folder.parent.iterdir()] == ["helpful"]


def test_nothing_is_left_where_writing_fails(folder, monkeypatch):
    """A disk that is full in the middle leaves no folder under the name and none beside it."""
    real, calls = os.fsync, []

    def full(number: int) -> None:
        calls.append(number)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        real(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FielError, match="No space left"):
        write_set(folder, calibration_set())
    assert list(folder.parent.iterdir()) == []


def test_what_no_file_can_hold_is_not_frozen(folder):
    """A lone surrogate is refused before anything is written."""
    with pytest.raises(FielError, match="surrogate"):
        write_set(folder, calibration_set(items=(Item(id="i0", output="\ud800"),)))
    assert not folder.parent.exists()


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "C:", "CON", "x" * 300, "a\0b", "%2e%2e", "com1.txt", "x ", "ñ"]
)
def test_a_set_has_the_name_of_a_folder(tmp_path, name):
    """Acceptance 33: names that leave the folder or cannot be one are refused, and nothing is written."""
    with pytest.raises(FielError):
        write_set(tmp_path / "calibration" / name, calibration_set(name=name))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_the_name_of_its_set(tmp_path):
    """A set is not written under another name than its own."""
    with pytest.raises(FielError, match="its folder 'other'"):
        write_set(tmp_path / "other", calibration_set())


def test_raters_of_any_name_have_a_file_in_the_folder(folder):
    """Acceptance 33: whatever raters are called, each has a file of his own inside, and comes back by name."""
    labels = tuple(Label(subject="i0", criterion="grounded", rater=name, answer="no") for name in HOSTILE)
    write_set(folder, calibration_set(labels=labels))
    found = read_set(folder)
    assert sorted(label.rater for label in found.labels) == sorted(HOSTILE)
    assert len(list((folder / "labels").iterdir())) == len(HOSTILE)
    inside = {path.relative_to(folder.parent.parent).parts[0] for path in folder.parent.parent.rglob("*")}
    assert inside == {"calibration"}


@settings(max_examples=200)
@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True, max_size=8))
def test_names_of_files_are_safe_and_apart(names):
    """Any names become names that every system takes, no two of which are the same without their capitals."""
    stems = file_stems(names)
    assert set(stems) == set(names)
    assert len({stem.casefold() for stem in stems.values()}) == len(names)
    for stem in stems.values():
        assert check_name(stem, of="a file") == stem


def test_a_made_name_cannot_be_taken():
    """A rater who is called like the file that another name becomes gets another file."""
    (made,) = file_stems(["../x"]).values()
    assert len(set(file_stems(["../x", made, made.upper()]).values())) == 3


def test_an_empty_set_comes_back(folder):
    """A set without pairs, labels and decisions is one too."""
    made = calibration_set(pairs=(), labels=(), adjudications=())
    write_set(folder, made)
    assert read_set(folder) == in_order(made)
    assert not (folder / "pairs.jsonl").exists()


def test_the_card_tells_what_is_in_the_set(folder):
    """The README counts per rater, names the design, and takes nothing of the texts for its own marks."""
    written = write_set(folder, calibration_set())
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "6 items and 1 pair, 2 raters, 16 labels, 1 decision." in card
    assert f"Digest `{written.digest[:16]}`" in card
    assert "| ana | 7 | 1 | 1 | 1 | 1 |" in card
    assert "| ben | 6 | 0 | 0 | 1 | 0 |" in card
    assert r"¿Se apoya \| en el \*contexto\*?" in card
    assert "| help | true split | 1 |" in card
    assert "Kind: stratified" in card


def test_looks_are_counted_beside_the_set(folder):
    """Each use is a line with who, when and how; the set stays what it was."""
    written = write_set(folder, calibration_set())
    assert looks(folder) == []
    assert count_look(folder, digest=written.digest, by="ana", command="fiel validate") == 1
    assert count_look(folder, digest=written.digest, by="zoe\n", command="fiel gate") == 2
    assert [(look.by, look.command, look.digest) for look in looks(folder)] == [
        ("ana", "fiel validate", written.digest),
        ("zoe\n", "fiel gate", written.digest),
    ]
    assert read_set(folder) == written


def test_looks_at_once_are_all_counted(folder):
    """Eight threads that look five times each leave forty whole lines."""
    write_set(folder, calibration_set())

    def look(i: int) -> None:
        for _ in range(5):
            count_look(folder, digest="d", by=f"{i}" * 200, command="x")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(look, range(8)))
    assert len(looks(folder)) == 40


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_look_that_was_cut_off_is_told_and_the_next_is_whole(folder, cut):
    """After a crash in the middle of a line the set is read, the line is named, and later looks stand on their own."""
    written = write_set(folder, calibration_set())
    count_look(folder, digest=written.digest, by="ana", command="fiel validate")
    path = folder / "looks.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes()[:cut])
    assert [look.by for look in looks(folder)] == ["ana"]
    told = damaged_looks(folder)
    assert f"{path}, line 2, cannot be read" in str(told)
    assert read_set(folder) == written
    assert count_look(folder, digest=written.digest, by="zoe", command="fiel gate") == 3  # the cut one was a use too
    assert [look.by for look in looks(folder)] == ["ana", "zoe"]
    assert damaged_looks(folder) == told


@pytest.mark.parametrize("bad", [b"not json", b'{"at": 1}', b"\xff\xfe", b"\0\0\0", b"<<<<<<< HEAD", b"[1"])
def test_an_edited_look_is_told_by_its_number(folder, bad):
    """A damaged line in the middle is named; the lines around it and the set stay usable."""
    written = write_set(folder, calibration_set())
    for who in ("ana", "ben", "zoe"):
        count_look(folder, digest=written.digest, by=who, command="x")
    path = folder / "looks.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[1] = bad
    path.write_bytes(b"\n".join(lines))
    assert [look.by for look in looks(folder)] == ["ana", "zoe"]
    assert "line 2, cannot be read" in str(damaged_looks(folder))
    assert read_set(folder) == written


def test_many_damaged_looks_are_told_in_few_words(folder):
    """Of a file that is something else altogether the first lines are named and the rest counted."""
    write_set(folder, calibration_set())
    assert damaged_looks(folder) is None
    (folder / "looks.jsonl").write_bytes(b"x\n" * 1000)
    assert "lines 1, 2, 3, 4, 5 and 995 more, cannot be read" in str(damaged_looks(folder))


def test_looks_that_are_a_folder_are_an_error_with_a_name(folder):
    """What is no file at all is said, and no error of the system comes through."""
    write_set(folder, calibration_set())
    (folder / "looks.jsonl").mkdir()
    for ask in (looks, damaged_looks, lambda folder: count_look(folder, digest="d", by="ana", command="x")):
        with pytest.raises(FielError) as caught:
            ask(folder)
        assert caught.value.where == str(folder / "looks.jsonl")


def test_a_name_that_differs_in_capitals_alone_is_taken(folder):
    """`Helpful` beside `helpful` is refused by the name of the other, before and when it is written."""
    write_set(folder, calibration_set())
    other = folder.with_name("Helpful")
    for freeze in (lambda: write_set(other, calibration_set(name="Helpful")), lambda: check_free(other)):
        with pytest.raises(FielError, match="differs in capitals alone from 'helpful'"):
            freeze()
    assert [path.name for path in folder.parent.iterdir()] == ["helpful"]


def test_what_was_left_half_written_is_no_set(folder):
    """A hidden folder that a crash left, with a manifest in it, is not listed, and is gone after the next freeze."""
    write_set(folder, calibration_set())
    left = folder.with_name(".other.0123456789ab.tmp")
    shutil.copytree(folder, left)
    assert set_names(folder.parent) == ["helpful"]
    write_set(folder.with_name("next"), calibration_set(name="next"))
    assert set_names(folder.parent) == ["helpful", "next"]
    assert not left.exists()


@pytest.mark.parametrize("name", ["items.jsonl", "manifest.json"])
def test_line_ends_of_windows_are_told_as_what_they_are(folder, name):
    """What differs in its line ends alone is named so, with what mends it; what was edited besides is called edited."""
    write_set(folder, calibration_set())
    data = (folder / name).read_bytes().replace(b"\n", b"\r\n")
    (folder / name).write_bytes(data)
    with pytest.raises(FielError, match=f"{name} is as it was frozen but for its line ends, now CRLF") as caught:
        read_set(folder)
    assert "* -text" in str(caught.value.fix)
    (folder / name).write_bytes(data.replace(b"1", b"2", 1))
    with pytest.raises(FielError, match=r"has been changed|newer") as caught:
        read_set(folder)
    assert "line ends" not in caught.value.what


def test_a_pointer_of_git_lfs_is_told_as_what_it_is(folder):
    """Where large files were not fetched, the error says so and how to."""
    write_set(folder, calibration_set())
    for name in ("manifest.json", "items.jsonl"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        with pytest.raises(FielError, match=f"{name} is a pointer of Git LFS") as caught:
            read_set(folder)
        assert caught.value.fix == "Run: git lfs pull"
        (folder / name).write_bytes(data)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_leaves_the_bytes_as_they_are(folder, tmp_path):
    """Committed and cloned where git converts every line end, and the repository asks for CRLF, the set is whole."""
    repository, clone = folder.parent.parent / "repository", tmp_path / "clone"
    written = write_set(repository / "calibration" / "helpful", calibration_set())
    count_look(repository / "calibration" / "helpful", digest=written.digest, by="ana", command="x")
    (repository / ".gitattributes").write_bytes(b"* text eol=crlf\n")
    (repository / "other.json").write_bytes(b"{}\n")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=true", "-c", "core.safecrlf=false")
        subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "a set")
    git("clone", "-q", str(repository), str(clone))
    assert (clone / "other.json").read_bytes() == b"{}\r\n"  # git does convert here
    assert read_set(clone / "calibration" / "helpful") == written
    assert len(looks(clone / "calibration" / "helpful")) == 1


def test_a_newer_format_asks_for_an_upgrade(folder):
    """A set of a later fiel is not taken for an edited one."""
    write_set(folder, calibration_set())
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"format": 1', b'"format": 2'))
    with pytest.raises(FielError, match="newer fiel"):
        read_set(folder)


def test_what_is_no_set_is_said_to_be_none(tmp_path):
    """A folder without a manifest, a file and nothing at all are no frozen sets."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file", tmp_path / "nothing", Path(f"{tmp_path}/a\0b"), tmp_path / ("x" * 300)):
        with pytest.raises(FielError):
            read_set(path)


def test_a_project_has_its_sets_in_calibration(root):
    """A set is frozen under its name, found by it, and a wrong name gets the nearest."""
    project = Project.open(root)
    assert project.set_names() == []
    frozen = project.freeze(calibration_set())
    assert project.set_names() == set_names(root / "calibration") == ["helpful"]
    assert project.calibration_set("helpful") == frozen
    assert project.set_folder("helpful") == root / "calibration" / "helpful"
    for wrong in ("helpfull", "../helpful", ""):
        with pytest.raises(FielError, match="no calibration set"):
            project.calibration_set(wrong)
