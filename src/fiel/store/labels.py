"""Studies, their links, queues, answers and decisions, in a database of their own. Knows no judgement.

Answers and decisions are only ever added: each is a new version of its cell, and all versions stay.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from sqlalchemy import Connection, insert, select, update

from fiel.labelling import (
    Decided,
    DecisionKept,
    DecisionWrite,
    Entrant,
    Kept,
    MissingError,
    Role,
    Write,
    assign,
    hash_token,
    only_shown,
)
from fiel.records import Assignment, FielError, Given, Study, Unblinding, decode, encode
from fiel.store import _label_history as history
from fiel.store import _label_rows as rows
from fiel.store import _label_tables as tables
from fiel.store._files import suggestion
from fiel.store._label_database import Database, open_label_database
from fiel.store._label_rows import Known
from fiel.store._label_studies import to_text
from fiel.store._names import check_name

__all__ = ["LabelStore", "Link", "StudyLine"]


class Link(NamedTuple):
    """Whom a link is for, and its secret: told once, and kept nowhere."""

    name: str
    role: Role
    token: str


class StudyLine(NamedTuple):
    """A study of the store; `closed_at` is None while it is open."""

    name: str
    created_at: str
    closed_at: str | None


class LabelStore:
    """A database of studies and answers: what a `Desk` needs. Made by `open`; a context manager that closes it.

    Several processes and threads may use one database, and several threads one store. What `keep` and `decide` return
    is on the disk.

    Args:
        database: opened.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, Known] = {}  # a study never changes once it is there

    @classmethod
    def open(cls, url_or_path: str | Path, *, must_exist: bool = False) -> Self:
        """Open the store, creating it where it is not there.

        Args:
            url_or_path: an SQLite file (with its folders, readable by its owner alone), `sqlite:///` and its path, or
                `postgresql://` and a server, which needs fiel[postgres].
            must_exist: do not create it.

        Raises:
            FielError: it cannot be opened, is another application's or a newer fiel's, or, with `must_exist`, is not
                there. No password stands in it.
        """
        return cls(open_label_database(url_or_path, must_exist=must_exist))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def create(self, study: Study) -> list[Link]:
        """Keep a new study with the queues of its raters, open, and with nothing in it that raters do not see.

        Returns:
            One link per rater, and one for the adjudicator where one is named.

        Raises:
            FielError: there is one of this name, its name cannot be that of a folder, or `show` names what no item has.
        """
        check_name(study.name, of="a study")
        study = msgspec.structs.replace(study, subjects=only_shown(study.subjects, study.show))
        record = to_text(study)
        people: list[tuple[str, Role]] = [(rater, "rater") for rater in study.raters]
        if study.adjudicator is not None:
            people.append((study.adjudicator, "adjudicator"))
        links = [Link(name, role, secrets.token_urlsafe(32)) for name, role in people]
        queues = assign(study)
        with self._database.writing() as connection:
            number = rows.add_study(connection, study, record, at=_now(), where=self._database.where)
            added = [(link, _add(connection, number, link)) for link in links]
            raters = {link.name: person for link, person in added if link.role == "rater"}
            rows.add_assignments(connection, rows.Known(number, study), queues, raters)
        return links

    def issue(self, study: str, name: str, role: Role = "rater") -> Link:
        """A new link for somebody, the old one of whom no longer opens anything; or the first one of an adjudicator.

        Raises:
            FielError: no rater of the study has this name.
        """
        known = self._study(study)
        if role == "adjudicator":
            msgspec.structs.replace(known.study, adjudicator=name)  # raises where this is no name
        link = Link(name, role, secrets.token_urlsafe(32))
        change = update(tables.entrants).where(
            tables.entrants.c.study == known.number, tables.entrants.c.role == role, tables.entrants.c.name == name
        )
        with self._database.writing() as connection:
            changed = connection.execute(change.values(token_digest=hash_token(link.token))).rowcount
            if not changed and role == "adjudicator":
                _add(connection, known.number, link)
            elif not changed:
                raise FielError(
                    f"The study {study!r} has no rater {name!r}.",
                    where=self._database.where,
                    fix=suggestion(name, known.study.raters, those="Raters"),
                )
        return link

    def studies(self) -> list[StudyLine]:
        """All studies, in the order in which they were created."""
        columns = tables.studies.c
        query = select(columns.name, columns.created_at, columns.closed_at).order_by(columns.id)
        with self._database.reading() as connection:
            return [StudyLine(*row) for row in connection.execute(query)]

    def study(self, name: str) -> Study:
        """The study as raters see it, with its latest adjudicator.

        Raises:
            MissingError: there is none of this name.
        """
        known = self._study(name)
        columns = tables.entrants.c
        query = select(columns.name).where(columns.study == known.number, columns.role == "adjudicator")
        with self._database.reading() as connection:
            adjudicator = connection.execute(query.order_by(columns.id.desc()).limit(1)).scalar()
        return msgspec.structs.replace(known.study, adjudicator=adjudicator)

    def is_open(self, name: str) -> bool:
        """Whether the study takes answers."""
        number = self._study(name).number
        query = select(tables.studies.c.closed_at).where(tables.studies.c.id == number)
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one() is None

    def close_study(self, name: str) -> None:
        """Take no more answers and decisions, for good: from now on results may be looked at."""
        columns = tables.studies.c
        change = update(tables.studies).where(columns.id == self._study(name).number, columns.closed_at.is_(None))
        with self._database.writing() as connection:
            connection.execute(change.values(closed_at=_now()))

    def entrant(self, token_digest: str) -> tuple[str, Entrant] | None:
        """Who has the link whose token has this SHA-256 (hex), with the digest as it is kept."""
        with self._database.reading() as connection:
            return rows.find_entrant(connection, token_digest)

    def assignments(self, study: str, rater: str | None = None) -> list[Assignment]:
        """The queue of a rater by place, or all queues; empty for somebody who is no rater."""
        with self._database.reading() as connection:
            return rows.read_assignments(connection, self._study(study), rater)

    def givens(self, study: str, *, rater: str | None = None, subject: str | None = None) -> list[Given]:
        """What stands, cleared cells too: of all raters or of one, on all subjects or on one; by rater and place."""
        with self._database.reading() as connection:
            return history.read_givens(connection, self._study(study), rater=rater, subject=subject)

    def history(self, study: str, *, rater: str | None = None, subject: str | None = None) -> list[Given]:
        """The same with all versions, in the order in which they were kept."""
        with self._database.reading() as connection:
            return history.read_givens(connection, self._study(study), rater=rater, subject=subject, history=True)

    def keep(self, writes: Sequence[Write]) -> list[Kept]:
        """Keep answers in their order, in one transaction that is on the disk when this returns.

        An answer is kept where its version stands (0: nothing). One whose key was kept before for the same cell is
        answered with what was kept then, and one for a closed study with "closed".

        `blind` is set here: whether its rater had not unblinded the study, and was shown no suggestion.
        """
        if not writes:
            return []
        known = {name: self._study(name) for name in {write.study for write in writes}}
        with self._database.writing() as connection:
            return history.keep(connection, known, writes, at=_now())

    def decisions(self, study: str, *, subject: str | None = None) -> list[Decided]:
        """The decisions that stand, those taken back too."""
        with self._database.reading() as connection:
            return history.read_decisions(connection, self._study(study), subject=subject)

    def decision_history(self, study: str) -> list[Decided]:
        """All versions of all decisions, in the order in which they were kept."""
        with self._database.reading() as connection:
            return history.read_decisions(connection, self._study(study), history=True)

    def decide(self, writes: Sequence[DecisionWrite]) -> list[DecisionKept]:
        """The same as `keep` for decisions; `judge_seen` is whether who decides had unblinded the study."""
        if not writes:
            return []
        known = {name: self._study(name) for name in {write.study for write in writes}}
        with self._database.writing() as connection:
            return history.decide(connection, known, writes, at=_now())

    def unblind(self, study: str, by: str, command: str) -> Unblinding:
        """Write down that somebody is about to see results: what they answer from now on is not blind."""
        number = self._study(study).number
        key = rows.person_key(by)
        if not key or "\0" in key:
            raise FielError("Whoever unblinds a study has a name.", where="by", fix="Say who looks.")
        made = Unblinding(by=by, at=_now(), command=command)
        row = {"study": number, "person": key, "unblinding": encode(made).decode()}
        with self._database.writing() as connection:
            rows.lock(connection, [number])
            connection.execute(insert(tables.unblindings).values(row))
        return made

    def unblindings(self, study: str) -> list[Unblinding]:
        """Who has looked, in that order."""
        columns = tables.unblindings.c
        query = select(columns.unblinding).where(columns.study == self._study(study).number).order_by(columns.id)
        with self._database.reading() as connection:
            return [decode(text, Unblinding) for text in connection.execute(query).scalars()]

    def _study(self, name: str) -> Known:
        if name not in self._known:
            with self._database.reading() as connection:
                found = rows.find_study(connection, name, where=self._database.where)
            if found is None:
                names = [line.name for line in self.studies()]
                raise MissingError(
                    f"There is no study {name!r}.",
                    where=self._database.where,
                    fix=suggestion(name, names, those="Studies"),
                )
            self._known[name] = found
        return self._known[name]


def _add(connection: Connection, study: int, link: Link) -> int:
    return rows.add_person(connection, study, rows.Person(link.name, link.role), hash_token(link.token))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
