"""Everything that one report shows, gathered by the caller. Knows no clock, no file and no format."""

from __future__ import annotations

from typing import Literal

import msgspec

from fiel.measures import Decision, Rate, Validation


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One item on which the judge and the people differ, short enough to read.

    Args:
        id: of the item; criterion: its id; judge: the name under which it ran.
        question: what was put to the system; answer: the text under judgement.
        gold: what the people decided together; answers: what each rater said, by pseudonym.
        verdict: the judge's answer; probability: how much belief it put on that answer.
        reason: the judge's own words; evidence: the fragments that it quoted.
    """

    id: str
    criterion: str
    judge: str
    question: str | None = None
    answer: str | None = None
    gold: str | None = None
    answers: dict[str, str] = {}
    verdict: str | None = None
    probability: float | None = None
    reason: str | None = None
    evidence: tuple[str, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One report, whatever it is shown as.

    Args:
        title: what the report is called; project: whose it is.
        generated: the date it was made, ISO 8601; version: of fiel; command: what makes it again.
        simulated: what of it is not real, as a sentence; None where all of it is.
        language: of the items and questions, as in an HTML `lang` attribute; None where it is not known.
        validations: one per judge.
        rates: one per judge and criterion.
        decisions: one per gate.
        notes: what else a reader has to know, such as warnings about the rubric.
        cases: the disagreements to show, in the order to show them.
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
    rates: tuple[Rate, ...] = ()
    decisions: tuple[Decision, ...] = ()
    notes: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
