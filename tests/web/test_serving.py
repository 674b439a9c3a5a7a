"""Serving for real: killed again and again under writers, stopped in good order, refused a port that is taken."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from fiel.labelling import Desk
from fiel.records import FielError, Study
from fiel.store.labels import LabelStore
from fiel.web import address, exposure, serve

KILLABLE = Path(__file__).with_name("_killable.py")
SERVE = """
import sys
from fiel.labelling import Desk
from fiel.store.labels import LabelStore
from fiel.web import serve
with LabelStore.open(sys.argv[1]) as store:
    serve(Desk(store), port=0, ready=lambda url: print(url, flush=True))
print("stopped", flush=True)
"""


class Writer(threading.Thread):
    """Sends one answer after another, each until it is acknowledged, and remembers what was."""

    def __init__(self, port: int, token: str, count: int, places: int) -> None:
        super().__init__()
        self.port, self.token, self.count, self.places = port, token, count, places
        self.acknowledged: list[tuple[int, int, str]] = []
        self.odd: list[tuple[int, bytes]] = []

    def run(self) -> None:
        """Write."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
            self._write(connection)

    def _write(self, connection: http.client.HTTPConnection) -> None:
        for turn in range(self.count):
            version, place = divmod(turn, self.places)
            entry = {"key": uuid4().hex, "seconds": 1, "answer": random.choice(("no", "yes"))}  # noqa: S311  no secret
            headers = {
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "If-Match": str(version),
            }
            while True:
                try:
                    connection.request("PUT", f"/api/labels/{place}/0", json.dumps(entry), headers)
                    response = connection.getresponse()
                    said = response.read()
                except (OSError, http.client.HTTPException):
                    connection.close()
                    time.sleep(0.005)
                    continue
                if response.status == 200:
                    self.acknowledged.append((place, json.loads(said)["version"], entry["answer"]))
                    break
                self.odd.append((response.status, said))
                if response.status != 503:
                    return


def test_what_was_acknowledged_survives_any_kill(tmp_path, items, rubric):
    """Test 31: three writers of 500 answers each, the server killed 20 times: every 2xx is on the disk, each once."""
    path = tmp_path / "labels.db"
    with LabelStore.open(path) as store:
        study = Study(name="s", rubric=rubric, subjects=items(125), raters=("a", "b", "c"), repeats=0.0)
        tokens = {link.name: link.token for link in store.create(study)}
    with subprocess.Popen(
        [sys.executable, str(KILLABLE), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as supervisor:
        port = int(supervisor.stdout.readline())
        writers = [Writer(port, tokens[name], 500, 125) for name in "abc"]
        for writer in writers:
            writer.start()
        kills = 0
        while kills < 20:
            time.sleep(random.uniform(0.05, 0.3))  # noqa: S311  no secret
            supervisor.stdin.write("\n")
            supervisor.stdin.flush()
            kills += 1
        for writer in writers:
            writer.join(timeout=60)
        supervisor.stdin.close()
    assert [writer.odd for writer in writers] == [[], [], []]
    with LabelStore.open(path, must_exist=True) as store:
        for writer, name in zip(writers, "abc", strict=True):
            kept = [(given.place, given.version, given.label.answer) for given in store.history("s", rater=name)]
            assert len(writer.acknowledged) == 500
            assert sorted(kept) == sorted(writer.acknowledged)
    connection = sqlite3.connect(path)
    assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("ask", [signal.SIGINT, signal.SIGTERM])
def test_serving_stops_in_good_order(tmp_path, items, rubric, ask):
    """`serve` says its address once it listens, prints nothing else, no token in it, and stops when asked to."""
    path = tmp_path / "labels.db"
    with LabelStore.open(path) as store:
        (link,) = store.create(Study(name="s", rubric=rubric, subjects=items(2), raters=("a",)))
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        connection.request("GET", f"/l/{link.token}")
        assert connection.getresponse().status == 200
        connection.close()
        os.kill(process.pid, ask)
        said, complained = process.communicate(timeout=60)
    assert link.token not in url + said + complained
    assert complained == ""
    if ask == signal.SIGINT:
        assert (said, process.returncode) == ("stopped\n", 0)


def test_a_port_that_is_taken_is_an_error_with_a_way_out(tmp_path, site):
    """A port in use, or one that is none, is said in a sentence with the fix."""
    taken = site()
    for port in (taken.port, 70_000):
        with pytest.raises(FielError, match=f"port {port}") as error:
            serve(Desk(taken.store), port=port)
        assert "--port" in error.value.fix


def test_addresses_and_exposure():
    """Links name the host that is served; whoever serves more than this machine is warned."""
    assert address("127.0.0.1", 8765) == "http://127.0.0.1:8765"
    assert address("0.0.0.0", 80).startswith("http://")  # noqa: S104  nothing is bound here
    assert "0.0.0.0" not in address("0.0.0.0", 80)  # noqa: S104  nothing is bound here
    assert exposure("localhost") is None
    assert "everybody" in exposure("0.0.0.0")  # noqa: S104  nothing is bound here
    assert "10.0.0.7" in exposure("10.0.0.7")
