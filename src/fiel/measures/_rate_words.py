"""A rate in words: its sentence and its warnings. Computes no rate and no interval."""

from __future__ import annotations

from fiel.measures._estimate import Samples
from fiel.measures._inputs import Inputs
from fiel.measures._tables import Table
from fiel.measures._warnings import FEW_LABELS, about_labels, few_groups, outside
from fiel.measures._words import counted, percent, share
from fiel.stats import Estimate, ShiftCheck


def sentence_of(table: Table, parts: Samples, estimate: Estimate, raw: Estimate | None) -> str:
    """The rate with its limits, what it was made from, what the judge alone says, what it bought, and the method."""
    name = f"*{table.criterion.id}*"
    alone = raw.value if raw else None
    if estimate.value is None or estimate.low is None or estimate.high is None:
        judge = f"; the judge alone says {share(alone)}, and its bias is unknown" if alone is not None else ""
        return f"The rate of answers that pass {name} cannot be told ({estimate.reason}){judge}."
    limits = f"[{share(estimate.low)}, {share(estimate.high)}] at {percent(estimate.confidence)} confidence"
    if table.by_check:
        count = counted(int(table.judge.judged.sum()), "answer")
        return (
            f"{share(estimate.value)} of answers pass {name} {limits} from {count}; a check decides it, without labels."
        )
    source = f"from {counted(len(parts.y), 'label')}"
    if parts.seen and len(parts.f_unlabelled):
        source += f" and {counted(len(parts.f_unlabelled), 'further judged answer')}"
    clauses = [f"{share(estimate.value)} of answers pass {name} {limits} {source}"]
    if alone is not None:
        clauses.append(f"the judge alone says {share(alone)}{_off(alone, estimate.value)}")
    if bought := _bought(estimate, parts):
        clauses.append(bought)
    clauses.append(f"method: {estimate.method}")
    return "; ".join(clauses) + "."


def warnings_of_rate(
    inputs: Inputs, table: Table, parts: Samples, estimate: Estimate, *, shift: ShiftCheck | None, was_told: bool
) -> tuple[str, ...]:
    """What to look at before believing the rate."""
    n = len(parts.y)
    if table.by_check:
        return tuple(outside(inputs, [table.criterion]))
    found = [*_of_labels(parts, estimate), *_of_judge(table, parts)]
    if inputs.design.kind == "convenience" and n:
        end = ", and you said that they may be read as if they were" if was_told else ""
        found.append(
            f"The labelled items were not drawn at random{end}: the rate may be off by more than its interval says."
        )
    if shift is not None and shift.different:
        found.append(f"The labelled items do not look like the rest: {shift_in_words(shift)}.")
    if line := few_groups(table, table.people.labelled):
        found.append(line)
    found += about_labels(inputs, table.criterion)
    found += outside(inputs, [table.criterion])
    return tuple(found)


def _of_labels(parts: Samples, estimate: Estimate) -> list[str]:
    """That there are few labels, or that labels or judge stand alone."""
    n, found = len(parts.y), []
    if 0 < n < FEW_LABELS:
        found.append(f"Fewer than {FEW_LABELS} labels ({n}): the interval is wide.")
    if parts.seen and len(parts.f_unlabelled) and estimate.value is not None and _adds_nothing(estimate):
        found.append(f"The judge adds nothing to the labels alone: {_too_little(estimate)}.")
    if n and not parts.seen:
        found.append("No labelled item has a belief of the judge: the rate is that of the labels alone.")
    elif n and not len(parts.f_unlabelled):
        found.append("No judged item is without a label: the rate is that of the labels alone.")
    return found


def _of_judge(table: Table, parts: Samples) -> list[str]:
    """What the judge has no verdict on, and what it was not asked."""
    judge, found = table.judge, []
    if unscored := sum(judge.unscored.values()):
        of = int(judge.judged.sum())
        reasons = ", ".join(f"{reason} {count}" for reason, count in judge.unscored.items())
        part = f"{unscored:,} of {counted(of, 'judged item')} ({percent(unscored / of)})"
        found.append(f"No verdict on {part}: {reasons}.")
    if parts.seen and (missing := int((table.people.labelled & ~judge.judged).sum())):
        found.append(f"{counted(missing, 'labelled item')} not judged: the judge's mean stands in.")
    return found


def shift_in_words(shift: ShiftCheck) -> str:
    """How the judge's values on labelled items differ from those on the rest."""
    if shift.mean_difference is None:
        return "there is nothing to compare"
    side = "higher" if shift.mean_difference > 0 else "lower"
    distance = "" if shift.distance is None else f", largest distance of the two distributions {share(shift.distance)}"
    return f"the judge's mean is {share(abs(shift.mean_difference))} {side} on them{distance}"


def _off(judge: float, corrected: float) -> str:
    """How far the judge is off, by the figures as they are shown."""
    distance = round(judge, 2) - round(corrected, 2)
    if abs(distance) < 0.005:
        return ""
    return f", which is {share(abs(distance))} too {'high' if distance > 0 else 'low'}"


def _bought(estimate: Estimate, parts: Samples) -> str | None:
    """What the judge adds to the labels alone; None where it had no part in the figure."""
    if not parts.seen or not len(parts.f_unlabelled):
        return None
    if _adds_nothing(estimate):
        return f"the judge adds nothing to the labels alone: {_too_little(estimate)}"
    saved = 1 - estimate.details.get("width_ratio", 1.0)
    if round(saved, 2) <= 0:
        return "the judge does not narrow the interval of the labels alone"
    return f"the judge narrows the interval of the labels alone by {percent(saved)}"


def _adds_nothing(estimate: Estimate) -> bool:
    """Whether the correlation of judge and labels is below what any gain needs, 1 / sqrt(n - 2)."""
    details = estimate.details
    return "rho_min" not in details or abs(details.get("rho", 0.0)) < details["rho_min"]


def _too_little(estimate: Estimate) -> str:
    details = estimate.details
    if "rho_min" not in details:
        return "fewer than 3 labels"
    if "rho" not in details:
        return "one of the two says the same of every labelled item"
    least = details["rho_min"]
    return f"|rho| = {share(abs(details['rho']), apart_from=(least,))} < {share(least)}"
