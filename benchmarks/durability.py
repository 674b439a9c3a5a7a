"""Kill -9 in the middle of a run, many times: what was acknowledged is there once, and little is asked again."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from _common import Row, arguments, show

STUB = Path(__file__).resolve().parents[2] / "shared" / "tools" / "stub_openai.py"
IN_FLIGHT = 16
CONFIG = """
[project]
name = "kill"
[models.fast]
base_url = "{url}/v1"
model = "stub"
max_in_flight = {width}
[[judges]]
name = "house"
model = "fast"
rubric = "one"
"""
RUBRIC = 'id = "one"\n[[criteria]]\nid = "good"\nquestion = "Is it good?"\npassing = ["yes"]\n'


def requests(url: str) -> int:
    """How many calls the endpoint was asked so far."""
    while True:
        try:
            with urlopen(f"{url}/stats", timeout=10) as answer:  # noqa: S310  our own server
                return int(json.load(answer).get("requests", 0))
        except HTTPError:  # it cannot count while its first call is under way
            time.sleep(0.01)


def project(folder: Path, url: str, items: int) -> None:
    """A project of so many items with one criterion."""
    (folder / "rubrics").mkdir()
    (folder / "items").mkdir()
    (folder / "fiel.toml").write_text(CONFIG.format(url=url, width=IN_FLIGHT))
    (folder / "rubrics" / "one.toml").write_text(RUBRIC)
    lines = [json.dumps({"id": f"i{number}", "output": f"Answer {number}."}) for number in range(items)]
    (folder / "items" / "a.jsonl").write_text("\n".join(lines))


def judging(folder: Path) -> subprocess.Popen[bytes]:
    """A run of `fiel judge`."""
    return subprocess.Popen(
        [sys.executable, "-m", "fiel", "judge", "-q"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def kill(folder: Path, url: str, rng: random.Random) -> None:
    """Let a run begin to ask, and kill it at a random moment."""
    before = requests(url)
    process = judging(folder)
    while requests(url) == before and process.poll() is None:
        time.sleep(0.02)
    time.sleep(rng.random() * 0.5)
    process.kill()
    process.wait()


def measure(folder: Path, url: str, *, items: int, kills: int) -> list[Row]:
    """Kill, finish, count."""
    project(folder, url, items)
    rng = random.Random(20261130)  # noqa: S311  moments, not secrets
    for _ in range(kills):
        kill(folder, url, rng)
    ended = judging(folder).wait()
    with sqlite3.connect(folder / ".fiel" / "judgements.db") as database:
        replies, distinct = database.execute("select count(*), count(distinct digest) from replies").fetchone()
        judged, cells = database.execute("select count(*), count(distinct subject) from judgements").fetchone()
        intact = database.execute("pragma integrity_check").fetchone()[0] == "ok"
    database.close()
    repeated, most = requests(url) - items, kills * IN_FLIGHT
    return [
        Row("exit code of the last run", ended, None, None, "0", ended == 0),
        Row("replies kept", replies, items, replies / items, "each once", replies == distinct == items),
        Row("judgements kept", judged, items, judged / items, "each once", judged == cells == items),
        Row("database intact", float(intact), None, None, "1", intact),
        Row(
            "calls repeated",
            repeated,
            most,
            repeated / most,
            "<= in flight at each kill",
            repeated <= most,
        ),
    ]


def main() -> None:
    """Start the stub and measure."""
    options = arguments(__doc__ or "")
    if not STUB.exists():
        sys.exit(f"The stub endpoint is not there: {STUB}")
    with tempfile.TemporaryDirectory() as folder:
        port = Path(folder) / "port"
        stub = subprocess.Popen(
            [sys.executable, str(STUB), "--port", "0", "--port-file", str(port), "--latency-ms", "60"],
            stdout=subprocess.DEVNULL,
        )
        try:
            while not port.exists() or not port.read_text():
                time.sleep(0.05)
            time.sleep(0.3)
            url = f"http://127.0.0.1:{port.read_text()}"
            work = Path(folder) / "project"
            work.mkdir()
            rows = measure(work, url, items=400 if options.quick else 2000, kills=4 if options.quick else 20)
        finally:
            stub.kill()
            stub.wait()
    show(rows, as_json=options.json)


if __name__ == "__main__":
    main()
