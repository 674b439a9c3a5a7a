"""A language-model judge from fiel.toml to the report, against a stub of an endpoint."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
[project]
name = "p"

[models.fast]
base_url = "{url}"
model = "stub"
price = {{ input = 1.0, output = 2.0 }}

[[judges]]
name = "house"
model = "fast"
rubric = "two"
"""

RUBRIC = """
id = "two"

[[criteria]]
id = "grounded"
question = "Is it supported?"
options = ["no", "yes"]
passing = ["yes"]

[[criteria]]
id = "tone"
question = "What is its tone?"
options = ["not", "not sure", "not hostile at all"]
passing = ["not hostile at all"]
"""


def make(folder: Path, url: str, *, items: int = 20, directive: str = "") -> None:
    """A project whose judge asks the endpoint at `url`."""
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "items").mkdir(exist_ok=True)
    (folder / "fiel.toml").write_text(CONFIG.format(url=url))
    (folder / "rubrics" / "two.toml").write_text(RUBRIC)
    lines = [json.dumps({"id": f"i{n}", "input": f"Q{n}", "output": f"Answer {n}. {directive}"}) for n in range(items)]
    (folder / "items" / "a.jsonl").write_text("\n".join(lines) + "\n")


def rows(folder: Path, query: str) -> list[Any]:
    """What stands in the database."""
    with sqlite3.connect(f"file:{folder / '.fiel' / 'judgements.db'}?mode=ro", uri=True) as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def test_a_second_run_asks_nothing_also_at_another_address(fiel, stub, tmp_path):
    """Replies are kept under the logical name: the same questions cost no call, wherever the server listens now."""
    first, second = stub(), stub("--seed", "5")
    make(tmp_path, first.url)
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    assert "20 calls, 0 kept replies used" in result.stderr
    config = tmp_path / "fiel.toml"
    config.write_text(config.read_text().replace(first.url, second.url))
    again = fiel("judge")
    assert again.exit_code == 0
    assert again.stdout == result.stdout
    assert second.stats.get("requests", 0) == 0
    assert "0 calls, 20 kept replies used" in again.stderr
    assert rows(tmp_path, "select count(*) from judgements") == [(40,)]


def test_beliefs_are_those_that_the_endpoint_holds(fiel, stub, tmp_path):
    """The told distributions arrive in `fiel show`, with what fell beside the options, for words and for letters."""
    told = "[[stub p:grounded=no:0.25,yes:0.75 p:tone=A:0.1,B:0.2,C:0.7 other=0.1]]"
    make(tmp_path, stub().url, items=1, directive=told)
    assert fiel("judge").exit_code == 0
    shown = fiel("show", "i0")
    assert shown.exit_code == 0, shown.output
    assert re.search(r"0\.7500 \S+ yes", shown.stdout)
    assert re.search(r"0\.6904 \S+ not hostile at all", shown.stdout)
    assert "captured 0.9" in shown.stdout
    for part in ("<<<ANSWER", "reply:", "its tokens:", "Answer 0."):
        assert part in shown.stdout


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(fiel, stub, tmp_path):
    """Calls, tokens and cost are told before anything is spent; an unknown price is unknown, never 0."""
    server = stub()
    make(tmp_path, server.url)
    result = fiel("judge", "--dry-run")
    assert result.exit_code == 0
    assert "20 calls to make, 0 answered already" in result.stdout
    assert re.search(r"cost about 0\.0[0-9]", result.stdout)
    config = tmp_path / "fiel.toml"
    config.write_text(re.sub(r"price = .*\n", "", config.read_text()))
    assert "cost unknown" in fiel("judge", "--dry-run").stdout
    assert server.stats.get("requests", 0) == 0


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(fiel, stub, tmp_path):
    """`--max-calls` ends with 4 and what was answered kept; without it the rest is asked, and nothing twice."""
    server = stub()
    make(tmp_path, server.url)
    result = fiel("judge", "--max-calls", "7")
    assert result.exit_code == 4, result.output
    assert "7 calls is used up" in result.stderr
    assert rows(tmp_path, "select count(*) from replies") == [(7,)]
    assert "13 calls to make, 7 answered already" in fiel("judge", "--dry-run").stdout
    assert fiel("judge").exit_code == 0
    assert server.stats["requests"] == 20
    assert fiel("judge", "--max-cost", "0.000001").exit_code == 0


def test_a_changed_letter_of_the_prompt_is_another_judge(fiel, stub, tmp_path):
    """Everything is asked again as another judge, and the old answers stay beside the new ones."""
    make(tmp_path, stub().url)
    fiel("judge")
    rubric = tmp_path / "rubrics" / "two.toml"
    rubric.write_text(RUBRIC.replace("Is it supported?", "Is it Supported?"))
    assert "20 calls, 0 kept replies used" in fiel("judge").stderr
    assert rows(tmp_path, "select count(distinct identity) from judges") == [(2,)]
    assert rows(tmp_path, "select count(*) from judgements") == [(80,)]


def test_two_judges_of_one_model_are_both_run_and_reported(fiel, stub, table, tmp_path):
    """Another temperature is another judge beside the first, in the run and in the report."""
    make(tmp_path, stub().url)
    with (tmp_path / "fiel.toml").open("a") as file:
        file.write('\n[[judges]]\nname = "warm"\nmodel = "fast"\nrubric = "two"\nsamples = 3\n')
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    assert "warm: 60 calls" in result.stderr
    labels = [(f"i{n}", "grounded", rater, "yes" if n % 3 else "no") for n in range(20) for rater in ("ana", "bo")]
    table("labels.csv", ("item", "criterion", "rater", "answer"), labels)
    report = json.loads(fiel("validate", "labels.csv", "--format", "json").stdout)
    assert [v["judge"] for v in report["validations"]] == ["house", "warm"]
    query = "select distinct judges.name, source from judgements join judges on judges.id = judge"
    sources = dict(rows(tmp_path, f"{query} where source not null"))
    assert len(set(sources.values())) == 2


def test_an_endpoint_that_always_fails_stops_with_4(fiel, stub, tmp_path, monkeypatch):
    """A run without one answer is not complete: it ends with 4, and nothing is called judged."""
    make(tmp_path, stub("--error-rate", "1").url, items=60)
    result = fiel("judge")
    assert result.exit_code == 4, result.output
    assert "stopped" in result.stderr
    assert rows(tmp_path, "select count(*) from judgements where status = 0") == [(0,)]


def test_an_endpoint_that_is_not_there_stops_with_4(fiel, tmp_path):
    """Connection refused is told with the address, at once and without a traceback."""
    make(tmp_path, "http://127.0.0.1:9/v1")
    result = fiel("judge")
    assert result.exit_code == 4, result.output
    assert "127.0.0.1:9" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_missing_key_is_told_before_the_first_call(fiel, stub, tmp_path, monkeypatch):
    """An environment variable that is not set is named, with exit code 2 and no request made."""
    server = stub()
    make(tmp_path, server.url)
    monkeypatch.delenv("JUDGE_API_KEY", raising=False)
    config = tmp_path / "fiel.toml"
    config.write_text(config.read_text().replace('model = "stub"\n', 'model = "stub"\napi_key_env = "JUDGE_API_KEY"\n'))
    result = fiel("judge")
    assert result.exit_code == 2, result.output
    assert "JUDGE_API_KEY" in result.stderr
    assert server.stats.get("requests", 0) == 0


def test_a_prompt_of_ones_own(fiel, stub, tmp_path):
    """A prompt file is used, and one that cannot work is refused with its placeholder before the first call."""
    server = stub("--keep-log", "50")
    make(tmp_path, server.url, items=1)
    config = tmp_path / "fiel.toml"
    config.write_text(config.read_text() + 'prompt = "mine.txt"\n')
    (tmp_path / "mine.txt").write_text("Hear ye.\n\n{criteria}\n\n{anwser}\n")
    wrong = fiel("judge")
    assert wrong.exit_code == 2
    assert "{anwser}" in wrong.stderr
    assert server.stats.get("requests", 0) == 0
    (tmp_path / "mine.txt").write_text("Hear ye.\n\n{criteria}\n\n{answer}\n")
    assert fiel("judge").exit_code == 0
    assert "Hear ye." in server.log[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("options", "directive", "scored"),
    [
        (("--logprobs", "reject"), "", 20),
        (("--max-top-logprobs", "5"), "", 20),
        (("--malformed-rate", "0.2"), "", None),
        (("--error-rate", "0.05"), "", 20),
    ],
)
def test_what_endpoints_do_is_survived_and_counted(fiel, stub, tmp_path, options, directive, scored):
    """Refused log-probabilities, few alternatives, broken replies and errors: all is scored, or counted."""
    make(tmp_path, stub(*options).url, directive=directive)
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    counts = rows(tmp_path, "select status, source, count(*) from judgements group by status, source")
    assert sum(count for _, _, count in counts) == 40
    if scored is not None:
        assert {status for status, _, _ in counts} == {0}
    if "reject" in options:
        assert {source for _, source, _ in counts} == {rows(tmp_path, "select min(source) from judgements")[0][0]}


def test_answers_of_its_own_family_are_warned_about(fiel, stub, tmp_path):
    """A judge that shares a telling word of its name with the author of the answers is told so."""
    make(tmp_path, stub().url, items=2)
    lines = (tmp_path / "items" / "a.jsonl").read_text().replace('"input"', '"author": "stub-large", "input"')
    (tmp_path / "items" / "a.jsonl").write_text(lines)
    assert "its own family (stub-large)" in fiel("judge").stderr


def kill_while_judging(folder: Path, rng: random.Random, calls: Callable[[], int]) -> None:
    """Start judging, and kill it without warning at a random moment after it began to ask."""
    before = calls()
    process = subprocess.Popen([sys.executable, "-m", "fiel", "judge", "-q"], cwd=folder, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while calls() == before and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(rng.random() * 0.4)
    process.kill()
    process.communicate()


def test_killed_at_random_it_goes_on_by_itself(fiel, stub, tmp_path):
    """After five kills every reply is there once, no judgement is missing or doubled, and few calls were repeated."""
    server = stub("--latency-ms", "60")
    make(tmp_path, server.url, items=300)
    rng = random.Random(3)  # noqa: S311  moments, not secrets
    for _ in range(5):
        kill_while_judging(tmp_path, rng, lambda: server.stats.get("requests", 0))
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    assert rows(tmp_path, "select count(*), count(distinct digest) from replies") == [(300, 300)]
    assert rows(tmp_path, "select count(*), count(distinct subject || '/' || criterion) from judgements") == [
        (600, 600)
    ]
    assert rows(tmp_path, "pragma integrity_check") == [("ok",)]
    assert server.stats["requests"] <= 300 + 5 * 16
