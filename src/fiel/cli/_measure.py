"""`fiel validate`, `estimate` and `gate`: call the measures, print, exit. Computes nothing."""

from __future__ import annotations

from pathlib import Path

import msgspec
import typer

from fiel.cli._bundle import decide, report_of
from fiel.cli._exits import Code, console, say
from fiel.cli._studies import studies
from fiel.measures import rates
from fiel.measures import validate as validate_judge
from fiel.records import FielError
from fiel.reports import (
    Report,
    print_decisions,
    print_rates,
    print_validation,
    to_html,
    to_json,
    to_junit,
    to_markdown,
)
from fiel.store.project import Project


def validate(folder: Path, labels: Path | None, *, judge: str | None, bar: float, confidence: float, form: str) -> None:
    """One word per criterion and judge; the report as a file."""
    _in_range("--bar", bar)
    _in_range("--confidence", confidence)
    project = Project.open(folder)
    found = studies(project, judge=judge, labels=labels)
    validations = [
        validate_judge(s.judgements, s.labels, rubric=s.rubric, items=s.items, bar=bar, confidence=confidence)
        for s in found
    ]
    figures = [rates(s.judgements, s.labels, rubric=s.rubric, items=s.items, confidence=confidence) for s in found]
    command = f"fiel validate {labels}" if labels else "fiel validate"
    report = report_of(project, found, validations, figures, command=command)
    if form != "text":
        typer.echo(_as(report, form))
        return
    for validation in validations:
        print_validation(validation, console())
    project.reports.mkdir(parents=True, exist_ok=True)
    (project.reports / "report.html").write_text(to_html(report), encoding="utf-8")
    (project.reports / "report.json").write_bytes(to_json(report))
    say(f"Report: {project.reports / 'report.html'}")
    say("Next: fiel estimate gives the rates, corrected for what was found here.")


def estimate(
    folder: Path, labels: Path | None, *, judge: str | None, criterion: str | None, confidence: float, form: str
) -> None:
    """The corrected rate of each criterion."""
    _in_range("--confidence", confidence)
    project = Project.open(folder)
    found = studies(project, judge=judge, labels=labels)
    if criterion is not None:
        found = [s._replace(rubric=msgspec.structs.replace(s.rubric, criteria=(s.rubric[criterion],))) for s in found]
    figures = [rates(s.judgements, s.labels, rubric=s.rubric, items=s.items, confidence=confidence) for s in found]
    if form == "text":
        for figure in figures:
            print_rates(figure, console())
        say("Next: fiel gate holds them against the [[gates]] of fiel.toml.")
        return
    command = f"fiel estimate {labels}" if labels else "fiel estimate"
    typer.echo(_as(report_of(project, found, [], figures, command=command), form))


def gate(folder: Path, labels: Path | None, *, form: str, junit: Path | None) -> Code:
    """Every gate of fiel.toml, and the code that it means."""
    project = Project.open(folder)
    if not project.config.gates:
        raise FielError("There is no gate.", where="fiel.toml", fix="Add a [[gates]] table.")
    needed = any(entry.rate != "raw" for entry in project.config.gates)
    decisions = decide(project, studies(project, labels=labels, labels_needed=needed))
    if junit is not None:
        junit.write_text(to_junit(decisions), encoding="utf-8")
    if form == "text":
        print_decisions(decisions, console())
    elif form == "junit":
        typer.echo(to_junit(decisions))
    else:
        command = f"fiel gate {labels}" if labels else "fiel gate"
        typer.echo(_as(report_of(project, [], [], [], command=command, decisions=decisions), form))
    verdicts = {decision.verdict for decision in decisions}
    return Code.FAIL if "fail" in verdicts else Code.UNDECIDED if "undecided" in verdicts else Code.DONE


def _in_range(option: str, value: float) -> None:
    if not 0 < value < 1:
        raise FielError(f"{option} is {value}; it must lie between 0 and 1.", fix=f"For example {option} 0.95.")


def _as(report: Report, form: str) -> str:
    if form == "json":
        return to_json(report).decode()
    return to_html(report) if form == "html" else to_markdown(report)
