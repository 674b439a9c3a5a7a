"""What every format shows in the same order and the same words: rows, headlines, funnels. Knows no medium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from fiel.measures import CriterionValidation, Decision, Funnel, Rate, Validation, Verdict
from fiel.reports._bundle import Case, Report
from fiel.reports._text import listing


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One judge on one criterion: what was found of it, each part None where nobody asked.

    Args:
        judge: its name, told from others of the same name where there are any; criterion: its id.
        bar: what agreement is held against.
        found: agreement; rate: the passing rate; cases: the disagreements to show.
    """

    judge: str
    criterion: str
    bar: float | None = None
    found: CriterionValidation | None = None
    rate: Rate | None = None
    cases: tuple[Case, ...] = ()

    @property
    def funnel(self) -> Funnel | None:
        """The denominators, from whichever part there is."""
        part = self.found or self.rate
        return part.funnel if part else None


def rows(report: Report) -> tuple[Row, ...]:
    """One row per judge and criterion, the judges of a criterion together, in the order of the report."""
    found = {(v.judge, v.identity, c.criterion): (v, c) for v in report.validations for c in v.criteria}
    rates = {(r.judge, r.identity, r.criterion): r for r in report.rates}
    keys = list(dict.fromkeys([*found, *rates]))
    names = Counter(name for name, _ in {(key[0], key[1]) for key in keys})
    criteria = list(dict.fromkeys(key[2] for key in keys))
    result = []
    for key in sorted(keys, key=lambda key: criteria.index(key[2])):
        judge, identity, criterion = key
        validation, part = found.get(key, (None, None))
        result.append(
            Row(
                judge=judge if names[judge] == 1 else f"{judge} ({identity[:8]})",
                criterion=criterion,
                bar=validation.bar if validation else None,
                found=part,
                rate=rates.get(key),
                cases=tuple(c for c in report.cases if c.judge == judge and c.criterion == criterion),
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
    if len(report.validations) == 1:
        return (report.validations[0].headline,)
    if report.validations:
        return tuple(f"{validation.judge}: {validation.headline}" for validation in report.validations)
    if report.decisions:
        return (gates(report.decisions),)
    return ("No judge has been checked against people yet.",)


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
    """How many items have no verdict, and why.

    >>> unscored(Funnel(items=9, judged=9, scored=6, checked=0, unscored={"refused": 2, "error": 1},
    ...                 labelled=0, skipped=0, unresolved=0, both=0))
    '3 without a verdict (2 refused, 1 error)'
    """
    total = sum(funnel.unscored.values())
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(funnel.unscored.items(), key=_most_first))
    return f"{total:,} without a verdict ({reasons})" if total else "none without a verdict"


def steps(funnel: Funnel) -> tuple[str, ...]:
    """The funnel from all items down to those that agreement is counted on."""
    judged = f"{funnel.judged:,} judged" + (f" ({funnel.checked:,} by a check)" if funnel.checked else "")
    odd = [(funnel.unresolved, "tied"), (funnel.skipped, "skipped")]
    aside = ", ".join(f"{count:,} {word}" for count, word in odd if count)
    labelled = f"{funnel.labelled:,} labelled" + (f" ({aside})" if aside else "")
    return (f"{funnel.items:,} items", judged, unscored(funnel), labelled, f"{funnel.both:,} with both")


def against(part: CriterionValidation) -> tuple[str, ...]:
    """The confusion matrix in words, a line per answer that people gave."""
    lines = []
    for gold, counts in zip(part.options, part.confusion, strict=True):
        said = [f"{option} {count}" for option, count in zip(part.options, counts, strict=True) if count]
        if said:
            lines.append(f"people {gold} → judge {', '.join(said)}")
    return tuple(lines)


def warnings(report: Report) -> tuple[str, ...]:
    """What to know before relying on any of it: of the judges, then of the rubric and the rest."""
    several = len(report.validations) > 1
    said = [f"{v.judge}: {text}" if several else text for v in report.validations for text in v.warnings]
    return tuple(dict.fromkeys([*said, *report.notes]))


def name_of(decision: Decision, place: int) -> str:
    """What a gate is called: its name, else its criterion, else its place from 1."""
    return decision.name or decision.criterion or f"gate {place}"


def asked_of(decision: Decision) -> str:
    """Which criterion a gate holds, and whose figures; empty where neither is known."""
    parts = (("criterion", decision.criterion), ("judge", decision.judge))
    return ", ".join(f"{word} {name}" for word, name in parts if name)


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


def _most_first(entry: tuple[str, int]) -> tuple[int, str]:
    return (-entry[1], entry[0])
