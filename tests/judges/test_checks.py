from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fiel.judges import CheckOutcome, check_judgements, check_rubric, decide
from fiel.records import (
    Check,
    Contains,
    Criterion,
    Equals,
    FielError,
    Item,
    JSONSchema,
    Length,
    Number,
    Pair,
    Regex,
    Rubric,
)

SCHEMA = {
    "type": "object",
    "required": ["name", "year"],
    "properties": {"name": {"type": "string"}, "year": {"type": "integer"}},
    "additionalProperties": False,
}


def outcome(output: str, *checks: Check, **texts: str) -> CheckOutcome | None:
    """What checks decide about an answer."""
    criterion = Criterion(id="c", question="q", checks=checks)
    return decide(criterion, Item(id="a", output=output, **texts))


def option(output: str, *checks: Check, **texts: str) -> str | None:
    """The option that checks decide; None where there is an error."""
    found = outcome(output, *checks, **texts)
    assert found is not None
    return found.option


PASS, FAIL, ERROR = Length(minimum=0), Length(minimum=99), Contains(all=("a",), field="context")


def deep(levels: int) -> dict[str, Any]:
    """A schema within a schema within a schema."""
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


def doubled(keyword: str) -> dict[str, Any]:
    """A short schema of which every level asks the next one twice, 40 times over."""
    part = {"allOf": [{"$ref": "#"}] * 2, "dependentSchemas": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}[keyword]
    text = json.dumps(part)
    levels = {f"d{i}": {keyword: json.loads(text.replace("#", f"#/$defs/d{i + 1}"))} for i in range(40)}
    return {"$defs": {**levels, "d40": {"type": "object"}}, "$ref": "#/$defs/d0", "unevaluatedProperties": False}


def only(check: Check, decides: Any) -> Check:
    """The same check with less to say."""
    return msgspec.structs.replace(check, decides=decides)


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ((PASS,), "yes"),
        ((FAIL,), "no"),
        ((PASS, FAIL), "no"),
        ((FAIL, PASS), "no"),
        ((PASS, PASS), "yes"),
        ((only(PASS, "fail"),), "judge"),
        ((only(FAIL, "fail"),), "no"),
        ((only(PASS, "pass"),), "yes"),
        ((only(FAIL, "pass"),), "judge"),
        ((PASS, only(PASS, "fail")), "judge"),
        ((PASS, only(FAIL, "pass")), "judge"),
        ((only(FAIL, "pass"), FAIL), "no"),
        ((only(PASS, "pass"), PASS), "yes"),
        ((ERROR,), None),
        ((ERROR, PASS), None),
        ((ERROR, FAIL), "no"),
        ((FAIL, ERROR), "no"),
        ((ERROR, only(FAIL, "pass")), None),
        ((), "judge"),
    ],
)
def test_what_several_checks_decide_together(checks, expected):
    """Any failure that may decide does; a pass needs all; what could not be carried out is an error, not a verdict."""
    found = outcome("text", *checks)
    assert ("judge" if found is None else found.option) == expected


def test_the_options_decided_are_the_best_passing_and_the_first_failing():
    """On longer scales a check gives the last passing option or the first that does not pass."""
    scale = Criterion(id="c", question="q", options=("bad", "poor", "fair", "good"), passing=("fair", "good"))
    for text, expected in (("ab", "good"), ("abc", "bad")):
        with_check = Criterion(
            id="c", question="q", options=scale.options, passing=scale.passing, checks=(Length(maximum=2),)
        )
        assert decide(with_check, Item(id="a", output=text)).option == expected
    fault = Criterion(id="c", question="q", options=("yes", "no"), passing=("yes",), checks=(Length(maximum=2),))
    assert decide(fault, Item(id="a", output="abc")).option == "no"


def test_checks_say_nothing_of_pairs():
    """A pair is the judge's."""
    assert decide(Criterion(id="c", question="q", checks=(FAIL,)), Pair(id="p", a="x", b="y")) is None


@pytest.mark.parametrize("field", ["input", "context", "reference"])
def test_a_missing_text_is_an_error_that_names_it(field):
    """Absent is not empty: nothing is decided about what is not there."""
    found = outcome("text", Length(maximum=3, field=field))
    assert found is not None
    assert found.option is None
    assert f"no {field}" in found.reason
    assert option("text", Length(maximum=3, field=field), **{field: ""}) == "yes"


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ('{"name": "Ana", "year": 1987}', "yes", "valid"),
        (' \n{"name": "Ana", "year": 1987}\n', "yes", "valid"),
        ('{"name": "Ana", "year": "1987"}', "no", "$.year"),
        ('{"name": "Ana"}', "no", "year"),
        ('{"name": "Ana", "year": 1, "more": 2}', "no", "'more'"),
        ('{"name": "Ana", "name": "Eva", "year": 1}', "no", "stands twice"),
        ('{"name": NaN, "year": 1}', "no", "NaN"),
        ("[Infinity]", "no", "Infinity"),
        ("[-Infinity]", "no", "-Infinity"),
        ("[1e999]", "no", "double precision"),
        ("", "no", "line 1, column 1"),
        ('```json\n{"name": "Ana", "year": 1987}\n```', "no", "not JSON"),
        ("{'name': 'Ana', 'year': 1987}", "no", "not JSON"),
        ('{"name": "Ana", "year": 1987,}', "no", "not JSON"),
        ("[" * 200_000, None, "nested too deeply"),
        ("1" * 5000, None, "5000 digits"),
    ],
)
def test_json_is_read_to_the_letter(text, expected, words):
    """Only strict JSON is JSON, and the reason says where it fails."""
    found = outcome(text, JSONSchema(schema=SCHEMA))
    assert found is not None
    assert found.option == expected
    assert words in found.reason


def test_a_reason_stays_short_and_can_be_kept():
    """A schema's message that quotes the text is cut, and a lone surrogate in it is escaped."""
    long = outcome('"' + "x" * 10_000 + '"', JSONSchema(schema={"type": "object"}))
    odd = outcome('{"\\ud800": 1}', JSONSchema(schema={"additionalProperties": {"type": "string"}}))
    assert long is not None
    assert odd is not None
    assert len(long.reason) <= 300
    assert odd.option == "no"
    assert odd.reason.encode()


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "https://example.com/schema.json"}, "example.com"),
        ({"$ref": "#/$defs/absent"}, "absent"),
        ({"type": "objet"}, "invalid"),
        ({"pattern": "("}, "not a regular expression"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "time limit"),
        ("schemas/answer.json", "still the path"),
    ],
)
def test_a_schema_at_fault_is_an_error_of_the_rubric(schema, words):
    """No reference is fetched, and a schema that cannot be used is refused with the name of the criterion."""
    with pytest.raises(FielError, match="criterion 'c'") as caught:
        outcome('{"a": "b"}', JSONSchema(schema=schema))
    assert words in str(caught.value)


def test_a_schema_that_needs_no_network_runs_without_one():
    """Local references are followed, and an older draft that the schema names is obeyed."""
    local = {"$defs": {"word": {"type": "string"}}, "items": {"$ref": "#/$defs/word"}}
    assert option('["a"]', JSONSchema(schema=local)) == "yes"
    assert option("[1]", JSONSchema(schema=local)) == "no"
    tuples = {"items": [{"type": "string"}]}
    old = {"$schema": "http://json-schema.org/draft-07/schema#"} | tuples
    assert option("[1]", JSONSchema(schema=old)) == "no"
    with pytest.raises(FielError, match="invalid"):
        outcome("[1]", JSONSchema(schema=tuples))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"properties": {"n": {"pattern": "^(a|aa)+$"}}}, '{"n": "' + "a" * 60 + '!"}'),
        ({"patternProperties": {"^(a|aa)+$": {}}}, '{"' + "a" * 60 + '!": 1}'),
        ({"additionalProperties": False, "patternProperties": {"^(a|aa)+$": {}}}, '{"' + "a" * 60 + '!": 1}'),
        ({"$ref": "#"}, "{}"),
    ],
)
def test_a_pathological_schema_does_not_hang(schema, text):
    """A pattern that explodes, and a schema without an end, are errors and never a verdict."""
    found = outcome(text, JSONSchema(schema=schema))
    assert found is not None
    assert found.option is None
    assert "took more than" in found.reason or "without end" in found.reason


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"pattern": "^a"}, '"ab"', '"b"'),
        ({"patternProperties": {"^a": {"type": "string"}}}, '{"ab": "x", "b": 1}', '{"ab": 1}'),
        ({"additionalProperties": {"type": "string"}, "properties": {"n": {}}}, '{"n": 1, "m": "x"}', '{"m": 1}'),
        ({"additionalProperties": False, "patternProperties": {"^a": {}}}, '{"ab": 1}', '{"b": 1}'),
        ({"additionalProperties": False}, '["not an object"]', '{"b": 1}'),
    ],
)
def test_the_timed_keywords_mean_what_they_mean_elsewhere(schema, good, bad):
    """The keywords with a time limit admit and refuse as jsonschema's own do."""
    for text, expected in ((good, "yes"), (bad, "no")):
        assert option(text, JSONSchema(schema=schema)) == expected
        assert Draft202012Validator(schema).is_valid(json.loads(text)) == (expected == "yes")


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        (Regex(pattern=r"\d{4}"), "in 1987", "yes"),
        (Regex(pattern=r"\d{4}"), "in 87", "no"),
        (Regex(pattern=r"\d{4}", match="full"), "in 1987", "no"),
        (Regex(pattern=r"\d{4}", match="full"), "1987", "yes"),
        (Regex(pattern="sorry", match="absent"), "Sorry", "yes"),
        (Regex(pattern="sorry", match="absent", ignore_case=True), "Sorry", "no"),
        (Regex(pattern=r"^\p{Lu}"), "Ñandú", "yes"),
    ],
)
def test_a_pattern_is_searched_matched_or_absent(check, text, expected):
    """The three ways to match, with and without case."""
    assert option(text, check) == expected


def test_a_pattern_that_explodes_is_an_error():
    """A time limit ends it, and nothing is decided."""
    found = outcome("a" * 60 + "!", Regex(pattern="^(a|aa)+$", seconds=0.05))
    assert found is not None
    assert found.option is None
    assert "took more than 0.05 s" in found.reason


def test_a_pattern_at_fault_is_an_error_of_the_rubric():
    """A broken pattern is refused with the name of the criterion."""
    with pytest.raises(FielError, match="criterion 'c'"):
        outcome("a", Regex(pattern="("))


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        (Number(value=1234.5), "about 1,234.5 euros", "yes"),
        (Number(value=1234.5), "unos 1.234,5 euros", "yes"),
        (Number(value=1234), "1,234", "yes"),
        (Number(value=1.234), "1,234", "yes"),
        (Number(value=-3), "it is −3 degrees", "yes"),
        (Number(value=95), "95 %", "yes"),
        (Number(value=5), "no number at all", "no"),
        (Number(value=5, which="first"), "5 or 6", "yes"),
        (Number(value=5, which="last"), "5 or 6", "no"),
        (Number(value=5, which="only"), "5 or 6", "no"),
        (Number(value=5, which="only"), "just 5", "yes"),
        (Number(value=5), "6 or 5", "yes"),
        (Number(value=100, absolute=1), "101", "yes"),
        (Number(value=100, absolute=1), "101.5", "no"),
        (Number(value=200, relative=0.01), "198", "yes"),
        (Number(value=200, relative=0.01), "197", "no"),
        (Number(value=0.3, absolute=1e-9), "0.30000000001", "yes"),
    ],
)
def test_a_number_is_found_and_compared(check, text, expected):
    """Both notations, the place of the number and both tolerances."""
    assert option(text, check) == expected


def test_a_number_is_compared_with_that_of_the_reference():
    """Without a value the first number of the reference is the goal; without one there is an error."""
    assert option("It costs 1.500 euros.", Number(), reference="€1,500") == "yes"
    assert option("It costs 15 euros.", Number(), reference="€1,500") == "no"
    for texts in ({}, {"reference": "a lot"}):
        found = outcome("15", Number(), **texts)
        assert found is not None
        assert found.option is None
        assert "reference" in found.reason


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Number, {"absolute": -1.0}),
        (Number, {"relative": float("nan")}),
        (Number, {"absolute": float("inf")}),
        (Number, {"value": float("nan")}),
        (Number, {"value": float("inf")}),
        (Length, {"minimum": -1}),
        (Length, {"minimum": 3, "maximum": 2}),
        (Regex, {"pattern": "a", "seconds": float("nan")}),
        (Regex, {"pattern": "a", "seconds": float("inf")}),
    ],
)
def test_limits_that_no_text_can_meet_are_refused(kind: Any, wrong: dict[str, Any]):
    """A tolerance, a value, a length or a time that means nothing is refused where the check is made."""
    with pytest.raises(FielError, match="check"):
        kind(**wrong)


@pytest.mark.parametrize(
    ("check", "text", "reason"),
    [
        (Length(maximum=4), "café", "length: 4 characters"),
        (Length(maximum=4), "cafe\u0301", "length: 4 characters"),
        (Length(maximum=3), "café", "length: 4 characters; at most 3 are allowed"),
        (Length(maximum=2, unit="words"), "- one, two!", "length: 2 words"),
        (Length(maximum=1, unit="words"), "one two", "length: 2 words; at most 1 is allowed"),
        (Length(minimum=2, unit="words"), "one", "length: 1 word; at least 2 are needed"),
        (Length(minimum=2, unit="lines"), "a\nb\n", "length: 2 lines"),
        (Length(maximum=1, unit="lines"), "a\x85b\u2028c", "length: 1 line"),
        (Length(minimum=1, unit="lines"), "", "length: 0 lines; at least 1 is needed"),
    ],
)
def test_length_is_counted_and_said(check, text, reason):
    """Characters after composition, words with a letter or digit, lines by line feeds; the reason says how many."""
    found = outcome(text, check)
    assert found == CheckOutcome(option="no" if ";" in reason else "yes", reason=reason)


@given(st.text(max_size=30))
def test_every_text_equals_itself_and_contains_itself(text):
    """Comparison is by composed characters, whatever the text."""
    assert option(text, Equals(value=text), Contains(all=(text,))) == "yes"
    assert option(text.upper(), Equals(value=text.upper(), ignore_case=True)) == "yes"


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        (Equals(value="Madrid"), " Madrid\n", "yes"),
        (Equals(value="Madrid"), "madrid", "no"),
        (Equals(value="STRASSE", ignore_case=True), "straße", "yes"),
        (Equals(value="caf\u00e9"), "cafe\u0301", "yes"),
        (Contains(all=("a", "b")), "ab", "yes"),
        (Contains(all=("a", "c")), "ab", "no"),
        (Contains(any=("x", "b")), "ab", "yes"),
        (Contains(any=("x", "y")), "ab", "no"),
        (Contains(none=("x",)), "ab", "yes"),
        (Contains(none=("b",)), "ab", "no"),
        (Contains(all=("CAFÉ",), ignore_case=True), "un cafe\u0301", "yes"),
    ],
)
def test_texts_are_compared_after_composition(check, text, expected):
    """Equal to the reader is equal; case counts unless told."""
    assert option(text, check) == expected


def test_a_text_is_compared_with_the_reference():
    """Without a value the reference is the goal, and without a reference there is an error."""
    assert option("Paris", Equals(), reference="Paris ") == "yes"
    assert option("Lyon", Equals(), reference="Paris") == "no"
    assert option("Paris", Equals()) is None


def test_only_what_is_decided_becomes_a_judgement():
    """Decided criteria become judgements of the judge that runs; the others are left to it."""
    criteria = tuple(
        Criterion(id=name, question="q", checks=checks)
        for name, checks in (
            ("open", ()),
            ("short", (Length(maximum=2),)),
            ("told", (Length(maximum=9, field="context"),)),
        )
    )
    item = Item(id="a", output="abc")
    short, told = check_judgements(criteria, item, judge="house", identity="i")
    assert (short.criterion, short.status, short.verdict, short.belief.source) == ("short", "ok", "no", "check")
    assert (short.judge, short.identity, short.cost) == ("house", "i", 0.0)
    assert (short.subject, short.subject_digest) == ("a", item.digest)
    assert short.criterion_digest == criteria[1].digest
    assert short.reason == "length: 3 characters; at most 2 are allowed"
    assert short.latency >= 0
    assert (told.criterion, told.status, told.belief) == ("told", "error", None)
    assert told.reason == "length of the context: the item has no context"


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (JSONSchema(schema={"type": "objet"}), "schema is invalid"),
        (JSONSchema(schema="answer.json"), "still the path"),
        (JSONSchema(schema={"$schema": 3}), "schema is invalid"),
        (JSONSchema(schema={"properties": {"a": {"$ref": "#/$defs/none"}}}), "refers to '#/\\$defs/none'"),
        (JSONSchema(schema={"$defs": {"unused": {"$ref": "https://example.com/a.json"}}}), "refers to 'https"),
        (JSONSchema(schema={"type": "object", "$ref": "#/type/x"}), "refers to"),
        (JSONSchema(schema={"allOf": [{}], "$ref": "#/allOf/x"}), "refers to"),
        (JSONSchema(schema={"$ref": "#/x", "x": {"properties": {"a": {"$ref": "#/y"}}}}), "refers to '#/y'"),
        (JSONSchema(schema={"patternProperties": {"(?a)(?u)x": {}}}), "is not a regular expression"),
        (JSONSchema(schema=deep(900)), "nested too deeply"),
        (JSONSchema(schema=deep(5000)), "nested too deeply"),
        (Regex(pattern="(("), "is not a regular expression"),
        (Regex(pattern="a{99999999999999999999}"), "is not a regular expression"),
        (Regex(pattern="a{4000000000}"), "a million"),
        (Regex(pattern="(?a)(?u)x"), "is not a regular expression"),
        (Regex(pattern="(" * 3000 + ")" * 3000), "nested too deeply"),
    ],
)
def test_a_rubric_with_a_broken_check_is_refused_before_any_text(check: Check, said: str):
    """An invalid schema or pattern is named with its criterion, whatever the texts are."""
    rubric = Rubric(id="r", criteria=(Criterion(id="valid", question="?", checks=(check,)),))
    with pytest.raises(FielError, match=said) as refused:
        check_rubric(rubric)
    assert "valid" in str(refused.value)


def test_a_rubric_may_use_what_the_library_that_matches_knows():
    """Letters by their Unicode class, in a pattern and in a schema, pass the look at the rubric and decide."""
    checks = (Regex(pattern=r"^\p{Lu}"), Regex(pattern="", field="input"))
    assert option("É", checks[0]) == "yes"
    assert option('"é"', JSONSchema(schema={"pattern": r"^\p{L}$"})) == "yes"
    check_rubric(Rubric(id="r", criteria=(Criterion(id="c", question="?", checks=checks),)))


@pytest.mark.parametrize("keyword", ["allOf", "dependentSchemas"])
def test_a_schema_with_more_steps_than_time_is_an_error(keyword: str):
    """A schema that asks itself twice at each of 40 levels ends, and decides nothing."""
    found = outcome('{"a": 1, "b": 2}', JSONSchema(schema=doubled(keyword)))
    assert found is not None
    assert found.option is None
    assert "took more than 2 s" in found.reason


@pytest.mark.parametrize(
    ("schema", "text", "words"),
    [
        ({"multipleOf": 0.1}, "1" + "0" * 400, "too large"),
        ({"prefixItems": [{}], "unevaluatedItems": False}, json.dumps([1] * 3000), "too many"),
    ],
)
def test_an_answer_beyond_what_can_be_checked_is_an_error(schema: dict[str, Any], text: str, words: str):
    """A number that no float holds and a list that takes quadratic time decide nothing."""
    found = outcome(text, JSONSchema(schema=schema))
    assert found is not None
    assert found.option is None
    assert words in found.reason


VALUES = st.recursive(
    st.none() | st.booleans() | st.sampled_from((0, 1, 1.0, 0.5, -0.0, "1", "")),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(items=st.lists(VALUES, max_size=4))
def test_items_are_unique_as_elsewhere(items: list[Any]):
    """What is equal is what jsonschema calls equal: 1 and 1.0, objects in any order; true is not 1."""
    schema = {"uniqueItems": True}
    text = json.dumps(items)
    expected = "yes" if Draft202012Validator(schema).is_valid(json.loads(text)) else "no"
    assert option(text, JSONSchema(schema=schema)) == expected


def test_many_items_are_told_apart():
    """Forty thousand objects are held against uniqueItems, and the one that stands twice is named."""
    many = [{"a": i} for i in range(40_000)]
    assert option(json.dumps(many), JSONSchema(schema={"uniqueItems": True})) == "yes"
    found = outcome(json.dumps([*many, {"a": 7.0}]), JSONSchema(schema={"uniqueItems": True}))
    assert found is not None
    assert "the items 7 and 40000 are equal" in found.reason
