"""A share by the values of a field of the items, corrected for many looks. Knows no judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fiel.measures._results_figures import SliceFigures, SliceTable
from fiel.measures._weighing import Floats, Part, share
from fiel.measures._words import escaped, percent
from fiel.records import FielError, Subject, nearest
from fiel.stats import Slice, ppi_strata

NO_VALUE = "no value"
BY_HAND = ("group", "author")
_LONGEST = 80  # characters of a value in a sentence
FEWEST_SHOWN = 10  # items below which a slice is grey
MOST_VALUES = 60  # of one field: more are no slices


def slice_table(
    values: Floats,
    part: Part,
    ids: Sequence[str],
    subjects: Mapping[str, Subject],
    *,
    field: str,
    confidence: float,
    what: str,
) -> SliceTable:
    """The mean of values from 0 to 1 by a field.

    Args:
        values: shape (n,).
        part: how the n items count.
        ids: of the n items; subjects: the items by id, with their fields.
        subjects: see above.
        field: "group", "author" or a field of the items.
        confidence: of the intervals, and with which a slice surely differs.
        what: what the values are, in a word ("agreement").

    Raises:
        FielError: no item has such a field.
    """
    names = np.array(field_of(ids, subjects, field), dtype=object)
    found: list[str] = sorted(set(names.tolist()), key=lambda name: (name == NO_VALUE, name))
    if len(found) > MOST_VALUES:
        sentence = f"{field!r} has {len(found)} values: too many to be looked at one by one."
        return SliceTable(field=field, overall=_overall(values, part), slices=(), sentence=sentence)
    overall = _overall(values, part)
    tested = _tested(values, part, names, overall, confidence)
    lines = tuple(
        _line(name, values, part, names == name, tested.get(name), overall, confidence, len(found)) for name in found
    )
    return SliceTable(field=field, overall=overall, slices=lines, sentence=slices_in_words(field, what, overall, lines))


def field_of(ids: Sequence[str], subjects: Mapping[str, Subject], field: str) -> list[str]:
    """The value of a field for each item, "no value" where it has none.

    Raises:
        FielError: no item at all has such a field.
    """
    values = {name: _value(subject, field) for name, subject in subjects.items()}
    if all(value is None for value in values.values()):
        known = [name for name in BY_HAND if any(getattr(x, name, None) is not None for x in subjects.values())]
        known += sorted({name for x in subjects.values() for name, value in x.fields.items() if value is not None})
        near = nearest(field, known)
        raise FielError(
            f"No item has a field {field!r}" + (f"; did you mean {near!r}?" if near else "."),
            where="the fields of the items",
            fix=f"There are: {', '.join(known) or 'none'}." if subjects else "Pass the items, with their fields.",
        )
    return [NO_VALUE if (value := values.get(name)) is None else str(value) for name in ids]


def _value(subject: Subject, field: str) -> object:
    return getattr(subject, field, None) if field in BY_HAND else subject.fields.get(field)


def _overall(values: Floats, part: Part) -> float | None:
    return float(np.average(values, weights=part.weights)) if len(values) else None


def _tested(
    values: Floats, part: Part, names: np.typing.NDArray[np.object_], overall: float | None, confidence: float
) -> dict[str, Slice]:
    """Each value against the whole; nothing with weights, which these tests do not know."""
    if overall is None or part.weights is not None:
        return {}
    found = ppi_strata(
        values,
        np.zeros(len(values)),
        np.zeros(0),
        strata=names.astype(str),
        strata_unlabelled=np.zeros(0, dtype=str),
        null=overall,
        method="classical",
        confidence=confidence,
        clusters=part.clusters,
        clusters_unlabelled=None if part.clusters is None else np.zeros(0, dtype=part.clusters.dtype),
    )
    return {str(one.name): one for one in found}


def _line(
    name: str,
    values: Floats,
    part: Part,
    here: np.typing.NDArray[np.bool_],
    tested: Slice | None,
    overall: float | None,
    confidence: float,
    looks: int,
) -> SliceFigures:
    counted = part.where(here)
    estimate = share(values[here], counted, confidence=confidence, empty="no item")
    adjusted = share(values[here], counted, confidence=1 - (1 - confidence) / looks, empty="no item")
    if tested is not None and tested.p_adjusted is not None:
        differs = tested.p_adjusted <= 1 - confidence
    else:
        limits = (adjusted.low, adjusted.high)
        differs = (
            overall is not None and None not in limits and not limits[0] <= overall <= limits[1]  # type: ignore[operator]  # neither is None here
        )
    return SliceFigures(
        value=name,
        n=int(here.sum()),
        estimate=estimate,
        adjusted=adjusted,
        p_value=tested.p_value if tested else None,
        p_adjusted=tested.p_adjusted if tested else None,
        differs=differs,
        small=int(here.sum()) < FEWEST_SHOWN,
    )


def slices_in_words(field: str, what: str, overall: float | None, lines: Sequence[SliceFigures]) -> str:
    """What stands out among slices, the furthest from the whole first, or that nothing surely does."""
    if overall is None or not lines:
        return f"Nothing can be said of {what} by {field}."
    out = [line for line in lines if line.differs and line.estimate.value is not None]
    if not out:
        return (
            f"No value of {field} surely differs from the {percent(overall)} over all, {len(lines)} looks allowed for."
        )
    out.sort(key=lambda line: -abs((line.estimate.value or 0.0) - overall))
    shown = ((escaped(line.value, most=_LONGEST), percent(line.estimate.value or 0.0), line.n) for line in out)
    said = ", ".join(f"{value} ({rate}, n={n:,})" for value, rate, n in shown)
    return f"By {field}, {what} surely differs from the {percent(overall)} over all on: {said}."
