from __future__ import annotations

import msgspec

from fiel.reports._view import against, gates, headlines, rows, steps, unscored


def test_rows_keep_the_order_of_the_report(report):
    """One row per criterion, with its rate and its cases beside it; a criterion without a rate has none."""
    lines = rows(report)
    assert [line.criterion for line in lines] == ["grounded", "complete", "friendly tone", "abstains well"]
    assert [line.rate is not None for line in lines] == [True, True, True, False]
    assert [case.id for case in lines[0].cases] == ["q-0412", "q-0077"]


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
    bare = msgspec.structs.replace(report, validations=())
    assert headlines(bare) == ("Of 3 gates, 1 passes, 1 fails and 1 is undecided.",)
    empty = msgspec.structs.replace(bare, decisions=())
    assert headlines(empty) == ("No judge has been checked against people yet.",)


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
    assert against(complete)[1] == "people partly → judge no 9, partly 38, yes 20"
    assert against(abstains) == ("people no → judge yes 4", "people yes → judge yes 37")
