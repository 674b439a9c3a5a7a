"""The tables that judgements are kept in, and a judgement as a row of them. Knows no file and no reply.

Words that are counted are numbers here, so that SQL counts. The tables use nothing that is SQLite's alone.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Select,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    select,
)

from fiel.records import Distribution, Evidence, Judgement, Source, Status, Usage, decode, encode

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
ORDERS: dict[str | None, int] = {None: 0, "ab": 1, "ba": 2}
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
_SERVED = words.alias("served_words")
_WRITTEN = words.alias("written_words")


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


def rows() -> Select[Any]:
    """All judgements with everything that `from_row` needs, in the order of adding."""
    return (
        select(
            judgements,
            subjects.c.name.label("subject_name"),
            criteria.c.name.label("criterion_name"),
            criteria.c.digest.label("criterion_digest"),
            criteria.c.options,
            judges.c.name.label("judge_name"),
            judges.c.identity.label("judge_identity"),
            _SERVED.c.word.label("served_word"),
            _WRITTEN.c.word.label("written_word"),
        )
        .select_from(
            JOINED.outerjoin(_SERVED, _SERVED.c.id == judgements.c.served).outerjoin(
                _WRITTEN, _WRITTEN.c.id == judgements.c.written
            )
        )
        .order_by(judgements.c.id)
    )


def from_row(row: Any) -> Judgement:
    """The judgement of one of `rows`."""
    return Judgement(
        subject=row.subject_name,
        subject_digest=row.subject_digest,
        criterion=row.criterion_name,
        criterion_digest=row.criterion_digest,
        judge=row.judge_name,
        identity=row.judge_identity,
        served=row.served_word,
        status=to_word(STATUSES, row.status),
        belief=_belief(row) if row.probs is not None else None,
        written=row.written_word,
        evidence=decode(row.evidence, tuple[Evidence, ...]) if row.evidence is not None else (),
        reason=row.reason,
        replicate=row.replicate,
        order=to_word(ORDERS, row.shown_order),
        variant=to_variant(row.variant),
        usage=decode(row.usage, Usage) if row.usage is not None else None,
        cost=row.cost,
        latency=row.latency,
        request=row.request,
    )


def to_variant(text: str) -> str | None:
    """The prompt variant that a column holds."""
    variant: str | None = msgspec.json.decode(text)
    return variant


def to_options(text: str | None) -> tuple[str, ...]:
    """The options that a column holds; none where no belief has said them."""
    return decode(text, tuple[str, ...]) if text is not None else ()


def to_word(codes: dict[Any, int], code: int) -> Any:
    """The word that a number stands for."""
    return next(word for word, number in codes.items() if number == code)


def _belief(row: Any) -> Distribution:
    losses = decode(row.losses, Losses) if row.losses is not None else Losses()
    return Distribution(
        options=to_options(row.options),
        probs=decode(row.probs, tuple[float, ...]),
        source=to_word(SOURCES, row.source),
        **msgspec.structs.asdict(losses),
    )


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
