"""The denominators of a criterion, as a record. Computes nothing."""

from __future__ import annotations

from fiel.measures._results_figures import Result


class Funnel(Result, frozen=True, kw_only=True):
    """The denominators of a criterion, each a count of items.

    Args:
        items: in the frame.
        judged: that the judge was asked about, or that a check decided.
        scored: with a verdict; checked: of these, decided by a deterministic check.
        unscored: judged without a verdict, by reason ("abstained", "refused", "unparsed", "error",
            "tie between options").
        inapplicable: to which the criterion does not apply, by the judge; not among the judged, and in no rate.
        labelled: with at least one human answer.
        skipped: human cells without an answer.
        unresolved: labelled, but the raters tie and nobody decided.
        both: with a verdict of the judge and a gold answer: what agreement is counted on. Items that a check decided
            are among them only where checks decided every item.
        drawn: items of the sample that was drawn to be labelled; None where nobody says.
        two: with answers of two raters or more; adjudicated: with a decision.
        agree: of `both`, on how many judge and gold agree.
        set_aside: labels that do not count, by why ("hidden repeat", "judge in reach", "preference",
            "another question").
    """

    items: int
    judged: int
    scored: int
    checked: int
    unscored: dict[str, int]
    labelled: int
    skipped: int
    unresolved: int
    both: int
    inapplicable: int = 0
    drawn: int | None = None
    two: int = 0
    adjudicated: int = 0
    agree: int = 0
    set_aside: dict[str, int] = {}  # noqa: RUF012  a msgspec default: copied, never shared
