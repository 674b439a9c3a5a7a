from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.records import FielError, Reply, Token, encode
from fiel.store._packing import pack, unpack

any_text = st.text(st.characters(exclude_categories=[]), max_size=30)  # lone surrogates and NUL too
logprob = st.floats(allow_nan=False)
tokens = st.builds(
    Token, text=any_text, logprob=logprob, alternatives=st.lists(st.tuples(any_text, logprob), max_size=3).map(tuple)
)
replies = st.builds(
    Reply,
    text=any_text.map(lambda text: text * 100) | any_text,
    tokens=st.none() | st.lists(tokens, max_size=5).map(tuple),
    served=st.none() | any_text,
    latency=st.none() | logprob,
)


@settings(deadline=None)
@given(replies)
def test_any_reply_comes_back(reply: Reply):
    """A reply with any text, lone surrogates and NUL among it, and any number is the same after packing."""
    assert unpack(pack(reply), Reply, where="here") == reply


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "\ud83d\ude00",  # two halves that stand side by side are not the character that they would make
        "[null,:null",
        {"type": ["string", "null"], "default": None, "deep": [{"b": 1, "a": 1.0}]},
        {"temperature": -math.inf},
        ["x" * 5000],
    ],
    ids=repr,
)
def test_values_come_back(value: Any):
    """Texts, schemas and parameters are the same after packing, down to the kind of their numbers and the order."""
    made = unpack(pack(value), type(value), where="here")
    assert made == value
    assert repr(made) == repr(value)


def test_nan_comes_back():
    """A number that is none does not become None."""
    reply = unpack(pack(Reply(text="", latency=math.nan)), Reply, where="here")
    assert reply.latency is not None
    assert math.isnan(reply.latency)


def test_short_is_json_and_long_is_compressed():
    """What is short is kept as plain JSON; what is long takes less than half of its JSON."""
    assert pack(Reply(text="yes")) == b'{"text":"yes"}'
    token = Token(text=" yes", logprob=-0.1, alternatives=tuple((f" word{n}", -n / 7) for n in range(20)))
    long = Reply(text="yes" * 100, tokens=(token,) * 100)
    assert len(pack(long)) < len(encode(long)) / 2


@pytest.mark.parametrize(
    "cell",
    [b"", b"xyz", b"{", b'{"txt":"yes"}', b'{"text":1}', pack(Reply(text="yes" * 2000))[:-9], b"\xff"],
    ids=repr,
)
def test_damage_is_said(cell: bytes):
    """A damaged cell, or one of something else, is an error that names the place."""
    with pytest.raises(FielError, match="A kept Reply cannot be read") as caught:
        unpack(cell, Reply, where="j.db")
    assert caught.value.where == "j.db"


def test_unknown_fields_are_refused_after_a_surrogate_too():
    """The way back for texts that are no UTF-8 is as strict as the usual one."""
    cell = '{"text":"\ud800","later":1}'.encode("utf-8", "surrogatepass")
    with pytest.raises(FielError, match="later"):
        unpack(cell, Reply, where="j.db")
    assert unpack(cell.replace(b',"later":1', b""), Reply, where="j.db") == Reply(text="\ud800")
    with pytest.raises(UnicodeEncodeError):
        msgspec.json.encode("\ud800")
