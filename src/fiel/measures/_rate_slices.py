"""The corrected rate by the values of a field, corrected for many looks. Knows no bar."""

from __future__ import annotations

import numpy as np

from fiel.measures._estimate import Samples, corrected_of
from fiel.measures._inputs import Inputs
from fiel.measures._results_figures import SliceFigures, SliceTable
from fiel.measures._slices import FEWEST_SHOWN, MOST_VALUES, NO_VALUE, field_of, slices_in_words
from fiel.measures._tables import Table
from fiel.stats import Estimate, Slice, ppi_strata


def rate_slices(
    inputs: Inputs, table: Table, parts: Samples, estimate: Estimate, *, field: str, confidence: float
) -> SliceTable:
    """The rate by a field; each value is held against the rate over all, taken as known.

    Raises:
        FielError: no item has such a field.
    """
    names = np.array(field_of(table.subjects, inputs.subjects, field), dtype=object)
    used = parts.labelled | parts.others
    found: list[str] = sorted(set(names[used].tolist()), key=lambda name: (name == NO_VALUE, name))
    if len(found) > MOST_VALUES or estimate.value is None or not len(parts.y):
        sentence = (
            f"{field!r} has {len(found)} values: too many to be looked at one by one."
            if len(found) > MOST_VALUES
            else f"Nothing can be said of the rate by {field}."
        )
        return SliceTable(field=field, overall=estimate.value, slices=(), sentence=sentence)
    tested = _tested(parts, names, estimate.value, confidence)
    lines = tuple(
        _line(name, parts.where(names == name), tested.get(name), estimate.value, confidence, len(found))
        for name in found
    )
    return SliceTable(
        field=field,
        overall=estimate.value,
        slices=lines,
        sentence=slices_in_words(field, "the rate", estimate.value, lines),
    )


def _tested(parts: Samples, names: np.typing.NDArray[np.object_], null: float, confidence: float) -> dict[str, Slice]:
    """Each value against the whole; nothing with weights, which these tests do not know."""
    if parts.weights is not None or not parts.seen:
        return {}
    found = ppi_strata(
        parts.y,
        parts.f,
        parts.f_unlabelled,
        strata=names[parts.labelled].astype(str),
        strata_unlabelled=names[parts.others].astype(str),
        null=null,
        confidence=confidence,
        clusters=parts.clusters,
        clusters_unlabelled=parts.clusters_unlabelled,
    )
    return {str(one.name): one for one in found}


def _line(
    name: str, here: Samples, tested: Slice | None, overall: float, confidence: float, looks: int
) -> SliceFigures:
    if tested is None:
        estimate = corrected_of(here, side="both", confidence=confidence)
        adjusted = corrected_of(here, side="both", confidence=1 - (1 - confidence) / looks)
    else:
        estimate, adjusted = tested.estimate, tested.adjusted
    if tested is not None and tested.p_adjusted is not None:
        differs = tested.p_adjusted <= 1 - confidence
    else:
        low, high = adjusted.low, adjusted.high
        differs = low is not None and high is not None and not low <= overall <= high
    return SliceFigures(
        value=name,
        n=len(here.y),
        estimate=estimate,
        adjusted=adjusted,
        p_value=tested.p_value if tested else None,
        p_adjusted=tested.p_adjusted if tested else None,
        differs=differs,
        small=len(here.y) < FEWEST_SHOWN,
    )
