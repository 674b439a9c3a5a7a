"""The language-model judge: what it asks, what it makes of replies, what it never makes of them."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from fiel.judges import LLMJudge
from fiel.models import ScriptedModel
from fiel.records import (
    CallError,
    Criterion,
    EndpointError,
    FielError,
    Item,
    Judgement,
    Pair,
    Reply,
    Request,
    Rubric,
    Token,
    Usage,
)

GROUNDED = Criterion(id="grounded", question="Is it supported?")
COMPLETE = Criterion(id="complete", question="Is it complete?")
RUBRIC = Rubric(id="r", criteria=(GROUNDED, COMPLETE))
ITEM = Item(id="1", input="When?", context="It was built in 1931.", output="It was built in 1913.")


def run(judge: LLMJudge, rubric: Rubric = RUBRIC, item: Item = ITEM) -> list[Judgement]:
    """All judgements of one item."""
    return list(asyncio.run(judge(item, rubric)))


def verdicts(**answers: str) -> str:
    """A reply of the form that is asked for."""
    return json.dumps({name: {"reason": f"because {answer}", "verdict": answer} for name, answer in answers.items()})


def told(option: str, alternatives: dict[str, float], *, name: str = "grounded") -> Reply:
    """A reply on one criterion whose verdict is one token with these alternatives."""
    text = json.dumps({name: {"reason": "r", "verdict": option}})
    before, after = text.rsplit(option, 1)
    chosen = Token(
        text=option,
        logprob=math.log(alternatives[option]),
        alternatives=tuple((word, math.log(p)) for word, p in alternatives.items()),
    )
    tokens = (Token(text=before, logprob=0.0), chosen, Token(text=after, logprob=0.0))
    return Reply(
        text=text, tokens=tokens, finish="stop", usage=Usage(input=100, output=20), served="m", fingerprint="f"
    )


def test_all_criteria_in_one_call_or_one_call_each():
    """`ask` decides how many calls an item takes, and the judgements come in the rubric's order either way."""
    both = ScriptedModel([verdicts(grounded="no", complete="yes")])
    found = run(LLMJudge(both))
    assert [(j.criterion, j.verdict) for j in found] == [("grounded", "no"), ("complete", "yes")]
    assert len(both.requests) == 1

    def answer(request: Request) -> str:
        names = list(request.schema["properties"]) if request.schema else []
        return verdicts(**{name: "yes" if name == "grounded" else "no" for name in names})

    each = ScriptedModel(answer)
    found = run(LLMJudge(each, ask="criterion"))
    assert [(j.criterion, j.verdict) for j in found] == [("grounded", "yes"), ("complete", "no")]
    assert len(each.requests) == 2


def test_a_request_holds_schema_and_parameters():
    """Temperature 0, 20 alternatives and the schema of the criteria are asked for, under the model's name."""
    model = ScriptedModel([verdicts(grounded="yes", complete="yes")], name="fast")
    run(LLMJudge(model, max_tokens=300, parameters={"seed": 7}))
    (request,) = model.requests
    assert request.model == "fast"
    assert request.parameters == {"temperature": 0.0, "max_tokens": 300, "top_logprobs": 20, "seed": 7}
    assert list(request.schema["properties"]) == ["grounded", "complete"]
    assert "It was built in 1913." in request.messages[-1].content


def test_log_probabilities_become_the_belief():
    """The distribution is that of the tokens at the verdict, with the mass that fell on the options."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    (found,) = run(LLMJudge(ScriptedModel([told("no", {"no": 0.6, "yes": 0.3, "N/A": 0.1})])), rubric)
    assert found.belief is not None
    assert found.belief.source == "logprobs"
    assert found.belief.probs == pytest.approx((2 / 3, 1 / 3))
    assert found.belief.captured == pytest.approx(0.9)
    assert (found.written, found.served) == ("no", "m@f")
    assert found.usage == Usage(input=100, output=20, cached=None)


def test_without_log_probabilities_the_belief_is_a_point_and_says_so():
    """Silence about probabilities is never made into one."""
    found = run(LLMJudge(ScriptedModel([verdicts(grounded="no", complete="yes")])))
    assert {j.belief.source for j in found if j.belief} == {"point"}


def test_strict_believes_the_written_value():
    """Strict mode gives the value that was written, whatever the alternatives say."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    (found,) = run(LLMJudge(ScriptedModel([told("no", {"no": 0.45, "yes": 0.55})]), strict=True), rubric)
    assert found.belief is not None
    assert (found.verdict, found.belief.source, found.belief.probs) == ("no", "point", (1.0, 0.0))


def test_the_mode_may_differ_from_what_was_written():
    """With sampling the written value need not be the most probable one; both are kept."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    (found,) = run(LLMJudge(ScriptedModel([told("no", {"no": 0.45, "yes": 0.55})])), rubric)
    assert (found.written, found.verdict) == ("no", "yes")


def test_samples_are_shares_and_with_log_probabilities_a_mixture():
    """K samples above temperature 0 are one belief: shares of what was written, or the mean of the distributions."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    votes = ScriptedModel([verdicts(grounded=answer) for answer in ("no", "yes", "yes", "yes")])
    (found,) = run(LLMJudge(votes, samples=4), rubric)
    assert found.belief is not None
    assert (found.belief.source, found.belief.probs) == ("samples", (0.25, 0.75))
    assert {request.parameters["temperature"] for request in votes.requests} == {0.7}
    assert sorted(request.sample for request in votes.requests) == [0, 1, 2, 3]
    mixed = ScriptedModel([told("no", {"no": 0.8, "yes": 0.2}), told("yes", {"no": 0.4, "yes": 0.6})])
    (found,) = run(LLMJudge(mixed, samples=2), rubric)
    assert found.belief is not None
    assert found.belief.source == "mixture"
    assert found.belief.probs == pytest.approx((0.6, 0.4))


def test_a_sample_without_log_probabilities_never_mixes_with_others():
    """Where one of two samples has no probabilities, both count as what they wrote."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    model = ScriptedModel([told("no", {"no": 0.8, "yes": 0.2}), verdicts(grounded="yes")])
    (found,) = run(LLMJudge(model, samples=2), rubric)
    assert found.belief is not None
    assert (found.belief.source, found.belief.probs) == ("samples", (0.5, 0.5))


def test_reruns_at_temperature_0_are_no_confidence():
    """Several samples at temperature 0 stay single judgements, numbered: rerun noise, not a distribution."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    model = ScriptedModel([verdicts(grounded=answer) for answer in ("no", "yes", "no")])
    found = run(LLMJudge(model, samples=3, temperature=0.0), rubric)
    assert sorted((j.replicate, j.written) for j in found) == [(0, "no"), (1, "yes"), (2, "no")]
    assert {j.belief.source for j in found if j.belief} == {"point"}


def test_an_unreadable_reply_is_asked_for_once_more():
    """The second request holds the first reply and what was wrong; what it gives is used, and both calls are paid."""
    model = ScriptedModel(["I think it is fine.", verdicts(grounded="no", complete="yes")])
    found = run(LLMJudge(model))
    assert [j.verdict for j in found] == ["no", "yes"]
    again = model.requests[1].messages
    assert again[-2].content == "I think it is fine."
    assert "could not be read" in again[-1].content


def test_only_what_was_missing_is_taken_from_the_second_reply():
    """A criterion that was answered keeps its first answer when the reply is mended for another."""
    first = json.dumps({"grounded": {"reason": "r", "verdict": "no"}, "complete": {"reason": "r", "verdict": "9"}})
    model = ScriptedModel([first, verdicts(grounded="yes", complete="yes")])
    assert [j.verdict for j in run(LLMJudge(model))] == ["no", "yes"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Sure!",
        '{"grounded": {"verdict": "85"}}',
        '{"grounded": null}',
        '{"grounded": {"verdict": "no"}, "grounded": {"verdict": "yes"}}',
        '{"verdict": "not grounded"}',
    ],
)
def test_what_cannot_be_read_is_unparsed_and_never_a_verdict(reply: str):
    """After the second try the judgement is unparsed, with a reason, and has no belief."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    model = ScriptedModel([reply, reply])
    (found,) = run(LLMJudge(model), rubric)
    assert (found.status, found.belief, found.verdict) == ("unparsed", None, None)
    assert found.reason
    assert len(model.requests) == 2


def test_a_refusal_is_a_status_of_its_own():
    """A refusal is not mended, and its words are kept."""
    rubric = Rubric(id="r", criteria=(GROUNDED,))
    for finish in ("refusal", "stop"):
        model = ScriptedModel([Reply(text="I cannot help with that.", finish=finish)])
        (found,) = run(LLMJudge(model), rubric)
        assert found.status == "refused"
        assert "I cannot help with that." in str(found.reason)
        assert len(model.requests) == 1


def test_a_failed_call_is_an_error_and_a_dead_endpoint_stops():
    """One call that failed for good is a judgement of status error; a dead endpoint is told to the run."""
    found = run(LLMJudge(ScriptedModel([CallError("it broke")])))
    assert [(j.status, j.reason) for j in found] == [("error", "it broke")] * 2
    with pytest.raises(EndpointError, match="down"):
        run(LLMJudge(ScriptedModel([EndpointError("the endpoint is down")])))


EVIDENT = Criterion(id="grounded", question="?", evidence_in="answer")


@pytest.mark.parametrize(
    ("verdict", "fragment", "unsupported", "status", "place"),
    [
        ("no", "built in 1913", "abstain", "ok", (7, 20)),
        ("no", "built  in “1913”", "abstain", "abstained", None),
        ("no", "built  in\n1913", "abstain", "ok", (7, 20)),
        ("no", "built in 1931", "abstain", "abstained", None),
        ("no", None, "abstain", "abstained", None),
        ("no", "built in 1931", "keep", "ok", None),
        ("yes", None, "abstain", "ok", None),
        ("yes", "anything", "abstain", "ok", None),
    ],
)
def test_a_failure_must_quote_what_stands_there(
    verdict: str, fragment: str | None, unsupported: Any, status: str, place: tuple[int, int] | None
):
    """A failure whose fragment is not in the answer is an abstention, or kept if told; a pass needs none."""
    reply = json.dumps({"grounded": {"reason": "r", "evidence": fragment, "verdict": verdict}})
    rubric = Rubric(id="r", criteria=(EVIDENT,))
    (found,) = run(LLMJudge(ScriptedModel([reply]), unsupported=unsupported), rubric)
    assert (found.status, found.written) == (status, verdict)
    places = [(e.start, e.end) for e in found.evidence if e.found]
    assert places == ([place] if place else [])
    if status == "abstained":
        assert "unsupported" in str(found.reason)


def test_evidence_is_looked_for_in_the_text_that_the_criterion_names():
    """An omission's evidence stands in the question, and there alone."""
    rubric = Rubric(id="r", criteria=(Criterion(id="complete", question="?", evidence_in="question"),))
    reply = json.dumps({"complete": {"reason": "r", "evidence": "When?", "verdict": "no"}})
    (found,) = run(LLMJudge(ScriptedModel([reply])), rubric)
    assert (found.status, found.evidence[0].field, found.evidence[0].start) == ("ok", "question", 0)


def test_not_applicable_is_no_verdict():
    """A criterion that does not apply has a status of its own and no belief."""
    rubric = Rubric(id="r", criteria=(Criterion(id="dates", question="?", applies_when="There is a date."),))
    (found,) = run(LLMJudge(ScriptedModel([verdicts(dates="not applicable")])), rubric)
    assert (found.status, found.belief, found.written) == ("inapplicable", None, "not applicable")
    votes = ScriptedModel([verdicts(dates=answer) for answer in ("not applicable", "yes", "no")])
    (found,) = run(LLMJudge(votes, samples=3), rubric)
    assert (found.status, found.written) == ("ok", "yes")
    assert found.belief is not None
    assert found.belief.probs == (0.5, 0.5)


def test_options_that_begin_alike_are_asked_by_letter():
    """The options "no" and "not sure" are asked as letters, and the answer is the option."""
    rubric = Rubric(id="r", criteria=(Criterion(id="sure", question="?", options=("no", "not sure", "yes")),))
    model = ScriptedModel([verdicts(sure="B")])
    (found,) = run(LLMJudge(model), rubric)
    assert found.verdict == "not sure"
    assert model.requests[0].schema["properties"]["sure"]["properties"]["verdict"]["enum"] == ["A", "B", "C"]


def test_the_identity_follows_every_setting_that_decides_answers():
    """Another prompt, parameter, reading rule or rubric is another judge; another name is not."""
    model = ScriptedModel([])
    plain = LLMJudge(model).identity(RUBRIC)
    changes: list[dict[str, Any]] = [
        {"temperature": 0.1},
        {"samples": 2},
        {"ask": "criterion"},
        {"prompt": "{criteria}\n{answer}"},
        {"keys": "letters"},
        {"reason": "after"},
        {"floor": 0.01},
        {"strict": True},
        {"unsupported": "keep"},
        {"top_logprobs": 5},
        {"parameters": {"seed": 1}},
    ]
    identities = {LLMJudge(model, **change).identity(RUBRIC) for change in changes}
    assert len(identities | {plain}) == len(changes) + 1
    assert LLMJudge(model, name="other").identity(RUBRIC) == plain
    assert LLMJudge(model).identity(Rubric(id="r", criteria=(GROUNDED,))) != plain


def test_what_is_only_read_otherwise_costs_no_call():
    """Floor, strictness and the rule on evidence change the identity and not the request."""

    def asked(**settings: Any) -> set[str]:
        return {r.digest for r in LLMJudge(ScriptedModel([]), **settings).requests(ITEM, RUBRIC)}

    assert asked() == asked(floor=0.1) == asked(strict=True) == asked(unsupported="keep")
    assert asked() != asked(temperature=0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LLMJudge(ScriptedModel([]), prompt="{criteria}"),
        lambda: LLMJudge(ScriptedModel([]), ask="all"),
        lambda: LLMJudge(ScriptedModel([]), samples=0),
        lambda: LLMJudge(ScriptedModel([]), floor=1.0),
    ],
)
def test_settings_that_cannot_work_are_refused(make: Callable[[], LLMJudge]):
    """Before the first call, with a message."""
    with pytest.raises(FielError):
        make()


def test_a_pair_is_refused_by_name():
    """A pair is not judged criterion by criterion."""
    with pytest.raises(FielError, match="Pair 'p'"):
        asyncio.run(LLMJudge(ScriptedModel([]))(Pair(id="p", a="x", b="y"), RUBRIC))
