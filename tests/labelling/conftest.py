"""Studies, and a desk on a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fiel.labelling import Decided, Decision, Desk, Entrant, Entry
from fiel.records import Criterion, Given, Item, Pair, Rubric, Study
from fiel.store.labels import LabelStore, Link

RUBRIC = Rubric(
    id="rag",
    language="en",
    guidance="Judge the answer.",
    criteria=(
        Criterion(id="grounded", question="Is it grounded?", options=("no", "yes"), evidence_in="answer"),
        Criterion(
            id="help", question="How helpful?", options=("1", "2", "3"), scale="ordinal", applies_when="it is asked for"
        ),
    ),
)


class Office:
    """A store with one study, a desk on it, and short ways of doing what pages do."""

    def __init__(self, store: LabelStore, study: Study) -> None:
        self.store = store
        self.name = study.name
        self.links: list[Link] = store.create(study)
        self.desk = Desk(store)
        self._keys = count()

    def who(self, name: str, role: str = "rater") -> Entrant:
        """Somebody who has come in with a link."""
        link = next(link for link in self.links if link.name == name and link.role == role)
        found = self.desk.entrant(link.token)
        assert found is not None
        return found

    def entry(self, **fields: Any) -> Entry:
        """An entry with a key of its own."""
        return Entry(**({"key": f"key-{next(self._keys)}", "version": 0, "seconds": 5.0} | fields))

    def put(self, rater: str, place: int, criterion: str = "grounded", **fields: Any) -> Any:
        """Check and keep one entry."""
        write = self.desk.check(self.who(rater), place, criterion, self.entry(**fields))
        return self.desk.keep([write])[0]

    def give(self, rater: str, subject: str, criterion: str = "grounded", **fields: Any) -> Given:
        """The same at the first showing of a subject; it has to be kept."""
        queue = self.store.assignments(self.name, rater)
        place = next(one.place for one in queue if one.subject == subject and one.repeat == 0)
        kept = self.put(rater, place, criterion, **fields)
        assert isinstance(kept, Given)
        return kept

    def give_all(self, answers: Iterable[tuple[str, str, dict[str, Any]]], criterion: str = "grounded") -> None:
        """The same for many (rater, subject, fields) in one transaction."""
        raters = {one.rater for one in self.store.assignments(self.name)}
        people = {name: self.who(name) for name in raters}
        places = {(one.rater, one.subject): one.place for one in self.store.assignments(self.name) if one.repeat == 0}
        writes = [
            self.desk.check(people[rater], places[rater, subject], criterion, self.entry(**fields))
            for rater, subject, fields in answers
        ]
        assert all(isinstance(kept, Given) for kept in self.desk.keep(writes))

    def decide(self, adjudicator: str, n: int, **fields: Any) -> Any:
        """Check and keep one decision."""
        decision = Decision(**({"key": f"key-{next(self._keys)}", "version": 0} | fields))
        return self.desk.decide([self.desk.check_decision(self.who(adjudicator, "adjudicator"), n, decision)])[0]

    def decided(self, adjudicator: str, n: int, **fields: Any) -> Decided:
        """The same; it has to be kept."""
        kept = self.decide(adjudicator, n, **fields)
        assert isinstance(kept, Decided)
        return kept


class Made(NamedTuple):
    """Ways of making items, pairs and studies."""

    items: Callable[[int], tuple[Item, ...]]
    pairs: Callable[[int], tuple[Pair, ...]]
    study: Callable[..., Study]


@pytest.fixture
def made() -> Made:
    """Items, pairs and studies of a usual kind."""

    def items(n: int) -> tuple[Item, ...]:
        return tuple(
            Item(
                id=f"secret-id-{i:03}",
                input=f"Question {i}?",
                output=f"Answer {i}.",
                reference=f"Reference {i}",
                group=f"secret-group-{i % 5}",
                author="secret-author",
                fields={"topic": f"topic {i}", "hidden": f"secret-field-{i}"},
            )
            for i in range(n)
        )

    def pairs(n: int) -> tuple[Pair, ...]:
        return tuple(
            Pair(id=f"secret-pair-{i:03}", input=f"Question {i}?", a=f"A{i}", b=f"B{i}", author_a="secret-author")
            for i in range(n)
        )

    def study(**fields: Any) -> Study:
        usual: dict[str, Any] = {"name": "helpful", "rubric": RUBRIC, "subjects": items(30), "raters": ("ana", "ben")}
        return Study(**(usual | fields))

    return Made(items, pairs, study)


@pytest.fixture
def office(tmp_path: Path, made: Made) -> Iterator[Callable[..., Office]]:
    """A served study of these fields."""
    opened: list[LabelStore] = []

    def serve(**fields: Any) -> Office:
        store = LabelStore.open(tmp_path / f"labels-{len(opened)}.db")
        opened.append(store)
        return Office(store, made.study(**fields))

    yield serve
    for store in opened:
        store.close()
