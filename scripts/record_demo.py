"""Record what a local model says of the demo's answers, once, for the demo's second judge to replay.

    python scripts/record_demo.py MODEL.gguf

Needs `fiel[local]`; takes minutes. To be run again when the demo's answers, its rubric or the prompt change: the
replies are kept under the digests of the exact requests, and a test says when they no longer fit.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from fiel.cli import _demo
from fiel.judges import LLMJudge
from fiel.models import Recorder, local
from fiel.records import encode, split_lines
from fiel.runner import Progress, judge, judge_from
from fiel.store.project import Project

TARGET = Path(__file__).resolve().parents[1] / "src" / "fiel" / "cli" / "demo" / "replies.jsonl"
NAME = "gemma3-270m"


def tell(progress: Progress) -> None:
    """One line now and then."""
    if progress.done % 40 == 0:
        print(f"{progress.done} of {progress.total} judgements, {progress.calls} calls, {progress.seconds:.0f} s")


def short(reply: dict[str, Any]) -> dict[str, Any]:
    """A reply as it is shipped: log-probabilities to four digits, no latency of this machine."""
    tokens = [
        {
            "text": token["text"],
            "logprob": round(token["logprob"], 4),
            "alternatives": [(text, round(logprob, 4)) for text, logprob in token.get("alternatives", ())],
        }
        for token in reply["tokens"]
    ]
    return {**{name: value for name, value in reply.items() if name != "latency"}, "tokens": tokens}


def main() -> None:
    """Ask the model everything that the demo asks, and write its replies without the prompts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path, help="the model's file")
    parser.add_argument("--recording", type=Path, help="the full recording, to go on with; default: a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recording = options.recording or Path(folder) / "recording.jsonl"
        project = Path(folder) / "demo"
        _demo.make(project)
        opened = Project.open(project)
        entry = next(entry for entry in opened.config.judges if entry.name == "tiny")
        built = judge_from(entry, opened)
        if not isinstance(built, LLMJudge):
            raise SystemExit("The demo's second judge is no language model.")
        model = local(options.gguf, name=NAME)
        if model.name != built.model.name:
            raise SystemExit(f"The demo replays {built.model.name}, and this file is {model.name}.")
        judge(built.through(lambda _: Recorder(model, recording)), opened.items(), opened.rubric("rag"), progress=tell)
        lines = [msgspec.json.decode(line) for _, line in split_lines(recording.read_bytes())]
    kept = [{"digest": line["digest"], "reply": short(line["reply"])} for line in lines]
    TARGET.write_bytes(b"".join(encode(line) + b"\n" for line in sorted(kept, key=lambda line: line["digest"])))
    print(f"{TARGET}: {len(kept)} replies, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
