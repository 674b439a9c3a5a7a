"""Two who answered, beside each other. Knows codes and names, not who is right."""

from __future__ import annotations

import numpy as np

from fiel.measures._fitting import cohen, figure
from fiel.measures._results_figures import PairFigures, PairKind
from fiel.measures._weighing import Codes, Part, share
from fiel.records import Criterion


def pair(
    kind: PairKind,
    names: tuple[str, str],
    codes: tuple[Codes, Codes],
    part: Part,
    *,
    criterion: Criterion,
    confidence: float,
) -> PairFigures:
    """Agreement of two on the items that both answered.

    Args:
        kind: who they are.
        names: of the first and the second.
        codes: of each, shape (n,), -1 where there is none.
        part: how the n items count.
        criterion: what was asked.
        confidence: of the intervals.
    """
    used = np.logical_and(*(column >= 0 for column in codes))
    table, counted = np.stack([column[used] for column in codes], axis=1), part.where(used)
    return PairFigures(
        kind=kind,
        a=names[0],
        b=names[1],
        n=len(table),
        agreement=share(
            table[:, 0] == table[:, 1], counted, confidence=confidence, empty="no item was answered by both"
        ),
        coefficient=figure(cohen(criterion), table, counted, confidence=confidence),
    )
