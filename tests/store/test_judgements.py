from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from fiel.records import Distribution, Evidence, FielError, Judgement, Status, Usage
from fiel.store import _judgement_tables as tables
from fiel.store._judgement_layout import LAYOUT
from fiel.store.judgements import Asked, JudgementStore, Tally

OPTIONS = ("no", "yes")
FAILURES = ("inapplicable", "abstained", "refused", "unparsed", "error")


def judgement(**changes: Any) -> Judgement:
    """A judgement, with these fields in place of the usual ones."""
    usual: dict[str, Any] = {
        "subject": "a1",
        "subject_digest": "text-1",
        "criterion": "grounded",
        "criterion_digest": "wording-1",
        "judge": "house",
        "identity": "id-1",
        "status": "ok",
        "belief": Distribution(options=OPTIONS, probs=(0.25, 0.75), source="logprobs", captured=0.9),
    }
    return Judgement(**(usual | changes))


def failure(status: str, **changes: Any) -> Judgement:
    """A judgement that ended without a belief."""
    return judgement(status=status, belief=None, **changes)


@pytest.fixture
def store(tmp_path: Path):
    """An empty store."""
    with JudgementStore.open(tmp_path / "j.db") as opened:
        yield opened


FULL = judgement(
    belief=Distribution(
        options=OPTIONS,
        probs=(0.5, 0.5),
        source="mixture",
        captured=0.125,
        dropped=0.1,
        dropped_tokens=3,
        ambiguous=0.2,
        inapplicable=0.3,
        merged=((" Yes", "yes", 0.25), ("\0\u2028", "no", 1e-9)),
        mean_low=0.25,
        mean_high=0.75,
    ),
    evidence=(Evidence(text="x", field="answer", start=1, end=2), Evidence(text="\0", field="context")),
    reason="because\0 of this \u2028",
    replicate=2,
    order="ba",
    variant="short",
    served="small-judge@fp_1",
    written="no",
    usage=Usage(input=10, output=0),
    cost=1e-7,
    latency=0.1,
    request="r",
)


@pytest.mark.parametrize(
    "kept",
    [
        FULL,
        judgement(),
        judgement(usage=Usage(), cost=0.0, reason="", variant="", request="", served="", written=""),
        failure("inapplicable", written="not applicable"),
        *(failure(status, reason=status) for status in FAILURES),
        *(
            judgement(belief=Distribution(options=OPTIONS, probs=(0.1, 0.9), source=source))
            for source in tables.SOURCES
        ),
        judgement(reason="long " * 200_000),
    ],
    ids=lambda kept: f"{kept.status}-{kept.belief.source if kept.belief else None}-{len(kept.reason or '')}",
)
def test_comes_back_as_it_was(tmp_path: Path, kept: Judgement):
    """A judgement of any kind is the same after the store was closed and opened."""
    with JudgementStore.open(tmp_path / "j.db") as store:
        assert store.add([kept]) == 1
    with JudgementStore.open(tmp_path / "j.db", must_exist=True) as store:
        assert store.read() == [kept]


text = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\0", "\x85", "\u2028", "שלום\u202e", "'; --"]
)
maybe = st.none() | text
number = st.none() | st.floats(min_value=0, max_value=1e9)
shares = st.integers(0, 1000).map(lambda k: (k / 1000, 1 - k / 1000))
beliefs = st.builds(
    Distribution,
    options=st.just(OPTIONS),
    probs=shares,
    source=st.sampled_from(list(tables.SOURCES)),
    captured=number,
    dropped=st.floats(0, 1),
    dropped_tokens=st.integers(0, 20),
    inapplicable=st.floats(0, 1),
    merged=st.lists(st.tuples(text, st.sampled_from(OPTIONS), st.floats(0, 1)), max_size=3).map(tuple),
)
fields = {
    "subject": text,
    "subject_digest": text,
    "criterion": text,
    "criterion_digest": text,
    "judge": text,
    "identity": text,
    "evidence": st.lists(st.builds(Evidence, text=text, field=st.sampled_from(["answer", "context"]))).map(tuple),
    "reason": maybe,
    "replicate": st.integers(0, 5),
    "order": st.sampled_from([None, "ab", "ba"]),
    "variant": maybe,
    "served": maybe,
    "written": maybe,
    "usage": st.none() | st.builds(Usage, input=st.none() | st.integers(0, 10**6)),
    "cost": number,
    "latency": number,
    "request": maybe,
}
any_judgement = st.builds(Judgement, status=st.just("ok"), belief=beliefs, **fields) | st.builds(
    Judgement, status=st.sampled_from(FAILURES), **fields
)
few = st.builds(
    judgement,
    subject=st.sampled_from(["a", "b"]),
    served=st.sampled_from([None, "x", "y"]),
    reason=st.integers(0, 99).map(str),
) | st.builds(
    failure,
    st.sampled_from(["error", "error", "unparsed"]),
    subject=st.sampled_from(["a", "b"]),
    served=st.sampled_from([None, "x", "y"]),
    reason=st.integers(0, 99).map(str),
)


def cell(made: Judgement) -> tuple[Any, ...]:
    """What was asked of whom, whatever was served."""
    return (made.judge, made.identity, made.criterion, Asked.by(made))


def keep_by_hand(kept: list[Judgement], made: Judgement) -> None:
    """The rule of keeping, one judgement at a time."""
    same = [other for other in kept if cell(other) == cell(made)]
    for failed in (other for other in same if other.status == "error"):
        kept.remove(failed)
        same.remove(failed)
    if made.served not in [other.served for other in same] and not (same and made.status == "error"):
        kept.append(made)


@settings(deadline=None, max_examples=15)
@given(st.lists(any_judgement, max_size=8))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, batch: list[Judgement]):
    """Judgements with any text are read as they were added, in their order."""
    kept: list[Judgement] = []
    for made in batch:
        keep_by_hand(kept, made)
    with JudgementStore.open(tmp_path_factory.mktemp("any") / "j.db") as store:
        assert store.add(batch) == len(kept)
        assert store.read() == kept


@settings(deadline=None, max_examples=15)
@given(st.lists(st.lists(few, max_size=5), max_size=4))
def test_batches_keep_what_one_by_one_keeps(tmp_path_factory: pytest.TempPathFactory, batches: list[list[Judgement]]):
    """However judgements of few cells come in batches, what stands is what the rule leaves of them one by one."""
    kept: list[Judgement] = []
    with JudgementStore.open(tmp_path_factory.mktemp("few") / "j.db") as store:
        for batch in batches:
            for made in batch:
                keep_by_hand(kept, made)
            store.add(batch)
        assert store.read() == kept
        assert store.have("id-1") == {Asked.by(made) for made in kept if made.status != "error"}


@pytest.mark.parametrize("field", ["subject", "judge", "variant", "request", "served", "written"])
def test_lone_surrogate(store: JudgementStore, field: str):
    """A lone surrogate in what is not the model's own words is refused, and with it the whole batch."""
    with pytest.raises(FielError, match="surrogate"):
        store.add([judgement(), judgement(replicate=1, **{field: "x\ud800"})])
    assert store.read() == []


def test_lone_surrogate_of_a_model(store: JudgementStore):
    """In the model's own words a lone surrogate becomes U+FFFD, every other character stays where it was."""
    belief = msgspec.structs.replace(FULL.belief, merged=(("\udc00es", "yes", 0.5),))
    quote = Evidence(text="a\ud83d\0b", field="answer", start=0, end=4)
    store.add([judgement(reason="x\ud800y\N{GRINNING FACE}", evidence=(quote,), belief=belief)])
    (kept,) = store.read()
    assert kept.reason == "x\ufffdy\N{GRINNING FACE}"
    assert kept.evidence == (Evidence(text="a\ufffd\0b", field="answer", start=0, end=4),)
    assert kept.belief == msgspec.structs.replace(FULL.belief, merged=(("\ufffdes", "yes", 0.5),))


def test_the_same_is_ignored(store: JudgementStore):
    """The same question answered again by the same judge changes nothing, whatever the answer."""
    assert store.add([judgement(), judgement(reason="again")]) == 1
    assert store.add([judgement(reason="later"), failure("error")]) == 0
    assert store.read() == [judgement()]


@pytest.mark.parametrize("later", [judgement(served="x@1"), judgement(), *(failure(status) for status in FAILURES)])
def test_a_failed_call_gives_way(store: JudgementStore, later: Judgement):
    """A failed call is replaced by whatever comes for its cell, and comes last; other cells stay."""
    other = failure("error", subject="a2")
    assert store.add([failure("error", reason="timeout"), other]) == 2
    assert store.add([later]) == 1
    assert store.read() == [other, later]


@pytest.mark.parametrize("first", [judgement(), *(failure(status) for status in FAILURES if status != "error")])
def test_nothing_else_gives_way(store: JudgementStore, first: Judgement):
    """What is no failed call is never replaced, and a later failed call of the cell says nothing new."""
    store.add([first])
    assert store.add([failure("error", served="x@1"), judgement(reason="later")]) == 0
    assert store.read() == [first]


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "a2"},
        {"subject_digest": "text-2"},
        {"criterion_digest": "wording-2"},
        {"judge": "other"},
        {"identity": "id-2"},
        {"served": "x@1"},
        {"served": ""},
        {"replicate": 1},
        {"order": "ab"},
        {"variant": ""},
    ],
)
def test_another_question_is_another_row(store: JudgementStore, change: dict[str, Any]):
    """A changed text, wording, judge, replicate, order or prompt is another judgement."""
    assert store.add([judgement(), judgement(**change)]) == 2
    assert store.read() == [judgement(), judgement(**change)]


def test_a_batch_is_kept_whole_or_not_at_all(store: JudgementStore):
    """An error while the batch is made leaves nothing of it."""

    def broken() -> Iterator[Judgement]:
        yield judgement()
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        store.add(broken())
    assert store.read() == []
    assert store.add([]) == 0


def test_other_options_are_refused(store: JudgementStore):
    """A belief over other options than the same wording had is refused, in one batch or in two, and nothing is kept."""
    other = judgement(subject="a2", belief=Distribution(options=("bad", "good"), probs=(0, 1), source="point"))
    with pytest.raises(FielError, match="same wording"):
        store.add([judgement(), other])
    assert store.read() == []
    store.add([failure("error", subject="a3"), judgement()])
    with pytest.raises(FielError, match="'a2'"):
        store.add([judgement(subject="a4"), other])
    assert [kept.subject for kept in store.read()] == ["a3", "a1"]


def test_read_selects(store: JudgementStore):
    """Reading by judge, identity, criteria and subjects gives those rows, in the order of adding."""
    batch = [
        judgement(subject=f"s{n % 700}", criterion=f"c{n % 2}", judge=f"j{n % 3}", identity=f"i{n % 5}", replicate=n)
        for n in range(1500)
    ]
    assert store.add(batch) == 1500
    assert store.read(judge="j1") == [kept for kept in batch if kept.judge == "j1"]
    assert store.read(identity="i2", judge="j0") == [
        kept for kept in batch if (kept.judge, kept.identity) == ("j0", "i2")
    ]
    assert store.read(criteria=["c1", "none"]) == [kept for kept in batch if kept.criterion == "c1"]
    wanted = [f"s{n}" for n in range(650, -1, -1)]
    assert store.read(subjects=[*wanted, *wanted]) == [kept for kept in batch if kept.subject in set(wanted)]
    assert store.read(judge="j2", subjects=wanted) == [x for x in batch if x.judge == "j2" and x.subject in set(wanted)]
    assert store.read(replicate=7) == [batch[7]]
    assert store.read(subjects=[]) == store.read(criteria=[]) == store.read(judge="none") == []


def test_have(store: JudgementStore):
    """What a judge of one identity has answered is known by all that makes the question; failed calls do not count."""
    answered = [judgement(), FULL, failure("unparsed", subject="a2", order="ab", variant="")]
    store.add([*answered, judgement(identity="id-2", subject="a9"), failure("error", subject="a8")])
    assert store.have("id-1") == {Asked.by(kept) for kept in answered}
    assert ("a1", "text-1", "wording-1", 2, "ba", "short") in store.have("id-1")
    assert store.have("none") == set()


def test_tally(store: JudgementStore):
    """The database counts what reading and counting by hand counts; a tie and a failure have no verdict."""
    tie = Distribution(options=OPTIONS, probs=(0.5, 0.5), source="samples")
    no = Distribution(options=OPTIONS, probs=(1, 0), source="point")
    batch = [
        *(judgement(subject=f"y{n}") for n in range(5)),
        *(judgement(subject=f"n{n}", belief=no) for n in range(3)),
        *(judgement(subject=f"t{n}", belief=tie) for n in range(2)),
        *(failure("refused", subject=f"r{n}", identity="id-2") for n in range(4)),
        failure("error", subject="e", criterion="clear", criterion_digest="wording-9"),
    ]
    store.add(batch)
    by_hand = Counter((j.judge, j.identity, j.criterion, j.criterion_digest, j.status, j.verdict) for j in batch)
    names = [name for name in Tally.__struct_fields__ if name != "count"]
    assert {tuple(getattr(t, name) for name in names): t.count for t in store.tally()} == by_hand
    assert sum(counted.count for counted in store.tally()) == len(batch)


def test_identities(store: JudgementStore):
    """The identities of a judge come in the order in which they last answered."""
    for subject, identity, judge in [("a", "one", "house"), ("a", "two", "house"), ("a", "x", "other")]:
        store.add([judgement(subject=subject, identity=identity, judge=judge)])
    assert store.identities("house") == ["one", "two"]
    store.add([judgement(subject="b", identity="one")])
    assert store.identities("house") == ["two", "one"]
    assert store.identities("none") == []


def test_served(store: JudgementStore):
    """What was served is counted under an identity of any name, with its time, what answered last at the end."""
    before = datetime.now(UTC).replace(microsecond=0)
    store.add([judgement(subject="a", served="m@1"), judgement(subject="a", served="m@2"), judgement(subject="b")])
    store.add([judgement(subject="c", judge="other", served="m@1"), judgement(subject="d", identity="id-2")])
    found = store.served("id-1")
    assert [(served.served, served.count) for served in found] == [("m@2", 1), (None, 1), ("m@1", 2)]
    for served in found:
        assert served.last is not None
        assert before <= datetime.fromisoformat(served.last) <= datetime.now(UTC)
    assert store.served("none") == []


def test_find(store: JudgementStore):
    """The judgements of a subject are found by its id or a beginning of it, those of the newest identity last."""
    old, new = judgement(subject="doc-1"), judgement(subject="doc-1", identity="id-2")
    clear = judgement(subject="doc-1", criterion="clear", judge="other")
    store.add([new, judgement(subject="doc-11"), judgement(subject="x_1"), judgement(subject="xy1")])
    store.add([old, clear])
    store.add([judgement(subject="z", identity="id-2")])
    assert store.find("doc-1") == [old, clear, new]
    assert store.find("doc-1", criterion="grounded", judge="house") == [old, new]
    assert store.find("doc-1", criterion="clear") == store.find("doc-1", judge="other") == [clear]
    assert store.find("doc-11") == [judgement(subject="doc-11")]
    assert store.find("x_") == [judgement(subject="x_1")]
    assert store.find("X_") == store.find("doc-1", criterion="none") == store.find("doc-111") == []
    with pytest.raises(FielError, match="2 judged subjects have an id that begins with 'doc-': 'doc-1', 'doc-11'"):
        store.find("doc-")


def test_nothing_judged_yet(tmp_path: Path):
    """Reading a store that is not there says what to run, and makes neither file nor folder."""
    with pytest.raises(FielError, match="Run fiel judge"):
        JudgementStore.open(tmp_path / "deep" / "j.db", must_exist=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("postgresql://me:verysecret@host/db", r"fiel\[postgres\]"),
        ("postgresql+psycopg://me:verysecret@host/db", r"fiel\[postgres\]"),
        ("postgres://me:verysecret@host/db", r"fiel\[postgres\]"),
        ("mysql://me:verysecret@host/db", "SQLite"),
        ("lake/*.parquet", "SQLite"),
    ],
)
def test_other_databases(address: str, what: str):
    """Another kind of database is refused for now, and its address, which may hold a password, is not repeated."""
    with pytest.raises(FielError, match=what) as caught:
        JudgementStore.open(address)
    assert "verysecret" not in str(caught.value)


def test_sqlite_address(tmp_path: Path):
    """An SQLite address is its path."""
    with JudgementStore.open(f"sqlite:///{tmp_path}/deep/j.db") as store:
        assert store.path == tmp_path / "deep" / "j.db"
    assert (tmp_path / "deep" / "j.db").exists()


WRITER = """
import os, signal, sys
from fiel.records import Distribution, Judgement
from fiel.store.judgements import JudgementStore
path, name, batches, kill = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "kill"
belief = Distribution(options=("no", "yes"), probs=(0.5, 0.5), source="point")
store = JudgementStore.open(path)
for batch in range(batches):
    store.add(
        Judgement(subject=f"s{n}", subject_digest=name, criterion="c", criterion_digest="d", judge="j",
                  identity="i", status="ok", belief=belief, replicate=batch)
        for n in range(10)
    )
if kill:
    os.kill(os.getpid(), signal.SIGKILL)
store.close()
"""


def writer(path: Path, name: str, batches: int, end: str) -> subprocess.Popen[bytes]:
    """A process of its own that adds batches of ten."""
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(batches), end], env=dict(os.environ))


def test_processes_that_write_at_once(tmp_path: Path):
    """Several processes that create and fill one store at the same time lose nothing."""
    running = [writer(tmp_path / "deep" / "j.db", f"p{n}", 10, "close") for n in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    with JudgementStore.open(tmp_path / "deep" / "j.db", must_exist=True) as store:
        assert Counter(kept.subject_digest for kept in store.read()) == {"p0": 100, "p1": 100, "p2": 100}
        assert [counted.count for counted in store.tally()] == [300]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_what_add_returned_is_on_the_disk(tmp_path: Path):
    """A process that is killed right after adding has added."""
    assert writer(tmp_path / "j.db", "p", 3, "kill").wait(timeout=60) == -signal.SIGKILL
    with JudgementStore.open(tmp_path / "j.db", must_exist=True) as store:
        assert len(store.read()) == 30


def test_connections_are_careful(store: JudgementStore):
    """Every connection has a write-ahead log, full synchronisation, patience and foreign keys."""
    with store._engine.connect() as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas] == ["wal", 2, 1, 30000]


def test_words_are_numbers(store: JudgementStore):
    """Status, verdict and source are numbers in the file, so that SQL counts them."""
    store.add([judgement(), failure("refused", subject="a2")])
    store.close()
    with closing(sqlite3.connect(store.path)) as raw:
        rows = raw.execute("SELECT status, verdict, source, probs FROM judgements ORDER BY id").fetchall()
    assert rows == [(0, 1, 0, "[0.25,0.75]"), (2, None, None, None)]


def test_tables_suit_postgresql():
    """The same tables and indexes can be written in PostgreSQL's words."""
    dialect = postgresql.dialect()
    for table in LAYOUT.tables.sorted_tables:
        assert str(CreateTable(table).compile(dialect=dialect)).strip().startswith("CREATE TABLE")
        for index in table.indexes:
            assert "INDEX" in str(CreateIndex(index).compile(dialect=dialect))


def test_numbers_of_words_stay():
    """The numbers that stand in people's files are what they were, and every word has one."""
    assert tables.STATUSES == {"ok": 0, "abstained": 1, "refused": 2, "unparsed": 3, "error": 4, "inapplicable": 5}
    assert set(tables.STATUSES) == set(get_args(Status))
    sources = ("logprobs", "samples", "mixture", "point", "stated", "classifier", "decision", "baseline", "check")
    assert tuple(tables.SOURCES) == sources
    assert list(tables.SOURCES.values()) == list(range(9))
    assert set(msgspec.json.schema(Distribution)["$defs"]["Distribution"]["properties"]["source"]["enum"]) == set(
        sources
    )
