"""How each rater worked: time against length, runs, repeats, suggestions taken unread. Reports, and excludes nobody.

Knows no judge: a suggestion is a field of the item that raters were shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from statistics import median

import msgspec

from fiel.labelling._parts import length
from fiel.records import Assignment, Given, Label, Study, Subject

FASTEST = 60.0
"""Characters a second that nobody reads faster: 600 words of six a minute; silent reading is about 240.

Brysbaert (2019), How many words do we read per minute?, Journal of Memory and Language 109.
"""

SUGGESTION = "pre_label"
"""The item field that holds a suggested answer; `pre_label.CRITERION` where there are several criteria."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The longest run of equal answers to one criterion, in the order of the queue.

    Args:
        criterion: what was asked.
        answer: that was repeated.
        length: how often, one after another.
        of: how many answers the rater gave, and `given` how many of them were this one.
        chance: the probability of a run at least so long if the same answers had come in random order.
    """

    criterion: str
    answer: str
    length: int
    given: int
    of: int
    chance: float


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How one rater worked. Shares are counts here, so that they travel with their n.

    Args:
        rater: who.
        assigned: subjects in the queue, repeats aside.
        answered: answers, over all criteria; skipped: skips; flagged: flags.
        not_blind: answers given with a judge's or a suggested answer in reach.
        timed: subjects of which the time is known, and `seconds` its median; None where there is none.
        fast: of those, how many took less time than it takes to read them (`FASTEST`).
        run: the longest run of equal answers, of the criterion where it surprises most; None where there is no answer.
        repeats: hidden repeats answered both times, and `changed` how many of them differently.
        suggested: answers where a suggestion was shown, `accepted` those that are the suggestion, and `unread` those of
            them that were fast.
    """

    rater: str
    assigned: int
    answered: int
    skipped: int
    flagged: int
    not_blind: int
    timed: int
    seconds: float | None
    fast: int
    run: Run | None
    repeats: int
    changed: int
    suggested: int
    accepted: int
    unread: int


def pace(study: Study, assignments: Iterable[Assignment], givens: Iterable[Given]) -> tuple[Pace, ...]:
    """How each rater of the study worked, in the order of the study; a rater without answers is there too.

    Args:
        study: with its subjects as they were shown.
        assignments: the queues.
        givens: what stands.
    """
    subjects = {subject.id: subject for subject in study.subjects}
    assigned = Counter(assignment.rater for assignment in assignments if assignment.repeat == 0)
    by_rater: defaultdict[str, list[Given]] = defaultdict(list)
    for given in givens:
        by_rater[given.label.rater].append(given)
    order = [criterion.id for criterion in study.rubric.criteria]
    return tuple(_pace(rater, assigned[rater], by_rater[rater], subjects, order) for rater in study.raters)


def is_fast(seconds: float | None, subject: Subject) -> bool:
    """Whether nobody can have read the subject in this time; False where the time is not known."""
    return seconds is not None and seconds < length(subject) / FASTEST


def is_suggested(subject: Subject, criterion: str) -> bool:
    """Whether raters are shown a suggested answer to this criterion."""
    return _suggestion(subject, criterion) is not None


def seconds_by_rater(givens: Iterable[Given]) -> dict[str, float | None]:
    """Of one subject the seconds that each rater took for all criteria together; repeats aside."""
    found: dict[str, float | None] = {}
    for given in givens:
        label = given.label
        if label.repeat == 0 and label.seconds is not None:
            found[label.rater] = (found.get(label.rater) or 0.0) + label.seconds
    return found


def run_chance(run: int, given: int, of: int) -> float:
    """The probability that `given` equal answers among `of` have a run of at least `run` in random order.

    The others make `of - given + 1` gaps, each filled with fewer than `run` of the equal ones: inclusion and exclusion
    over the gaps that are too full (Feller, An Introduction to Probability Theory, vol. 1, 3rd ed., II.5 and IV.1).

    >>> round(run_chance(2, 2, 3), 3)  # of xxo, xox, oxx two have a run of two
    0.667
    """
    if run <= 0:
        return 1.0
    gaps = of - given + 1
    short: int = sum(
        (-1) ** full * comb(gaps, full) * comb(given - full * run + gaps - 1, gaps - 1)
        for full in range(min(gaps, given // run) + 1)
    )
    every: int = comb(of, given)
    return (every - short) / every


def _pace(
    rater: str, assigned: int, givens: Sequence[Given], subjects: Mapping[str, Subject], criteria: Sequence[str]
) -> Pace:
    first = [given.label for given in sorted(givens, key=lambda given: given.place) if given.label.repeat == 0]
    seconds = _seconds(label for label in first if label.answer is not None or label.skipped is not None)
    fast = {subject for subject, took in seconds.items() if is_fast(took, subjects[subject])}
    answered = [label for label in first if label.answer is not None]
    both, changed = _against_oneself(first, [given.label for given in givens if given.label.repeat > 0])
    suggested = [label for label in answered if is_suggested(subjects[label.subject], label.criterion)]
    accepted = [x for x in suggested if x.answer == _suggestion(subjects[x.subject], x.criterion)]
    return Pace(
        rater=rater,
        assigned=assigned,
        answered=len(answered),
        skipped=sum(label.skipped is not None for label in first),
        flagged=sum(label.flag for label in first),
        not_blind=sum(label.blind is False or label.judge_seen for label in answered),
        timed=len(seconds),
        seconds=median(seconds.values()) if seconds else None,
        fast=len(fast),
        run=_longest_run(answered, criteria),
        repeats=both,
        changed=changed,
        suggested=len(suggested),
        accepted=len(accepted),
        unread=sum(label.subject in fast for label in accepted),
    )


def _seconds(labels: Iterable[Label]) -> dict[str, float]:
    """Subject to the seconds over all its criteria."""
    found: dict[str, float] = {}
    for label in labels:
        if label.seconds is not None:
            found[label.subject] = found.get(label.subject, 0.0) + label.seconds
    return found


def _against_oneself(first: Iterable[Label], repeats: Iterable[Label]) -> tuple[int, int]:
    """How many questions were answered again, and how many of them differently."""
    before = {(label.subject, label.criterion): label.answer for label in first}
    pairs = [(before.get((label.subject, label.criterion)), label.answer) for label in repeats]
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return len(both), sum(one != other for one, other in both)


def _longest_run(answered: Sequence[Label], criteria: Sequence[str]) -> Run | None:
    runs = [_run(criterion, [x.answer for x in answered if x.criterion == criterion]) for criterion in criteria]
    return min((run for run in runs if run is not None), key=lambda run: (run.chance, -run.length), default=None)


def _run(criterion: str, answers: Sequence[str | None]) -> Run | None:
    best, at, length_now = 0, "", 0
    for place, answer in enumerate(answers):
        length_now = length_now + 1 if place and answer == answers[place - 1] else 1
        if length_now > best and answer is not None:
            best, at = length_now, answer
    if not best:
        return None
    given = sum(answer == at for answer in answers)
    chance = run_chance(best, given, len(answers))
    return Run(criterion=criterion, answer=at, length=best, given=given, of=len(answers), chance=chance)


def _suggestion(subject: Subject, criterion: str) -> str | None:
    found = subject.fields.get(f"{SUGGESTION}.{criterion}", subject.fields.get(SUGGESTION))
    return None if found is None else str(found)
