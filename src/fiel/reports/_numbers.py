"""How numbers are written: two digits, a real minus sign, the interval beside the value. Knows no medium."""

from __future__ import annotations

from fiel.stats import Estimate


def share(number: float) -> str:
    """Two decimals; no sign on what rounds to zero.

    >>> share(0.7123), share(-0.0812), share(-0.001)
    ('0.71', '−0.08', '0.00')
    """
    text = f"{number:.2f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def signed(number: float) -> str:
    """A difference: two decimals with the sign always shown, save on what rounds to zero.

    >>> signed(0.031), signed(-0.08), signed(0.001)
    ('+0.03', '−0.08', '0.00')
    """
    text = share(number)
    return text if text.startswith("−") or text == "0.00" else f"+{text}"


def given(number: float) -> str:
    """A number that the user gave, such as a bar: two decimals, or as many as it has.

    >>> given(0.9), given(0.875)
    ('0.90', '0.875')
    """
    return share(number) if round(number, 2) == number else f"{number:g}".replace("-", "−")


def count(number: int) -> str:
    """How many, with a comma at each thousand.

    >>> count(1023)
    '1,023'
    """
    return f"{number:,}"


def in_words(number: int) -> str:
    """How many, as a word up to ten.

    >>> in_words(4), in_words(1023)
    ('four', '1,023')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else count(number)


def percent(number: float) -> str:
    """A level as it is spoken of.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * number:g} %"


def seconds(number: float) -> str:
    """A time: whole seconds from ten on, tenths below.

    >>> seconds(41.6), seconds(3.25)
    ('42 s', '3.2 s')
    """
    return f"{number:,.0f} s" if number >= 9.95 else f"{number:.1f} s"


def cost(number: float) -> str:
    """Money: two decimals, or two digits where that would be nothing.

    >>> cost(12.5), cost(0.00314), cost(0.0)
    ('12.50', '0.0031', '0.00')
    """
    return f"{number:,.2f}" if number >= 0.1 or number == 0 else f"{float(f'{number:.2g}'):f}".rstrip("0")


def small(number: float) -> str:
    """A figure that may be close to zero: three decimals, with a real minus sign.

    >>> small(0.0312), small(-0.0004)
    ('0.031', '0.000')
    """
    text = f"{number:.3f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def probability(number: float | None) -> str:
    """A probability that is never rounded to certainty.

    >>> probability(0.9992), probability(0.5), probability(0.001), probability(None)
    ('>0.99', '0.50', '<0.01', 'undefined')
    """
    if number is None:
        return "undefined"
    if 0.99 < number < 1:
        return ">0.99"
    return "<0.01" if 0 < number < 0.01 else share(number)


def limits(estimate: Estimate) -> str:
    """The interval, or the one bound; empty where the estimate is undefined."""
    if estimate.low is not None and estimate.high is not None and estimate.side == "both":
        return f"[{share(estimate.low)}, {share(estimate.high)}]"
    if estimate.side == "lower" and estimate.low is not None:
        return f"(at least {share(estimate.low)})"
    if estimate.side == "upper" and estimate.high is not None:
        return f"(at most {share(estimate.high)})"
    return ""


def figure(estimate: Estimate | None, absent: str = "not measured") -> str:
    """A value with its interval, or why it is undefined; `absent` is shown where there is no estimate at all.

    >>> figure(None, "one rater")
    'one rater'
    """
    if estimate is None:
        return absent
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{share(estimate.value)} {limits(estimate)}"


def full(estimate: Estimate | None, absent: str = "not measured") -> str:
    """A value with its interval and its n.

    >>> full(Estimate(value=0.7123, low=0.62, high=0.79, confidence=0.95, method="wilson", n=200))
    '0.71 [0.62, 0.79] n=200'
    """
    text = figure(estimate, absent)
    return text if estimate is None or estimate.value is None else f"{text} n={count(estimate.n)}"
