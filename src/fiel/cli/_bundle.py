"""From a project's studies to one report: which results go in, and which cases are shown. Computes no figure."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import msgspec

import fiel
from fiel.cli._studies import Study
from fiel.judges import look_over
from fiel.measures import Decision, Rate, Validation, estimate, gate, gate_evidence
from fiel.measures import validate as validate_judge
from fiel.records import Criterion, FielError, Item, Judgement, nearest
from fiel.reports import Case, Report
from fiel.stats import Estimate
from fiel.store.config import GateEntry
from fiel.store.project import Project

SHOWN = 12  # disagreements per criterion that a report shows in full


def report_of(
    project: Project,
    found: Sequence[Study],
    validations: Sequence[Validation],
    figures: Sequence[Sequence[Rate]],
    *,
    command: str,
    decisions: Sequence[Decision] = (),
) -> Report:
    """Everything that a report shows; gates are decided where their judges are among `found`."""
    names = {study.judge.name for study in found}
    gates = [g for g in project.config.gates if g.judge in names]
    decided = tuple(decisions) or tuple(decide(project, found, gates=gates))
    simulated = sorted({label.rater for study in found for label in study.labels if "simulated" in label.rater})
    return Report(
        title="Is the judge fit to decide?",
        project=project.config.project.name,
        generated=dt.datetime.now(tz=dt.UTC).date().isoformat(),
        version=fiel.__version__,
        command=command,
        language=found[0].rubric.language if found else None,
        simulated=f"These raters are simulated, not people: {', '.join(simulated)}." if simulated else None,
        validations=tuple(validations),
        rates=tuple(rate for group in figures for rate in group),
        decisions=decided,
        notes=tuple(
            dict.fromkeys(note for study in found for note in (*study.warnings, *look_over(study.rubric, study.items)))
        ),
        cases=tuple(
            case for study, validation in zip(found, validations, strict=False) for case in _cases(study, validation)
        ),
    )


def decide(project: Project, found: Sequence[Study], *, gates: Sequence[GateEntry] | None = None) -> list[Decision]:
    """What each gate of the project says."""
    by_name = {study.judge.name: study for study in found}
    return [_decide(g, by_name[g.judge]) for g in (project.config.gates if gates is None else gates)]


def _decide(config: GateEntry, study: Study) -> Decision:
    criterion = _criterion(study, config)
    decision = gate(
        _estimate(config, study, criterion),
        at_least=config.at_least,
        confidence=config.confidence,
        undecided=config.undecided,
        unscored=_unscored(study, criterion),
        max_unscored=config.max_unscored,
    )
    items, evidence = gate_evidence(study.judgements, study.labels, criterion=criterion, items=study.items)
    return msgspec.structs.replace(
        decision,
        name=config.name,
        criterion=config.criterion,
        judge=f"{study.judge.name}@{study.identity[:12]}",
        items=() if decision.verdict == "pass" else tuple(items),
        evidence=() if decision.verdict == "pass" else tuple(evidence),
    )


def _criterion(study: Study, config: GateEntry) -> Criterion:
    known = [criterion.id for criterion in study.rubric.criteria]
    if config.criterion not in known:
        near = nearest(config.criterion, known)
        raise FielError(
            f"Gate {config.name!r} names no criterion of rubric {study.rubric.id!r}: {config.criterion!r}"
            + (f"; did you mean {near!r}?" if near else "."),
            where="fiel.toml, [[gates]]",
            fix=f"The criteria are: {', '.join(known)}.",
        )
    return study.rubric[config.criterion]


def _estimate(config: GateEntry, study: Study, criterion: Criterion) -> Estimate:
    if config.rate == "agreement":
        validation = validate_judge(
            study.judgements, study.labels, rubric=study.rubric, items=study.items, confidence=config.confidence
        )
        found = next(c.agreement for c in validation.criteria if c.criterion == criterion.id)
        return replace(found, method=f"{found.method}; agreement with people")
    return estimate(
        study.judgements,
        study.labels,
        criterion=criterion,
        items=study.items,
        rate=config.rate,
        confidence=config.confidence,
    )


def _unscored(study: Study, criterion: Criterion) -> float:
    """The share of the items that has no belief of the judge."""
    scored = sum(j.criterion == criterion.id and j.belief is not None for j in study.judgements)
    return 1 - scored / len(study.items)


def _cases(study: Study, validation: Validation) -> list[Case]:
    """The disagreements that are shown, with what everybody said."""
    items = {item.id: item for item in study.items}
    said = {(j.subject, j.criterion): j for j in study.judgements}
    return [
        _case(study, result.criterion, items[subject], said[subject, result.criterion])
        for result in validation.criteria
        for subject in result.disagreements[:SHOWN]
    ]


def _case(study: Study, criterion: str, item: Item, judgement: Judgement) -> Case:
    labels = [label for label in study.labels if label.subject == item.id and label.criterion == criterion]
    given = Counter(label.answer for label in labels if label.answer is not None)
    return Case(
        id=item.id,
        criterion=criterion,
        judge=study.judge.name,
        question=item.input,
        answer=item.output,
        gold=given.most_common(1)[0][0],
        answers={label.rater: label.answer or f"skipped: {label.skipped}" for label in labels},
        verdict=judgement.verdict,
        probability=max(judgement.belief.probs) if judgement.belief else None,
        reason=judgement.reason,
        evidence=tuple(evidence.text for evidence in judgement.evidence),
    )
