"""Deterministic checks: what a program can decide about an answer, so that no judge is asked. Knows no model."""

from __future__ import annotations

import math
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from fiel.judges._figures import figures
from fiel.judges._patterns import compiled
from fiel.judges._schema import Undecidable, check_schema, read_json, violation
from fiel.records import (
    Check,
    Contains,
    Criterion,
    Distribution,
    Equals,
    FielError,
    Item,
    JSONSchema,
    Judgement,
    Length,
    Number,
    Pair,
    Regex,
    Rubric,
    Subject,
)

_CLIP = 300  # characters of a reason: a schema's message may quote the whole text


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckOutcome:
    """What the checks of a criterion decide.

    Args:
        option: the option; None where a check could not be carried out (a text is missing, a pattern took too long),
            which is an error and never a verdict.
        reason: which check, and what it found.
    """

    option: str | None
    reason: str


_State: TypeAlias = Literal["pass", "fail", "error"]


class _Finding(NamedTuple):
    state: _State
    words: str


def check_rubric(rubric: Rubric) -> None:
    """Refuse a rubric whose checks cannot be carried out, before the first subject.

    Raises:
        FielError: an invalid schema or pattern, a schema that was not loaded, or that refers to what is not in it.
    """
    for criterion in rubric.criteria:
        for check in criterion.checks:
            try:
                match check:
                    case JSONSchema():
                        check_schema(_schema_of(check))
                    case Regex():
                        compiled(check.pattern, ignore_case=check.ignore_case)
                    case _:
                        pass
            except FielError as error:
                raise FielError(error.what, where=f"criterion {criterion.id!r}, a check", fix=error.fix) from error


def decide(criterion: Criterion, subject: Subject) -> CheckOutcome | None:
    """What the checks of `criterion` decide about `subject`, or None where a judge has to be asked.

    The checks are carried out in their order. The first failing one that may decide a failure does, and the option is
    then the first that does not pass. The last passing option is decided when every check passes and each may decide
    so. Where a check could not be carried out and no other decides a failure, the outcome has no option. Checks say
    nothing of a `Pair`.

    Raises:
        FielError: a check itself is at fault, as in `check_rubric`.

    >>> short = Criterion(id="short", question="Is it short?", checks=(Length(maximum=2, unit="words"),))
    >>> decide(short, Item(id="a", output="one two three")).reason
    'length: 3 words; at most 2 are allowed'
    """
    if isinstance(subject, Pair) or not criterion.checks:
        return None
    passed: list[str] = []
    broken: str | None = None
    silent = False
    for check in criterion.checks:
        try:
            state, words = _carry_out(check, subject)
        except FielError as error:
            raise FielError(error.what, where=f"criterion {criterion.id!r}, a check", fix=error.fix) from error
        reason = _clean(f"{_name(check)}: {words}")
        if state == "fail" and check.decides != "pass":
            return CheckOutcome(option=_failing(criterion), reason=reason)
        if state == "error":
            broken = broken or reason
        silent = silent or state == "fail" or check.decides == "fail"
        passed.append(reason)
    if broken is not None:
        return CheckOutcome(option=None, reason=broken)
    return None if silent else CheckOutcome(option=_passing(criterion), reason="; ".join(passed))


def check_judgements(
    criteria: Iterable[Criterion], subject: Subject, *, judge: str, identity: str
) -> tuple[Judgement, ...]:
    """A judgement for every one of `criteria` that its checks decide, under the name and identity of the running judge.

    The belief is all on the option, of source "check"; a check that could not be carried out gives status "error". The
    cost is 0 and the latency, in seconds, is that of the checks. Criteria that are left out are the judge's.

    Raises:
        FielError: as in `decide`.
    """
    made = []
    for criterion in criteria:
        begun = time.perf_counter()
        outcome = decide(criterion, subject)
        if outcome is None:
            continue
        option = outcome.option
        made.append(
            Judgement(
                subject=subject.id,
                subject_digest=subject.digest,
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge=judge,
                identity=identity,
                status="error" if option is None else "ok",
                belief=None if option is None else Distribution.point(option, criterion.options, source="check"),
                reason=outcome.reason,
                cost=0.0,
                latency=time.perf_counter() - begun,
            )
        )
    return tuple(made)


def _passing(criterion: Criterion) -> str:
    return [option for option in criterion.options if option in criterion.passes][-1]


def _failing(criterion: Criterion) -> str:
    return next(option for option in criterion.options if option not in criterion.passes)


def _name(check: Check) -> str:
    name = {JSONSchema: "JSON schema", Regex: "regex", Number: "number", Length: "length", Equals: "equals"}.get(
        type(check), "contains"
    )
    return name if check.field == "output" else f"{name} of the {check.field}"


def _clean(reason: str) -> str:
    plain = reason.encode("utf-8", "backslashreplace").decode()
    return plain if len(plain) <= _CLIP else f"{plain[: _CLIP - 1]}…"


def _carry_out(check: Check, item: Item) -> _Finding:
    text: str | None = getattr(item, check.field)
    if text is None:
        return _Finding("error", f"the item has no {check.field}")
    match check:
        case JSONSchema():
            found = _json_schema(check, text)
        case Regex():
            found = _regex(check, text)
        case Number():
            found = _number(check, text, item.reference)
        case Length():
            found = _length(check, text)
        case Equals():
            found = _equals(check, text, item.reference)
        case Contains():
            found = _contains(check, text)
    return found


def _verdict(passes: bool, words: str) -> _Finding:  # noqa: FBT001  the one thing it is told
    return _Finding("pass" if passes else "fail", words)


def _schema_of(check: JSONSchema) -> dict[str, Any]:
    if isinstance(check.schema, str):
        raise FielError(
            f"The schema is still the path {check.schema!r}.",
            fix="Load the rubric from its file, which reads the schema.",
        )
    return check.schema


def _json_schema(check: JSONSchema, text: str) -> _Finding:
    schema = _schema_of(check)
    try:
        value = read_json(text)
        wrong = violation(value, schema)
    except Undecidable as reason:
        return _Finding("error", str(reason))
    except FielError:
        raise
    except ValueError as error:
        return _Finding("fail", str(error))
    return _verdict(wrong is None, wrong or "the JSON is valid")


def _regex(check: Regex, text: str) -> _Finding:
    pattern = compiled(check.pattern, ignore_case=check.ignore_case)
    run = pattern.fullmatch if check.match == "full" else pattern.search
    try:
        found = run(text, timeout=check.seconds)
    except TimeoutError:
        return _Finding("error", f"{check.pattern!r} took more than {check.seconds:g} s")
    if found is None:
        return _verdict(check.match == "absent", f"nothing matches {check.pattern!r}")
    return _verdict(check.match != "absent", f"{_quote(found.group())} matches {check.pattern!r}")


def _number(check: Number, text: str, reference: str | None) -> _Finding:
    if check.value is not None:
        wanted: tuple[float, ...] = (check.value,)
    elif reference is None:
        return _Finding("error", "the item has no reference")
    else:
        first = next(figures(reference), None)
        if first is None:
            return _Finding("error", "the reference holds no number")
        wanted = first.readings
    found = [figure.readings for figure in figures(text)]
    target = _spell(wanted)
    if not found:
        return _Finding("fail", f"no number; {target} was expected")
    if check.which == "only" and len(found) > 1:
        return _Finding("fail", f"{len(found)} numbers; {target} alone was expected")
    looked = {"first": found[:1], "last": found[-1:]}.get(check.which, found)
    for readings in looked:
        if any(
            math.isclose(value, goal, rel_tol=check.relative, abs_tol=check.absolute)
            for value in readings
            for goal in wanted
        ):
            return _Finding("pass", f"{_spell(readings)} for {target}")
    return _Finding("fail", f"{', '.join(_spell(readings) for readings in looked[:5])}; {target} was expected")


def _length(check: Length, text: str) -> _Finding:
    if check.unit == "characters":
        count = len(unicodedata.normalize("NFC", text))
    elif check.unit == "words":
        count = sum(any(char.isalnum() for char in run) for run in text.split())
    else:
        count = text.count("\n") + bool(text and not text.endswith("\n"))
    words = f"{count} {check.unit if count != 1 else check.unit[:-1]}"
    if check.maximum is not None and count > check.maximum:
        return _Finding("fail", f"{words}; at most {check.maximum} {'is' if check.maximum == 1 else 'are'} allowed")
    if check.minimum is not None and count < check.minimum:
        return _Finding("fail", f"{words}; at least {check.minimum} {'is' if check.minimum == 1 else 'are'} needed")
    return _Finding("pass", words)


def _equals(check: Equals, text: str, reference: str | None) -> _Finding:
    wanted, what = (reference, "the reference") if check.value is None else (check.value, _quote(check.value))
    if wanted is None:
        return _Finding("error", "the item has no reference")
    same = _plain(text, fold=check.ignore_case).strip() == _plain(wanted, fold=check.ignore_case).strip()
    return _verdict(same, f"{_quote(text.strip())} is {'' if same else 'not '}{what}")


def _contains(check: Contains, text: str) -> _Finding:
    def held(part: str) -> bool:
        return _plain(part, fold=check.ignore_case) in whole

    whole = _plain(text, fold=check.ignore_case)
    missing = next((part for part in check.all if not held(part)), None)
    if missing is not None:
        return _Finding("fail", f"{_quote(missing)} is missing")
    if check.any and not any(held(part) for part in check.any):
        return _Finding("fail", f"none of {', '.join(_quote(part) for part in check.any)} is there")
    unwanted = next((part for part in check.none if held(part)), None)
    if unwanted is not None:
        return _Finding("fail", f"{_quote(unwanted)} is there and should not be")
    return _Finding("pass", "what is asked for is there" if check.all or check.any else "nothing unwanted is there")


def _plain(text: str, *, fold: bool) -> str:
    normal = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", normal.casefold()) if fold else normal


def _quote(text: str) -> str:
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'


def _spell(readings: tuple[float, ...]) -> str:
    return " or ".join(f"{value:.15g}" for value in readings)
