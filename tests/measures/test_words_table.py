from __future__ import annotations

from itertools import pairwise

from fiel.measures import words_markdown, words_table


def test_the_counts_are_those_of_the_words():
    """One rater, bar 85 %, 60 items: 45 is rewrite, 46 to 55 not enough labels, 56 use; 30 items ask for 29."""
    rows = words_table(bars=[0.85], ceilings=[None], sizes=[30, 60])
    assert [(x.n, x.leave_out, x.rewrite, x.use) for x in rows] == [(30, None, 21, 29), (60, None, 45, 56)]


def test_a_known_ceiling_divides_leave_out_from_rewrite():
    """Where people agree on 95 % nothing is rewritten; where on 80 %, what is nearly as good as they are is."""
    high, low = words_table(bars=[0.85], ceilings=[0.95, 0.8], sizes=[100])
    assert (high.leave_out, high.rewrite) == (78, None)
    assert (low.leave_out, low.rewrite) == (72, 78)


def test_the_table_says_every_count_once():
    """Each row's ranges go from 0 to the number of items without a gap."""
    text = words_markdown(words_table(bars=[0.8, 0.9], ceilings=[None, 0.9], sizes=[60]))
    lines = text.splitlines()
    assert lines[0] == "| bar | two people agree | items | leave out | rewrite | not enough labels | use |"
    assert len(lines) == 2 + 4
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.split("|")[4:8]]
        ranges = [[int(x) for x in cell.split(" to ")] for cell in cells if cell != "–"]
        assert ranges[0][0] == 0
        assert ranges[-1][-1] == 60
        assert all(after[0] == before[-1] + 1 for before, after in pairwise(ranges))
