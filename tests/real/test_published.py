"""Every published number of the real sets that can be had without pairing the two orders of a pair."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fiel.cli import app
from fiel.interop import Content, find_tables, read_tables, understand
from fiel.measures import CriterionPeople, CriterionValidation, people, validate
from fiel.records import Item
from fiel.stats import alt_test, spearman
from fiel.store.project import Project

Entries = dict[str, list[dict[str, Any]]]
Take = Callable[..., Content]
Against = Callable[..., CriterionValidation]

READ = {
    ("alttest_10k_prompts", "alttest_winning_rate"),
    ("alttest_10k_prompts", "alttest_advantage_probability"),
    ("alttest_framing", "alttest_winning_rate"),
    ("alttest_framing", "alttest_advantage_probability"),
    ("alttest_mtbench", "alttest_winning_rate"),
    ("alttest_mtbench", "alttest_advantage_probability"),
    ("alttest_summeval", "alttest_winning_rate"),
    ("alttest_summeval", "alttest_advantage_probability"),
    ("alttest_wax", "alttest_winning_rate"),
    ("alttest_wax", "alttest_advantage_probability"),
    ("basse_es", "krippendorff_alpha_ordinal"),
    ("basse_es", "system_level_spearman"),
    ("dices_humans", "krippendorff_alpha_nominal"),
    ("llmbar", "accuracy_order_ab"),
    ("llmbar", "accuracy_order_ba"),
    ("llmbar", "accuracy_mean_of_orders"),
    ("mtbench", "agreement"),
    ("pandalm", "cohen_kappa_annotators"),
    ("pandalm", "majority_counts"),
}
LATER = {  # what two orders of one pair have in common is a figure of pairs, which no measure has yet
    ("llmbar", "accuracy_both_orders"),
    ("llmbar", "positional_agreement"),
    ("posbias_mtbench_full", "positional_consistency"),
}


def of(entries: Iterable[dict[str, Any]], *metrics: str, **where: Any) -> list[dict[str, Any]]:
    """The entries of some metrics."""
    return [x for x in entries if x["metric"] in metrics and all(x.get(key) == where[key] for key in where)]


def check(entry: dict[str, Any], got: float | None) -> None:
    """A published number within its tolerance."""
    assert got == pytest.approx(entry["value"], abs=entry["tol"]), entry


def check_test(entries: Sequence[dict[str, Any]], judge: str, omega: float | None, rho: float | None) -> None:
    """The two numbers of the alternative annotator test that are published for a judge."""
    (one,) = of(entries, "alttest_winning_rate", judge=judge)
    (other,) = of(entries, "alttest_advantage_probability", judge=judge)
    check(one, omega)
    check(other, rho)


def terms(real: Path, name: str) -> dict[str, Any]:
    """What the authors of the test granted the judge on a set, and how they scored."""
    return dict(json.loads((real / name / "dataset.json").read_text(encoding="utf-8"))["alttest"])


def typed(*arguments: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_no_number_is_forgotten(published: Entries):
    """Every published number is read by a test of this file, or is one of the 583 that need pairs of both orders."""
    kinds = {(name, entry["metric"]) for name, entries in published.items() for entry in entries}
    assert kinds == READ | LATER
    assert not READ & LATER
    assert sum((name, x["metric"]) in LATER for name, entries in published.items() for x in entries) == 583


@pytest.mark.parametrize("name", ["alttest_wax", "alttest_10k_prompts"])
def test_alternative_annotators(name: str, taken: Take, judged: Against, published: Entries, real: Path):
    """Sixteen relations and a scale of five: winning rate and advantage of each judge are those of the authors.

    They count "None-of-the-above", which judges answer and people do not, as an answer: it has to be among the options.
    """
    asked = terms(real, name)
    wish: dict[str, Any] = {"scale": "interval"} if asked["scoring"] == "neg_rmse" else {}
    if name == "alttest_wax":
        wish = {"options": (*taken(name).rubric.criteria[0].options, "None-of-the-above")}
    content = taken(name, **wish)
    for judge in content.judgements:
        found = judged(content, judge, epsilon=asked["epsilon"]).alt_test
        assert found is not None
        check_test(published[name], judge, found.winning_rate, found.advantage)


@pytest.mark.parametrize("name", ["alttest_framing", "alttest_summeval"])
def test_alternative_annotators_over_criteria(name: str, taken: Take, published: Entries, real: Path):
    """22 questions and four scales: the authors test a rater over all criteria at once, and so are their numbers."""
    content, asked = taken(name), terms(real, name)
    words = sorted({option for criterion in content.rubric.criteria for option in criterion.options})
    raters = sorted({label.rater for label in content.labels})
    cells = {cell: i for i, cell in enumerate(dict.fromkeys((x.subject, x.criterion) for x in content.labels))}
    table = np.full((len(cells), len(raters)), -1)
    for label in content.labels:
        if label.answer is not None:
            table[cells[label.subject, label.criterion], raters.index(label.rater)] = words.index(label.answer)
    measured = asked["scoring"] == "neg_rmse"
    for judge, said in content.judgements.items():
        codes = np.full(len(cells), -1)
        for x in said:
            if x.verdict is not None:
                codes[cells[x.subject, x.criterion]] = words.index(x.verdict)
        found = alt_test(
            codes,
            table,
            scale="interval" if measured else "nominal",
            values=[float(word) for word in words] if measured else None,
            epsilon=asked["epsilon"],
        )
        check_test(published[name], judge, found.omega, found.rho)


def test_alternative_annotators_from_the_command_line(published: Entries, real: Path, tmp_path: Path):
    """Imported and validated by two commands, the report of 120 pairs holds the published numbers of six judges."""
    typed("import", str(real / "alttest_mtbench"), "-p", str(tmp_path))
    report = json.loads(typed("validate", "--format", "json", "-p", str(tmp_path)))
    assert len(report["validations"]) == 6
    for validation in report["validations"]:
        found = validation["criteria"][0]["alt_test"]
        assert found["epsilon"] == terms(real, "alttest_mtbench")["epsilon"]
        check_test(published["alttest_mtbench"], validation["judge"], found["winning_rate"], found["advantage"])


def test_raters_and_majorities_from_the_command_line(published: Entries, real: Path, tmp_path: Path):
    """Kappas of three raters on 999 pairs, and what their majorities come to, from an imported project."""
    typed("import", str(real / "pandalm"), "-p", str(tmp_path))
    project = Project.open(tmp_path)
    labels = project.labels(project.rubric("pandalm"))
    (among,) = people(labels, rubric=project.rubric("pandalm"), items=project.items()).criteria
    kappas = {f"{pair.a[-1]}-{pair.b[-1]}": pair.coefficient for pair in among.pairs}
    assert {figure.name for figure in kappas.values()} == {"Cohen's kappa"}
    for entry in of(published["pandalm"], "cohen_kappa_annotators"):
        check(entry, kappas[entry["annotators"]].value)
    report = json.loads(typed("validate", "--judge", "pandalm-7b", "--format", "json", "-p", str(tmp_path)))
    (found,) = report["validations"][0]["criteria"]
    (entry,) = of(published["pandalm"], "majority_counts")
    assert dict(zip(found["options"], map(sum, found["confusion"]), strict=True)) == entry["value"]
    assert found["funnel"]["unresolved"] == 0


def test_pairs_in_each_order(taken: Take, published: Entries):
    """58 judges on five parts, each order read as plain labels, unscored counted as wrong: 870 published accuracies."""
    content, entries = taken("llmbar"), published["llmbar"]
    part = {item.id: item.group for item in content.items}
    gold: defaultdict[Any, list[Any]] = defaultdict(list)
    for label in content.labels:
        gold[part[label.subject]].append(label)
    wanted = {(x["judge"], x["group"], x["metric"]): x for x in entries}
    for judge, said in content.judgements.items():
        cells: defaultdict[Any, list[Any]] = defaultdict(list)
        for x in said:
            cells[part[x.subject], x.order].append(x)
        for group in gold:
            right = []
            for order in ("ab", "ba"):
                (found,) = validate(cells[group, order], gold[group], rubric=content.rubric).criteria
                assert found.scores is not None
                right.append(100 * (found.scores.accuracy_unscored_wrong.value or 0.0))
                check(wanted[judge, group, f"accuracy_order_{order}"], right[-1])
            check(wanted[judge, group, "accuracy_mean_of_orders"], sum(right) / 2)


def test_ranks_of_systems(taken: Take, published: Entries):
    """30 rank correlations of 20 systems; where the published one broke ties by rounding noise, the right one.

    A mean of means is a fraction here, so that equal means are equal: of gpt-4o on coherence 0.889 and not 0.885.
    """
    content = taken("basse_es")
    system = {item.id: item.author for item in content.items}
    answers = ((x.subject, x.criterion, x.answer) for x in content.labels if x.answer is not None)
    truth = means((system[subject], criterion, value) for (subject, criterion), value in means(answers).items())
    for entry in of(published["basse_es"], "system_level_spearman"):
        said = content.judgements[entry["judge"]]
        shown = means((system[x.subject], x.criterion, x.verdict) for x in said if x.criterion == entry["criterion"])
        assert len(shown) == 20
        got = spearman([float(truth[key]) for key in shown], [float(x) for x in shown.values()])
        check(entry, got)
        if (entry["judge"], entry["criterion"]) == ("gpt-4o", "Coherence"):
            assert got == pytest.approx(0.889, abs=0.0006)


def means(rows: Iterable[tuple[Any, Any, Any]]) -> dict[tuple[Any, Any], Fraction]:
    """The mean of each cell, exactly; what has no value is passed over."""
    cells: defaultdict[tuple[Any, Any], list[Fraction]] = defaultdict(list)
    for one, other, value in rows:
        if value is not None:
            cells[one, other].append(Fraction(value))
    return {key: sum(values, Fraction()) / len(values) for key, values in cells.items()}


def test_alpha_of_three_rounds(taken: Take, published: Entries, real: Path):
    """Ordinal alpha of five criteria in three rounds; the first was on 50 summaries more than were kept."""
    content = taken("basse_es")
    first = read_tables(find_tables(real / "basse_es")._replace(human=real / "basse_es" / "human_round0.parquet"))
    assert first.people is not None
    known = {item.id for item in first.items}
    dropped = sorted({row["item_id"] for row in first.people.rows} - known)
    assert len(dropped) == 50
    items = [*first.items, *(Item(id=name, output="", group=name.split("|")[0]) for name in dropped)]
    early = understand(first._replace(items=items), name="basse_es")
    for number, given in ((1, early), (2, content), (3, content)):
        labelled = {label.subject for label in given.labels if "human-ann" not in label.subject}
        frame = [x for x in given.items if x.id in labelled and number in (1, x.fields.get("meta_round", -1) + 1)]
        found = people([x for x in given.labels if x.subject in labelled], rubric=given.rubric, items=frame)
        for criterion in found.criteria:
            (entry,) = of(
                published["basse_es"], "krippendorff_alpha_ordinal", round=number, criterion=criterion.criterion
            )
            check(entry, alpha(criterion, "ordinal"))


def alpha(found: CriterionPeople, scale: str) -> float | None:
    """Krippendorff's among the coefficients of people."""
    return next(x.value for x in found.coefficients if x.name == f"Krippendorff's alpha ({scale})")


def test_alpha_of_many_raters(taken: Take, published: Entries):
    """115,153 labels of 123 raters with gaps: alpha to nine decimals.

    The "group" of these items names the study that they are from and no cluster: the items stand alone here.
    """
    content = taken("dices_humans")
    study = {item.id: item.group for item in content.items}
    for entry in published["dices_humans"]:
        labels = [label for label in content.labels if study[label.subject] == entry["group"]]
        (found,) = people(labels, rubric=content.rubric).criteria
        check(entry, alpha(found, "nominal"))


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("setup", ["S1", "S2"])
def test_votes_on_pairs(setup: str, turn: int, taken: Take, published: Entries):
    """How often a vote agrees with GPT-4 and with another vote, with ties (S1) and among votes without any (S2)."""
    content = taken("mtbench")
    at = {item.id: item.fields["meta_turn"] for item in content.items}
    votes = [x for x in content.labels if at[x.subject] == turn and (setup == "S1" or x.answer != "tie")]
    said = [
        x
        for x in content.judgements["gpt-4/pair-v2"]
        if at[x.subject] == turn and (setup == "S1" or x.verdict != "tie")
    ]
    (judge,) = validate(said, votes, rubric=content.rubric).criteria
    (among,) = people(votes, rubric=content.rubric).criteria
    assert len(among.pairs) < 300  # all of them, then
    (entry,) = of(published["mtbench"], "agreement", turn=turn)
    for who, pairs in (("judge_human", judge.by_rater), ("human_human", among.pairs)):
        met = [(pair.n, pair.agreement.value or 0.0) for pair in pairs if pair.n]
        agreed = sum(n * value for n, value in met) / sum(n for n, _ in met)
        assert agreed == pytest.approx(entry["value"][f"{who}_{setup}"], abs=entry["tol"])
