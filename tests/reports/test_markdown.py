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
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}


def test_backticks_in_a_command_stay_in_its_code(report):
    """The code span of a command is fenced by more backticks than it holds."""
    text = to_markdown(msgspec.structs.replace(report, command="fiel `x` ``y``"))
    assert "``` fiel `x` ``y`` ```" in text


def test_a_report_of_rates_alone_is_a_comment_too(report):
    """Its headline is about rates, its table has their columns and no other, and nothing speaks of agreement."""
    text = to_markdown(msgspec.structs.replace(report, validations=(), decisions=()))
    assert text.startswith("**Corrected rates of three criteria: grounded 0.71, complete 0.74, friendly tone 0.69.**")
    assert "| criterion | corrected rate | judge alone | labels alone |" in text
    row = "| grounded | 0.71 [0.67, 0.75] n=196 | 0.74 [0.72, 0.77] n=1,200 | 0.69 [0.62, 0.75] n=196 |"
    assert row in text
    assert "agree" not in text
    assert "judge alone: the mean of its probability of passing" in text
    for word in ("no labels", "not checked", "Gates"):
        assert word not in text


def test_a_report_of_gates_alone_says_everything_once(report):
    """One headline, the judges that the gates name, and no judge that is none."""
    text = to_markdown(msgspec.structs.replace(report, validations=(), rates=(), notes=()))
    assert text.count("Of 3 gates, 1 passes, 1 fails and 1 is undecided.") == 1
    assert "judge `house`;" in text
    nameless = tuple(msgspec.structs.replace(decision, judge=None) for decision in report.decisions)
    made = to_markdown(msgspec.structs.replace(report, validations=(), rates=(), decisions=nameless)).splitlines()[-1]
    assert "none" not in made
    assert made.startswith("<sub>support-bot, 2026-03-02; fiel 0.1.0; again with ")


def test_the_method_stands_beside_every_gate(report, raw):
    """A gate on a raw rate says so in its row."""
    text = to_markdown(msgspec.structs.replace(report, decisions=(*report.decisions, raw)))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("| raw | ● pass, sure |" in row and "raw, the judge's bias is not corrected" in row for row in rows)
    assert sum("| prediction-powered, t |" in row for row in rows) == 2


def test_n_says_that_it_counts_groups(report, clustered):
    """Where a method knows clusters, a line under the table says what n counts; elsewhere there is none."""
    assert "n counts groups" not in to_markdown(report)
    text = to_markdown(msgspec.structs.replace(report, validations=(clustered,), rates=(), decisions=()))
    assert "\n\nn counts groups of items that belong together on grounded\n\n" in text


def test_a_criterion_without_labels_says_no_labels(report, unlabelled):
    """The people's column does not speak of a rater where there is none."""
    text = to_markdown(msgspec.structs.replace(report, validations=(unlabelled,), rates=(), decisions=()))
    row = next(line for line in text.splitlines() if line.startswith("| polite |"))
    assert row.endswith("| no labels |")
    assert "one rater" not in row


def test_the_bias_and_the_width_are_told(full):
    """On an ordered scale the bias leads its line, a rate says what would narrow it, and two judges are told apart."""
    text = to_markdown(full)
    errors = full.validations[0].criteria[3].errors
    assert f"- **helpful, house**: {errors.sentence} The judge agrees" in text
    assert full.rates[0].terms.sentence in text
    assert "**grounded, cheap**" in text


def test_a_comment_ends(report):
    """Of many judges the first rows stand in the comment, and how many more there are."""
    first = report.validations[0]
    judges = tuple(msgspec.structs.replace(first, judge=f"j{place}", identity=f"{place:064x}") for place in range(20))
    text = to_markdown(msgspec.structs.replace(report, validations=judges, rates=(), decisions=()))
    assert "and 56 more rows, in report.json" in text
    assert len(text.splitlines()) < 90
