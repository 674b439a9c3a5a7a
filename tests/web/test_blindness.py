"""What can be read with a link and without one, and that nothing which is shown ever runs."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from fiel.labelling import Desk
from fiel.records import Criterion, Item, Pair, Rubric
from fiel.web import app

HIDDEN = ("gold-reference", "hidden-author", "hidden-group", "hidden-field", "secret-", "ben-the-other", "zoe-decides")
JUDGE_WORDS = re.compile(rb"\bjudge|\bverdict|\bbelief|\bscore|logprob|\bmodel\b|sourceMappingURL", re.IGNORECASE)


@pytest.fixture
def study(site):
    """A study of items with much that raters do not see, every cell of it split."""
    subjects = tuple(
        Item(
            id=f"secret-{n}",
            input=f"Question {n}?",
            output=f"Answer {n}.",
            reference="gold-reference",
            author="hidden-author",
            group="hidden-group",
            fields={"route": f"shown-{n}", "prelabel": "hidden-field"},
        )
        for n in range(3)
    )
    made = site(
        subjects=subjects, show=("input", "output", "route"), raters=("ann", "ben-the-other"), adjudicator="zoe-decides"
    )
    for rater, answer in (("ann", "no"), ("ben-the-other", "yes")):
        for place in range(3):
            entry = {"key": uuid4().hex, "seconds": 5, "answer": answer}
            assert made.put(f"/api/labels/{place}/0", made.tokens[rater], entry).status == 200
    return made


def crawl(study: Any, token: str | None) -> dict[str, Any]:
    """Every route of the app, and what it answers to whoever has this token."""
    tokens = (*study.tokens.values(), study.adjudicator)
    static = [str(name) for name in _static()]
    values = {
        "token": (token, "wrong") if token else ("wrong",),
        "name": (*static, "label.html", "label.js.map"),
        "place": ("0", "2", "3"),
        "criterion": ("0", "1"),
        "n": tuple(str(n) for n in range(4)),
    }
    paths = ["/", "/api", "/api/results", "/api/judgements", "/docs", "/openapi.json", "/debug", "/favicon.ico"]
    for route in app(Desk(study.store)).routes:
        expanded = [route.path]
        for name, choices in values.items():
            expanded = [one.replace(f"{{{name}}}", choice) for one in expanded for choice in choices]
        paths += list(dict.fromkeys(expanded))
    paths += ["/api/places?start=0&count=50", "/api/places?count=50&debug=1&rater=ben-the-other&unblind=true"]
    assert len(paths) > 40
    answers = {path: study.request("GET", path, token=token) for path in paths}
    for path, answer in answers.items():
        seen = answer.body + repr(answer.headers).encode()
        others = [other for other in tokens if other != token]
        assert not any(other.encode() in seen for other in others), path
    return answers


def _static() -> list[str]:
    from importlib.resources import files  # noqa: PLC0415  read where it is asked for

    return sorted(entry.name for entry in files("fiel.web").joinpath("static").iterdir())


@pytest.mark.parametrize("who", ["rater", "adjudicator", "stranger", "old link"])
def test_no_route_tells_what_is_not_for_its_reader(study, who):
    """Tests 14 and 15: crawled as rater, adjudicator and stranger, no body, header or script holds what is hidden.

    There is no debug mode to ask for; parameters that look like one change nothing.
    """
    token = {"rater": study.tokens["ann"], "adjudicator": study.adjudicator, "stranger": None, "old link": "x" * 43}[
        who
    ]
    for path, answer in crawl(study, token).items():
        seen = answer.body + repr(answer.headers).encode()
        mine = {"adjudicator": ("zoe-decides",)}.get(who, ())
        assert not [word for word in HIDDEN if word not in mine and word.encode() in seen], path
        assert not JUDGE_WORDS.search(seen), (path, JUDGE_WORDS.search(seen))
        if who == "adjudicator":
            assert b"ann" not in re.findall(rb'"name":"([^"]*)"', answer.body), path
        if who in {"stranger", "old link"} and path.startswith("/api/"):
            assert answer.status in {401, 404, 405, 429}, path
            assert b"Question" not in answer.body
        assert answer.status < 500, path
        if answer.status == 200 and path.startswith("/api/queue"):
            assert who == "adjudicator"
    served = study.request("GET", "/api/places?start=0&count=50", token=study.tokens["ann"]).json["places"]
    assert {place["given"]["grounded"]["answer"] for place in served} == {"no"}


def test_a_rater_cannot_open_what_is_not_his(study):
    """Test 14: a rater's link opens neither the queue nor a cell nor the other page, and an adjudicator's no place."""
    rater, adjudicator = study.tokens["ann"], study.adjudicator
    for path, token in (
        ("/api/queue", rater),
        ("/api/cells/0", rater),
        ("/api/places", adjudicator),
        ("/api/progress", adjudicator),
    ):
        assert study.request("GET", path, token=token).status == 403
    assert study.request("GET", f"/adjudicate/{rater}").status == 404
    assert study.request("GET", f"/l/{adjudicator}").status == 404
    entry = {"key": "k", "seconds": 1, "answer": "no"}
    assert study.put("/api/labels/0/0", adjudicator, entry).status == 403
    assert study.put("/api/cells/0", rater, {"key": "k", "answer": "no", "reason": "rater slip"}).status == 403


def test_an_item_shows_the_named_fields_and_no_other(study, opens):
    """Test 17: the page of an item holds the parts and fields that `show` names, and nothing else of the item."""
    page = opens(study.link("ann") + "#1")
    page.locator(".option").first.wait_for()
    assert page.locator(".part h2").all_text_contents() == ["Question", "Answer", "route"]
    content = page.content()
    assert not [word for word in HIDDEN if word in content]


def test_a_stranger_changes_nothing(study):
    """Test 19: without a token nobody labels, decides or registers, and what stands stays as it is."""
    before = study.standing()
    entry = {"key": uuid4().hex, "seconds": 1, "answer": "yes"}
    for token in ("", "wrong", "ann", "null", "undefined"):
        assert study.put("/api/labels/0/0", token, entry, version=1).status in {401, 429}
        assert study.put("/api/cells/0", token, entry).status in {401, 429}
    for path in ("/register", "/signup", "/login", "/l/new", "/api/raters", "/api/opening"):
        assert study.request("POST", path, body=b"name=mallory").status in {404, 405}
    assert study.standing() == before
    assert study.store.decisions("demo") == []


HOSTILE = (
    "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
    "<svg onload='window.pwned = 1'></svg>{{7*7}}\"><iframe srcdoc='<script>top.pwned = 1</script>'></iframe>"
)


def test_hostile_texts_are_shown_and_never_run(site, opens):
    """Test 35: script in an item, an option, a question, guidance, a note or a rater's name is text on every page."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install fiel[test]")
    rubric = Rubric(
        id="r",
        guidance=f"{HOSTILE}\n\n- **{HOSTILE}**\n- [a](javascript:alert(1))",
        criteria=(
            Criterion(id=f"c {HOSTILE}"[:190], question=HOSTILE, options=("no", HOSTILE), guidance=f"no: {HOSTILE}"),
        ),
    )
    name = f"n {HOSTILE}"[:180]
    subjects = (
        Item(id="a", input=HOSTILE, context=HOSTILE, output=HOSTILE, fields={HOSTILE: HOSTILE}),
        Pair(id="b", input=HOSTILE, a=HOSTILE, b=f"b {HOSTILE}"),
    )
    made = site(
        subjects=subjects,
        rubric=rubric,
        raters=(name, "bob"),
        adjudicator=f"z {name}"[:180],
        show=("input", "output", "a", "b", HOSTILE),
    )
    dialogs: list[str] = []

    def check(page: Any) -> None:
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        assert page.evaluate("window.pwned") is None
        assert page.locator("#page script, #page img, #page svg, #page iframe, #page a").count() == 0
        assert "onerror" in page.locator("#page").text_content()

    page = opens(made.link(name))
    page.locator(".option").first.wait_for()
    for _ in range(2):
        check(page)
        page.keyboard.press("n")
        page.keyboard.type(HOSTILE)
        page.keyboard.press("Escape")
        check(page)
        page.keyboard.press("s")
        page.keyboard.press("4")
        page.keyboard.type(HOSTILE)
        page.keyboard.press("Enter")
        page.keyboard.press("f")
    page.locator(".finish h1").wait_for()
    page.locator('.state[data-kind="saved"]').wait_for()
    bench = opens(made.bench)
    bench.locator(".rater-note").first.wait_for()
    check(bench)
    bench.keyboard.press("b")
    bench.keyboard.press("Control+Enter")
    bench.locator('.state[data-kind="saved"]').wait_for()
    bench.keyboard.press("ArrowLeft")
    bench.locator(".names").wait_for()
    check(bench)
    assert dialogs == []
