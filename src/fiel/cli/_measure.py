"""`fiel validate`, `estimate` and `gate`: call the measures, print, exit. Computes nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from fiel.cli._blind import look, open_studies
from fiel.cli._bundle import decide, report_of
from fiel.cli._exits import Code, console, hand_over, say
from fiel.cli._studies import studies
from fiel.measures import rates
from fiel.measures import validate as validate_judge
from fiel.records import FielError, visible
from fiel.reports import (
    Report,
    print_decisions,
    print_rates,
    print_validations,
    to_html,
    to_json,
    to_junit,
    to_markdown,
)
from fiel.store.project import Project


def validate(
    folder: Path,
    labels: Path | None,
    *,
    judge: str | None,
    bar: float,
    confidence: float,
    form: str,
    unblind: bool = False,
    who: str | None = None,
) -> None:
    """One word per criterion and judge; the report as a file."""
    _in_range("--bar", bar)
    _in_range("--confidence", confidence)
    project, command = Project.open(folder), _command("validate", labels)
    look(project, unblind=unblind, who=who, command=command)
    found = studies(project, judges=None if judge is None else {judge}, labels=labels, command=command)
    validations = [
        validate_judge(s.judgements, s.people, rubric=s.rubric, items=s.items, bar=bar, confidence=confidence)
        for s in found
    ]
    figures = [rates(s.judgements, s.people, rubric=s.rubric, items=s.items, confidence=confidence) for s in found]
    report = report_of(project, found, validations, figures, command=command)
    if form != "text":
        hand_over(_as(report, form))
        return
    page, figures_too = to_html(report).encode(), to_json(report)  # both made before either is written
    project.reports.mkdir(parents=True, exist_ok=True)
    (project.reports / "report.html").write_bytes(page)
    (project.reports / "report.json").write_bytes(figures_too)
    print_validations(validations, console())
    say(f"Report: {project.reports / 'report.html'}")
    say("Next: fiel estimate gives the rates, corrected for what was found here.")


def estimate(
    folder: Path, labels: Path | None, *, judge: str | None, criterion: str | None, confidence: float, form: str
) -> None:
    """The corrected rate of each criterion."""
    _in_range("--confidence", confidence)
    project, command = Project.open(folder), _command("estimate", labels)
    found = studies(project, judges=None if judge is None else {judge}, labels=labels, command=command)
    if criterion is not None:
        found = [s._replace(rubric=msgspec.structs.replace(s.rubric, criteria=(s.rubric[criterion],))) for s in found]
    figures = [rates(s.judgements, s.people, rubric=s.rubric, items=s.items, confidence=confidence) for s in found]
    if form == "text":
        print_rates([rate for figure in figures for rate in figure], console())
        say("Next: fiel gate holds them against the [[gates]] of fiel.toml.")
        return
    blind = bool(open_studies(project))
    hand_over(_as(report_of(project, found, [], figures, command=command, blind=blind), form))


def gate(folder: Path, labels: Path | None, *, form: str, junit: Path | None) -> Code:
    """Every gate of fiel.toml, and the code that it means."""
    project = Project.open(folder)
    if not project.config.gates:
        raise FielError("There is no gate.", where="fiel.toml", fix="Add a [[gates]] table.")
    needed = any(entry.rate != "raw" for entry in project.config.gates)
    names = {entry.judge for entry in project.config.gates}
    command, blind = _command("gate", labels), open_studies(project)
    found = studies(project, judges=names, labels=labels, labels_needed=needed, command=command)
    decisions = decide(project, found, blind=bool(blind))
    if blind:
        say(f"People are labelling {', '.join(blind)}: which items speak against a gate is not shown.")
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


def _in_range(option: str, value: float) -> None:
    if not 0 < value < 1:
        raise FielError(f"{option} is {value}; it must lie between 0 and 1.", fix=f"For example {option} 0.95.")


def _as(report: Report, form: str) -> bytes:
    if form == "json":
        return to_json(report)
    return (to_html(report) if form == "html" else to_markdown(report)).encode()


def _command(verb: str, labels: Path | None) -> str:
    """The command that makes a report again, as it can be typed and written."""
    return visible(f"fiel {verb} {shlex.quote(str(labels))}" if labels else f"fiel {verb}")
