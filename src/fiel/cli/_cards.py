"""Who judged and what was labelled, as a report says it: identity, cost, design, and who has seen what. No figure."""

from __future__ import annotations

from typing import Any

import msgspec

from fiel.cli._book import has_book, open_book
from fiel.cli._frozen import sets_of
from fiel.cli._short import word
from fiel.cli._studies import Study, has_judgements
from fiel.judges import LLMJudge
from fiel.records import Design
from fiel.reports import JudgeCard, SampleCard, Seen, ServedBy
from fiel.runner import judge_from
from fiel.store.frozen import looks
from fiel.store.judgements import Spent
from fiel.store.project import Project

_PLAIN = "label files"
_ELSEWHERE = {"prompt"}  # of the settings, what a card has room for in another place


def judge_card(project: Project, study: Study) -> JudgeCard:
    """All that somebody else needs to be this judge, and what its judgements took."""
    entry, built = study.judge, judge_from(study.judge, project)
    card = JudgeCard(
        judge=entry.name,
        identity=study.identity,
        rubric=study.rubric.id,
        rubric_digest=study.rubric.digest,
        kind="imported" if entry.kind == "imported" else "no model",
        served=_served(project, study.identity),
        command=None if entry.kind == "imported" else f"fiel judge --judge {word(entry.name)}",
        judgements=len(study.judgements),
    )
    if not isinstance(built, LLMJudge):
        return card
    first = next((item for item in study.items), None)
    requests = built.requests(first, study.rubric) if first is not None else ()
    settings = msgspec.to_builtins(built.settings)
    further = settings.pop("parameters")
    named = {name: value for name, value in settings.items() if name not in _ELSEWHERE}
    return msgspec.structs.replace(
        card,
        kind="language model",
        model=built.model.name,
        settings={
            name: _plain(value) for name, value in (named | {"temperature": built.settings.heat} | further).items()
        },
        prompt=built.settings.prompt,
        asked=requests[0].messages if requests else (),
        asked_of=first.id if first is not None and requests else None,
        **msgspec.structs.asdict(_spent(project, study)),
    )


def sample_card(project: Project, study: Study) -> SampleCard:
    """What people labelled, how it was drawn, and the blind log."""
    frozen = study.frozen
    design = Design() if frozen is None else msgspec.structs.replace(frozen.design, members={}, weights={})
    return SampleCard(
        rubric=study.rubric.digest,
        name=_PLAIN if frozen is None else frozen.name,
        digest=study.set_digest,
        parent=None if frozen is None else frozen.parent,
        design=design,
        items=len({label.subject for label in study.labels}),
        labels=sum(label.answer is not None for label in study.labels),
        seen=_seen(project, None if frozen is None else frozen.name),
    )


def _served(project: Project, identity: str) -> tuple[ServedBy, ...]:
    if not has_judgements(project):
        return ()
    with project.judgements(must_exist=True) as store:
        return tuple(ServedBy(name=x.served, judgements=x.count, last=x.last) for x in store.served(identity))


def _spent(project: Project, study: Study) -> Spent:
    """Calls, tokens and cost behind a judge's judgements."""
    with project.judgements(must_exist=True) as store:
        return store.spent(study.judgements)


def _seen(project: Project, name: str | None) -> tuple[Seen, ...]:
    """Looks at results while a study was open, and the uses of a calibration set, by time."""
    found: list[Seen] = []
    if has_book(project):
        with open_book(project, must_exist=True) as book:
            for line in book.studies():
                what = f"results, while study {line.name} was open"
                found += [Seen(what=what, by=x.by, at=x.at, command=x.command) for x in book.unblindings(line.name)]
    folder = sets_of(project) / name if name is not None else None
    if folder is not None and folder.is_dir():
        what = f"calibration set {name}"
        found += [Seen(what=what, by=x.by, at=x.at, command=x.command) for x in looks(folder)]
    return tuple(sorted(found, key=lambda seen: seen.at))


def _plain(value: Any) -> str | float | bool | None:
    """A setting as a card shows it."""
    return value if value is None or isinstance(value, (str, int, float, bool)) else msgspec.json.encode(value).decode()
