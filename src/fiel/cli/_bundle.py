"""From a project's studies to one report: which results go in, and which cases are shown. Computes no figure."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import msgspec

import fiel
from fiel.cli._cards import judge_card, sample_card
from fiel.cli._short import listed
from fiel.cli._studies import Study
from fiel.judges import look_over
from fiel.measures import (
    Between,
    Decision,
    People,
    Rate,
    Validation,
    between,
    estimate,
    gate,
    gate_evidence,
    many_words,
    people,
    worklist,
)
from fiel.measures import validate as validate_judge
from fiel.records import Criterion, FielError, Item, nearest
from fiel.reports import Case, Report
from fiel.stats import Estimate
from fiel.store.config import GateEntry
from fiel.store.project import Project

SHOWN = 12  # disagreements per criterion that a report shows in full
JUDGES = 6  # judges that are held against each other


def report_of(
    project: Project,
    found: Sequence[Study],
    validations: Sequence[Validation],
    figures: Sequence[Sequence[Rate]],
    *,
    command: str,
    decisions: Sequence[Decision] = (),
    blind: bool = False,
    criterion: str | None = None,
) -> Report:
    """Everything that a report shows; gates whose judges are among `found` are decided, with `blind` as in `decide`.

    With a criterion, only the gates on it: the studies are cut to it as well.
    """
    names = {study.judge.name for study in found}
    gates = [g for g in project.config.gates if g.judge in names and criterion in {None, g.criterion}]
    decided = tuple(decisions) or tuple(decide(project, found, gates=gates, blind=blind))
    groups = _by_rubric(found) if validations else []
    confidence = validations[0].confidence if validations else 0.95
    noted = [note for study in found for note in (*study.warnings, *look_over(study.rubric, study.items))]
    simulated = sorted({label.rater for study in found for label in study.labels if "simulated" in label.rater})
    return Report(
        title="Is the judge fit to decide?",
        project=project.config.project.name,
        generated=dt.datetime.now(tz=dt.UTC).date().isoformat(),
        version=fiel.__version__,
        command=command,
        language=found[0].rubric.language if found else None,
        simulated=f"These raters are simulated, not people: {listed(simulated)}." if simulated else None,
        validations=tuple(validations),
        people=tuple(_people(group[0], confidence) for group in groups),
        between=tuple(pair for group in groups for pair in _between(group, confidence)),
        reruns=tuple(pair for group in groups for study in group for pair in _reruns(project, study, confidence)),
        rates=tuple(rate for group in figures for rate in group),
        decisions=decided,
        notes=tuple(dict.fromkeys(filter(None, (*noted, many_words(validations))))),
        cases=tuple(_cases(found, validations)),
        judges=tuple(judge_card(project, study) for study in found),
        samples=tuple(sample_card(project, group[0]) for group in _by_rubric(found) if group[0].labels),
    )


def decide(
    project: Project, found: Sequence[Study], *, gates: Sequence[GateEntry] | None = None, blind: bool = False
) -> list[Decision]:
    """What each gate of the project says; `blind` leaves out which items speak against it, while people label them."""
    by_name = {study.judge.name: study for study in found}
    known = project.config.gates if gates is None else gates
    return [_decide(g, _of_gate(g, by_name), blind=blind) for g in known]


def _of_gate(config: GateEntry, by_name: Mapping[str, Study]) -> Study:
    if config.judge not in by_name:
        raise FielError(
            f"Gate {config.name!r} is about judge {config.judge!r}, whom these labels say nothing about.",
            where="fiel.toml, [[gates]]",
            fix="Give labels on the rubric of that judge.",
        )
    return by_name[config.judge]


def _decide(config: GateEntry, study: Study, *, blind: bool) -> Decision:
    criterion = _criterion(study, config)
    decision = gate(
        _estimate(config, study, criterion),
        at_least=config.at_least,
        confidence=config.confidence,
        undecided=config.undecided,
        unscored=_unscored(study, criterion),
        max_unscored=config.max_unscored,
    )
    silent = blind or decision.verdict == "pass"
    items, evidence = ((), ()) if silent else _against(study, criterion)
    return msgspec.structs.replace(
        decision,
        name=config.name,
        criterion=config.criterion,
        judge=f"{study.judge.name}@{study.identity[:12]}",
        items=items,
        evidence=evidence,
    )


def _against(study: Study, criterion: Criterion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The items that speak against a criterion, found among all; and what was said of them, read for them alone."""
    found, _ = gate_evidence(study.judgements, study.people, criterion=criterion, items=study.items)
    frame = [item for item in study.items if item.id in found]
    if not frame:
        return (), ()
    return gate_evidence(study.said_of(found), study.people, criterion=criterion, items=frame)


def _criterion(study: Study, config: GateEntry) -> Criterion:
    known = [criterion.id for criterion in study.rubric.criteria]
    if config.criterion not in known:
        near = nearest(config.criterion, known)
        raise FielError(
            f"Gate {config.name!r} names no criterion of rubric {study.rubric.id!r}: {config.criterion!r}"
            + (f"; did you mean {near!r}?" if near else "."),
            where="fiel.toml, [[gates]]",
            fix=f"The criteria are: {listed(known)}.",
        )
    return study.rubric[config.criterion]


def _estimate(config: GateEntry, study: Study, criterion: Criterion) -> Estimate:
    if config.rate == "agreement":
        validation = validate_judge(
            study.judgements, study.people, rubric=study.rubric, items=study.items, confidence=config.confidence
        )
        found = next(c.agreement for c in validation.criteria if c.criterion == criterion.id)
        return replace(found, method=f"{found.method}; agreement with people")
    return estimate(
        study.judgements,
        study.people,
        criterion=criterion,
        items=study.items,
        rate=config.rate,
        confidence=config.confidence,
    )


def _unscored(study: Study, criterion: Criterion) -> float:
    """The share of the items that has no belief of the judge."""
    said = study.judgements
    return 1 - int((said.source[said.of(criterion)] >= 0).sum()) / len(study.items)


def _cases(found: Sequence[Study], validations: Sequence[Validation]) -> list[Case]:
    """The disagreements that are shown, of each criterion the surest of any judge, with what everybody said."""
    shown: list[Case] = []
    for group in _by_rubric(found):
        wanted = {
            (subject, part.criterion)
            for study, validation in zip(found, validations, strict=False)
            if study.rubric.digest == group[0].rubric.digest
            for part in validation.criteria
            for subject in part.disagreements[:SHOWN]
        }
        subjects = {subject for subject, _ in wanted}
        frame = [item for item in group[0].items if item.id in subjects]
        if frame:
            shown += _of_frame(group, frame, wanted)
    return shown


def _of_frame(group: Sequence[Study], frame: Sequence[Item], wanted: Collection[tuple[str, str]]) -> Iterator[Case]:
    """The cells that are wanted of a few items, the surest wrong one first, at most so many of a criterion."""
    items = {item.id: item for item in frame}
    said = [study.said_of(items) for study in group]
    rubric = group[0].rubric
    listed = worklist(said, group[0].people, rubric=rubric, items=frame, share_of_agreements=0.0).items
    counts: Counter[str] = Counter()
    for work in listed:
        if (work.item, work.criterion) in wanted and counts[work.criterion] < SHOWN:
            counts[work.criterion] += 1
            item = items[work.item]
            yield Case(work=work, question=item.input, context=item.context, answer=item.output)


def _by_rubric(found: Sequence[Study]) -> list[list[Study]]:
    """The studies in groups whose judges answered the same rubric."""
    groups: dict[str, list[Study]] = {}
    for study in found:
        groups.setdefault(study.rubric.digest, []).append(study)
    return list(groups.values())


def _people(study: Study, confidence: float) -> People:
    return people(study.people, rubric=study.rubric, items=study.items, confidence=confidence)


def _between(group: Sequence[Study], confidence: float) -> Iterator[Between]:
    """Each two judges of a rubric beside each other; of many judges the first few."""
    for one, other in combinations(group[:JUDGES], 2):
        yield between(one.judgements, other.judgements, rubric=one.rubric, items=one.items, confidence=confidence)


def _reruns(project: Project, study: Study, confidence: float) -> Iterator[Between]:
    """A judge beside itself, where it was asked more than once."""
    if study.judge.samples == 1 and study.judge.kind != "imported":
        return
    texts = {item.id: item.digest for item in study.items}
    with project.judgements(must_exist=True) as store:
        again = store.columns(study.judge.name, study.identity, texts=texts, replicate=1).one_order()
    if again:
        yield between(study.judgements, again, rubric=study.rubric, items=study.items, confidence=confidence)
