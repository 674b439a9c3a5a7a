"""Numbers and names as they stand in a sentence. Computes nothing and knows no result."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_MOST_DIGITS = 6


def share(value: float, *, apart_from: Sequence[float] = ()) -> str:
    """Two decimals and a real minus sign; more decimals where two would show another number as the same.

    >>> share(0.784), share(0.8951, apart_from=(0.9,)), share(-0.05)
    ('0.78', '0.895', '−0.05')
    """
    text = _fixed(value, apart_from, digits=2)
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def chance(value: float, *, apart_from: Sequence[float] = ()) -> str:
    """A probability with its sign of equality, never rounded to certainty.

    >>> chance(0.97), chance(0.9999), chance(0.0002)
    ('= 0.97', '> 0.99', '< 0.01')
    """
    if value > 0.99:
        return "> 0.99"
    return "< 0.01" if value < 0.01 else f"= {share(value, apart_from=apart_from)}"


def percent(value: float, *, apart_from: Sequence[float] = ()) -> str:
    """A share in percent, without decimals unless it would look like another number, like 0 or like 100.

    >>> percent(57 / 60), percent(0.999), percent(0.848, apart_from=(0.85,))
    ('95 %', '99.9 %', '84.8 %')
    """
    return f"{_fixed(100 * value, [100 * x for x in (0.0, 1.0, *apart_from)], digits=0)} %"


def given(value: float) -> str:
    """A number that the user gave, with two decimals or as many as it has.

    >>> given(0.9), given(0.875)
    ('0.90', '0.875')
    """
    return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"


def given_percent(value: float) -> str:
    """A share that the user gave, in percent.

    >>> given_percent(0.85), given_percent(0.875)
    ('85 %', '87.5 %')
    """
    return f"{100 * value:.10g} %"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def escaped(text: str, *, most: int | None = None) -> str:
    r"""One line of at most `most` characters: what does not print is written as its escape.

    >>> escaped("a\nb\x1b[31m"), escaped("abcdef", most=4)
    ('a\\nb\\x1b[31m', 'abc…')
    """
    cut = text if most is None else text[: most + 1]
    line = "".join(_visible(character) for character in cut)
    return line if most is None or len(line) <= most else line[: most - 1] + "…"


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return character.encode("unicode_escape").decode("ascii") if hidden else character


def _fixed(value: float, others: Sequence[float], *, digits: int) -> str:
    """`value` with the fewest decimals, at least `digits`, that tell it from those of `others` that differ from it."""
    different = [other for other in others if other != value]
    for decimals in range(digits, _MOST_DIGITS):
        text = f"{value:.{decimals}f}"
        if all(f"{other:.{decimals}f}" != text for other in different):
            return text
    return f"{value:.{_MOST_DIGITS}f}"
