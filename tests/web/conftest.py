"""A study in a real store behind a real server, and a real browser."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from fiel.labelling import Desk
from fiel.records import Criterion, Given, Item, Rubric, Study
from fiel.store.labels import LabelStore
from fiel.web import app
from fiel.web._serve import bound, configured

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
QUESTION = Criterion(
    id="grounded",
    question="Does the context support every factual claim of the answer?",
    guidance="no: at least one claim is not supported\nyes: every claim is supported",
    evidence_in="answer",
)
RUBRIC = Rubric(id="rag", guidance="Hold the **answer** against the *context*.", criteria=(QUESTION,))


def items(count: int) -> tuple[Item, ...]:
    """Items whose texts name them."""
    return tuple(
        Item(id=f"secret-{n}", input=f"What is fact {n}?", context=f"Fact {n} is so.", output=f"It is fact {n}, so.")
        for n in range(count)
    )


@dataclass
class Answer:
    """What came back from the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)


@dataclass
class Site:
    """A study that is served; it can be stopped and started again on its port."""

    folder: Path
    study: Study
    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)  # of raters
    adjudicator: str = ""  # the token

    def __post_init__(self) -> None:
        self.store = LabelStore.open(self.folder / "labels.db")
        for link in self.store.create(self.study):
            if link.role == "adjudicator":
                self.adjudicator = link.token
            else:
                self.tokens[link.name] = link.token
        self.start()

    @property
    def root(self) -> str:
        """What its addresses begin with."""
        return f"http://127.0.0.1:{self.port}"

    def link(self, rater: str) -> str:
        """Where a rater labels."""
        return f"{self.root}/l/{self.tokens[rater]}"

    @property
    def bench(self) -> str:
        """Where the adjudicator decides."""
        return f"{self.root}/adjudicate/{self.adjudicator}"

    def start(self) -> None:
        """Serve, from a fresh reading of the store."""
        listening = bound("127.0.0.1", self.port)
        self.port = listening.getsockname()[1]
        self.server = uvicorn.Server(configured(app(Desk(self.store))))

        def run() -> None:
            with listening:
                self.server.run(sockets=[listening])

        self.thread = threading.Thread(target=run)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)

    def stop(self) -> None:
        """Serve no more."""
        self.server.should_exit = True
        self.thread.join(timeout=60)
        assert not self.thread.is_alive()

    def close(self) -> None:
        """Serve no more, and let go of the store."""
        if self.thread.is_alive():
            self.stop()
        self.store.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request over a connection of its own, the path as it is written."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}))
            sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
            if body is not None:
                sent.setdefault("Content-Length", str(len(body)))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def put(self, path: str, token: str, content: Any, version: int = 0) -> Answer:
        """One write."""
        headers = {"Content-Type": "application/json", "If-Match": f'"{version}"'}
        return self.request("PUT", path, token=token, body=json.dumps(content).encode(), headers=headers)

    def standing(self, rater: str | None = None) -> dict[tuple[str, int, str], Given]:
        """What stands in the store, by rater, place and criterion."""
        givens = self.store.givens(self.study.name, rater=rater)
        return {(given.label.rater, given.place, given.label.criterion): given for given in givens}


@pytest.fixture(name="items")
def _items() -> Callable[[int], tuple[Item, ...]]:
    """Makes items."""
    return items


@pytest.fixture
def rubric() -> Rubric:
    """The plain one."""
    return RUBRIC


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Serves a study that is made of what is given; the rest is plain."""
    opened: list[Site] = []

    def make(**given: Any) -> Site:
        plain: dict[str, Any] = {
            "name": "demo",
            "rubric": RUBRIC,
            "subjects": items(8),
            "raters": ("ann", "bob"),
            "repeats": 0.0,
        }
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(Site(folder, Study(**{**plain, **given})))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for a file of tests: while it runs there is an event loop, in which other tests could start none."""
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install fiel[test]")
    if not Path(CHROMIUM).exists() and shutil.which("chromium") is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  an optional package

    with sync_playwright() as playwright:
        path = CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium")
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def opens(browser) -> Iterator[Callable[..., Any]]:
    """Opens an address in a fresh context; a script error or a broken security policy fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def listen(page: Any) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type == "error" and "Failed to load resource" not in said.text
                else None
            ),
        )

    def visit(address: str, *, context: Any = None, **options: Any) -> Any:
        if context is None:
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # a shared disk may stand still for a while
        listen(page)
        page.route("**/never-asked-for", lambda route: route.abort())  # a page that is there already is caught too late
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []
