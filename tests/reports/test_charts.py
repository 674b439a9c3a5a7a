from __future__ import annotations

import re
from importlib import resources

import msgspec
import pytest

from fiel.reports._charts import Dot, Group, agreement, draw, rates
from fiel.reports._svg import HAIR, INK, JUDGE, PEOPLE, QUIET
from fiel.reports._view import rows
from fiel.stats import Estimate


@pytest.fixture(scope="module")
def pictures(report) -> tuple[str, str]:
    """Agreement of the first report, wide and narrow."""
    return draw(agreement(rows(report)), name="agreement", bar=0.85)


def test_people_come_first_and_each_judge_under_them(spanish, report):
    """The ceiling leads its group, once, and runs through it; a rate shows what it was made of."""
    (group,) = agreement(rows(spanish))
    assert [(dot.label, dot.who) for dot in group.dots] == [
        ("people with people", "people"),
        ("house", "judge"),
        ("pequeño", "judge"),
    ]
    assert group.ceiling == 0.910
    assert [dot.who for dot in rates(rows(report))[0].dots] == ["people", "judge", "corrected"]


def test_a_dot_stands_where_its_value_is(pictures):
    """On the wide picture the axis runs from x = 170 to 575, and each dot of a judge is at its agreement."""
    found = [
        float(x) for x in re.findall(rf'transform="translate\(([\d.]+),[\d.]+\)" d="[^"]*" fill="{JUDGE}"', pictures[0])
    ]
    assert found == pytest.approx([170 + 405 * value for value in (0.934, 0.712, 0.640, 0.902)])


def test_a_whisker_reaches_from_limit_to_limit(pictures):
    """The length of each judge's whisker is that of its interval."""
    lines = re.findall(rf'translate\(([\d.]+),[\d.]+\)" x2="([-\d.]+)" y2="0" stroke="{JUDGE}"', pictures[0])
    ends = sorted((float(x), float(x) + float(length)) for x, length in lines)
    wanted = sorted((170 + 405 * low, 170 + 405 * high) for low, high in INTERVALS)
    assert [end for pair in ends for end in sorted(pair)] == pytest.approx([end for pair in wanted for end in pair])


INTERVALS = [(0.890, 0.961), (0.645, 0.770), (0.571, 0.704), (0.775, 0.961)]


def test_one_sided_bounds_reach_the_end_of_the_scale():
    """A lower bound is drawn up to 1, and what is undefined is written instead of drawn."""
    bound = Estimate(value=0.5, low=0.25, high=None, side="lower", confidence=0.95, method="wilson", n=9)
    none = Estimate(value=None, low=None, high=None, confidence=0.95, method="wilson", n=0, reason="no labels")
    dots = tuple(Dot(label="x", who="people", estimate=estimate, absent="") for estimate in (bound, none))
    svg, _ = draw((Group(name="g", dots=dots),), name="one")
    (length,) = re.findall(rf'x2="([-\d.]+)" y2="0" stroke="{PEOPLE}"', svg)
    assert abs(float(length)) == pytest.approx(405 * 0.75)
    assert "undefined: no labels" in svg
    assert len(re.findall(rf'd="[^"]*" fill="{PEOPLE}"', svg)) == 1


def test_the_bar_is_drawn_with_its_number(pictures):
    """The dashed line stands at 0.85 and says so."""
    for svg in pictures:
        assert "bar 0.85" in svg
        assert "stroke-dasharray" in svg


def test_every_colour_of_a_picture_has_its_place_in_both_modes(report):
    """The style sheet maps each fill and stroke that a picture uses to a variable; nothing stays black in the dark."""
    css = resources.files("fiel.reports").joinpath("templates/report.css").read_text(encoding="utf-8")
    lines = rows(report)
    svgs = [*draw(agreement(lines), name="a", bar=0.85), *draw(rates(lines), name="r")]
    used = {found for svg in svgs for found in re.findall(r'(fill|stroke)="(?!none)([^"]+)"', svg)}
    assert {colour for _, colour in used} == {INK, QUIET, HAIR, PEOPLE, JUDGE}
    for attribute, colour in used:
        assert f'figure [{attribute}="{colour}"] {{ {attribute}: var(--' in css


def test_a_picture_scales_with_its_column(pictures):
    """It has a view box, a name, and no width of its own."""
    for svg in pictures:
        opening = svg[: svg.index(">")]
        assert 'viewBox="' in opening
        assert 'role="img"' in opening
        assert " width=" not in opening


def test_a_hostile_name_is_drawn_as_text(report):
    """Markup, expressions and template syntax in a name are letters in the picture."""
    name = "</text><script>alert(1)</script> {{7*7}} datum.x"
    group = msgspec.structs.replace(agreement(rows(report))[0], name=name)
    for svg in draw((group,), name='"><script>'):
        assert "<script" not in svg
        assert "&lt;script" in svg


def uprights(svg: str) -> list[tuple[float, float, float]]:
    """Vertical lines: x, top, bottom."""
    found = re.findall(r'transform="translate\(([\d.]+),([\d.]+)\)" x2="0" y2="([-\d.]+)"', svg)
    ends = [(float(x), float(y), float(y) + float(length)) for x, y, length in found]
    return [(x, min(start, end), max(start, end)) for x, start, end in ends]


def words(svg: str) -> list[tuple[float, float, float, float, str]]:
    """Texts with about the place that they take: left, right, top, bottom, and the text."""
    found = re.findall(
        r'<text text-anchor="(\w+)" transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*font-size="(\d+)px"[^>]*>([^<]*)<',
        svg,
    )
    result = []
    for anchor, x, baseline, size, text in found:
        width = 0.58 * float(size) * len(text)
        left = float(x) - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        top, bottom = float(baseline) - 0.75 * float(size), float(baseline) + 0.2 * float(size)
        result.append((left, left + width, top, bottom, text))
    return result


REASON = "the labelled items were drawn with unequal chances, which this version cannot weigh, so nothing is said"


@pytest.mark.parametrize("place", [0, 1])
def test_no_line_runs_through_a_text(report, place):
    """Grid, bar and ceiling stop short of every name, figure and reason, on the wide picture and on the narrow."""
    gap = Estimate(value=None, low=None, high=None, confidence=0.95, method="t", n=0, reason=REASON)
    blank = Dot(label="judge with people", who="judge", estimate=gap, absent="")
    groups = agreement(rows(report))
    name = "a name that is long enough to reach the bar, were there no end of it"
    groups = (*groups, msgspec.structs.replace(groups[0], name=name, dots=(*groups[0].dots, blank)))
    svg = draw(groups, name="agreement", bar=0.85)[place]
    lines, texts = uprights(svg), words(svg)
    assert len(lines) > 20
    assert {"0.93 [0.89, 0.96]", "bar 0.85"} <= {text for *_, text in texts}
    for left, right, top, bottom, text in texts:
        crossed = [line for line in lines if left < line[0] < right and line[1] < bottom and top < line[2]]
        assert not crossed, text


def test_a_reason_is_wrapped_and_not_cut():
    """A long reason takes as many lines as it needs, within the picture, and all of its words are there."""
    gap = Estimate(value=None, low=None, high=None, confidence=0.95, method="t", n=0, reason=REASON)
    dot = Dot(label="corrected", who="corrected", estimate=gap, absent="")
    for width, svg in zip((720, 340), draw((Group(name="g", dots=(dot,)),), name="one"), strict=True):
        lines = [(right, text) for _, right, _, _, text in words(svg) if text not in {"g", "corrected"}]
        lines = [line for line in lines if not re.fullmatch(r"[\d.]+", line[1])]
        assert " ".join(text for _, text in lines) == f"undefined: {REASON}"
        assert all(right <= width for right, _ in lines)


def test_a_criterion_without_labels_has_no_rater(report, unlabelled):
    """The people's line says that there are no labels."""
    (group, _) = agreement(rows(msgspec.structs.replace(report, validations=(unlabelled,))))
    assert group.dots[0].absent == "no labels"
