"""What raters split on: the queue, one cell of it with shuffled letters, and the decision. Knows no store and no judge.

Only first showings count here; hidden repeats are a matter of the rater alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Literal, NamedTuple

from fiel.labelling._book import Decided
from fiel.labelling._entries import check_answer, check_key, check_note, check_skip
from fiel.labelling._pace import is_fast
from fiel.labelling._parts import Shown, to_mark, to_own, to_side
from fiel.labelling._seeded import below, shuffled
from fiel.labelling._terms import NOT_APPLICABLE, Card, Decision, QueueEntry, Verdict
from fiel.records import Adjudication, Criterion, FielError, Given, Label, Pair, Study, Subject, encode

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDER = ("a", "tie", "b")


class Coordinates(NamedTuple):
    """A cell: subject and criterion, by their ids."""

    subject: str
    criterion: str


def numbering(study: Study) -> tuple[Coordinates, ...]:
    """All cells, each at the place of its number; the order is drawn from the seed and encodes nothing."""
    cells = [Coordinates(subject.id, criterion.id) for subject in study.subjects for criterion in study.rubric.criteria]
    return tuple(shuffled(cells, study.seed, "cells"))


def by_cell(givens: Iterable[Given]) -> dict[Coordinates, list[Label]]:
    """The labels of first showings that say something, by cell, in the order of the raters' names."""
    found: defaultdict[Coordinates, list[Label]] = defaultdict(list)
    for given in givens:
        label = given.label
        if label.repeat == 0 and (label.answer is not None or label.skipped is not None or label.flag or label.note):
            found[Coordinates(label.subject, label.criterion)].append(label)
    return {cell: sorted(labels, key=lambda label: label.rater) for cell, labels in found.items()}


def answers(labels: Iterable[Label]) -> tuple[str, ...]:
    """What was answered, "not applicable" among it; a question that was skipped for another reason has no answer."""
    said = (NOT_APPLICABLE if label.skipped == NOT_APPLICABLE else label.answer for label in labels)
    return tuple(answer for answer in said if answer is not None)


def queue_entry(
    number: int, labels: Sequence[Label], criterion: Criterion, decided: Decided | None, *, is_pair: bool
) -> QueueEntry | None:
    """The cell's line in the queue; None where raters agree, nobody skipped or flagged, and nothing was decided."""
    said = answers(labels)
    kinds: list[Literal["split", "flagged", "skipped"]] = []
    if len(set(said)) > 1:
        kinds.append("split")
    if any(label.flag for label in labels):
        kinds.append("flagged")
    if any(label.skipped not in {None, NOT_APPLICABLE} for label in labels):
        kinds.append("skipped")
    stands = decided is not None and decided.decision.reason is not None
    if not kinds and not stands:
        return None
    return QueueEntry(
        n=number,
        kinds=tuple(kinds),
        spread=spread(said, criterion, is_pair=is_pair),
        decided=stands,
        changed=has_changed(decided, labels),
    )


def spread(said: Sequence[str], criterion: Criterion, *, is_pair: bool) -> float:
    """How far answers lie apart, from 0 (all the same) to 1.

    On an ordered scale, of a pair too: the range as a share of the whole scale. On a nominal one, or where one answer
    is "not applicable": the share of the raters who did not give the answer most given.
    """
    if len(set(said)) < 2:
        return 0.0
    options = _ORDER if is_pair else criterion.options
    if (is_pair or criterion.scale != "nominal") and set(said) <= set(options):
        values = criterion.values if criterion.scale == "interval" and not is_pair else None
        places = values or tuple(float(place) for place in range(len(options)))
        found = [places[options.index(answer)] for answer in said]
        return (max(found) - min(found)) / (max(places) - min(places))
    return 1 - max(said.count(answer) for answer in said) / len(said)


def has_changed(decided: Decided | None, labels: Iterable[Label]) -> bool:
    """Whether the raters' answers are no longer those that were decided on."""
    return decided is not None and decided.decision.reason is not None and decided.decision.before != answers(labels)


def cards(
    labels: Sequence[Label], seconds: Mapping[str, float | None], study: Study, subject: Subject, *, revealed: bool
) -> tuple[Card, ...]:
    """One card per rater, letters drawn for this cell.

    Args:
        labels: of the cell, at least one.
        seconds: that each rater took for the whole subject.
        study: that it belongs to.
        subject: of the cell.
        revealed: tell the names too.
    """
    cell = labels[0].subject, labels[0].criterion
    shown = side_for_adjudicator(study, subject)
    in_order = shuffled(labels, study.seed, "letters", *cell)
    return tuple(
        Card(
            letter=letter,
            answer=to_side(label.answer, shown) if label.answer is not None and shown else label.answer,
            skipped=label.skipped,
            strength=label.strength,
            flag=label.flag,
            note=label.note,
            evidence=tuple(to_mark(span, shown) for span in label.evidence),
            seconds=label.seconds,
            fast=is_fast(seconds.get(label.rater), subject),
            name=label.rater if revealed else None,
        )
        for letter, label in zip(_letters(), in_order, strict=False)
    )


def side_for_adjudicator(study: Study, subject: Subject) -> Shown:
    """The side on which a pair's answers stand for whoever decides; None of an item."""
    if not isinstance(subject, Pair):
        return None
    return "ba" if below(2, study.seed, "adjudicator", subject.id) else "ab"


def to_verdict(decided: Decided, shown: Shown) -> Verdict:
    """A decision in the page's own terms."""
    answer = decided.decision.answer
    return Verdict(
        version=decided.version,
        answer=to_side(answer, shown) if answer is not None and shown else answer,
        skipped=decided.decision.skipped,
        reason=decided.decision.reason,
        note=decided.decision.why,
    )


def to_adjudication(
    decision: Decision,
    labels: Sequence[Label],
    criterion: Criterion,
    subject: Subject,
    *,
    by: str,
    own: bool,
    shown: Shown,
) -> Adjudication:
    """The record of a decision; the store adds when, and whether the judge's answers were in reach.

    Raises:
        FielError: the answer is no option, "true split" or "item broken" comes with an answer or another reason without
            one, nobody split, or an answer that nobody gave comes without a note.
    """
    check_key(decision.key, decision.version)
    answer = check_answer(decision.answer, criterion, is_pair=shown is not None)
    own_answer = to_own(answer, shown) if answer is not None and shown else answer
    skipped = check_skip(decision.skipped, criterion)
    if skipped not in {None, NOT_APPLICABLE}:
        raise FielError("A decision is not skipped.", where="skipped", fix=f"Send {NOT_APPLICABLE!r} or nothing.")
    note = check_note(decision.note)
    before = answers(labels)
    _check_decision(decision, note, before, NOT_APPLICABLE if skipped else own_answer)
    made = Adjudication(
        subject=subject.id,
        criterion=criterion.id,
        answer=own_answer,
        by=by,
        at="",
        before=before,
        why=note,
        reason=decision.reason,
        skipped=skipped,
        own=own,
    )
    encode(made)  # raises where a text is none that can be kept
    return made


def _check_decision(decision: Decision, note: str | None, before: tuple[str, ...], decided: str | None) -> None:
    if decision.answer is not None and decision.skipped is not None:
        raise FielError("There is an answer and not applicable.", where="answer", fix="Send one of them.")
    if decision.reason is None:
        if decided is not None:
            raise FielError("A decision has no reason.", where="reason", fix="Choose why.")
        return
    if decision.reason in {"true split", "item broken"}:
        if decided is not None:
            raise FielError(f"{decision.reason!r} comes with an answer.", where="answer", fix="Leave the answer out.")
        if decision.reason == "true split" and len(set(before)) < 2:
            raise FielError("Nobody split on this.", where="reason", fix="Choose another reason.")
        return
    if decided is None:
        raise FielError("A decision has no answer.", where="answer", fix="Choose one, or call it a true split.")
    if decided not in before and note is None:
        raise FielError("No rater gave this answer.", where="note", fix="Say in a note why it is right.")


def _letters() -> Iterable[str]:
    """A to Z, then A2 to Z2 and so on."""
    for turn in count(1):
        for letter in _LETTERS:
            yield letter if turn == 1 else f"{letter}{turn}"
