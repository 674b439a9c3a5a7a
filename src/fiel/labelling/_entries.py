"""Checks of what comes in from a page, and its way into the records and back. Knows no store."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fiel.labelling._parts import parts, side_of, to_mark, to_own, to_side, to_span
from fiel.labelling._terms import NOT_APPLICABLE, Entry, Mark, Standing
from fiel.records import Assignment, Criterion, FielError, Given, Label, Pair, Subject, encode

SIDES = ("first", "second", "tie")
LONGEST_NOTE = 10_000
LONGEST_SKIP = 1_000
_LONGEST_KEY = 100
_MOST_MARKS = 200
_DAY = 86_400.0
_LARGEST = 2**31 - 1


def to_label(entry: Entry, assignment: Assignment, subject: Subject, criterion: Criterion, *, suggested: bool) -> Label:
    """The label that an entry stands for.

    Args:
        entry: what the page sent.
        assignment: the place.
        subject: what is shown there.
        criterion: what is asked.
        suggested: a machine's answer was shown beside it.

    Raises:
        FielError: the answer is no option to the letter, there is an answer and a skip, a skip without a reason, a mark
            outside its text, a strength where none belongs or none where one does, or a number out of its range.
    """
    check_key(entry.key, entry.version)
    is_pair = isinstance(subject, Pair)
    answer = check_answer(entry.answer, criterion, is_pair=is_pair)
    skipped = check_skip(entry.skipped, criterion)
    if answer is not None and skipped is not None:
        raise FielError("There is an answer and a reason to skip.", where="answer", fix="Send one of them.")
    _check_strength(entry, is_pair=is_pair)
    if not (math.isfinite(entry.seconds) and 0 <= entry.seconds <= _DAY):
        raise FielError(f"The time is {entry.seconds} seconds.", where="seconds", fix="Send 0 to 86400.")
    shown = side_of(subject, assignment)
    if len(entry.evidence) > _MOST_MARKS:
        raise FielError(f"{len(entry.evidence)} marks are too many.", where="evidence", fix=f"At most {_MOST_MARKS}.")
    texts = {part.name: len(part.text) for part in reversed(parts(subject, shown)) if part.markable}
    for mark in entry.evidence:
        _check_mark(mark, texts)
    label = Label(
        subject=assignment.subject,
        criterion=criterion.id,
        criterion_digest=criterion.digest,
        rater=assignment.rater,
        answer=to_own(answer, shown) if answer is not None and is_pair else answer,
        skipped=skipped,
        strength=entry.strength,
        flag=entry.flag,
        note=check_note(entry.note),
        evidence=tuple(to_span(mark, shown) for mark in entry.evidence),
        seconds=float(entry.seconds),
        judge_seen=suggested,
        repeat=assignment.repeat,
        shown=shown,
    )
    encode(label)  # raises where a text is none that can be kept
    return label


def to_standing(given: Given, *, is_pair: bool) -> Standing:
    """What stands, in the page's own terms."""
    label = given.label
    answer = label.answer
    return Standing(
        version=given.version,
        answer=to_side(answer, label.shown) if answer is not None and is_pair else answer,
        skipped=label.skipped,
        strength=label.strength,
        flag=label.flag,
        note=label.note,
        evidence=tuple(to_mark(span, label.shown) for span in label.evidence),
        seconds=label.seconds,
    )


def check_key(key: str, version: int) -> None:
    """Raise unless a write has a name of its own and a version.

    Raises:
        FielError: it has not.
    """
    if not key.strip() or len(key) > _LONGEST_KEY or not key.isprintable():
        raise FielError("A write needs a key of its own.", where="key", fix="Send a UUID for each write.")
    if not 0 <= version <= _LARGEST:
        raise FielError(f"The version is {version}.", where="version", fix="Send the one that was read last, or 0.")


def check_answer(answer: str | None, criterion: Criterion, *, is_pair: bool) -> str | None:
    """The answer, if it is one of the options to the letter.

    Raises:
        FielError: it is not.
    """
    options = SIDES if is_pair else criterion.options
    if answer is not None and answer not in options:
        raise FielError(
            f"{answer!r} is no answer to {criterion.id!r}.", where="answer", fix=f"The answers are {list(options)}."
        )
    return answer


def check_skip(reason: str | None, criterion: Criterion) -> str | None:
    """The reason of a skip; "not applicable" is one where the criterion says when it applies.

    Raises:
        FielError: it is empty, too long, or "not applicable" where that is no answer.
    """
    if reason is None:
        return None
    if not reason.strip():
        raise FielError("A skip has no reason.", where="skipped", fix="Say why, in a word or two.")
    if len(reason) > LONGEST_SKIP:
        raise FielError(
            f"The reason has {len(reason)} characters.", where="skipped", fix=f"At most {LONGEST_SKIP} are kept."
        )
    if reason.strip().casefold() != NOT_APPLICABLE:
        return reason
    if criterion.applies_when is None:
        raise FielError(
            f"{criterion.id!r} always applies: it has no applies_when.", where="skipped", fix="Give another reason."
        )
    return NOT_APPLICABLE


def check_note(note: str | None) -> str | None:
    """The note, None where it says nothing.

    Raises:
        FielError: it is too long.
    """
    if note is not None and len(note) > LONGEST_NOTE:
        raise FielError(f"The note has {len(note)} characters.", where="note", fix=f"At most {LONGEST_NOTE} are kept.")
    return note if note is not None and note.strip() else None


def _check_strength(entry: Entry, *, is_pair: bool) -> None:
    sided = is_pair and entry.answer in {"first", "second"}
    if sided and entry.strength not in {1, 2}:
        raise FielError(
            f"The strength is {entry.strength}.", where="strength", fix="Send 2 for clearly, 1 for slightly."
        )
    if not sided and entry.strength is not None:
        raise FielError(
            "Only the choice of one answer of a pair has a strength.", where="strength", fix="Leave strength out."
        )


def _check_mark(mark: Mark, texts: Mapping[str, int]) -> None:
    if mark.part not in texts:
        raise FielError(
            f"Nothing can be marked in {mark.part!r}.", where="evidence", fix=f"Mark in one of: {', '.join(texts)}."
        )
    if not 0 <= mark.start < mark.end <= texts[mark.part]:
        raise FielError(
            f"A mark from {mark.start} to {mark.end} does not lie in {mark.part!r}, of {texts[mark.part]} characters.",
            where="evidence",
            fix="Count in code points from 0; the end is behind the last one.",
        )
