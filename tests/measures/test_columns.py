from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from fiel.measures import (
    Columns,
    Question,
    columns_of,
    draw,
    estimate,
    gate_evidence,
    rates,
    validate,
    worklist,
)
from fiel.records import Criterion, FielError, Item, Rubric


def mixed(world: Any) -> Any:
    """Judgements with every status, a tie, a check and a belief, over two criteria; labels of one rater."""
    judgements, labels = world.against(50, 60)
    judgements[3] = world.judgement("i003", None, status="error")
    judgements[4] = world.judgement("i004", None, status="inapplicable")
    judgements[5] = world.judgement("i005", 0.5)
    judgements[6] = world.judgement("i006", 1.0, source="check")
    tone = Criterion(id="tone", question="Polite?", options=("rude", "plain", "polite"))
    judgements += [world.judgement(f"i{i:03}", (0.2, 0.3, 0.5), of=tone) for i in range(40)]
    labels += [world.label(f"i{i:03}", "plain" if i % 4 else "polite", criterion="tone") for i in range(30)]
    return judgements, labels, Rubric(id="rag", criteria=(world.grounded, tone))


def test_columns_give_what_records_give(world: Any):
    """Every figure, word, warning and rate is the same from arrays as from records."""
    judgements, labels, rubric = mixed(world)
    columns = columns_of(judgements)
    assert validate(columns, labels, rubric=rubric) == validate(judgements, labels, rubric=rubric)
    assert rates(columns, labels, rubric=rubric) == rates(judgements, labels, rubric=rubric)
    items = [Item(id=f"i{i:03}", group=f"g{i // 3}") for i in range(50)]
    for x in (judgements, columns):
        assert estimate(x, labels, criterion=world.grounded, items=items).n == 17
    assert validate(columns, labels, rubric=rubric, items=items) == validate(
        judgements, labels, rubric=rubric, items=items
    )


def test_other_wordings_options_and_doubles_are_refused(world: Any):
    """What records are refused for, columns are too."""
    judgements, labels, rubric = mixed(world)
    columns = columns_of(judgements)
    other = Rubric(id="r", criteria=(Criterion(id="grounded", question="Other?"),))
    with pytest.raises(FielError, match="another wording of 'grounded' in 60 judgements"):
        validate(columns, labels, rubric=other)
    twice = columns_of([*judgements, judgements[0]])
    with pytest.raises(FielError, match="Item 'i000' has 2 judgements of 'house' on 'grounded'"):
        validate(twice, labels, rubric=rubric)
    with pytest.raises(FielError, match="one judge under one identity"):
        columns_of([judgements[0], world.judgement("i001", 0.5, judge="other")])


def test_arrays_that_do_not_fit_are_refused(world: Any):
    """A column of another length, or a place that is not there, is named."""
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    question = (Question("grounded", world.grounded.digest, world.grounded.options),)
    good = {
        "judge": "house",
        "identity": "x",
        "subjects": ("a",),
        "questions": question,
        "subject": one,
        "question": one,
        "status": one,
        "source": one,
        "verdict": one,
        "beliefs": np.array([[0.4, 0.6]]),
    }
    assert len(Columns(**good)) == 1
    for name, value in (("status", two), ("verdict", one + 2), ("subject", one + 1), ("source", one - 2)):
        with pytest.raises(FielError, match=f"Column '{name}'"):
            Columns(**(good | {name: value}))
    for name, value in (("order", one + 3), ("served", one), ("number", two)):
        with pytest.raises(FielError, match=f"Column '{name}'"):
            Columns(**(good | {name: value}))
    with pytest.raises(FielError, match="Column 'beliefs'"):
        Columns(**(good | {"beliefs": np.zeros((2, 2))}))


def test_a_sample_and_a_work_list_from_columns(world: Any):
    """The same sample is drawn; the same items are listed and speak against a criterion, without the judge's words."""
    judgements, labels, rubric = mixed(world)
    columns = columns_of(judgements)
    items = [Item(id=f"i{i:03}") for i in range(60)]
    for by in ("belief", "random"):
        assert draw(items, rubric, columns, name="s", n=20, by=by) == draw(
            items, rubric, judgements, name="s", n=20, by=by
        )
    assert worklist([columns], labels, rubric=rubric) == worklist([judgements], labels, rubric=rubric)
    said = [replace(x, reason="because") for x in judgements]
    found, lines = gate_evidence(columns, labels, criterion=world.grounded, items=items, most=30)
    again, whole = gate_evidence(said, labels, criterion=world.grounded, items=items, most=30)
    assert found == again
    assert tuple(line.removesuffix(': "because"') for line in whole) == lines
    assert lines != whole


def test_of_both_orders_and_of_several_models(world: Any):
    """Of a pair in both orders ab stays, whatever the wording; of models, one with what nobody is said to have made."""
    several = [
        world.judgement("a", 0.9, order="ab", served="m@1"),
        world.judgement("a", 0.1, order="ba", served="m@2", criterion_digest="other"),
        world.judgement("b", 0.2, order="ba", served="m@2"),
        world.judgement("c", 0.3, served="m@2"),
        world.judgement("a", 0.4, order="ba", criterion="tone"),
    ]
    columns = columns_of(several)
    assert columns.by_model() == {"m@2": 3, "m@1": 1}
    assert list(columns.by_model()) == ["m@1", "m@2"]
    one = columns.one_order()
    assert one.beliefs[:, 1].tolist() == [0.9, 0.2, 0.3, 0.4]
    assert one.by_model() == {"m@2": 2, "m@1": 1}
    assert one.of_model("m@2").beliefs[:, 1].tolist() == [0.2, 0.3, 0.4]
    alone = columns_of([x for x in several if x.order != "ab"])
    assert alone.one_order() is alone
