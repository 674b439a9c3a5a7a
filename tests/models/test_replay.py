from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.models import Recorder, Replay, ScriptedModel, record
from fiel.records import FielError, Message, Reply, Request, Token, encode


def ask(content: str, **changes: object) -> Request:
    """A request with one message."""
    return msgspec.structs.replace(Request(model="m", messages=(Message(role="user", content=content),)), **changes)


def test_what_was_recorded_is_replayed(tmp_path):
    """The second run asks nobody and says the same, to the last log-probability."""
    path = tmp_path / "deep" / "replies.jsonl"
    said = Reply(text="yes\u2028", tokens=(Token(text="yes", logprob=-0.1, alternatives=(("no", -2.5),)),), latency=0.2)
    recorder = Recorder(ScriptedModel([said], name="house"), path)
    assert asyncio.run(recorder(ask("a"))) == said
    assert asyncio.run(Replay(path)(ask("a"))) == said
    assert recorder.name == "house"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=5, unique_by=lambda pair: pair[0]))
def test_any_text_survives_the_file(tmp_path_factory, pairs):
    """Line separators and control characters in questions and answers break no line."""
    path = tmp_path_factory.mktemp("replay") / "replies.jsonl"
    for question, answer in pairs:
        record(path, ask(question), Reply(text=answer))
    model = Replay(path if pairs else {})
    assert [asyncio.run(model(ask(question))).text for question, _ in pairs] == [answer for _, answer in pairs]


def test_every_reply_is_on_disk_before_it_is_returned(tmp_path):
    """A run that is stopped loses nothing that it paid for."""
    path = tmp_path / "replies.jsonl"
    recorder = Recorder(ScriptedModel(["one", "two"]), path)
    for count, question in enumerate(("a", "b"), start=1):
        asyncio.run(recorder(ask(question)))
        assert path.read_bytes().count(b"\n") == count


def test_a_line_holds_digest_request_and_reply(tmp_path):
    """The file can be read, and made, by anybody."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    line = json.loads(path.read_text(encoding="utf-8"))
    assert line == {
        "digest": ask("a").digest,
        "request": {"model": "m", "messages": [{"role": "user", "content": "a"}]},
        "reply": {"text": "yes"},
    }


def test_a_request_that_is_recorded_is_not_asked_again(tmp_path):
    """The recorder asks the model for what is missing alone, in this run and in the next one."""
    path = tmp_path / "replies.jsonl"
    model = ScriptedModel(["one", "two"])
    first = Recorder(model, path)
    assert [asyncio.run(first(ask("a"))).text for _ in range(2)] == ["one", "one"]
    again = Recorder(model, path)
    assert [asyncio.run(again(ask(text))).text for text in ("a", "b")] == ["one", "two"]
    assert len(model.requests) == 2


def test_equal_requests_at_once_have_one_reply(tmp_path):
    """Two calls in flight for one digest leave one line and give one answer."""
    path = tmp_path / "replies.jsonl"

    class Slow:
        name = "slow"

        def __init__(self) -> None:
            self.calls = 0

        async def __call__(self, request: Request) -> Reply:
            self.calls += 1
            text = f"{request.messages[0].content}{self.calls}"
            await asyncio.sleep(0)
            return Reply(text=text)

    async def both() -> list[Reply]:
        recorder = Recorder(Slow(), path)
        return await asyncio.gather(recorder(ask("a")), recorder(ask("a")))

    texts = {reply.text for reply in asyncio.run(both())}
    assert len(texts) == 1
    assert asyncio.run(Replay(path)(ask("a"))).text in texts


def test_samples_are_recorded_apart(tmp_path):
    """Equal questions with different numbers keep their own replies."""
    path = tmp_path / "replies.jsonl"
    recorder = Recorder(ScriptedModel(["one", "two"]), path)
    said = [asyncio.run(recorder(ask("a", sample=number))).text for number in (0, 1)]
    assert said == ["one", "two"]
    assert asyncio.run(Replay(path)(ask("a", sample=1))).text == "two"


def test_a_failure_of_the_model_is_raised_and_not_recorded(tmp_path):
    """The next run asks again."""
    path = tmp_path / "replies.jsonl"
    recorder = Recorder(ScriptedModel([TimeoutError("slow"), "yes"]), path)
    with pytest.raises(TimeoutError):
        asyncio.run(recorder(ask("a")))
    assert not path.exists()
    assert asyncio.run(recorder(ask("a"))).text == "yes"


def test_a_request_without_a_reply_is_named(tmp_path):
    """The error gives digest, model, file and the way to record it."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    with pytest.raises(FielError) as caught:
        asyncio.run(Replay(path)(ask("b", model="large")))
    message = str(caught.value)
    assert all(
        part in message for part in (ask("b", model="large").digest, "'large'", str(path), "Recorder(model, path)")
    )


def test_a_mapping_replays_texts_and_replies():
    """Small examples need no file."""
    model = Replay({ask("a").digest: "yes", ask("b").digest: Reply(text="no", finish="stop")}, name="told")
    assert asyncio.run(model(ask("a"))) == Reply(text="yes")
    assert asyncio.run(model(ask("b"))).finish == "stop"
    with pytest.raises(FielError, match="the mapping"):
        asyncio.run(model(ask("c")))


def test_two_different_replies_of_one_digest_are_refused(tmp_path):
    """Neither the first nor the last wins: the file is at fault, and the line is named."""
    path = tmp_path / "replies.jsonl"
    lines = [json.dumps({"digest": ask("a").digest, "reply": {"text": text}}) for text in ("yes", "no")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for make in (Replay, lambda p: Recorder(ScriptedModel([]), p)):
        with pytest.raises(FielError, match="two different replies") as caught:
            make(path)
        assert "line 2" in str(caught.value)


def test_the_same_reply_twice_is_one_reply(tmp_path):
    """A line that stands twice, or differs in its time alone, does no harm."""
    path = tmp_path / "replies.jsonl"
    lines = [
        json.dumps({"digest": ask("a").digest, "reply": {"text": "yes", "latency": latency}}) for latency in (0.1, 0.2)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert asyncio.run(Replay(path)(ask("a"))).latency == 0.1


def test_recording_another_reply_is_refused_and_the_same_one_is_no_change(tmp_path):
    """A recording is never contradicted, and never grows for nothing."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes", latency=0.1))
    before = path.read_bytes()
    record(path, ask("a"), Reply(text="yes", latency=0.9))
    with pytest.raises(FielError, match="two different replies"):
        record(path, ask("a"), Reply(text="no"))
    assert path.read_bytes() == before


def test_a_digest_that_is_not_of_its_request_is_refused(tmp_path):
    """A recording whose request was edited by hand does not pass for what was asked."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    path.write_bytes(path.read_bytes().replace(b'"content":"a"', b'"content":"b"'))
    with pytest.raises(FielError, match="is not that of the request") as caught:
        Replay(path)
    assert ask("b").digest in str(caught.value)


@pytest.mark.parametrize("line", [b"{", b'{"digest":"d"}', b'{"digest":"d","reply":{"text":"a"},"more":1}', b"\xff"])
def test_a_file_that_is_no_recording_is_refused_with_its_line(tmp_path, line):
    """A broken or half-written line is named by its number."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(FielError, match="line 2"):
        Replay(path)


def test_a_missing_file_is_named(tmp_path):
    """There is nothing to replay, and the error says how to make it."""
    with pytest.raises(FielError, match="cannot be read") as caught:
        Replay(tmp_path / "nowhere.jsonl")
    assert "nowhere.jsonl" in str(caught.value)


def test_a_last_line_without_its_end_is_completed_before_appending(tmp_path):
    """An editor that drops the last line feed does not glue two records together."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    record(path, ask("b"), Reply(text="no"))
    assert asyncio.run(Replay(path)(ask("b"))).text == "no"
    assert asyncio.run(Replay(path)(ask("a"))).text == "yes"


def test_a_reply_that_no_file_can_hold_leaves_the_recording_as_it_was(tmp_path):
    """A lone surrogate is refused before anything is written."""
    path = tmp_path / "replies.jsonl"
    record(path, ask("a"), Reply(text="yes"))
    before = path.read_bytes()
    with pytest.raises(FielError, match="surrogate"):
        asyncio.run(Recorder(ScriptedModel(["\ud800"]), path)(ask("b")))
    assert path.read_bytes() == before


def test_a_recording_that_cannot_be_written_is_an_error_of_ours(tmp_path):
    """A directory in the place of the file is named, not a bare OSError."""
    with pytest.raises(FielError, match="cannot be") as caught:
        record(tmp_path, ask("a"), Reply(text="yes"))
    assert str(tmp_path) in str(caught.value)


def test_a_recorder_of_a_recorder_is_a_model(tmp_path):
    """A wrapper is the thing it wraps."""
    inner = Recorder(ScriptedModel(["yes"]), tmp_path / "one.jsonl")
    outer = Recorder(inner, Path(tmp_path / "two.jsonl"))
    assert asyncio.run(outer(ask("a"))).text == "yes"
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert encode(ask("a")) in (tmp_path / "two.jsonl").read_bytes()
