from __future__ import annotations

import msgspec
import pytest

from fiel.reports._view import (
    against,
    asked_of,
    corrected,
    first_sentences,
    gates,
    headlines,
    people_absent,
    rows,
    steps,
    titles,
    unscored,
)
from fiel.stats import Estimate


def test_rows_keep_the_order_of_the_report(report):
    """One row per criterion, with its rate beside it and the paths of both; a criterion without a rate has none."""
    lines = rows(report)
    assert [line.criterion for line in lines] == ["grounded", "complete", "friendly tone", "abstains well"]
    assert [line.rate is not None for line in lines] == [True, True, True, False]
    assert [line.found_at for line in lines] == [("validations", 0, "criteria", place) for place in range(4)]
    assert [line.rate_at for line in lines] == [("rates", 0), ("rates", 1), ("rates", 2), ()]


def test_rows_of_several_judges_stand_together_by_criterion(report):
    """A second judge's row follows the first's on the same criterion, before the next criterion."""
    other = msgspec.structs.replace(report.validations[0], judge="other", identity="5e" * 32)
    lines = rows(msgspec.structs.replace(report, validations=(*report.validations, other)))
    assert [(line.criterion, line.judge) for line in lines[:4]] == [
        ("grounded", "house"),
        ("grounded", "other"),
        ("complete", "house"),
        ("complete", "other"),
    ]


def test_two_identities_under_one_name_are_told_apart(report):
    """A judge whose model changed under the same name is another judge."""
    other = msgspec.structs.replace(report.validations[0], identity="5e" * 32)
    names = {line.judge for line in rows(msgspec.structs.replace(report, validations=(*report.validations, other)))}
    assert names == {"house (9a9a9a9a)", "house (5e5e5e5e)"}


def test_a_rate_without_labels_has_a_row(report):
    """What was judged and never validated is shown too."""
    lines = rows(msgspec.structs.replace(report, validations=()))
    assert [(line.criterion, line.found) for line in lines] == [
        ("grounded", None),
        ("complete", None),
        ("friendly tone", None),
    ]


def test_the_first_line_answers(report, spanish):
    """A judge's headline; with several judges one each, named; without validation what can be said instead."""
    assert headlines(report) == ("One of four criteria may move decisions: grounded.",)
    assert [line.split(":")[0] for line in headlines(spanish)] == ["house", "pequeño"]
    rated = msgspec.structs.replace(report, validations=())
    assert headlines(rated) == ("Corrected rates of three criteria: grounded 0.71, complete 0.74, friendly tone 0.69.",)
    bare = msgspec.structs.replace(rated, rates=())
    assert headlines(bare) == ("Of 3 gates, 1 passes, 1 fails and 1 is undecided.",)
    empty = msgspec.structs.replace(bare, decisions=())
    assert headlines(empty) == ("No judge has been checked against people yet.",)


def test_judges_that_may_decide_nothing_share_a_line(report):
    """Who may decide something is told one by one, all others together; if it is nobody, that is the headline."""
    good = report.validations[0]
    worse = tuple(msgspec.structs.replace(part, word="rewrite") for part in good.criteria)
    bad = [msgspec.structs.replace(good, judge=name, identity=name * 4, criteria=worse) for name in ("b", "c", "d")]
    assert first_sentences([bad[0], good, bad[1]]) == (
        "house: One of four criteria may move decisions: grounded.",
        "b, c: none yet.",
    )
    assert first_sentences(bad) == ("None of four criteria may move decisions yet, with any of three judges.",)
    assert first_sentences(bad[:2]) == ("None of four criteria may move decisions yet, with either of two judges.",)


def test_gates_are_counted_in_a_sentence(report):
    """One, several alike and a mixture each read as a sentence."""
    passed, failed, undecided = report.decisions
    assert gates([passed]) == "The gate passes."
    assert gates([undecided, undecided]) == "All 2 gates are undecided."
    assert gates([failed, passed, failed]) == "Of 3 gates, 1 passes and 2 fail."


def test_the_funnel_names_every_loss(report):
    """Items without a verdict are counted by reason, the commonest first."""
    funnel = report.validations[0].criteria[0].funnel
    assert unscored(funnel) == "4 without a verdict (3 unparsed, 1 refused)"
    assert steps(funnel)[0] == "1,200 items"
    assert steps(funnel)[-1] == "196 with both"


def test_the_confusion_matrix_in_words_leaves_out_only_zeros(report):
    """Every count above zero is said, with both answers."""
    complete, abstains = report.validations[0].criteria[1], report.validations[0].criteria[3]
    assert against(complete)[1] == "people partly → judge no ×9, partly ×38, yes ×20"
    assert against(abstains) == ("people no → judge yes ×4", "people yes → judge yes ×37")


def test_counts_of_numeric_options_are_told_from_the_options(report):
    """An answer of 2 given twice is 2 ×2, not 2 2."""
    part = msgspec.structs.replace(
        report.validations[0].criteria[1], options=("1", "2", "4"), confusion=((0, 2, 1023), (0, 0, 0), (0, 0, 0))
    )
    assert against(part) == ("people 1 → judge 2 ×2, 4 ×1,023",)


def test_several_judges_have_a_headline_of_rates_each(report):
    """Each judge's rates are told apart, and what cannot be told is said."""
    other = [
        msgspec.structs.replace(rate, judge="other", identity="5e" * 32, estimate=nothing("no labels"))
        for rate in report.rates
    ]
    both = msgspec.structs.replace(report, validations=(), rates=(*report.rates, *other))
    assert headlines(both)[1] == "other: None of three rates can be told."
    assert corrected([report.rates[0], other[1]]) == (
        "Corrected rates of one of two criteria: grounded 0.71; the rest cannot be told."
    )
    assert corrected(report.rates[:1]) == "Corrected rate: grounded 0.71."
    assert corrected(other[:1]) == "The rate of grounded cannot be told."


def nothing(reason: str) -> Estimate:
    """An estimate without a value."""
    return Estimate(value=None, low=None, high=None, confidence=0.95, method="corrected", n=0, reason=reason)


def test_a_headline_of_many_rates_ends(report):
    """Eight figures are named, the rest counted."""
    rates = [msgspec.structs.replace(report.rates[0], criterion=f"c{place}") for place in range(12)]
    assert corrected(rates).endswith("c7 0.71 and 4 more.")
    assert corrected(rates).startswith("Corrected rates of 12 criteria: c0 0.71, c1 0.71,")


@pytest.mark.parametrize(
    ("raters", "labelled", "said"),
    [(0, 0, "no labels"), (0, 3, "no rater"), (1, 40, "one rater"), (2, 40, "no shared item")],
)
def test_why_nobody_can_say_how_people_agree(report, raters, labelled, said):
    """No label at all, decisions without raters, one rater, and raters who share no item are four cases."""
    part = report.validations[0].criteria[3]
    funnel = msgspec.structs.replace(part.funnel, labelled=labelled)
    assert people_absent(msgspec.structs.replace(part, raters=raters, funnel=funnel)) == said


def test_the_funnel_says_what_was_skipped_and_what_does_not_apply(report):
    """Skipped are answers, not items; a criterion that does not apply is "not applicable", wherever it is counted."""
    funnel = msgspec.structs.replace(
        report.validations[0].criteria[0].funnel,
        items=50, judged=40, scored=35, unscored={"inapplicable": 3, "error": 2}, inapplicable=10,
        labelled=14, skipped=35, unresolved=0, both=14,
    )  # fmt: skip
    assert steps(funnel) == (
        "50 items",
        "10 not applicable",
        "40 judged",
        "5 without a verdict (3 not applicable, 2 error)",
        "14 labelled (35 answers skipped)",
        "14 with both",
    )
    one = msgspec.structs.replace(funnel, skipped=1)
    assert "14 labelled (1 answer skipped)" in steps(one)


def test_a_funnel_without_a_loss_is_short(report):
    """Where all items have a verdict, one step says so, with those that a check decided."""
    whole = msgspec.structs.replace(report.validations[0].criteria[1].funnel, checked=1200)
    assert steps(whole)[:2] == (
        "1,200 items, all with a verdict (1,200 by a check)",
        "198 labelled (1 tied, 2 answers skipped)",
    )


def test_the_method_is_said_of_every_gate(report, raw):
    """Criterion, judge and method; a raw rate does not pass for a corrected one."""
    assert asked_of(report.decisions[0]) == "criterion grounded · judge house · method prediction-powered, t"
    assert asked_of(raw).endswith("method ess-wilson; raw, the judge's bias is not corrected")


@pytest.mark.parametrize(
    ("project", "title", "shown"),
    [
        ("support-bot", "Judge against people", ("support-bot", "Judge against people")),
        ("support-bot", "support-bot", ("support-bot",)),
        ("Support", "support: is the judge fit?", ("support: is the judge fit?",)),
        ("is", "isolated", ("is", "isolated")),
    ],
)
def test_project_and_title_are_said_once(report, project, title, shown):
    """Where the title begins with the project, the project is not said again."""
    assert titles(msgspec.structs.replace(report, project=project, title=title)) == shown
