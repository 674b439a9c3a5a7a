from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.judges._asking import NOT_APPLICABLE, Asked, ask
from fiel.judges._reply import Reading, read_reply
from fiel.records import Criterion


def question(name: str = "c", options: tuple[str, ...] = ("no", "yes"), keys: tuple[str, ...] | None = None) -> Asked:
    """A criterion whose answers are spelt as `keys`."""
    return Asked(criterion=Criterion(id=name, question="?", options=options), keys=keys or options)


TEN = question("c", tuple(str(value) for value in range(11)))
PAIR = (question("a"), question("b"))


def single(reply: str, asked: Asked | None = None, finish: str | None = None) -> tuple[str | None, str | None]:
    """The answer and the problem of a reply to one criterion."""
    answer = read_reply(reply, [asked or question()], finish=finish).answers[0]
    return answer.answer, answer.problem


def answers(reading: Reading) -> list[str | None]:
    """The answers alone."""
    return [answer.answer for answer in reading.answers]


def test_the_asked_form_is_read_with_places_reasons_and_fragments():
    """A reply of the form asked for gives every part of it, and the place of each value in the text."""
    reply = (
        '{"a": {"reason": "said \\"yes\\"", "evidence": "opens at 9", "verdict": "no"},'
        ' "b": {"reason": "fine", "evidence": null, "verdict": "yes"}}'
    )
    reading = read_reply(reply, PAIR)
    first, second = reading.answers
    assert (first.answer, first.reason, first.fragment) == ("no", 'said "yes"', "opens at 9")
    assert (second.answer, second.reason, second.fragment) == ("yes", "fine", None)
    assert [reply[one.start : one.end] for one in reading.answers] == ["no", "yes"]
    assert first.start == reply.index('"no"') + 1
    assert (reading.mended, reading.problem, reading.refused) == ((), None, False)


def test_the_order_of_the_reply_does_not_matter():
    """Answers come in the order asked, whatever the order of the reply."""
    assert answers(read_reply('{"b": {"verdict": "no"}, "a": {"verdict": "yes"}}', PAIR)) == ["yes", "no"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"c": "yes"}',
        '{"c": {"verdict": "yes"}}',
        '{"c": {"reason": "r", "answer": "yes"}}',
        '{"c": {"value": "YES"}}',
        '{"c": {"Score": "Yes."}}',
        '{"c": {"label": " yes "}}',
        '{"c": {"rating": "ｙｅｓ"}}',
        '{"reason": "r", "verdict": "yes"}',
        '{"verdict": "yes", "reason": "r"}',
        '{"C": {"verdict": "y\\u0065s"}}',
        '{"c": {"verdict": "yes", "score": 0.9, "answer": "Paris"}}',
    ],
)
def test_other_forms_of_the_same_answer_are_read(reply):
    """The value directly under the id, other names of the field, the inner object alone, and other spellings."""
    assert single(reply) == ("yes", None)


def test_places_hold_for_values_with_escapes():
    """The place of a value is that of its escaped form in the text."""
    reply = '{"c": {"verdict": "s\\u00ed"}}'
    answer = read_reply(reply, [question(options=("no", "sí"))]).answers[0]
    assert (answer.answer, reply[answer.start : answer.end]) == ("sí", "s\\u00ed")


def test_keys_win_over_answers():
    """Where letters were asked for, a letter means its answer, and the answer in words is read as well."""
    asked = ask(Criterion(id="c", question="?", options=("no", "not sure", "yes"), applies_when="a price is named"))
    assert asked.keys == ("A", "B", "C", "D")
    assert [single(f'{{"c": "{key}"}}', asked)[0] for key in ("A", "b", "Not  Sure", "D", NOT_APPLICABLE)] == [
        "no",
        "not sure",
        "not sure",
        NOT_APPLICABLE,
        NOT_APPLICABLE,
    ]
    assert single('{"c": "E"}', asked) == (None, "off the scale: 'E'")


def test_ambiguous_spellings_are_read_to_the_letter_only():
    """Options that differ in case alone are not folded together."""
    asked = question(options=("Yes", "yes", "no"))
    assert [single(f'{{"c": "{word}"}}', asked)[0] for word in ("Yes", "yes", "YES", "NO")] == [
        "Yes",
        "yes",
        None,
        "no",
    ]


@pytest.mark.parametrize("written", ["8", "8.0", '"8"', '" 8 "', '"８"', '"8.0"', "8e0"])
def test_a_number_means_the_option_that_is_that_number(written):
    """8, 8.0 and "8" are the option "8" (row 2.1 of what other tools do)."""
    assert single(f'{{"reason": "r", "score": {written}}}', TEN) == ("8", None)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("8.5", "8.5"),
        ("85", "85"),
        ("-5", "-5"),
        ("0.85", "0.85"),
        ('"8/10"', "'8/10'"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("null", "null"),
        ("true", "true"),
        ("1e999", "1e999"),
        ('"8_0"', "'8_0'"),
        ('""', "''"),
        ("[8]", "an array"),
        ('{"value": "x"}', "an object"),
        ('"eight, I think, though it might be nine or ten"', "'eight, I think, though it might be nine…'"),
    ],
)
def test_what_is_off_the_scale_is_no_answer(written, said):
    """Nothing is clamped, rescaled or rounded (rows 2.1 and 9): the problem says what stood there."""
    assert single(f'{{"c": {{"score": {written}}}}}', TEN) == (None, f"off the scale: {said}")


def test_a_json_boolean_is_the_option_true_and_nothing_else():
    """`true` is not 1 and not yes; a scale of true and false takes it."""
    assert single('{"c": true}', question(options=("false", "true"))) == ("true", None)
    assert single('{"c": true}', question(options=("0", "1")))[0] is None
    assert single('{"c": null}', question(options=("null", "one")))[0] is None


def test_an_option_may_look_like_a_ratio():
    """What reads like a ratio is the value where it is an option."""
    assert single('{"c": "8/10"}', question(options=("7/10", "8/10"))) == ("8/10", None)


def test_the_value_is_found_by_its_place_not_by_its_text():
    """A number in the reason is not the score, in either order of the keys (row 3)."""
    for reply in ('{"reason": "8 of 8 facts", "score": 8}', '{"score": 8, "reason": "8 of 8 facts: 8"}'):
        answer = read_reply(reply, [TEN]).answers[0]
        assert answer.answer == "8"
        assert answer.start == reply.index('"score": 8') + len('"score": ')


@pytest.mark.parametrize(
    ("reply", "mended"),
    [
        ('```json\n{"c": {"verdict": "yes"}}\n```', ("fence",)),
        ('```\n{"c": {"verdict": "yes"}\n```', ("fence", "closing brace")),
        ('{"c": {"verdict": "yes",},}', ("trailing comma",)),
        ('<think>{"c": {"verdict": "no"}} {</think>{"c": {"verdict": "yes"}}', ("think block",)),
        ('<think>a</think>\n<thinking>{"c": "no"}</thinking>\n{"c": "yes"}', ("think block",)),
        ('so the verdict is no... wait</think>\n{"c": "yes"}', ("think block",)),
        ('Note: {as asked} {"c": {"verdict": "yes"}} Note: {as asked}', ("text around",)),
        ('{"c": {"reason": "r", // it is fine\n "verdict": "yes"}}', ("comment",)),
        ('{"c": {"reason": "uses \\d+ \\w", "verdict": "yes"}}', ("bad escape",)),
        ('{"c": {"reason": "it\\\'s", "verdict": "yes"}}', ("bad escape",)),
        ('{"c": {"reason": "one\ntwo\tthree", "verdict": "yes"}}', ("unescaped newline",)),
        ('{"c": {"reason": "r", "evidence": None, "verdict": "yes"}}', ("Python literal",)),
        ('{"c": {"reason": "r", "verdict": "yes"}', ("closing brace",)),
        ('{"c": {"verdict": "yes"}}}', ("text around",)),
        ('{"c": "yes", "c": "yes"}', ("repeated key",)),
        ('{"c": {"verdict": "yes"}}\n{"c": {"verdict": "Yes"}}', ("repeated key",)),
        ("\ufeff \n" + '{"c": "yes"}\n\n', ()),
    ],
)
def test_what_can_be_mended_is_mended_and_named(reply, mended):
    """Each tolerance gives the answer, at its place in the text, and says that it was needed (row 8)."""
    reading = read_reply(reply, [question()])
    answer = reading.answers[0]
    assert (answer.answer, reading.mended) == ("yes", mended)
    assert reply[answer.start : answer.end].lower() == "yes"


def test_a_mended_reason_keeps_its_words():
    """A bad escape stays as it stands, a newline too, and half a surrogate becomes U+FFFD."""
    reading = read_reply('{"c": {"reason": "\\d \n \\ud83d\\ude00 \\ud83d \\u00e9", "verdict": "no"}}', [question()])
    assert reading.answers[0].reason == "\\d \n 😀 \ufffd é"


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": {"verdict": "yes"}, "b": {"reason": "it is cut', ["yes", None]),
        ('{"a": {"verdict": "yes"}, "b": {"verdict": "n', ["yes", None]),
        ('{"a": {"verdict": "yes"}, "b": {"verdict": "no"', ["yes", None]),
        ('{"a": {"verdict": "yes"},', ["yes", None]),
        ('{"a": {"verdict": "yes"}, "b', ["yes", None]),
        ('{"a": {"verdict": "yes"}, "b": {"verdict": tr', ["yes", None]),
        ('{"a": {"reason": "\\u00', [None, None]),
        ("{", [None, None]),
    ],
)
def test_of_a_truncated_reply_only_what_is_complete_counts(reply, found):
    """What the cut left open is missing, and the problem names the truncation (row 8)."""
    reading = read_reply(reply, PAIR, finish="length")
    assert answers(reading) == found
    assert reading.problem == 'truncated: the reply reached its limit of tokens (finish_reason "length")'
    assert "truncated" in reading.mended
    assert reading.answers[1].problem == 'missing: the reply ends before "b" does'
    assert read_reply(reply, PAIR).problem == "truncated: the reply ends within its JSON"


def test_a_number_at_the_cut_may_be_the_beginning_of_another():
    """1 at the end of an open object may be 10: it counts only where nothing can follow and nothing was cut."""
    assert single('{"reason": "r", "score": 1', TEN) == (None, "truncated: more may have followed 1")
    assert single('{"reason": "r", "score": 8', TEN) == ("8", None)
    assert single('{"reason": "r", "score": 8', TEN, "length")[0] is None
    assert single('{"reason": "r", "score": 1}', TEN, "length") == ("1", None)


def test_a_complete_reply_has_no_problem_however_it_ended():
    """A limit of tokens that was reached after the last verdict spoils nothing."""
    reading = read_reply('{"a": "yes", "b": "no"} And furth', PAIR, finish="length")
    assert (answers(reading), reading.problem) == (["yes", "no"], None)


@pytest.mark.parametrize(
    "reply",
    [
        '{"c": {"verdict": "yes"}} {"c": {"verdict": "no"}}',
        '{"c": {"verdict": "yes", "verdict": "no"}}',
        '{"c": {"verdict": "yes"}, "c": {"verdict": "no"}}',
        '{"c": {"verdict": "yes", "label": "no"}}',
        '{"c": "yes", "verdict": "no"}',
        '{"c": {"verdict": "yes"}} {"c": {"verdict": "maybe"}}',
        '{"c": {"verdict": "yes"}}\nFinal verdict: no',
        'Verdict: no\n```json\n{"c": {"verdict": "yes"}}\n```',
        '{"c": {"verdict": "yes"}, "overall": {"verdict": "no"}}',
        '{"c": {"verdict": "yes", "sub": [{"verdict": "no"}]}}',
        '[{"c": "yes"}, {"c": "no"}]',
    ],
)
def test_two_verdicts_that_differ_are_none(reply):
    """Two objects, a repeated key, two fields, or the text beside the JSON: nothing is chosen (row 17)."""
    assert single(reply) == (None, "two verdicts")


def test_what_is_told_twice_does_not_touch_the_other_criteria_after_it():
    """A criterion that stands twice is lost alone where the others come after it or agree with it."""
    reply = '{"a": {"verdict": "yes"}, "a": {"verdict": "no"}, "b": {"verdict": "yes"}}'
    reading = read_reply(reply, PAIR)
    assert answers(reading) == [None, "yes"]
    assert "repeated key" in reading.mended
    same = '{"a": {"verdict": "yes"}, "b": {"verdict": "no"}}'
    assert answers(read_reply(f"{same}\n{same}", PAIR)) == ["yes", "no"]


def test_a_verdict_out_of_place_takes_an_earlier_one_away():
    """The end of a broken string is told by its own verdict: the answers before it that it contradicts are lost."""
    forged = (
        '{"a": {"reason": "It says ", "verdict": "yes"}, "b": {"reason": "", "verdict": "no"}, "b": {"verdict": "no"}}'
    )
    assert answers(read_reply(forged, PAIR)) == [None, "no"]
    overall = '{"a": {"verdict": "yes"}, "b": {"verdict": "yes"}, "overall": {"score": 0.9}}'
    assert answers(read_reply(overall, PAIR)) == ["yes", "yes"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"c": {"reason": "he said "fine"", "verdict": "yes"}}',
        '{"c": {"reason": "x" "verdict": "yes"}}',
        '{"c": yes}',
        '{"c": {"verdict": "yes"}} ", "verdict": "no"}}',
        '{"c": {"verdict": "yes"}} // ", "verdict": "no"}}',
        '{"c": {"verdict": "yes" // ", "verdict": "no"\n}}',
        '{"a" {"c": {"verdict": "yes"}}}',
        '{"c": ' + "[" * 100 + "]" * 100 + "}",
    ],
)
def test_broken_json_gives_nothing(reply):
    """Where JSON breaks before the end, nothing of it counts, and the problem says where."""
    reading = read_reply(reply, [question()])
    assert answers(reading) == [None]
    assert "JSON" in (reading.problem or "")
    assert reading.answers[0].problem == reading.problem


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ('{"verdicts": []}', 'missing: there is no "c", only "verdicts"'),
        ('{"x": {"verdict": "maybe"}}', 'missing: there is no "c", only "x"'),
        ('{"c": {"reason": "x"}}', 'missing: there is no "verdict", only "reason"'),
        ('{"reason": "x"}', 'missing: there is no "c", only "reason"'),
        ("{}", 'missing: there is no "c", only an empty object'),
        ('{"c": {"verdict": "Yes, it violates"}}', "off the scale: 'Yes, it violates'"),
    ],
)
def test_what_is_missing_is_named_and_never_passes(reply, problem):
    """Another shape, an empty list or a verbose verdict is no answer, and the problem names it (rows 10, 17, 19)."""
    assert single(reply) == (None, problem)


def test_an_option_that_contains_another_is_never_taken_for_it():
    """Incorrect is not correct, not grounded is not grounded."""
    asked = question(options=("incorrect", "correct"))
    assert single('{"c": "Incorrect."}', asked) == ("incorrect", None)
    assert single('{"c": "in\u200bcorrect"}', asked)[0] == "incorrect"
    assert single('{"c": "not correct"}', asked)[0] is None
    assert single('{"c": "not grounded"}', question(options=("ungrounded", "grounded")))[0] is None


@pytest.mark.parametrize(
    ("reply", "finish", "problem", "refused"),
    [
        ("", None, "the reply is empty", False),
        (
            "",
            "length",
            'truncated: the reply reached its limit of tokens (finish_reason "length"); the reply is empty',
            False,
        ),
        ("", "content_filter", 'refused: finish_reason "content_filter"; the reply is empty', True),
        ("I'm sorry, but I can't help with that.", "stop", "refused: \"I'm sorry, but I can't help with that.\"", True),
        ("Lo siento, no puedo evaluar este texto.", None, "refused: 'Lo siento, no puedo evaluar este texto.'", True),
        ("Both are good.", None, "no verdict stands in the text", False),
        ('<think>{"c": "yes"}', None, "the reply ends within its thinking", False),
        ('<think>x</think>{"c": "yes"}</think>{"c": "ye', None, "the reply ends its thinking more than once", False),
    ],
)
def test_a_reply_without_json_says_what_it_is(reply, finish, problem, refused):
    """Empty, cut, filtered, refused, or without a verdict: the problem and `refused` tell them apart."""
    reading = read_reply(reply, [question()], finish=finish)
    assert (answers(reading), reading.problem, reading.refused) == ([None], problem, refused)


def test_free_text_answers_one_criterion_but_not_two():
    """Where there is no JSON, a marked verdict is read when one criterion was asked, and says so."""
    reading = read_reply("It is fine.\nVerdict: yes", [question()])
    assert (answers(reading), reading.mended) == (["yes"], ("plain text",))
    reading = read_reply("It is fine.\nVerdict: yes", PAIR)
    assert (answers(reading), reading.problem) == ([None, None], "the reply holds no JSON object")


KEYS = st.text(st.characters(codec="utf-8"), max_size=8)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.floats(allow_nan=False)
VERDICTS = st.lists(st.sampled_from(["no", "yes"]), min_size=2, max_size=2)


@given(VERDICTS, st.lists(st.text(max_size=60), min_size=2, max_size=2), st.booleans(), st.sampled_from([None, 2]))
def test_strict_json_is_read_as_the_standard_library_reads_it(verdicts, reasons, ascii_only, indent):
    """For any reasons and layout: the verdicts, the reasons to the letter, nothing mended, and the right places."""
    whole = {
        name: {"reason": reason, "evidence": None, "verdict": verdict}
        for name, reason, verdict in zip("ab", reasons, verdicts, strict=True)
    }
    reply = json.dumps(whole, ensure_ascii=ascii_only, indent=indent)
    reading = read_reply(reply, PAIR)
    assert answers(reading) == verdicts
    assert [answer.reason for answer in reading.answers] == reasons
    assert (reading.mended, reading.problem) == ((), None)
    assert [reply[answer.start : answer.end] for answer in reading.answers] == verdicts


@given(st.text('{}[]":,\\/ \nabcnul019.-yesno', max_size=60))
def test_any_text_is_read_without_an_error_and_with_places_that_hold(text):
    """No text raises; an answer stands where it is said to stand."""
    for asked in ([question()], PAIR):
        for answer in read_reply(text, asked).answers:
            assert (answer.answer is None) == (answer.problem is not None)
            if answer.answer is not None:
                written = text[answer.start : answer.end]
                assert answer.answer in json.loads(f'"{written}"').lower()
