"""Everything that one report shows, gathered by the caller. Knows no clock, no file and no format."""

from __future__ import annotations

from typing import Literal

import msgspec

from fiel.measures import Between, Decision, People, Rate, RateDifference, Validation, WorkItem
from fiel.records import Design, Message


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One item on which a judge and the people differ, with its texts.

    Args:
        work: who said what of it, and what it looks like.
        question: what was put to the system; context: what it had to answer from; answer: the text under judgement.
    """

    work: WorkItem
    question: str | None = None
    context: str | None = None
    answer: str | None = None


class ServedBy(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said that it served: under which name, for how many judgements, and when the last was kept.

    Args:
        name: None where it did not say, or where no model was asked.
        judgements: how many; last: ISO 8601, UTC; None where nobody wrote it down.
    """

    name: str | None
    judgements: int
    last: str | None = None


class JudgeCard(msgspec.Struct, frozen=True, kw_only=True):
    """Who a judge is, so that somebody else can be it.

    Args:
        judge, identity: its name, and the digest of all that decides its answers.
        rubric, rubric_digest: what it was asked.
        kind: a language model, one without a model, or one that somebody else ran.
        model: whom it asks; settings: what decides the answers besides model, rubric and prompt.
        prompt: its template, whole; asked: the messages of one request as they were sent, of the item `asked_of`.
        served: what servers said that they served.
        judgements: how many the figures rest on; calls: requests behind them; input, output, cached: their tokens.
        cost: in the currency of the price list; priced: how many judgements have a known cost.
        command: what judges again.
    """

    judge: str
    identity: str
    rubric: str
    rubric_digest: str
    kind: Literal["language model", "no model", "imported"]
    model: str | None = None
    settings: dict[str, str | int | float | bool | None] = {}
    prompt: str | None = None
    asked: tuple[Message, ...] = ()
    asked_of: str | None = None
    served: tuple[ServedBy, ...] = ()
    judgements: int = 0
    calls: int | None = None
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cost: float | None = None
    priced: int = 0
    command: str | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody saw something: results while people labelled, or a calibration set that was used.

    Args:
        what: in words; by: who; at: ISO 8601, UTC; command: with which command.
    """

    what: str
    by: str
    at: str
    command: str


class SampleCard(msgspec.Struct, frozen=True, kw_only=True):
    """What people labelled, how it was drawn, and who has seen what of it.

    Args:
        rubric: the digest of what its labels answer.
        name: of the calibration set, or of the files; digest, parent: of the set and of the one that it revises.
        design: how it was drawn, without members and weights, which stand in the set.
        items: with a label; labels: answers of people that count.
        seen: the blind log, newest last.
    """

    rubric: str
    name: str
    digest: str | None = None
    parent: str | None = None
    design: Design = Design()
    items: int = 0
    labels: int = 0
    seen: tuple[Seen, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One report, whatever it is shown as.

    Args:
        title: what the report is called; project: whose it is.
        generated: the date it was made, ISO 8601; version: of fiel; command: what makes it again.
        simulated: what of it is not real, as a sentence; None where all of it is.
        language: of the items and questions, as in an HTML `lang` attribute; None where it is not known.
        validations: one per judge.
        people: people among themselves, one per rubric.
        between: two judges beside each other, on the same rubric.
        reruns: one judge beside itself, asked again.
        rates: one per judge and criterion; differences: of two systems.
        decisions: one per gate.
        notes: what else a reader has to know, such as warnings about the rubric.
        cases: the disagreements to show, in the order to show them.
        judges: who judged, one per judge; samples: what people labelled, one per rubric.
        format: the version of this very shape.
    """

    format: Literal["fiel-report-1"] = "fiel-report-1"
    title: str
    project: str
    generated: str
    version: str
    command: str
    simulated: str | None = None
    language: str | None = None
    validations: tuple[Validation, ...] = ()
    people: tuple[People, ...] = ()
    between: tuple[Between, ...] = ()
    reruns: tuple[Between, ...] = ()
    rates: tuple[Rate, ...] = ()
    differences: tuple[RateDifference, ...] = ()
    decisions: tuple[Decision, ...] = ()
    notes: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    judges: tuple[JudgeCard, ...] = ()
    samples: tuple[SampleCard, ...] = ()
