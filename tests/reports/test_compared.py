"""Parts of a whole, two systems, a set and its next version, on the terminal and in Markdown."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiel.measures import Assumption, RateDifference, RevisedCriterion, Revision
from fiel.reports import (
    print_decided,
    print_differences,
    print_rates,
    print_revisions,
    print_validation,
    print_validations,
    to_markdown,
)
from fiel.reports._compared import slices_of, unlike
from fiel.stats import Estimate


def printed(show, what, width: int = 100) -> str:
    """What a function prints of something, on a console of that width."""
    console = Console(file=io.StringIO(), width=width)
    show(what, console)
    return console.file.getvalue()


def squeezed(text: str) -> str:
    """The text without white space, to look for what was wrapped."""
    return "".join(text.replace("*", "").split())


def estimate(value: float | None, low: float = 0.1, high: float = 0.6, n: int = 40) -> Estimate:
    """A number with its interval, or why there is none."""
    if value is None:
        return Estimate(value=None, low=None, high=None, confidence=0.95, method="m", n=n, reason="nobody knows")
    return Estimate(value=value, low=low, high=high, confidence=0.95, method="m", n=n)


def two(criterion: str = "grounded", judge: str = "house", value: float | None = 0.3) -> RateDifference:
    """System new against system old."""
    return RateDifference(
        criterion=criterion,
        passing=("yes",),
        judge=judge,
        identity=judge * 8,
        a="new\x1b[31m",
        b="old|er",
        field="author",
        pairs=90,
        labelled=40,
        estimate=estimate(value),
        raw=estimate(0.2, 0.15, 0.25, 90),
        classical=None,
        rate_a=estimate(0.8, 0.7, 0.9),
        rate_b=estimate(0.5, 0.4, 0.6),
        sentence=f"new passes *{criterion}* more often.",
        checks=(
            Assumption(name="blind", standing="holds", text="People answered without the judge."),
            Assumption(name="gold", standing="cannot be checked", text="One rater alone."),
        ),
        warnings=("Few groups.",),
    )


def test_slices_stand_in_a_table_with_what_stands_out_first(full):
    """Every value of the field with its interval for many looks, its items, and whether it differs."""
    validation = full.validations[0]
    text = printed(print_validation, validation)
    assert "By route" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for part in validation.criteria:
        for one in part.slices[0].slices:
            figure = f"{one.adjusted.value:.2f} [{one.adjusted.low:.2f}, {one.adjusted.high:.2f}]"
            assert f"{part.criterion} {one.value} {figure} {unlike(one)} {one.n}" in lines
    assert {unlike(one) for _, table in slices_of((validation,)) for one in table.slices} >= {"too few to say"}


def test_several_judges_have_slices_of_their_own(full):
    """Each line says whose it is; without slices nothing is said of any."""
    text = printed(print_validations, full.validations, 120)
    assert all(f"{validation.judge}, {validation.criteria[0].criterion}" in text for validation in full.validations)
    plain = [
        msgspec.structs.replace(v, criteria=tuple(msgspec.structs.replace(c, slices=()) for c in v.criteria))
        for v in full.validations
    ]
    assert "By route" not in printed(print_validations, plain, 120)


def test_a_part_that_differs_is_said_first(full):
    """Where a slice surely differs, its table's sentence stands above the lines; else that nothing does."""
    rate = full.rates[0]
    (table,) = rate.slices
    same = tuple(msgspec.structs.replace(one, differs=False) for one in table.slices)
    calm = msgspec.structs.replace(rate, slices=(msgspec.structs.replace(table, slices=same),))
    assert "Nothing surely differs from the whole." in printed(print_rates, (calm,))
    other = (msgspec.structs.replace(same[0], differs=True, small=False), *same[1:])
    loud = msgspec.structs.replace(
        rate, slices=(msgspec.structs.replace(table, slices=other, sentence="By route, fax stands out."),)
    )
    text = printed(print_rates, (loud,))
    assert text.index("fax stands out") < text.index("unlike the rest")
    assert "Nothing surely differs" not in text
    none = msgspec.structs.replace(rate, slices=(msgspec.structs.replace(table, slices=(), sentence="Too many."),))
    text = printed(print_rates, (none,))
    assert "Too many." in text
    assert "unlike the rest" not in text


def test_two_systems_answer_first():
    """The sentence, the signed difference, the rate of each, what is open to doubt and not what holds, the warnings."""
    text = printed(print_differences, (two(),))
    assert text.splitlines()[0] == "new passes grounded more often."
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "grounded +0.30 [0.10, 0.60] +0.20 [0.15, 0.25] – 40" in lines
    assert "0.80 [0.70, 0.90]" in text
    assert "0.50 [0.40, 0.60]" in text
    assert "gold: cannot be checked. One rater alone." in text
    assert "blind" not in text
    assert "! Few groups." in text
    assert "\x1b" not in text


def test_a_difference_that_is_undefined_says_why():
    """A dash in the table, and the reason under it once."""
    text = printed(print_differences, (two(value=None), two("complete", value=None)))
    assert text.count("nobody knows") == 1
    assert "– grounded, complete: nobody knows" in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_cut_and_nothing_is_too_wide(full, width):
    """At every width all of two judges' differences and slices is there, and each line fits."""
    both = (two(), two(judge="cheap"))
    text = printed(print_differences, both, width) + printed(print_rates, full.rates, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    for wanted in ("house, grounded", "cheap, grounded", "+0.30 [0.10, 0.60]", "too few to say", "By route"):
        assert squeezed(wanted) in squeezed(text)


def test_markdown_has_two_systems_and_slices(full):
    """Tables with the same figures; names from data are escaped."""
    text = to_markdown(msgspec.structs.replace(full, differences=(two(), two(judge="cheap"))))
    assert "**Which of two is better?**" in text
    assert "| judge | criterion | new⟨U+001B⟩\\[31m − old\\|er | judge alone |" in text
    assert (
        "| cheap | grounded | +0.30 [0.10, 0.60] n=40 | +0.20 [0.15, 0.25] n=90 | not measured "
        "| 0.80 [0.70, 0.90] n=40 | 0.50 [0.40, 0.60] n=40 |"
    ) in text
    assert "**Agreement by route.**" in text
    assert "**Rate by route.**" in text
    assert "too few to say" in text
    lone = msgspec.structs.replace(full, validations=(), differences=(two(),), rates=())
    assert "| grounded | +0.30 [0.10, 0.60] n=40 |" in to_markdown(lone)


def test_markdown_says_that_it_was_told(full):
    """Where somebody said that a convenience sample is a random draw, the comment says so."""
    said = "They were not drawn at random, and you said that they may be read as if they were."
    rate = msgspec.structs.replace(full.rates[0], told=True, warnings=(said,))
    assert said in to_markdown(msgspec.structs.replace(full, rates=(rate,)))


def revision(judge: str = "house") -> Revision:
    """Two criteria decided, one not."""

    def part(criterion: str, decided: int, changed: int, agreements: int, after: float) -> RevisedCriterion:
        return RevisedCriterion(
            criterion=criterion,
            decided=decided,
            changed=changed,
            judge_seen=decided,
            confirmed=max(agreements - 1, 0),
            agreements=agreements,
            before=estimate(0.5, 0.4, 0.6),
            after=estimate(after, 0.4, 0.9),
            word_before="rewrite",
            word_after="use" if after > 0.5 else "rewrite",
        )

    parts = (part("grounded", 7, 4, 3, 0.8), part("complete", 1, 0, 0, 0.5), part("polite", 0, 0, 0, 0.5))
    return Revision(judge=judge, identity="i", parent="a", digest="b", criteria=parts, note="It leans.")


def test_what_decisions_did_is_counted():
    """Decisions, those that changed gold and agreements upheld, in a sentence and by criterion."""
    text = printed(print_decided, revision())
    assert text.splitlines()[0] == (
        "8 decisions, 4 of them changed gold; 2 of 3 agreements drawn at random were upheld."
    )
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "grounded 7 4 2 of 3" in lines
    assert "complete 1 0 –" in lines
    assert "polite" not in text


def test_a_judge_before_and_after():
    """Both figures and both words of what was decided, and once what they lean to; each judge by its name."""
    text = printed(print_revisions, (revision(), revision("cheap")), 120)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "house, grounded 0.50 [0.40, 0.60] n=40 0.80 [0.40, 0.90] n=40 ○ rewrite → ● use" in lines
    assert "cheap, complete 0.50 [0.40, 0.60] n=40 0.50 [0.40, 0.90] n=40 ○ rewrite, as before" in lines
    assert "polite" not in text
    assert text.count("It leans.") == 1
