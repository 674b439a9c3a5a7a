"""What a corrected rate rests on: each assumption, and whether it holds, fails, or cannot be checked. Knows no rate."""

from __future__ import annotations

from fiel.measures._estimate import Samples
from fiel.measures._inputs import Inputs
from fiel.measures._rate_words import shift_in_words
from fiel.measures._results_rates import Assumption, Standing
from fiel.measures._tables import Table
from fiel.measures._wording import answered_other
from fiel.measures._words import counted
from fiel.stats import ShiftCheck, shift_check

_DRAWN: dict[str, Standing] = {
    "random": "holds",
    "stratified": "holds",
    "census": "holds",
    "convenience": "fails",
    "unknown": "cannot be checked",
}


def shift_of(table: Table, parts: Samples) -> ShiftCheck | None:
    """Whether the labelled items look like the rest to the judge; None where chances were unequal on purpose."""
    believed = table.judge.believed
    if parts.weights is not None or not parts.seen:
        return None
    labelled, others = parts.labelled & believed, parts.others & believed
    groups = None if parts.clusters is None else table.groups
    return shift_check(
        table.probability[labelled],
        table.probability[others],
        clusters=None if groups is None else groups[labelled],
        clusters_unlabelled=None if groups is None else groups[others],
    )


def standings(
    inputs: Inputs, table: Table, parts: Samples, *, shift: ShiftCheck | None, was_told: bool
) -> tuple[Assumption, ...]:
    """Every assumption with how it stands; none where nothing is estimated from labels."""
    if not len(parts.y) or table.by_check:
        return ()
    end = " You said that they may be read as a random draw." if was_told else ""
    found = [
        *_of_the_draw(inputs, parts, shift, end),
        Assumption(
            name="independent items" if parts.clusters is None else "independent groups",
            standing="cannot be checked",
            text=_independence(parts),
        ),
        Assumption(name="gold", standing="cannot be checked", text=_gold(table)),
        _same_words(inputs, table),
        _blind(inputs, table),
        _unscored(table, parts),
    ]
    if parts.weights is not None:
        text = "Each labelled item counts by 1 / its chance of being drawn, as the design has it."
        found.insert(1, Assumption(name="weights", standing="holds", text=text))
    return tuple(found)


def _of_the_draw(inputs: Inputs, parts: Samples, shift: ShiftCheck | None, end: str) -> list[Assumption]:
    """That the labelled items were drawn at random, and that they look like the rest; of a census neither is asked."""
    design = inputs.design.kind
    if design in ("unknown", "census") and len(parts.y) and not len(parts.f_unlabelled):
        text = "Every item that counts is labelled: nothing had to be drawn."
        return [Assumption(name="random draw", standing="holds", text=text)]
    return [Assumption(name="random draw", standing=_DRAWN[design], text=f"{_draw(inputs)}{end}"), _alike(shift, parts)]


def assumptions_of(inputs: Inputs, table: Table, parts: Samples) -> tuple[str, ...]:
    """What had to be assumed, as sentences."""
    if not len(parts.y):
        return ()
    found = [_draw(inputs), _independence(parts), _gold(table)]
    filled = int((table.judge.judged & ~table.judge.believed).sum())
    if filled and parts.seen:
        found.append(_filled(filled))
    return tuple(found)


def _alike(shift: ShiftCheck | None, parts: Samples) -> Assumption:
    name = "labelled like the rest"
    if parts.weights is not None:
        text = "The labelled items were drawn with unequal chances, so that they differ from the rest on purpose."
        return Assumption(name=name, standing="cannot be checked", text=text)
    if shift is None or shift.different is None:
        text = "There is too little to compare the labelled items with."
        return Assumption(name=name, standing="cannot be checked", text=text)
    if shift.different:
        text = f"The labelled items do not look like the rest: {shift_in_words(shift)}."
        return Assumption(name=name, standing="fails", text=text)
    text = "The labelled items look like the rest to the judge, which sees no difference; that proves none."
    return Assumption(name=name, standing="holds", text=text)


def _same_words(inputs: Inputs, table: Table) -> Assumption:
    criterion, name = table.criterion, "same words"
    labels = inputs.labels.get(criterion.id, ())
    wording = inputs.wordings.get(criterion.id)
    other = sum(answered_other(label, criterion, wording) for label in labels)
    if other:
        text = f"{counted(other, 'label')} answered another wording of the question than the judge."
        return Assumption(name=name, standing="fails", text=text)
    if wording is None and any(label.criterion_digest is None for label in labels):
        text = "People answered the same words as the judge: nothing says which words they answered."
        return Assumption(name=name, standing="cannot be checked", text=text)
    return Assumption(name=name, standing="holds", text="People answered the same words as the judge.")


def _blind(inputs: Inputs, table: Table) -> Assumption:
    labels = inputs.labels.get(table.criterion.id, ())
    decisions = inputs.adjudications.get(table.criterion.id, {}).values()
    seen = sum(label.judge_seen for label in labels) + sum(decision.judge_seen for decision in decisions)
    if seen:
        text = f"{counted(seen, 'answer')} of people came with the judge's in reach: they may lean towards it."
        return Assumption(name="blind", standing="fails", text=text)
    if any(label.blind is None for label in labels):
        text = "People answered without seeing the judge: nothing says so."
        return Assumption(name="blind", standing="cannot be checked", text=text)
    return Assumption(name="blind", standing="holds", text="People answered without seeing the judge.")


def _unscored(table: Table, parts: Samples) -> Assumption:
    filled = int(((parts.labelled | parts.others) & ~table.judge.believed).sum())
    if not filled or not parts.seen:
        return Assumption(name="unscored", standing="holds", text="The judge has a belief on every item that is used.")
    return Assumption(name="unscored", standing="cannot be checked", text=_filled(filled))


def _filled(filled: int) -> str:
    return f"The {counted(filled, 'answer')} that the judge gave no belief on would score like its mean on the others."


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
