from __future__ import annotations

from pathlib import Path

import pytest

from fiel.records import FielError
from fiel.store._files import read_bytes, read_text


def test_missing_file(tmp_path: Path):
    """A missing file is named together with its nearest neighbour in the folder."""
    (tmp_path / "answers.csv").write_text("x", encoding="utf-8")
    with pytest.raises(FielError) as caught:
        read_bytes(tmp_path / "anwsers.csv")
    assert "anwsers.csv" in caught.value.what
    assert caught.value.fix == "Did you mean 'answers.csv'?"
    assert caught.value.where == str(tmp_path)


def test_missing_folder(tmp_path: Path):
    """A file in a folder that does not exist says that the folder is missing too."""
    with pytest.raises(FielError, match="no such folder"):
        read_bytes(tmp_path / "nowhere" / "x.csv")


def test_folder_is_no_file(tmp_path: Path):
    """A folder in place of a file is refused as such."""
    with pytest.raises(FielError, match="folder"):
        read_bytes(tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_empty_file(tmp_path: Path, content: bytes):
    """A file with nothing, or with white space alone, is empty."""
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(FielError, match="empty"):
        read_bytes(tmp_path / "x.csv")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_wrong_encoding(tmp_path: Path, mark: bytes):
    """A byte that is not UTF-8 is named with its position and line, with a byte order mark or without."""
    (tmp_path / "x.csv").write_bytes(mark + b"id,output\n1,caf\xe9\n")
    with pytest.raises(FielError) as caught:
        read_text(tmp_path / "x.csv")
    assert f"0xE9 at position {len(mark) + 15}" in caught.value.what
    assert caught.value.where == f"{tmp_path / 'x.csv'}, line 2"


def test_utf16(tmp_path: Path):
    """UTF-16 is recognised by its mark and called by its name."""
    (tmp_path / "x.csv").write_text("id,output\n1,é\n", encoding="utf-16")
    with pytest.raises(FielError, match="UTF-16"):
        read_text(tmp_path / "x.csv")


def test_mark_is_taken_off(tmp_path: Path):
    """A byte order mark is not part of the text."""
    (tmp_path / "x.csv").write_text("id", encoding="utf-8-sig")
    assert read_text(tmp_path / "x.csv") == "id"
