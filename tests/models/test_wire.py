"""Bodies of requests hold what was asked and no more; bodies of replies are read in all the forms that servers send."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from fiel.models._terms import Terms
from fiel.models._wire import UnreadableError, complaint_of, excerpt, fields_of, reply_of
from fiel.records import FielError, Usage, encode

SCHEMA = {"type": "object"}


def sent(request, **terms: Any):
    """The fields of the body, as JSON holds them."""
    return json.loads(encode(fields_of(request, model="small", terms=Terms(**terms))))


def read(body, **more: Any):
    """The reply of a body given as a value."""
    return reply_of(json.dumps(body).encode(), **more)


def entry(token: str, logprob: float = -0.1, *alternatives: tuple[str, float]):
    """One token of the log-probabilities as the wire has it."""
    others = [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in alternatives]
    return {"token": token, "logprob": logprob, "bytes": [], "top_logprobs": others}


def test_a_request_is_sent_as_it_is(question):
    """Messages and parameters are sent verbatim, alternatives and a schema in the form of the wire, and no `n`."""
    request = question("Is it so?", schema=SCHEMA, temperature=0, top_logprobs=7, top_p=0.5)
    assert sent(request) == {
        "model": "small",
        "messages": [{"role": "user", "content": "Is it so?"}],
        "temperature": 0,
        "top_p": 0.5,
        "logprobs": True,
        "top_logprobs": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
        },
    }


def test_terms_are_kept(question):
    """What an endpoint does not take is left out, renamed or reduced, and the rest stays."""
    request = question(schema=SCHEMA, temperature=0, seed=1, top_logprobs=20, max_tokens=9)
    assert sent(request, most=5)["top_logprobs"] == 5
    assert not {"logprobs", "top_logprobs"} & set(sent(request, logprobs=False))
    assert sent(request, form="json_object")["response_format"] == {"type": "json_object"}
    assert "response_format" not in sent(request, form="text")
    assert not {"temperature", "seed"} & set(sent(request, dropped=frozenset({"temperature", "seed"})))
    renamed = sent(request, renamed=True)
    assert renamed["max_completion_tokens"] == 9
    assert "max_tokens" not in renamed


@pytest.mark.parametrize("name", ["n", "stream", "messages", "model", "response_format", "logprobs"])
def test_what_is_ours_cannot_be_given(question, name: str):
    """A parameter that would break the exchange is refused by name."""
    with pytest.raises(FielError, match=f"'{name}'"):
        sent(question(**{name: 2}))


@pytest.mark.parametrize("top", [-1, 2.5, "5", True])
def test_the_number_of_alternatives_is_a_count(question, top):
    """Anything but a whole number from 0 on is refused before it is sent."""
    with pytest.raises(FielError, match="top_logprobs"):
        sent(question(top_logprobs=top))


def test_a_reply_is_read_whole(completion):
    """Text, tokens with alternatives, usage and what was served arrive as they were sent."""
    body = completion(
        '{"v":1}',
        choice={"logprobs": {"content": [entry('{"v":'), entry("1", -0.5, ("1", -0.5), ("2", -1.2)), entry("}")]}},
        model="small-2026",
        system_fingerprint="fp",
        usage={"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}},
    )
    reply = read(body, latency=0.5)
    assert (reply.text, reply.finish, reply.served, reply.fingerprint) == ('{"v":1}', "stop", "small-2026", "fp")
    assert (reply.usage, reply.latency) == (Usage(input=9, output=3, cached=4), 0.5)
    assert [token.text for token in reply.tokens] == ['{"v":', "1", "}"]
    assert reply.tokens[1].logprob == -0.5
    assert reply.tokens[1].alternatives == (("1", -0.5), ("2", -1.2))


@pytest.mark.parametrize("logprobs", [None, {"content": None}, {"content": []}, {}, {"content": [{"odd": 1}]}, "odd"])
def test_missing_log_probabilities_are_none(completion, logprobs):
    """Null, absent, empty or in an unknown form, they are None, and the text is read all the same."""
    reply = read(completion("yes", choice={"logprobs": logprobs}))
    assert (reply.text, reply.tokens) == ("yes", None)
    assert read(completion("yes")).tokens is None


def test_tokens_that_were_cut_off_the_text_are_left_out(completion):
    """Where a server strips white space or thoughts from the text, the tokens still spell the text from its start."""
    tokens = [entry(text) for text in ("<think>", "yes", "</think>", "\n", " ", "yes", " it is", "<end>")]
    reply = read(completion("yes it is", choice={"logprobs": {"content": tokens}}))
    assert [token.text for token in reply.tokens] == ["yes", " it is", "<end>"]
    torn = read(completion("es", choice={"logprobs": {"content": [entry("yes"), entry("<end>")]}}))
    assert [token.text for token in torn.tokens] == ["yes", "<end>"]


def test_a_refusal_is_a_reply(completion):
    """The words of a refusal are the text, and the end says what it is."""
    reply = read(completion({"role": "assistant", "content": None, "refusal": "I cannot judge this."}))
    assert (reply.text, reply.finish) == ("I cannot judge this.", "refusal")


def test_content_in_parts_is_joined(completion):
    """A list of parts is one text; parts without text do not count."""
    reply = read(completion([{"type": "text", "text": "ye"}, {"type": "image"}, {"type": "text", "text": "s"}]))
    assert reply.text == "yes"


def test_content_that_is_absent_is_empty(completion):
    """A reply cut off before its first word has an empty text and says why it ended."""
    reply = read(completion({"content": None}, choice={"finish_reason": "length"}))
    assert (reply.text, reply.finish) == ("", "length")


@pytest.mark.parametrize(
    ("body", "usage"),
    [
        ({"usage": {"input_tokens": 9, "output_tokens": 3}}, Usage(input=9, output=3)),
        ({"usage": {"prompt_tokens": 9.0, "prompt_cache_hit_tokens": 4}}, Usage(input=9, cached=4)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": None, "cached_tokens": 0}}, Usage(input=9, cached=0)),
        ({"timings": {"cache_n": 7}}, Usage(cached=7)),
        ({"usage": None}, Usage()),
        ({"usage": "9"}, Usage()),
        ({"usage": {"prompt_tokens": "9", "completion_tokens": -1}}, Usage()),
    ],
)
def test_usage_in_other_spellings(completion, body, usage: Usage):
    """Counts are found under the names that servers give them; what is no count is unknown, not 0."""
    assert read(completion("yes", **body)).usage == usage


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"error": {"message": "overloaded"}, "choices": [{"message": {"content": "yes"}}]}',
        b'{"choices": [{"message": {"content": ""}, "error": {"code": 502}}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
    ],
)
def test_what_is_no_reply_is_named(body: bytes):
    """A body without a reply is an error that shows what came instead."""
    with pytest.raises(UnreadableError) as caught:
        reply_of(body)
    assert (body.decode() or "an empty body") in str(caught.value)


def test_broken_text_is_read_as_far_as_it_goes(completion):
    """A byte that is not UTF-8 costs a character, not the reply."""
    assert reply_of(json.dumps(completion("ye?s")).encode().replace(b"?", b"\xff")).text == "ye�s"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "Too long.", "param": "messages", "code": "too_long"}}', "Too long."),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"object": "error", "message": "Too long.", "code": 400}', "Too long."),
        (b'{"detail": "Too long."}', "Too long."),
        (
            b'{"detail": [{"loc": ["body", "seed"], "msg": "Extra", "input": "a long prompt"}]}',
            "['body', 'seed'] Extra",
        ),
        (b'[{"error": {"message": "Too long.", "code": 400}}]', "Too long."),
        (b"Bad\nRequest", r"Bad\nRequest"),
        (b'"no"', "no"),
        (b"{}", "{}"),
        (b"[]", "[]"),
        (b"7", "7"),
        (b"", "an empty body"),
    ],
)
def test_complaints_in_other_forms(body: bytes, message: str):
    """The words of a refusal are found in the usual places, and what was sent is not taken for them."""
    assert complaint_of(body).message == message


def test_an_excerpt_is_short_and_harmless():
    """At most so many characters, in one line, without anything that moves a terminal."""
    shown = excerpt("\x1b[31m\r\n" + "x" * 1000)
    assert shown.startswith(r"\x1b[31m\r\nx")
    assert len(shown) <= 220
    assert shown.isprintable()


def test_probabilities_survive_the_wire(completion):
    """Log-probabilities arrive as the numbers that were sent."""
    alternatives = [("yes", math.log(0.7)), ("no", math.log(0.3))]
    reply = read(completion("yes", choice={"logprobs": {"content": [entry("yes", math.log(0.7), *alternatives)]}}))
    assert math.fsum(math.exp(p) for _, p in reply.tokens[0].alternatives) == pytest.approx(1.0)
