from __future__ import annotations

import re

import msgspec

from fiel.reports import to_markdown


def test_the_first_line_is_the_headline(report):
    """A reviewer sees the answer first, and what of it is simulated right after."""
    lines = to_markdown(report).split("\n\n")
    assert lines[0] == "**One of four criteria may move decisions: grounded.**"
    assert lines[1] == "> The two raters of this demo are simulated."


def test_a_row_has_every_figure_with_interval_and_n(report):
    """Agreement, kappa, the people's agreement and the corrected rate, in that order."""
    row = next(line for line in to_markdown(report).splitlines() if line.startswith("| grounded |"))
    assert row == (
        "| grounded | ● use | 0.93 [0.89, 0.96] n=196 | 0.84 [0.76, 0.92] n=196 | 0.91 [0.86, 0.94] n=196 "
        "| 0.71 [0.67, 0.75] n=196 |"
    )


def test_names_in_sentences_are_emphasised(report):
    """The asterisks of fiel's own sentences are Markdown already."""
    assert "on *abstains well* (41)" in to_markdown(report)


def test_only_gates_that_do_not_pass_explain_themselves(report):
    """A passing gate is a row; a failing one has its reason, its items and its evidence."""
    bullets = [line for line in to_markdown(report).splitlines() if line.startswith("- ")]
    assert not any("it is all but certain" in line for line in bullets)
    assert any("look at q-0031, q-0512" in line and "no date is given" in line for line in bullets)


def test_two_judges_have_a_column(spanish):
    """With several judges every row says whose it is."""
    lines = to_markdown(spanish).splitlines()
    assert "| pequeño | fundamentada | ○ rewrite |" in next(line for line in lines if line.startswith("| pequeño"))
    tables = [line.count(" | ") for line in lines if line.startswith("|")]
    assert len(set(tables)) == 1


def test_texts_from_data_are_escaped(hostile):
    """Outside code no HTML, no mention, no reference, no link and no new table cell comes from data."""
    text = to_markdown(hostile)
    prose = re.sub(r"<!-- -->", "\0", re.sub(r"(`+).+?\1", "", re.sub(r"\\`", "", text)))
    assert set(re.findall(r"<[^>]*>", prose)) == {"<sub>", "</sub>"}
    assert not re.search(r"@\w|#\d|://|\bwww\.", prose)
    assert not re.search(r"(?<!\\)\[bold", prose)
    assert "\x1b" not in text
    assert "\u202e" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7, 6}


def test_backticks_in_a_command_stay_in_its_code(report):
    """The code span of a command is fenced by more backticks than it holds."""
    text = to_markdown(msgspec.structs.replace(report, command="fiel `x` ``y``"))
    assert "``` fiel `x` ``y`` ```" in text


def test_a_report_of_rates_alone_is_a_comment_too(report):
    """Without labels the table says that nothing was checked."""
    text = to_markdown(msgspec.structs.replace(report, validations=(), decisions=()))
    assert text.startswith("**No judge has been checked against people yet.**")
    assert "| grounded | not checked |  |  |  | 0.71 [0.67, 0.75] n=196 |" in text
