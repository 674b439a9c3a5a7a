"""Which judgements the verbs measure: those of the judge, the texts, the order and the model that stand now."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import Result

from fiel.cli._studies import Study, studies
from fiel.measures import ORDERS
from fiel.records import Distribution, Judgement
from fiel.runner import judge_from
from fiel.store.project import Project

HOUSE = """
[models.fast]
base_url = "http://127.0.0.1:9/v1"
model = "small-judge"

[[judges]]
name = "house"
model = "fast"
rubric = "rag"
samples = 2
"""


@pytest.fixture
def said(project: Path) -> list[Judgement]:
    """What "house" has said of the project: as it stands, and otherwise in each way that does not count."""
    with (project / "fiel.toml").open("a", encoding="utf-8") as config:
        config.write(HOUSE)
    opened = Project.open(project)
    rubric = opened.rubric("rag")
    entry = next(judge for judge in opened.config.judges if judge.name == "house")
    identity = judge_from(entry, opened).identity(rubric)
    made: list[Judgement] = []
    for n, item in enumerate(opened.items()):
        for criterion in rubric.criteria:
            usual = Judgement(
                subject=item.id,
                subject_digest=item.digest,
                criterion=criterion.id,
                criterion_digest=criterion.digest,
                judge="house",
                identity=identity,
                served="m@1" if n % 3 else "m@2" if n % 2 else None,
                status="ok",
                belief=Distribution(options=criterion.options, probs=(0.25, 0.75), source="logprobs"),
                reason=f"because {n}",
                order="ab" if n % 4 == 1 else None,
            )
            made += [usual, replace(usual, replicate=1)]
            made += [replace(usual, order="ba", served="m@2")] if n % 4 == 1 else []
            made += [replace(usual, subject_digest="0" * 64)] if n % 5 == 0 else []
            made += [replace(usual, identity="another")] if n % 7 == 0 else []
    with opened.judgements() as store:
        store.add(made)
    return [x for x in made if x.identity == identity]


def current(project: Project, said: list[Judgement]) -> list[Judgement]:
    """Record by record, what counts."""
    texts = {item.id: item.digest for item in project.items()}
    valid = [x for x in said if x.replicate == 0 and texts[x.subject] == x.subject_digest and x.order != "ba"]
    counts = Counter(x.served for x in valid if x.served is not None)
    return [x for x in valid if x.served in {None, counts.most_common(1)[0][0]}]


def cells(study: Study) -> list[tuple[Any, ...]]:
    """Subject, criterion and order of each judgement that is measured."""
    found = study.judgements
    assert found.order is not None
    return [
        (found.subjects[subject], found.questions[question].criterion, ORDERS[order])
        for subject, question, order in zip(found.subject, found.question, found.order, strict=True)
    ]


def test_what_counts_is_what_stands_now(project: Path, said: list[Judgement]):
    """Of identities, repeats, texts, orders and models, those that stand now are measured, and the rest is said."""
    opened = Project.open(project)
    (study,) = studies(opened, judges={"house"}, labels=project / "labels.csv")
    wanted = current(opened, said)
    assert cells(study) == [(x.subject, x.criterion, x.order) for x in wanted]
    assert study.served == "m@1"
    assert study.warnings == (
        "house judged pairs in both orders: the figures are those of the order ab alone",
        "6 labelled items have another text than when first judged (q0, q10, q15): are their labels new?",
        "house was served by 2 models, each another judge (m@1, m@2): the figures are those of m@1 alone",
    )
    some = ["q0", "q1", "q3", "q13", "nowhere"]
    assert study.said_of(some) == [x for x in wanted if x.subject in some]
    assert study.said_of([]) == []


def test_a_report_says_what_the_judge_said_and_how_it_did_again(
    fiel: Callable[..., Result], project: Path, said: list[Judgement]
):
    """Cases come with their reasons, and a judge that was asked twice stands beside itself."""
    result = fiel("validate", "labels.csv", "--judge", "house")
    assert result.exit_code == 0, result.output
    page = (project / "reports" / "report.html").read_text(encoding="utf-8")
    assert "because 4" in page
    report = json.loads(fiel("validate", "labels.csv", "--judge", "house", "--format", "json").stdout)
    assert [(pair["judge_a"], pair["judge_b"]) for pair in report["reruns"]] == [("house", "house")]
    assert report["judges"][0]["judgements"] == len(current(Project.open(project), said))


def test_two_prompts_under_one_identity_are_refused(project: Path, fiel: Callable[..., Result]):
    """Two judgements of one item and criterion are named, and nothing is measured."""
    with Project.open(project).judgements() as store:
        first = store.read(judge="floor", criteria=["grounded"])[0]
        store.add([replace(first, variant="short")])
    result = fiel("validate", "labels.csv")
    assert result.exit_code == 2
    assert f"Item {first.subject!r} has 2 judgements of 'floor' on 'grounded'" in result.stderr
