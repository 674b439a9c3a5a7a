"""The tables that judgements are kept in, and a judgement as a row of them. Knows no file and no reply.

Words that are counted are numbers here, so that SQL counts. The tables use nothing that is SQLite's alone.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec
from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

from fiel.records import Distribution, Evidence, Judgement, Source, Status, decode, encode

# The numbers are in people's files: a new word gets a new number, and none is ever given again.
STATUSES: dict[Status, int] = {"ok": 0, "abstained": 1, "refused": 2, "unparsed": 3, "error": 4, "inapplicable": 5}
SOURCES: dict[Source, int] = {
    "logprobs": 0,
    "samples": 1,
    "mixture": 2,
    "point": 3,
    "stated": 4,
    "classifier": 5,
    "decision": 6,
    "baseline": 7,
    "check": 8,
}
ORDERS: dict[Literal["ab", "ba"] | None, int] = {None: 0, "ab": 1, "ba": 2}
NOT_SAID = 0  # the number of a served model that no server named

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")

metadata = MetaData()

meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
subjects = Table(
    "subjects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)
criteria = Table(
    "criteria",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("options", Text),  # a JSON list; unknown until the first belief over them
    UniqueConstraint("name", "digest"),
)
judges = Table(
    "judges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("identity", Text, nullable=False),
    UniqueConstraint("name", "identity"),
)
words = Table(
    "words",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("word", Text, nullable=False, unique=True),
)
judgements = Table(
    "judgements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("judge", ForeignKey("judges.id"), nullable=False),
    Column("criterion", ForeignKey("criteria.id"), nullable=False),
    Column("subject", ForeignKey("subjects.id"), nullable=False),
    Column("replicate", Integer, nullable=False),
    Column("shown_order", SmallInteger, nullable=False),
    Column("variant", Text, nullable=False),  # JSON: `null` is no variant, and equal to itself in an index
    Column("status", SmallInteger, nullable=False),
    Column("verdict", SmallInteger),  # the place of the option; none where there is no belief, or a tie
    Column("source", SmallInteger),
    Column("probs", Text),  # a JSON list, in the order of the options
    Column("losses", Text),  # a JSON object: what the reading lost on the way, where it lost anything
    Column("evidence", Text),  # a JSON list
    Column("reason", Text),
    Column("usage", Text),  # a JSON object
    Column("cost", Float(53)),
    Column("latency", Float(53)),
    Column("request", Text),
    Column("subject_digest", Text, nullable=False, server_default=""),  # since version 2; '' in older rows
    Column("served", Integer, nullable=False, server_default="0"),  # since version 3: a word, or NOT_SAID
    Column("written", ForeignKey("words.id")),  # since version 3
    Column("kept_at", Text),  # since version 3: UTC; unknown in older rows
)
CELL = ("judge", "criterion", "subject", "subject_digest", "replicate", "shown_order", "variant")
Index("judgement_key", *(judgements.c[name] for name in (*CELL, "served")), unique=True)
Index("judgement_tally", *(judgements.c[name] for name in ("judge", "criterion", "status", "verdict")))

JOINED = (
    judgements.join(judges, judges.c.id == judgements.c.judge)
    .join(criteria, criteria.c.id == judgements.c.criterion)
    .join(subjects, subjects.c.id == judgements.c.subject)
)


class Losses(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a belief says of its reading, beside the probabilities."""

    captured: float | None = None
    dropped: float = 0.0
    dropped_tokens: int = 0
    ambiguous: float = 0.0
    inapplicable: float = 0.0
    merged: tuple[tuple[str, str, float], ...] = ()
    mean_low: float | None = None
    mean_high: float | None = None


def to_row(judgement: Judgement) -> dict[str, Any]:
    """The columns that need no lookup.

    The model's own words (reason, evidence, spellings) get U+FFFD for a lone surrogate; its raw reply has them as they
    were.
    """
    belief = judgement.belief
    row: dict[str, Any] = {
        "replicate": judgement.replicate,
        "shown_order": ORDERS[judgement.order],
        "variant": _json(judgement.variant),
        "status": STATUSES[judgement.status],
        "verdict": None,
        "source": None,
        "probs": None,
        "losses": None,
        "evidence": _evidence(judgement.evidence) if judgement.evidence else None,
        "reason": _legible(judgement.reason) if judgement.reason is not None else None,
        "usage": _json(judgement.usage) if judgement.usage is not None else None,
        "cost": judgement.cost,
        "latency": judgement.latency,
        "request": judgement.request,
        "subject_digest": judgement.subject_digest,
    }
    if belief is not None:
        losses = _losses(belief)
        mode = belief.mode
        row |= {
            "verdict": belief.options.index(mode) if mode is not None else None,
            "source": SOURCES[belief.source],
            "probs": _json(belief.probs),
            "losses": _json(losses) if losses != Losses() else None,
        }
    return row


def to_variant(text: str) -> str | None:
    """The prompt variant that a column holds."""
    return decode(text, str | None)  # type: ignore[arg-type]  # mypy: a union is no type


def to_options(text: str | None) -> tuple[str, ...]:
    """The options that a column holds; none where no belief has said them."""
    return decode(text, tuple[str, ...]) if text is not None else ()


def _json(value: Any) -> str:
    return encode(value).decode()


def _losses(belief: Distribution) -> Losses:
    said = {name: getattr(belief, name) for name in Losses.__struct_fields__}
    merged = tuple((_legible(one), _legible(other), mass) for one, other, mass in belief.merged)
    return Losses(**(said | {"merged": merged}))


def _evidence(evidence: tuple[Evidence, ...]) -> str:
    return _json([msgspec.structs.replace(part, text=_legible(part.text)) for part in evidence])


def _legible(text: str) -> str:
    return _LONE_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
