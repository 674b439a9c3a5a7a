from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fiel.records import FielError, Judgement, Message, Reply, Request, Token, Usage
from fiel.store.judgements import JudgementStore

SYSTEM = Message(role="system", content="Judge the ANSWER. \0 \u2028 'שלום'; --\n" * 100)
SCHEMA = {"type": "object", "properties": {"b": {"type": ["string", "null"]}, "a": {"enum": ["no", "yes"]}}}


def request(text: str = "Is it so?", **changes: Any) -> Request:
    """A request with a schema and parameters, unless `changes` say otherwise."""
    usual: dict[str, Any] = {
        "model": "fast",
        "messages": (SYSTEM, Message(role="user", content=text)),
        "schema": SCHEMA,
        "parameters": {"temperature": 0.0, "top_logprobs": 20, "stop": None, "seed": 7},
    }
    return Request(**(usual | changes))


def reply(text: str = "yes") -> Reply:
    """A reply with everything that a server can say."""
    token = Token(text=text, logprob=-0.25, alternatives=((text, -0.25), ("no\0", -1.5)))
    return Reply(
        text=text,
        tokens=(token,) * 50,
        finish="stop",
        usage=Usage(input=900, output=1, cached=0),
        served="small-judge",
        fingerprint="fp_1",
        latency=0.5,
    )


def judged(**changes: Any) -> Judgement:
    """A judgement without a belief."""
    usual = {
        "subject": "a1",
        "subject_digest": "text-1",
        "criterion": "grounded",
        "criterion_digest": "wording-1",
        "judge": "house",
        "identity": "id-1",
        "status": "abstained",
    }
    return Judgement(**(usual | changes))


@pytest.fixture
def store(tmp_path: Path):
    """An empty store."""
    with JudgementStore.open(tmp_path / "j.db") as opened:
        yield opened


def count(path: Path, table: str) -> int:
    """The rows of a table of a closed or open store."""
    with closing(sqlite3.connect(path)) as raw:
        number: int = raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  our own names
        return number


@pytest.mark.parametrize(
    "asked",
    [
        request(),
        request("x" * 50_000),
        request(""),
        request(schema=None),
        request(schema={}),
        request(parameters={}),
        request(sample=3),
        request(messages=()),
        request(messages=(SYSTEM, Message(role="assistant", content="No."), SYSTEM)),
        request(parameters={"logit_bias": {"15": -100, "7": 1.0}, "nested": [1, [2.5, None], {}]}, model="a\0b"),
    ],
    ids=range(10),
)
def test_an_exchange_comes_back(tmp_path: Path, asked: Request):
    """Request and reply are the same after the store was closed and opened."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        assert store.add_replies([(asked, reply())]) == 1
    with JudgementStore.open(tmp_path / "j.db", must_exist=True) as store:
        assert store.reply(asked.digest) == reply()
        kept = store.request(asked.digest)
        assert kept == asked
        assert kept.digest == asked.digest
        assert list(kept.schema or ()) == list(asked.schema or ())
        assert store.reply_digests(asked.model) == {asked.digest}


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\ud83d\ude00", "\0", "\u2028\x85", "\N{GRINNING FACE}", ""])
def test_what_a_model_emits_is_kept_to_the_letter(store: JudgementStore, text: str):
    """Lone surrogates, NUL and line separators come back as they were, and so does everything around them."""
    store.add_replies([(request(), reply()), (request("other"), reply(text))])
    assert store.reply(request("other").digest) == reply(text)
    assert store.reply(request().digest) == reply()


def test_a_surrogate_in_a_request(store: JudgementStore):
    """A request that has no digest because of a lone surrogate is refused, and with it the whole batch."""
    with pytest.raises(FielError, match="surrogate"):
        store.add_replies([(request(), reply()), (request("\ud800"), reply())])
    assert store.reply_digests("fast") == set()


def test_nothing_is_there(store: JudgementStore):
    """What was never asked has no reply and no request, whatever stands in place of its digest."""
    store.add_replies([(request(), reply())])
    for digest in (request("other").digest, "", "r", request().digest[:-1]):
        assert store.reply(digest) is None
        assert store.request(digest) is None
    assert store.reply_digests("other") == set()
    assert store.add_replies([]) == 0
    assert store.keep() == (0, 0)


def test_asked_again(store: JudgementStore):
    """All replies to one request are kept, in one batch or in two, and the last one is used."""
    assert store.add_replies([(request(), reply("one")), (request(), reply("two"))]) == 2
    assert store.reply(request().digest) == reply("two")
    store.add_replies([(request(), reply("one"))])
    assert store.reply(request().digest) == reply("one")
    found = store.exchanges(judged(request=request().digest))
    assert [exchange.reply for exchange in found] == [reply("one"), reply("two"), reply("one")]
    assert store.reply_digests("fast") == {request().digest}


def test_texts_stand_once(store: JudgementStore):
    """A message, schema or set of parameters stands once, however many requests have it."""
    store.add_replies((request(f"item {n % 20}", sample=n), reply()) for n in range(40))
    store.add_replies((request(f"item {n % 20}", sample=n), reply()) for n in range(40, 80))
    assert count(store.path, "replies") == 80
    assert count(store.path, "texts") == 23  # 20 questions, the system's message, schema, parameters
    assert all(
        store.request(request(f"item {n % 20}", sample=n).digest) == request(f"item {n % 20}", sample=n)
        for n in range(80)
    )


def test_exchanges_of_all_samples(store: JudgementStore):
    """From a judgement one reaches its request and reply and those of the other samples, by number, and no others."""
    before = datetime.now(UTC).replace(microsecond=0)
    numbers = [4, 0, 2, *range(10, 700)]
    store.add_replies((request(sample=n), reply(f"{n}")) for n in numbers)
    store.add_replies([(request("other"), reply()), (request(model="slow", sample=1), reply())])
    found = store.exchanges(judged(request=request(sample=2).digest))
    assert [exchange.request.sample for exchange in found] == sorted(numbers)
    assert [exchange.reply.text for exchange in found] == [f"{n}" for n in sorted(numbers)]
    assert all(before <= datetime.fromisoformat(exchange.kept_at) <= datetime.now(UTC) for exchange in found)
    (other,) = store.exchanges(judged(request=request("other").digest))
    assert (other.request, other.reply) == (request("other"), reply())
    assert store.exchanges(judged(request="r")) == store.exchanges(judged()) == []


def test_replies_and_judgements_together(store: JudgementStore):
    """One call keeps both, or neither where one of them cannot be kept."""
    made = judged(request=request().digest)
    assert store.keep(replies=[(request(), reply())], judgements=[made]) == (1, 1)
    assert store.keep(replies=[(request(), reply())], judgements=[made]) == (1, 0)
    with pytest.raises(FielError, match="surrogate"):
        store.keep(replies=[(request("other"), reply())], judgements=[judged(subject="\ud800")])
    assert store.reply_digests("fast") == {request().digest}
    assert store.read() == [made]


def test_damage_is_said(store: JudgementStore):
    """A request whose text was changed or lost, and a reply that was cut, are errors, never another request."""
    store.add_replies([(request(), reply()), (request("other"), reply())])
    store.close()
    with closing(sqlite3.connect(store.path)) as raw:
        raw.execute(
            "UPDATE texts SET content = CAST('\"Is it not so?\"' AS BLOB) WHERE content = CAST('\"Is it so?\"' AS BLOB)"
        )
        raw.execute("DELETE FROM texts WHERE content = CAST('\"other\"' AS BLOB)")
        raw.execute("UPDATE replies SET reply = substr(reply, 1, 20)")
        raw.commit()
    with pytest.raises(FielError, match="is not the one that was kept"):
        store.request(request().digest)
    with pytest.raises(FielError, match="missing"):
        store.request(request("other").digest)
    with pytest.raises(FielError, match="cannot be read"):
        store.reply(request().digest)


def test_threads(store: JudgementStore):
    """One thread keeps while others read: nobody is disturbed, and what was kept is seen at once."""

    def write() -> int:
        kept = 0
        for n in range(25):
            pairs = [(request(f"{n}", sample=k), reply(f"{n}")) for k in range(4)]
            kept += store.keep(replies=pairs, judgements=[judged(subject=f"s{n}")]).replies
            assert store.reply(pairs[-1][0].digest) == pairs[-1][1]
        return kept

    def read(writer: Future[int]) -> list[int]:
        sizes = []
        while not writer.done():
            sizes.append(len(store.have("id-1")))
            assert len(store.reply_digests("fast")) >= 4 * sizes[-1]
        return sizes

    with ThreadPoolExecutor(max_workers=3) as threads:
        writer = threads.submit(write)
        readers = [threads.submit(read, writer) for _ in range(2)]
        here = read(writer)
        assert writer.result() == 100
        assert all(sizes == sorted(sizes) for sizes in (here, *(reader.result() for reader in readers)))
    assert len(store.reply_digests("fast")) == 4 * len(store.have("id-1")) == 100


WRITER = """
import sys
from fiel.records import Message, Reply, Request
from fiel.store.judgements import JudgementStore
path, name, batches, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = JudgementStore.open(path)
for batch in range(batches):
    pairs = [
        (Request(model="m", messages=(Message(role="user", content=f"{name} {batch} {n}"),)), Reply(text=name * 500))
        for n in range(size)
    ]
    store.add_replies(pairs)
    print("\\n".join(request.digest for request, _ in pairs), flush=True)
store.close()
"""


def writer(path: Path, name: str, batches: int) -> tuple[subprocess.Popen[bytes], Path]:
    """A process of its own that keeps batches of three replies, and the file in which it says what is kept."""
    said = path.with_name(f"{name}.txt")
    command = [sys.executable, "-c", WRITER, str(path), name, str(batches), "3"]
    with said.open("wb") as file:
        return subprocess.Popen(command, env=dict(os.environ), stdout=file), said


def digests_in(said: Path) -> list[str]:
    """The digests of a writer's file, without a last one that is not whole."""
    return said.read_text(encoding="ascii").split("\n")[:-1]


def kept_in(path: Path) -> Counter[str]:
    """How often each digest stands in a database, which is whole."""
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        return Counter(digest for (digest,) in raw.execute("SELECT digest FROM replies"))


def test_processes_that_keep_at_once(tmp_path: Path):
    """Two processes that keep replies in one store at the same time lose nothing."""
    running = [writer(tmp_path / "j.db", f"p{n}", 15) for n in range(2)]
    assert [process.wait(timeout=60) for process, _ in running] == [0, 0]
    said = [digests_in(file) for _, file in running]
    assert kept_in(tmp_path / "j.db") == Counter(said[0] + said[1])
    assert [len(digests) for digests in said] == [45, 45]
    with JudgementStore.open(tmp_path / "j.db", must_exist=True) as store:
        assert all(store.reply(digest) is not None for digest in said[0][:3])
        assert store.request(said[1][0]) == Request(model="m", messages=(Message(role="user", content="p1 0 0"),))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_what_was_kept_survives_a_kill(tmp_path: Path):
    """However often the writer is killed in the middle, what it said was kept is there once, and nothing is broken."""
    moments = random.Random(20_260_301)  # noqa: S311  moments, no secrets
    said: set[str] = set()
    for run in range(5):
        process, file = writer(tmp_path / "j.db", f"run {run}", 1_000_000)
        while not file.stat().st_size and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.1))
        process.kill()
        assert process.wait(timeout=60) == -signal.SIGKILL
        new = digests_in(file)
        assert new
        said.update(new)
        kept = kept_in(tmp_path / "j.db")
        assert said <= kept.keys()
        assert set(kept.values()) == {1}
    with JudgementStore.open(tmp_path / "j.db", must_exist=True) as store:
        assert store.reply_digests("m") == kept.keys()
        for digest in sorted(said)[:20]:
            kept_request = store.request(digest)
            assert kept_request is not None
            assert kept_request.digest == digest
