"""From what the replies say of one criterion to one judgement. Knows no prompt and asks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from fiel.judges._asking import NOT_APPLICABLE, Answer, Asked
from fiel.judges._belief import from_samples, mix, read_belief
from fiel.judges._evidence import find_fragment
from fiel.judges._prompt import place_of
from fiel.records import Criterion, Distribution, Evidence, Item, Judgement, Price, Reply, Status, Usage

Unsupported: TypeAlias = Literal["abstain", "keep"]


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What one sample says of one criterion.

    Args:
        request: the digest of what was asked.
        answer: as it was read, in `reply`.
        paid: the replies whose tokens this criterion accounts for; a call that several criteria share is paid by one.
        refusal: why the model would not answer.
        failure: why there is no reply.
    """

    request: str
    answer: Answer | None = None
    reply: Reply | None = None
    paid: tuple[Reply, ...] = ()
    refusal: str | None = None
    failure: str | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """How replies become beliefs: the part of a judge that costs no call to change."""

    floor: float
    strict: bool
    unsupported: Unsupported
    sampled: bool  # temperature above 0: several samples are one belief, not reruns


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Whose judgement it is, and what its tokens cost."""

    judge: str
    identity: str
    price: Price | None


def judgements_of(asked: Asked, told: Sequence[Told], subject: Item, *, rule: Rule, source: Source) -> list[Judgement]:
    """One judgement from all samples where they are one belief; else one per rerun, numbered."""
    if rule.sampled or len(told) == 1:
        return [_judgement(asked, told, subject, rule, source, replicate=0)]
    return [_judgement(asked, [one], subject, rule, source, replicate=i) for i, one in enumerate(told)]


def _judgement(
    asked: Asked, told: Sequence[Told], subject: Item, rule: Rule, source: Source, *, replicate: int
) -> Judgement:
    criterion = asked.criterion
    paid = [reply for one in told for reply in one.paid]
    read = [one for one in told if one.answer is not None and one.answer.answer is not None]
    blank = Judgement(
        subject=subject.id,
        subject_digest=subject.digest,
        criterion=criterion.id,
        criterion_digest=criterion.digest,
        judge=source.judge,
        identity=source.identity,
        served=_served(told),
        status="error",
        replicate=replicate,
        usage=_usage(paid) if paid else None,
        cost=_sum([None if source.price is None else source.price.of(reply.usage) for reply in paid]) if paid else None,
        latency=_sum([reply.latency for reply in paid]) if paid else None,
        request=told[0].request,
    )
    if not read:
        status, why = _failure(told)
        return msgspec.structs.replace(blank, status=status, reason=why)
    written = [str(_answer(one).answer) for one in read]
    applying = [one for one in read if _answer(one).answer != NOT_APPLICABLE]
    if len(applying) * 2 <= len(read):
        why = _answer(read[written.index(NOT_APPLICABLE)]).reason or ""
        return msgspec.structs.replace(blank, status="inapplicable", written=NOT_APPLICABLE, reason=why or None)
    first = _clean(_answer(applying[0]))
    belief = _belief(asked, read, written, rule)
    evidence, unsupported = _evidence(criterion, first, subject)
    reason = _with_losses(first.reason, len(told) - len(read), len(told))
    if unsupported and rule.unsupported == "abstain":
        reason = f"{unsupported} {reason or ''}".strip()
        return msgspec.structs.replace(
            blank, status="abstained", written=first.answer, evidence=evidence, reason=reason
        )
    return msgspec.structs.replace(
        blank, status="ok", belief=belief, written=first.answer, evidence=evidence, reason=reason
    )


def _belief(asked: Asked, read: Sequence[Told], written: Sequence[str], rule: Rule) -> Distribution:
    """The belief of one sample, or of several together; never of two sources at once."""
    options = asked.criterion.options
    answers = [answer for answer in written if answer != NOT_APPLICABLE]
    if rule.strict:
        return Distribution.point(answers[0], options) if len(read) == 1 else from_samples(answers, options)
    beliefs = [belief for one in read if (belief := _of(asked, one, rule.floor)) is not None]
    if len(read) == 1:
        return beliefs[0] if beliefs else Distribution.point(answers[0], options)
    return mix(beliefs) if len(beliefs) == len(read) else from_samples(answers, options)


def _of(asked: Asked, one: Told, floor: float) -> Distribution | None:
    answer, reply = _answer(one), one.reply
    if reply is None or reply.tokens is None or answer.start is None or answer.end is None:
        return None
    return read_belief(reply.tokens, answer.start, answer.end, asked, floor=floor)


def _evidence(criterion: Criterion, answer: Answer, subject: Item) -> tuple[tuple[Evidence, ...], str | None]:
    """The fragment with its place, and what is wrong with it; a passing answer needs none."""
    if criterion.evidence_in == "none" or answer.answer in criterion.passes:
        return (), None
    if not answer.fragment:
        return (), "unsupported: no fragment was quoted."
    place = find_fragment(answer.fragment, place_of(criterion, subject) or "")
    start, end = place or (None, None)
    quoted = Evidence(text=answer.fragment, field=criterion.evidence_in, start=start, end=end)
    return (quoted,), None if place else f"unsupported: the fragment does not stand in the {criterion.evidence_in}."


def _failure(told: Sequence[Told]) -> tuple[Status, str]:
    """Why no sample could be read: the trouble of the first."""
    first = told[0]
    if first.failure is not None:
        return "error", first.failure
    if first.refusal is not None:
        return "refused", first.refusal
    problem = first.answer.problem if first.answer is not None else None
    return "unparsed", problem or "the reply holds no verdict"


def _clean(answer: Answer) -> Answer:
    """Without the lone surrogates that a model's escapes may hold: no file can hold them."""
    texts = {name: getattr(answer, name) for name in ("reason", "fragment")}
    clean = {
        name: text and text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for name, text in texts.items()
    }
    return answer if clean == texts else msgspec.structs.replace(answer, **clean)


def _answer(one: Told) -> Answer:
    assert one.answer is not None  # noqa: S101  only what was read comes here
    return one.answer


def _with_losses(reason: str | None, lost: int, asked: int) -> str | None:
    if not lost:
        return reason
    return f"{lost} of {asked} samples could not be read. {reason or ''}".strip()


def _served(told: Sequence[Told]) -> str | None:
    """What the server says it served; two of them in one judgement are told together."""
    names = {f"{one.reply.served}@{one.reply.fingerprint or '-'}" for one in told if one.reply and one.reply.served}
    return " + ".join(sorted(names)) or None


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known, 0.0) if len(known) == len(values) else None


def _usage(replies: Sequence[Reply]) -> Usage:
    """The tokens of several calls together; unknown where one of them is."""
    sums = {}
    for name in ("input", "output", "cached"):
        counts = [getattr(reply.usage, name) for reply in replies]
        sums[name] = None if None in counts else sum(counts)
    return Usage(**sums)
