"""From which count on a criterion gets which word: a table for people who plan. Knows no record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fiel.measures._results_figures import Result
from fiel.measures._weighing import Codes, Part, coefficient, mean, share
from fiel.measures._word import FEWEST, Evidence, rule
from fiel.measures._words import given_percent
from fiel.stats import cohen_kappa

BARS, CEILINGS, SIZES = (0.80, 0.85, 0.90), (None, 0.80, 0.90, 0.95), (30, 60, 100, 200, 300)
_RANK = {"leave out": 0, "rewrite": 1, "not enough labels": 2, "use": 3}


class WordRow(Result, frozen=True, kw_only=True):
    """The words of one bar, ceiling and number of items, by the number of items on which judge and gold agree.

    Args:
        bar: the agreement asked for; ceiling: how often two raters agree, None where there is one rater; n: items.
        leave_out: the most hits with *leave out*; rewrite: with *rewrite*; None where no count gives the word.
        use: the fewest hits with *use*; None where no count does. In between: *not enough labels*.
    """

    bar: float
    ceiling: float | None
    n: int
    leave_out: int | None
    rewrite: int | None
    use: int | None


def words_table(
    *,
    bars: Sequence[float] = BARS,
    ceilings: Sequence[float | None] = CEILINGS,
    sizes: Sequence[int] = SIZES,
    confidence: float = 0.95,
    fewest: int = FEWEST,
) -> tuple[WordRow, ...]:
    """The words for each bar, ceiling and number of items.

    What it takes for granted: two options, half of the items pass, errors fall on both alike, items stand alone; with a
    ceiling, two raters answered every item, somebody decided where they split, and the judge is right on half of those.
    """
    return tuple(_row(bar, ceiling, n, confidence, fewest) for bar in bars for ceiling in ceilings for n in sizes)


def words_markdown(rows: Sequence[WordRow]) -> str:
    """The table in Markdown."""
    lines = [
        "| bar | two people agree | items | leave out | rewrite | not enough labels | use |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ceiling = "unknown (one rater)" if row.ceiling is None else given_percent(row.ceiling)
        out = -1 if row.leave_out is None else row.leave_out
        low = max(out, -1 if row.rewrite is None else row.rewrite)
        high = row.n + 1 if row.use is None else row.use
        cells = [
            _range(0, out),
            _range(out + 1, low),
            _range(low + 1, min(high - 1, row.n)),
            _range(high, row.n),
        ]
        lines.append(f"| {given_percent(row.bar)} | {ceiling} | {row.n} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _row(bar: float, ceiling: float | None, n: int, confidence: float, fewest: int) -> WordRow:
    def rank(hits: int) -> int:
        return _RANK[rule(_evidence(bar, ceiling, n, hits, confidence, fewest)).word]

    least = _least_hits(ceiling, n)
    top = n - least
    firsts = [_first(lambda hits, word=word: rank(hits) >= word, least, top) for word in (1, 2, 3)]  # type: ignore[misc]  # mypy cannot tell a lambda's default
    after_out, after_rewrite, use = firsts
    return WordRow(
        bar=bar,
        ceiling=ceiling,
        n=n,
        leave_out=after_out - 1 if after_out > least else None,
        rewrite=after_rewrite - 1 if after_rewrite > after_out else None,
        use=use if use <= top else None,
    )


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first of low..high on which a rising condition holds; high + 1 where it never does."""
    high += 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _split(ceiling: float | None, n: int) -> int:
    """On how many items the two raters split: an even number."""
    return 0 if ceiling is None else 2 * round(n * (1 - ceiling) / 2)


def _least_hits(ceiling: float | None, n: int) -> int:
    return _split(ceiling, n) // 2


def _evidence(bar: float, ceiling: float | None, n: int, hits: int, confidence: float, fewest: int) -> Evidence:
    part, split = Part(clusters=None, weights=None), _split(ceiling, n)
    gold = (np.arange(n) % 2).astype(np.int64)
    right = np.ones(n, dtype=bool)
    right[n - split : n - split + split // 2] = False  # of those that raters split on, the judge is right on half
    wrong = n - hits - split // 2
    right[:wrong] = False
    verdict = np.where(right, gold, 1 - gold)
    agreement = share(right, part, confidence=confidence, empty="")
    kappa = coefficient(cohen_kappa, _columns(gold, verdict), part, confidence=confidence, side="lower", categories=2)
    people = np.ones(n)
    people[n - split :] = 0.0
    beside = np.where(people == 1, right.astype(np.float64), 0.5)
    known = ceiling is not None
    return Evidence(
        agreement=agreement,
        hits=hits,
        items=n,
        passing=int(gold.sum()),
        failing=n - int(gold.sum()),
        kappa_bound=kappa,
        difference_bound=mean(beside - people, part, bounds=(-1.0, 1.0), confidence=confidence, side="upper", empty="")
        if known
        else None,
        ceiling=share(people, part, confidence=confidence, empty="") if known else None,
        ceiling_bound=share(people, part, confidence=confidence, side="upper", empty="") if known else None,
        raters=2 if known else 1,
        constant=None if len(set(verdict.tolist())) > 1 else "yes",
        bar=bar,
        confidence=confidence,
        fewest=fewest,
    )


def _columns(gold: Codes, verdict: Codes) -> Codes:
    return np.stack([gold, verdict], axis=1)


def _range(low: int, high: int) -> str:
    return "–" if high < low else str(low) if low == high else f"{low} to {high}"
