from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from fiel.measures import ORDERS, SOURCES, STATUSES, columns_of
from fiel.records import Distribution, FielError, Item, Judgement, Usage
from fiel.store import _judgement_columns as columns
from fiel.store.judgements import JudgementStore, Spent


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
                order=(None, "ab", "ba")[i % 3] if i % 4 == 1 else None,
                served=(None, "m@1", "m@2")[i % 3],
                usage=Usage(input=i, output=2) if i % 2 else None,
                cost=None if i % 5 else 0.5,
                request=f"r{i // 2}" if i % 6 else None,
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
    for name in ("status", "source", "verdict", "order", "served"):
        assert getattr(found, name).tolist() == getattr(direct, name).tolist()
    assert found.models == direct.models == ("m@1", "m@2")
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
    assert len(store.columns("house", "id-1", replicate=3)) == sum(x.replicate == 3 for x in mine) == 1


@pytest.mark.parametrize("chunk", [3, 500_000])
@pytest.mark.parametrize("odd", [None, "", "short", "and, with a comma"])
def test_texts_are_told_by_their_whole_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, odd: str | None
):
    """Digests of ours are compared to the last character; older and other ones among them do not disturb that."""
    monkeypatch.setattr(columns, "_CHUNK", chunk)
    items = [Item(id=f"i{n}", output="x") for n in range(10)]
    belief = Distribution(options=("no", "yes"), probs=(0.25, 0.75), source="point")
    digests = [item.digest if n % 2 else item.digest[:-1] + "z" for n, item in enumerate(items)]
    if odd is not None:
        digests[4] = odd
    said = [
        Judgement(
            subject=item.id,
            subject_digest=digest,
            criterion="c",
            criterion_digest="c",
            judge="house",
            identity="1",
            status="ok",
            belief=belief,
        )
        for item, digest in zip(items, digests, strict=True)
    ]
    with JudgementStore.open(tmp_path / "j.db") as store:
        store.add(said)
        texts = {item.id: item.digest for item in items[:8]}
        if odd is not None and "," in odd:
            with pytest.raises(FielError, match="holds a comma"):
                store.columns("house", "1", texts=texts)
            return
        found = store.columns("house", "1", texts=texts)
    assert [found.subjects[i] for i in found.subject] == ["i1", "i3", "i5", "i7"]


@pytest.mark.parametrize("chunk", [7, 500_000])
def test_what_they_took_is_summed_over_those_that_are_there(store: Any, monkeypatch: pytest.MonkeyPatch, chunk: int):
    """Calls, tokens and cost are those of the records: of all, of some, and of none."""
    monkeypatch.setattr(columns, "_CHUNK", chunk)
    mine = [x for x in judgements() if x.judge == "house"]
    found = store.columns("house", "id-1")
    some = np.array([i % 3 == 0 for i in range(len(mine))])
    for columned, records in (
        (found, mine),
        (found.at(some), [x for x, here in zip(mine, some, strict=True) if here]),
        (found.of_model("m@2"), [x for x in mine if x.served != "m@1"]),
    ):
        assert store.spent(columned) == Spent(
            calls=len({x.request for x in records if x.request is not None}),
            input=sum(x.usage.input or 0 for x in records if x.usage is not None),
            output=sum(x.usage.output or 0 for x in records if x.usage is not None),
            cached=None,
            cost=sum(x.cost for x in records if x.usage is not None and x.cost is not None),
            priced=sum(x.usage is not None and x.cost is not None for x in records),
        )
    nothing = Spent(calls=0, input=None, output=None, cached=None, cost=None, priced=0)
    assert store.spent(store.columns("nobody", "id-1")) == nothing
    with pytest.raises(FielError, match="not read from a database"):
        store.spent(columns_of(mine))


def test_what_a_judge_has_seen_is_asked_of_the_database(store: Any):
    """Orders are of one identity; texts and wordings of a name, whatever its identity."""
    store.add([replace(judgements()[1], subject="i1", identity="id-0", subject_digest="old", criterion_digest="g0")])
    assert store.orders("house", "id-1") == {ORDERS[i] for i in store.columns("house", "id-1").order}
    assert store.orders("nobody", "id-1") == set()
    mine = store.read(judge="house")
    wanted = {f"i{i}" for i in range(9)}
    texts: dict[str, set[str]] = {}
    for x in mine:
        if x.subject in wanted:
            texts.setdefault(x.subject, set()).add(x.subject_digest)
    assert store.texts("house", wanted) == texts
    assert store.texts("house", []) == store.texts("nobody", wanted) == {}
    assert store.wordings("house") == {"grounded": {"g", "g0"}, "tone": {"t"}}
    assert store.wordings("nobody") == {}


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
        "update judgements set status = 1.5 where id = 2",
        "update judgements set shown_order = 7 where id = 2",
        "update judgements set served = 99 where id = 2",
        "delete from words",
        "delete from subjects where id = 2",
        "update judgements set source = 77 where source is not null",
        "update judgements set probs = null where probs is not null",
        "update judgements set probs = null where id = (select max(id) from judgements where probs is not null)",
        "update judgements set source = null, verdict = null where probs is not null",
        "update judgements set source = null, verdict = null, probs = null where status = 0",
        "update judgements set verdict = 0 where verdict = 1",
        "update judgements set id = -5 where id = 2",
        "update judgements set replicate = 'x' where id = 2",
        "update criteria set options = '[1,2]'",
    ],
)
def test_a_damaged_row_is_an_error_and_never_a_number(store: Any, damage: str):
    """A file that somebody edited gives no columns."""
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(damage)
    with pytest.raises(FielError, match="A judgement of 'house' is damaged"):
        store.columns("house", "id-1")


def test_numbers_of_rows_may_be_far_apart(store: Any):
    """Somebody gave a row the highest number that there is: it is read all the same, and at once."""
    before = store.columns("house", "id-1")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("update judgements set id = 9000000000000000000 where id = (select max(id) from judgements)")
    assert store.columns("house", "id-1").verdict.tolist() == before.verdict.tolist()
