"""Passing rates of a rubric in words: corrected, beside the judge alone and the labels alone. Knows no bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiel.measures._estimate import Samples, corrected_rate, labels_alone, raw_rate, samples
from fiel.measures._inputs import Inputs, check_confidence, check_kind, gather
from fiel.measures._results import Rate
from fiel.measures._tables import Table, tabulate
from fiel.measures._warnings import FEW_LABELS, about_labels, few_groups, outside
from fiel.measures._words import counted, percent, share
from fiel.records import CalibrationSet, Judgement, Label, Rubric, Subject
from fiel.stats import Estimate


def rates(
    judgements: Iterable[Judgement],
    labels: Iterable[Label] | CalibrationSet = (),
    *,
    rubric: Rubric,
    items: Sequence[Subject] = (),
    confidence: float = 0.95,
) -> tuple[Rate, ...]:
    """The passing rate of every criterion of `rubric`, as `estimate` has it, with what it rests on.

    Args:
        judgements: of one judge under one identity, at most one for each item and criterion.
        labels: of people, or a calibration set, which brings decisions, groups and the design of the draw.
        rubric: what was asked.
        items: the frame, with its groups; without it, all that was judged or labelled.
        confidence: of the intervals.

    Raises:
        FielError: judgements that do not belong together, or answers that are no option.
    """
    check_confidence(confidence)
    check_kind("rubric", rubric, Rubric, "a Rubric")
    inputs = gather(judgements, labels, criteria=rubric.criteria, items=items)
    return tuple(_rate(inputs, tabulate(inputs, criterion), confidence) for criterion in rubric.criteria)


def _rate(inputs: Inputs, table: Table, confidence: float) -> Rate:
    parts = samples(table)
    estimate = corrected_rate(table, uneven=inputs.uneven, side="both", confidence=confidence)
    believed = bool(table.judge.believed.any())
    raw = raw_rate(table, side="both", confidence=confidence) if believed else None
    classical = labels_alone(parts, side="both", confidence=confidence) if len(parts.y) else None
    return Rate(
        criterion=table.criterion.id,
        passing=table.criterion.passes,
        judge=inputs.judge or "",
        identity=inputs.identity or "",
        estimate=estimate,
        raw=raw,
        classical=classical,
        bias=float((parts.f - parts.y).mean()) if parts.seen else None,
        funnel=table.funnel,
        sentence=_sentence(table, parts, estimate, raw),
        assumptions=_assumptions(inputs, table, parts),
        warnings=_warnings(inputs, table, parts, estimate),
    )


def _sentence(table: Table, parts: Samples, estimate: Estimate, raw: Estimate | None) -> str:
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
    return "; ".join(clauses) + "."


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


def _assumptions(inputs: Inputs, table: Table, parts: Samples) -> tuple[str, ...]:
    if not len(parts.y):
        return ()
    found = [_draw(inputs), _independence(parts), _gold(table)]
    filled = int((table.judge.judged & ~table.judge.believed).sum())
    if filled and parts.seen:
        found.append(
            f"The {counted(filled, 'answer')} that the judge gave no belief on would score like its mean on the others."
        )
    return tuple(found)


def _draw(inputs: Inputs) -> str:
    start, design = "The labelled items are a random draw of the items judged", inputs.design
    if design.kind in ("random", "stratified"):
        frame = "" if design.frame is None else f" from {counted(design.frame, 'item')}"
        seed = "" if design.seed is None else f", seed {design.seed}"
        return f"{start}: the calibration set says that they were drawn at random{frame}{seed}."
    if design.kind == "census":
        return f"{start}: the calibration set says that every item of its frame was to be labelled."
    if design.kind == "convenience":
        return f"{start}: the calibration set says that they were not, but picked at convenience."
    return f"{start}: not checked, nothing says how they were drawn."


def _independence(parts: Samples) -> str:
    if parts.clusters is None:
        return "Items are independent of each other."
    groups = len(set(parts.clusters.tolist()))
    return (
        f"Items of one group belong together and groups are independent: {counted(len(parts.y), 'labelled item')} "
        f"count as {counted(groups, 'group')}."
    )


def _gold(table: Table) -> str:
    people = table.people
    decided = int(people.adjudicated.sum())
    if not people.raters:
        return f"The right answer is the adjudicated one, on {counted(decided, 'item')}."
    if len(people.raters) == 1:
        rule = "The right answer is that of one rater"
    else:
        rule = f"The right answer is the majority of up to {len(people.raters)} raters, and a tie counts one half"
    return f"{rule}; {counted(decided, 'adjudicated answer')} took its place." if decided else f"{rule}."


def _warnings(inputs: Inputs, table: Table, parts: Samples, estimate: Estimate) -> tuple[str, ...]:
    n, judge = len(parts.y), table.judge
    found: list[str] = []
    if table.by_check:
        return tuple(outside(inputs, [table.criterion]))
    if 0 < n < FEW_LABELS:
        found.append(f"Fewer than {FEW_LABELS} labels ({n}): the interval is wide.")
    if parts.seen and len(parts.f_unlabelled) and estimate.value is not None and _adds_nothing(estimate):
        found.append(f"The judge adds nothing to the labels alone: {_too_little(estimate)}.")
    if n and not parts.seen:
        found.append("No labelled item has a belief of the judge: the rate is that of the labels alone.")
    elif n and not len(parts.f_unlabelled):
        found.append("No judged item is without a label: the rate is that of the labels alone.")
    if unscored := sum(judge.unscored.values()):
        of = int(judge.judged.sum())
        reasons = ", ".join(f"{reason} {count}" for reason, count in judge.unscored.items())
        part = f"{unscored:,} of {counted(of, 'judged item')} ({percent(unscored / of)})"
        found.append(f"No verdict on {part}: {reasons}.")
    if parts.seen and (missing := int((table.people.labelled & ~judge.judged).sum())):
        found.append(f"{counted(missing, 'labelled item')} not judged: the judge's mean stands in.")
    if inputs.design.kind == "convenience" and n:
        found.append("The labelled items were not drawn at random: the rate may be off by more than its interval says.")
    if line := few_groups(table, table.people.labelled):
        found.append(line)
    found += about_labels(inputs, table.criterion)
    found += outside(inputs, [table.criterion])
    return tuple(found)
