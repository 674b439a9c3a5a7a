"""Token lists by hand: every known way of misreading a distribution, and its truth."""

from __future__ import annotations

import math

import pytest

from fiel.judges._asking import NOT_APPLICABLE, Asked, ask
from fiel.judges._belief import from_samples, mix, read_belief
from fiel.records import Criterion, Distribution, FielError, Token

TEN = tuple(str(n) for n in range(11))
BROKEN_LOGPROBS = [math.nan, math.inf, 0.5]


def asked(*options: str, keys: tuple[str, ...] = (), applies_when: str | None = None) -> Asked:
    """A criterion over `options`, spelt as they are unless `keys` says otherwise."""
    made = Asked(criterion=Criterion(id="c", question="?", options=options, applies_when=applies_when), keys=keys)
    return made if keys else Asked(criterion=made.criterion, keys=made.answers)


def place(text: str, p: float = 1.0, /, **others: float) -> Token:
    """A token with its probability and its alternatives; the emitted one is listed among them, as most servers do."""
    return listed(text, {text: p, **others})


def listed(text: str, probabilities: dict[str, float]) -> Token:
    """The same for texts that are no Python names."""
    pairs = tuple((alternative, math.log(p)) for alternative, p in probabilities.items())
    return Token(text=text, logprob=math.log(probabilities[text]), alternatives=pairs)


def belief(tokens: list[Token], value: str, question: Asked, *, floor: float = 0.0, after: str = "") -> Distribution:
    """The belief at the first place where `value` stands after the text `after`; it must be there."""
    text = "".join(token.text for token in tokens)
    start = text.index(value, text.index(after) + len(after))
    found = read_belief(tokens, start, start + len(value), question, floor=floor)
    assert found is not None
    assert math.isclose(math.fsum(found.probs), 1, abs_tol=1e-12)
    assert found.source == "logprobs"
    return found


def shares(found: Distribution) -> dict[str, float]:
    """The options that have any probability."""
    return {
        option: pytest.approx(p, abs=1e-12) for option, p in zip(found.options, found.probs, strict=True) if p > 1e-12
    }


HEAD, QUOTED, END = [place('{"score":'), place(" ")], [place('{"v":'), place(' "')], [place("}")]


# ---------------------------------------------------------------- the known defects, with their truths


def test_a_tail_of_small_alternatives_counts():
    """Nine alternatives of 0.9 % each pull 9.0 down to 8.587; on 0 to 10 the bounds hold it, since 1 may begin 10."""
    tokens = [*HEAD, listed("9", {"9": 0.9} | {str(n): 0.009 for n in range(9)}), *END]
    found = belief(tokens, "9", asked(*TEN[:10]))
    assert found.mean == pytest.approx(8.424 / 0.981, abs=1e-12) == pytest.approx(8.587, abs=5e-4)
    assert found.captured == pytest.approx(0.981)
    found = belief(tokens, "9", asked(*TEN))
    assert found.ambiguous == pytest.approx(0.009)
    assert found.mean_low == pytest.approx(8.424 / 0.981, abs=1e-12)
    assert found.mean_high == pytest.approx((8.424 + 0.009 * 9) / 0.981, abs=1e-12)


def test_twins_with_a_space_are_merged_and_shown():
    """A " 5" beside "5" is 5, the mean is 6.5, and `merged` says so."""
    found = belief([*HEAD, listed("8", {"8": 0.5, "5": 0.2, " 5": 0.3}), *END], "8", asked(*TEN))
    assert found.mean == pytest.approx(6.5, abs=1e-12)
    assert found.merged == ((" 5", "5", pytest.approx(0.3)),)


def test_a_first_digit_is_not_the_number_one():
    """An alternative "1" beside an emitted 9 may be 10: it is ambiguous, and the bounds are 5.4 and 9.45."""
    found = belief([*HEAD, listed("9", {"9": 0.55, "1": 0.45}), *END], "9", asked(*TEN))
    assert shares(found) == {"9": 1.0}
    assert (found.ambiguous, found.captured) == (pytest.approx(0.45), pytest.approx(0.55))
    assert (found.mean_low, found.mean_high) == (pytest.approx(5.4), pytest.approx(9.45))


def test_a_number_of_two_tokens_resolves_its_first_digit():
    """The written 10 shows what its "1" was: 0.6 of 10 and 0.4 of 9 is 9.6, with nothing ambiguous."""
    tokens = [*HEAD, listed("1", {"1": 0.6, "9": 0.4}), place("0"), *END]
    found = belief(tokens, "10", asked(*TEN))
    assert found.mean == pytest.approx(9.6, abs=1e-12)
    assert (found.ambiguous, found.mean_low, found.mean_high) == (0.0, None, None)


def test_the_place_after_a_digit_splits_it():
    """Where the digit after the written 1 was 30 % likely, 10 has 30 % of its mass; and the other way round."""
    one = [*HEAD, listed("1", {"1": 0.8, "9": 0.2}), listed("}", {"}": 0.7, "0": 0.3})]
    ten = [*HEAD, listed("1", {"1": 0.8, "9": 0.2}), listed("0", {"}": 0.7, "0": 0.3}), *END]
    truth = {"1": 0.56, "9": 0.2, "10": 0.24}
    assert shares(belief(one, "1", asked(*TEN))) == truth
    assert shares(belief(ten, "10", asked(*TEN))) == truth


def test_a_glued_space_is_no_other_value():
    """SentencePiece's " 8" and " 4" are 8 and 4, as asked: nothing was merged."""
    found = belief([place('{"score":'), listed(" 8", {" 8": 0.6, " 4": 0.4}), *END], "8", asked(*TEN))
    assert found.mean == pytest.approx(6.4, abs=1e-12)
    assert found.merged == ()


def test_spellings_of_a_number():
    """8.0 over three tokens, "8" in quotes and full-width ８ are 8."""
    point = [*HEAD, listed("8", {"8": 0.5, "3": 0.5}), place("."), place("0"), *END]
    found = belief(point, "8.0", asked(*TEN))
    assert shares(found) == {"3": 0.5, "8": 0.5}
    assert found.merged == (("8.0", "8", pytest.approx(0.5)),)
    quoted = [place('{"score":'), place(' "'), listed("8", {"8": 0.5, "3": 0.5}), place('"}')]
    assert shares(belief(quoted, "8", asked(*TEN))) == {"3": 0.5, "8": 0.5}
    wide = [*HEAD, listed("8", {"8": 0.4, "８": 0.4, "2": 0.2}), *END]
    found = belief(wide, "8", asked(*TEN))
    assert found.mean == pytest.approx(6.8, abs=1e-12)
    assert found.merged == (("８", "8", pytest.approx(0.4)),)


def test_a_fraction_is_not_its_numerator():
    """8/10 is off the scale unless it is an option: of the written value nothing goes to 8."""
    tokens = [*QUOTED, listed("8", {"8": 0.9, "7": 0.1}), place("/"), place("10"), place('"}')]
    found = belief(tokens, "8/10", asked(*TEN))
    assert (shares(found), found.captured) == ({"7": 1.0}, pytest.approx(0.1))
    cut = belief(tokens, "8", asked(*TEN))  # a finder that stops at the slash is not believed either
    assert (shares(cut), cut.captured) == ({"7": 1.0}, pytest.approx(0.1))
    named = belief(tokens, "8/10", asked("7/10", "8/10"))
    assert shares(named) == {"7/10": 0.1, "8/10": 0.9}
    assert named.captured == pytest.approx(1)
    bare = [*HEAD, listed("8", {"8": 0.9, "7": 0.1}), place(" /"), place(" 10"), *END]
    assert shares(belief(bare, "8", asked(*TEN))) == {"7": 1.0}


def test_a_number_in_the_reason_is_not_the_score():
    """The value is found by its place: a reason that says "8 of 8 facts", before or after, changes nothing."""
    score = listed("8", {"8": 0.5, "3": 0.5})
    reason = [place('"reason": "'), place("8", 0.98), place(" of "), place("8", 0.98), place(' facts"')]
    first = [*HEAD, score, place(", "), *reason, *END]
    last = [place("{"), *reason, place(', "score":'), place(" "), score, *END]
    assert belief(first, "8", asked(*TEN)).mean == pytest.approx(5.5, abs=1e-12)
    assert belief(last, "8", asked(*TEN), after="score").mean == pytest.approx(5.5, abs=1e-12)


@pytest.mark.parametrize(("other", "p"), [("85", 0.05), ("100", 0.02), ("-1", 0.1), ("08", 0.1), ("8.5", 0.1)])
def test_numbers_off_the_scale_are_off_the_scale(other, p):
    """An alternative that is no option lowers `captured` and moves nothing."""
    found = belief([*HEAD, listed("8", {"8": 1 - p, other: p}), *END], "8", asked(*TEN))
    assert (found.mean, found.captured, found.ambiguous) == (8.0, pytest.approx(1 - p), 0.0)


def test_a_value_above_the_rubric_is_off_the_scale():
    """7 on a scale of 1 to 5 is not rescaled in."""
    found = belief([*HEAD, listed("5", {"5": 0.87, "7": 0.13}), *END], "5", asked(*TEN[1:6]))
    assert (found.mean, found.captured) == (5.0, pytest.approx(0.87))


def test_nothing_on_the_scale_is_no_belief():
    """Where no mass falls on any option there is no belief, and nothing is divided by zero."""
    tokens = [*HEAD, listed("85", {"85": 0.9, "eight": 0.1}), *END]
    assert read_belief(tokens, 10, 12, asked(*TEN)) is None


# ---------------------------------------------------------------- places and alignment


@pytest.mark.parametrize(
    ("tokens", "captured", "ambiguous"),
    [
        ([place('{"v": "'), listed('yes"', {'yes"': 0.6, 'no"': 0.3, "no": 0.1}), place("}")], 1.0, 0.0),
        ([place('{"v": "'), listed('yes",', {'yes",': 0.6, 'no"}': 0.3, 'no",': 0.1})], 1.0, 0.0),
        ([place('{"v":'), listed(' "yes', {' "yes': 0.6, ' "no': 0.3, '"no': 0.1}), place('"}')], 1.0, 0.0),
        ([place('{"v":'), listed(' "yes"}', {' "yes"}': 0.6, ' "no"}': 0.4})], 1.0, 0.0),
        ([place('{"v'), listed('": "yes', {'": "yes': 0.6, '":"no': 0.3, '" : "no': 0.1}), place('"}')], 1.0, 0.0),
        ([place('{"v":'), listed(' "yes', {' "yes': 0.6, " no": 0.3, "no": 0.1}), place('"}')], 1.0, 0.0),
        ([place('{"v":'), listed('"yes', {'"yes': 0.6, '"no': 0.3, '"': 0.1}), place('"}')], 0.9, 0.1),
        ([place('{"v":'), listed(' "yes', {' "yes': 0.6, ' "no': 0.3, " ": 0.1}), place('"}')], 0.9, 0.1),
        ([place('{"v'), listed('": "yes', {'": "yes': 0.6, '": "no': 0.3, '":': 0.1}), place('"}')], 0.9, 0.1),
        ([place('{"v'), listed('": "yes', {'": "yes': 0.6, '": "no': 0.3, '"': 0.1}), place('"}')], 0.9, 0.1),
        ([place('{"v'), listed('": "yes', {'": "yes': 0.6, '": "no': 0.3, '_2": "no': 0.1}), place('"}')], 0.9, 0.0),
        ([place('{"v":'), listed(' "yes', {' "yes': 0.6, ' "no': 0.3, ' {"': 0.1}), place('"}')], 0.9, 0.0),
        ([listed("yes", {"yes": 0.6, "no": 0.4})], 1.0, 0.0),
        ([listed("yes", {"yes": 0.6, "no": 0.4}), place("")], 1.0, 0.0),
        ([place("yes or no? "), listed("yes", {"yes": 0.6, "no": 0.4}), place(".\n")], 1.0, 0.0),
    ],
)
def test_alternatives_are_compared_at_the_place_of_the_value(tokens, captured, ambiguous):
    """What stands in the token before the value or behind it is set against the same in the alternatives."""
    text = "".join(token.text for token in tokens)
    start = text.rindex("yes")
    found = read_belief(tokens, start, start + 3, asked("no", "yes"))
    assert found is not None
    assert found.captured == pytest.approx(captured)
    assert found.ambiguous == pytest.approx(ambiguous)
    assert found.probs == pytest.approx(((captured - 0.6) / captured, 0.6 / captured), abs=1e-12)


def test_a_quote_before_a_bare_value_leaves_every_answer_open():
    """Beside a bare 8, an opening quote alone is ambiguous over the whole scale and `"8"` is 8 in quotes."""
    tokens = [place('{"score":'), listed(" 8", {" 8": 0.5, ' "8"': 0.2, ' "': 0.2, ' "2': 0.1}), *END]
    found = belief(tokens, "8", asked(*TEN))
    assert shares(found) == {"2": 0.1 / 0.8, "8": 0.7 / 0.8}
    assert found.merged == (('"8"', "8", pytest.approx(0.2)), ('"2"', "2", pytest.approx(0.1)))
    assert (found.mean_low, found.mean_high) == (pytest.approx(5.8), pytest.approx(7.8))


def test_words_of_several_tokens_are_walked():
    """Options of one to four tokens with shared beginnings: the exact distribution, at the price of one walk."""
    options = ("not at all", "not very good", "fairly good", "mostly very good indeed", "mostly good")
    tokens = [
        *QUOTED,
        place("mostly", 0.6, fairly=0.3, n=0.1),
        listed(" very", {" very": 0.75, " good": 0.25}),
        listed(" good", {" good": 0.9, " bad": 0.1}),
        listed(" indeed", {" indeed": 0.8, '"': 0.2}),
        place('"}'),
    ]
    found = belief(tokens, options[3], asked(*options))
    assert found.captured == pytest.approx(0.3 + 0.15 + 0.6 * 0.75 * 0.9 * 0.8)
    assert found.ambiguous == pytest.approx(0.1)
    assert shares(found) == {
        "fairly good": 0.3 / 0.774,
        "mostly good": 0.15 / 0.774,
        "mostly very good indeed": 0.324 / 0.774,
    }


def test_an_answer_that_begins_another_is_resolved_only_on_the_path():
    """A "no" beside "yes" may become "not sure" and is ambiguous; a written "no" is what follows it."""
    question = asked("no", "not sure", "yes")
    beside = belief([*QUOTED, place("yes", 0.7, no=0.3), place('"}')], "yes", question)
    assert (beside.ambiguous, beside.mean_low, beside.mean_high) == (
        pytest.approx(0.3),
        pytest.approx(1.4),
        pytest.approx(1.7),
    )
    ended = belief([*QUOTED, listed('yes"', {'yes"': 0.7, 'no"': 0.3}), place("}")], "yes", question)
    assert (ended.ambiguous, shares(ended)) == (0.0, {"no": 0.3, "yes": 0.7})
    written = [*QUOTED, place("no", 0.7, yes=0.3), listed('"', {'"': 0.9, "t": 0.1}), place("}")]
    assert shares(belief(written, "no", question)) == {"no": 0.63, "not sure": 0.07, "yes": 0.3}


def test_white_space_after_an_answer_is_walked_too():
    """A space may end "mostly" or begin "mostly formal": only what comes after it tells."""
    question = asked("formal", "mostly", "mostly formal")
    tokens = [*QUOTED, place("mostly"), place(" "), listed("formal", {"formal": 0.6, '"': 0.4}), place('"}')]
    assert shares(belief(tokens, "mostly formal", question)) == {"mostly": 0.4, "mostly formal": 0.6}
    beside = [*QUOTED, place("formal", 0.5, **{"mostly ": 0.5}), place('"}')]
    assert belief(beside, "formal", question).ambiguous == pytest.approx(0.5)


def test_the_end_of_a_value_depends_on_its_quotes():
    """Inside quotes a comma or a brace does not end an answer, without them they do; a line break ends it in both."""
    others = {"yes": 0.5, "no,": 0.1, "no}": 0.1, "no\n": 0.1, 'no"': 0.1, "no-": 0.1}
    inside = belief([*QUOTED, listed("yes", others), place('"}')], "yes", asked("no", "yes"))
    outside = belief([place('{"v": '), listed("yes", others), *END], "yes", asked("no", "yes"))
    assert (inside.captured, outside.captured) == (pytest.approx(0.7), pytest.approx(0.9))


def test_an_emitted_value_that_is_no_answer_keeps_its_mass_off_the_scale():
    """A written "yesterday" is not yes; what left the path before it is read."""
    tokens = [*QUOTED, place("yes", 0.7, no=0.3), place("terday", 0.9, **{'"': 0.1}), place('"}')]
    found = belief(tokens, "yesterday", asked("no", "yes"))
    assert (shares(found), found.captured) == ({"no": 0.3 / 0.37, "yes": 0.07 / 0.37}, pytest.approx(0.37))


# ---------------------------------------------------------------- spellings


def test_case_width_and_space_are_merged_unless_options_differ_in_nothing_else():
    """A "Yes" is yes, with its mass in `merged`; beside the options yes and Yes it is the second."""
    tokens = [*QUOTED, listed("yes", {"yes": 0.5, "Yes": 0.2, " YES": 0.1, "ｙｅｓ": 0.1, "no": 0.1}), place('"}')]
    found = belief(tokens, "yes", asked("no", "yes"))
    assert shares(found) == {"no": 0.1, "yes": 0.9}
    assert found.merged == (
        ("Yes", "yes", pytest.approx(0.2)),
        (" YES", "yes", pytest.approx(0.1)),
        ("ｙｅｓ", "yes", pytest.approx(0.1)),
    )
    exact = belief(tokens, "yes", asked("no", "yes", "Yes"))
    assert exact.captured == pytest.approx(0.8)
    assert shares(exact) == {"no": 0.1 / 0.8, "yes": 0.5 / 0.8, "Yes": 0.2 / 0.8}
    assert exact.merged == ()


def test_options_that_differ_by_white_space_alone_are_compared_to_the_letter():
    """Where a space is the whole difference it counts, at either end."""
    tokens = [*QUOTED, listed("a", {"a": 0.5, " a": 0.3, "A": 0.2}), place('"}')]
    found = belief(tokens, "a", asked("a", " a", "b"))
    assert (shares(found), found.captured) == ({"a": 0.5 / 0.8, " a": 0.3 / 0.8}, pytest.approx(0.8))


def test_true_is_not_yes():
    """Words are not translated into each other."""
    tokens = [place('{"v":'), listed(" true", {" true": 0.6, " false": 0.3, " yes": 0.1}), *END]
    assert belief(tokens, "true", asked("false", "true")).captured == pytest.approx(0.9)
    assert read_belief(tokens, 6, 10, asked("no", "nay")) is None


def test_letters_stand_for_options():
    """Under letter keys the belief is over the options all the same, and a small letter is merged onto its option."""
    question = ask(Criterion(id="c", question="?", options=("no", "not sure", "yes")))
    found = belief([*QUOTED, place("B", 0.5, A=0.2, C=0.2, a=0.1), place('"}')], "B", question)
    assert shares(found) == {"no": 0.3, "not sure": 0.5, "yes": 0.2}
    assert found.merged == (("a", "no", pytest.approx(0.1)),)


def test_not_applicable_stands_outside_the_options():
    """Its mass is `inapplicable`; probabilities and captured mass are those of the options."""
    question = asked("bad", "good", applies_when="it has a table")
    tokens = [*QUOTED, place("good", 0.5, bad=0.1, **{"not": 0.3, "n": 0.05}), place('"}')]
    found = belief(tokens, "good", question)
    assert (found.inapplicable, found.captured) == (pytest.approx(0.35), pytest.approx(0.6))
    assert shares(found) == {"bad": 0.1 / 0.6, "good": 0.5 / 0.6}
    written = [*QUOTED, listed("not", {"not": 0.8, "good": 0.2}), place(" applicable"), place('"}')]
    found = belief(written, NOT_APPLICABLE, question)
    assert (found.inapplicable, shares(found)) == (pytest.approx(0.8), {"good": 1.0})
    certain = [*QUOTED, place("not"), place(" applicable"), place('"}')]
    assert read_belief(certain, 7, 21, question) is None


def test_bounds_leave_out_what_may_be_inapplicable():
    """Mass that may be "not applicable" moves a bound only where it lowers the lower or raises the upper one."""
    question = asked("bad", "notable", applies_when="it has a table")
    found = belief([*QUOTED, place("bad", 0.5, **{"not": 0.5}), place('"}')], "bad", question)
    assert found.ambiguous == pytest.approx(0.5)
    assert (found.mean_low, found.mean_high) == (pytest.approx(0.0), pytest.approx(0.5))


def test_escapes_in_quotes_are_read():
    r"""A model that writes `s\u00ed` means sí, also where a token ends within the escape."""
    question = asked("no", "sí")
    tokens = [*QUOTED, place("s", 0.6, no=0.4), place("\\u", 0.9, í=0.1), place("00"), place("ed"), place('"}')]
    found = belief(tokens, "s\\u00ed", question)
    assert shares(found) == {"no": 0.4, "sí": 0.6}
    assert found.merged == (("s\\u00ed", "sí", pytest.approx(0.54)),)
    pieces = {"no": 0.6, "s\\u00": 0.2, 's\\u00ed"': 0.1, "s\\u01": 0.1}
    found = belief([*QUOTED, listed("no", pieces), place('"}')], "no", question)
    assert (shares(found), found.captured) == ({"no": 0.6 / 0.9, "sí": 0.3 / 0.9}, pytest.approx(0.9))


def test_accents_apart_from_their_letters():
    """An option written with a combining accent is walked through the cut between the two."""
    question = asked("no", "sí")
    tokens = [*QUOTED, place("si", 0.6, no=0.4), place("\u0301"), place('"}')]
    assert shares(belief(tokens, "si\u0301", question)) == {"no": 0.4, "sí": 0.6}
    beside = [*QUOTED, place("no", 0.6, si=0.4), place('"}')]
    assert belief(beside, "no", question).captured == pytest.approx(0.6)  # "si" is another word


def test_an_alternative_of_half_a_character_stays_open():
    """Bytes that are no character yet may become any answer that goes on with one of several bytes, and no other."""
    tokens = [*QUOTED, place("是", 0.6, **{"\ufffd": 0.3, "no": 0.1}), place('"}')]
    assert belief(tokens, "是", asked("no", "否", "是")).ambiguous == pytest.approx(0.3)
    assert belief(tokens, "是", asked("no", "是")).probs == pytest.approx((0.1, 0.9))
    ascii_only = [*QUOTED, place("yes", 0.6, **{"\ufffd": 0.4}), place('"}')]
    assert belief(ascii_only, "yes", asked("no", "yes")).captured == pytest.approx(0.6)


# ---------------------------------------------------------------- floor, numbers, nonsense


def test_the_floor_drops_and_counts():
    """Nothing is dropped by default; under a floor the alternatives below it are counted with their mass."""
    tokens = [*QUOTED, place("yes", 0.9, no=0.06, nope=0.02, n=0.02), place('"}', 0.995, **{"!": 0.005})]
    assert belief(tokens, "yes", asked("no", "yes")).dropped == 0.0
    found = belief(tokens, "yes", asked("no", "yes"), floor=0.05)
    assert (found.dropped_tokens, found.dropped) == (3, pytest.approx(0.02 + 0.02 + 0.9 * 0.005))
    assert found.captured == pytest.approx(0.9 * 0.995 + 0.06)
    rare = [*QUOTED, place("yes", 0.01, no=0.99), place('"}')]
    kept = belief(rare, "yes", asked("no", "yes"), floor=0.05)
    assert (kept.dropped_tokens, kept.probs) == (0, pytest.approx((0.99, 0.01)))  # the written one is never dropped
    for floor in (-0.1, 1.0, math.nan):
        with pytest.raises(FielError, match="floor"):
            read_belief(tokens, 7, 10, asked("no", "yes"), floor=floor)


def test_the_emitted_token_need_not_be_listed():
    """Its own probability is used, whether it stands among the alternatives, not at all, or twice."""
    log = math.log
    for alternatives in ((), (("yes", log(0.7)),), (("yes", log(0.7)), ("yes", log(0.7)))):
        token = Token(text="yes", logprob=log(0.7), alternatives=(*alternatives, ("no", log(0.3))))
        found = belief([*QUOTED, token, place('"}')], "yes", asked("no", "yes"))
        assert found.probs == pytest.approx((0.3, 0.7))
    twin = Token(text="yes", logprob=log(0.5), alternatives=(("yes", log(0.5)), ("yes", log(0.2)), ("no", log(0.3))))
    assert belief([*QUOTED, twin, place('"}')], "yes", asked("no", "yes")).probs == pytest.approx((0.3, 0.7))


def test_without_alternatives_the_written_value_has_it_all():
    """A server that lists nothing still says how likely the written value was."""
    tokens = [*QUOTED, Token(text="yes", logprob=math.log(0.7)), Token(text='"}', logprob=0.0)]
    found = belief(tokens, "yes", asked("no", "yes"))
    assert (found.probs, found.captured) == ((0.0, 1.0), pytest.approx(0.7))


def test_a_sum_a_little_above_one_is_rounding_and_more_is_nonsense():
    """1.01 in sum is scaled to 1; 1.5 is no distribution."""
    over = [*QUOTED, place("yes", 0.61, no=0.4), place('"}')]
    found = belief(over, "yes", asked("no", "yes"))
    assert (found.captured, found.probs) == (pytest.approx(1.0), pytest.approx((0.4 / 1.01, 0.61 / 1.01)))
    assert read_belief([*QUOTED, place("yes", 0.8, no=0.7), place('"}')], 7, 10, asked("no", "yes")) is None


@pytest.mark.parametrize("logprob", [*BROKEN_LOGPROBS, -math.inf])
def test_numbers_that_are_no_log_probabilities_give_no_belief(logprob):
    """NaN, infinities and positive numbers at the value make no belief; before it they do not matter."""
    broken = Token(text="yes", logprob=logprob, alternatives=(("no", -1.0),))
    end = place('"}')
    assert read_belief([*QUOTED, broken, end], 7, 10, asked("no", "yes")) is None
    after = Token(text='"}', logprob=logprob)
    assert read_belief([*QUOTED, place("yes"), after], 7, 10, asked("no", "yes")) is None
    before = [Token(text='{"v":', logprob=logprob), place(' "'), place("yes"), end]
    assert read_belief(before, 7, 10, asked("no", "yes")) is not None


@pytest.mark.parametrize("logprob", BROKEN_LOGPROBS)
def test_broken_alternatives_give_no_belief(logprob):
    """The same for a number among the alternatives."""
    token = Token(text="yes", logprob=-0.5, alternatives=(("no", logprob),))
    assert read_belief([*QUOTED, token, place('"}')], 7, 10, asked("no", "yes")) is None


def test_a_forbidden_alternative_has_no_mass():
    """Minus infinity beside the written token is what a grammar gives to all that it forbids."""
    token = Token(text="yes", logprob=-0.5, alternatives=(("no", -1.0), ("maybe", -math.inf), ("no", -9999.0)))
    found = belief([*QUOTED, token, place('"}')], "yes", asked("no", "yes"))
    assert found.captured == pytest.approx(math.exp(-0.5) + math.exp(-1.0))


def test_tokens_that_do_not_spell_the_value_give_no_belief():
    """No tokens, too few, one without text inside the value, a broken character, an empty or a backward place."""
    good = [*QUOTED, place("yes"), place('"}')]
    question = asked("no", "yes")
    assert read_belief(good, 7, 10, question) is not None
    assert read_belief([], 0, 3, question) is None
    assert read_belief(good[:2], 7, 10, question) is None
    assert read_belief([*QUOTED, place("ye"), place(""), place("s"), place('"}')], 7, 10, question) is None
    assert read_belief([place("\ufffd"), place("\ufffd"), *good], 9, 12, question) is None
    for start, end in ((7, 7), (8, 7), (-3, 10), (7, 99)):
        assert read_belief(good, start, end, question) is None


def test_tokens_without_text_outside_the_value_do_no_harm():
    """Marks without a text before the value or after it leave the belief as it is."""
    tokens = [place(""), *QUOTED, place("yes", 0.8, no=0.2), place(""), place('"}')]
    assert belief(tokens, "yes", asked("no", "yes")).probs == pytest.approx((0.2, 0.8))


def test_a_long_value_off_the_scale_is_left_early():
    """A value that is no answer is not read beyond the point where it can become one."""
    words = [Token(text=f" w{i}", logprob=math.nan) for i in range(5)]
    tokens = [*QUOTED, place("perhaps", 0.9, no=0.1), place(" so"), *words, place('"}')]
    found = belief(tokens, "perhaps so w0 w1 w2 w3 w4", asked("no", "yes"))
    assert (shares(found), found.captured) == ({"no": 1.0}, pytest.approx(0.1))


# ---------------------------------------------------------------- several beliefs, several samples


def test_a_mixture_is_the_mean():
    """Probabilities, masses and bounds are means; a belief without bounds stands with its mean; counts are sums."""
    one = belief([*HEAD, listed("9", {"9": 0.55, "1": 0.45}), *END], "9", asked(*TEN))
    two = belief([*HEAD, listed("8", {"8": 0.5, " 8": 0.3, "7": 0.2}), *END], "8", asked(*TEN), floor=0.25)
    found = mix([one, two])
    assert found.source == "mixture"
    assert shares(found) == {"8": 0.5, "9": 0.5}
    assert found.captured == pytest.approx((0.55 + 0.8) / 2)
    assert (found.dropped, found.dropped_tokens) == (pytest.approx(0.1), 1)
    assert found.ambiguous == pytest.approx(0.225)
    assert found.merged == ((" 8", "8", pytest.approx(0.15)),)
    assert (found.mean_low, found.mean_high) == (pytest.approx((5.4 + 8) / 2), pytest.approx((9.45 + 8) / 2))
    assert mix([two, two]).mean_low is None


def test_a_mixture_refuses_what_cannot_be_averaged():
    """Other options, other sources and nothing at all are refused by name."""
    one = belief([*QUOTED, place("yes"), place('"}')], "yes", asked("no", "yes"))
    with pytest.raises(FielError, match="no belief"):
        mix([])
    with pytest.raises(FielError, match="point"):
        mix([one, Distribution.point("yes", ("no", "yes"))])
    with pytest.raises(FielError, match="bad"):
        mix([one, belief([*QUOTED, place("bad"), place('"}')], "bad", asked("bad", "good"))])


def test_samples_are_shares():
    """Ties are allowed, "not applicable" stands outside, and a sample without an answer lowers `captured`."""
    found = from_samples(["yes", "no", "yes", "no", NOT_APPLICABLE, None], ("no", "yes"))
    assert (found.source, found.probs, found.mode) == ("samples", (0.5, 0.5), None)
    assert (found.captured, found.inapplicable) == (pytest.approx(4 / 6), pytest.approx(1 / 6))
    with pytest.raises(FielError, match="maybe"):
        from_samples(["yes", "maybe"], ("no", "yes"))
    with pytest.raises(FielError, match="None of 2"):
        from_samples([None, NOT_APPLICABLE], ("no", "yes"))
