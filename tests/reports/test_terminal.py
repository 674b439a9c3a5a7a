from __future__ import annotations

import io

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiel.reports import print_decisions, print_rates, print_validation


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
