from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.labelling import assign
from fiel.labelling._assign import APART
from fiel.labelling._seeded import shuffled
from fiel.records import Assignment, Criterion, Item, Rubric, Study

RUBRIC = Rubric(id="r", criteria=(Criterion(id="c", question="Is it?"),))


def study(n: int, raters: int, **fields: object) -> Study:
    """A study of n items and so many raters."""
    items = tuple(Item(id=f"i{i}") for i in range(n))
    return Study(name="s", rubric=RUBRIC, subjects=items, raters=tuple(f"r{i}" for i in range(raters)), **fields)


def queues(made: tuple[Assignment, ...]) -> dict[str, list[Assignment]]:
    """The assignments by rater."""
    found: dict[str, list[Assignment]] = {}
    for one in made:
        found.setdefault(one.rater, []).append(one)
    return found


def test_every_rater_is_served_exactly_the_sample(made):
    """Acceptance 18: all raters get the same 30 subjects, each once beside its hidden repeats."""
    for queue in queues(assign(made.study(subjects=made.items(30)))).values():
        first = [one.subject for one in queue if one.repeat == 0]
        assert sorted(first) == sorted(item.id for item in made.items(30))
        assert [one.place for one in queue] == list(range(len(queue)))


def test_each_rater_has_an_order_of_his_own_that_stays():
    """Two raters see different orders, and the same study gives the same orders again."""
    whole = study(60, 2)
    orders = {rater: [one.subject for one in queue] for rater, queue in queues(assign(whole)).items()}
    assert orders["r0"] != orders["r1"]
    assert assign(whole) == assign(study(60, 2))
    assert assign(whole) != assign(study(60, 2, seed=1))


def test_the_order_is_pinned():
    """The order of a seed never changes with a version of anything: people are in the middle of it."""
    assert shuffled("abcdef", 7, "order", "ana") == ["d", "f", "c", "b", "a", "e"]


def test_all_orders_are_equally_likely():
    """Over 6000 seeds each order of three stands within five standard errors of a sixth."""
    counts = Counter("".join(shuffled("abc", seed)) for seed in range(6000))
    assert set(counts) == {"".join(order) for order in permutations("abc")}
    assert max(abs(number - 1000) for number in counts.values()) < 5 * (6000 * 1 / 6 * 5 / 6) ** 0.5


@settings(max_examples=60)
@given(n=st.integers(1, 70), share=st.floats(0, 1), seed=st.integers(0, 10**6))
def test_repeats_come_later_and_apart(n, share, seed):
    """A repeat stands at the distance after its first showing, once, and there are as many as asked or find room."""
    (queue,) = queues(assign(study(n, 1, repeats=share, seed=seed))).values()
    first = {one.subject: one.place for one in queue if one.repeat == 0}
    repeated = [one for one in queue if one.repeat]
    apart = min(APART, n // 2)
    assert len(first) == n
    assert len({one.subject for one in repeated}) == len(repeated)
    assert all(one.place - first[one.subject] > apart for one in repeated)
    wanted = max(1, round(share * n)) if share > 0 and n > 1 else 0
    assert len(repeated) == min(wanted, n - apart if n > 1 else 0)


@settings(max_examples=60)
@given(n=st.integers(1, 60), raters=st.integers(1, 7), data=st.data())
def test_overlap_is_balanced(n, raters, data):
    """Each item goes to r different raters, and no rater has more than one item more than another."""
    per_item = data.draw(st.integers(1, raters))
    made = [one for one in assign(study(n, raters, per_item=per_item)) if one.repeat == 0]
    by_item = Counter(one.subject for one in made)
    assert set(by_item.values()) == {per_item}
    assert len({(one.subject, one.rater) for one in made}) == len(made)
    loads = Counter({f"r{i}": 0 for i in range(raters)}) + Counter(one.rater for one in made)
    loads.update({f"r{i}": 0 for i in range(raters)})
    assert max(loads.values()) - min(loads[f"r{i}"] for i in range(raters)) <= 1


def test_pairs_of_raters_meet_about_equally_often():
    """With 60 items by 2 of 5 raters every two raters share some items, none many more than the others."""
    by_item: dict[str, list[str]] = {}
    for one in assign(study(60, 5, per_item=2)):
        if one.repeat == 0:
            by_item.setdefault(one.subject, []).append(one.rater)
    met = Counter(tuple(sorted(raters)) for raters in by_item.values())
    shared = [met[pair] for pair in combinations(sorted(f"r{i}" for i in range(5)), 2)]
    assert min(shared) >= 4
    assert max(shared) <= 8


def test_sides_are_balanced_and_drawn_per_rater(made):
    """Half of a rater's pairs are shown in either order, two raters see other orders, a repeat has the first's side."""
    whole = assign(made.study(subjects=made.pairs(40), repeats=0.2))
    sides = {
        rater: {one.subject: one.shown for one in queue if one.repeat == 0} for rater, queue in queues(whole).items()
    }
    assert all(Counter(own.values()) == {"ab": 20, "ba": 20} for own in sides.values())
    assert sides["ana"] != sides["ben"]
    repeated = [one for one in whole if one.repeat]
    assert repeated
    assert all(one.shown == sides[one.rater][one.subject] for one in repeated)


def test_items_have_no_side():
    """Nothing but a pair has an order in which it is shown."""
    assert {one.shown for one in assign(study(10, 2))} == {None}


@pytest.mark.parametrize(("raters", "per_item"), [(3, 1), (5, 1)])
def test_more_raters_than_work(raters, per_item):
    """A rater for whom nothing is left has an empty queue, and the others have what there is."""
    assert len([one for one in assign(study(2, raters, per_item=per_item)) if one.repeat == 0]) == 2
