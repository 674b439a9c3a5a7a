"""Studies and their people in the labels' database, inside a transaction that somebody else holds. Knows no answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, insert, select

from fiel.labelling import Entrant, Role
from fiel.records import Assignment, FielError, Study
from fiel.store import _label_tables as tables
from fiel.store._databases import parts
from fiel.store._label_studies import to_study

# Made once: of a transaction with one answer, a third of the time would go into making these statements anew.
_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True)
_LOCK = (
    select(tables.studies.c.id, tables.studies.c.closed_at)
    .where(tables.studies.c.id.in_(_NUMBERS))
    .order_by(tables.studies.c.id)
    .with_for_update()
)
_LOOKED = select(tables.unblindings.c.study, tables.unblindings.c.person).where(
    tables.unblindings.c.study.in_(_NUMBERS)
)
_ENTRANT = (
    select(tables.entrants.c.token_digest, tables.studies.c.name, tables.entrants.c.name, tables.entrants.c.role)
    .join(tables.studies, tables.studies.c.id == tables.entrants.c.study)
    .where(tables.entrants.c.token_digest == bindparam("digest"))
)


class Person(NamedTuple):
    """Somebody of a study."""

    name: str
    role: Role


class State(NamedTuple):
    """What of a study may change: whether it takes answers, and who has seen results (as `person_key`)."""

    is_open: bool
    unblinded: frozenset[str]


class Known:
    """A study as it was kept, with the numbers that its rows have."""

    def __init__(self, number: int, study: Study) -> None:
        self.number = number
        self.study = study
        self.subjects = {subject.id: place for place, subject in enumerate(study.subjects)}
        self.criteria = {criterion.id: place for place, criterion in enumerate(study.rubric.criteria)}
        self.names = tuple(self.subjects)
        self.places: dict[str, dict[int, int]] = {}  # rater, place: the number of the assignment; learnt when needed


def person_key(name: str) -> str:
    """A name without what may differ between two spellings of one person's."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def add_study(connection: Connection, study: Study, record: str, *, at: str, where: str) -> int:
    """Add a study and return its number.

    Raises:
        FielError: there is one of this name.
    """
    lookup = select(tables.studies.c.id).where(tables.studies.c.name == study.name)
    if connection.execute(lookup).first() is not None:
        raise FielError(
            f"There is already a study {study.name!r}.", where=where, fix="Draw a sample under another name."
        )
    row = {"name": study.name, "record": record, "created_at": at}
    number: int = connection.execute(insert(tables.studies).values(row)).inserted_primary_key[0]  # type: ignore[index]  # an insert has one
    return number


def add_person(connection: Connection, study: int, person: Person, token_digest: str) -> int:
    """Add somebody with the digest of a token, and return the number."""
    row = {"study": study, "name": person.name, "role": person.role, "token_digest": token_digest}
    number: int = connection.execute(insert(tables.entrants).values(row)).inserted_primary_key[0]  # type: ignore[index]  # an insert has one
    return number


def find_entrant(connection: Connection, token_digest: str) -> tuple[str, Entrant] | None:
    """Who has the link whose token has this digest, with the digest as it is kept."""
    row = connection.execute(_ENTRANT, {"digest": token_digest}).first()
    return None if row is None else (row[0], Entrant(study=row[1], name=row[2], role=row[3]))


def add_assignments(
    connection: Connection, known: Known, queues: Iterable[Assignment], raters: Mapping[str, int]
) -> None:
    """Add the queues of all raters, given their numbers."""
    made = [
        {
            "study": known.number,
            "rater": raters[assignment.rater],
            "place": assignment.place,
            "subject": known.subjects[assignment.subject],
            "repeat": assignment.repeat,
            "shown": assignment.shown,
        }
        for assignment in queues
    ]
    for part in parts(made):
        connection.execute(insert(tables.assignments), list(part))


def find_study(connection: Connection, name: str, *, where: str) -> Known | None:
    """The study of this name; None where there is none."""
    query = select(tables.studies.c.id, tables.studies.c.record).where(tables.studies.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else Known(row[0], to_study(row[1], where=f"{where}, study {name!r}"))


def read_assignments(connection: Connection, known: Known, rater: str | None) -> list[Assignment]:
    """The queue of a rater, or all, by rater and place."""
    own, people = tables.assignments.c, tables.entrants.c
    query = (
        select(people.name, own.place, own.subject, own.repeat, own.shown)
        .join(tables.entrants, people.id == own.rater)
        .where(own.study == known.number)
        .order_by(own.rater, own.place)
    )
    if rater is not None:
        query = query.where(people.name == rater)
    return [
        Assignment(rater=name, place=place, subject=known.names[subject], repeat=repeat, shown=shown)
        for name, place, subject, repeat, shown in connection.execute(query)
    ]


def assignment_number(connection: Connection, known: Known, rater: str, place: int) -> int:
    """The number of an assignment.

    Raises:
        FielError: there is none.
    """
    if rater not in known.places:
        own, people = tables.assignments.c, tables.entrants.c
        query = (
            select(own.place, own.id)
            .join(tables.entrants, people.id == own.rater)
            .where(own.study == known.number, people.name == rater)
        )
        known.places[rater] = {row.place: row.id for row in connection.execute(query)}
    if place not in known.places[rater]:
        raise FielError(f"{rater!r} has no place {place} in the study {known.study.name!r}.")
    return known.places[rater][place]


def lock(connection: Connection, numbers: Collection[int]) -> dict[int, State]:
    """Hold these studies until the transaction ends, so that nothing of them changes meanwhile; say how they are."""
    wanted = {"numbers": list(numbers)}
    closed = {number: closed_at is not None for number, closed_at in connection.execute(_LOCK, wanted)}
    looked: dict[int, set[str]] = {}  # a statement of its own: it sees what was written while the first one waited
    for number, person in connection.execute(_LOOKED, wanted):
        looked.setdefault(number, set()).add(person)
    return {
        number: State(is_open=not is_closed, unblinded=frozenset(looked.get(number, ())))
        for number, is_closed in closed.items()
    }
