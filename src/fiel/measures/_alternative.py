"""The alternative annotator test of one criterion, its lines by name. Knows no bar."""

from __future__ import annotations

from typing import Literal

from fiel.measures._results_figures import AltTestFigures, AltTestLine
from fiel.measures._tables import Flags, Table, option_values
from fiel.stats import AltTest, alt_test

FEWEST_RATERS = 3


def alternative(table: Table, *, epsilon: float) -> AltTestFigures | None:
    """The test on the items that the judge answered; None with fewer than three raters.

    Answers are near by their distance on an ordered scale (minus the root of the mean square, by the numbers of the
    options or their places) and by being equal on a nominal one. Items count alike, whatever their weights and
    clusters: the test is published so. Beside it stands what it says where items without a verdict are lost ones.
    """
    people = table.people
    if len(people.raters) < FEWEST_RATERS:
        return None
    silent = table.judge.judged & (table.judge.codes < 0) & (people.counts > 1)
    scale: Literal["nominal", "interval"] = "nominal" if table.criterion.scale == "nominal" else "interval"
    values = option_values(table.criterion) if scale == "interval" else None

    def tested(used: Flags, unscored: Literal["left out", "lost"]) -> AltTest:
        judge, raters = table.judge.codes[used], people.codes[used]
        return alt_test(judge, raters, scale=scale, values=values, epsilon=epsilon, unscored=unscored)

    found = tested(table.answered, "left out")
    lost = tested(table.answered | silent, "lost") if silent.any() else found
    return AltTestFigures(
        winning_rate=found.omega,
        advantage=found.rho,
        passed=found.passed,
        epsilon=found.epsilon,
        q=found.q,
        scale=scale,
        reason=found.reason,
        unscored=int(silent.sum()),
        winning_rate_unscored_lost=lost.omega,
        advantage_unscored_lost=lost.rho,
        raters=tuple(
            AltTestLine(
                rater=people.raters[line.rater],
                n=line.n,
                judge_wins=line.rho_f,
                rater_wins=line.rho_h,
                p=line.p,
                p_adjusted=line.p_adjusted,
                replaces=line.rejected,
                reason=line.reason,
            )
            for line in found.raters
        ),
    )
