from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel import records as r
from fiel.records import Criterion, Item, Message, Pair, Request, Rubric, decode, digest, encode

CRITERION = Criterion(
    id="grounded",
    question="Does the context support it?",
    options=("no", "partly", "yes"),
    passing=("yes",),
    guidance="Word for word.",
    applies_when="there is a context",
    exclude=("length",),
    checks=(r.Contains(all=("name",)),),
)
RUBRIC = Rubric(id="rag", language="en", criteria=(CRITERION,), guidance="Judge the answer.")
REQUEST = Request(
    model="house",
    messages=(Message(role="system", content="Judge."), Message(role="user", content="Is it so?")),
    schema={"type": "object"},
    parameters={"temperature": 0, "seed": 7},
)
ITEM = Item(id="a", input="q", context="c", output="o", reference="r")


def leaves(plain: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths to every text in a plain value."""
    if isinstance(plain, str):
        return [path]
    pairs = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [leaf for key, value in pairs for leaf in leaves(value, (*path, key))]


def changed(plain: Any, path: tuple[str | int, ...]) -> Any:
    """A copy in which one text has one more character."""
    copy = msgspec.json.decode(msgspec.json.encode(plain))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] += "x"
    return copy


CLOSED = {"role", "kind", "scale", "evidence_in", "source", "passing"}  # words from a fixed list, or bound to another


@pytest.mark.parametrize("record", [RUBRIC, CRITERION, REQUEST], ids=["rubric", "criterion", "request"])
def test_a_changed_word_is_a_changed_digest(record):
    """Whatever text of a rubric or a request is changed, its digest changes, and no two changes agree."""
    plain = msgspec.json.decode(encode(record))
    paths = [path for path in leaves(plain) if not CLOSED & set(path) and path[-2:] != ("options", 2)]
    digests = {decode(msgspec.json.encode(changed(plain, path)), type(record)).digest for path in paths}
    assert len(paths) >= 4
    assert len(digests) == len(paths)
    assert record.digest not in digests


@pytest.mark.parametrize("field", ["id", "input", "context", "output", "reference"])
def test_an_item_is_known_by_all_that_a_judge_may_read(field):
    """A changed text is another item for a judge."""
    assert msgspec.structs.replace(ITEM, **{field: "other"}).digest != ITEM.digest


@pytest.mark.parametrize("field", ["id", "input", "context", "a", "b", "reference"])
def test_a_pair_is_known_by_all_that_a_judge_may_read(field):
    """A changed text is another pair for a judge, and so are the answers changed over."""
    pair = Pair(id="p", input="q", context="c", a="one", b="two", reference="r")
    assert msgspec.structs.replace(pair, **{field: "other"}).digest != pair.digest
    assert msgspec.structs.replace(pair, a="two", b="one").digest != pair.digest


@pytest.mark.parametrize("change", [{"group": "g"}, {"author": "m"}, {"fields": {"route": "billing"}}])
def test_what_a_judge_may_not_read_does_not_count(change):
    """Regrouping or slicing the items leaves what was judged as it was."""
    assert msgspec.structs.replace(ITEM, **change).digest == ITEM.digest


def test_absent_is_not_empty():
    """No context and an empty context are two things."""
    assert Item(id="a", context=None).digest != Item(id="a", context="").digest


SPELLED = {
    Criterion: '{"id":"c","question":"q","options":["no","yes"],"passing":[],"scale":"nominal","guidance":null,'
    '"evidence_in":"none","applies_when":null,"exclude":[],"checks":[]}',
    Rubric: '{"id":"r","language":"en","guidance":null,"criteria":[{"id":"c","question":"q","options":["no","yes"]}]}',
    Item: '{"id":"a","input":null,"context":null,"output":"","reference":null,"group":null,"author":null,"fields":{}}',
    r.Label: '{"subject":"a","criterion":"c","rater":"p","answer":null,"flag":false,"evidence":[],"judge_seen":false,'
    '"repeat":0}',
    r.Design: '{"kind":"unknown","frame":null,"strata":[],"weights":{},"stages":[]}',
    Request: '{"model":"m","messages":[],"schema":null,"parameters":{},"sample":0}',
    r.Reply: '{"text":"t","tokens":null,"usage":{},"latency":null}',
    r.Distribution: '{"options":["no","yes"],"probs":[0.5,0.5],"source":"logprobs","captured":null,"dropped":0.0,'
    '"dropped_tokens":0,"ambiguous":0.0}',
    r.Number: '{"kind":"number","field":"output","decides":"both","value":null,"which":"any","absolute":0,'
    '"relative":0.0}',
    r.Regex: '{"kind":"regex","pattern":"p","match":"search","ignore_case":false,"seconds":1.0}',
}
SHORT = {
    Criterion: Criterion(id="c", question="q"),
    Rubric: Rubric(id="r", criteria=(Criterion(id="c", question="q"),)),
    Item: Item(id="a"),
    r.Label: r.Label(subject="a", criterion="c", rater="p"),
    r.Design: r.Design(),
    Request: Request(model="m", messages=()),
    r.Reply: r.Reply(text="t"),
    r.Distribution: r.Distribution(options=("no", "yes"), probs=(0.5, 0.5), source="logprobs"),
    r.Number: r.Number(),
    r.Regex: r.Regex(pattern="p"),
}


@pytest.mark.parametrize("kind", SPELLED, ids=lambda kind: kind.__name__)
def test_a_default_that_is_spelled_out_does_not_count(kind):
    """Writing a default down in a file is the same rubric, the same label, the same request."""
    assert decode(SPELLED[kind], kind) == SHORT[kind]
    assert digest(decode(SPELLED[kind], kind)) == digest(SHORT[kind])


@given(st.dictionaries(st.text(max_size=5), st.integers(0, 9), min_size=2, max_size=5))
def test_the_order_of_keys_does_not_count(parameters):
    """Parameters written in another order are the same request."""
    backwards = dict(reversed(parameters.items()))
    one, other = (Request(model="m", messages=(), parameters=p) for p in (parameters, backwards))
    assert one.digest == other.digest


def test_the_order_of_messages_and_options_counts():
    """Lists are ordered: another order is another question."""
    assert msgspec.structs.replace(REQUEST, messages=REQUEST.messages[::-1]).digest != REQUEST.digest
    assert Criterion(id="c", question="q", options=("yes", "no")).digest != Criterion(id="c", question="q").digest


def test_a_digest_is_the_same_on_every_machine():
    """It is the SHA-256 of the sorted JSON without defaults, as sha256sum gives it."""
    expected = "66a760f3eb4a37c1df688b0f9a7d586af65bb6c52b97e480da3ba4f1c403f2ec"
    assert digest(Criterion(id="c", question="¿q?")) == expected


def test_another_sample_is_another_request():
    """Equal questions are told apart by their number."""
    assert msgspec.structs.replace(REQUEST, sample=1).digest != REQUEST.digest


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3),
    max_leaves=8,
)


@given(
    messages=st.lists(st.builds(Message, role=st.sampled_from(("system", "user")), content=st.text(max_size=20))),
    schema=st.none() | st.dictionaries(st.text(max_size=5), PLAIN, max_size=3),
    parameters=st.dictionaries(st.text(max_size=5), PLAIN, max_size=3),
    sample=st.integers(0, 300),
)
def test_a_request_has_the_digest_of_any_record(messages, schema, parameters, sample):
    """It is made in a quicker way, from the same bytes; also of a request that was read, defaults spelled out."""
    request = Request(model="m", messages=tuple(messages), schema=schema, parameters=parameters, sample=sample)
    assert request.digest == digest(request)
    said = {name: getattr(request, name) for name in Request.__struct_fields__}
    assert decode(msgspec.json.encode(said), Request).digest == request.digest
