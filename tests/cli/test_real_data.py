"""Real answers and real ratings through the main job, every figure checked by code that shares nothing with fiel."""

from __future__ import annotations

import csv
import json
import math
import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
duckdb = pytest.importorskip("duckdb", reason="Parquet is read with DuckDB: pip install 'fiel[parquet]'")
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the published data sets are not beside this repository")

BASSE = """
id = "basse"
language = "es"

[[criteria]]
id = "Consistency"
question = "¿Apoya el texto original cada afirmación del resumen?"
options = ["no", "sí"]
passing = ["sí"]

[[criteria]]
id = "Relevance"
question = "¿Cubre el resumen lo principal del texto?"
options = ["no", "sí"]
passing = ["sí"]

[[criteria]]
id = "5W1H"
question = "¿Cubre el resumen quién, qué, cuándo, dónde, por qué y cómo?"
options = ["no", "sí"]
passing = ["sí"]
"""

SPAM = """
id = "sms"
language = "en"

[[criteria]]
id = "spam"
question = "Is the message unsolicited: free prizes, claims, cash offers, calls to premium numbers?"
options = ["no", "yes"]
passing = ["yes"]
"""

Rows = list[tuple[Any, ...]]


def query(dataset: str, table: str, columns: str, where: str = "true") -> Rows:
    """Rows of a published table."""
    path = str(SHARED / dataset / f"{table}.parquet")
    return duckdb.execute(f"select {columns} from read_parquet(?) where {where}", [path]).fetchall()  # noqa: S608


def said(folder: Path) -> dict[tuple[str, str], tuple[str | None, float | None]]:
    """Verdict and P(passing) per item and criterion, read from the database by hand-written SQL."""
    with sqlite3.connect(f"file:{folder / '.fiel' / 'judgements.db'}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute(
            """select s.name as subject, c.name as criterion, c.options as options, j.verdict, j.probs
               from judgements j join subjects s on s.id = j.subject join criteria c on c.id = j.criterion"""
        ).fetchall()
    database.close()
    found = {}
    for row in rows:
        options = json.loads(row["options"])
        verdict = None if row["verdict"] is None else options[row["verdict"]]
        passing = None if row["probs"] is None else json.loads(row["probs"])[-1]
        found[row["subject"], row["criterion"]] = (verdict, passing)
    return found


def run(fiel: Callable[..., Any], folder: Path, rubric: str, labels: Rows) -> dict[str, Any]:
    """A user's way from a CSV to the report: init, own rubric, judge, validate; the report's figures."""
    result = fiel("init", "answers.csv")
    assert result.exit_code == 0, result.output
    name = rubric.split('"')[1]
    (folder / "rubrics" / f"{name}.toml").write_text(rubric)
    config = folder / "fiel.toml"
    config.write_text(config.read_text().replace('rubric = "rag"', f'rubric = "{name}"', 1))
    result = fiel("judge")
    assert result.exit_code == 0, result.output
    write(folder / "labels.csv", ("item", "criterion", "rater", "answer"), labels)
    result = fiel("validate", "labels.csv", "--format", "json")
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def write(path: Path, header: tuple[str, ...], rows: Rows) -> None:
    """A CSV as a user would have it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def golds(labels: Rows, criterion: str) -> dict[str, str | None]:
    """Majority answer per item; None where raters tie."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for item, name, _, answer in labels:
        if name == criterion:
            votes[item][answer] += 1
    gold: dict[str, str | None] = {}
    for item, counts in votes.items():
        best = counts.most_common()
        gold[item] = None if len(best) > 1 and best[0][1] == best[1][1] else best[0][0]
    return gold


def check_agreement(result: dict[str, Any], gold: dict[str, str | None], verdict: dict[str, str | None]) -> None:
    """Agreement, kappa, confusion and funnel of one criterion against counts made here."""
    both = [(gold[i], verdict[i]) for i in gold if gold[i] is not None and verdict.get(i) is not None]
    options = result["options"]
    confusion = [[sum(pair == (g, v) for pair in both) for v in options] for g in options]
    assert result["confusion"] == confusion
    agreed = sum(g == v for g, v in both)
    assert result["agreement"]["value"] == pytest.approx(agreed / len(both), abs=1e-12)
    kappa = cohen_kappa_score([g for g, _ in both], [v for _, v in both], labels=options)
    if math.isnan(kappa):
        assert result["kappa"]["value"] is None
    else:
        assert result["kappa"]["value"] == pytest.approx(kappa, abs=1e-12)
    funnel = result["funnel"]
    assert funnel["both"] == len(both)
    assert funnel["labelled"] == len(gold)
    assert funnel["unresolved"] == sum(answer is None for answer in gold.values())
    assert funnel["items"] == len(verdict)
    assert funnel["scored"] == sum(v is not None for v in verdict.values())
    assert funnel["judged"] == funnel["scored"] + sum(funnel["unscored"].values())


def plus_plus(y: list[float], f: list[float], rest: list[float]) -> tuple[float, float]:
    """The power-tuned prediction-powered mean and its lambda, from the paper's formula (Angelopoulos et al. 2023)."""
    n, big = len(y), len(rest)
    mean_y, mean_f, mean_u = sum(y) / n, sum(f) / n, sum(rest) / big
    pool = f + rest
    mean_pool = sum(pool) / len(pool)
    variance = sum((x - mean_pool) ** 2 for x in pool) / (len(pool) - 1)
    covariance = sum((a - mean_y) * (b - mean_f) for a, b in zip(y, f, strict=True)) / n
    weight = min(1.0, max(0.0, covariance / ((1 + n / big) * variance))) if variance else 0.0
    return mean_y + weight * (mean_u - mean_f), weight


def check_rate(rate: dict[str, Any], gold: dict[str, str | None], passing: dict[str, float | None], yes: str) -> None:
    """The corrected rate and what stands beside it against the paper's formula."""
    scored = [p for p in passing.values() if p is not None]
    blank = sum(scored) / len(scored)
    f = {item: blank if p is None else p for item, p in passing.items()}
    y = {item: 0.5 if answer is None else float(answer == yes) for item, answer in gold.items()}
    order = list(y)
    value, weight = plus_plus([y[i] for i in order], [f[i] for i in order], [p for i, p in f.items() if i not in y])
    got = rate["estimate"]
    if "recalibrated" in got["method"]:  # from 100 labels on the judge's probabilities are mapped first
        assert len(order) >= 100
        assert got["value"] == pytest.approx(value, abs=0.01)
    else:
        assert got["value"] == pytest.approx(value, abs=1e-9)
        assert got["details"]["lambda"] == pytest.approx(weight, abs=1e-9)
    assert rate["raw"]["value"] == pytest.approx(sum(scored) / len(scored), abs=1e-9)
    assert rate["bias"] == pytest.approx(sum(f[i] - y[i] for i in order) / len(order), abs=1e-9)
    assert rate["classical"]["value"] == pytest.approx(sum(y.values()) / len(y), abs=1e-9)
    assert got["low"] < got["value"] < got["high"]


def test_spanish_summaries(fiel, tmp_path):
    """990 Spanish summaries with human ratings: agreement, kappa and corrected rates equal independent code."""
    items = query("basse_es", "items", '"item_id", "group", "system", "context", "output"')
    assert len(items) == 990
    write(tmp_path / "answers.csv", ("id", "group", "system", "contexto", "resumen"), items)
    criteria = ("Consistency", "Relevance", "5W1H")
    human = query("basse_es", "human", '"item_id", "criterion", "annotator_id", "value"')
    chosen = set(random.Random(7).sample(sorted({row[0] for row in items}), 200))  # noqa: S311  a seeded draw
    labels = [
        (item, criterion, rater, "sí" if value >= 4 else "no")
        for item, criterion, rater, value in human
        if item in chosen and criterion in criteria
    ]
    report = run(fiel, tmp_path, BASSE, labels)
    answers = said(tmp_path)
    ids = [row[0] for row in items]
    for result, rate, criterion in zip(report["validations"][0]["criteria"], report["rates"], criteria, strict=True):
        assert result["criterion"] == rate["criterion"] == criterion
        gold = golds(labels, criterion)
        check_agreement(result, gold, {i: answers[i, criterion][0] for i in ids})
        check_rate(rate, gold, {i: answers[i, criterion][1] for i in ids}, "sí")
        assert any("group" in text for text in rate["assumptions"])


def test_text_messages(fiel, tmp_path):
    """500 text messages without any context: figures and exact limits equal independent code."""
    items = query("sms_cascade", "items", '"item_id", "output"')
    write(tmp_path / "answers.csv", ("id", "answer"), items)
    human = dict(query("sms_cascade", "human", '"item_id", "value"'))
    chosen = random.Random(11).sample(sorted(human), 150)  # noqa: S311  a seeded draw
    labels: Rows = [(item, "spam", "corpus", "yes" if human[item] == "spam" else "no") for item in chosen]
    report = run(fiel, tmp_path, SPAM, labels)
    answers = said(tmp_path)
    result, rate = report["validations"][0]["criteria"][0], report["rates"][0]
    gold = golds(labels, "spam")
    check_agreement(result, gold, {row[0]: answers[row[0], "spam"][0] for row in items})
    check_rate(rate, gold, {row[0]: answers[row[0], "spam"][1] for row in items}, "yes")
    funnel, agreement = result["funnel"], result["agreement"]
    agreed = round(agreement["value"] * funnel["both"])
    low, high = proportion_confint(agreed, funnel["both"], alpha=0.05, method="beta")
    assert (agreement["low"], agreement["high"]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    positives = sum(answer == "yes" for answer in gold.values())
    low, high = proportion_confint(positives, len(gold), alpha=0.05, method="wilson")
    classical = rate["classical"]
    assert (classical["low"], classical["high"]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    truth = sum(value == "spam" for value in human.values()) / len(human)
    assert rate["estimate"]["low"] <= truth <= rate["estimate"]["high"]
    assert result["word"] != "use" or result["constant"] is None
