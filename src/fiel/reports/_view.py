"""What every format shows in the same order and the same words: rows, headlines, funnels. Knows no medium."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from fiel.measures import CriterionValidation, Decision, Funnel, Rate, Validation, Verdict
from fiel.reports._bundle import Report
from fiel.reports._numbers import count, in_words, share
from fiel.reports._place import Key
from fiel.reports._text import listing
from fiel.stats import Estimate

JUDGE_ALONE = "the mean of its probability of passing, not its share of passing verdicts; its bias is in it"
_SHOWN = 8  # figures in a headline
_SENTENCES = 6  # judges that have a headline of their own
_UNSCORED = {"inapplicable": "not applicable"}  # statuses that are not English as they stand


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One judge on one criterion: what was found of it, each part None where nobody asked.

    Args:
        judge: its name, told from others of the same name where there are any; criterion: its id.
        bar: what agreement is held against.
        found: agreement; rate: the passing rate; found_at, rate_at: their paths in the report.
    """

    judge: str
    criterion: str
    bar: float | None = None
    found: CriterionValidation | None = None
    rate: Rate | None = None
    found_at: tuple[Key, ...] = ()
    rate_at: tuple[Key, ...] = ()

    @property
    def funnel(self) -> Funnel | None:
        """The denominators, from whichever part there is."""
        part = self.found or self.rate
        return part.funnel if part else None


def rows(report: Report) -> tuple[Row, ...]:
    """One row per judge and criterion, the judges of a criterion together, in the order of the report."""
    found = {
        (validation.judge, validation.identity, part.criterion): (validation, part, ("validations", i, "criteria", j))
        for i, validation in enumerate(report.validations)
        for j, part in enumerate(validation.criteria)
    }
    rates = {(rate.judge, rate.identity, rate.criterion): (rate, ("rates", i)) for i, rate in enumerate(report.rates)}
    keys = list(dict.fromkeys([*found, *rates]))
    names = Counter(name for name, _ in {(key[0], key[1]) for key in keys})
    criteria = list(dict.fromkeys(key[2] for key in keys))
    result = []
    for key in sorted(keys, key=lambda key: criteria.index(key[2])):
        judge, identity, criterion = key
        validation, part, found_at = found.get(key, (None, None, ()))
        rate, rate_at = rates.get(key, (None, ()))
        result.append(
            Row(
                judge=judge if names[judge] == 1 else f"{judge} ({identity[:8]})",
                criterion=criterion,
                bar=validation.bar if validation else None,
                found=part,
                rate=rate,
                found_at=found_at,
                rate_at=rate_at,
            )
        )
    return tuple(result)


def grouped(lines: Iterable[Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """The rows by criterion."""
    groups: dict[str, list[Row]] = {}
    for line in lines:
        groups.setdefault(line.criterion, []).append(line)
    return tuple((criterion, tuple(group)) for criterion, group in groups.items())


def headlines(report: Report) -> tuple[str, ...]:
    """The sentences that answer first, one per judge; what can be said instead where nothing was validated."""
    if report.validations:
        return first_sentences(report.validations)
    if report.rates:
        groups: dict[tuple[str, str], list[Rate]] = {}
        for rate in report.rates:
            groups.setdefault((rate.judge, rate.identity), []).append(rate)
        return _named([(judge, corrected(group)) for (judge, _), group in groups.items()])
    if report.decisions:
        return (gates(report.decisions),)
    return ("No judge has been checked against people yet.",)


def first_sentences(validations: Sequence[Validation]) -> tuple[str, ...]:
    """A sentence for each judge that may decide anything, one for all that may not."""
    good = [v for v in validations if any(part.word == "use" for part in v.criteria)]
    none = [v for v in validations if v not in good]
    if len(validations) == 1:
        return (validations[0].headline,)
    alike = {v.headline for v in none}
    if not good and len(alike) == 1:
        which = "either of two" if len(none) == 2 else f"any of {in_words(len(none))}"
        return (f"{alike.pop().removesuffix('.')}, with {which} judges.",)
    said = [f"{v.judge}: {v.headline}" for v in good[:_SENTENCES]]
    if len(good) > _SENTENCES:
        said.append(f"{count(len(good) - _SENTENCES)} more judges may move some.")
    return (*said, f"{listing(tuple(v.judge for v in none))}: none yet.") if none else tuple(said)


def corrected(rates: Sequence[Rate]) -> str:
    """The corrected rates of one judge, one or more, in a sentence."""
    told = tuple(f"{rate.criterion} {share(rate.estimate.value)}" for rate in rates if rate.estimate.value is not None)
    if len(rates) == 1:
        return f"Corrected rate: {told[0]}." if told else f"The rate of {rates[0].criterion} cannot be told."
    if not told:
        return f"None of {in_words(len(rates))} rates can be told."
    of = in_words(len(rates)) if len(told) == len(rates) else f"{in_words(len(told))} of {in_words(len(rates))}"
    rest = "" if len(told) == len(rates) else "; the rest cannot be told"
    return f"Corrected rates of {of} criteria: {listing(told, _SHOWN)}{rest}."


def gates(decisions: Sequence[Decision]) -> str:
    """How the gates stand, in a sentence.

    >>> gates([])
    'There are no gates.'
    """
    if not decisions:
        return "There are no gates."
    counts = Counter(decision.verdict for decision in decisions)
    total = len(decisions)
    one: dict[Verdict, str] = {"pass": "passes", "fail": "fails", "undecided": "is undecided"}
    many: dict[Verdict, str] = {"pass": "pass", "fail": "fail", "undecided": "are undecided"}
    if len(counts) == 1:
        (verdict,) = counts
        return f"The gate {one[verdict]}." if total == 1 else f"All {total} gates {many[verdict]}."
    parts = [f"{counts[v]} {one[v] if counts[v] == 1 else many[v]}" for v in one if counts[v]]
    return f"Of {total} gates, {', '.join(parts[:-1])} and {parts[-1]}."


def unscored(funnel: Funnel) -> str:
    """How many items have no verdict, and why; empty where each has one.

    >>> unscored(Funnel(items=9, judged=9, scored=6, checked=0, unscored={"refused": 2, "error": 1},
    ...                 labelled=0, skipped=0, unresolved=0, both=0))
    '3 without a verdict (2 refused, 1 error)'
    """
    total = sum(funnel.unscored.values())
    reasons = (f"{count(n)} {unscored_name(name)}" for name, n in sorted(funnel.unscored.items(), key=_most_first))
    return f"{count(total)} without a verdict ({', '.join(reasons)})" if total else ""


def unscored_name(status: str) -> str:
    """Why there is no verdict, in English."""
    return _UNSCORED.get(status, status)


def steps(funnel: Funnel) -> tuple[str, ...]:
    """The funnel from all items down to those that agreement is counted on; a step that loses nothing is no step."""
    items, lost = f"{count(funnel.items)} items", unscored(funnel)
    if funnel.judged == funnel.items and not lost:
        items += ", all with a verdict" + _by_check(funnel)
        judged = ""
    else:
        judged = f"{count(funnel.judged)} judged" + _by_check(funnel)
    apart = f"{count(funnel.inapplicable)} not applicable" if funnel.inapplicable else ""
    odd = [f"{count(funnel.unresolved)} tied"] if funnel.unresolved else []
    if funnel.skipped:
        odd.append(f"{count(funnel.skipped)} answer{'s' if funnel.skipped > 1 else ''} skipped")
    labelled = f"{count(funnel.labelled)} labelled" + (f" ({', '.join(odd)})" if odd else "")
    return tuple(filter(None, (items, apart, judged, lost, labelled, f"{count(funnel.both)} with both")))


def only_checks(funnel: Funnel) -> bool:
    """Whether a deterministic check decided all that was decided."""
    return funnel.checked > 0 and funnel.checked == funnel.judged


def against(part: CriterionValidation) -> tuple[str, ...]:
    """The confusion matrix in words, a line per answer that people gave."""
    lines = []
    for gold, counts in zip(part.options, part.confusion, strict=True):
        said = [f"{option} ×{count(number)}" for option, number in zip(part.options, counts, strict=True) if number]
        if said:
            lines.append(f"people {gold} → judge {', '.join(said)}")
    return tuple(lines)


def bias_of(part: CriterionValidation) -> str:
    """On an ordered scale how far the judge is off, as a sentence with a space after it; else empty."""
    return f"{part.errors.sentence} " if part.errors and part.errors.bias.value is not None else ""


def people_absent(part: CriterionValidation) -> str:
    """Why nobody can say how often two people agree."""
    if part.raters > 1:
        return "no shared item"
    if part.raters == 1:
        return "one rater"
    return "no rater" if part.funnel.labelled else "no labels"


def in_groups(lines: Iterable[tuple[str, Estimate | None]]) -> str:
    """What n counts, where it is not items: of all lines, or of those that are named; else empty.

    >>> lone = Estimate(value=0.5, low=0.4, high=0.6, confidence=0.95, method="wilson", n=90)
    >>> pooled = Estimate(value=0.5, low=0.3, high=0.7, confidence=0.95, method="t, clusters", n=30)
    >>> in_groups([("one", pooled)]), in_groups([("one", pooled), ("two", lone)]), in_groups([("two", lone)])
    ('n counts groups of items that belong together', 'n counts groups of items that belong together on one', '')
    """
    shown = [(name, estimate) for name, estimate in lines if estimate is not None and estimate.value is not None]
    pooled = tuple(dict.fromkeys(name for name, estimate in shown if "clusters" in estimate.method))
    where = "" if len(pooled) == len({name for name, _ in shown}) else f" on {listing(pooled)}"
    return f"n counts groups of items that belong together{where}" if pooled else ""


def simulated(raters: Iterable[str]) -> str:
    """That raters are no people, where their names say so; else empty.

    >>> simulated(("ana", "simulated-1"))
    'These raters are simulated, not people: simulated-1.'
    """
    named = tuple(rater for rater in raters if "simulated" in rater.lower())
    return f"These raters are simulated, not people: {listing(named)}." if named else ""


def titles(report: Report) -> tuple[str, ...]:
    """Whose report it is and what it is called; once, where the title begins with the project."""
    begins = re.match(rf"{re.escape(report.project)}(?!\w)", report.title, re.IGNORECASE)
    return (report.title,) if begins else (report.project, report.title)


def warnings(report: Report) -> tuple[str, ...]:
    """What to know before relying on any of it, each sentence once: of the judges, then of the rubric and the rest."""
    return tuple(dict.fromkeys([*warnings_about(report.validations), *report.notes]))


def warnings_about(validations: Sequence[Validation]) -> tuple[str, ...]:
    """What to know of the judges, each sentence once; whose it is, where it is not of all of them."""
    about: dict[str, list[str]] = {}
    for validation in validations:
        for text in validation.warnings:
            about.setdefault(text, []).append(validation.judge)
    everybody = len(validations)
    return tuple(text if len(judges) == everybody else f"{', '.join(judges)}: {text}" for text, judges in about.items())


def name_of(decision: Decision, place: int) -> str:
    """What a gate is called: its name, else its criterion, else its place from 1."""
    return decision.name or decision.criterion or f"gate {place}"


def verdict_of(decision: Decision) -> str:
    """The verdict with its certainty; what is undecided is doubtful without saying so."""
    return decision.verdict if decision.verdict == "undecided" else f"{decision.verdict}, {decision.certainty}"


def asked_of(decision: Decision) -> str:
    """Which criterion a gate holds, whose figures, and how they were made: a raw rate must not pass for a corrected."""
    parts = (("criterion", decision.criterion), ("judge", decision.judge), ("method", decision.estimate.method))
    return " · ".join(f"{word} {name}" for word, name in parts if name)


def look_at(decision: Decision) -> str:
    """The items to look at first, in a row; empty where there are none."""
    return f"look at {listing(decision.items)}" if decision.items else ""


def studies(report: Report) -> tuple[Validation, ...]:
    """One validation for each rubric, group of people and bar that judges were held against."""
    parts: dict[tuple[str, tuple[str, ...], float, float], Validation] = {}
    for part in report.validations:
        parts.setdefault((part.rubric_digest, part.raters, part.bar, part.confidence), part)
    return tuple(parts.values())


def identities(report: Report) -> tuple[Validation | Rate, ...]:
    """The first part that names each judge."""
    parts: dict[tuple[str, str], Validation | Rate] = {}
    named: list[Validation | Rate] = [*report.validations, *report.rates]
    for part in named:
        parts.setdefault((part.judge, part.identity), part)
    return tuple(parts.values())


def judges_of(report: Report) -> tuple[str, ...]:
    """Who judged, as far as the gates alone say it."""
    return tuple(dict.fromkeys(decision.judge for decision in report.decisions if decision.judge))


def _named(lines: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(said if len(lines) == 1 else f"{judge}: {said}" for judge, said in lines)


def _by_check(funnel: Funnel) -> str:
    return f" ({count(funnel.checked)} by a check)" if funnel.checked else ""


def _most_first(entry: tuple[str, int]) -> tuple[int, str]:
    return (-entry[1], entry[0])
