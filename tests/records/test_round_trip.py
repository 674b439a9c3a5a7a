from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel import records as r
from fiel.records import FielError, decode, decode_lines, encode, encode_lines, split_lines

TEXT = st.text(max_size=40)
MAYBE = st.none() | TEXT
ID = st.text(min_size=1, max_size=12).filter(lambda t: t == t.strip() and "\n" not in t)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
MAYBE_FLOAT = st.none() | FLOAT
COUNT = st.integers(min_value=0, max_value=10**9)
MAYBE_COUNT = st.none() | COUNT
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
FIELDS = st.dictionaries(TEXT, st.none() | TEXT | st.integers(-(2**63), 2**63 - 1) | FLOAT | st.booleans(), max_size=3)
FIELD = st.sampled_from(("output", "input", "context", "reference"))
DECIDES = st.sampled_from(("both", "fail", "pass"))
PLACE = st.sampled_from(("answer", "context", "question"))
ORDER = st.sampled_from((None, "ab", "ba"))

ITEM = st.builds(
    r.Item, id=ID, input=MAYBE, context=MAYBE, output=TEXT, reference=MAYBE, group=MAYBE, author=MAYBE, fields=FIELDS
)
PAIR = st.builds(r.Pair, id=ID, input=MAYBE, context=MAYBE, a=TEXT, b=TEXT, reference=MAYBE, fields=FIELDS)

SCHEMA = st.dictionaries(TEXT, st.none() | TEXT | st.booleans() | st.integers(0, 9), max_size=3)
CHECK = st.one_of(
    st.builds(r.JSONSchema, field=FIELD, decides=DECIDES, schema=SCHEMA | TEXT),
    st.builds(r.Regex, field=FIELD, pattern=TEXT, match=st.sampled_from(("search", "full", "absent"))),
    st.builds(r.Number, field=FIELD, value=MAYBE_FLOAT, which=st.sampled_from(("first", "last", "only", "any"))),
    st.tuples(COUNT, COUNT).map(lambda ends: r.Length(minimum=min(ends), maximum=max(ends))),
    st.builds(r.Equals, field=FIELD, value=MAYBE, ignore_case=st.booleans()),
    st.builds(r.Contains, field=FIELD, all=TEXTS, any=TEXTS, none=st.tuples(TEXT)),
)
OPTIONS = st.lists(TEXT.map("o".__add__), min_size=2, max_size=5, unique=True).map(tuple)
NAME = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Zs")), max_size=12).map("c".__add__)
CRITERION = OPTIONS.flatmap(
    lambda options: st.builds(
        r.Criterion,
        id=NAME,
        question=TEXT.map("?".__add__),
        options=st.just(options),
        passing=st.sampled_from(((), options[-1:], options[1:])),
        scale=st.sampled_from(("nominal", "ordinal")),
        guidance=MAYBE,
        applies_when=MAYBE,
        exclude=TEXTS,
        checks=st.lists(CHECK, max_size=2).map(tuple),
    )
)
RUBRIC = st.builds(
    r.Rubric,
    id=TEXT,
    language=TEXT,
    criteria=st.lists(CRITERION, min_size=1, max_size=2, unique_by=lambda c: c.id).map(tuple),
    guidance=MAYBE,
)


@st.composite
def beliefs(draw: st.DrawFn) -> r.Distribution:
    """A distribution over words or numbers."""
    k = draw(st.integers(2, 6))
    words = st.lists(TEXT, min_size=k, max_size=k, unique=True)
    whole = st.lists(st.integers(-20, 20).map(str), min_size=k, max_size=k, unique=True)
    options = draw(words | whole)
    weights = draw(st.lists(st.floats(0, 1), min_size=k, max_size=k).filter(lambda w: sum(w) > 1e-3))
    return r.Distribution(
        options=tuple(options),
        probs=tuple(w / sum(weights) for w in weights),
        source=draw(st.sampled_from(("logprobs", "baseline"))),
    )


EVIDENCE = st.builds(r.Evidence, text=TEXT, field=PLACE, start=MAYBE_COUNT, end=MAYBE_COUNT)
USAGE = st.builds(r.Usage, input=MAYBE_COUNT, output=MAYBE_COUNT, cached=MAYBE_COUNT)
NAMES = dict.fromkeys(("subject", "subject_digest", "criterion", "criterion_digest", "judge", "identity"), TEXT)
JUDGEMENT = st.one_of(
    st.builds(
        r.Judgement, **NAMES, status=st.just("ok"), belief=beliefs(), evidence=st.lists(EVIDENCE, max_size=2).map(tuple)
    ),
    st.builds(
        r.Judgement,
        **NAMES,
        status=st.sampled_from(("abstained", "refused", "unparsed", "error")),
        reason=MAYBE,
        replicate=COUNT,
        order=ORDER,
        variant=MAYBE,
        usage=st.none() | USAGE,
        cost=MAYBE_FLOAT,
        latency=MAYBE_FLOAT,
        request=MAYBE,
    ),
)
SPAN = st.builds(r.Span, field=PLACE, start=COUNT, end=COUNT)
LABEL = st.builds(
    r.Label,
    subject=TEXT,
    criterion=TEXT,
    rater=TEXT,
    answer=MAYBE,
    note=MAYBE,
    flag=st.booleans(),
    evidence=st.lists(SPAN, max_size=2).map(tuple),
    seconds=MAYBE_FLOAT,
    blind=st.none() | st.booleans(),
    shown=ORDER,
)
STRATUM = st.builds(r.Stratum, name=TEXT, size=COUNT, drawn=COUNT)
DESIGN = st.builds(
    r.Design,
    kind=st.sampled_from(("unknown", "random", "stratified", "census", "convenience")),
    frame=MAYBE_COUNT,
    seed=MAYBE_COUNT,
    strata=st.lists(STRATUM, max_size=2).map(tuple),
    weights=st.dictionaries(TEXT, FLOAT, max_size=2),
    stages=st.lists(COUNT, max_size=2).map(tuple),
)
ADJUDICATION = st.builds(
    r.Adjudication, subject=TEXT, criterion=TEXT, answer=MAYBE, by=TEXT, at=TEXT, before=TEXTS, why=MAYBE
)
MESSAGE = st.builds(r.Message, role=st.sampled_from(("system", "user", "assistant")), content=TEXT)
REQUEST = st.builds(
    r.Request,
    model=TEXT,
    messages=st.lists(MESSAGE, max_size=3).map(tuple),
    schema=st.none() | SCHEMA,
    parameters=SCHEMA,
)
TOKEN = st.builds(
    r.Token, text=TEXT, logprob=FLOAT, alternatives=st.lists(st.tuples(TEXT, FLOAT), max_size=2).map(tuple)
)
REPLY = st.builds(
    r.Reply,
    text=TEXT,
    tokens=st.none() | st.lists(TOKEN, max_size=2).map(tuple),
    finish=MAYBE,
    usage=USAGE,
    latency=MAYBE_FLOAT,
)
CALIBRATION = st.builds(
    r.CalibrationSet,
    name=TEXT,
    rubric=RUBRIC,
    design=DESIGN,
    items=st.lists(ITEM, max_size=2).map(tuple),
    labels=st.lists(LABEL, max_size=2).map(tuple),
    adjudications=st.lists(ADJUDICATION, max_size=1).map(tuple),
)
SAMPLE = st.builds(
    r.Sample, name=TEXT, rubric=TEXT, rubric_digest=TEXT, subjects=st.lists(ID, max_size=3).map(tuple), design=DESIGN
)
ASSIGNMENT = st.builds(r.Assignment, rater=TEXT, place=COUNT, subject=TEXT, repeat=COUNT, shown=ORDER)
GIVEN = st.builds(r.Given, label=LABEL, place=COUNT, version=COUNT, at=TEXT)
EVERY: dict[type[msgspec.Struct], st.SearchStrategy[msgspec.Struct]] = {
    r.Item: ITEM,
    r.Pair: PAIR,
    r.Criterion: CRITERION,
    r.Rubric: RUBRIC,
    r.Distribution: beliefs(),
    r.Evidence: EVIDENCE,
    r.Judgement: JUDGEMENT,
    r.Span: SPAN,
    r.Label: LABEL,
    r.Stratum: STRATUM,
    r.Design: DESIGN,
    r.Adjudication: ADJUDICATION,
    r.CalibrationSet: CALIBRATION,
    r.Sample: SAMPLE,
    r.Assignment: ASSIGNMENT,
    r.Given: GIVEN,
    r.Unblinding: st.builds(r.Unblinding, by=TEXT, at=TEXT, command=TEXT),
    r.Message: MESSAGE,
    r.Request: REQUEST,
    r.Token: TOKEN,
    r.Usage: USAGE,
    r.Price: st.builds(r.Price, input=st.floats(0, 1e6), output=st.floats(0, 1e6)),
    r.Reply: REPLY,
    r.Check: CHECK,
}


EVERY_NAMED = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: getattr(kind, "__name__", "Check"))
AWKWARD = (
    "\0",
    "a\x85b",
    "a\u2028b\u2029c",
    "\u202eright to left\u202c שלום",
    "\r\n\x0b\x0c\x1c\x1d\x1e",
    "\ufeffmark",
    "\U0010ffff\ufffe",
    '"\\u d800\\ud83d',
    "e\u0301 é",
)


def test_the_table_holds_every_record():
    """No record of the room is left out of these tests."""
    structs = {value for value in vars(r).values() if isinstance(value, type) and issubclass(value, msgspec.Struct)} - {
        r.Study,  # items and pairs side by side: its store writes it in a form that tells them apart
        r.JSONSchema,
        r.Regex,
        r.Number,
        r.Length,
        r.Equals,
        r.Contains,
    }
    assert structs == set(EVERY) - {r.Check}


@EVERY_NAMED
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_decoding_undoes_encoding(kind, data):
    """Whatever a record holds, its bytes give it back, and are one line."""
    record = data.draw(EVERY[kind])
    line = encode(record)
    assert b"\n" not in line
    assert decode(line, kind) == record
    assert encode(decode(line, kind)) == line
    assert decode(line.decode(), kind) == record


@EVERY_NAMED
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_an_unknown_field_is_refused(kind, data):
    """A misspelt field is never dropped in silence."""
    line = encode(data.draw(EVERY[kind]))
    with pytest.raises(FielError, match="unknown field"):
        decode(line[:-1] + (b"" if line == b"{}" else b",") + b'"no such field":1}', kind)


@pytest.mark.parametrize("text", [*AWKWARD, "x\u2028é" * 250_000], ids=lambda text: ascii(text[:12]))
def test_awkward_texts_survive(text):
    """Control characters, line separators, marks of direction and a megabyte come back to the letter."""
    item = r.Item(id="a", output=text, input=text, fields={text: text})
    assert decode(encode(item), r.Item) == item
    assert decode_lines(encode_lines([item, item]), r.Item) == [item, item]


@settings(max_examples=25, deadline=None)
@given(st.lists(ITEM, max_size=4))
def test_lines_come_back_in_order(items):
    """JSON Lines hold as many records as were put in, whatever line breaks their texts hold."""
    assert decode_lines(encode_lines(items), r.Item) == items


@given(
    st.lists(
        st.binary(max_size=8).filter(lambda b: b"\n" not in b and b.strip() and b[:3] != b"\xef\xbb\xbf"), max_size=5
    )
)
def test_lines_are_split_on_the_line_feed_alone(lines):
    """No other character ends a line, and lines keep their numbers."""
    assert list(split_lines(b"\n".join(lines))) == list(enumerate(lines, start=1))


def test_empty_lines_and_a_mark_at_the_start_are_passed_over():
    """A byte order mark and blank lines are no records, and still count as lines."""
    assert list(split_lines(b"\xef\xbb\xbf{}\n\n \n{}")) == [(1, b"{}"), (4, b"{}")]


SURROGATE = st.integers(0xD800, 0xDFFF)


@given(st.text(max_size=5), SURROGATE, st.text(max_size=5))
def test_a_lone_surrogate_is_refused_when_encoding(before, code, after):
    """What no UTF-8 file can hold is an error that names the character and the record."""
    item = r.Item(id="a7", output=before + chr(code) + after)
    with pytest.raises(FielError, match=f"lone surrogate .U\\+{code:04X}") as caught:
        encode(item)
    assert "a7" in str(caught.value)


@pytest.mark.parametrize("field", ["input", "context", "reference", "group", "author"])
def test_a_lone_surrogate_is_refused_in_every_field(field):
    """No text field is a way round."""
    with pytest.raises(FielError, match="lone surrogate"):
        encode(r.Item(id="a", **{field: "\ud800"}))


@given(st.text("abc\\\\", max_size=4).filter(lambda t: not t.endswith("\\")), SURROGATE)
def test_the_escape_of_a_lone_surrogate_is_refused_when_decoding(before, code):
    """A file that another program wrote with such an escape is refused, with its place."""
    escaped = before.replace("\\", "\\\\")
    data = f'{{"id":"a","output":"{escaped}\\u{code:04x}"}}'
    with pytest.raises(FielError, match="lone surrogate") as caught:
        decode(data, r.Item, where="items.jsonl, line 3")
    assert caught.value.where == "items.jsonl, line 3"


def test_a_lone_surrogate_inside_a_str_is_refused_when_decoding():
    """JSON that is handed over as a string is held to the same."""
    with pytest.raises(FielError, match="lone surrogate"):
        decode('{"id":"a","output":"\ud800"}', r.Item)


@given(st.characters(min_codepoint=0x10000))
def test_the_escapes_of_a_pair_of_surrogates_are_one_character(char):
    """A high and a low escape together are the character that they stand for."""
    pair = char.encode("utf-16-be").hex()
    assert decode(f'{{"id":"a","output":"\\u{pair[:4]}\\u{pair[4:]}"}}', r.Item).output == char


@pytest.mark.parametrize("data", [b'{"id":"a","output":"\xff"}', b'{"id":"a","output":"\xed\xa0\x80"}'])
def test_bytes_that_are_not_utf8_are_refused(data):
    """A file in another encoding is an error that says so."""
    with pytest.raises(FielError, match=re.compile("utf-8", re.IGNORECASE)):
        decode(data, r.Item)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("make", [lambda x: r.Item(id="a", fields={"x": x}), lambda x: r.Token(text="a", logprob=x)])
def test_a_number_that_is_not_finite_does_not_turn_into_nothing(number, make):
    """NaN and infinity are refused: JSON would keep them as null."""
    with pytest.raises(FielError):
        encode(make(number))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"id":1}', b"{}", b'{"id":"a"} x', b"null"])
def test_what_is_not_the_record_is_refused(data):
    """Broken JSON, a wrong type and a missing field are errors that name their place."""
    with pytest.raises(FielError) as caught:
        decode(data, r.Item, where="items.jsonl, line 9")
    assert "items.jsonl, line 9" in str(caught.value)


def test_a_bad_line_is_named_by_its_number():
    """The reader is told which line of which file to mend."""
    with pytest.raises(FielError, match="line 3"):
        decode_lines(b'{"id":"a"}\n\n{"id":}\n', r.Item, where="items.jsonl")
