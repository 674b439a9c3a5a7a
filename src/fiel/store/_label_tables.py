"""The tables of the labels' database. Nothing in them can tell of a judge. Knows no file and no connection.

Free text stands inside JSON, where every character has a spelling; answers and decisions are added, never changed.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

from fiel.store._databases import Layout

metadata = MetaData()

meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
studies = Table(
    "studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("record", Text, nullable=False),  # the whole Study, as JSON
    Column("created_at", Text, nullable=False),
    Column("closed_at", Text),  # open while there is none
)
entrants = Table(
    "entrants",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("token_digest", Text, nullable=False, unique=True),  # SHA-256; the token itself is kept nowhere
    UniqueConstraint("study", "role", "name"),
)
assignments = Table(
    "assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("rater", ForeignKey("entrants.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("subject", Integer, nullable=False),  # its place in the study, as everywhere here
    Column("repeat", Integer, nullable=False),
    Column("shown", Text),
    UniqueConstraint("rater", "place"),
)
Index("assignment_subject", assignments.c.study, assignments.c.subject)
answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("assignment", ForeignKey("assignments.id"), nullable=False),
    Column("criterion", Integer, nullable=False),  # its place in the rubric
    Column("version", Integer, nullable=False),
    Column("write_key", Text, nullable=False),
    Column("kept_at", Text, nullable=False),
    Column("record", Text, nullable=False),  # a Label, as JSON
    UniqueConstraint("assignment", "criterion", "version"),
    UniqueConstraint("assignment", "criterion", "write_key"),
)
decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("subject", Integer, nullable=False),
    Column("criterion", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("write_key", Text, nullable=False),
    Column("kept_at", Text, nullable=False),
    Column("record", Text, nullable=False),  # an Adjudication, as JSON
    UniqueConstraint("study", "subject", "criterion", "version"),
    UniqueConstraint("study", "subject", "criterion", "write_key"),
)
unblindings = Table(
    "unblindings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("person", Text, nullable=False),
    Column("unblinding", Text, nullable=False),  # an Unblinding, as JSON
)
Index("unblinding_study", unblindings.c.study)

LAYOUT = Layout(application="fiel labels", tables=metadata)
