"""Files and folders that are whole or not there: killed writers, living ones, full disks, names that differ in case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from fiel.records import FielError
from fiel.store import _beside
from fiel.store.writing import TakenError, append_line, check_room, write_file, write_folder

FILES = {"a.json": b"{}\n", "labels/ana.jsonl": b'{"answer": "yes"}\n' * 50, "manifest.json": b"{}\n"}
WRITER = """
import os, sys
from pathlib import Path
from fiel.store import writing

real, calls = os.fsync, []

def at_the_second(number):
    calls.append(number)
    if len(calls) == 2:
        {then}
    real(number)

os.fsync = at_the_second
{write}
"""
WAIT = "print('here', flush=True); sys.stdin.readline()"
KILL = "os.kill(os.getpid(), 9)"
APPEND = """
import sys
from pathlib import Path
from fiel.store.writing import append_line

print("here", flush=True)
sys.stdin.readline()
for i in range(40):
    append_line(Path(sys.argv[1]), (sys.argv[2] * 6000 + str(i)).encode())
"""

needs_locks = pytest.mark.skipif(_beside.fcntl is None, reason="this system has no locks that go with their process")


def writer(path: Path, then: str) -> str:
    """A program that writes the folder, and at its second file does what is said."""
    return WRITER.format(then=then, write=f"writing.write_folder(Path({str(path)!r}), {FILES!r})")


def killed(program: str) -> None:
    """Run a program that is killed, without a chance to clean up."""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, where one may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    asked = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)]
    try:
        mounted = subprocess.run(asked, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a small disk can be mounted by root alone")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@needs_locks
def test_what_a_killed_writer_left_goes_with_the_next_folder(tmp_path):
    """Killed in the middle it leaves a hidden folder; the next one, of whatever name, removes it and is whole."""
    killed(writer(tmp_path / "base", KILL))
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".base.")
    assert any(left.iterdir())
    write_folder(tmp_path / "other", FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    assert (tmp_path / "other" / "labels" / "ana.jsonl").read_bytes() == FILES["labels/ana.jsonl"]


@needs_locks
def test_what_a_living_process_writes_stays(tmp_path):
    """While one process is in the middle of a folder, another writes one beside it; both are whole in the end."""
    one = subprocess.Popen(
        [sys.executable, "-c", writer(tmp_path / "base", WAIT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert one.stdout is not None
    assert one.stdout.readline() == b"here\n"
    write_folder(tmp_path / "other", FILES)
    assert len([path for path in tmp_path.iterdir() if path.name.startswith(".base.")]) == 1
    one.communicate(b"\n", timeout=20)
    assert one.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "other"]
    for name in ("base", "other"):
        assert {path.relative_to(tmp_path / name).as_posix() for path in (tmp_path / name).rglob("*.json*")} == set(
            FILES
        )


@needs_locks
def test_a_file_that_a_killed_writer_left_goes_with_the_next_of_its_name(tmp_path):
    """The rest of a killed `first.json` goes when `first.json` is written, and nobody else's does."""
    write = f"writing.write_file(Path({str(tmp_path / 'first.json')!r}), b'x')"
    killed(WRITER.format(then=KILL, write=write).replace("len(calls) == 2", "len(calls) == 1"))
    (left,) = tmp_path.iterdir()
    write_file(tmp_path / "second.json", b"y")
    assert left.exists()
    write_file(tmp_path / "first.json", b"z")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json", "second.json"]


@pytest.mark.parametrize(
    "name", [".notes", ".notes.tmp", ".base.123.tmp", "base.0123456789ab.tmp", ".base.0123456789AB.tmp"]
)
def test_folders_of_others_stay(tmp_path, name):
    """A hidden folder that is not called as ours are is left alone."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.txt").write_text("mine", encoding="utf-8")
    write_folder(tmp_path / "base", FILES)
    assert (tmp_path / name / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_what_a_link_of_such_a_name_leads_to_stays(tmp_path):
    """A link called as our folders are is not followed."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "mine.txt").write_text("mine", encoding="utf-8")
    sets = tmp_path / "sets"
    sets.mkdir()
    (sets / ".base.0123456789ab.tmp").symlink_to(away)
    write_folder(sets / "base", FILES)
    assert (away / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_many_who_write_at_once_remove_nothing_of_each_other(tmp_path):
    """Twelve threads write twelve folders, each of which sweeps first: all are there, whole."""
    gate = Barrier(12)

    def write(i: int) -> None:
        gate.wait()
        write_folder(tmp_path / f"set-{i}", FILES)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(12)))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"set-{i}" for i in range(12))
    assert all((tmp_path / f"set-{i}" / name).read_bytes() == FILES[name] for i in range(12) for name in FILES)


def test_a_folder_that_differs_in_capitals_alone_is_taken(tmp_path):
    """`Base` beside `base` would be one folder on many systems: refused, also by the question whether there is room."""
    write_folder(tmp_path / "base", FILES)
    for name in ("Base", "BASE", "base"):
        for ask in (lambda folder: write_folder(folder, FILES), check_room):
            with pytest.raises(TakenError) as caught:
                ask(tmp_path / name)
            assert caught.value.path == tmp_path / "base"
    assert [path.name for path in tmp_path.iterdir()] == ["base"]


def test_of_names_that_differ_in_capitals_one_is_written(tmp_path):
    """Eight threads write `base` in eight spellings at once: one folder is there."""
    spellings = ("base", "Base", "bAse", "baSe", "basE", "BASE", "BAse", "baSE")
    gate = Barrier(len(spellings))

    def write(name: str) -> bool:
        gate.wait()
        try:
            write_folder(tmp_path / name, FILES)
        except TakenError:
            return False
        return True

    with ThreadPoolExecutor(len(spellings)) as pool:
        done = list(pool.map(write, spellings))
    assert [path.name for path in tmp_path.iterdir()] == [spellings[done.index(True)]]
    assert done.count(True) == 1


def test_asking_for_room_leaves_nothing(tmp_path):
    """Neither a folder nor its parent is there afterwards, where it was not before."""
    check_room(tmp_path / "calibration" / "base")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "calibration").mkdir()
    check_room(tmp_path / "calibration" / "base")
    assert list(tmp_path.rglob("*")) == [tmp_path / "calibration"]


def test_a_full_disk_is_named_with_the_file_and_the_fix(small_disk):
    """A real full disk: file and fix are told, nothing is left, and what fits is written afterwards."""
    with pytest.raises(FielError) as caught:
        write_folder(small_disk / "base", {"a.json": b"{}", "items.jsonl": b"x" * 100_000})
    assert caught.value.where == str(small_disk / "base" / "items.jsonl")
    assert "No space left" in caught.value.what
    assert "Make room" in str(caught.value.fix)
    assert list(small_disk.iterdir()) == []
    write_folder(small_disk / "base", FILES)


def test_a_line_that_does_not_fit_leaves_nothing_of_itself(small_disk):
    """On a full disk the lines before stay whole, and the next one that fits is whole too."""
    path = small_disk / "looks.jsonl"
    for _ in range(3):
        append_line(path, b"y" * 20_000)
    before = path.read_bytes()
    with pytest.raises(FielError, match="No space left"):
        append_line(path, b"z" * 20_000)
    assert path.read_bytes() == before
    append_line(path, b"small")
    assert path.read_bytes() == before + b"small\n"


def test_a_place_that_is_a_file_is_named_with_the_fix(tmp_path):
    """Where a file has the name of the folder above, it is said that it is one, and nothing is called frozen."""
    (tmp_path / "calibration").write_text("x", encoding="utf-8")
    for write in (lambda path: write_folder(path, FILES), check_room, lambda path: write_file(path, b"x")):
        with pytest.raises(FielError, match="Not a directory") as caught:
            write(tmp_path / "calibration" / "base")
        assert "is a file" in str(caught.value.fix)


def test_a_place_that_may_not_be_written_is_named_with_the_fix(tmp_path):
    """Where nobody may write, the folder is named and what to do."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    for write in (lambda path: write_folder(path, FILES), check_room):
        with pytest.raises(FielError, match="Permission denied") as caught:
            write(tmp_path / "base")
        assert "may write" in str(caught.value.fix)


def test_lines_of_several_processes_are_whole(tmp_path):
    """Four processes add forty lines of 6 kB each at once: 160 lines, none of them mixed."""
    path = tmp_path / "looks.jsonl"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", APPEND, str(path), letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for letter in "abcd"
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in started:
        process.communicate(timeout=60)
        assert process.returncode == 0
    lines = path.read_text(encoding="utf-8").split("\n")
    assert sorted(lines) == sorted(["", *(letter * 6000 + str(i) for letter in "abcd" for i in range(40))])


def test_a_line_begins_anew_after_one_that_was_cut_off(tmp_path):
    """Threads that add lines after half a line lose neither it nor one of theirs."""
    path = tmp_path / "looks.jsonl"
    path.write_bytes(b"whole\nhal")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: append_line(path, str(i).encode()), range(8)))
    first, second, *rest, last = path.read_bytes().split(b"\n")
    assert (first, second, last) == (b"whole", b"hal", b"")
    assert sorted(rest) == [str(i).encode() for i in range(8)]
