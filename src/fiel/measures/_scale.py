"""How far a judge is off on an ordered scale, the signed bias first. Knows no bar."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fiel.measures._columns import SOURCES
from fiel.measures._fitting import of_estimate, of_number
from fiel.measures._results_figures import Figure, ScaleFigures
from fiel.measures._tables import Table, option_values
from fiel.measures._weighing import Floats, Part, mean, point
from fiel.stats import Estimate, bootstrap, kendall, lin_ccc, spearman

MOST_RESAMPLED, REPLICATES = 500, 400  # items up to which rank correlations have an interval, and samples for it
_POINTS = tuple(SOURCES.index(source) for source in ("point", "decision", "check"))
_CONSTANT = "one of the two does not vary"


def scale_figures(table: Table, *, confidence: float) -> ScaleFigures | None:
    """The errors of a table; None on a nominal scale, or where the judge answered no labelled item."""
    if table.criterion.scale == "nominal":
        return None
    values, people = option_values(table.criterion), table.people
    used = table.answered & (people.soft.sum(axis=1) > 0)
    if not used.any():
        return None
    truth, said, part = people.soft[used] @ values, values[table.judge.codes[used]], table.part(used)
    reach = float(np.ptp(values))
    bias = mean(said - truth, part, bounds=(-reach, reach), confidence=confidence, empty="")
    believed = used & ~np.isin(table.judge.sources, _POINTS)
    expected = table.judge.beliefs[believed] @ values
    soft_truth, soft_part = people.soft[believed] @ values, table.part(believed)
    return ScaleFigures(
        bias=bias,
        absolute_error=mean(np.abs(said - truth), part, bounds=(0.0, reach), confidence=confidence, empty=""),
        spearman=_correlation("Spearman's rank correlation", spearman, (truth, said), part, confidence),
        kendall=_correlation("Kendall's tau-b", kendall, (truth, said), part, confidence),
        ccc=_correlation("Lin's concordance", lin_ccc, (truth, said), part, confidence),
        spearman_mean=_correlation(
            "Spearman's rank correlation, mean of the belief", spearman, (soft_truth, expected), soft_part, confidence
        )
        if believed.any()
        else None,
        mean_bias=mean(expected - soft_truth, soft_part, bounds=(-reach, reach), confidence=confidence, empty="")
        if believed.any()
        else None,
        sentence=_sentence(bias, values),
    )


def _correlation(
    name: str, statistic: Callable[..., float], columns: tuple[Floats, Floats], part: Part, confidence: float
) -> Figure:
    """A correlation, with a bootstrap interval where there are few enough items and no weights."""
    y, f = columns
    value = point(statistic, y, f, part)
    few = 3 <= len(y) <= MOST_RESAMPLED
    if np.isnan(value) or part.weights is not None or not few:
        return of_number(name, value, n=len(y), reason=_CONSTANT)
    found = bootstrap(
        lambda table: float(statistic(table[:, 0], table[:, 1])),
        np.stack([y, f], axis=1),
        rng=np.random.default_rng(0),
        clusters=part.clusters,
        replicates=REPLICATES,
        confidence=confidence,
    )
    if found.value is None:  # every sample is as this one
        return of_number(name, value, n=len(y), reason=_CONSTANT)
    return of_estimate(name, found, n=len(y))


def _sentence(bias: Estimate, values: Floats) -> str:
    """The bias in words, with what is sure of it."""
    scale = f"on a scale from {given_short(values.min())} to {given_short(values.max())}"
    if bias.value is None or bias.low is None or bias.high is None:
        return f"The judge's bias {scale} cannot be told ({bias.reason})."
    if bias.low <= 0 <= bias.high:
        size = f"{abs(bias.value):.1f}"
        where = "" if float(size) == 0 else f", {size} too {'high' if bias.value > 0 else 'low'} on the average here"
        return f"The judge is not surely too high or too low{where}, {scale}."
    side = "high" if bias.value > 0 else "low"
    size = f"{abs(bias.value):.1f}" if abs(bias.value) >= 0.05 else f"{abs(bias.value):.2g}"
    return f"The judge is {size} {'point' if size == '1.0' else 'points'} too {side} on the average, {scale}."


def given_short(value: float) -> str:
    """A number of the scale as it was written: 1 and not 1.00."""
    return f"{value:g}"
