"""What a reader should look at before believing a figure, in sentences. Knows tables and inputs, no estimate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from fiel.measures._inputs import Inputs
from fiel.measures._tables import Flags, Table, unit_values
from fiel.measures._wording import answered_other
from fiel.measures._words import counted, share
from fiel.records import Criterion

FEW_LABELS, FEW_GROUPS, FEW_ANSWERS = 50, 20, 10
WEIGHTED = (
    "The labelled items were drawn with unequal chances: shares, means and coefficients are weighted by the design, so "
    "that they speak of all items; counts, calibration and the alternative annotator test are of the sample."
)
_FEW_TIES = 0.05  # of the labelled items
_NARROW = 0.3 / 4  # a standard deviation of 0.3 on a scale of 1 to 5


def warnings_of(inputs: Inputs, tables: Sequence[Table]) -> tuple[str, ...]:
    """The warnings of a validation over several criteria."""
    found = [
        *_unlabelled(tables),
        *_few_labels(tables),
        *_few_answers(tables),
        *(line for table in tables if (line := few_groups(table, table.both))),
        *(line for table in tables if (line := _tied(table))),
        *(line for table in tables if (line := _narrow(table))),
        *(line for table in tables for line in about_labels(inputs, table.criterion)),
        *outside(inputs, [table.criterion for table in tables]),
    ]
    if inputs.uneven:
        found.append(WEIGHTED)
    return tuple(found)


def warnings_of_people(inputs: Inputs, tables: Sequence[Table]) -> tuple[str, ...]:
    """The warnings of what people say alone."""
    found = [
        *_unlabelled(tables),
        *_few_answers(tables),
        *(line for table in tables if (line := few_groups(table, table.people.labelled))),
        *(line for table in tables for line in about_labels(inputs, table.criterion)),
    ]
    return tuple(found)


def few_groups(table: Table, used: Flags) -> str | None:
    """That the items in `used` come in few clusters, if they do."""
    clusters = table.clusters(used)
    if clusters is None or (groups := len(np.unique(clusters))) >= FEW_GROUPS:
        return None
    come = f"{counted(len(clusters), 'labelled item')} come from only {counted(groups, 'group')}"
    return f"*{table.criterion.id}*: {come}: the interval is wide for that reason, and fragile."


def about_labels(inputs: Inputs, criterion: Criterion) -> tuple[str, ...]:
    """What the labels of a criterion say of themselves: another wording, a judge's answer in reach."""
    name, found = criterion.id, []
    labels = inputs.labels.get(name, ())
    frozen = inputs.wordings.get(name)
    other = sum(answered_other(label, criterion, frozen) for label in labels)
    if other:
        found.append(f"*{name}*: {counted(other, 'label')} answered another wording of the question than the judge.")
    aside = inputs.set_aside.get(name, {}).get("judge in reach", 0)
    if aside:
        verb = "does" if aside == 1 else "do"
        found.append(f"*{name}*: {counted(aside, 'label')} given with the judge's answer in reach {verb} not count.")
    seen = sum(label.judge_seen for label in labels)
    seen += sum(decision.judge_seen for decision in inputs.adjudications.get(name, {}).values())
    if seen:
        found.append(
            f"*{name}*: {counted(seen, 'answer')} of people came with the judge's in reach: they may lean towards it."
        )
    return tuple(found)


def outside(inputs: Inputs, criteria: Sequence[Criterion]) -> tuple[str, ...]:
    """How many records were left out because their items are not in the frame."""
    found = []
    for kind, which in (("judgement", 0), ("label", 1)):
        count = sum(inputs.outside[criterion.id][which] for criterion in criteria)
        if count:
            verb = "was" if count == 1 else "were"
            found.append(f"{counted(count, kind)} of items outside the frame {verb} left out.")
    return tuple(found)


def _unlabelled(tables: Sequence[Table]) -> list[str]:
    names = [f"*{table.criterion.id}*" for table in tables if not table.people.labelled.any()]
    return [f"No labels on {', '.join(names)}."] if names else []


def _few_labels(tables: Sequence[Table]) -> list[str]:
    counts = {table.criterion.id: int(table.people.labelled.sum()) for table in tables}
    few = [f"*{name}* ({count})" for name, count in counts.items() if 0 < count < FEW_LABELS]
    return [f"Fewer than {FEW_LABELS} labels on {', '.join(few)}: intervals are wide."] if few else []


def _few_answers(tables: Sequence[Table]) -> list[str]:
    answers: Counter[str] = Counter()
    for table in tables:
        for rater, count in zip(table.people.raters, (table.people.codes >= 0).sum(axis=0), strict=True):
            answers[rater] += int(count)
    return _listed({rater: count for rater, count in sorted(answers.items()) if count < FEW_ANSWERS})


def _listed(few: Mapping[str, int]) -> list[str]:
    if not few:
        return []
    who = ", ".join(f"{rater} ({count})" for rater, count in few.items())
    return [f"Raters with fewer than {FEW_ANSWERS} answers, too few to say how they agree: {who}."]


def _tied(table: Table) -> str | None:
    """That raters tie on many items and nobody decided: those that are left out are the hard ones."""
    tied, labelled = int((table.people.labelled & (table.people.gold < 0)).sum()), int(table.people.labelled.sum())
    if tied <= _FEW_TIES * labelled:
        return None
    return (
        f"*{table.criterion.id}*: raters tie on {tied:,} of {counted(labelled, 'labelled item')}, and nobody decided: "
        "agreement leaves them out, and flatters the judge where they are the hard ones."
    )


def _narrow(table: Table) -> str | None:
    """That the judge believes nearly the same of every item, unless people's answers vary as little."""
    values = unit_values(table.criterion)
    beliefs = table.judge.beliefs[table.judge.believed & ~table.judge.checked] @ values
    if len(beliefs) < FEW_ANSWERS or (spread := float(beliefs.std())) > _NARROW:
        return None
    gold = table.people.gold[table.people.gold >= 0]
    if len(gold) and float(values[gold].std()) <= _NARROW:
        return None
    return (
        f"*{table.criterion.id}*: the judge believes nearly the same of every item (a standard deviation of "
        f"{share(spread, apart_from=(_NARROW,))} on a scale from 0 to 1): it tells nothing apart."
    )
