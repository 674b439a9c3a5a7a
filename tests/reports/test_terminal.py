from __future__ import annotations

import io

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiel.reports import print_decisions, print_rates, print_validation, print_validations


def printed(report, width: int = 80, **options: object) -> str:
    """All that the three functions print of a report, on a console of that width."""
    console = Console(file=io.StringIO(), width=width, **options)
    for validation in report.validations:
        print_validation(validation, console)
    print_rates(report.rates, console)
    print_decisions(report.decisions, console)
    return console.file.getvalue()


def squeezed(text: str) -> str:
    """The text without white space, to look for what was wrapped."""
    return "".join(text.split())


def test_the_first_line_is_the_sentence(report):
    """Whoever reads one line has the answer."""
    assert printed(report).splitlines()[0] == "One of four criteria may move decisions: grounded."


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(report, width):
    """At every width, each line fits."""
    assert max(cell_len(line) for line in printed(report, width).splitlines()) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_cut_at_any_width(report, width):
    """Every word, name, figure, reason and warning is there, however narrow the terminal."""
    shown = squeezed(printed(report, width))
    validation = report.validations[0]
    wanted = [text for part in validation.criteria for text in (part.criterion, part.word, part.why)]
    wanted += [str(part.agreement).split(" n=")[0] for part in validation.criteria]
    wanted += [*validation.warnings, *(rate.sentence for rate in report.rates), *(d.why for d in report.decisions)]
    wanted += ["undefined: the judge gave one answer only", "one rater", "q-0512: no date is given"]
    for text in wanted:
        assert squeezed(text.replace("*", "")) in shown
    assert "…" not in shown


def test_a_table_where_it_fits_and_blocks_where_it_does_not(report):
    """At 80 columns a criterion is one line; at 60 its figures are named beside it."""
    wide = next(line for line in printed(report, 80).splitlines() if line.startswith("abstains well"))
    assert " ".join(wide.split()) == "abstains well ◐ not enough labels 0.90 [0.78, 0.96] one rater 41"
    assert "● use · agreement 0.93 [0.89, 0.96] · people 0.91 [0.86," in printed(report, 60)


def test_a_long_name_folds_in_its_column(report):
    """A criterion with a long name keeps the table and loses no letter."""
    name = "answers every part of the question"
    part = msgspec.structs.replace(report.validations[0].criteria[0], criterion=name)
    long = msgspec.structs.replace(report.validations[0], criteria=(part,))
    shown = printed(msgspec.structs.replace(report, validations=(long,), rates=(), decisions=()), 80)
    table = shown.splitlines()[2:8]
    assert table[0].split() == ["criterion", "outcome", "agreement", "people", "n"]
    edge = table[0].index("outcome")
    assert squeezed("".join(line[:edge] for line in table[1:3])) == squeezed(name)


def test_texts_from_data_are_printed_as_data(hostile):
    """No markup is read, no link made, and no escape sequence, control or override reaches a colour terminal."""
    shown = printed(hostile, 120, force_terminal=True, color_system="truecolor")
    assert "[bold]b[/bold]" in shown
    assert "⟨U+001B⟩[31mred⟨U+0007⟩⟨U+202E⟩evil⟨U+2066⟩⟨U+0000⟩⟨U+D800⟩" in squeezed_line(shown)
    for character in "\x07\u202e\u2066\x00\ud800":
        assert character not in shown
    assert "\x1b[31m" not in shown
    assert "\x1b]8" not in shown


def squeezed_line(text: str) -> str:
    """The text on one line."""
    return "".join(text.split("\n")).replace("  ", "")


def test_meaning_does_not_hang_on_colour(report, monkeypatch):
    """Under NO_COLOR no colour is sent, and every word still has its shape."""
    monkeypatch.setenv("NO_COLOR", "1")
    shown = printed(report, force_terminal=True, color_system="truecolor")
    assert "\x1b[3" not in shown.replace("\x1b[3m", "")
    for word in ("● use", "◐ not enough labels", "○ rewrite", "○ leave out", "● pass", "○ fail", "◐ undecided"):
        assert word in shown


def test_nothing_to_show_is_said(report):
    """Empty lists print a sentence, not an empty table."""
    empty = msgspec.structs.replace(report, validations=(), rates=(), decisions=())
    assert printed(empty).splitlines() == ["There are no rates.", "There are no gates."]


def test_two_judges_are_named_in_the_rates(report):
    """With several judges a rate says whose it is."""
    other = msgspec.structs.replace(report.rates[0], judge="other", identity="5e" * 32)
    shown = printed(msgspec.structs.replace(report, rates=(report.rates[0], other)), 120)
    assert "other, grounded" in shown
    assert any(line.split()[:2] == ["judge", "criterion"] for line in shown.splitlines())


def shown_of(part, printer, width: int = 80) -> str:
    """What one function prints."""
    console = Console(file=io.StringIO(), width=width)
    printer(part, console)
    return console.file.getvalue()


def test_simulated_raters_are_called_so_right_after_the_headline(report):
    """The second line says which raters are no people; where all are, there is no such line."""
    staged = msgspec.structs.replace(report.validations[0], raters=("ana", "simulated-1"))
    lines = shown_of(staged, print_validation).splitlines()
    assert lines[1] == "These raters are simulated, not people: simulated-1."
    assert "simulated" not in shown_of(report.validations[0], print_validation)


def test_n_says_that_it_counts_groups(report, clustered):
    """A dim line under the table says of which criteria n counts groups; where it counts items there is none."""
    assert "n counts groups of items that belong together on grounded" in shown_of(clustered, print_validation)
    alike = msgspec.structs.replace(clustered, criteria=clustered.criteria[:1])
    assert "n counts groups of items that belong together\n" in shown_of(alike, print_validation)
    assert "n counts" not in printed(report)


def test_a_gate_shows_its_method(report, raw):
    """A gate on a raw rate says under its name that nothing was corrected."""
    text = " ".join(shown_of((*report.decisions, raw), print_decisions).split())
    assert "criterion grounded · judge house · method ess-wilson; raw, the judge's bias is not corrected" in text
    assert "criterion complete · judge house · method prediction-powered, t" in text


def test_confidence_is_called_confidence(report):
    """No word of chance stands beside a confidence, in the figures of a criterion and in the gates."""
    text = " ".join(printed(report).split())
    assert "confidence that it is at least 0.85: >0.99" in text
    assert "at least confidence" in text
    assert "chance" not in text
    assert "agreement, judge minus people −0.17 [−0.23, −0.10]" in text


def test_what_is_undefined_is_a_dash_and_its_reason_is_said_once(unlabelled):
    """The cell is short; the reason stands in the why, or under the table where no sentence has it."""
    text = shown_of(unlabelled, print_validation)
    row = next(line for line in text.splitlines() if line.startswith("polite"))
    assert row.split() == ["polite", "◐", "not", "enough", "labels", "–", "no", "labels", "0"]
    assert "undefined" not in text
    assert text.count("one cluster has no interval") == 1
    assert "– safe: one cluster has no interval" in text
    assert "– polite" not in text
    assert "one rater" not in text


def test_a_criterion_that_a_check_decides_asks_for_no_labels(unlabelled):
    """Its agreement is no gap: the cell says who decided."""
    part = unlabelled.criteria[0]
    checked = msgspec.structs.replace(part, word="use", funnel=msgspec.structs.replace(part.funnel, checked=1200))
    text = shown_of(msgspec.structs.replace(unlabelled, criteria=(checked,)), print_validation)
    assert "by a check" in text.splitlines()[3]
    assert "–" not in text


def test_an_undefined_gate_has_dashes(report):
    """Without an estimate there is no confidence; the sentence of the gate says why."""
    gap = report.validations[0].criteria[3].kappa
    gate = msgspec.structs.replace(report.decisions[2], estimate=gap, probability=None, why=f"No rate ({gap.reason}).")
    text = shown_of((gate,), print_decisions)
    assert text.splitlines()[3].split()[-3:] == ["–", "0.875", "–"]
    assert text.count(gap.reason) == 1


def test_a_criterion_has_its_why_its_denominators_and_one_line_of_figures(report):
    """On a wide terminal a criterion is three lines: nothing else of it is printed below the table."""
    lines = shown_of(report.validations[0], print_validation, 1000).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("grounded: The judge agrees"))
    assert lines[start + 1].startswith("  1,200 items · 1,200 judged · 4 without a verdict")
    assert lines[start + 2].startswith("  confidence that it is at least 0.85: >0.99 · kappa 0.84 [0.76, 0.92] · ")
    assert lines[start + 2].endswith("people no → judge no ×53, yes ×6 · people yes → judge no ×7, yes ×130")
    assert lines[start + 3] == ""


def test_a_long_matrix_is_left_to_the_page(report):
    """Five long options make no paragraph of counts; the other figures stay."""
    options = tuple(f"a long option number {place}" for place in range(5))
    part = msgspec.structs.replace(
        report.validations[0].criteria[0], options=options, confusion=tuple((1, 2, 3, 4, 5) for _ in options)
    )
    text = shown_of(msgspec.structs.replace(report.validations[0], criteria=(part,)), print_validation)
    assert "→" not in text
    assert "kappa 0.84" in text


def test_what_all_rates_share_is_said_once(report):
    """Method, assumptions and the meaning of the columns stand once; a criterion without more has no block."""
    rates = tuple(msgspec.structs.replace(rate, passing=("yes",)) for rate in report.rates)
    text = shown_of(rates, print_rates)
    assert text.count("method prediction-powered, t") == 1
    assert text.count("share of yes") == 1
    assert text.count("assumed:") == 1
    assert text.count("the mean of its probability of passing") == 1
    assert "judge's bias on the labelled items: grounded +0.03, complete +0.06," in text
    assert not {"grounded", "complete", "friendly tone"} & set(text.splitlines())


def test_what_one_rate_has_alone_stands_under_its_name(report):
    """Own options, own assumptions and warnings have a block; what cannot be told has no part in what is shared."""
    first, second, third = report.rates
    own = msgspec.structs.replace(first, assumptions=(*first.assumptions, "Of its own."), warnings=("Look at it.",))
    gap = report.validations[0].criteria[3].kappa
    blank = msgspec.structs.replace(third, estimate=gap, assumptions=(), classical=None, sentence="Cannot be told.")
    text = shown_of((own, second, blank), print_rates)
    blocks = text.split("\n\n")
    assert "grounded\n  share of yes\n  assumed: Of its own.\n  ! Look at it." in blocks
    assert "complete\n  share of partly or yes" in blocks
    assert blocks[-1].strip() == "assumed: The labelled items are a random sample of all items."
    assert f"– friendly tone: {gap.reason}" in text
    row = next(line for line in text.splitlines() if line.startswith("friendly tone  –"))
    assert row.split()[-3:] == ["no", "labels", "41"]


def test_a_number_stays_with_its_sign(report):
    """No line begins with a sign of percent or with a count, at any width."""
    for width in range(31, 90, 4):
        lines = [line.strip() for line in printed(report, width).splitlines()]
        assert not any(line.startswith(("%", "×")) for line in lines)


def several(report, count: int):
    """So many judges, the first of the report under other names."""
    first = report.validations[0]
    return [msgspec.structs.replace(first, judge=f"judge{place}", identity=f"{place:064x}") for place in range(count)]


def test_several_judges_are_one_table(report):
    """The headlines first, then of each criterion the people and each judge under them, then where the why is."""
    text = shown_of(several(report, 2), print_validations)
    lines = text.splitlines()
    assert lines[0] == "judge0: One of four criteria may move decisions: grounded."
    place = next(number for number, line in enumerate(lines) if line.startswith("grounded"))
    assert lines[place].split()[:3] == ["grounded", "people", "0.91"]
    assert [line.split()[0] for line in lines[place + 1 : place + 3]] == ["judge0", "judge1"]
    assert "● use" in lines[place + 1]
    assert "The judge agrees with people on" not in text
    assert "the report, or --judge NAME" in text
    assert text.count("Fewer than 50 labels") == 1


def test_one_judge_is_told_in_full(report):
    """A list of one judge prints what the judge alone does."""
    assert shown_of(report.validations, print_validations) == shown_of(report.validations[0], print_validation)


@pytest.mark.parametrize("judges", [2, 6, 40])
def test_several_judges_take_a_screen(report, judges):
    """However many there are, the table ends, says how much is left, and the whole is no longer than a screen."""
    text = shown_of(several(report, judges), print_validations)
    assert len(text.splitlines()) <= 50
    assert ("more lines, in the report" in text) == (judges > 6)


def test_many_criteria_are_not_all_explained(report):
    """Of thirty criteria each has its line; eight are explained, and the others counted."""
    part = report.validations[0].criteria[0]
    criteria = tuple(msgspec.structs.replace(part, criterion=f"c{place:02}") for place in range(30))
    text = shown_of(msgspec.structs.replace(report.validations[0], criteria=criteria), print_validation)
    assert text.count("The judge agrees with people on") == 8
    assert "Why, of the other 22: the report." in text
    assert sum(line.startswith("c29") for line in text.splitlines()) == 1


def test_on_an_ordered_scale_the_bias_comes_first(full):
    """A judge that is too generous is called so before its agreement is told."""
    part = full.validations[0].criteria[3]
    text = " ".join(shown_of(full.validations[0], print_validation).split())
    assert f"helpful: {part.errors.sentence} The judge agrees" in text
