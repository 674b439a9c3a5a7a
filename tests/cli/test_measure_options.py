"""Further options of `fiel validate` and `fiel estimate`: slices, preferences, thresholds, gold, two systems."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from fiel.records import CalibrationSet, Design
from fiel.store.frozen import read_set, write_set
from fiel.store.project import Project

JSON = ("--format", "json")


@pytest.fixture
def two(fiel, table) -> Path:
    """Two systems on 40 questions, the old one wrong on every other; three raters, and thumbs that are always up."""
    rows = []
    for n in range(40):
        for author in ("old", "new"):
            wrong = n % 8 == 0 or (author == "old" and n % 2 == 0)
            text = f"It was built in {1900 + n + (3 if wrong else 0)}."
            rows.append(
                (f"{author}{n}", f"When was bridge {n} built?", f"Bridge {n}: 1{900 + n}.", text, f"q{n}", author)
            )
    header = ("id", "question", "context", "answer", "group", "author", "route")
    table("answers.csv", header, [(*row, "chat" if n % 2 else "mail") for n, row in enumerate(rows)])
    assert fiel("init", "answers.csv").exit_code == 0
    assert fiel("judge").exit_code == 0
    labels = []
    for n in range(24):
        for author in ("old", "new"):
            wrong = n % 8 == 0 or (author == "old" and n % 2 == 0)
            for rater in ("ana", "ben", "eva"):
                odd = rater == "eva" and n % 5 == 0
                labels.append((f"{author}{n}", "grounded", rater, "no" if wrong != odd else "yes"))
            labels.append((f"{author}{n}", "grounded", "thumbs", "yes"))
    table("labels.csv", ("item", "criterion", "rater", "answer"), labels)
    table("people.csv", ("item", "criterion", "rater", "answer"), [row for row in labels if row[2] != "thumbs"])
    return Path()


def asked(fiel, *typed: str) -> dict:
    """The report of a command, as JSON."""
    result = fiel(*typed, *JSON)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def grounded(report: dict) -> dict:
    """The validation of *grounded*."""
    return next(part for part in report["validations"][0]["criteria"] if part["criterion"] == "grounded")


def test_agreement_by_a_field(fiel, two):
    """Each value of each field stands in the report with its items, and on the terminal in a table."""
    report = asked(fiel, "validate", "people.csv", "--slice", "route", "--slice", "author")
    tables = grounded(report)["slices"]
    assert [table["field"] for table in tables] == ["route", "author"]
    assert [(one["value"], one["n"]) for one in tables[1]["slices"]] == [("new", 24), ("old", 24)]
    assert report["rates"][0]["slices"][0]["field"] == "route"
    assert report["command"] == "fiel validate people.csv --slice route --slice author"
    text = fiel("validate", "people.csv", "--slice", "author").stdout
    assert "By author" in text
    low = tables[1]["slices"][0]["adjusted"]
    cell = f"{low['value']:.2f} [{low['low']:.2f}, {low['high']:.2f}]"
    assert f"grounded new {cell}" in " ".join(text.split())
    wrong = fiel("validate", "people.csv", "--slice", "rout")
    assert wrong.exit_code == 2
    assert "did you mean 'route'?" in wrong.stderr


def test_preferences_are_never_gold(fiel, two):
    """With --preference every figure is as without these labels, and they stand beside the judge on their own."""
    report, alone = (
        asked(fiel, "validate", "labels.csv", "--preference", "thumbs"),
        asked(fiel, "validate", "people.csv"),
    )
    with_them, without = grounded(report), grounded(alone)
    for name in ("agreement", "ceiling", "confusion", "word", "alt_test"):
        assert with_them[name] == without[name]
    assert {pair["b"] for pair in with_them["preferences"]} | {pair["a"] for pair in with_them["preferences"]} > {
        "floor"
    }
    assert without["preferences"] == []
    assert report["rates"] == alone["rates"]
    assert report["people"] == alone["people"]
    assert report["samples"][0]["labels"] == 144
    assert grounded(asked(fiel, "validate", "labels.csv"))["agreement"] != without["agreement"]
    unknown = fiel("validate", "labels.csv", "--preference", "thumb")
    assert unknown.exit_code == 2
    assert "did you mean 'thumbs'?" in unknown.stderr


GATE = '\n[[gates]]\nname = "g"\njudge = "floor"\ncriterion = "grounded"\nrate = "{rate}"\nat_least = 0.6\n'


@pytest.mark.parametrize("rate", ["corrected", "agreement"])
def test_preferences_are_gold_in_no_verb(fiel, two, rate):
    """Rates, differences, gates and plans with --preference are those of the file without these labels."""
    with Path("fiel.toml").open("a", encoding="utf-8") as file:
        file.write(GATE.format(rate=rate))
    apart = ("labels.csv", "--preference", "thumbs")
    for verb, *more in (
        ("estimate", "-c", "grounded", "--systems", "new", "old"),
        ("estimate", "-c", "grounded", "--gold", "soft"),
        ("gate",),
        ("plan", "-c", "grounded"),
    ):
        with_them, left_out, without = (
            fiel(verb, *labels, *more, *JSON) for labels in (("labels.csv",), apart, ("people.csv",))
        )
        found, wanted, other = (json.loads(x.stdout) for x in (left_out, without, with_them))
        for report in (found, wanted, other) if verb != "plan" else ():
            report.pop("command")
        assert found == wanted, verb
        assert other != wanted, verb
        assert "48 labels of thumbs" in left_out.stderr
        unknown = fiel(verb, "labels.csv", *more, "--preference", "thumb")
        assert unknown.exit_code == 2
        assert "did you mean 'thumbs'?" in unknown.stderr


def test_one_criterion_leaves_gates_on_others_alone(fiel, two):
    """The report on one criterion decides the gates on it, and those on others stand in nobody's way."""
    with Path("fiel.toml").open("a", encoding="utf-8") as file:
        file.write(GATE.format(rate="corrected"))
        file.write(GATE.format(rate="corrected").replace("grounded", "complete").replace('"g"', '"h"'))
    report = asked(fiel, "estimate", "people.csv", "-c", "grounded")
    assert [decision["name"] for decision in report["decisions"]] == ["g"]


def test_preferences_go_with_the_next_command(fiel, two):
    """What is to be typed next names them too, so that the next figure reads the labels in the same way."""
    for verb, after in (("validate", "estimate"), ("estimate", "gate")):
        talk = fiel(verb, "labels.csv", "--preference", "thumbs").stderr
        assert f"Next: fiel {after} labels.csv --preference thumbs" in talk
    result = fiel("validate", "labels.csv", "--preference", "thumbs", "--worklist", "todo.csv", *JSON)
    assert "--decisions todo.csv --preference thumbs" in result.stderr


def test_a_version_reads_preferences_in_the_same_way(fiel, two):
    """Decisions on a set with such labels: none of them is an answer, before or after; the labels stay in the set."""
    assert fiel("freeze", "all", "--labels", "labels.csv").exit_code == 0
    said = fiel("validate", "all", "--preference", "thumbs", "--worklist", "todo.jsonl", "--agreements", "1", *JSON)
    assert said.exit_code == 0, said.output
    lines = [json.loads(line) for line in Path("todo.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all("thumbs" not in line["answers"] for line in lines)
    line = next(line for line in lines if set(line["answers"].values()) == {"no"})
    line |= {"reason": "true split", "by": "kim"}
    Path("done.jsonl").write_text(json.dumps(line), encoding="utf-8")
    refused = fiel("freeze", "all", "--decisions", "done.jsonl", "--preference", "thumbs")
    assert refused.exit_code == 2
    assert "this is no split" in refused.stderr
    line |= {"reason": None, "decision": "no"}
    Path("done.jsonl").write_text(json.dumps(line), encoding="utf-8")
    unknown = fiel("freeze", "all", "--decisions", "done.jsonl", "--preference", "thumb")
    assert "did you mean 'thumbs'?" in unknown.stderr
    result = fiel("freeze", "all", "--decisions", "done.jsonl", "--preference", "thumbs")
    assert result.exit_code == 0, result.output
    assert "1 decision, 0 of them changed gold" in result.stdout
    assert "Next: fiel validate all-2 --preference thumbs" in result.stderr
    made = read_set(Path("calibration", "all-2"))
    assert made.adjudications[0].before == ("no", "no", "no")
    assert "thumbs" in {label.rater for label in made.labels}


def test_from_twenty_words_their_number_is_said(fiel, two):
    """Five judges on four criteria: it stands on the terminal and among the notes of the report."""
    for place in range(4):
        with Path("fiel.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[[judges]]\nname = "again {place}"\nkind = "baseline"\nrubric = "rag"\n')
    with Path("people.csv").open("a", encoding="utf-8") as file:
        for criterion in ("complete", "no_inventions", "abstains_well"):
            file.writelines(f"new{n},{criterion},ana,{'yes' if n % 3 else 'no'}\n" for n in range(24))
    assert fiel("judge").exit_code == 0
    talk = fiel("validate", "people.csv").stderr.splitlines()
    report = json.loads(Path("reports/report.json").read_text(encoding="utf-8"))
    parts = [part for validation in report["validations"] for part in validation["criteria"]]
    assert (len(parts), None in {part["agreement"]["value"] for part in parts}) == (20, False)
    (said,) = [text for text in report["notes"] if "nothing corrects for their number" in text]
    assert said.startswith("20 words were said")
    assert said in talk


def test_thresholds_reach_the_measures(fiel, two):
    """--epsilon goes to the alternative annotator test, --fewest to the word."""
    report = asked(fiel, "validate", "people.csv", "--epsilon", "0.05", "--fewest", "25")
    assert grounded(report)["alt_test"]["epsilon"] == 0.05
    assert report["validations"][0]["fewest"] == 25
    assert fiel("validate", "people.csv", "--epsilon", "2").exit_code == 2
    assert fiel("validate", "people.csv", "--fewest", "0").exit_code == 2


def test_rates_by_a_field(fiel, two):
    """The corrected rate of each value stands on the terminal as in the report, and in Markdown."""
    rate = asked(fiel, "estimate", "people.csv", "-c", "grounded", "--slice", "author")["rates"][0]
    new, old = rate["slices"][0]["slices"]
    assert new["differs"]
    assert new["estimate"]["value"] > old["estimate"]["value"]
    cell = "{value:.2f} [{low:.2f}, {high:.2f}]".format(**new["adjusted"])
    text = " ".join(fiel("estimate", "people.csv", "-c", "grounded", "--slice", "author").stdout.split())
    assert f"grounded new {cell} yes 24" in text
    assert "surely differs" in text
    page = fiel("estimate", "people.csv", "-c", "grounded", "--slice", "author", "--format", "md").stdout
    assert f"| grounded | new | yes | {cell} n=" in page


def test_soft_gold_counts_raters(fiel, two):
    """With --gold soft a split of three moves the rate of the labels, by the share that let the item pass."""
    hard, soft = (
        asked(fiel, "estimate", "people.csv", "-c", "grounded", "--gold", gold)["rates"][0]
        for gold in ("majority", "soft")
    )
    assert (hard["gold"], soft["gold"]) == ("majority", "soft")
    wrong = [n % 8 == 0 or (author == "old" and n % 2 == 0) for n in range(24) for author in ("old", "new")]
    odd = [n % 5 == 0 for n in range(24) for _ in ("old", "new")]
    shares = [(1 / 3 if w else 2 / 3) if o else float(not w) for w, o in zip(wrong, odd, strict=True)]
    assert hard["classical"]["value"] == pytest.approx(1 - sum(wrong) / 48)
    assert soft["classical"]["value"] == pytest.approx(sum(shares) / 48)


def test_two_systems_on_the_same_questions(fiel, two):
    """The paired difference in text, JSON, Markdown and HTML, on pairs that the group or the input tells."""
    report = asked(fiel, "estimate", "people.csv", "-c", "grounded", "--systems", "new", "old")
    (found,) = report["differences"]
    assert (found["pairs"], found["labelled"]) == (40, 24)
    assert found["estimate"]["low"] > 0
    assert report["command"].endswith("--criterion grounded --systems new old")
    typed = ("estimate", "people.csv", "-c", "grounded", "--systems", "new", "old", "--key", "input")
    text = fiel(*typed).stdout
    assert text.startswith("new passes grounded more often")
    cell = "+{value:.2f} [{low:.2f}, {high:.2f}]".format(**found["estimate"])
    assert f"grounded {cell}" in " ".join(text.split())
    assert text.index("new − old") < text.index("corrected")
    page = fiel(*typed, "--format", "md").stdout
    assert f"| grounded | {cell} n=24 |" in page
    assert 'data-json="#/differences/0/estimate/value"' in fiel(*typed, "--format", "html").stdout


def test_systems_by_a_field(fiel, two):
    """--by names another field; who is no system, what makes no pairs, and --by alone are told."""
    for typed, said in (
        (("--systems", "new", "older"), "There are: new, old"),
        (("--systems", "chat", "mail", "--by", "route", "--key", "author"), "two answers to the question"),
        (("--systems", "new", "old", "--key", "id"), "No item has a field 'id'"),
        (("--by", "route"), "--systems A B"),
    ):
        result = fiel("estimate", "people.csv", *typed)
        assert result.exit_code == 2, result.output
        assert said in result.stderr
    found = asked(fiel, "estimate", "people.csv", "--systems", "chat", "mail", "--by", "route")["differences"]
    assert {(one["field"], one["a"], one["b"]) for one in found} == {("route", "chat", "mail")}


def picked(project: Path) -> None:
    """A calibration set of the labels of people, picked at convenience."""
    opened = Project.open(project)
    items = {item.id: item for item in opened.items()}
    rubric = opened.rubric("rag")
    labels = opened.labels(rubric, project / "people.csv", items=set(items))
    labelled = {label.subject for label in labels}
    made = CalibrationSet(
        name="picked",
        rubric=rubric,
        design=Design(kind="convenience"),
        items=tuple(items[name] for name in sorted(labelled)),
        labels=tuple(msgspec.structs.replace(x, criterion_digest=rubric[x.criterion].digest) for x in labels),
    )
    write_set(project / "calibration" / "picked", made)


def test_a_convenience_sample_is_read_as_random_when_somebody_says_so(fiel, two):
    """Without --as-random there is no rate, and the way is told; with it every format says that somebody said so."""
    picked(two)
    refused = fiel("estimate", "picked", "-c", "grounded")
    assert refused.exit_code == 0
    assert "cannot be told" in refused.stdout
    assert "--as-random" in refused.stderr
    assert asked(fiel, "estimate", "picked", "-c", "grounded")["rates"][0]["estimate"]["value"] is None
    report = asked(fiel, "estimate", "picked", "-c", "grounded", "--as-random", "--systems", "new", "old")
    assert report["rates"][0]["told"]
    assert report["rates"][0]["estimate"]["value"] is not None
    assert report["differences"][0]["estimate"]["value"] is not None
    assert report["command"] == "fiel estimate picked --criterion grounded --as-random --systems new old"
    for form, said in (("text", "you said that they may be read"), ("md", "you said that"), ("html", "You said that")):
        page = fiel("estimate", "picked", "-c", "grounded", "--as-random", "--format", form).stdout
        assert said in " ".join(page.split())
