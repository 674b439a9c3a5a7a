from __future__ import annotations

import re

import pytest

from fiel.measures import ReliabilityBin
from fiel.reports._reliability import reliability
from fiel.reports._svg import BAND, JUDGE, QUIET

LEFT, RIGHT, TOP, FLOOR, HEIGHT = 24, 230, 24, 186, 232


def part(start: float, count: int, outcome: float) -> ReliabilityBin:
    """A bin of a tenth."""
    return ReliabilityBin(
        start=start, end=start + 0.1, count=count, probability=start + 0.05, outcome=outcome, low=outcome - 0.2,
        high=outcome + 0.15, expected_low=start, expected_high=start + 0.1,
    )  # fmt: skip


BINS = (part(0.2, 12, 0.4), part(0.5, 96, 0.5), part(0.8, 1204, 0.7))


@pytest.fixture(scope="module")
def svg() -> str:
    """Three bins."""
    return reliability(BINS, name="house, grounded", said="probability of passing", happened="share that passes")


def test_dots_stand_where_said_and_happened_meet(svg):
    """Each diamond is at the mean of what was said, across, and at the share that happened, upwards."""
    found = re.findall(rf'transform="translate\(([\d.]+),([\d.]+)\)" d="[^"]*" fill="{JUDGE}"', svg)
    wanted = [(LEFT + (RIGHT - LEFT) * x.probability, FLOOR - (FLOOR - TOP) * x.outcome) for x in BINS]
    assert [(float(x), float(y)) for x, y in found] == [pytest.approx(pair) for pair in wanted]


def test_whiskers_reach_from_limit_to_limit(svg):
    """The length of each whisker is that of the interval of its share."""
    lengths = [abs(float(y)) for y in re.findall(rf'x2="0" y2="([-\d.]+)" stroke="{JUDGE}"', svg)]
    assert lengths == pytest.approx([(FLOOR - TOP) * (x.high - x.low) for x in BINS])


def rectangles(svg: str, colour: str) -> list[tuple[float, float]]:
    """Width and height of the rectangles of a colour."""
    paths = re.findall(rf'd="M([-\d.]+),([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+Z" fill="{colour}"', svg)
    return [(float(width), float(height)) for _, _, width, height in paths]


def test_the_null_band_is_as_wide_as_its_bin(svg):
    """Each piece of the grey band covers its bin and reaches from the one limit to the other."""
    found = rectangles(svg, BAND)
    assert found == [pytest.approx(((RIGHT - LEFT) * 0.1, (FLOOR - TOP) * 0.1)) for _ in BINS]


def test_bars_are_as_tall_as_their_counts(svg):
    """The heights of the bars are to each other as the counts."""
    heights = [height for _, height in rectangles(svg, QUIET)]
    assert [height / heights[2] for height in heights] == pytest.approx([x.count / 1204 for x in BINS])


def test_a_count_is_written_where_it_fits(svg):
    """A short count stands over its bar; one that is wider than its bin is left to the table."""
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert {"12", "96"} <= set(texts)
    assert "1,204" not in texts
    assert {"probability of passing", "share that passes"} <= set(texts)


def test_a_hostile_name_is_no_markup():
    """What the picture is called is escaped."""
    svg = reliability(BINS, name='"><script>alert(1)</script>', said="said", happened="happened")
    assert "<script" not in svg
