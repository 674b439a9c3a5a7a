from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiel.measures import Columns, Question, columns_of, estimate, rates, validate
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
    with pytest.raises(FielError, match="Column 'beliefs'"):
        Columns(**(good | {"beliefs": np.zeros((2, 2))}))
