"""`fiel validate`, `estimate` and `gate`: call the measures, print, exit. Computes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from fiel.cli._blind import look, open_studies
from fiel.cli._bundle import decide, report_of
from fiel.cli._exits import Code, console, hand_over, say, tell
from fiel.cli._preferences import set_apart
from fiel.cli._short import listed
from fiel.cli._studies import Study, studies
from fiel.cli._typed import typed
from fiel.cli._worklist import Listing, check
from fiel.cli._worklist import write as write_list
from fiel.measures import Rate, RateDifference, Validation, difference, many_words, rates
from fiel.measures import validate as validate_judge
from fiel.records import FielError
from fiel.reports import (
    Report,
    print_decisions,
    print_differences,
    print_rates,
    print_validations,
    to_html,
    to_json,
    to_junit,
    to_markdown,
)
from fiel.store.project import Project


class Ask(NamedTuple):
    """What is asked of a judge and the people, as it was typed."""

    bar: float
    confidence: float
    epsilon: float
    fewest: int
    slices: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()


class Rated(NamedTuple):
    """How rates are asked for, as it was typed; `systems` are two values of the field `by`, paired by `key`."""

    confidence: float
    gold: Literal["majority", "soft"] = "majority"
    as_random: bool = False
    slices: tuple[str, ...] = ()
    systems: tuple[str, str] | None = None
    by: str | None = None
    key: str | None = None
    preferences: tuple[str, ...] = ()


def validate(
    folder: Path,
    labels: Path | None,
    ask: Ask,
    *,
    judge: str | None,
    form: str,
    listing: Listing | None = None,
    unblind: bool = False,
    who: str | None = None,
) -> None:
    """One word per criterion and judge; the report as a file, and perhaps a work list."""
    _in_range("--bar", ask.bar)
    _in_range("--confidence", ask.confidence)
    if listing is not None:
        check(listing)
    project, command = Project.open(folder), typed("validate", labels, judge=judge, **ask._asdict())
    look(project, unblind=unblind, who=who, command=command)
    found = studies(project, judges=None if judge is None else {judge}, labels=labels, command=command)
    apart = set_apart(found, ask.preferences, quiet=True)
    validations = [_validation(study, ask) for study in found]
    rated = Rated(ask.confidence, slices=ask.slices)
    report = report_of(project, apart, validations, [_rates(s, rated) for s in apart], command=command)
    if form == "text":
        page, figures_too = to_html(report).encode(), to_json(report)  # both made before either is written
        project.reports.mkdir(parents=True, exist_ok=True)
        (project.reports / "report.html").write_bytes(page)
        (project.reports / "report.json").write_bytes(figures_too)
        print_validations(validations, console())
        say(*filter(None, [many_words(validations)]))
        say(f"Report: {project.reports / 'report.html'}")
    else:
        hand_over(_as(report, form))
    if listing is not None:
        write_list(apart, listing, plain=labels, preferences=ask.preferences)
    elif form == "text":
        after = typed("estimate", labels, preferences=ask.preferences)
        say(f"Next: {after} gives the rates, corrected for what was found here.")


def estimate(
    folder: Path, labels: Path | None, rated: Rated, *, judge: str | None, criterion: str | None, form: str
) -> None:
    """The corrected rate of each criterion, and of two systems the difference."""
    _in_range("--confidence", rated.confidence)
    if rated.systems is None and (rated.by is not None or rated.key is not None):
        raise FielError("--by and --key say which two systems are meant.", fix="Name them: --systems A B.")
    options = {"judge": judge, "criterion": criterion, **rated._asdict()}
    project, command = Project.open(folder), typed("estimate", labels, **options)
    found = studies(project, judges=None if judge is None else {judge}, labels=labels, command=command)
    found = set_apart(found, rated.preferences)
    if criterion is not None:
        found = [s._replace(rubric=msgspec.structs.replace(s.rubric, criteria=(s.rubric[criterion],))) for s in found]
    pairs = [pair for study in found for pair in _differences(study, rated)]
    figures = [_rates(study, rated) for study in found]
    picked = any(s.frozen is not None and s.frozen.design.kind == "convenience" for s in found)
    if form == "text":
        if pairs:
            print_differences(pairs, console())
            tell("")
        print_rates([rate for figure in figures for rate in figure], console())
        if picked and not rated.as_random:
            say("Next: if the labelled items may be read as a random draw, say so with --as-random.")
        else:
            after = typed("gate", labels, preferences=rated.preferences)
            say(f"Next: {after} holds them against the [[gates]] of fiel.toml.")
        return
    blind = bool(open_studies(project))
    report = report_of(project, found, [], figures, command=command, blind=blind, criterion=criterion)
    hand_over(_as(msgspec.structs.replace(report, differences=tuple(pairs)), form))


def _rates(study: Study, rated: Rated) -> tuple[Rate, ...]:
    return rates(
        study.judgements,
        study.people,
        rubric=study.rubric,
        items=study.items,
        confidence=rated.confidence,
        gold=rated.gold,
        as_random=rated.as_random,
        slices=rated.slices,
    )


def _differences(study: Study, rated: Rated) -> Iterator[RateDifference]:
    """The two systems that were named, on each criterion; nothing where none were."""
    if rated.systems is None:
        return
    for criterion in study.rubric.criteria:
        yield difference(
            study.judgements,
            study.people,
            criterion=criterion,
            items=study.items,
            a=rated.systems[0],
            b=rated.systems[1],
            field=rated.by or "author",
            key=rated.key or "group",
            confidence=rated.confidence,
            gold=rated.gold,
            as_random=rated.as_random,
        )


def gate(
    folder: Path, labels: Path | None, *, form: str, junit: Path | None, preferences: tuple[str, ...] = ()
) -> Code:
    """Every gate of fiel.toml, and the code that it means."""
    project = Project.open(folder)
    if not project.config.gates:
        raise FielError("There is no gate.", where="fiel.toml", fix="Add a [[gates]] table.")
    needed = any(entry.rate != "raw" for entry in project.config.gates)
    names = {entry.judge for entry in project.config.gates}
    command, blind = typed("gate", labels, preferences=preferences), open_studies(project)
    found = studies(project, judges=names, labels=labels, labels_needed=needed, command=command)
    found = set_apart(found, preferences)
    decisions = decide(project, found, blind=bool(blind))
    if blind:
        say(f"People are labelling {listed(blind)}: which items speak against a gate is not shown.")
    if junit is not None:
        junit.write_text(to_junit(decisions), encoding="utf-8")
    if form == "text":
        print_decisions(decisions, console())
    elif form == "junit":
        hand_over(to_junit(decisions).encode())
    else:
        report = report_of(project, [], [], [], command=command, decisions=decisions)
        hand_over(_as(report, form))
    verdicts = {decision.verdict for decision in decisions}
    return Code.FAIL if "fail" in verdicts else Code.UNDECIDED if "undecided" in verdicts else Code.DONE


def _validation(study: Study, ask: Ask) -> Validation:
    """What the judge is worth, held against the set as it was frozen, whatever of it no longer counts."""
    found = validate_judge(study.judgements, study.people, rubric=study.rubric, items=study.items, **ask._asdict())
    return msgspec.structs.replace(found, calibration_set=study.set_digest)


def _in_range(option: str, value: float) -> None:
    if not 0 < value < 1:
        raise FielError(f"{option} is {value}; it must lie between 0 and 1.", fix=f"For example {option} 0.95.")


def _as(report: Report, form: str) -> bytes:
    if form == "json":
        return to_json(report)
    return (to_html(report) if form == "html" else to_markdown(report)).encode()
