"""The whole way from an endpoint: a server told the truth of every distribution, under three ways of cutting tokens."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fiel.judges._asking import Asked, ask
from fiel.judges._belief import read_belief
from fiel.records import Criterion, Distribution, Token

STUB = Path(__file__).resolve().parents[3] / "shared" / "tools" / "stub_openai.py"
TEN = tuple(str(n) for n in range(11))
TOKENIZERS = ("openai", "digits", "sp")
JUNK = 8  # tokens over which the server spreads what is off the scale

Completion = tuple[str, list[Token]]


@pytest.fixture(scope="module")
def serve(tmp_path_factory) -> Iterator[Callable[..., int]]:
    """A function from the server's options to its port; servers live as long as this module's tests."""
    if not STUB.exists():
        pytest.skip(f"the stub server {STUB} is absent")
    pytest.importorskip("aiohttp", reason="the stub server needs aiohttp")
    running: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], int]] = {}

    def port(*options: str) -> int:
        if options not in running:
            told = tmp_path_factory.mktemp("stub") / "port"
            program = [sys.executable, str(STUB), "--port", "0", "--port-file", str(told), "--latency-ms", "0"]
            process = subprocess.Popen([*program, *options], stdout=subprocess.DEVNULL)
            running[options] = process, listening(process, told)
        return running[options][1]

    yield port
    for process, _ in running.values():
        process.terminate()
        process.wait()


def listening(process: subprocess.Popen[bytes], told: Path) -> int:
    """The port of a server that has begun to answer."""
    for _ in range(1200):
        assert process.poll() is None, "the stub server has ended"
        written = told.read_text(encoding="utf-8") if told.exists() else ""
        if written:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", int(written))):
                return int(written)
        time.sleep(0.05)
    pytest.fail("the stub server does not answer")


def complete(port: int, prompt: str, schema: dict[str, Any] | None = None) -> Completion:
    """The content of one reply and its tokens."""
    body: dict[str, Any] = {
        "model": "stub",
        "messages": [{"role": "user", "content": prompt}],
        "logprobs": True,
        "top_logprobs": 20,
    }
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "verdicts", "schema": schema}}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
    choice = json.loads(connection.getresponse().read())["choices"][0]
    connection.close()
    tokens = [
        Token(
            text=entry["token"],
            logprob=entry["logprob"],
            alternatives=tuple((other["token"], other["logprob"]) for other in entry["top_logprobs"]),
        )
        for entry in choice["logprobs"]["content"]
    ]
    assert "".join(token.text for token in tokens) == choice["message"]["content"]
    return choice["message"]["content"], tokens


def belief(reply: Completion, pattern: str, question: Asked) -> Distribution:
    """The belief at the JSON value that follows the first match of `pattern`."""
    text, tokens = reply
    match = re.search(pattern, text)
    assert match is not None
    value, end = json.JSONDecoder().raw_decode(text, match.end())
    inside = int(isinstance(value, str))
    found = read_belief(tokens, match.end() + inside, end - inside, question)
    assert found is not None
    return found


def verdicts(kinds: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The schema of a reply with a reason and a verdict for every criterion."""
    return {
        "type": "object",
        "properties": {
            name: {"type": "object", "properties": {"reason": {"type": "string"}, "verdict": kind}}
            for name, kind in kinds.items()
        },
    }


def directive(truths: dict[str, dict[str, float]], other: float) -> str:
    """What tells the server the truth."""
    parts = [
        f"p:{name}=" + ",".join(f"{quote(option)}:{p!r}" for option, p in truth.items())
        for name, truth in truths.items()
    ]
    return f"[[stub {' '.join(parts)} other={other}]]"


def asked(*options: str) -> Asked:
    """A criterion spelt as it is."""
    return Asked(criterion=Criterion(id="c", question="?", options=options), keys=options)


def off_scale(found: Distribution) -> float:
    """The mass that is nowhere else."""
    assert found.captured is not None
    return 1 - found.captured - found.ambiguous - found.inapplicable - found.dropped


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("other", [0.0, 0.08])
def test_four_criteria_in_one_reply(serve, tokenizer, other):
    """Options of one to four tokens, with shared beginnings and in two languages: the told distributions come back."""
    truths = {
        "quality": {"bad": 0.2, "fair": 0.3, "good": 0.5},
        "tone": {"casual": 0.25, "mostly casual": 0.2, "mostly formal": 0.15, "mostly formal in tone": 0.4},
        "grado": {"jamás": 0.3, "sí": 0.2, "sí en parte": 0.5},
        "level": {"1": 0.05, "2": 0.1, "3": 0.2, "4": 0.6, "5": 0.05},
    }
    schema = verdicts({name: {"type": "string", "enum": list(truth)} for name, truth in truths.items()})
    reply = complete(serve("--tokenizer", tokenizer), directive(truths, other), schema)
    for name, truth in truths.items():
        found = belief(reply, rf'"{name}": \{{"reason": "[^"]*", "verdict": ', asked(*truth))
        assert dict(zip(found.options, found.probs, strict=True)) == pytest.approx(truth, abs=1e-6), name
        assert off_scale(found) == pytest.approx(other, abs=1e-6), name
        assert found.ambiguous == 0.0


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_junk_is_off_the_scale_unless_it_is_an_answer(serve, tokenizer):
    """The junk token N is no beginning of "no", in another case and alone; the letter A is the answer A."""
    other = 0.08
    truths = {"grounded": {"no": 0.3, "yes": 0.7}, "kind": {"A": 0.2, "B": 0.5, "C": 0.3}}
    schema = verdicts({name: {"type": "string", "enum": list(truth)} for name, truth in truths.items()})
    reply = complete(serve("--tokenizer", tokenizer), directive(truths, other), schema)
    letters = ask(Criterion(id="k", question="?", options=("no", "not sure", "yes")))
    for name, question, counted in (("grounded", asked("no", "yes"), 0), ("kind", letters, 1)):
        found = belief(reply, rf'"{name}": .*?"verdict": ', question)
        mass = [p * (1 - other) for p in truths[name].values()]
        mass[0] += counted * other / JUNK
        assert found.probs == pytest.approx([m / sum(mass) for m in mass], abs=1e-6)
        assert off_scale(found) == pytest.approx(other * (JUNK - counted) / JUNK, abs=1e-6)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_junk_before_a_bare_value_leaves_it_open(serve, tokenizer):
    """Before true without quotes, the junk tokens line break and quote decide nothing: a quarter is ambiguous."""
    other = 0.08
    truths = {"cited": {"false": 0.4, "true": 0.6}}
    reply = complete(
        serve("--tokenizer", tokenizer), directive(truths, other), verdicts({"cited": {"type": "boolean"}})
    )
    found = belief(reply, '"verdict": ', asked("false", "true"))
    assert found.probs == pytest.approx((0.4, 0.6), abs=1e-6)
    assert found.ambiguous == pytest.approx(other * 2 / JUNK, abs=1e-6)
    assert off_scale(found) == pytest.approx(other * (JUNK - 2) / JUNK, abs=1e-6)
    assert (found.mean_low, found.mean_high) == pytest.approx((0.552 / 0.94, 0.572 / 0.94), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "directives", "mean", "ambiguous", "low", "high"),
    [
        (("openai",), "dist=9:0.6,8:0.3,7:0.1", 8.5, 0.0, None, None),
        (("sp",), "dist=8:0.6,4:0.4", 6.4, 0.0, None, None),
        (("digits",), "dist=10:0.6,9:0.4", 9.6, 0.0, None, None),
        (("digits",), "dist=10:0.5,1:0.2,9:0.3", 7.9, 0.0, None, None),
        (("digits",), "dist=9:0.55,10:0.45", 9.0, 0.45, 5.4, 9.45),
        (("openai",), "dist=9:0.55,1:0.45", 9.0, 0.45, 5.4, 9.45),
        (("openai", "--space-dup", "0.4", "--order", "score-first"), "dist=8:0.6,3:0.4", 6.0, 0.0, None, None),
        (("digits", "--score-format", "float"), "dist=10:0.6,9:0.4", 9.6, 0.0, None, None),
        (("sp", "--score-format", "string"), "dist=8:0.6,4:0.4", 6.4, 0.0, None, None),
    ],
)
def test_scores_in_every_form(serve, options, directives, mean, ambiguous, low, high):
    """Scores as numbers, decimals and strings give the told mean or its bounds, also where the reason repeats them."""
    text, tokens = complete(
        serve("--tokenizer", *options), f"Rate it. [[stub {directives}]] [[stub reason=8 of the 8 facts hold]]"
    )
    assert "8 of the 8 facts" in text
    found = belief((text, tokens), '"score": ', asked(*TEN))
    assert found.mean == pytest.approx(mean, abs=1e-6)
    assert found.ambiguous == pytest.approx(ambiguous, abs=1e-6)
    assert (found.mean_low, found.mean_high) == (low and pytest.approx(low), high and pytest.approx(high))


def test_a_written_fraction_leaves_its_mass_off_the_scale(serve):
    """Of a written "8/10" nothing goes to 8 but the 0.4 % by which the value might have ended after it."""
    port = serve("--tokenizer", "openai", "--score-format", "frac")
    found = belief(complete(port, "Rate it. [[stub dist=8:0.6,4:0.3,5:0.1]]"), '"score": ', asked(*TEN))
    ended = 0.6 * 0.004
    assert found.captured == pytest.approx(0.4 + ended, abs=1e-6)
    assert found.mean == pytest.approx((4 * 0.3 + 5 * 0.1 + 8 * ended) / (0.4 + ended), abs=1e-6)
