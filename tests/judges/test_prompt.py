"""The prompt: what it holds, in which order, and what it refuses before the first call."""

from __future__ import annotations

import re

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.judges._asking import ask
from fiel.judges._prompt import TEMPLATE, check_template, criteria_text, messages, reply_schema, rules
from fiel.records import Criterion, FielError, Item, Pair

GROUNDED = Criterion(
    id="grounded", question="Is it supported?", evidence_in="answer", exclude=("length",), guidance="Be strict."
)
SURE = Criterion(id="sure", question="Is it sure?", options=("no", "not sure", "yes"), applies_when="There is a claim.")
ASKED = (ask(GROUNDED), ask(SURE))


def said(item: Item, template: str = TEMPLATE) -> str:
    """The user's message about an item."""
    _, user = messages(
        item, rules=rules(ASKED), guidance="Judge {this}.", criteria=criteria_text(ASKED), template=template
    )
    return user.content


@pytest.mark.parametrize(
    ("template", "named"),
    [
        ("{criteria}", "{answer}"),
        ("{answer}", "{criteria}"),
        ("", "{answer}"),
        ("{criteria} {answer} {}", "{}"),
        ("{criteria} {anwser}", "{anwser}"),
        ('{criteria} {answer} {"score": 1}', '{"score": 1}'),
        ("{criteria} {answer} {answer!r}", "{answer!r}"),
        ("{criteria} {answer} {", "brace"),
        ("{criteria} {answer} {answer.id}", "{answer.id}"),
        ("{criteria} {answer} {0}", "{0}"),
    ],
)
def test_a_prompt_that_cannot_work_is_refused_by_name(template: str, named: str):
    """A missing, unknown or empty placeholder and stray braces are refused, and the message names the placeholder."""
    with pytest.raises(FielError) as refused:
        check_template(template)
    assert named in str(refused.value)


def test_the_shipped_prompt_and_escaped_braces_are_accepted():
    """The default template passes, and so does one whose literal braces are doubled."""
    check_template(TEMPLATE)
    check_template('{criteria} {answer} {{"score": 1}}')


def test_what_is_shared_comes_first():
    """Guidance and criteria stand before the context, and the context before question and answer."""
    text = said(Item(id="1", input="Q?", context="C.", output="A."))
    places = [text.index(mark) for mark in ("Judge {this}.", '"grounded"', "<<<CONTEXT", "<<<QUESTION", "<<<ANSWER")]
    assert places == sorted(places)
    assert "REFERENCE" not in text
    assert "\n\n\n" not in text


@given(st.text(max_size=300), st.text(max_size=100), st.text(max_size=100))
def test_no_text_can_end_its_own_block(output: str, context: str, question: str):
    """For any texts, each block's closing mark stands exactly once, after its text, and the text is there unchanged."""
    item = Item(id="1", input=question, context=context, output=output)
    text = said(item)
    for name, part in (("ANSWER", output), ("CONTEXT", context), ("QUESTION", question)):
        if not part and name != "ANSWER":
            assert f"<<<{name}" not in text.replace(output, "")
            continue
        opened = re.search(rf"<<<{name} ([0-9a-f]{{12}})>>>\n", text)
        assert opened is not None
        start = opened.end()
        assert text[start : start + len(part)] == part
        assert text[start + len(part) :].startswith(f"\n<<<END {name} {opened[1]}>>>")
        assert opened[1] not in part


def test_a_copied_mark_gets_another_code():
    """An answer that holds the marks of an earlier prompt about it changes the code."""
    first = said(Item(id="1", output="A."))
    copied = "\n".join(line for line in first.splitlines() if "ANSWER" in line)
    second = said(Item(id="1", output=copied))
    codes = re.findall(r"<<<END ANSWER ([0-9a-f]+)>>>", second)
    assert codes[-1] not in copied


def test_items_that_share_a_context_share_the_beginning():
    """Two items of one context have the same message up to the end of the context."""
    context = "A long context. " * 20
    one, two = (said(Item(id=str(i), input=f"Q{i}", context=context, output=f"A{i}")) for i in range(2))
    end = one.index("<<<END CONTEXT")
    assert one[: end + 30] == two[: end + 30]


def test_the_schema_admits_what_is_asked_and_nothing_else():
    """Each criterion is a property with its reason before its verdict, and the verdict one of the keys."""
    schema = reply_schema(ASKED)
    good = {
        "grounded": {"reason": "r", "evidence": None, "verdict": "no"},
        "sure": {"reason": "r", "verdict": "D"},
    }
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(good, schema)
    assert list(schema["properties"]["grounded"]["properties"]) == ["reason", "evidence", "verdict"]
    for wrong in ({}, {**good, "more": 1}, {**good, "sure": {"reason": "r", "verdict": "not sure"}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
    assert list(reply_schema(ASKED, reason="after")["properties"]["sure"]["properties"]) == ["verdict", "reason"]
    assert list(reply_schema(ASKED, reason="none")["properties"]["sure"]["properties"]) == ["verdict"]


def test_keys_exclusions_applicability_and_evidence_are_told():
    """Letters are explained, what must not count is listed, and the fragment is asked for where a failure needs one."""
    text = criteria_text(ASKED)
    for part in ('"B" means: not sure', "Must not count, in either direction: length.", "Otherwise the verdict is"):
        assert part in text
    assert 'unless the verdict is "yes", copy the exact fragment of the ANSWER' in text
    assert "Be strict." in text


def test_a_pair_is_refused():
    """A pair has no single answer to judge criterion by criterion."""
    with pytest.raises(FielError, match="Pair 'p'"):
        messages(Pair(id="p", a="x", b="y"), rules="", guidance=None, criteria="", template=TEMPLATE)
