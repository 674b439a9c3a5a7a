"""Hostile requests: bodies, paths, hosts, origins and tokens that are refused with a reason, and store nothing."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from typing import Any
from uuid import uuid4

import pytest
from starlette.requests import Request

from fiel.labelling import Desk
from fiel.records import Criterion, Rubric, Study
from fiel.store.labels import LabelStore
from fiel.web._door import Door, StrangerError
from fiel.web._files import Files
from fiel.web._guard import LARGEST, Hosts
from fiel.web._throttle import Throttle

GOOD = {"key": "one", "seconds": 1.5, "answer": "no"}


def body(**change: Any) -> bytes:
    """A good entry, changed."""
    return json.dumps({**GOOD, **change}).encode()


BAD_BODIES = {
    "empty": b"",
    "array": b"[]",
    "null": b"null",
    "no field": b"{}",
    "a word": b"yes",
    "half": b'{"key": "o',
    "bad UTF-8": b'{"key": "\xff\xfe", "seconds": 1}',
    "lone surrogate": b'{"key": "k", "seconds": 1, "note": "\\ud800"}',
    "NUL": b"\x00" * 40,
    "deep": b"[" * 50_000,
    "deep inside": b'{"key":"k","seconds":1,"evidence":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "not a number": b'{"key": "k", "seconds": NaN}',
    "infinite": b'{"key": "k", "seconds": 1e999}',
    "unknown label": body(answer="maybe"),
    "label of another case": body(answer="No"),
    "markup label": body(answer="<b>no</b>"),
    "label with space": body(answer="no "),
    "list of labels": body(answer=["no", "yes"]),
    "two labels": b'{"key": "k", "seconds": 1, "answer": "no", "answer": "yes"}',
    "number label": body(answer=1),
    "true label": body(answer=True),
    "label and skip": body(skipped="unclear"),
    "empty skip": body(answer=None, skipped=" "),
    "not applicable here": body(answer=None, skipped="not applicable"),
    "strength of an item": body(strength=2),
    "unknown field": body(rater="bob"),
    "negative time": body(seconds=-1),
    "time as text": body(seconds="1"),
    "long note": body(note="x" * 10_001),
    "span outside": body(evidence=[{"part": "output", "start": 0, "end": 10_000}]),
    "span backwards": body(evidence=[{"part": "output", "start": 5, "end": 2}]),
    "span of nothing": body(evidence=[{"part": "__proto__", "start": 0, "end": 1}]),
    "huge span": body(evidence=[{"part": "output", "start": 0, "end": 10**30}]),
    "no key": body(key=""),
    "long key": body(key="k" * 1000),
}


@pytest.fixture
def study(site):
    """A plain study."""
    return site(adjudicator="zoe")


def put(study: Any, content: bytes, *, path: str = "/api/labels/0/0", **headers: str) -> Any:
    """A write with headers as given; an underscore stands for a hyphen."""
    sent = {"Content-Type": "application/json", "If-Match": "0"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return study.request("PUT", path, token=study.tokens["ann"], body=content, headers=sent)


def test_bodies_that_cannot_be_taken_are_refused_with_a_reason(study):
    """Test 32: each is answered 4xx as JSON with a reason, never 500, and nothing is stored."""
    for name, content in BAD_BODIES.items():
        answer = put(study, content)
        assert 400 <= answer.status < 500, (name, answer.status, answer.body)
        assert answer.json["error"], name
        assert answer.headers["content-type"] == "application/json", name
    assert study.store.history("demo") == []
    assert put(study, body()).status == 200
    assert len(study.store.history("demo")) == 1


def test_decisions_that_cannot_be_taken_are_refused_with_a_reason(study):
    """Test 32: the same for decisions, on a cell that is there."""
    for rater, answer in (("ann", "no"), ("bob", "yes")):
        texts = study.request("GET", "/api/places?count=50", token=study.tokens[rater]).json["places"]
        place = next(one["place"] for one in texts if one["parts"][0]["text"] == "What is fact 0?")
        assert study.put(f"/api/labels/{place}/0", study.tokens[rater], {**GOOD, "answer": answer}).status == 200
    n = study.request("GET", "/api/queue", token=study.adjudicator).json["queue"][0]["n"]
    good = {"key": "d", "answer": "no", "reason": "rater slip"}
    changes: list[dict[str, Any]] = [
        {"answer": "maybe"},
        {"answer": None},
        {"reason": "because"},
        {"reason": None},
        {"reason": "true split"},
        {"skipped": "not applicable"},
        {"by": "bob"},
        {"key": 7},
    ]
    for change in changes:
        answer = study.put(f"/api/cells/{n}", study.adjudicator, {**good, **change})
        assert (answer.status, bool(answer.json["error"])) == (422, True), change
    assert study.store.decisions("demo") == []
    assert study.put(f"/api/cells/{n}", study.adjudicator, good).json == {"version": 1}
    stale = study.put(f"/api/cells/{n}", study.adjudicator, {**good, "key": "e"})
    assert (stale.status, stale.json["current"]["reason"]) == (409, "rater slip")


def test_large_bodies_and_odd_headers_are_refused(study):
    """Test 32: five megabytes, another content type, no or a wrong precondition are refused, and nothing is stored."""
    assert put(study, b'{"note": "' + b"x" * 5_000_000 + b'"}').status == 413
    assert put(study, body(note="x" * LARGEST)).status == 413
    assert put(study, b"x", Content_Length="999999999999").status == 413
    assert put(study, body(), Content_Type="text/plain").status == 415
    assert put(study, body(), If_Match="").status == 428
    assert put(study, body(), If_Match="*").status == 428
    assert put(study, body(), If_Match="9" * 30).status == 428
    assert put(study, body(), If_Match="7").status == 409
    assert study.store.history("demo") == []


def test_paths_lead_nowhere_else(study, tmp_path):
    """Test 33: dots, NUL, drives and endless names in every place of a path are 4xx, and make no file."""
    before = sorted(path for path in tmp_path.rglob("*") if "-wal" not in path.name and "-shm" not in path.name)
    odd = ("..", "%2e%2e", "%00", "C:", "a" * 300, "..%2f..%2fetc%2fpasswd", "%ff", "-1", "1e3", "9" * 5000, "٣", "+1")
    token = study.tokens["ann"]
    for word in odd:
        quoted = word if word.isascii() else "%D9%A3"
        for path in (
            f"/l/{quoted}",
            f"/adjudicate/{quoted}",
            f"/static/{quoted}",
            f"/static/../{quoted}",
            f"/{quoted}",
        ):
            assert 400 <= study.request("GET", path).status < 500, path
        for path in (f"/api/cells/{quoted}", f"/api/places?start={quoted}", f"/api/places?count={quoted}"):
            answer = study.request("GET", path, token=token)
            assert 400 <= answer.status < 500 or "count=" in path, path
            assert answer.status < 500
        for path in (f"/api/labels/{quoted}/0", f"/api/labels/0/{quoted}"):
            assert 400 <= put(study, body(), path=path).status < 500, path
    for path in (
        "/api/labels/8/0",
        "/api/labels/0/1",
        "/api/labels/0",
        "/static/static/pages.css",
        "/l/",
        "/api/opening/",
    ):
        assert 400 <= put(study, body(), path=path).status < 500, path
    assert study.store.history("demo") == []
    after = sorted(path for path in tmp_path.rglob("*") if "-wal" not in path.name and "-shm" not in path.name)
    assert after == before


def test_wrong_tokens_are_throttled_and_workers_are_not(study):
    """Test 34: of 30 wrong tokens the later ones wait, over the API and the pages; who is at work there goes on."""
    assert study.request("GET", "/api/opening", token=study.tokens["ann"]).status == 200
    statuses = [study.request("GET", "/api/opening", token=uuid4().hex).status for _ in range(30)]
    assert statuses[:10] == [401] * 10
    assert statuses[-10:] == [429] * 10
    page = study.request("GET", f"/l/{uuid4().hex}")
    assert page.status == 429
    assert int(page.headers["retry-after"]) > 0
    assert study.request("GET", "/api/opening", token=study.tokens["ann"]).status == 200
    assert study.request("GET", "/api/opening", token=study.tokens["bob"]).status == 429  # a guess would look like this


def test_the_throttle_lets_go_with_time():
    """After ten wrong tokens one more is looked at every six seconds, address by address."""
    now = 0.0
    throttle = Throttle(clock=lambda: now)
    for guess in range(10):
        assert throttle.wait("a", bytes([guess])) == 0
        throttle.wrong("a", bytes([guess]))
    assert 0 < throttle.wait("a", b"x") <= 6
    assert throttle.wait("b", b"x") == 0
    now = 6.1
    assert throttle.wait("a", b"x") == 0
    throttle.wrong("a", b"x")
    assert throttle.wait("a", b"y") > 0
    now = 10_000.0
    for guess in range(10):
        assert throttle.wait("a", bytes([guess])) == 0
        throttle.wrong("a", bytes([guess]))
    assert throttle.wait("a", b"z") > 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "127.0.0.1@evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_foreign_hosts_and_origins_are_refused(study, headers, status):
    """Test 34: another Host is refused on every route, another Origin too, with the right token, and writes nothing."""
    token = study.tokens["ann"]
    assert study.request("GET", "/api/opening", token=token, headers=headers).status == status
    assert study.request("GET", f"/l/{token}", headers=headers).status == status
    assert study.request("GET", "/static/label.js", headers=headers).status == status
    assert put(study, body(), **headers).status == status
    assert study.store.history("demo") == []
    own = {"Origin": study.root}
    assert study.request("GET", "/api/opening", token=token, headers=own).status == 200


def test_hosts_are_those_that_were_named():
    """Names of this machine and those allowed are served; an address of any interface only where all are bound."""
    assert "localhost:8765" in Hosts()
    assert "[::1]:8765" in Hosts()
    assert "192.168.1.9" not in Hosts()
    assert "label.example.org" in Hosts(more=["label.example.org"])
    assert "192.168.1.9:8765" in Hosts("0.0.0.0")  # noqa: S104  nothing is bound here
    assert "evil.example" not in Hosts("0.0.0.0")  # noqa: S104  nothing is bound here


def test_every_answer_carries_the_security_headers(study):
    """Pages, scripts, refusals and errors: each has the policy, no referrer, no sniffing, and no script inline."""
    for path in (f"/l/{study.tokens['ann']}", "/static/label.js", "/api/opening", "/nowhere", "/l/wrong"):
        answer = study.request("GET", path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
        assert answer.headers["cache-control"] in {"no-store", "no-cache"}
    assert study.request("GET", f"/l/{study.tokens['ann']}").headers["cache-control"] == "no-store"


def test_the_database_is_its_owners_alone(study):
    """Test 34: the files of the labels' database can be read by nobody else."""
    files = list(study.folder.glob("labels.db*"))
    assert files
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_no_token_reaches_a_log(study, caplog, capfd):
    """Whatever is asked, right or wrong, neither the logs nor the streams of the server hold a token."""
    caplog.set_level(logging.DEBUG)
    token, wrong = study.tokens["ann"], uuid4().hex
    for sent in (token, wrong):
        study.request("GET", f"/l/{sent}")
        study.request("GET", "/api/opening", token=sent)
        study.request("GET", "/api/places?start=x", token=sent)
    put(study, b"{")
    said = caplog.text + "".join(capfd.readouterr())
    assert token not in said
    assert wrong not in said


def test_the_wording_of_a_write_is_that_of_its_study(site):
    """A criterion's number is that of this study: two studies in one store do not mix."""
    rubric = Rubric(id="r", criteria=(Criterion(id="a", question="A?"), Criterion(id="b", question="B?")))
    study = site(rubric=rubric)
    assert put(study, body(), path="/api/labels/0/1").status == 200
    assert [key[2] for key in study.standing("ann")] == ["b"]


def test_a_link_that_was_replaced_opens_nothing_soon(tmp_path, rubric, items):
    """A new link for a rater shuts the old one, at the latest when what was looked up is forgotten."""
    now = 0.0
    request = Request({"type": "http", "client": ("127.0.0.1", 1), "headers": []})
    with LabelStore.open(tmp_path / "labels.db") as store:
        (link,) = store.create(Study(name="s", rubric=rubric, subjects=items(1), raters=("ann",)))
        door = Door(Desk(store), Files(), clock=lambda: now)

        async def opens(token: str) -> str:
            return (await door.entrant(request, token)).name

        assert asyncio.run(opens(link.token)) == "ann"
        new = store.issue("s", "ann").token
        assert asyncio.run(opens(new)) == "ann"
        now = 6.0
        with pytest.raises(StrangerError):
            asyncio.run(opens(link.token))
        assert asyncio.run(opens(new)) == "ann"
