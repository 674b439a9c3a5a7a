from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiel.measures import SOURCES, STATUSES, columns_of
from fiel.records import Distribution, FielError, Judgement
from fiel.store import _judgement_columns as columns
from fiel.store.judgements import JudgementStore


def judgements(n: int = 40) -> list[Judgement]:
    """Two criteria with two and three options, every status, several sources, a tie, and another judge between."""
    found = []
    for i in range(n):
        status = STATUSES[i % 7] if i % 7 < len(STATUSES) else "ok"
        three = i % 3 == 0
        options = ("bad", "so", "good") if three else ("no", "yes")
        probs = (0.125, 0.5, 0.375) if three else (0.5, 0.5) if i % 5 == 0 else (0.1, 0.9)
        belief = Distribution(options=options, probs=probs, source=SOURCES[i % len(SOURCES)])
        found.append(
            Judgement(
                subject=f"i{i // 2}",
                subject_digest=f"text-{i % 4}",
                criterion="tone" if three else "grounded",
                criterion_digest="t" if three else "g",
                judge="house" if i % 4 else "other",
                identity="id-1",
                status=status,
                belief=belief if status == "ok" else None,
                replicate=i,
            )
        )
    return found


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A store with `judgements` in it, and its file."""
    with JudgementStore.open(tmp_path / "j.db") as opened:
        opened.add(judgements())
        yield opened


@pytest.mark.parametrize("chunk", [7, 500_000])
def test_columns_are_what_records_would_give(store: Any, monkeypatch: pytest.MonkeyPatch, chunk: int):
    """Subjects, statuses, sources, verdicts and beliefs are those of the judgements, chunk by chunk or at once."""
    monkeypatch.setattr(columns, "_CHUNK", chunk)
    mine = [x for x in judgements() if x.judge == "house"]
    found, direct = store.columns("house", "id-1"), columns_of(mine)
    for got, wanted in zip(*([one.subjects[i] for i in one.subject] for one in (found, direct)), strict=True):
        assert got == wanted
    names = [[one.questions[i][:2] for i in one.question] for one in (found, direct)]
    assert names[0] == names[1]
    for name in ("status", "source", "verdict"):
        assert getattr(found, name).tolist() == getattr(direct, name).tolist()
    assert np.allclose(found.beliefs, direct.beliefs)
    assert {x.criterion: x.options for x in found.questions} == {
        "tone": ("bad", "so", "good"),
        "grounded": ("no", "yes"),
    }


def test_only_some_criteria_and_only_present_texts(store: Any):
    """Judgements on other criteria, and of other versions of a text, are left out."""
    mine = [x for x in judgements() if x.judge == "house"]
    tone = store.columns("house", "id-1", criteria=["tone"])
    assert len(tone) == sum(x.criterion == "tone" for x in mine)
    texts = {f"i{i}": "text-1" for i in range(15)}
    some = store.columns("house", "id-1", texts=texts)
    kept = [x for x in mine if texts.get(x.subject) == x.subject_digest]
    assert [some.subjects[i] for i in some.subject] == [x.subject for x in kept]


def test_a_judge_that_said_nothing_has_empty_columns(store: Any):
    """No judge of that name or identity: no judgement, and no error."""
    assert len(store.columns("nobody", "id-1")) == 0
    assert len(store.columns("house", "id-2")) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "update judgements set status = 9 where id = 2",
        "update judgements set status = 'fine' where id = 2",
        "update judgements set verdict = 'yes' where verdict is not null",
        "update judgements set probs = '[0.5,0.1]' where probs = '[0.1,0.9]'",
        "update judgements set probs = '[0.1,0.2,0.7]' where probs = '[0.1,0.9]'",
        "update judgements set probs = 'many' where probs is not null",
        "update judgements set source = 77 where source is not null",
        "update judgements set probs = null where probs is not null",
    ],
)
def test_a_damaged_row_is_an_error_and_never_a_number(store: Any, damage: str):
    """A file that somebody edited gives no columns."""
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(damage)
    with pytest.raises(FielError, match="A judgement of 'house' is damaged"):
        store.columns("house", "id-1")
