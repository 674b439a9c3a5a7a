"""Tests of fiel.stats._agreement."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import confusion_matrix as sklearn_confusion

from fiel.stats import (
    bias_index,
    cohen_kappa,
    confusion_matrix,
    kappa_max,
    percent_agreement,
    prevalence_index,
    scott_pi,
)

STATISTICS = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic", "kappa_custom": "own"}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Codes of two raters for the same items, and the number of categories."""
    categories = draw(st.integers(2, 6))
    code = st.integers(0, categories - 1)
    n = draw(st.integers(1, 40))
    a, b = (draw(st.lists(code, min_size=n, max_size=n)) for _ in range(2))
    return a, b, categories


def unfold(counts: list[list[int]]) -> tuple[list[int], list[int]]:
    """The two raters' codes behind a table of counts."""
    cells = [(i, j) for i, row in enumerate(counts) for j, times in enumerate(row) for _ in range(times)]
    return [i for i, _ in cells], [j for _, j in cells]


def test_reference_values(agreement_reference: Any):
    """Every kappa of the reference tables comes out, plain, weighted and with weights of its own."""
    checked = 0
    for entry in agreement_reference["values"]:
        data = agreement_reference["datasets"][entry["dataset"]]
        if data["kind"] != "table" or entry["statistic"] not in STATISTICS:
            continue
        weights = STATISTICS[entry["statistic"]]
        a, b = unfold(data["table"])
        ours = cohen_kappa(
            a, b, categories=len(data["table"]), weights=data["weights"] if weights == "own" else weights
        )
        expected = float(entry["value"])
        assert ours == pytest.approx(expected, abs=1e-12, nan_ok=True), entry
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@settings(deadline=None)
@given(pairs=pairs())
def test_against_sklearn(weights: Any, pairs: tuple[list[int], list[int], int]):
    """Kappa is that of scikit-learn with the whole scale declared, and NaN exactly where both raters are constant."""
    a, b, categories = pairs
    ours = cohen_kappa(a, b, weights=weights, categories=categories)
    if len(set(a) | set(b)) == 1:
        assert math.isnan(ours)
    else:
        theirs = cohen_kappa_score(a, b, weights=weights, labels=list(range(categories)))
        assert ours == pytest.approx(theirs, abs=1e-12)


@settings(deadline=None)
@given(pairs=pairs(), data=st.data())
def test_confusion_against_sklearn(pairs: tuple[list[int], list[int], int], data: st.DataObject):
    """Counts are those of scikit-learn, and pairs with a missing code do not count."""
    a, b, categories = pairs
    ours = confusion_matrix([*a, -1, 0], [*b, 0, -1], categories=categories)
    assert ours.tolist() == sklearn_confusion(a, b, labels=list(range(categories))).tolist()
    order = data.draw(st.permutations(range(categories)))
    renamed = confusion_matrix([order[x] for x in a], [order[x] for x in b], categories=categories)
    assert renamed[np.ix_(order, order)].tolist() == ours.tolist()


@settings(deadline=None)
@given(pairs=pairs(), data=st.data())
def test_invariances(pairs: tuple[list[int], list[int], int], data: st.DataObject):
    """Renaming the categories, exchanging the raters and copying all items change no kappa."""
    a, b, categories = pairs
    kappa = cohen_kappa(a, b, categories=categories)
    order = data.draw(st.permutations(range(categories)))
    others = (
        cohen_kappa([order[x] for x in a], [order[x] for x in b], categories=categories),
        cohen_kappa(b, a, categories=categories),
        cohen_kappa(a * 3, b * 3, categories=categories),
        cohen_kappa(a, b, weights=np.eye(categories), categories=categories),
    )
    assert others == pytest.approx([kappa] * 4, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_one_constant_rater(weights: Any):
    """A rater who says one thing agrees by chance alone: kappa is exactly 0."""
    assert cohen_kappa([1] * 7, [0, 1, 2, 1, 1, 2, 0], weights=weights) == 0


@pytest.mark.parametrize(("a", "b"), [([], []), ([-1, 0], [0, -1]), ([1, 1], [1, 1]), ([0], [0])])
def test_undefined_kappa(a: list[int], b: list[int]):
    """No pair, or one code alone, is 0/0."""
    assert math.isnan(cohen_kappa(a, b))


def test_the_scale_must_be_declared():
    """Unused categories at the end of a scale do not change weighted kappa; closing a gap in the middle does."""
    a, b = [0, 1, 9, 9], [1, 1, 9, 0]
    squeezed = cohen_kappa([0, 1, 2, 2], [1, 1, 2, 0], weights="quadratic")
    assert cohen_kappa(a, b, weights="quadratic") == cohen_kappa(a, b, weights="quadratic", categories=12)
    assert cohen_kappa(a, b, weights="quadratic") != pytest.approx(squeezed)


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=1, max_size=12))
def test_percent_agreement_by_brute_force(table: list[list[int]]):
    """Percent agreement is the mean over items of the share of agreeing pairs, counted pair by pair."""
    shares = []
    for row in table:
        given_ = [x for x in row if x >= 0]
        agree = [x == y for i, x in enumerate(given_) for y in given_[:i]]
        if agree:
            shares.append(sum(agree) / len(agree))
    expected = sum(shares) / len(shares) if shares else math.nan
    assert percent_agreement(table) == pytest.approx(expected, nan_ok=True)
    assert percent_agreement(np.array(table)[:, ::-1]) == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)
@given(pairs=pairs(), weights=st.sampled_from([None, "linear", "quadratic"]))
def test_scott_pi_by_the_definition(pairs: tuple[list[int], list[int], int], weights: Any):
    """Pi takes chance from the pooled votes, and is the kappa of the pairs together with their mirror images."""
    a, b, categories = pairs
    mirrored = cohen_kappa(a + b, b + a, weights=weights, categories=categories)
    assert scott_pi(a, b, weights=weights, categories=categories) == pytest.approx(mirrored, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(pairs=pairs())
def test_kappa_max_is_a_kappa(pairs: tuple[list[int], list[int], int]):
    """The highest kappa is that of the same votes sorted against each other as well as they can be, or more."""
    a, b, categories = pairs
    highest = kappa_max(a, b)
    if math.isnan(highest):
        assert len(set(a) | set(b)) == 1
        return
    assert cohen_kappa(a, b) <= highest + 1e-12 <= 1 + 1e-9
    left, pairs_ = list(b), []
    for x in a:
        pairs_.append((x, x) if x in left else (x, None))
        if x in left:
            left.remove(x)
    best = [(x, x if y is not None else left.pop()) for x, y in pairs_]
    assert cohen_kappa(*zip(*best, strict=True), categories=categories) == pytest.approx(highest, abs=1e-12)


def test_indices_of_byrt():
    """Prevalence and bias are shares of the four cells, and PABAK and kappa follow from them."""
    a, b = unfold([[80, 10], [5, 5]])
    assert (prevalence_index(a, b), bias_index(a, b)) == (0.75, 0.05)
    pabak = 2 * percent_agreement(np.column_stack([a, b])) - 1
    kappa = (pabak - 0.75**2 + 0.05**2) / (1 - 0.75**2 + 0.05**2)
    assert cohen_kappa(a, b) == pytest.approx(kappa)
    assert math.isnan(prevalence_index([-1], [0]))
    assert math.isnan(bias_index([], []))
    assert math.isnan(kappa_max([], []))


def test_ordinal_weights():
    """Ordinal weights count the pairs of categories that two codes span."""
    ours = cohen_kappa([0, 1, 2, 0], [0, 2, 2, 2], weights="ordinal")
    matrix = [[1, 2 / 3, 0], [2 / 3, 1, 2 / 3], [0, 2 / 3, 1]]
    assert ours == pytest.approx(cohen_kappa([0, 1, 2, 0], [0, 2, 2, 2], weights=matrix))


def test_more_categories_than_a_pass_over_cells_is_worth():
    """A wide scale counts the same cells as a narrow one."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(-1, 5, size=(2, 300))
    wide = confusion_matrix(a, b, categories=1200)
    assert wide[:5, :5].tolist() == confusion_matrix(a, b).tolist()
    assert wide.sum() == confusion_matrix(a, b).sum()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prevalence_index([0, 2], [0, 1]), "code 2 occurs"),
        (lambda: bias_index([0, 1], [0, 2]), "code 2 occurs"),
        (lambda: cohen_kappa([0, 1], [0]), "for the same items"),
        (lambda: cohen_kappa([0.5, 1], [0, 1]), "integer codes"),
        (lambda: cohen_kappa(["a"], ["b"]), "integer codes"),
        (lambda: cohen_kappa([0, -2], [0, 1]), "code -2"),
        (lambda: cohen_kappa([[0]], [[0]]), "one dimension"),
        (lambda: cohen_kappa([0, 3], [0, 1], categories=3), "code 3 occurs"),
        (lambda: cohen_kappa([0, 1], [0, 1], weights="cubic"), "weights must be"),
        (lambda: cohen_kappa([0, 1], [0, 1], weights=np.eye(3)), "declare categories="),
        (lambda: cohen_kappa([0, 1], [0, 1], weights=[[1, 2], [2, 1]]), "from 0 to 1"),
        (lambda: percent_agreement([0, 1]), "items x raters"),
        (lambda: percent_agreement([[0, 1], [2]]), "table must hold"),
        (lambda: cohen_kappa([2**62, 0], [0, 1]), "a holds the code 4611686018427387904"),
        (lambda: confusion_matrix([0, 1], [0, 2**40]), "b holds the code"),
        (
            lambda: cohen_kappa(np.array([2**64 - 1, 0], dtype=np.uint64), [0, 1]),
            "beyond 64 bits",
        ),
        (lambda: cohen_kappa([2**70, 0], [0, 1]), "a must hold integer codes"),
        (lambda: confusion_matrix([0], [0], categories=10**30), "categories must be"),
        (lambda: confusion_matrix([0], [0], categories=-1), "categories must be"),
        (lambda: confusion_matrix([0], [0], categories=float("nan")), "categories must be"),
    ],
)
def test_wrong_input(call: Any, message: str):
    """Wrong input is refused, and the message names the fix."""
    with pytest.raises(ValueError, match=message):
        call()
