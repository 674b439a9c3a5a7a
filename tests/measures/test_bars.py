from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from fiel.measures._bars import more_needed, surely_above, surely_below


@pytest.mark.parametrize(("hits", "n"), [(55, 60), (57, 60), (37, 60), (46, 60), (30, 30), (0, 20)])
def test_surely_is_clopper_and_pearson_at_one_side(hits: int, n: int):
    """Both sides follow the limits of statsmodels' exact interval at twice the error."""
    low, high = proportion_confint(hits, n, alpha=0.1, method="beta")
    assert surely_above(hits / n, n, 0.85, 0.95) is bool(low >= 0.85)
    assert surely_below(hits / n, n, 0.85, 0.95) is bool(high < 0.85)


@pytest.mark.parametrize(
    ("value", "n_eff", "labels"), [(55 / 60, 60.0, 60), (0.8, 60.0, 60), (0.9, 31.5, 60), (0.86, 90.0, 60)]
)
def test_more_is_the_first_number_that_decides(value: float, n_eff: float, labels: int):
    """One label fewer would not have decided; that many do, and so do twice as many."""
    more = more_needed(value, n_eff, labels, 0.85, 0.95)
    assert more
    side = surely_above if value > 0.85 else surely_below
    assert not side(value, n_eff * (labels + more - 1) / labels, 0.85, 0.95)
    assert side(value, n_eff * (labels + more) / labels, 0.85, 0.95)
    assert side(value, n_eff * (labels + 2 * more) / labels, 0.85, 0.95)


def test_no_number_decides_on_the_bar_itself():
    """A rate on the bar, or a hair from it, is beyond any number of labels that anybody gives."""
    assert more_needed(0.85, 60.0, 60, 0.85, 0.95) is None
    assert more_needed(0.8501, 60.0, 60, 0.85, 0.95) is None


def test_what_is_decided_needs_no_more():
    """None more where the bound is beyond the bar already."""
    assert more_needed(0.5, 60.0, 60, 0.85, 0.95) == 0
