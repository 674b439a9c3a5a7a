"""The layout of the judgements' database, and how older ones become it. Knows no file and no record."""

from __future__ import annotations

from sqlalchemy import Connection

from fiel.store._databases import Layout
from fiel.store._reply_tables import replies

# A migration is a piece of history: it names what it makes itself, and never asks the tables of today.
_VERSION_2 = """
ALTER TABLE judgements ADD COLUMN subject_digest TEXT DEFAULT '' NOT NULL;
DROP INDEX judgement_key;
CREATE UNIQUE INDEX judgement_key ON judgements
    (judge, criterion, subject, subject_digest, replicate, shown_order, variant);
"""
_VERSION_3 = """
CREATE TABLE words (id INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (word));
CREATE TABLE texts (digest TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (digest));
CREATE TABLE replies (id INTEGER NOT NULL, digest TEXT NOT NULL, model INTEGER NOT NULL, sample INTEGER NOT NULL,
    request TEXT NOT NULL, reply BLOB NOT NULL, kept_at TEXT NOT NULL, PRIMARY KEY (id),
    FOREIGN KEY(model) REFERENCES words (id));
CREATE INDEX reply_key ON replies (digest, model, sample);
ALTER TABLE judgements ADD COLUMN served INTEGER DEFAULT '0' NOT NULL;
ALTER TABLE judgements ADD COLUMN written INTEGER REFERENCES words (id);
ALTER TABLE judgements ADD COLUMN kept_at TEXT;
DROP INDEX judgement_key;
CREATE UNIQUE INDEX judgement_key ON judgements
    (judge, criterion, subject, subject_digest, replicate, shown_order, variant, served);
"""


def _add_subject_digest(connection: Connection) -> None:
    """1 -> 2: a judgement is of a text, not only of an id."""
    _run(connection, _VERSION_2)


def _add_replies(connection: Connection) -> None:
    """2 -> 3: raw replies are kept; a judgement says which model was served, what was written, when it was kept."""
    _run(connection, _VERSION_3)


def _run(connection: Connection, script: str) -> None:
    for statement in script.split(";"):
        if statement.strip():
            connection.exec_driver_sql(statement)


LAYOUT = Layout(
    application="fiel judgements",
    tables=replies.metadata,
    migrations=(_add_subject_digest, _add_replies),
)
