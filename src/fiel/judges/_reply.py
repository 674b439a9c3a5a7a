"""The verdicts in a model's reply: its JSON, else its text. Knows no belief and asks nobody."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from fiel.judges._asking import Answer, Asked
from fiel.judges._json_answers import TWO_VERDICTS, json_answers
from fiel.judges._json_text import find_objects
from fiel.judges._plain_text import NO_VERDICT, THINKS_ON, after_thinking, ends_thinking, read_text, refuses

_LONGEST = 40  # characters of what stood there that a problem tells
_OBJECT = re.compile(r'\{\s*"')
_FENCE = re.compile(r"```\w*")
_REFUSALS = {"content_filter", "refusal"}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of one reply.

    Args:
        answers: one per criterion asked, in order.
        mended: the tolerances that were needed: "think block", "fence", "text around", "trailing comma", "comment",
            "bad escape", "unescaped newline", "Python literal", "closing brace", "truncated", "repeated key",
            "plain text".
        problem: what is wrong with the reply as a whole, where not every criterion was answered; None where only the
            single answers have theirs.
        refused: whether the model declined to judge, or a filter cut it off.
    """

    answers: tuple[Answer, ...]
    mended: tuple[str, ...] = ()
    problem: str | None = None
    refused: bool = False


def read_reply(text: str, asked: Sequence[Asked], *, finish: str | None = None) -> Reading:
    """The answer to each criterion in a reply of the form {"<id>": {"reason", "evidence", "verdict"}, ...}.

    Also read: the value directly under the id; another name for "verdict" (answer, value, score, label, rating); with
    one criterion, the inner object alone, and free text where there is no JSON (see `read_text`). The value is one of
    the keys or answers, in any case and width; a number means the option that is that number.

    A criterion with two verdicts that differ has none. A verdict that stands under a name not asked, or under a name
    that stands twice, may be the end of a string that the judged text broke open: an answer before it that it
    contradicts does not count. Where JSON is broken before the end of the text, nothing counts.

    Args:
        text: the reply, to the letter.
        asked: what was asked.
        finish: why the endpoint says that it ended ("stop", "length", "content_filter", ...).

    Returns:
        The answers with their places in `text`, what had to be mended, and what is wrong with the whole.

    >>> from fiel.judges._asking import ask
    >>> from fiel.records import Criterion
    >>> reply = 'Sure! {"ok": {"reason": "Cited.", "evidence": null, "verdict": "Yes",}}'
    >>> reading = read_reply(reply, [ask(Criterion(id="ok", question="?"))])
    >>> answer = reading.answers[0]
    >>> answer.answer, reply[answer.start : answer.end], reading.mended
    ('yes', 'Yes', ('text around', 'trailing comma'))
    """
    begin = _begin(text)
    if begin is None:
        return _nothing(asked, "the reply ends within its thinking", finish, mended=("think block",))
    found = find_objects(text, begin)
    beside = "\n".join(found.outside)
    mended = (*(["think block"] if begin else []), *_around(beside), *found.mended)
    if found.broken is not None:
        return _nothing(asked, found.broken, finish, mended=mended)
    if not found.objects:
        return _without_json(text, begin, asked, finish)
    if ends_thinking(beside):
        return _nothing(asked, THINKS_ON, finish, mended=mended)
    answers, repeated = json_answers(text, found, asked, finish)
    if len(asked) == 1 and _contradicts(beside, asked[0], answers[0].answer):
        answers = [Answer(problem=TWO_VERDICTS)]
    missing = any(answer.answer is None for answer in answers)
    return Reading(
        answers=tuple(answers),
        mended=(*mended, *(["truncated"] if found.cut else []), *(["repeated key"] if repeated else [])),
        problem=_ending(finish, cut=found.cut) if missing else None,
        refused=missing and finish in _REFUSALS,
    )


def _begin(text: str) -> int | None:
    """Where the reply begins after its thinking, whose opening mark may have stood in the prompt."""
    begin = after_thinking(text)
    if begin != 0 or "</" not in text:
        return begin
    closing = ends_thinking(text)
    return 0 if _OBJECT.search(text, 0, closing) else closing


def _around(beside: str) -> list[str]:
    return [
        *(["fence"] if "```" in beside else []),
        *(["text around"] if _FENCE.sub("", beside).strip() else []),
    ]


def _contradicts(beside: str, asked: Asked, answer: str | None) -> bool:
    """Whether the text beside the JSON announces another verdict."""
    beside = _FENCE.sub("", beside).strip()
    return bool(beside) and answer is not None and read_text(beside, asked).answer not in {None, answer}


def _ending(finish: str | None, *, cut: bool) -> str | None:
    """What is wrong with the end of a reply."""
    if finish in _REFUSALS:
        return f'refused: finish_reason "{finish}"'
    if finish == "length":
        return 'truncated: the reply reached its limit of tokens (finish_reason "length")'
    return "truncated: the reply ends within its JSON" if cut else None


def _without_json(text: str, begin: int, asked: Sequence[Asked], finish: str | None) -> Reading:
    """A reply without JSON: free text where one criterion was asked, a refusal, or nothing."""
    mended = ("think block",) if begin else ()
    rest = text[begin:]
    if len(asked) == 1 and not refuses(rest):
        answer = read_text(text, asked[0])
        if answer.answer is not None:
            return Reading(answers=(answer,), mended=(*mended, "plain text"))
        return _nothing(asked, answer.problem or NO_VERDICT, finish, mended=mended)
    if not rest.strip():
        return _nothing(asked, "the reply is empty", finish, mended=mended)
    refused = refuses(rest)
    what = f"refused: {rest.strip()[:_LONGEST]!r}" if refused else "the reply holds no JSON object"
    return _nothing(asked, what, finish, mended=mended, refused=refused)


def _nothing(
    asked: Sequence[Asked], what: str, finish: str | None, *, mended: Sequence[str] = (), refused: bool = False
) -> Reading:
    """A reading without an answer."""
    ending = _ending(finish, cut=False)
    problem = what if ending is None else f"{ending}; {what}"
    return Reading(
        answers=tuple(Answer(problem=problem) for _ in asked),
        mended=tuple(mended),
        problem=problem,
        refused=refused or finish in _REFUSALS,
    )
